#!/usr/bin/env bats
# sframe-retrofit-deb on packages made here: what changes and what must not.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers
load programs

# With Debian's Python, which has Debian's modules.
retrofit ()
{
  needs_debian_module
  capture program \
    "$srcdir/contrib/retrofit/sframe-retrofit-deb" "$@"
}

# make_package NAME [COMPRESSION [DEPENDENCY]]: a package with everything that could
# get lost: a program with a second name, a link to it, odd modes, a configuration
# file, maintainer scripts.  Its files are below root-NAME.
make_package ()
{
  needs dpkg-deb python3
  rm -rf "root-$1"
  once package "$@"
}

package ()
{
  local root=root-$1 name=$1 compression=${2:-xz}
  mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/etc" "$root/usr/share/doc/$1"
  small_program
  cp small "$root/usr/bin/$name"
  ln "$root/usr/bin/$name" "$root/usr/bin/$name-too"
  ln -s "$name" "$root/usr/bin/$name-link"
  chmod 4755 "$root/usr/bin/$name"
  echo "setting = 1" >"$root/etc/$name.conf"
  chmod 640 "$root/etc/$name.conf"
  echo "a file with spaces" >"$root/usr/share/doc/$name/a b"
  echo "/etc/$name.conf" >"$root/DEBIAN/conffiles"
  printf '#!/bin/sh\nexit 0\n' >"$root/DEBIAN/postinst"
  chmod 755 "$root/DEBIAN/postinst"
  (cd "$root" && find usr -type f -print0 | sort -z \
     | xargs -0 md5sum >DEBIAN/md5sums)
  cat >"$root/DEBIAN/control" <<END
Package: $name
Version: 1:2.0-1
Architecture: amd64
Maintainer: Nobody <nobody@localhost.invalid>
Installed-Size: 100
Depends: libc6, ${3:-base-files}
Description: test package
 Version: not a field
END
  dpkg-deb --root-owner-group -Z"$compression" -z1 -b "$root" \
    "${name}_2.0-1_amd64.deb" >/dev/null
}

# repack NAME [ARCHITECTURE]: after changes below root-NAME.
repack ()
{
  sed -i "s/^Architecture: .*/Architecture: ${2-amd64}/" "root-$1/DEBIAN/control"
  (cd "root-$1" && find usr -type f -print0 | sort -z \
     | xargs -0 md5sum >DEBIAN/md5sums)
  dpkg-deb --root-owner-group -z1 -b "root-$1" "$1_2.0-1_${2-amd64}.deb" >/dev/null
}

# Member list without sizes (they change).
listing ()
{
  dpkg-deb --fsys-tarfile "$1" | tar tv --full-time --numeric-owner \
    | awk '{ $3 = ""; print }'
}

