#!/usr/bin/env bats
# sframe-retrofit-repo on repositories made here.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load programs

# It converts with a program that also writes down how often it was called.
retrofit ()
{
  needs python3 dpkg-deb apt-ftparchive apt-get jq
  needs_debian_module
  if [ ! -e spy ]; then
    printf '#!/bin/sh\necho >>%q\nexec %q "$@"\n' "$PWD/calls" "$CFI2SFRAME" \
      >spy
    chmod +x spy
  fi
  : >calls
  capture program \
    "$srcdir/contrib/retrofit/sframe-retrofit-repo" --cfi2sframe="$PWD/spy" "$@"
}

n_calls ()
{
  wc -l <calls
}

# make_package NAME VERSION [FIELD]...: with a program, and with what is below
# package-NAME.
make_package ()
{
  if [ -e "package-$1" ]; then
    package "$@"
  else
    once package "$@"
  fi
}

package ()
{
  local name=$1 version=$2 folder=package-$1
  shift 2
  mkdir -p "$folder/usr/bin" "pool/$name"
  [ -e small ] || small_program
  [ "$name" = text ] || cp small "$folder/usr/bin/$name"
  make_deb "pool/$name/${name}_${version#*:}_amd64.deb" "$folder" \
    "Package: $name" "Version: $version" "Architecture: amd64" "$@"
}

# apt COMMAND...: an apt-get that knows the repository "new" alone, and nothing of
# what this machine has apt do after each update.
apt ()
{
  mkdir -p apt/lists/partial apt/archives/partial apt/sources.list.d
  : >apt/status
  echo "deb [${trust-trusted=yes} arch=amd64] file:$PWD/new sframe main" \
    >apt/sources.list.d/new.list
  cat >apt.conf <<END
Dir::State "$PWD/apt";
Dir::State::status "$PWD/apt/status";
Dir::Cache "$PWD/apt";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$PWD/apt/sources.list.d";
Dir::Etc::trusted "/dev/null";
Dir::Etc::trustedparts "/dev/null";
APT::Architecture "amd64";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
  APT_CONFIG=$PWD/apt.conf apt-get -q "$@"
}

pool_files ()
{
  (cd "${1-new}/pool" && find . -type f | LC_ALL=C sort)
}

@test "a folder becomes a repository that apt reads" {
  make_package one 1:2.0-1 "Depends: libtwo (>= 1)"
  make_package libtwo 1 "Source: libtoo (0.9)"
  make_package text 3
  gives 0 retrofit -v -o new --folder=pool
  pool_files | diff - <(cat <<'END'
./libt/libtoo/libtwo_1A~sframe1_amd64.deb
./o/one/one_2.0-1A~sframe1_amd64.deb
./t/text/text_3_amd64.deb
END
)
  apt update
  (cd apt && APT_CONFIG=../apt.conf apt-get -q download one libtwo text)
  dpkg-deb -x apt/one_*.deb x
  has_sframe x/usr/bin/one
  apt -s install one >log
  grep -q '^Inst libtwo (1A~sframe1 ' log
  # Nothing is left but the repository and what is to be remembered.
  [ -z "$(ls -A new/.retrofit/tmp)" ]
  grep -q '^Acquire-By-Hash: yes' new/dists/sframe/Release
  # The report.
  json_is repository whole <new/report.json
  jq -r '.packages[] | [.package, .status, .elf_files] | @tsv' new/report.json \
    | diff - <(printf '%s\t%s\t%s\n' libtwo converted 1 one converted 1 \
                 text copied 0)
  jq -e '.total | .packages == 3 and .converted == 2 and .bytes_covered > 0
         and .run.packages == 3 and .run.max_rss_kib > 0
         and .run.seconds_by_work.compress > 0' new/report.json
  grep -q '<td>libtwo</td><td>1A~sframe1</td>' new/report.html
}

@test "the report has few names in it, or a number" {
  make_package one 1
  local i
  for i in a b c d '<e>'; do
    head -c 100 small >"package-one/usr/bin/$i"
  done
  make_package one 1
  make_package two 1
  head -c 100 small >package-two/usr/bin/broken
  make_package two 1
  gives 0 retrofit -o new --folder=pool
  grep -q '<td>5 files: header tables lie outside' new/report.html
  grep -q '<td>usr/bin/broken: header tables lie outside' new/report.html
  jq -e '.packages[0].left_alone | length == 5' new/report.json
}

