#!/usr/bin/env bats
# What scripts rely on: JSON, exit statuses, names of options.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers
load ../contrib/programs

# json DEFINITION STATUS ARGUMENT...: each line that cfi2sframe prints, of which
# there has to be one, is for `json_is each <documents'.
json ()
{
  local definition=$1 wanted=$2
  shift 2
  tool --stats=json "$@"
  [ "$status" -eq "$wanted" ] && [ -n "$output" ] || report
  awk -v definition="$definition" \
    '/^{/ && !/^{"json_version":1,"total"/ { print definition, $0; said = 1 }
     END { exit !said }' <<<"$output" >>documents || report
}

# The same, for the sum.
json_total ()
{
  local definition=$1
  shift
  tool --stats=json "$@"
  awk -v definition="$definition" '/"total"/ { print definition, $0; said = 1 }
    END { exit !said }' <<<"$output" >>documents || report
}

@test "JSON of cfi2sframe is what the schema says, in all modes" {
  small_program a
  copy /bin/bash b
  cp b c
  echo text >text
  mkdir tree
  cp a b text tree
  json conversion 0 -o out b
  json conversion 0 --analyze -o out b
  json conversion 0 --section-only=out b
  json conversion 0 --detached=folder b
  json conversion 0 text
  json conversion 1 missing
  json formats 0 --compare-formats a b
  json formats 0 --format=compact-unwind --section-only=out b
  json_total formats_total --compare-formats -r tree
  json conversion 0 -r tree
  json_total conversion_total -r --replace tree
  json check 0 --check -r tree
  json check 1 --check a
  json check 1 --check --for=glibc tree/b
  json_total check_total --check -r tree
  json comparison 0 --compare tree/b tree/b
  "$CFI2SFRAME" -q --format=2 c
  json comparison 1 --compare tree/a tree/b
  json comparison 1 --compare a tree/b
  json lint 0 --lint a
  wrong_library
  json lint 3 --lint wrong.so
  json reversal 0 --remove c
  json reversal 0 --undo -r tree
  json_total undo_total --undo -r tree
  json_total remove_total --remove -r tree
  # All at once: a start of Python with its modules takes as long as a test.
  json_is each <documents
}

@test "JSON: what the schema does not know is found" {
  small_program a
  "$CFI2SFRAME" --stats=json -n a >line
  sed 's/^/check /; p; s/check/conversion/
    s/"json_version":1,//p' line >wrong
  sed 's/^/conversion /; s/"json_version":1/"json_version":2/' line >>wrong
  sed 's/^/conversion /; s/"seconds"/"more":0,"seconds"/' line >>wrong
  sed 's/^/conversion /; s/"sframe_fdes":/"sframe_fdes":-/' line >>wrong
  # The line itself is right.
  sed 's/^/conversion /' line >>wrong
  run json_is none <wrong
  [ "$output" = "not found: $(tail -n 1 wrong)" ] || report
  run ! json_is conversion </dev/null
}

# A name of a function with a control character acted on the terminal: --lint
# printed JSON in a way of its own.
@test "JSON is printed by one function" {
  local found
  found=$(grep -rl json_object_to_json_string "$srcdir/src")
  [ "$found" = "$srcdir/src/cli/json_line.c" ] || { echo "$found"; return 1; }
}

# statuses_of PROGRAM: those in the manual's table.
statuses_of ()
{
  sed -n '/^@node For scripts/,/^@end multitable/p' "$srcdir/doc/use/cfi2sframe.texi" \
    | grep -F "@command{$1}" | sed -nE 's/^@item .* @tab ([0-9]|@var.n.) @tab .*/\1/p' \
    | tr '\n' ' '
}

# gets STATUS COMMAND...: a row of the table.
gets ()
{
  local wanted=$1
  shift
  capture "$@"
  [ "$status" -eq "$wanted" ] || { echo "$*"; report; }
  [ "$wanted" -ne 2 ] || [ -n "$stderr" ] || { echo "$*"; report; }
  got+="$wanted "
}

# provoked PROGRAM: all rows, and no other.
provoked ()
{
  [ -n "$got" ]
  [ "$(statuses_of "$1")" = "$got" ] \
    || { echo "manual: $(statuses_of "$1"), provoked: $got"; return 1; }
  got=
}

script ()
{
  local name=$1
  shift
  program "$srcdir/contrib/$name" --cfi2sframe="$CFI2SFRAME" "$@"
}

@test "exit statuses: cfi2sframe" {
  small_program a
  gets 0 "$CFI2SFRAME" -o out a
  gets 1 "$CFI2SFRAME" missing
  gets 2 "$CFI2SFRAME" --no-such-option a
  wrong_library
  gets 3 "$CFI2SFRAME" --lint wrong.so
  provoked cfi2sframe
  # Other reasons for the same status.
  gets 0 "$CFI2SFRAME" --check out
  gets 1 "$CFI2SFRAME" --check a
  cp /bin/bash b
  "$CFI2SFRAME" -q b
  gets 1 "$CFI2SFRAME" --compare out b
}

@test "exit statuses: sframe-stack, sframe-profile" {
  local programs
  programs=$builddir/stacks
  [ -x "$programs/sframe-stack" ] || skip "built without libdw"
  sleep 600 3>&- &
  children+=("$!")
  gets 0 "$programs/sframe-stack" "$!"
  gets 1 "$programs/sframe-stack" /bin/true
  gets 2 "$programs/sframe-stack" --no-such-option
  provoked sframe-stack
  gets 0 "$programs/sframe-profile" --ptrace -o out.folded -- sleep 0.2
  gets 1 "$programs/sframe-profile" -- ./missing
  gets 2 "$programs/sframe-profile" --no-such-option
  got+="@var{n} "
  provoked sframe-profile
  gets 7 "$programs/sframe-profile" --ptrace -o out.folded -- sh -c 'sleep 0.1; exit 7'
  # shellcheck disable=SC2016
  gets 143 "$programs/sframe-profile" --ptrace -o out.folded -- sh -c 'sleep 0.1; kill $$'
}