@test "programs are converted; all else stays" {
  make_package one
  gives 0 retrofit -o new one_2.0-1_amd64.deb
  silent
  local deb=new/one_2.0-1A~sframe1_amd64.deb
  [ "$(ls new)" = "${deb#new/}" ]
  diff <(listing one_2.0-1_amd64.deb) <(listing $deb)

  dpkg-deb -x $deb x
  has_sframe x/usr/bin/one
  [ "$(x/usr/bin/one)" = "$(./small)" ]
  [ x/usr/bin/one -ef x/usr/bin/one-too ]
  (cd x && dpkg-deb --ctrl-tarfile ../$deb | tar xO ./md5sums \
     | md5sum -c --quiet)

  # The control archive: only control and md5sums differ.
  dpkg-deb -e one_2.0-1_amd64.deb old-control
  dpkg-deb -e $deb new-control
  run diff -rq old-control new-control
  [ "$output" = "Files old-control/control and new-control/control differ
Files old-control/md5sums and new-control/md5sums differ" ]
  diff old-control/control new-control/control >changes || true
  grep -qx '> Version: 1:2.0-1A~sframe1' changes
  grep -qx '> Source: one (1:2.0-1)' changes
  grep -qE '^> Installed-Size: 10[1-9]$' changes
  grep -qx '> Provides: one (= 1:2.0-1)' changes
  [ "$(grep -c '^>' changes)" -eq 4 ]
}

@test "debug files in a -dbgsym package follow" {
  needs gdb objcopy
  make_package one
  local id debug
  small_program small -g -Wl,--build-id
  id=$(build_id_of small)
  debug=usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
  mkdir -p "root-dbg/${debug%/*}" root-dbg/DEBIAN
  objcopy --only-keep-debug small "root-dbg/$debug"
  objcopy --strip-all small root-one/usr/bin/one
  (cd root-one && sed -i '\,  usr/bin/one$,d' DEBIAN/md5sums \
    && md5sum usr/bin/one >>DEBIAN/md5sums)
  dpkg-deb --root-owner-group -b root-one one_2.0-1_amd64.deb >/dev/null
  (cd root-dbg && md5sum "$debug" >DEBIAN/md5sums)
  sed 's/^Package: one/&-dbgsym/; s/^Depends: .*/Depends: one (= 1:2.0-1)/' \
    root-one/DEBIAN/control >root-dbg/DEBIAN/control
  dpkg-deb --root-owner-group -b root-dbg one-dbgsym_2.0-1_amd64.deb >/dev/null

  # The order does not matter.
  gives 0 retrofit -o new one-dbgsym_2.0-1_amd64.deb one_2.0-1_amd64.deb
  silent
  for deb in new/*.deb; do
    dpkg-deb -x "$deb" x
    dpkg-deb -e "$deb" control
    (cd x && md5sum -c --quiet ../control/md5sums)
  done
  gdb -nx -batch -iex "set debug-file-directory $PWD/x/usr/lib/debug" \
    -ex "info line leaf" x/usr/bin/one >said 2>&1
  grep '^Line .*<leaf>' said
  grep -i warning said && return 1

  # Without it there is nothing to follow.
  gives 0 retrofit -o alone one-dbgsym_2.0-1_amd64.deb
  cmp alone/one-dbgsym_2.0-1_amd64.deb one-dbgsym_2.0-1_amd64.deb
}

@test "a package of the installer stays a .udeb" {
  make_package one
  mv one_2.0-1_amd64.deb one_2.0-1_amd64.udeb
  gives 0 retrofit -o new one_2.0-1_amd64.udeb
  [ "$(ls new)" = one_2.0-1A~sframe1_amd64.udeb ]
}

@test "every kind of compression is kept" {
  needs zstd
  for kind in gzip xz zstd none; do
    make_package one $kind
    gives 0 retrofit -o new-$kind one_2.0-1_amd64.deb
    diff <(ar t one_2.0-1_amd64.deb) <(ar t new-$kind/*.deb)
    dpkg-deb -x new-$kind/*.deb x-$kind
    has_sframe x-$kind/usr/bin/one
    rm -rf root-one
  done
}

@test "the same input gives the same output" {
  make_package one
  retrofit -o a one_2.0-1_amd64.deb
  sleep 1
  retrofit -o b one_2.0-1_amd64.deb
  cmp a/*.deb b/*.deb
}

@test "exact relations between packages of one call follow" {
  make_package one
  make_package two xz "one (= 1:2.0-1), three (= 1:2.0-1)"
  gives 0 retrofit -o new one_2.0-1_amd64.deb two_2.0-1_amd64.deb
  [ "$(dpkg-deb -f new/two_*.deb Depends)" = \
    "libc6, one (= 1:2.0-1A~sframe1), three (= 1:2.0-1)" ]
}

@test "a package without machine code is copied" {
  make_package one
  rm -rf root-one/usr/bin
  sed -i 's/amd64/all/' root-one/DEBIAN/control
  (cd root-one && find usr -type f -print0 | xargs -0 md5sum >DEBIAN/md5sums)
  dpkg-deb --root-owner-group -b root-one one_all.deb >/dev/null
  gives 0 retrofit -o new one_all.deb
  cmp one_all.deb new/one_all.deb
}

@test "--list says what would happen and writes nothing" {
  make_package one
  gives 0 retrofit --list one_2.0-1_amd64.deb
  [[ $output == *"usr/bin/one: would be converted"* ]] || report
  [ ! -e new ]
}

@test "--report to what is no file, as /dev/stdout: nothing takes its place" {
  make_package one
  mkfifo pipe
  ln -s target link
  cat pipe >got &
  gives 0 retrofit -o new --report=pipe one_2.0-1_amd64.deb
  wait $!
  [ -p pipe ]
  json_is package <got
  gives 0 retrofit -o again --report=link one_2.0-1_amd64.deb
  [ -L link ]
  json_is package <target
  gives 0 retrofit -o third --report=/dev/stdout one_2.0-1_amd64.deb
  json_is package <<<"$output"
}

@test "--report says what became of each package" {
  needs jq
  make_package one
  head -c 100 small >root-one/usr/bin/broken
  repack one
  make_package two xz "one (= 1:2.0-1)"
  rm -rf root-two/usr/bin
  repack two
  make_package three
  rm -rf root-three/usr/bin
  repack three
  echo text >text.deb
  gives 1 retrofit -o new --report=report ./*.deb
  jq -r '[.status, .package // .input, .new_version // .reason,
          .elf_files // "-", .converted // "-", .output // "-"] | @tsv' report \
    | tr '\t' ' ' | diff - <(cat <<'END'
converted one 1:2.0-1A~sframe1 2 1 new/one_2.0-1A~sframe1_amd64.deb
copied three 1:2.0-1 0 0 new/three_2.0-1_amd64.deb
renamed two 1:2.0-1A~sframe1 0 0 new/two_2.0-1A~sframe1_amd64.deb
refused ./text.deb not a Debian package - - -
END
)
  grep -v refused report | json_is package
  grep refused report | json_is package_refused
  # What it says of the code is what the converter says of the file.
  "$CFI2SFRAME" --stats=json small >stats
  jq -s '.[0] as $stats | .[1] as $one
         | ["cfi_functions", "bytes_covered", "bytes_left_out", "sframe_bytes"]
         | all(.[]; $stats[.] == $one[.])
           and $one.bytes_covered > 0' stats report | grep -qx true
  head -n 1 report | jq -e '
    (.left_alone | keys) == ["usr/bin/broken"]
    and .input_bytes == '"$(stat -c %s one_2.0-1_amd64.deb)"'
    and .output_bytes == '"$(stat -c %s new/one_*.deb)"'
    and .seconds.compress > 0'
}

@test "options behind -- go to cfi2sframe" {
  make_package one
  retrofit -o new one_2.0-1_amd64.deb -- --format=2
  dpkg-deb -x new/*.deb x
  [ "$(version_of x/usr/bin/one)" = 2 ]
}

@test "converted packages, damaged ones and other files are refused" {
  make_package one
  retrofit -o new one_2.0-1_amd64.deb
  gives 1 retrofit -o again new/*.deb
  [[ $stderr == *"converted before"* ]] || report
  [ -z "$(ls again)" ]
  echo text >text.deb
  gives 1 retrofit -o again text.deb
  [[ $stderr == *"not a Debian package"* ]] || report
  local size
  for size in 8 60 100 200 400 1000 2000; do
    head -c $size one_2.0-1_amd64.deb >cut-$size.deb
  done
  gives 1 retrofit -o again cut-*.deb
  refuses_each sframe-retrofit-deb cut-*.deb
  [ -z "$(ls again)" ]
}

@test "a file in a package that cannot be converted is a note, the others are converted" {
  make_package one
  head -c 100 small >root-one/usr/bin/broken
  repack one
  gives 0 retrofit -o new one_2.0-1_amd64.deb
  [[ $stderr == *"one_2.0-1_amd64.deb: note: usr/bin/broken: damaged"* ]] || report
  [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
  dpkg-deb -x new/*.deb x
  cmp root-one/usr/bin/broken x/usr/bin/broken
  has_sframe x/usr/bin/one
  # With the switch it is a failure; the others are converted all the same.
  gives 1 retrofit -o strict one_2.0-1_amd64.deb -- --skip-unconvertible=no
  [[ $stderr == *": usr/bin/broken: "* ]] || report
  cmp new/*.deb strict/*.deb
}

# A program for a machine that SFrame does not know: MIPS (8).
make_foreign_package ()
{
  make_package "$1" xz "${2-}"
  poke "root-$1/usr/bin/$1" 18 08 00
  repack "$1" "${3-amd64}"
}

# libc6-i386 has 260 such files.  It was packed anew, with a new version, and
# the exit status was 1.
@test "a package in which nothing was converted is left as it is" {
  make_foreign_package one
  touch -d 2020-01-01 one_2.0-1_amd64.deb
  gives 0 retrofit -v -o new one_2.0-1_amd64.deb
  [[ $output == *"nothing to convert: copied" ]] || report
  [[ $stderr == *"note: usr/bin/one: not for SFrame"* ]] || report
  cmp one_2.0-1_amd64.deb new/one_2.0-1_amd64.deb
  [ "$(stat -c %Y new/*.deb)" -eq "$(date -d 2020-01-01 +%s)" ]
  [ "$(ls -A new)" = one_2.0-1_amd64.deb ]
}

@test "objects are not unpacked, unless they are to be converted" {
  make_package one
  "${CC:-cc}" -c small.c -o root-one/usr/bin/object.o
  rm root-one/usr/bin/one*
  repack one
  gives 0 retrofit --list one_2.0-1_amd64.deb
  [[ $output == *"object.o: skipped (relocatable object)" ]] || report
  gives 0 retrofit -o new one_2.0-1_amd64.deb --cfi2sframe=false
  gives 0 retrofit -o new one_2.0-1_amd64.deb -- --relocatable
  [ -f new/one_2.0-1A~sframe1_amd64.deb ]
}

# 5.2.15-2+sframe1 was newer than the security update 5.2.15-2+deb12u1.
@test "the suffix is above the version and below every later one" {
  needs dpkg-buildpackage perl
  needs_debian_module
  local suffix version later
  suffix=$(PYTHONPATH=$srcdir/contrib/retrofit PYTHONDONTWRITEBYTECODE=1 \
    "$(program_file python3)" -c 'from sframe_retrofit import debian; print(debian.SUFFIX.default)')
  # Two versions to a line, the lower one first.
  {
    for version in 5.2.15-2 1:2.39.5-0 2.36-9+deb12u14 1.0-1+b1 1.0-1ubuntu0.1 \
                   1.0-1~bpo12+1 1.0 2023c 1.0+dfsg-1 1.0-1build1 1.0-1.1 \
                   1.0-1+nmu1 1.0-1+rpi1 2:1.0~rc2-1 1.0-1+deb13u1~deb12u1 \
                   20230311 1.0-1+b10 0~20210106-1 5.15.0-91.101~20.04.1; do
      echo "$version $version$suffix"
      for later in +deb12u1 +deb12u1+b1 +b1 +b2 ubuntu0.1 ubuntu1 \
                   ubuntu0.22.04.1 build1 build2 .1 .2 +nmu1 +dfsg +dfsg1 +ds1 \
                   +really1 +git20240101 +bpo12+1 +rpi1 +esm1 +lts1 +apertis1 \
                   +pve1 +kali1 +zentyal1 a b z; do
        echo "$version$suffix $version$later"
      done
    done
    # The next upstream version, the next revision, the backport's original, a
    # second conversion.
    cat <<END
1.0-1$suffix 1.0-2
1.0-1$suffix 1.0-10
1.0-9$suffix 1.0-10
1.0-1$suffix 1.0.1-1
1.0-1~bpo12+1$suffix 1.0-1
1.0-1~bpo12+1$suffix 1.0-1~bpo12+2
1.0-1~deb12u1$suffix 1.0-1
1.0-1+b1$suffix 1.0-1+b2
1.0-1$suffix 1.0-1${suffix%1}2
END
  } >pairs
  [ "$(wc -l <pairs)" -gt 500 ]
  # All in one process: dpkg itself takes two versions in one call.
  perl -MDpkg::Version -lane \
    'next if version_compare ($F[0], $F[1]) < 0; print; $wrong = 1; END { exit $wrong // 0 }' \
    pairs
}

@test "a version that ends in a letter: the suffix stays below a digit" {
  make_package one
  sed -i 's/^Version: .*/Version: 1.0rc/' root-one/DEBIAN/control
  repack one
  retrofit -o new one_2.0-1_amd64.deb
  local version
  version=$(dpkg-deb -f new/*.deb Version)
  dpkg --compare-versions 1.0rc lt "$version"
  for later in 1.0rc1 1.0rc+b1 1.0rca; do
    dpkg --compare-versions "$version" lt $later || { echo "$version"; return 1; }
  done
  # Suffixes that would change the version itself, or sort below it.
  for suffix in 1 ~x "" "a b"; do
    gives 2 retrofit -o new --suffix="$suffix" one_2.0-1_amd64.deb
  done
}

@test "two versions of one source in one call" {
  local version
  for version in 1.0-1 1.0-2; do
    make_package one
    make_package two xz "one (= $version)"
    sed -i "s/^Version: .*/Version: $version/" root-*/DEBIAN/control
    for name in one two; do
      repack $name
      mv ${name}_2.0-1_amd64.deb ${name}_${version}_amd64.deb
    done
  done
  gives 0 retrofit -o new ./*_1.0-*.deb
  [ "$(ls new | wc -l)" -eq 4 ]
  for version in 1.0-1 1.0-2; do
    [ "$(dpkg-deb -f new/two_${version}A~*.deb Depends)" \
      = "libc6, one (= ${version}A~sframe1)" ]
  done
}

@test "relations written by hand follow, in every field; others stay" {
  make_package one
  make_package two
  sed -i '/^Depends:/d; /^Description:/,$d' root-two/DEBIAN/control
  cat >>root-two/DEBIAN/control <<'END'
depends: libc6, one(=1:2.0-1), one:any (=  1:2.0-1) | three (= 1:2.0-1),
	one (>= 1:2.0-1), one ( <= 1:2.0-1 ), one (>> 1:2.0-1), one (= 1:2.0-10)
recommends: one(>=1:2.0-1),four ( = 1 )|five
Breaks: one (= 1:2.0-1), one (<< 1:2.0-1)
Provides: one (= 1:2.0-1), virtual (= 1:2.0-1)
Description: one (= 1:2.0-1)
 one (= 1:2.0-1)
END
  repack two
  gives 0 retrofit -o new one_2.0-1_amd64.deb two_2.0-1_amd64.deb
  dpkg-deb -f new/two_*.deb >control
  sed -n '/^[Dd]epends:/,$p' control \
    | sed 's/^depends/Depends/; s/^recommends/Recommends/' >found
  # A field in which nothing changes stays as it was written.
  diff - found <<'END'
Depends: libc6, one (= 1:2.0-1A~sframe1), one:any (= 1:2.0-1A~sframe1) | three (= 1:2.0-1), one (>= 1:2.0-1), one (<= 1:2.0-1A~sframe1), one (>> 1:2.0-1A~sframe1), one (= 1:2.0-10)
Recommends: one(>=1:2.0-1),four ( = 1 )|five
Breaks: one (= 1:2.0-1), one (= 1:2.0-1A~sframe1), one (<< 1:2.0-1)
Provides: one (= 1:2.0-1), one (= 1:2.0-1A~sframe1), virtual (= 1:2.0-1), two (= 1:2.0-1)
Description: one (= 1:2.0-1)
 one (= 1:2.0-1)
END
}

@test "what names a converted package exactly gets a new version, its contents stay" {
  make_package one
  make_foreign_package two "one (= 1:2.0-1)"
  make_foreign_package three "two (= 1:2.0-1)"
  make_foreign_package four "one (>= 1:2.0-1)"
  # one names something that does not change: that keeps its version.
  sed -i 's/^Depends: .*/Depends: four (= 1:2.0-1)/' root-one/DEBIAN/control
  repack one
  gives 0 retrofit -o new ./*_2.0-1_amd64.deb
  [ "$(ls new)" = "four_2.0-1_amd64.deb
one_2.0-1A~sframe1_amd64.deb
three_2.0-1A~sframe1_amd64.deb
two_2.0-1A~sframe1_amd64.deb" ] || { ls new; return 1; }
  [ "$(dpkg-deb -f new/three_*.deb Depends)" = "libc6, two (= 1:2.0-1A~sframe1)" ]
  [ "$(dpkg-deb -f new/one_*.deb Depends)" = "four (= 1:2.0-1)" ]
  cmp <(ar p two_2.0-1_amd64.deb data.tar.xz) <(ar p new/two_*.deb data.tar.xz)
}

# Multi-Arch: same can only be installed together in the same version.
@test "the same package for another architecture gets the same version" {
  make_package one
  cp one_2.0-1_amd64.deb amd64.deb
  make_foreign_package one "" i386
  gives 0 retrofit -o new amd64.deb one_2.0-1_i386.deb
  [ -f new/one_2.0-1A~sframe1_amd64.deb ]
  [ -f new/one_2.0-1A~sframe1_i386.deb ]
}

@test "a package's name does not lead out of the output folder" {
  make_package one
  local field i=0
  dpkg-deb -e one_2.0-1_amd64.deb original
  for field in 'Package: ../../evil' 'Package: /evil' 'Package: .evil' \
               'Version: 1/../../evil' 'Architecture: ../evil' 'Package:'; do
    cp -r original control
    sed -i "s|^${field%%:*}:.*|$field|" control/control
    tar -C control --owner=0 --group=0 -cJf control.tar.xz ./control ./md5sums
    cp one_2.0-1_amd64.deb $((++i)).deb
    ar r $i.deb control.tar.xz 2>/dev/null
    rm -r control
  done
  mkdir -p a/b
  find . >before
  gives 1 retrofit -o a/b/new [1-6].deb
  sed -E "s/^sframe-retrofit-deb: ([1-6].deb: invalid [A-Z][a-z]*).*/\1/" \
    <<<"$stderr" | diff - <(cat <<'END'
1.deb: invalid Package
2.deb: invalid Package
3.deb: invalid Package
4.deb: invalid Version
5.deb: invalid Architecture
6.deb: invalid Package
END
)
  find . ! -path './a/b/new*' | diff before -
  [ -z "$(find a -type f)" ]
}

# Each got all of the new text: 3,000 of them, packed 4 kB, took more than a minute.
@test "a package with more than one control file is refused" {
  make_package one
  dpkg-deb -e one_2.0-1_amd64.deb control
  tar -C control --hard-dereference --owner=0 --group=0 -cJf control.tar.xz \
    ./control ./control ./md5sums
  ar r one_2.0-1_amd64.deb control.tar.xz 2>/dev/null
  gives 1 retrofit -o new one_2.0-1_amd64.deb
  [[ $stderr == *": control is in the archive more than once" ]] || report
  [ -z "$(find new -type f)" ]
}

# One file was left of two, with exit status 0.
@test "nothing is written over what was made in the same run" {
  make_package one
  make_package two
  rm -rf root-*/usr/bin
  repack one
  repack two
  mkdir a b
  mv one_*.deb a/package.deb
  mv two_*.deb b/package.deb
  cp a/package.deb one
  gives 1 retrofit -o out a/package.deb b/package.deb
  [ "$stderr" = "sframe-retrofit-deb: b/package.deb: out/package.deb would be \
written over: it is of a/package.deb" ] || report
  cmp out/package.deb one
  # Nor over a package that was given.
  make_package three
  mv three_*.deb c.deb
  mkdir c
  mv c.deb c/package.deb
  cp c/package.deb three
  gives 1 retrofit -o c c/package.deb b/package.deb
  [[ $stderr == *"b/package.deb: c/package.deb would be written over"* ]] \
    || report
  cmp c/package.deb three
  [ -f c/three_2.0-1A~sframe1_amd64.deb ]
  # The same package twice, once under another name, and the same name twice.
  cp c/package.deb c/other.deb
  gives 1 retrofit -o new c/package.deb c/other.deb c/package.deb
  [[ $stderr == *"c/other.deb: new/three_2.0-1A~sframe1_amd64.deb would be"* ]] \
    || report
  [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
  gives 0 retrofit -o again c/package.deb c/package.deb
}

# install ROOT PACKAGE...: with dpkg and nothing else.
install_into ()
{
  local root=$1
  shift
  mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers} "$root/var/log"
  touch "$root/var/lib/dpkg/status"
  PATH=$PATH:/usr/sbin:/sbin fakeroot dpkg --root="$PWD/$root" \
    --force-not-root,bad-path -i "$@"
}

# apt's opinion of what is installed in ROOT.
apt_check ()
{
  mkdir -p apt/lists/partial apt/archives/partial
  apt-get -o Dir::State="$PWD/apt" -o Dir::Cache="$PWD/apt" \
    -o Dir::State::status="$PWD/$1/var/lib/dpkg/status" \
    -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=/dev/null \
    -o Debug::NoLocking=true check
}

# libncursesw6 of Debian depends on libtinfo6 (= 6.4-4): it could not be
# installed with a converted libtinfo6.
@test "packages that were not converted fit to those that were" {
  needs fakeroot dpkg apt-get
  make_package one
  make_package two xz "one (= 1:2.0-1), one (<= 1:2.0-1)"
  make_package three xz "two"
  sed -i '/^Depends:/s/libc6, //; s/base-files/one/' root-*/DEBIAN/control
  sed -i 's/^Depends: .*/Multi-Arch: same/' root-one/DEBIAN/control
  printf 'Breaks: one (<< 1:2.0-1)\n' >fields
  sed -i '/^Depends/r fields' root-two/DEBIAN/control
  # These two would break themselves, if a package could.
  printf 'Provides: thing\nConflicts: thing, three (= 1:2.0-1)\n' >fields
  sed -i '/^Depends/r fields' root-three/DEBIAN/control
  rm -f root-*/DEBIAN/postinst root-*/DEBIAN/conffiles
  repack one
  repack two
  repack three
  gives 0 retrofit -o new one_2.0-1_amd64.deb three_2.0-1_amd64.deb
  [ "$(dpkg-deb -f new/one_*.deb Provides)" = "one (= 1:2.0-1)" ]
  [ "$(dpkg-deb -f new/three_*.deb Provides)" = "thing, three (= 1:2.0-1)" ]
  install_into root new/one_*.deb two_2.0-1_amd64.deb new/three_*.deb
  apt_check root
  # The other way round: what was installed before gets converted.
  install_into other one_2.0-1_amd64.deb two_2.0-1_amd64.deb \
    three_2.0-1_amd64.deb
  install_into other new/one_*.deb
  apt_check other
  # And back.
  install_into other one_2.0-1_amd64.deb
  apt_check other
  # Without what it provides it does not fit: the test can fail.
  dpkg-deb -R new/one_*.deb x
  sed -i /^Provides:/d x/DEBIAN/control
  dpkg-deb --root-owner-group -b x x.deb
  run ! install_into third x.deb two_2.0-1_amd64.deb
}

@test "the original version is provided once, and not by packages of the installer" {
  make_package one
  sed -i 's/^Depends:.*/&\nProvides: virtual, one (= 1:2.0-1)/' \
    root-one/DEBIAN/control
  repack one
  retrofit -o new one_2.0-1_amd64.deb
  [ "$(dpkg-deb -f new/one_*.deb Provides)" \
    = "virtual, one (= 1:2.0-1), one (= 1:2.0-1A~sframe1)" ]
  make_package two
  mv two_2.0-1_amd64.deb two.udeb
  gives 0 retrofit -o new two.udeb
  [ -z "$(dpkg-deb -f new/two_*.udeb Provides)" ]
}

@test "the output folder may be that of the input" {
  make_package one
  make_foreign_package two
  mkdir folder
  mv ./*.deb folder
  local before
  before=$(cat folder/*.deb | checksum /dev/stdin)
  gives 0 retrofit -o folder folder/*.deb
  [ "$(ls -A folder)" = "one_2.0-1A~sframe1_amd64.deb
one_2.0-1_amd64.deb
two_2.0-1_amd64.deb" ] || { ls -A folder; return 1; }
  [ "$(cat folder/*1_amd64.deb | checksum /dev/stdin)" != "$before" ]
  rm folder/one_*sframe1*
  [ "$(cat folder/*.deb | checksum /dev/stdin)" = "$before" ]
}

# The dynamic loader is converted in a way of its own.
@test "files are converted under their own names" {
  make_package one
  cp small root-one/usr/bin/ld-linux-x86-64.so.2
  repack one
  cat >spy <<END
#!/bin/sh
tee "$PWD/names" | "$CFI2SFRAME" "\$@"
END
  chmod +x spy
  gives 0 retrofit -o new one_2.0-1_amd64.deb --cfi2sframe="$PWD/spy"
  [ "$(tr '\0' '\n' <names | sed 's|.*/||' | sort | tr '\n' ' ')" \
    = "ld-linux-x86-64.so.2 one " ]
}

# dpkg-deb itself packs in blocks and threads.
@test "packing in threads: the same bytes for any number of them" {
  needs xz zstd
  local kind
  for kind in xz zstd; do
    make_package one $kind
    yes "a line of text" | head -c 8000000 >root-one/usr/share/doc/one/large
    dpkg-deb --root-owner-group -Z$kind -z1 -b root-one one_2.0-1_amd64.deb >/dev/null
    gives 0 retrofit -o $kind-1 -z 1 --threads-max=1 one_2.0-1_amd64.deb
    retrofit -o $kind-3 -z 1 --threads-max=3 one_2.0-1_amd64.deb
    cmp $kind-1/*.deb $kind-3/*.deb
    rm -rf root-one
  done
  # The level is one's own.
  gives 0 retrofit -o slow one_2.0-1_amd64.deb
  run ! cmp slow/*.deb zstd-1/*.deb
  # More than one block: something to do for a second thread.
  ar p xz-1/*.deb data.tar.xz >x.xz
  [ "$(xz --robot -l x.xz | awk '$1 == "file" { print $3 }')" -gt 1 ]
}

@test "without xz the package is packed by Python" {
  make_package one
  mkdir bin
  gives 0 capture env PATH="$PWD/bin" "$(program_file python3)" \
    "$srcdir/contrib/retrofit/sframe-retrofit-deb" --cfi2sframe="$CFI2SFRAME" \
    -o new one_2.0-1_amd64.deb
  dpkg-deb -x new/*.deb x
  has_sframe x/usr/bin/one
}

@test "without an output folder it is wrong usage" {
  make_package one
  gives 2 retrofit one_2.0-1_amd64.deb
}

@test "an output folder or a report that cannot be made is told in one line" {
  make_package one
  echo text >file
  gives 1 retrofit -o file/new one_2.0-1_amd64.deb
  [ "$stderr" = "sframe-retrofit-deb: file/new: Not a directory" ] || report
  gives 1 retrofit -o new --report=file/report one_2.0-1_amd64.deb
  [ "$stderr" = "sframe-retrofit-deb: file/report: Not a directory" ] || report
  [ "$(cat file)" = text ]
}

@test "a wrong .sframe in a package is replaced" {
  make_package one
  "$CFI2SFRAME" -q root-one/usr/bin/one
  # What cfi2sframe made is known by its record, and trusted.
  strip root-one/usr/bin/one
  local offset size
  read -r offset size < <(section root-one/usr/bin/one .sframe)
  poke root-one/usr/bin/one $((offset + size - 1)) 7f
  run ! "$CFI2SFRAME" --check root-one/usr/bin/one
  repack one
  gives 0 retrofit -o new one_2.0-1_amd64.deb
  dpkg-deb -x new/*.deb x
  "$CFI2SFRAME" -q --check x/usr/bin/one
}

@test "installed programs find what they have in common, and leave no traces" {
  needs python3 make
  needs_debian_module
  local program python
  python=$(program_file python3)
  make -s -C "$builddir" install-dist_binSCRIPTS install-dist_retrofitDATA \
    DESTDIR="$PWD/x" >log 2>&1 || { cat log; return 1; }
  mkdir elsewhere
  for program in $(find x -name 'sframe-retrofit-*'); do
    ln -s "$PWD/$program" elsewhere
    run -0 "$python" "elsewhere/${program##*/}" --help
    [[ $output == "usage: ${program##*/} "* ]]
  done
  [ "$(find elsewhere -type l | wc -l)" -eq 5 ]
  [ -z "$(find x -name __pycache__)" ]
  find x -name packages.py -delete
  run -1 "$python" elsewhere/sframe-retrofit-deb --help
  [[ $output == "sframe-retrofit-deb: Python's module "*" is missing" ]] \
    || report
}