@test "what is done is not done again; new versions are" {
  make_package one 1
  make_package two 1
  retrofit -o new --folder=pool
  [ "$(n_calls)" -eq 2 ]
  cp -a new before
  gives 0 retrofit -o new --folder=pool
  [ "$(n_calls)" -eq 0 ]
  diff -r before/pool new/pool
  jq -e '.total | .converted == 2 and .run.packages == 0' new/report.json
  # Another level is no reason.
  retrofit -z 1 -o new --folder=pool
  [ "$(n_calls)" -eq 0 ]
  make_package two 2
  rm pool/two/two_1_*
  gives 0 retrofit -o new --folder=pool
  [ "$(n_calls)" -eq 1 ]
  [ "$(sed -n 's/^Version: //p' new/dists/sframe/main/binary-amd64/Packages)" \
    = "1A~sframe1
2A~sframe1" ]
  # The last version is there for those that have the last index.
  [ -e new/pool/t/two/two_1A~sframe1_amd64.deb ]
  local index
  index=$(sha256sum <before/dists/sframe/main/binary-amd64/Packages.xz)
  cmp before/dists/sframe/main/binary-amd64/Packages.xz \
    "new/dists/sframe/main/binary-amd64/by-hash/SHA256/${index%% *}"
  retrofit --prune -o new --folder=pool
  [ "$(n_calls)" -eq 0 ]
  [ ! -e new/pool/t/two/two_1A~sframe1_amd64.deb ]
  [ "$(ls new/.retrofit/done | wc -l)" -eq 2 ]
  # A package that got lost, or was cut off, is made again.
  rm new/pool/o/one/*.deb
  : >new/pool/t/two/two_2A~sframe1_amd64.deb
  retrofit -o new --folder=pool
  [ "$(n_calls)" -eq 2 ]
  apt update
  apt -s install one two
}

# A repository as it comes, to be converted: "original", suite "plain".
make_original ()
{
  needs apt-ftparchive
  local architecture packages
  mkdir -p original
  mv pool original/
  for architecture in amd64 i386; do
    packages=original/dists/plain/main/binary-$architecture
    mkdir -p $packages
    (cd original && apt-ftparchive -a $architecture packages pool) \
      | sed 's/^Package: one$/&\nPriority: required/' >$packages/Packages
  done
  release_original
}

release_original ()
{
  rm -f original/dists/plain/Release
  apt-ftparchive -o "APT::FTPArchive::Release::Architectures=amd64 i386" \
    -o APT::FTPArchive::Release::Components=main release original/dists/plain \
    >Release
  mv Release original/dists/plain/
  echo "deb [trusted=yes] file:$PWD/original plain main" >original.list
}

@test "from a repository: apt resolves, and says of what priority a package is" {
  make_package one 1:2.0-1 "Depends: two"
  make_package two 1 "Depends: three | four"
  make_package three 1 "Recommends: five"
  make_package four 1
  make_package five 1
  make_package six 1
  make_original
  gives 0 retrofit -o new --sources=original.list one
  [ "$(jq -r '.packages[].package' new/report.json | tr '\n' ' ')" \
    = "five one three two " ]
  sed -n '/^Package: one$/,/^$/p' new/dists/sframe/main/binary-amd64/Packages \
    | grep -q '^Priority: required'
  printf '# a list\nsix # the last\n' >names
  gives 0 retrofit -o new --no-recommends --sources=original.list --list=names two
  [ "$(n_calls)" -eq 1 ]
  [ "$(jq -r '.packages[].package' new/report.json | tr '\n' ' ')" \
    = "six three two " ]
  # What cannot be resolved changes nothing.
  cp -a new/dists before
  gives 1 retrofit -o new --sources=original.list seven
  [[ $stderr == *seven* ]] || report
  diff -r before new/dists
  # A package that is not what the index says it is.
  printf x >>original/pool/four/four_1_amd64.deb
  gives 1 retrofit -o new --sources=original.list four six
  [[ $stderr == *"the indexes stay as they were"* ]] || report
  diff -r before new/dists
}

@test "the indexes are signed by the key given" {
  needs gpg gpg-agent
  make_package one 1
  export GNUPGHOME=$BATS_TEST_TMPDIR/gpg
  mkdir -m 700 "$GNUPGHOME"
  gpg --batch --quiet --passphrase '' --quick-gen-key \
    'Test <nobody@localhost.invalid>' default default never 2>/dev/null 3>&-
  retrofit -o new --sign=nobody@localhost.invalid --folder=pool
  gpg --export >key.gpg
  trust=signed-by=$PWD/key.gpg
  apt update >log 2>&1 || { cat log; return 1; }
  gpg --verify new/dists/sframe/Release.gpg new/dists/sframe/Release
  # Without a key there is no old signature left beside new indexes.
  make_package two 1
  retrofit -o new --folder=pool
  [ "$(cd new/dists/sframe && echo [IR]*)" = Release ]
  # A key that is not there is told before anything is converted.
  gives 1 retrofit -o other --sign=unknown --folder=pool
  [[ $stderr == *": --sign=unknown: gpg: "* && ! -e other ]] || report
  gpgconf --kill all || true
}

@test "a program that is missing is told before anything is done" {
  needs_debian_module
  gives 1 capture env PATH=/nowhere "$debian_python" \
    "$srcdir/contrib/retrofit/sframe-retrofit-repo" --cfi2sframe="$CFI2SFRAME" \
    -o new --folder=pool
  [[ $stderr == *": apt-ftparchive not found (package apt-utils)" && ! -e new ]] \
    || report
}

@test "packages that name each other exactly are converted together" {
  make_package one 1 "Depends: two (= 1)"
  make_package two 1
  make_package three 1 "Depends: two (>= 1)"
  gives 0 retrofit -o new --folder=pool
  [ "$(n_calls)" -eq 3 ]
  [ "$(ls new/.retrofit/done | wc -l)" -eq 2 ]
  apt update
  apt -s install one three
  [ "$(jq -r '.packages[].new_version' new/report.json | sort -u)" \
    = 1A~sframe1 ]
}

# A library whose checksum is in another package, which does not name it.
make_checksum ()
{
  make_package text 1
  mkdir -p package-text/lib
  echo 0 >package-text/lib/.libcrypt.so.1.hmac
  make_package text 1
  make_package crypt 1
  mkdir -p package-crypt/usr/lib
  small_program package-crypt/usr/lib/libcrypt.so.1.0 -shared -fPIC \
    -Wl,-soname,libcrypt.so.1
  make_package crypt 1
}

# It counted among packages that name each other exactly, and not elsewhere.
@test "a checksum in any package of the run counts" {
  make_checksum
  mkdir -p later
  mv pool/text later/
  gives 0 retrofit -o new --folder=pool
  jq -e '.packages[0] | .package == "crypt" and .converted == 2' \
    new/report.json
  # It comes afterwards: then what was converted is made again.
  gives 0 retrofit -v -o new --folder=pool --folder=later
  [[ $stderr == *"usr/lib/libcrypt.so.1.0: note: skipped: .libcrypt.so.1.hmac has"* ]] || report
  jq -e '.packages[0] | .package == "crypt" and .converted == 1' \
    new/report.json
  retrofit -o new --folder=pool --folder=later
  [ "$(n_calls)" -eq 0 ]
  # A new version of the checksum is no reason, nor is another machine's part.
  echo 1 >package-text/lib/.libcrypt.so.1.hmac
  make_package text 2
  rm -r later && mv pool/text later
  retrofit -o new --folder=pool --folder=later
  [ "$(n_calls)" -eq 0 ]
  retrofit -o parts --folder=pool --folder=later --plan
  local part
  for part in 1/2 2/2 ; do
    cp -a parts "part-${part%/*}"
    gives 0 retrofit -o "part-${part%/*}" --part=$part
  done
  cp -a part-1/. part-2/. parts/
  diff new/pool/c/crypt parts/pool/c/crypt
}

@test "a checksum in any package of a repository counts" {
  make_checksum
  make_original
  gives 0 retrofit -o new --sources=original.list --plan text crypt
  [ "$(ls new/.retrofit/archives | wc -l)" -eq 2 ]
  gives 0 retrofit -o new
  [ -z "$(ls -A new/.retrofit/archives)" ]
  jq -e '.packages[0] | .package == "crypt" and .converted == 1' \
    new/report.json
}

@test "a package that is refused stays as it was, and so do those with it" {
  make_package one 1 "Depends: two (= 1)"
  make_package two 1
  make_package three 1
  # dpkg-deb and apt can read it, sframe-retrofit-deb cannot.
  ar x pool/two/two_1_amd64.deb data.tar.xz
  truncate -s 1000 data.tar.xz
  ar r pool/two/two_1_amd64.deb data.tar.xz 2>/dev/null
  gives 1 retrofit -o new --folder=pool
  jq -r '.packages[] | [.package, .new_version, .status] | @tsv' \
    new/report.json | tr '\t' ' ' | diff - <(cat <<'END'
one 1 refused
three 1A~sframe1 converted
two 1 refused
END
)
  cmp pool/two/two_1_amd64.deb new/pool/t/two/two_1_amd64.deb
  apt update
  apt -s install one three
  # It is tried again.
  make_package two 1
  gives 0 retrofit -o new --folder=pool
  [ "$(n_calls)" -eq 2 ]
  # What is not a package is named, and the others are there.
  echo text >pool/bad.deb
  gives 1 retrofit -o new --folder=pool
  [[ $stderr == *bad.deb* ]] || report
  [ "$(n_calls)" -eq 0 ]
  apt update
  apt -s install one three
}

# make_many N: many1 to manyN.
make_many ()
{
  local i
  for ((i = 1; i <= $1; i++)); do
    make_package "many$i" 1
  done
}

@test "two machines with a part each: the same files as from one" {
  make_many 5
  make_package many6 1 "Depends: many1 (= 1)"
  gives 0 retrofit -o one --folder=pool
  gives 0 retrofit -o new --folder=pool --plan
  [ "$(n_calls)" -eq 0 ]
  [ ! -e new/dists ]
  cp -a new other
  gives 0 retrofit -o new --part=1/2
  local first
  first=$(n_calls)
  [ "$first" -ge 2 ]
  retrofit -o other --part=2/2
  [ "$(n_calls)" -eq $((6 - first)) ]
  [ ! -e new/dists ]
  cp -a other/. new/
  gives 0 retrofit -o new
  [ "$(n_calls)" -eq 0 ]
  diff -r one/pool new/pool
  cmp one/dists/sframe/main/binary-amd64/Packages \
    new/dists/sframe/main/binary-amd64/Packages
}

@test "killed at any point, it goes on" {
  make_many 8
  retrofit -o whole --folder=pool
  # A slow converter, so that there is time to be killed in.
  mv spy quick-spy
  printf '#!/bin/sh\nsleep 0.3\nexec %q "$@"\n' "$PWD/quick-spy" >spy
  chmod +x spy
  local i before=0
  for i in 1 2 3; do
    setsid "$(program_file python3)" "$srcdir/contrib/retrofit/sframe-retrofit-repo" -j2 \
      --cfi2sframe="$PWD/spy" -o new --folder=pool >log 2>&1 3>&- &
    # When there is something new.
    within_a_minute eval '[ "$(find new/.retrofit/done -name "*.json" | wc -l)" -gt $before ]'
    kill -9 -- -$!
    wait $! || true
    [ ! -e new/dists ]
    before=$(find new/.retrofit/done -name '*.json' | wc -l)
  done
  mv quick-spy spy
  gives 0 retrofit -o new --folder=pool
  [ "$(n_calls)" -eq $((8 - before)) ]
  diff -r whole/pool new/pool
  [ -z "$(ls -A new/.retrofit/tmp)" ]
  apt update
}

@test "a signal ends it, and what it has started, and nothing stays" {
  make_many 2
  retrofit --plan -o new --folder=pool
  printf '#!/bin/sh\necho $$ >pid\nexec sleep 600\n' >spy
  "$(program_file python3)" "$srcdir/contrib/retrofit/sframe-retrofit-repo" \
    --cfi2sframe="$PWD/spy" -o new -j1 >log 2>&1 3>&- &
  within_a_minute test -s pid
  children+=("$(cat pid)")
  kill -TERM $!
  local status=0
  wait $! || status=$?
  [ "$status" -eq 143 ]
  run ! kill -0 "$(cat pid)"
  [ -z "$(cat log; ls -A new/.retrofit/tmp)" ] || { cat log; ls -A new/.retrofit/tmp; return 1; }
}

@test "a folder that somebody works in is not cleared away" {
  make_package one 1
  mkdir -p new/.retrofit/tmp/{used,abandoned}
  touch new/.retrofit/tmp/{used,abandoned}.lock
  flock -F new/.retrofit/tmp/used.lock sleep 600 3>&- &
  children+=("$!")
  within_a_minute eval '! flock -n new/.retrofit/tmp/used.lock true'
  gives 0 retrofit -o new --folder=pool
  [ "$(ls new/.retrofit/tmp | tr '\n' ' ')" = "used used.lock " ]
}

# Two apt-ftparchive with one database: packages were left out.
@test "two at the same time make the indexes one after the other" {
  make_package one 1
  retrofit -o new --folder=pool
  flock -F new/.retrofit/index.lock sleep 600 3>&- &
  local sleeper=$!
  children+=("$sleeper")
  within_a_minute eval '! flock -n new/.retrofit/index.lock true'
  rm -r new/dists
  run timeout 3 "$(program_file python3)" "$srcdir/contrib/retrofit/sframe-retrofit-repo" \
    --cfi2sframe="$PWD/spy" -o new
  [ "$status" -eq 124 ]
  [ ! -e new/dists ]
  kill $sleeper
  within_a_minute flock -n new/.retrofit/index.lock true
  gives 0 retrofit -o new
}

# Source: ../../../x was a folder outside the repository.
@test "no name from a package leads out of the repository" {
  make_package good 1
  local field i=0
  local fields=('Source: ../../../x' 'Source: /x' 'Source: a/../../../../x'
                'Source: ..' 'Source: x y' 'Section: x ../../../y'
                'Section: ../x' $'Priority: x\ty' 'Source: ../../../x (1)')
  for field in "${fields[@]}"; do
    make_package "evil$((++i))" 1 "$field"
  done
  find . >before
  gives 1 retrofit -o deep/new/repository --folder=pool
  i=0
  for field in "${fields[@]}"; do
    [[ $stderr == *"evil$((++i))_1_amd64.deb: invalid ${field%%:*}: "* ]] || report
  done
  # The other package is there, nothing is outside.
  (cd deep/new/repository/pool && find . -type f) >found
  [ "$(cat found)" = ./g/good/good_1A~sframe1_amd64.deb ]
  diff <(grep -vE '^\./(found|calls|spy|deep.*)$' before) \
    <(find . | grep -vE '^\./(found|calls|spy|deep.*)$')
}

# apt-ftparchive's database goes by size and second: it showed the first one.
# As if made now, however long the program takes to begin.
@test "a package replaced within a second by one of the same size is seen" {
  local section
  touch -d "1 minute" first.deb
  for section in abc cba; do
    make_package one 1 "Section: $section"
    dpkg-deb --root-owner-group -Znone -b package-one pool/one/one_1_amd64.deb \
      >/dev/null
    touch -r first.deb pool/one/one_1_amd64.deb
    stat -c '%s %Y' pool/one/one_1_amd64.deb >stat.$section
    gives 0 retrofit -o new --folder=pool
    grep -q "\"section\": \"$section\"" new/.retrofit/plan.json
  done
  cmp stat.abc stat.cba
}

@test "names are those of the index, or the package stays as it was" {
  make_package one 1
  make_package two 1
  make_original
  sed -i 's/^Package: two/Package: twin/' \
    original/dists/plain/main/binary-amd64/Packages
  release_original
  gives 1 retrofit -o new --sources=original.list one twin
  jq -r '.packages[] | [.package, .status] | @tsv' new/report.json | tr '\t' ' ' \
    | diff - <(printf '%s\n' "one converted" "twin refused")
  json_is repository whole <new/report.json
  jq -e '.packages[1].reason | test("names itself otherwise")' new/report.json
  cmp original/pool/two/two_1_amd64.deb new/pool/t/twin/twin_1_amd64.deb
}

# They were converted into one folder, where the second replaced the first.
@test "equal file names in several folders, in one group of packages" {
  make_package text 1 "Depends: one (= 1)"
  make_package one 1 "Source: text"
  mkdir -p pool/a pool/b
  mv pool/text/*.deb pool/a/package.deb
  mv pool/one/*.deb pool/b/package.deb
  gives 0 retrofit -o new --folder=pool
  pool_files | diff - <(printf './t/text/%s_1A~sframe1_amd64.deb\n' one text)
  apt update
  apt -s install text
  jq -r '.packages[].input' new/report.json \
    | diff - <(echo package.deb; echo package.deb)
  # Nothing is in them, so they are copied.
  rm package-one/usr/bin/one
  dpkg-deb --root-owner-group -b package-one pool/b/package.deb >/dev/null
  gives 0 retrofit -o copied --folder=pool
  pool_files copied | diff - <(printf './t/text/%s_1_amd64.deb\n' one text)
}

# Packages that are Multi-Arch: same can be installed together only in the same
# version: 1A~sframe1 for amd64 did not fit to 1 for i386.
@test "further architectures: what is Multi-Arch: same gets the same version" {
  needs fakeroot dpkg
  local name
  for name in libone libtwo tool; do
    make_package $name 1 "Multi-Arch: same"
    sed -i 's/^Architecture: .*/Architecture: i386/' "package-$name/DEBIAN/control"
    poke "package-$name/usr/bin/$name" 18 08 00
    mkdir -p "package-$name/usr/lib/i386"
    mv "package-$name/usr/bin/$name" "package-$name/usr/lib/i386"
    dpkg-deb --root-owner-group -b "package-$name" \
      "pool/$name/${name}_1_i386.deb" >/dev/null
  done
  make_package tool 1 "Depends: libone"
  rm pool/libtwo/libtwo_1_i386.deb
  make_original
  gives 0 retrofit -o new --architecture=amd64,i386 --sources=original.list tool libtwo
  pool_files | diff - <(printf './%s.deb\n' \
    libo/libone/libone_1A~sframe1_{amd64,i386} \
    libt/libtwo/libtwo_1A~sframe1_amd64 t/tool/tool_1A~sframe1_amd64)
  grep -q '^Filename: .*libone_1A~sframe1_i386.deb' \
    new/dists/sframe/main/binary-i386/Packages
  # dpkg has them side by side, and not with the original.
  mkdir -p root/var/lib/dpkg/{info,updates,triggers} root/var/log
  touch root/var/lib/dpkg/status
  export PATH=$PATH:/usr/sbin:/sbin
  dpkg --root="$PWD/root" --force-not-root --add-architecture i386
  fakeroot dpkg --root="$PWD/root" --force-not-root,bad-path -i \
    new/pool/libo/libone/*.deb
  run ! fakeroot dpkg --root="$PWD/root" --force-not-root,bad-path -i \
    original/pool/libone/libone_1_i386.deb
  # Only those of this machine, if nothing else is asked for.
  gives 0 retrofit -o other --sources=original.list tool libtwo
  [ -z "$(pool_files other | grep i386)" ]
}

@test "nothing is written over what was made in the same run" {
  # dpkg-name's names have no epochs.
  make_package one 1:1
  mv pool/one pool/first
  make_package one 2:1
  # What was converted before, beside what it was made of.
  make_package two 1
  mv pool/two pool/second
  make_package two 1A~sframe1
  gives 1 retrofit -o new --folder=pool
  [[ $stderr == *"one 2:1 amd64 would be written over one 1:1 amd64: left out"* ]] \
    || report
  [[ $stderr == *"two 1A~sframe1 amd64 would be written over two 1 amd64"* ]] \
    || report
  [ "$(dpkg-deb -f new/pool/o/one/one_1A~sframe1_amd64.deb Version)" \
    = 1:1A~sframe1 ]
  pool_files | diff - <(printf './%s_1A~sframe1_amd64.deb\n' o/one/one t/two/two)
}

@test "wrong usage" {
  make_package one 1
  local arguments
  for arguments in "" "-o new --part=0/2 one" "-o new --part=3/2 one" \
                   "-o new --part=x one" "-o new -j0 one" \
                   "-o new --architecture=../x one" \
                   "-o new --architecture=amd64, one" \
                   "-o new --suite=../x one" "-o new --suffix=1 one" \
                   "-o new --folder=pool one" "-o new --list=missing" \
                   "-o new pool/one/one_1_amd64.deb"; do
    # shellcheck disable=SC2086
    retrofit $arguments
    [ "$status" -eq 2 ] || { echo "$arguments"; report; }
  done
  [ ! -e new/dists ]
  # There is no plan.
  gives 1 retrofit -o new
  # Two packages that say they are the same.
  mkdir pool/other
  make_package one 1 "Section: x"
  cp pool/one/one_1_amd64.deb pool/other/
  make_package one 1
  gives 1 retrofit -o new --folder=pool
  [[ $stderr == *"different packages with the same name"* ]] || report
}

@test "--detached: sections beside packages that stay as they are" {
  make_package one 1:2.0-1 "Depends: libtwo (= 1)"
  make_package libtwo 1 "Source: libtoo (0.9)" "Section: libs"
  make_package text 3
  (cd pool && find . -type f -exec sha256sum {} + >../sums)
  gives 0 retrofit --detached -o new --folder=pool
  pool_files | diff - <(cat <<'END'
./libt/libtoo/libtwo-sframe_1_amd64.deb
./o/one/one-sframe_2.0-1_amd64.deb
END
)
  (cd pool && sha256sum --quiet -c ../sums)
  json_is repository whole <new/report.json
  jq -c '.packages[] | [.package, .status, .converted, .output == null]' \
    new/report.json | diff - <(cat <<'END'
["libtwo","detached",1,false]
["one","detached",1,false]
["text","nothing",0,true]
END
)
  apt update
  [ "$(apt-cache -c apt.conf show one-sframe | grep -E '^(Version|Section|Enhances):')" \
    = "$(printf 'Version: 1:2.0-1\nSection: debug\nEnhances: one')" ]
  # What is in it is what the converter makes.
  dpkg-deb -x new/pool/o/one/one-sframe_*.deb out
  "$CFI2SFRAME" -q --detached=store package-one/usr/bin/one
  diff -r store out/usr/lib/debug/.build-id
  # Again: nothing is done; a new version is, it alone.
  gives 0 retrofit --detached -o new --folder=pool
  [ "$(n_calls)" -eq 0 ]
  rm -r pool/one
  make_package one 1:2.0-2
  gives 0 retrofit --detached --prune -o new --folder=pool
  [ "$(n_calls)" -eq 1 ]
  [ "$(pool_files | tail -n 1)" = ./o/one/one-sframe_2.0-2_amd64.deb ]
  # Packages that are converted are another matter.
  gives 0 retrofit -o other --folder=pool
  [ "$(pool_files other | wc -l)" -eq 3 ]
}

@test "--detached: a package that fails has no sections, and is told" {
  make_package one 1
  make_package two 1
  : >calls
  printf '#!/bin/sh\nn=$(wc -l <%q)\necho >>%q\n[ "$n" -eq 0 ] || exit 2\nexec %q "$@"\n' \
    "$PWD/calls" "$PWD/calls" "$CFI2SFRAME" >spy
  chmod +x spy
  gives 1 retrofit --detached -j1 -o new --folder=pool
  [ "$(pool_files | wc -l)" -eq 1 ]
  [[ $stderr == *"exit status 2"* ]] || report
  json_is repository whole <new/report.json
  [ "$(jq -c '.total.status' new/report.json)" = '{"detached":1,"nothing":0,"refused":1}' ]
}

# Both are the manual's.
reprepro_run ()
{
  local recipe
  recipe=$(sed -n '/^@section Repositories kept by reprepro/,/^@section Repositories kept by aptly/p' \
    "$srcdir/doc/use/cfi2sframe.texi")
  mkdir -p repo/conf
  sed -n '/^Codename/,/^@end example/{ /^@end/d; p; }' <<<"$recipe" \
    >repo/conf/distributions
  gives 0 retrofit $(sed -n 's/^sframe-retrofit-repo \(.*\)POOL/\1pool/p' <<<"$recipe")
  run -0 bash -c "$(sed -n 's/@\([{}]\)/\1/g; s/^\(find .*reprepro.*\)/\1/p' <<<"$recipe")"
}

in_repo ()
{
  reprepro -b repo list sframe "$@" | sort
}

@test "reprepro keeps converted packages, and a second run converts what is new" {
  needs reprepro
  local i fields=("Section: utils" "Priority: required")
  for i in 1 2 3 4 5; do
    make_package "one$i" 1.0-1 "${fields[@]}"
  done
  make_package text 3 "${fields[@]}"
  # The original is there already, and is replaced.
  reprepro_run
  [ "$(n_calls)" -eq 5 ]
  [ "$(in_repo | wc -l)" -eq 6 ]
  [ "$(in_repo one3)" = "sframe|main|amd64: one3 1.0-1A~sframe1" ]
  # debootstrap goes by them.
  [ "$(grep -c -e "^Section: utils" -e "^Priority: required" \
         repo/dists/sframe/main/binary-amd64/Packages)" -eq 12 ]
  grep -q "^Valid-Until: " repo/dists/sframe/Release
  find repo/dists -name "Contents-amd64.gz" -exec gzip -dc {} + | grep "^usr/bin/one4[[:space:]]"
  reprepro -b repo gensnapshot sframe today
  # Two are new: they are converted, and no other one.
  rm pool/one2/* pool/one5/*
  make_package one2 1.0-2 "${fields[@]}"
  make_package one5 1.0-2 "${fields[@]}"
  reprepro_run
  [ "$(n_calls)" -eq 2 ]
  [ "$(in_repo | grep -c 1.0-2A~sframe1)" -eq 2 ]
  [ "$(in_repo | wc -l)" -eq 6 ]
  grep -q "one2_1.0-1A~sframe1" repo/dists/sframe/snapshots/today/main/binary-amd64/Packages
  # A third one has nothing to do.
  find repo/dists/sframe -maxdepth 1 -type f -exec sha256sum {} + >sums
  reprepro_run
  [ "$(n_calls)" -eq 0 ]
  sha256sum --quiet -c sums
}

# The manual's commands for a new state, $1.
aptly_state ()
{
  local recipe
  recipe=$(sed -n '/^for part in/,/^@end example/{ /^@end/d; s/@\([{}]\)/\1/g; s/POOL/pool/; p; }' \
             "$srcdir/doc/use/cfi2sframe.texi")
  [ "$recipe" ] || return 1
  : >calls
  day=$1 run -0 bash -e -c "$recipe"
}

# What apt would install, from the repository new.
installs ()
{
  apt update >&2
  apt --print-uris install -y "$@" | sed -n "s/^'\([^']*\)'.*/\1/p" | sed 's|.*/||; s/%7[eE]/~/'
}

@test "aptly keeps converted packages: components, architectures, sources, states" {
  needs aptly dpkg-source
  retrofit -V
  mkdir bin source source/debian source/debian/source
  printf '#!/bin/sh\nexec %q %q --cfi2sframe=%q "$@"\n' "$(program_file python3)" \
    "$srcdir/contrib/retrofit/sframe-retrofit-repo" "$PWD/spy" \
    >bin/sframe-retrofit-repo
  chmod +x bin/sframe-retrofit-repo
  export PATH=$PWD/bin:$PATH HOME=$PWD
  printf '{ "rootDir": "%s/aptly", "gpgDisableSign": true, "gpgDisableVerify": true }\n' \
    "$PWD" >.aptly.conf
  make_package one 1.0-1 "Section: utils" "Priority: required"
  sed -i 's/^Architecture: .*/Architecture: arm64/' package-one/DEBIAN/control
  dpkg-deb --root-owner-group -b package-one pool/one/one_1.0-1_arm64.deb
  make_package text 3 "Section: utils" "Priority: required"
  make_package two 1.0-1 "Section: utils" "Priority: optional"
  make_package other 1 "Section: contrib/utils" "Priority: optional"
  mkdir pool/main pool/contrib
  mv pool/one pool/two pool/text pool/main
  mv pool/other pool/contrib
  printf '%s\n' "Source: one" "Maintainer: N <n@localhost.invalid>" "" \
    "Package: one" "Architecture: any" "Description: test" >source/debian/control
  printf 'one (1.0-1) unstable; urgency=low\n\n  * Test.\n\n -- N <n@localhost.invalid>  Fri, 20 Nov 2026 00:00:00 +0000\n' \
    >source/debian/changelog
  echo "1.0" >source/debian/source/format
  (cd pool/main && dpkg-source -b ../../source)
  # Once.
  run -0 bash -e -c "$(sed -n '/^aptly repo create/p' "$srcdir/doc/use/cfi2sframe.texi")"
  aptly_state first
  [ "$(n_calls)" -eq 4 ]
  ln -s aptly/public new
  [ "$(installs one text)" = "one_1.0-1A~sframe1_amd64.deb
text_3_amd64.deb" ]
  grep -q "^Priority: required" new/dists/sframe/main/binary-arm64/Packages
  grep -qx "Package: other" new/dists/sframe/contrib/binary-amd64/Packages
  gzip -dc new/dists/sframe/main/Contents-amd64.gz | grep "^usr/bin/one[[:space:]]"
  # The converted package's source is the one that is there.
  gzip -dc new/dists/sframe/main/source/Sources.gz | grep -x "Version: 1.0-1"
  dpkg-deb -f converted/main/pool/o/one/one_*_amd64.deb Source | grep -x "one (1.0-1)"
  run ! grep -q "^Valid-Until" new/dists/sframe/Release
  # Another state: what is new is converted, what it replaces is not there.
  rm -r pool/main/two
  make_package two 1.0-2 "Section: utils" "Priority: optional"
  mv pool/two pool/main
  aptly_state second
  [ "$(n_calls)" -eq 1 ]
  [ "$(installs two)" = two_1.0-2A~sframe1_amd64.deb ]
  [ "$(grep -c "^Package: two" new/dists/sframe/main/binary-amd64/Packages)" -eq 1 ]
  grep -qx "Version: 1.0-1A~sframe1" new/dists/sframe/main/binary-arm64/Packages
  # And back.
  aptly publish switch -component=main,contrib sframe main-first contrib-first
  [ "$(installs two)" = two_1.0-1A~sframe1_amd64.deb ]
}
