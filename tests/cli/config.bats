#!/usr/bin/env bats
# /etc/cfi2sframe.conf and /etc/cfi2sframe.conf.d: what a machine leaves out.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers
load ../contrib/programs

script ()
{
  capture program "$srcdir/contrib/$1" \
    --cfi2sframe="$CFI2SFRAME" "${@:2}"
}

programs="system/sframe-system retrofit/sframe-retrofit-arch
  retrofit/sframe-retrofit-deb retrofit/sframe-retrofit-image
  retrofit/sframe-retrofit-repo retrofit/sframe-retrofit-rpm"

@test "--show-config: what counts, and where it stands, the same in all programs" {
  needs python3
  needs_debian_module
  configure <<'END'
# What we leave out.
exclude-package = linux-*   # many
exclude-package=vendor
  exclude = /usr/lib/v#ndor/*
min-coverage = 5
format = 3
END
  mkdir cfi2sframe.conf.d
  echo "min-coverage = 7.5" >cfi2sframe.conf.d/20-more.conf
  echo "format = 2" >cfi2sframe.conf.d/10-less.conf
  echo "min-coverage = 99" >cfi2sframe.conf.d/backup.conf~
  echo "exclude = /hidden" >cfi2sframe.conf.d/.20-more.conf
  local program
  for program in $programs; do
    gives 0 script "$program" --show-config
    diff - <(printf '%s\n' "$output" | sed "s|$PWD/||") <<'END'
exclude-package = linux-* # cfi2sframe.conf:2
exclude-package = vendor # cfi2sframe.conf:3
exclude = /usr/lib/v#ndor/* # cfi2sframe.conf:4
min-coverage = 7.5 # cfi2sframe.conf.d/20-more.conf:1
format = 2 # cfi2sframe.conf.d/10-less.conf:1
END
  done
  CFI2SFRAME_CONFIG='' script system/sframe-system --show-config
  [ -z "$output" ] && [ "$status" -eq 0 ] || report
  CFI2SFRAME_CONFIG=$PWD/none script system/sframe-system --show-config
  [ -z "$output" ] && [ "$status" -eq 0 ] || report
}