# It was a traceback, or --help failed, too.
@test "without python3-debian: --help, and one line" {
  needs python3
  local name python
  python=$(program_file python3)
  mkdir -p none/debian
  echo 'raise ImportError' >none/debian/__init__.py
  for name in deb repo; do
    PYTHONPATH=$PWD/none run -0 "$python" \
      "$srcdir/contrib/retrofit/sframe-retrofit-$name" --help
    PYTHONPATH=$PWD/none run -1 --separate-stderr "$python" \
      "$srcdir/contrib/retrofit/sframe-retrofit-$name" -o new one
    [ "$stderr" = "sframe-retrofit-$name: Python's module debian is missing (package python3-debian)" ] || report
  done
  [ ! -e new ]
}

# A shared library with the soname $2 in root-$1, as file $3.
checked_package ()
{
  make_package "$1"
  rm -rf "root-$1/usr" && mkdir -p "$(dirname "root-$1/$3")"
  small_program "root-$1/$3" -shared -fPIC -Wl,-soname,"$2"
}

# Everything that could be converted was: FIPS 140 was switched off.
@test "files with a checksum in the package are left out, as the program says" {
  local lib=usr/lib/x86_64-linux-gnu
  checked_package nss libnss3.so $lib/libnss3.so
  cp root-nss/$lib/libnss3.so root-nss/$lib/libsoftokn3.so
  head -c 84 /dev/zero >root-nss/$lib/libsoftokn3.chk
  # By the soname, and by a link of another name.
  small_program root-nss/$lib/libgcrypt.so.20.4.1 -shared -fPIC \
    -Wl,-soname,libgcrypt.so.20
  echo 0 >root-nss/$lib/.libgcrypt.so.20.hmac
  cp root-nss/$lib/libnss3.so root-nss/$lib/libother.so.1
  ln -s libother.so.1 root-nss/$lib/libmiddle.so
  ln -s libmiddle.so root-nss/$lib/libfurther.so
  echo 0 >root-nss/$lib/libfurther.so.hmac
  # In a folder beside its own, and in a list.
  mkdir -p root-nss/usr/sbin root-nss/usr/lib64/fipscheck
  cp small root-nss/usr/sbin/sshd
  cp small root-nss/usr/sbin/other
  echo 0 >root-nss/usr/lib64/fipscheck/sshd.hmac
  cp root-nss/$lib/libnss3.so root-nss/$lib/libnettle.so.8
  printf '[global]\n[libnettle.so.8]\nhmac = 0\n' \
    >root-nss/$lib/.libgnutls.so.30.hmac
  mkdir root-nss/$lib/ossl-modules
  cp root-nss/$lib/libnss3.so root-nss/$lib/ossl-modules/fips.so
  repack nss
  gives 0 retrofit -o out --report report nss_2.0-1_amd64.deb
  mkdir new && dpkg-deb -x out/nss_*.deb new
  for name in $lib/libnss3.so usr/sbin/other; do
    has_sframe new/$name
  done
  for name in $lib/libsoftokn3.so $lib/libgcrypt.so.20.4.1 $lib/libother.so.1 \
              usr/sbin/sshd $lib/libnettle.so.8 $lib/ossl-modules/fips.so; do
    cmp root-nss/$name new/$name
    [[ $stderr == *"nss_2.0-1_amd64.deb: $name: note: skipped: "*" has a checksum of it"* ]] || report
    grep -q "\"$name\": \"[^\"]* has a checksum of it" report
  done
  retrofit --list nss_2.0-1_amd64.deb
  [[ $output == *"$lib/libsoftokn3.so: skipped (libsoftokn3.chk has a"* ]] || report
  retrofit -o all nss_2.0-1_amd64.deb -- --convert-checksummed
  mkdir all-new && dpkg-deb -x all/nss_*.deb all-new
  has_sframe all-new/$lib/libsoftokn3.so
}

