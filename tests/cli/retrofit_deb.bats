#!/usr/bin/env bats
# sframe-retrofit-deb on packages made here: what changes and what must not.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

retrofit ()
{
  run --separate-stderr python3 \
    "$srcdir/contrib/retrofit/sframe-retrofit-deb" "$@"
}

# A package with everything that could get lost: a program with a second name,
# a link to it, odd modes, a configuration file, maintainer scripts.
make_package ()
{
  needs dpkg-deb python3
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
  dpkg-deb --root-owner-group -Z"$compression" -b "$root" \
    "${name}_2.0-1_amd64.deb" >/dev/null
}

# Member list without sizes (they change).
listing ()
{
  dpkg-deb --fsys-tarfile "$1" | tar tv --full-time --numeric-owner \
    | awk '{ $3 = ""; print }'
}

@test "programs are converted; all else stays" {
  make_package one
  retrofit -o new one_2.0-1_amd64.deb
  [ "$status" -eq 0 ] || report
  silent
  local deb=new/one_2.0-1+sframe1_amd64.deb
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
  grep -qx '> Version: 1:2.0-1+sframe1' changes
  grep -qx '> Source: one (1:2.0-1)' changes
  grep -qE '^> Installed-Size: 10[1-9]$' changes
  [ "$(grep -c '^>' changes)" -eq 3 ]
}

@test "every kind of compression is kept" {
  needs zstd
  for kind in gzip xz zstd none; do
    make_package one $kind
    retrofit -o new-$kind one_2.0-1_amd64.deb
    [ "$status" -eq 0 ] || report
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
  retrofit -o new one_2.0-1_amd64.deb two_2.0-1_amd64.deb
  [ "$status" -eq 0 ] || report
  [ "$(dpkg-deb -f new/two_*.deb Depends)" = \
    "libc6, one (= 1:2.0-1+sframe1), three (= 1:2.0-1)" ]
}

@test "a package without machine code is copied" {
  make_package one
  rm -rf root-one/usr/bin
  sed -i 's/amd64/all/' root-one/DEBIAN/control
  (cd root-one && find usr -type f -print0 | xargs -0 md5sum >DEBIAN/md5sums)
  dpkg-deb --root-owner-group -b root-one one_all.deb >/dev/null
  retrofit -o new one_all.deb
  [ "$status" -eq 0 ] || report
  cmp one_all.deb new/one_all.deb
}

@test "--list says what would happen and writes nothing" {
  make_package one
  retrofit --list one_2.0-1_amd64.deb
  [ "$status" -eq 0 ] || report
  [[ $output == *"usr/bin/one: converted"* ]] || report
  [ ! -e new ]
}

@test "options behind -- go to cfi2sframe" {
  make_package one
  retrofit -o new one_2.0-1_amd64.deb -- --format=2
  dpkg-deb -x new/*.deb x
  [ "$(section_bytes x/usr/bin/one .sframe | od -An -j 2 -N 1 -t u1)" -eq 2 ]
}

@test "converted packages, damaged ones and other files are refused" {
  make_package one
  retrofit -o new one_2.0-1_amd64.deb
  retrofit -o again new/*.deb
  [ "$status" -eq 1 ] || report
  [[ $stderr == *"converted before"* ]] || report
  [ -z "$(ls again)" ]
  echo text >text.deb
  retrofit -o again text.deb
  [ "$status" -eq 1 ] || report
  [[ $stderr == *"not a Debian package"* ]] || report
  local size
  for size in 8 60 100 200 400 1000 2000; do
    head -c $size one_2.0-1_amd64.deb >cut.deb
    retrofit -o again cut.deb
    [ "$status" -eq 1 ] || report
    [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
  done
  [ -z "$(ls again)" ]
}

@test "a file in a package that fails is told, the others are converted" {
  make_package one
  head -c 100 small >root-one/usr/bin/broken
  dpkg-deb --root-owner-group -b root-one one_2.0-1_amd64.deb >/dev/null
  retrofit -o new one_2.0-1_amd64.deb
  [ "$status" -eq 1 ] || report
  [[ $stderr == *"/usr/bin/broken: "* ]] || report
  dpkg-deb -x new/*.deb x
  cmp root-one/usr/bin/broken x/usr/bin/broken
  has_sframe x/usr/bin/one
}

@test "without an output folder it is wrong usage" {
  make_package one
  retrofit one_2.0-1_amd64.deb
  [ "$status" -eq 2 ] || report
}
