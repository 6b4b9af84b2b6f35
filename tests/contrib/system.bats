#!/usr/bin/env bats
# sframe-system in a root of dpkg's, made here.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load programs

system ()
{
  capture program "$srcdir/contrib/system/sframe-system" \
    --cfi2sframe="$CFI2SFRAME" --root=root "$@"
}

# prints TEXT COMMAND...: it succeeds, and prints that.
prints ()
{
  gives 0 system "${@:2}"
  [ "$output" = "$1" ] || report
}

in_root ()
{
  PATH=$PATH:/usr/sbin:/sbin dpkg --root="$PWD/root" --force-not-root \
    --force-script-chrootless --force-depends "$@"
}

# package_folder NAME: two programs in package-NAME, one with a second name.
package_folder ()
{
  local name=$1 folder=package-$1
  rm -rf "$folder"
  mkdir -p "$folder/usr/bin" "$folder/usr/lib/$name"
  small_program
  cp small "$folder/usr/bin/$name"
  ln "$folder/usr/bin/$name" "$folder/usr/bin/$name-too"
  cp small "$folder/usr/lib/$name/helper"
}

# pack NAME VERSION [FIELD]...: what is in package-NAME, as NAME.deb.
pack ()
{
  local name=$1 version=$2 folder=package-$1
  mkdir -p "$folder/DEBIAN"
  (cd "$folder" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' \
     | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  make_deb "$name.deb" "$folder" "Package: $name" "Version: $version" \
    "Architecture: all" "${@:3}"
}

make_package ()
{
  package_folder "$1"
  echo "$2" >"package-$1/usr/lib/$1/text"
  pack "$1" "$2"
}

install_package ()
{
  in_root -i "$1.deb" >log 2>&1 || { cat log; return 1; }
}

# A root with the packages one and two.
new_root ()
{
  mkdir -p root/var/lib/dpkg/{info,updates,triggers}
  touch root/var/lib/dpkg/status
  local name
  for name in one two; do
    make_package $name 1
    install_package $name
  done
}

# That root here; made once for all tests.
make_root ()
{
  needs dpkg python3
  once new_root
}

clean ()
{
  run in_root --verify
  [ -z "$output" ] || { echo "$output"; return 1; }
}

@test "verify: what is excluded is not looked at" {
  make_root
  echo other >>root/usr/lib/one/text
  gives 1 system verify
  gives 0 system --exclude='*/one/text' verify
}

@test "status: a file that fails is a failure" {
  make_root
  # As if a file could not be read.
  cat >failing <<END
#!/bin/sh
"$CFI2SFRAME" "\$@" \\
  | sed '1s/"status":"converted","reason":null/"status":"failed","reason":"lost"/'
exit 1
END
  chmod +x failing
  gives 1 system --cfi2sframe="$PWD/failing" status
  says " 1 not: lost"
}

@test "convert, status, verify, undo" {
  make_root
  system status
  [ "${lines[0]}" = "4 programs and libraries, 0 of them converted" ] || report
  cp -a root before
  prints "4 files converted" convert
  [ -z "$stderr" ] || report
  [ root/usr/bin/one -ef root/usr/bin/one-too ]
  has_sframe root/usr/lib/two/helper
  [ "$(root/usr/bin/one)" = "$(./small)" ]
  prints "4 programs and libraries, 4 of them converted" status
  # dpkg sees them as changed; verify says that nothing else did it.
  run in_root --verify
  [ "${#lines[@]}" -eq 6 ] || { echo "$output"; return 1; }
  prints "8 files as packaged, 6 of them converted; 0 not" verify
  # Twice is as good as once.
  prints "0 files converted" convert
  prints "4 files restored" undo
  diff -r before root
  clean
  [ root/usr/bin/one -ef root/usr/bin/one-too ]
  [ "$(stat -c %Y root/usr/bin/one)" = "$(stat -c %Y before/usr/bin/one)" ]
}

@test "a file that cannot be read is told, and the run fails" {
  [ "$(id -u)" -ne 0 ] || needs setpriv
  make_root
  local public program=$CFI2SFRAME as_user=()
  public=$(mktemp -d /tmp/cfi2sframe-test.XXXXXX)
  cp -a root "$CFI2SFRAME" "$public"
  cp -r "$srcdir/contrib" "$public/contrib"
  chmod 0111 "$public/root/usr/lib/one/helper"
  if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$public/root"
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  fi
  chmod 755 "$public"
  # Its name as the messages have it.
  local hidden=$public/root/usr/lib/one/helper
  as_somebody ()
  {
    capture "${as_user[@]}" /usr/bin/python3 "$public/contrib/system/sframe-system" \
      --cfi2sframe="$public/${program##*/}" --root="$public/root" "$@"
  }
  gives 1 as_somebody status
  [ "${lines[0]}" = "3 programs and libraries, 0 of them converted" ] || report
  [ "$stderr" = "sframe-system: $hidden: Permission denied" ] || report
  gives 1 as_somebody convert
  [ "$output" = "3 files converted" ] || report
  [ "$stderr" = "sframe-system: $hidden: Permission denied" ] || report
  gives 0 as_somebody --exclude='*/one/helper' status
  [ -z "$stderr" ] || report
  rm -rf "$public"
}

@test "a call without a command says what is missing" {
  gives 2 capture python3 "$srcdir/contrib/system/sframe-system"
  [[ $stderr == "sframe-system: missing: COMMAND"$'\n'* ]] || report
}

@test "-n changes nothing" {
  make_root
  cp -a root before
  prints "4 files would be converted" -n convert
  diff -r before root
  prints "2 files converted" convert one
  rm -rf before
  cp -a root before
  prints "2 files would be restored" -n undo
  diff -r before root
}

@test "a package after the other, by name" {
  make_root
  prints "2 files converted" convert one
  run ! has_sframe root/usr/bin/two
  prints "4 files as packaged, 0 of them converted; 0 not" verify two
  gives 1 system convert three
  [[ $stderr == *"three is not installed" ]] || report
}

@test "verify tells changes of other origin, and convert leaves them alone" {
  make_root
  echo more >>root/usr/lib/one/text
  cp root/usr/bin/two own
  strip root/usr/bin/two
  prints "3 files converted
1 file left alone: changed by somebody" convert
  run ! has_sframe root/usr/bin/two
  "$CFI2SFRAME" root/usr/bin/two root/usr/bin/two-too
  printf x >>root/usr/bin/one
  rm root/usr/lib/two/helper
  strip root/usr/lib/one/helper
  gives 1 system verify
  printf '%s\n' "$output" | sort | diff - <(cat <<'END'
1 file as packaged, 0 of them converted; 7 not
??5??????   /usr/bin/one (changed, not by cfi2sframe alone)
??5??????   /usr/bin/one-too (changed, not by cfi2sframe alone)
??5??????   /usr/bin/two (converted, and was not as packaged before)
??5??????   /usr/bin/two-too (converted, and was not as packaged before)
??5??????   /usr/lib/one/helper (changed, not by cfi2sframe alone)
??5??????   /usr/lib/one/text (changed)
missing     /usr/lib/two/helper
END
)
}

@test "undo leaves alone what packages ship converted" {
  make_root
  package_folder shipped
  "$CFI2SFRAME" -r package-shipped
  echo text >package-shipped/usr/lib/shipped/text
  pack shipped 1
  install_package shipped
  cp -a root before
  prints "0 files restored" undo
  prints "0 files converted" convert shipped
  diff -r before root
  prints "12 files as packaged, 3 of them converted (3 by their packages); 0 not" verify
  prints "4 files converted" convert
  system status
  [ "${lines[0]}" = "6 programs and libraries, 6 of them converted (2 by their packages)" ] || report
  prints "4 files restored" undo
  diff -r before root
  clean
  # What is damaged is for the package manager.
  local offset
  read -r offset _ < <(section root/usr/bin/shipped .sframe)
  poke root/usr/bin/shipped $offset 00
  prints "0 files converted
1 file left alone: changed by somebody" convert shipped
  gives 0 system undo shipped
  [[ $output == "0 files restored"* ]] || report
  gives 1 system verify shipped
}

@test "after an upgrade to a package that ships converted files" {
  make_root
  system convert
  "$CFI2SFRAME" package-one/usr/bin/one package-one/usr/bin/one-too
  pack one 2
  install_package one
  prints "1 file converted" convert
  prints "3 files restored" undo
  clean
  has_sframe root/usr/bin/one
}

# It could not be given back as it was shipped.
@test "wrong SFrame data that a package ships is not made anew" {
  make_root
  local offset
  "$CFI2SFRAME" package-one/usr/lib/one/helper
  read -r offset _ < <(section package-one/usr/lib/one/helper .sframe)
  poke package-one/usr/lib/one/helper $offset 00
  pack one 2
  install_package one
  prints "3 files converted" convert
  gives 0 system verify
  prints "3 files restored" undo
  clean
}

@test "converted by hand: what is of a package is undone, nothing else is" {
  make_root
  mkdir -p root/usr/local/bin
  cp small root/usr/local/bin/own
  "$CFI2SFRAME" root/usr/bin/one root/usr/bin/one-too root/usr/local/bin/own
  strip root/usr/lib/two/helper
  "$CFI2SFRAME" root/usr/lib/two/helper
  prints "1 file restored
1 file left alone: changed by somebody" undo
  has_sframe root/usr/local/bin/own
  has_sframe root/usr/lib/two/helper
}

# dpkg would ask about them at the next upgrade.
@test "configuration files, and files without a checksum, stay as they are" {
  make_root
  package_folder conf
  mkdir package-conf/etc
  cp small package-conf/etc/conf
  mkdir package-conf/DEBIAN
  echo /etc/conf >package-conf/DEBIAN/conffiles
  pack conf 1
  sed -i /helper/d package-conf/DEBIAN/md5sums
  dpkg-deb --root-owner-group -b package-conf conf.deb >/dev/null
  install_package conf
  # dpkg itself makes a list for a package that has none.
  rm root/var/lib/dpkg/info/two.md5sums
  cp -a root before
  prints "3 files converted
4 files left alone: no checksum in the package" convert
  cmp before/etc/conf root/etc/conf
  diff -r before/usr/lib/two root/usr/lib/two
  gives 0 system undo
  diff -r before root
  "$CFI2SFRAME" root/etc/conf root/usr/bin/two root/usr/bin/two-too
  prints "0 files restored
2 files left alone: no checksum in the package" undo
  has_sframe root/etc/conf
  gives 0 system verify
}

@test "a name in /bin of a file in /usr/bin, and a file that changed hands" {
  make_root
  ln -s usr/bin root/bin
  mkdir -p package-merged/bin
  cp small package-merged/bin/merged
  pack merged 1
  install_package merged
  # Who had a file keeps its checksum of it.
  make_package one 2
  strip package-one/usr/lib/one/helper
  mkdir package-one/usr/lib/two
  mv package-one/usr/lib/one/helper package-one/usr/lib/two/helper
  pack one 2 "Replaces: two"
  install_package one
  gives 0 system verify
  cp -a root before
  prints "4 files converted" convert
  has_sframe root/usr/bin/merged
  gives 0 system verify
  prints "4 files restored" undo
  diff -r before root
}

@test "a package for two machines" {
  make_root
  local machine
  for machine in amd64 arm64; do
    package_folder both
    mkdir -p package-both/DEBIAN
    mv package-both/usr/bin/both-too package-both/usr/lib/both/too
    (cd package-both && md5sum usr/bin/* usr/lib/both/* >DEBIAN/md5sums)
    mv package-both/usr/lib/both "package-both/usr/lib/both-$machine"
    sed -i "s|lib/both|&-$machine|" package-both/DEBIAN/md5sums
    make_deb both.deb package-both "Package: both" "Version: 1" \
      "Architecture: $machine" "Multi-Arch: same"
    in_root --force-architecture -i both.deb >log 2>&1 || { cat log; return 1; }
  done
  [ -e root/var/lib/dpkg/info/both:arm64.md5sums ]
  prints "2 files converted" convert both:arm64
  gives 0 system verify
  prints "2 files restored" undo
  clean
}

# What rpm and pacman know is asked for in the same way.
other_system ()
{
  local kind=$1
  prints "5 programs and libraries, 2 of them converted (2 by their packages)
     1 not: no checksum in the package
     2 not: still to be converted" status
  prints "2 files converted
$2" convert
  has_sframe root/usr/bin/plain
  no_sframe root/etc/$kind.conf
  gives 0 system verify
  [[ $output == *"4 of them converted (2 by their packages); 0 not" ]] || report
  echo more >>root/usr/bin/plain
  gives 1 system verify plain
  [[ $output == *"/usr/bin/plain (changed, not by cfi2sframe alone)"* ]] || report
  truncate -s -5 root/usr/bin/plain
  prints "2 files restored" undo
  cmp small root/usr/bin/plain
  has_sframe root/usr/bin/shipped
  gives 1 system verify nothing
  [[ $stderr == *"nothing is not installed" ]] || report
}

other_files ()
{
  small_program
  mkdir -p files/plain/usr/bin files/plain/usr/lib files/plain/etc \
    files/shipped/usr/bin files/shipped/usr/lib
  cp small files/plain/usr/bin/plain
  cp small files/plain/usr/lib/plain.so
  cp small files/plain/etc/$1.conf
  cp small files/shipped/usr/bin/shipped
  cp small files/shipped/usr/lib/shipped.so
  "$CFI2SFRAME" -r files/shipped
}

@test "what rpm has installed" {
  needs rpm rpmbuild python3
  other_files rpm
  local name
  for name in plain shipped; do
    local config=
    [ $name = shipped ] || config='%config /etc/rpm.conf'
    cat >$name.spec <<EOF
Name: $name
Version: 1
Release: 1
Summary: test
License: none
BuildArch: noarch
%define debug_package %{nil}
%global __os_install_post %{nil}
%define _binaries_in_noarch_packages_terminate_build 0
%description
test
%install
cp -R $PWD/files/$name/. %{buildroot}
%files
/usr/bin/*
/usr/lib/*
$config
EOF
    rpmbuild -bb --define "_topdir $PWD/rpmbuild" \
      --define "_rpmdir $PWD" --define "_source_filedigest_algorithm 8" \
      $name.spec >log 2>&1 || { cat log; return 1; }
  done
  mkdir -p root/var/lib/rpm
  rpm --root "$PWD/root" --dbpath /var/lib/rpm --nodeps --noscripts \
    --force-debian -i noarch/*.rpm >log 2>&1 || true
  [ -e root/usr/bin/plain ] || { cat log; skip "rpm cannot install here"; }
  other_system rpm "1 file left alone: no checksum in the package"
}

@test "what pacman has installed" {
  needs python3
  other_files pacman
  local name algorithm
  mkdir -p root/var/lib/pacman/local
  echo 9 >root/var/lib/pacman/local/ALPM_DB_VERSION
  for name in plain shipped; do
    local place=root/var/lib/pacman/local/$name-1-1
    mkdir $place
    cp -R files/$name/. root
    printf '%%NAME%%\n%s\n\n%%VERSION%%\n1-1\n' $name >$place/desc
    (cd files/$name && printf '%%FILES%%\n' \
       && find . -mindepth 1 \( -type d -printf '%P/\n' -o -printf '%P\n' \)) \
      >$place/files
    [ $name = shipped ] \
      || printf '\n%%BACKUP%%\netc/pacman.conf\tx\n' >>$place/files
    algorithm=sha256
    [ $name = plain ] || algorithm=md5
    (cd files/$name && printf '#mtree\n/set type=file uid=0 gid=0 mode=644\n' \
       && find . -type f | while IFS= read -r file; do
         printf '%s time=1.0 size=1 %sdigest=%s\n' "$file" $algorithm \
           "$(${algorithm}sum <"$file" | cut -d' ' -f1)"
       done) | gzip >$place/mtree
  done
  touch root/var/lib/pacman/db.lck
  gives 1 system convert
  [[ $stderr == *"pacman, or a program that uses it, is running"* ]] || report
  rm root/var/lib/pacman/db.lck
  # dpkg is there, and has installed nothing.
  mkdir -p root/var/lib/dpkg
  touch root/var/lib/dpkg/status
  other_system pacman "1 file left alone: no checksum in the package"
  [ ! -e root/var/lib/pacman/db.lck ]
}

@test "an upgrade brings plain files, a removal takes all away" {
  make_root
  system convert
  make_package one 2
  install_package one
  in_root -r two >log 2>&1 || { cat log; return 1; }
  [ ! -e root/usr/lib/two ]
  system status
  [ "${lines[0]}" = "2 programs and libraries, 0 of them converted" ] || report
  clean
}

@test "never while dpkg runs, or was interrupted" {
  make_root
  cp -a root before
  nothing_happens ()
  {
    local command
    for command in convert undo; do
      gives 1 system $command
      [[ $stderr == *"$1"* ]] || report
    done
    diff -r before/usr root/usr
  }
  # Locked by somebody else.
  local lock
  for lock in lock-frontend lock; do
    python3 -c "
import fcntl, time
lock = open('root/var/lib/dpkg/$lock', 'ab')
fcntl.lockf(lock, fcntl.LOCK_EX)
open('locked', 'w').close()
time.sleep(600)" 3>&- &
    children+=("$!")
    within_a_minute test -e locked
    nothing_happens "is running"
    kill $!
    wait $! || true
    rm locked
  done
  # A journal is left.
  touch root/var/lib/dpkg/updates/0001
  nothing_happens "dpkg was interrupted"
  rm root/var/lib/dpkg/updates/0001
  # One is half installed, or wants to be installed again.
  local state
  for state in "install ok half-installed" \
               "install reinstreq unpacked"; do
    sed -i "/^Package: two/,/^\$/s/^Status: .*/Status: $state/" \
      root/var/lib/dpkg/status
    nothing_happens "two is half installed"
    # dpkg itself may call for the others.
    cp -a root again
    DPKG_RUNNING_VERSION=1 run python3 \
      "$srcdir/contrib/system/sframe-system" --cfi2sframe="$CFI2SFRAME" \
      --root=again convert --triggered
    [ "$output" = "2 files converted" ] || { echo "$output"; return 1; }
    has_sframe again/usr/bin/one
    run ! has_sframe again/usr/bin/two
    rm -rf again
  done
  # Not everybody may say that dpkg called.
  gives 1 system convert --triggered
}

@test "killed at any point: nothing is lost, and it goes on" {
  make_root
  local i name
  mkdir -p package-many/usr/lib/many
  for i in $(seq 60); do
    cp small package-many/usr/lib/many/$i
  done
  pack many 1
  install_package many
  for i in 0.15 0.25 0.3 0.4 0.5; do
    setsid python3 "$srcdir/contrib/system/sframe-system" -j1 \
      --cfi2sframe="$CFI2SFRAME" --root=root convert >/dev/null 2>&1 3>&- &
    sleep $i
    kill -9 -- -$! 2>/dev/null || true
    wait $! || true
    gives 0 system verify
  done
  # What was in the making then is removed when it is old, whatever its time
  # of modification, which is that of the file it was to be.
  touch -d 2020-01-01 root/usr/lib/many/.cfi2sframe-abcdef
  touch root/usr/bin/.cfi2sframe-abcdefg
  gives 0 system convert
  [ -e root/usr/lib/many/.cfi2sframe-abcdef ]
  sleep 1.1
  sed 's/^ABANDONED = .*/ABANDONED = 1/' \
    "$srcdir/contrib/system/sframe-system" >impatient
  PYTHONPATH=$srcdir/contrib/retrofit run python3 impatient --cfi2sframe="$CFI2SFRAME" --root=root convert
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [ ! -e root/usr/lib/many/.cfi2sframe-abcdef ]
  [ -e root/usr/bin/.cfi2sframe-abcdefg ]
  system status
  # Killed between two names of a file, these are two files afterwards.
  local n=64
  for name in one two; do
    [ root/usr/bin/$name -ef root/usr/bin/$name-too ] || n=$((n + 1))
  done
  [ "$output" = "$n programs and libraries, $n of them converted" ] || report
  system undo
  clean
}

@test "links lead nowhere out of the root" {
  make_root
  mkdir outside
  cp small outside/one
  mv root/usr/bin root/usr/sbin
  ln -s "$PWD/outside" root/usr/bin
  prints "2 files converted" convert
  run ! has_sframe outside/one
  # The same name inside is what a program would find there.
  mkdir -p "root$PWD"
  mv root/usr/sbin "root$PWD/outside"
  prints "2 files converted" convert
  has_sframe "root$PWD/outside/one"
  run ! has_sframe outside/one
  # Round and round.
  rm root/usr/bin
  ln -s bin root/usr/bin
  prints "2 files restored" undo
  gives 1 system verify one
  [[ $output == *"/usr/bin/one (Too many levels of symbolic links)"* ]] || report
}

@test "diverted files, files with a checksum beside them, excluded ones" {
  make_root
  cp small other
  mv root/usr/bin/one root/usr/bin/one.distrib
  echo "local" >root/usr/bin/one
  printf '%s\n' /usr/bin/one /usr/bin/one.distrib : \
    >root/var/lib/dpkg/diversions
  touch root/usr/lib/two/.helper.hmac
  mv root/usr/lib/one/helper root/usr/lib/one/fips.so
  touch root/usr/lib/one/fipsmodule.cnf
  sed -i 's|one/helper|one/fips.so|' root/var/lib/dpkg/info/one.*
  gives 0 system --exclude='*/two-too' --exclude=/usr/bin/two convert
  has_sframe root/usr/bin/one.distrib
  [[ $stderr == *"/usr/lib/one/fips.so: left out: fipsmodule.cnf has a checksum of it"* ]] || report
  [[ $stderr == *"/usr/lib/two/helper: left out: .helper.hmac has"* ]] || report
  run ! has_sframe root/usr/lib/one/fips.so
  run ! has_sframe root/usr/lib/two/helper
  run ! has_sframe root/usr/bin/two
  gives 0 system verify
  system status
  [[ $output == *"2 not: something has a checksum of it"* ]] || report
}

@test "the locks outlive a parent that is killed while cfi2sframe works" {
  make_root
  cat >slow <<'EOF'
#!/bin/sh
case " $* " in *" -n "*) exec "$CFI2SFRAME" "$@" ;; esac # writes nothing
echo $$ >started
while [ ! -e go ]; do sleep 0.1; done
"$CFI2SFRAME" "$@"
EOF
  chmod +x slow
  python3 "$srcdir/contrib/system/sframe-system" --cfi2sframe="$PWD/slow" \
    --root=root convert >/dev/null 2>&1 3>&- &
  within_a_minute test -s started
  children+=("$(cat started)")
  kill -9 $!
  wait $! || true
  gives 1 system convert
  [[ $stderr == *"is running"* ]] || report
  run in_root -i one.deb
  [ "$status" -ne 0 ]
  [[ $output == *"locked"* ]] || { echo "$output"; return 1; }
  touch go
  within_a_minute has_ended "$(cat started)"
  gives 0 system convert
  install_package one
}

# Python's splitlines takes all of these for ends of lines.
@test "names with characters that end lines elsewhere, or are not UTF-8" {
  make_root
  local names=($'line\u2028end' $'next\xc2\x85line' $'tab\vulator' $'cr\rcr'
               $'invalid\xff' ' : restored' ': restored')
  local name folder=package-names
  mkdir -p $folder/DEBIAN $folder/usr/lib/names
  for name in "${names[@]}"; do
    cp small "$folder/usr/lib/names/$name"
  done
  sed 's/^Package: .*/Package: names/' package-one/DEBIAN/control \
    >$folder/DEBIAN/control
  (cd $folder && find usr -type f -print0 | while IFS= read -r -d '' name; do
     printf '%s  %s\n' "$(md5sum <"$name" | cut -c 1-32)" "$name"
   done >DEBIAN/md5sums)
  dpkg-deb --root-owner-group -b $folder names.deb >/dev/null
  install_package names
  cp -a root before
  gives 0 system -v convert names
  [ "${#lines[@]}" -eq 8 ] || report
  [ "${lines[7]}" = "7 files converted" ] || report
  for name in "${names[@]}"; do
    has_sframe "root/usr/lib/names/$name"
  done
  prints "7 programs and libraries, 7 of them converted" status names
  prints "7 files as packaged, 7 of them converted; 0 not" verify names
  prints "7 files would be restored" -n undo names
  system -v undo names
  [ "${#lines[@]}" -eq 8 ] || report
  [ "${lines[7]}" = "7 files restored" ] || report
  diff -r before root
}

@test "verify reads no file outside of the root, and waits for none" {
  make_root
  mkdir outside
  cp root/usr/lib/one/text outside/text
  ln -sf "$PWD/outside/text" root/usr/lib/one/text
  cp root/usr/lib/two/text root/usr/lib/two/other
  ln -sf /usr/lib/two/other root/usr/lib/two/text
  mv root/usr/lib/one/helper root/usr/lib/helper
  ln -s ../helper root/usr/lib/one/helper
  rm root/usr/bin/two
  mkfifo root/usr/bin/two
  gives 1 capture timeout 60 python3 \
    "$srcdir/contrib/system/sframe-system" --cfi2sframe="$CFI2SFRAME" \
    --root=root verify
  printf '%s\n' "$output" | sort | diff - <(cat <<'EOF'
6 files as packaged, 0 of them converted; 2 not
?????????   /usr/bin/two (no regular file)
missing     /usr/lib/one/text
EOF
)
}

@test "what is named like a temporary file, or is one in use, is left alone" {
  make_root
  mkdir root/usr/bin/.cfi2sframe-abcdef
  sed 's/^ABANDONED = .*/ABANDONED = -1/' \
    "$srcdir/contrib/system/sframe-system" >impatient
  touch root/usr/bin/.cfi2sframe-ghijkl root/usr/bin/.cfi2sframe-mnopqr
  ln -s nowhere root/usr/bin/.cfi2sframe-stuvwx
  exec 9<root/usr/bin/.cfi2sframe-mnopqr
  flock -s 9 # as a conversion has it that is stopped
  PYTHONPATH=$srcdir/contrib/retrofit run python3 impatient --cfi2sframe="$CFI2SFRAME" --root=root convert
  exec 9<&-
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [ "$output" = "4 files converted" ] || { echo "$output"; return 1; }
  [ -d root/usr/bin/.cfi2sframe-abcdef ]
  [ ! -e root/usr/bin/.cfi2sframe-ghijkl ]
  [ -e root/usr/bin/.cfi2sframe-mnopqr ]
  [ -L root/usr/bin/.cfi2sframe-stuvwx ]
}

@test "an .sframe that is wrong is made anew" {
  make_root
  system convert
  local offset good
  good=$(checksum root/usr/bin/two)
  read -r offset _ < <(section root/usr/bin/two .sframe)
  poke root/usr/bin/two $offset 00
  system status
  [[ $output == *"4 of them converted"* ]] || report
  prints "1 file converted" convert
  [ "$(checksum root/usr/bin/two)" = "$good" ]
  # Whoever wants it otherwise says so.
  poke root/usr/bin/two $offset 00
  prints "0 files converted" convert -- --replace=no
}

# The package with the trigger, as debhelper would make it.
make_trigger_package ()
{
  local folder=package-sframe-system-trigger
  mkdir -p $folder/DEBIAN $folder/etc/default
  cp "$srcdir/debian/sframe-system-trigger.triggers" $folder/DEBIAN/triggers
  grep -v '#DEBHELPER#' "$srcdir/debian/sframe-system-trigger.postinst" \
    >$folder/DEBIAN/postinst
  chmod 755 $folder/DEBIAN/postinst
  cp "$srcdir/debian/sframe-system-trigger.default" \
    $folder/etc/default/sframe-system-trigger
  echo /etc/default/sframe-system-trigger >$folder/DEBIAN/conffiles
  pack sframe-system-trigger 1
  mkdir -p bin
  ln -sf "$CFI2SFRAME" bin/cfi2sframe
  ln -sf "$srcdir/contrib/system/sframe-system" bin/
  PATH=$PWD/bin:$PATH
}

@test "the trigger: off by default; on, it converts what is installed" {
  make_root
  make_trigger_package
  install_package sframe-system-trigger
  make_package one 2
  install_package one
  run ! has_sframe root/usr/bin/one
  sed -i 's/^CONVERT=.*/CONVERT=yes/' root/etc/default/sframe-system-trigger
  sed -i "s|^OPTIONS=.*|OPTIONS=\"--exclude='/usr/lib/two/*'\"|" \
    root/etc/default/sframe-system-trigger
  make_package one 3
  install_package one
  has_sframe root/usr/bin/one
  has_sframe root/usr/bin/two
  run ! has_sframe root/usr/lib/two/helper
  # Whatever goes wrong, dpkg does not fail.
  printf '#!/bin/sh\nexit 1\n' >fails
  chmod +x fails
  ln -sf "$PWD/fails" bin/sframe-system
  make_package one 4
  install_package one
  grep -q "not all files were converted" log
  echo 'OPTIONS="' >>root/etc/default/sframe-system-trigger
  make_package one 5
  install_package one
  grep -q "not all files were converted" log
  [[ $(in_root -s one) == *"Status: install ok installed"* ]]
}