@test "a checksum in another package of the run counts, with /lib for /usr/lib" {
  checked_package crypt libgcrypt.so.20 usr/lib/libgcrypt.so.20.4.1
  repack crypt
  make_package hmac
  rm -rf root-hmac/usr && mkdir -p root-hmac/lib
  echo 0 >root-hmac/lib/.libgcrypt.so.20.hmac
  (cd root-hmac && md5sum lib/.lib* >DEBIAN/md5sums)
  dpkg-deb --root-owner-group -b root-hmac hmac_2.0-1_amd64.deb >/dev/null
  gives 0 retrofit -o out crypt_2.0-1_amd64.deb hmac_2.0-1_amd64.deb
  [[ $stderr == *"usr/lib/libgcrypt.so.20.4.1: note: skipped: .libgcrypt.so.20.hmac has"* ]] || report
  cmp out/crypt_2.0-1_amd64.deb crypt_2.0-1_amd64.deb
  # Without a list of files it is looked for all the same.
  rm root-hmac/DEBIAN/md5sums
  dpkg-deb --root-owner-group -b root-hmac hmac_2.0-1_amd64.deb >/dev/null
  retrofit -o again crypt_2.0-1_amd64.deb hmac_2.0-1_amd64.deb
  cmp again/crypt_2.0-1_amd64.deb crypt_2.0-1_amd64.deb
  retrofit -o alone crypt_2.0-1_amd64.deb
  [ -e alone/crypt_2.0-1A~sframe1_amd64.deb ]
  # A package that is only looked at for checksums has to be read.
  retrofit -o looked --checksums-of=hmac_2.0-1_amd64.deb crypt_2.0-1_amd64.deb
  cmp looked/crypt_2.0-1_amd64.deb crypt_2.0-1_amd64.deb
  head -c 200 hmac_2.0-1_amd64.deb >cut.deb
  gives 1 retrofit -o cut --checksums-of=cut.deb crypt_2.0-1_amd64.deb
  [[ $stderr == *"cut.deb: "* ]] || report
  [ ! -e cut/crypt_2.0-1A~sframe1_amd64.deb ]
}