# wrong TEXT: one line on stderr that has it, exit status 1, nothing done.
wrong ()
{
  local program
  for program in system/sframe-system retrofit/sframe-retrofit-rpm; do
    script $program --show-config
    [ "$status" -eq 1 ] && [ -z "$output" ] || report
    [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
    [ "${#stderr}" -lt 400 ] || report
    [[ $stderr == "${program##*/}: "*"$1"* ]] || report
  done
  run ! grep -P '[^\t -~\n]' <<<"$stderr"
}

@test "cfi2sframe --config: paths below the root, packages, order of options" {
  small_program
  mkdir -p root/usr/lib "root/us*r/lib"
  cp small root/usr/lib/a
  cp small root/usr/lib/b
  cp small "root/us*r/lib/a"
  configure <<<$'exclude = /usr/lib/a\nexclude=*/here/lib/*\nformat = 2'
  exits 0 --config --root=root/ -r -j 2 --skip-unconvertible root
  cmp small root/usr/lib/a
  "$CFI2SFRAME" --dump root/usr/lib/b | grep -q SFRAME_VERSION_2
  has_sframe "root/us*r/lib/a"
  grep -q "^cfi2sframe: note: root/usr/lib/a: not to be converted.*left out by $PWD/cfi2sframe.conf:1$" \
    <<<"$stderr"
  exits 0 --config --root=root -o out root/usr/lib/a
  cmp out small
  # What is named, too, wherever one is.
  mkdir -p here/lib
  cp small here/lib/a
  (cd here/lib && "$CFI2SFRAME" --config a && "$CFI2SFRAME" --config ./a)
  cmp small here/lib/a
  # Neither do other ways to write the path lead around it.
  mkdir here/lib/deeper here/beside
  for way in here//lib/a here/lib/./a here/lib/deeper/../a "$PWD/here/beside/..//lib/a" \
    "$PWD//here/./lib/a"; do
    "$CFI2SFRAME" --config "$way"
    cmp small here/lib/a || { echo "$way"; return 1; }
  done
  (cd here/beside && "$CFI2SFRAME" --config ../lib/a)
  cmp small here/lib/a
  tool --config --root=here here/lib/a
  has_sframe here/lib/a
  # "root" is not a beginning of another name.
  cp small root/usr/lib/c
  configure <<<"exclude = /ot/usr/lib/c"
  tool --config --root=ro root/usr/lib/c
  has_sframe root/usr/lib/c
  # Options count more, wherever they stand, and readers determine the version.
  configure <<<"format = 2"
  tool --config -o two small
  "$CFI2SFRAME" --dump two | grep -q SFRAME_VERSION_2
  local way
  for way in "--config --format=3" "--format=3 --config" "--format=3 --hook"; do
    tool $way -o three small
    "$CFI2SFRAME" --dump three | grep -q SFRAME_VERSION_3 || { echo "$way"; return 1; }
  done
  tool --config --for=linux -o linux small
  "$CFI2SFRAME" --dump linux | grep -q SFRAME_VERSION_3
  configure <<<"exclude-package = sm?ll"
  exits 0 --config --package=small --stats=json -o same small
  cmp same small
  [[ $output == *"left out by $PWD/cfi2sframe.conf:1"* ]] || report
  tool --config --package=smaller --detached=sections small
  [ -n "$(find sections -name '*.sframe')" ] || report
  configure <<<"min-coverage = 100"
  tool --config -o none small
  [ "$status" -eq 1 ] && [ ! -e none ] || report
  for way in "--config --min-coverage=0" "--min-coverage=0 --config"; do
    tool $way -o some small
    has_sframe some
    rm some
  done
  configure <<<"checksummed = yes"
  cp small fips
  (openssl dgst -sha256 -hmac key fips || sha256sum fips) >.fips.hmac 2>/dev/null
  tool --config fips
  has_sframe fips
  configure <<<"checksummed = no"
  convert --undo --convert-checksummed fips
  tool --convert-checksummed --config fips
  has_sframe fips
}

@test "cfi2sframe --config: a root and files that are written in different ways" {
  small_program
  mkdir -p root/usr/lib beside
  cp small root/usr/lib/a
  configure <<<$'exclude = /usr/lib/a\nexclude = */root/*'
  local way
  for way in "$PWD/root root" "./root root" "root $PWD/root" "root/. root" \
    "$PWD//root/ root" "beside/../root root" "root beside/../root"; do
    echo "$way"
    cp small root/usr/lib/b
    "$CFI2SFRAME" --config --root="${way% *}" "${way#* }"/usr/lib/[ab]
    cmp small root/usr/lib/a
    # What is above the root does not count.
    has_sframe root/usr/lib/b
  done
  (cd root/usr && "$CFI2SFRAME" --config --root=.. lib/a)
  cmp small root/usr/lib/a
  (cd root && "$CFI2SFRAME" --config --root=. ./usr/lib/a usr/lib/b)
  cmp small root/usr/lib/a
}

@test "cfi2sframe --config: what goes together" {
  small_program
  exits 2 --root=. -o out small
  exits 2 --package=x -o out small
  exits 2 --config --check small
  configure <<<"wrong"
  local before
  before=$(checksum small)
  exits 1 --config small
  [ "$(checksum small)" = "$before" ]
  tool -o out small
  has_sframe out
}

@test "lines that are wrong are one clear line, and exit 1" {
  needs python3
  local line why
  while IFS='|' read -r line why; do
    configure <<<"$line"
    wrong "$why"
  done <<'END'
exclude /usr|:1: 'exclude /usr' is not 'setting = value'
excluded = /usr|:1: unknown setting 'excluded'; there are:
exclude = usr/lib|:1: exclude is a pattern that begins with '/' or '*', not 'usr/lib'
exclude =|:1: exclude is
min-coverage = 101|:1: min-coverage is a percentage, not '101'
min-coverage = nan|percentage
checksummed = maybe|yes or no
format = 4|3, 2, 2.0 or 1
END
  configure < <(printf 'format = 3\n\n\033[2Jformat = 3\n')
  wrong ":3: unknown setting '\\x1b[2Jformat'"
  configure < <(printf 'exclude = /a\rb\n')
  wrong ":1: exclude is "
  configure < <(printf 'exclude = /\xff\n')
  wrong ":1: exclude is "
  configure < <(printf 'format = 3\n\0exclude = /\n')
  wrong "no text"
  configure < <(printf 'x%.0s' $(seq 5000))
  wrong "is not 'setting = value'"
  head -c 2000000 /dev/zero >cfi2sframe.conf
  wrong "larger than"
  rm cfi2sframe.conf
  mkfifo cfi2sframe.conf
  wrong "no regular file"
  rm cfi2sframe.conf
  ln -s missing cfi2sframe.conf
  wrong "No such file"
  # A file of the folder counts as the first one does.
  configure </dev/null
  mkdir cfi2sframe.conf.d
  echo wrong >cfi2sframe.conf.d/a.conf
  wrong "cfi2sframe.conf.d/a.conf:1: "
}

# package NAME: with two programs.
package ()
{
  mkdir -p "$1/usr/bin" "$1/usr/lib/$1"
  cp small "$1/usr/bin/$1"
  cp small "$1/usr/lib/$1/helper"
  make_deb "$1.deb" "$1" "Package: $1" "Version: 1" "Architecture: amd64"
}

@test "sframe-retrofit-deb: packages, paths, coverage and format as configured" {
  needs dpkg-deb python3
  needs_debian_module
  small_program
  package one
  package two
  configure <<'END'
exclude-package = tw?
exclude = */helper
format = 1
END
  mkdir cfi2sframe.conf.d
  echo "format = 2" >cfi2sframe.conf.d/later.conf
  gives 0 script retrofit/sframe-retrofit-deb -o new --report=reports one.deb two.deb
  dpkg-deb -x new/one_1A~sframe1_amd64.deb out
  "$CFI2SFRAME" --dump out/usr/bin/one | grep -q SFRAME_VERSION_2
  no_sframe out/usr/lib/one/helper
  cmp two.deb new/two.deb
  grep -q "left out by $PWD/cfi2sframe.conf:1" reports
  grep -q "left out by $PWD/cfi2sframe.conf:2" reports
  # What is given counts more.
  gives 0 script retrofit/sframe-retrofit-deb -o other one.deb -- --format=3
  rm -rf out
  dpkg-deb -x other/one_*.deb out
  "$CFI2SFRAME" --dump out/usr/bin/one | grep -q SFRAME_VERSION_3
  gives 0 script retrofit/sframe-retrofit-deb -o third one.deb -- --for=linux
  # All files are below that.
  configure <<<"min-coverage = 100"
  gives 0 script retrofit/sframe-retrofit-deb -o fourth one.deb
  cmp one.deb fourth/one.deb
}

@test "sframe-retrofit-repo: another configuration converts again" {
  needs dpkg-deb python3 apt-ftparchive apt-get jq
  needs_debian_module
  small_program
  package one
  mkdir pool
  cp one.deb pool
  configure <<<"exclude = */helper"
  gives 0 script retrofit/sframe-retrofit-repo -o new --architecture=amd64 --folder=pool
  jq -e '.packages[0].left_alone["usr/lib/one/helper"] | test("left out by")' new/report.json
  jq -e '.total.converted == 1' new/report.json
  configure <<<"exclude-package = one"
  gives 0 script retrofit/sframe-retrofit-repo -o new --architecture=amd64 --folder=pool
  jq -e '.packages[0].status == "copied"' new/report.json
}

@test "sframe-system: what is configured is left out, and undone all the same" {
  needs dpkg python3
  mkdir -p root/var/lib/dpkg/{info,updates,triggers}
  touch root/var/lib/dpkg/status
  small_program
  local name
  for name in one two; do
    package $name
    PATH=$PATH:/usr/sbin:/sbin dpkg --root="$PWD/root" --force-not-root \
      --force-script-chrootless --force-depends --force-architecture \
      -i $name.deb >log 2>&1 || { cat log; return 1; }
  done
  configure <<'END'
exclude-package = two
exclude = /usr/lib/*
END
  gives 0 script system/sframe-system --root=root convert
  has_sframe root/usr/bin/one
  no_sframe root/usr/lib/one/helper
  no_sframe root/usr/bin/two
  script system/sframe-system --root=root status
  [ "${lines[0]}" = "1 program or library, 1 of them converted" ] || report
  # What was converted before can be undone.
  configure <<'END'
exclude = *
exclude-package = *
min-coverage = 5
END
  gives 0 script system/sframe-system --root=root undo
  no_sframe root/usr/bin/one
}

@test "sframe-retrofit-image: what is configured is left out" {
  needs umoci python3
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  mkdir -p files/bin files/lib
  small_program files/bin/hello
  cp files/bin/hello files/lib/helper
  umoci init --layout image
  umoci new --image image:latest
  umoci insert --image image:latest files /
  configure <<<"exclude = /lib/*"
  gives 0 script retrofit/sframe-retrofit-image -o new image
  umoci unpack --image new:latest bundle
  has_sframe bundle/rootfs/bin/hello
  no_sframe bundle/rootfs/lib/helper
}