@test "exit statuses: sframe-prove" {
  [ -x "$builddir/prove/sframe-prove" ] || skip "built without libdw"
  small_program a
  "$CFI2SFRAME" -q -o out a
  gets 0 "$builddir/prove/sframe-prove" out a
  gets 1 "$builddir/prove/sframe-prove" a
  gets 2 "$builddir/prove/sframe-prove" missing
  provoked sframe-prove
  gets 2 "$builddir/prove/sframe-prove"
  gets 0 "$builddir/prove/sframe-prove" -h
  gets 0 "$builddir/prove/sframe-prove" -V
}

@test "exit statuses: sframe-system" {
  needs dpkg python3
  mkdir -p root/var/lib/dpkg/{info,updates,triggers}
  touch root/var/lib/dpkg/status
  gets 0 script system/sframe-system --root=root status
  touch root/var/lib/dpkg/updates/0000
  gets 1 script system/sframe-system --root=root convert
  gets 2 script system/sframe-system --root=root no-such-command
  provoked sframe-system
}

@test "exit statuses: sframe-retrofit-deb, -repo" {
  needs dpkg-deb python3 apt-ftparchive apt-get
  needs_debian_module
  small_program a
  mkdir -p root/usr/bin pool
  cp a root/usr/bin
  make_deb pool/one_1_amd64.deb root "Package: one" "Version: 1" "Architecture: amd64"
  echo text >text.deb
  gets 0 script retrofit/sframe-retrofit-deb -o new pool/one_1_amd64.deb
  gets 1 script retrofit/sframe-retrofit-deb -o new text.deb
  gets 2 script retrofit/sframe-retrofit-deb pool/one_1_amd64.deb
  provoked sframe-retrofit-deb
  gets 0 script retrofit/sframe-retrofit-repo -o repo --architecture=amd64 --folder=pool
  gets 1 script retrofit/sframe-retrofit-repo -o other --architecture=amd64
  gets 2 script retrofit/sframe-retrofit-repo
  provoked sframe-retrofit-repo
  "$(program_file python3)" "$srcdir/contrib/retrofit/sframe-retrofit-deb" \
    --list-checksums pool/one_1_amd64.deb | json_is checksums
}

@test "exit statuses: sframe-retrofit-rpm" {
  needs rpmbuild python3
  cat >one.spec <<'END'
Name: one
Version: 1
Release: 1
Summary: test
License: None
BuildArch: noarch
%description
test
%files
END
  rpmbuild -bb --quiet --define "_rpmformat 4" --define "_topdir $PWD/top" one.spec >log 2>&1 || { cat log; return 1; }
  echo text >text.rpm
  gets 0 script retrofit/sframe-retrofit-rpm -o new top/RPMS/noarch/one-1-1.noarch.rpm
  gets 1 script retrofit/sframe-retrofit-rpm -o new text.rpm
  gets 2 script retrofit/sframe-retrofit-rpm text.rpm
  provoked sframe-retrofit-rpm
}

@test "exit statuses: sframe-retrofit-arch" {
  needs python3
  printf '%s\n' "pkgname = one" "pkgbase = one" "pkgver = 1-1" "size = 0" \
    "arch = any" >.PKGINFO
  tar -cf one-1-1-any.pkg.tar .PKGINFO
  echo text >text.pkg.tar
  gets 0 script retrofit/sframe-retrofit-arch -o new one-1-1-any.pkg.tar
  gets 1 script retrofit/sframe-retrofit-arch -o new text.pkg.tar
  gets 2 script retrofit/sframe-retrofit-arch text.pkg.tar
  provoked sframe-retrofit-arch
}

@test "exit statuses: sframe-retrofit-image" {
  needs python3 umoci
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  umoci init --layout image
  umoci new --image image:latest
  mkdir empty
  gets 0 script retrofit/sframe-retrofit-image -o new image
  gets 1 script retrofit/sframe-retrofit-image -o newer empty
  gets 2 script retrofit/sframe-retrofit-image image
  provoked sframe-retrofit-image
}

@test "each program of a manual page has its exit statuses in the manual" {
  local page n=0
  for page in $(manual_pages | grep '\.1$'); do
    page=${page##*/}
    [ -n "$(statuses_of "${page%.1}")" ] || { echo "$page"; return 1; }
    n=$((n + 1))
  done
  [ "$n" -ge 10 ]
}

# What writes nothing was --dry-run here and --list there, and --list=FILE was
# something else in the fifth program.
@test "options that mean the same are called the same" {
  needs python3 rpm2cpio
  local name option
  "$CFI2SFRAME" --help=all | grep -q -- "-n, --dry-run"
  for name in system/sframe-system retrofit/sframe-retrofit-{arch,deb,image,repo,rpm}; do
    script $name --help >help
    for option in "-h, --help" "-V, --version" "-v, --verbose" "--cfi2sframe"; do
      grep -qe "$option" help || { echo "$name $option"; return 1; }
    done
    [[ $name == *-repo ]] || grep -q -- "-n, --dry-run" help \
      || { echo "$name"; return 1; }
    run ! grep -e "--list[ =]" help
  done
  # Those who know the old names.
  run script retrofit/sframe-retrofit-rpm --list missing.rpm
  [ "$status" -eq 1 ] || report
  run script retrofit/sframe-retrofit-repo -o new --list=missing
  [ "$status" -eq 2 ] || report
  [[ $output == *"--packages-from: "*missing* ]] || report
}