# make_hostile NAME.deb FIELDS [MEMBERS [DATA]]: the package NAME with these fields
# and members, or this archive of data, said in Python.
make_hostile ()
{
  needs python3
  [ -e small ] || small_program
  python3 - "$@" <<'END'
import io, sys, tarfile

def tar(members):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as new:
        for name, data in members:
            member = tarfile.TarInfo(name)
            if isinstance(data, str):
                member.type, member.linkname = tarfile.LNKTYPE, data
                new.addfile(member)
            else:
                member.size = len(data)
                new.addfile(member, io.BytesIO(data))
    return file.getvalue()

small = open("small", "rb").read()
control = "Package: %s\nVersion: 1\nArchitecture: amd64\n" % sys.argv[1][:-4] \
    + eval(sys.argv[2]) + "Description: test\n"
data = tar(eval("(%s)" % sys.argv[3]) if sys.argv[3:] else [("./usr/bin/x", small)])
if sys.argv[4:]:
    data = eval("(%s)" % sys.argv[4])
with open(sys.argv[1], "wb") as file:
    file.write(b"!<arch>\n")
    for name, one in (("debian-binary", b"2.0\n"),
                      ("control.tar", tar([("./control", control.encode())])),
                      ("data.tar", data)):
        file.write(b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (
            name.encode(), 0, 0, 0, b"100644", len(one)) + one
            + b"\n" * (len(one) % 2))
END
}

# Seconds of the processor that the rest takes, at most $1; each of these took
# a minute.
within ()
{
  local seconds=$1
  shift
  ulimit -t "$seconds"
  "$@"
}

# 40,000 letters took 77 s.
@test "relations of any shape take no time" {
  local fields i=0
  for fields in '"a" * 40000' '"a" + " " * 400000 + "b"' \
                '"a (" + " " * 400000 + "b"' '"a (= " + "1" * 400000' \
                '"a [" + "! " * 200000 + "]"' '"a <" + "<" * 400000' \
                '"a" + "|" * 100000' '"," * 100000' \
                '"a (= 1), " * 50000 + "b"'; do
    make_hostile evil$((++i)).deb "\"Depends: \" + $fields + \"\\n\""
  done
  (
    within 20 retrofit -o new evil?.deb
    [ "$status" -eq 0 ] || report
    silent
  )
  [ "$(ls new/evil?_1A~sframe1_amd64.deb | wc -l)" -eq $i ]
}

@test "a control file that could not be written as it was read is refused" {
  local fields i=0
  for fields in '"Package: other\n"' '"version: 2\n"' '"text\n"' \
                '"\nPackage: other\n"' '"# a comment\n"' '": x\n"' \
                '"Field: a\n\x0bb\n"' '"Field: a\n \u2028b\n"'; do
    make_hostile evil$((++i)).deb "$fields"
  done
  gives 1 retrofit -o new evil*.deb
  sed 's/^sframe-retrofit-deb: \(evil.\.deb\): .*control file.*/\1/' <<<"$stderr" \
    | diff - <(printf '%s\n' evil*.deb)
  [ -z "$(ls new)" ]
  make_hostile fine.deb '"Field:x\nOther:\n .\n  y z \n\tÄ\n"'
  gives 0 retrofit -o new fine.deb
  dpkg-deb -f new/*.deb | grep -qx '	Ä'
}

# All members were searched for each file.
@test "many files with hard links, and sizes below zero, take no time" {
  make_hostile evil.deb '""' '[("./%d" % i, small[:100]) for i in range(6000)]
    + [("./link%d" % i, "./%d" % (5999 - i)) for i in range(6000)]'
  cat >list.py <<END
import sys, time
sys.dont_write_bytecode = True
sys.path.insert(0, "$srcdir/contrib/retrofit")
from sframe_retrofit import archives
with open("evil.deb", "rb") as file:
    data = file.read()
files = archives.TarContents(data[data.index(b"data.tar") + 60:])
start = time.process_time()
names = [files.names(index) for index in files.elf_files()]
assert len(names) == 6000 and names[1] == ["1", "link5998"], names[1]
assert time.process_time() - start < 2
END
  python3 list.py
  # Python's own reader stays with such a member for ever.
  make_hostile evil.deb '""' '[]' '(lambda good: b"".join((
    good[:124], b"\xff" * 12, good[136:148],
    b"%06o\0 " % (sum(good[:124]) + 255 * 12 + sum(good[136:148]) + 8 * 32
                  + sum(good[156:512])), good[156:])))(
    tar([("./x", b"x" * 512), ("./y", b"")]))'
  (
    within 10 retrofit -o new evil.deb
    [ "$status" -eq 1 ] || report
    [[ $stderr == *"damaged tar archive"* ]] || report
  )
}

# Each link was made, and each file had folders of its own.
@test "6,000 members take no time" {
  local members deb
  for members in '[("./a", small)] + [("./l%d" % i, "./a") for i in range(6000)]' \
                 '[("./a", b"x")] * 3000 + [("./l", "./a")] * 3000' \
                 '[("./a", small)] + [("./d%d/.x.hmac" % i, b"x") for i in range(60)]
                  + [("./l%d" % i, "./a") for i in range(6000)]' \
                 '[("./d%d/a" % i, small[:100]) for i in range(6000)]'; do
    make_hostile evil.deb '""' "$members"
    rm -rf new
    (within 8 retrofit -o new evil.deb && [ "$status" -eq 0 ]) || report
    ls new/*.deb >/dev/null
  done
}

@test "two files of a name, names that are too long, a file that is a folder" {
  local long
  long=$(printf 'n%.0s' {1..300})
  make_hostile evil.deb '""' '[("./a", small), ("./a", small), ("./a", small[:99]),
    ("./b/c", small), ("./b", small), ("./'$long'", small)]'
  gives 0 retrofit -o new evil.deb
  gives 0 retrofit --dry-run evil.deb
  [ "$(grep -c "converted" <<<"$output")" -eq 5 ] || report
  make_hostile evil.deb '""' '[("./b", small), ("./b/x.hmac", b"x")]'
  gives 1 retrofit -o new evil.deb
  [ "$stderr" = "sframe-retrofit-deb: evil.deb: 'b' is a file and a folder" ] \
    || report
}

# ended_by SIGNAL...: run the rest while a slow converter works, and send the
# signals; the status, as Python's subprocess has it.
ended_by ()
{
  python3 - "$1" "$(program_file python3)" "${@:2}" <<'END'
import os, signal, subprocess, sys, time
# What is in the background has SIGINT ignored, what nohup runs SIGHUP, and would
# hand that on.
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
child = subprocess.Popen(sys.argv[2:], stderr=open("errors", "wb"),
                         stdout=subprocess.DEVNULL)
while not os.path.exists("started") and child.poll() is None:
    time.sleep(0.02)
for name in sys.argv[1].split():
    child.send_signal(getattr(signal, "SIG" + name))
print(child.wait())
END
}

slow_converter ()
{
  printf '#!/bin/sh\ntouch started\nexec sleep 600\n' >slow
  chmod +x slow
}

# A folder stayed beside the packages, and Python told where it had been.
@test "a signal ends it, and nothing stays" {
  make_package one
  needs_debian_module
  slow_converter
  mkdir new tmp
  local signals
  for signals in TERM INT HUP XCPU "TERM INT TERM"; do
    rm -f started
    run env TMPDIR="$PWD/tmp" CFI2SFRAME="$PWD/slow" bash -c \
      "$(declare -f ended_by program_file); ended_by \"\$@\"" bash "$signals" \
      "$srcdir/contrib/retrofit/sframe-retrofit-deb" -o new one_2.0-1_amd64.deb
    # Of several, the system may have another one come first.
    [[ " $signals " == *" $(kill -l "${output#-}") "* ]] || { echo "$output"; return 1; }
    [ -z "$(cat errors; ls -A new; ls -A tmp)" ] || { cat errors; ls -A new tmp; return 1; }
  done
  rm started
  timeout 600 "$(program_file python3)" \
    "$srcdir/contrib/retrofit/sframe-retrofit-deb" -o new \
    --cfi2sframe="$PWD/slow" one_2.0-1_amd64.deb 3>&- &
  children+=("$!")
  within_a_minute test -e started
  # Its time is over.
  kill -ALRM $!
  status=0
  wait $! || status=$?
  [ "$status" -eq 124 ]
  [ -z "$(ls -A new)" ]
}

@test "what a killed run left is removed by the next one" {
  make_package one
  slow_converter
  mkdir new tmp
  export TMPDIR=$PWD/tmp
  run ended_by KILL "$srcdir/contrib/retrofit/sframe-retrofit-deb" -o new \
    --cfi2sframe="$PWD/slow" one_2.0-1_amd64.deb
  [ "$(ls -A new | wc -l)" -eq 2 ]
  [ "$(ls -A tmp | wc -l)" -eq 2 ]
  gives 0 retrofit -o new one_2.0-1_amd64.deb
  [ "$(ls -A new)" = "one_2.0-1A~sframe1_amd64.deb" ]
  [ -z "$(ls -A tmp)" ]
}

@test "a disk that is full: one line, and nothing stays" {
  make_package one
  head -c 300000 /dev/urandom >root-one/usr/share/doc/one/random
  repack one
  needs_debian_module
  mkdir new
  # Instead of a full one, which takes root rights: no file of more than 200 kB.
  (
    ulimit -f 200
    gives 1 retrofit -o new one_2.0-1_amd64.deb
    [[ $stderr == "sframe-retrofit-deb: one_2.0-1_amd64.deb: "*"File too large" ]] \
      || report
  )
  [ -z "$(ls -A new)" ]
  if [ -e /dev/full ]; then
    run -1 --separate-stderr sh -c "'$(program_file python3)' \
      '$srcdir/contrib/retrofit/sframe-retrofit-deb' -n one_2.0-1_amd64.deb \
      >/dev/full"
    [[ $stderr == "sframe-retrofit-deb: "*": No space left on device" ]] || report
  fi
}

# 45 kilobytes filled the memory with what they unpack to.
@test "a package that unpacks to gigabytes stays as it was, with a line" {
  local kind
  make_package zeros
  truncate -s 257M root-zeros/usr/bin/zeros-too
  dpkg-deb --root-owner-group -Zgzip -z1 -b root-zeros zeros_2.0-1_amd64.deb >/dev/null
  gives 1 retrofit -o out zeros_2.0-1_amd64.deb
  [ "$stderr" = "sframe-retrofit-deb: zeros_2.0-1_amd64.deb: unpacks to more than 256 MiB (see --unpacked-max)" ] || report
  [ -z "$(ls -A out)" ]
  truncate -s 3M root-zeros/usr/bin/zeros-too
  (cd root-zeros && md5sum usr/bin/* >DEBIAN/md5sums)
  for kind in gzip xz zstd; do
    dpkg-deb -Z$kind --build /dev/null 2>&1 | grep -q 'unknown compression' && continue
    command -v $kind >/dev/null || continue
    dpkg-deb --root-owner-group -Z$kind -b root-zeros zeros_2.0-1_amd64.deb >/dev/null
    gives 1 retrofit -o out --unpacked-max=2 zeros_2.0-1_amd64.deb
    [ "$stderr" = "sframe-retrofit-deb: zeros_2.0-1_amd64.deb: unpacks to more than 2 MiB (see --unpacked-max)" ] || report
    [ -z "$(ls -A out)" ]
    gives 0 retrofit -o out --unpacked-max=4 zeros_2.0-1_amd64.deb
    rm out/*
  done
  gives 2 retrofit -o out --unpacked-max=0 zeros_2.0-1_amd64.deb
}

# An ImportError of Python's, and --help failed.
@test "a Python built without a kind of compression" {
  needs dpkg-deb
  needs_debian_module
  local module
  make_package one
  mkdir -p none/lzma none/zlib
  echo 'raise ImportError' | tee none/lzma/lzma.py >none/zlib/zlib.py
  PYTHONPATH=$PWD/none/zlib gives 0 retrofit -o out one_2.0-1_amd64.deb
  rm -r out
  PYTHONPATH=$PWD/none/lzma gives 1 retrofit -o out one_2.0-1_amd64.deb
  [ "$stderr" = "sframe-retrofit-deb: one_2.0-1_amd64.deb: Python's module lzma is missing" ] || report
  [ -z "$(ls -A out)" ]
}

# A system whose files are signed could not be profiled without changing them.
@test "--detached: a package with sections, and none of the files changes" {
  make_package one
  cp small root-one/usr/bin/plain
  "${CC:-cc}" -O1 -Wl,--build-id=none -o root-one/usr/bin/plain small.c
  # What has a checksum is not changed, so it has a section.
  echo sum >root-one/usr/bin/.one.hmac
  repack one
  before=$(checksum one_2.0-1_amd64.deb)
  gives 0 retrofit --detached -v -o new one_2.0-1_amd64.deb
  [ "$(ls new)" = one-sframe_2.0-1_amd64.deb ]
  [ "$(checksum one_2.0-1_amd64.deb)" = "$before" ]
  local path
  path=$(detached_path_of root-one/usr/bin/one)
  dpkg-deb -c new/one-sframe_2.0-1_amd64.deb | grep -v '/$' >list
  [ "$(wc -l <list)" -eq 1 ]
  grep -q "^-rw-r--r-- root/root .* ./usr/lib/debug/.build-id/$path\$" list
  [ "$(dpkg-deb -f new/one-sframe_2.0-1_amd64.deb Version Enhances Depends)" \
    = "$(printf 'Version: 1:2.0-1\nEnhances: one')" ]
  # It is the section that the converter makes.
  dpkg-deb -x new/one-sframe_2.0-1_amd64.deb out
  "$CFI2SFRAME" -q --detached=store root-one/usr/bin/one
  cmp "out/usr/lib/debug/.build-id/$path" "store/$path"
  # The same again.
  sleep 1.1
  gives 0 retrofit --detached -o again one_2.0-1_amd64.deb
  cmp new/one-sframe_2.0-1_amd64.deb again/one-sframe_2.0-1_amd64.deb
  # Nothing to describe, no package; nothing to read, one line.
  make_package two
  rm -rf root-two/usr/bin
  repack two
  echo text >text.deb
  gives 1 retrofit --detached -o third two_2.0-1_amd64.deb text.deb
  [ "$stderr" = "sframe-retrofit-deb: text.deb: not a Debian package" ] || report
  [ -z "$(ls -A third)" ]
}

# perl-base and libperl have: dpkg refused the second one.
@test "--detached: two packages with the same file can be installed together" {
  needs dpkg
  make_package one
  make_package two
  cp root-one/usr/bin/one root-two/usr/bin/two
  repack one
  repack two
  make_package other
  rm root-other/usr/bin/*
  "${CC:-cc}" -O2 -Wl,--build-id=0x1234567890 -o root-other/usr/bin/other small.c
  repack other
  gives 0 retrofit --detached -o new one_2.0-1_amd64.deb two_2.0-1_amd64.deb \
    other_2.0-1_amd64.deb
  [ "$(dpkg-deb -f new/one-sframe_*.deb Replaces)" = two-sframe ]
  [ "$(dpkg-deb -f new/two-sframe_*.deb Replaces)" = one-sframe ]
  [ -z "$(dpkg-deb -f new/other-sframe_*.deb Replaces)" ]
  mkdir -p inst/var/lib/dpkg/{info,updates,triggers}
  : >inst/var/lib/dpkg/status
  gives 0 fakeroot dpkg --root=inst --force-not-root --force-script-chrootless \
    --log=/dev/null -i new/*.deb
  [ "$(find inst/usr/lib/debug -name '*.sframe' | wc -l)" -eq 2 ]
}

# 414 seconds of nothing.
@test "on a terminal there is a bar, and a line at the end" {
  needs script
  make_package one
  needs_debian_module
  # The conversion takes until there is a bar, or half a minute.
  cat >slow <<'END'
#!/bin/bash
[[ $1 != --stats* ]] || for _ in {1..300}; do
  ! grep -q left "$SCREEN" || break
  sleep 0.1
done
exec "$CONVERTER" "$@"
END
  chmod +x slow
  CONVERTER=$CFI2SFRAME SCREEN=$PWD/typescript CFI2SFRAME=$PWD/slow script -qefc "stty cols 150; '$(program_file python3)' \
    '$srcdir/contrib/retrofit/sframe-retrofit-deb' -o new one_2.0-1_amd64.deb x" \
    typescript </dev/null >/dev/null || true
  tr '\r' '\n' <typescript >lines
  grep -q '^\[\.*\] 0/2 packages, 0 B of [0-9.]* kB, .* left, converting one_2.0' \
    lines || { cat lines; return 1; }
  grep -q '^sframe-retrofit-deb: x: No such file or directory' lines
  grep -q '^sframe-retrofit-deb: 2 packages: 1 converted, 1 refused; 1 of 1 ELF file converted, +[0-9]* KiB; \(0:0[1-9]\|0:[1-5]\|[1-9]\)' \
    lines || { cat lines; return 1; }
}

@test "wrong usage is told in a line" {
  local arguments
  for arguments in "" "x.deb" "-o new -z 10 x.deb" "-o new --threads-max=0 x.deb" \
                   "-o new --level x x.deb" "--nonsense" "-o"; do
    gives 2 retrofit $arguments
    [ "${#lines[@]}" -eq 0 ]
    [ "$(wc -l <<<"$stderr")" -eq 2 ] || report
    [[ $stderr == "sframe-retrofit-deb: "*"
Try 'sframe-retrofit-deb --help' for more information." ]] || report
  done
  make_package one
  gives 0 retrofit one_2.0-1_amd64.deb -o new
  gives 0 retrofit one_2.0-1_amd64.deb --dry-run one_2.0-1_amd64.deb
}
