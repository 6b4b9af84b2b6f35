#!/bin/sh
# Does dh_sframe work on real source packages of Debian?
#   sh tools/maintainer/try-debhelper.sh [PACKAGE...]  (default: hello lua5.4 libpng1.6)
# Builds each package without dh_sframe and twice with it, compares, and installs the
# result in a fresh system.  Needs root, debootstrap, the network and a built tree;
# minutes.  Prints a line for each .deb: how many ELF files have .sframe, and its size
# before and after.
#   $WORK     folder, which is kept (default: a new one in /tmp)
#   $MIRROR   Debian mirror (default: this system's)
#   $SUITE    release of Debian (default: bookworm)
# Exit status: 0 all is well, 1 something differs or fails, 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
no_options "$@"
[ $# -gt 0 ] || set -- hello lua5.4 libpng1.6
cd "$top"
[ -x build/src/cfi2sframe ] || die "$top/build/src/cfi2sframe: not built"
needs_root
: "${WORK:=$(mktemp -d /tmp/cfi2sframe-debhelper.XXXXXX)}"
: "${MIRROR:=$(debian_mirror)}"
: "${SUITE:=bookworm}"

need_packages build-essential debhelper debootstrap dpkg-dev gdb fakeroot

# dh_sframe and its sequence as if installed.
mkdir -p "$WORK/bin" "$WORK/perl/Debian/Debhelper/Sequence" "$WORK/lists"
cp contrib/debian/dh_sframe build/src/cfi2sframe "$WORK/bin"
cp contrib/debian/sframe.pm "$WORK/perl/Debian/Debhelper/Sequence"
printf '%s %s %s main\n' deb "$MIRROR" "$SUITE" deb-src "$MIRROR" "$SUITE" \
  >"$WORK/sources.list"

apt ()
{
  apt-get -qq -o Dir::Etc::sourcelist="$WORK/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$WORK/lists" "$@"
}

# build PACKAGE RESULT with|without: build it with or without dh_sframe, and put the
# .deb files into the folder RESULT.
build ()
{
  rm -rf "$WORK/build"
  mkdir -p "$WORK/build" "$WORK/$2"
  (cd "$WORK/build" && dpkg-source -q -x "$WORK/source/$1"_*.dsc source \
     >/dev/null 2>&1)
  if [ "$3" = with ]; then
    sed -i 's/^Build-Depends:/& dh-sequence-sframe,/' \
      "$WORK/build/source/debian/control"
  fi
  (cd "$WORK/build/source" \
     && PATH=$WORK/bin:$PATH PERL5LIB=$WORK/perl DEB_BUILD_OPTIONS=nocheck \
        quietly dpkg-buildpackage -b -us -uc -d)
  cp "$WORK"/build/*.deb "$WORK/$2/"
}

# The ELF files of the folder $1 that are loaded.
loaded_files ()
{
  find "$1" -type f ! -path '*/debug/*' | sort | while read -r file; do
    ! readelf -lW "$file" 2>/dev/null | grep -q LOAD || printf '%s\n' "$file"
  done
}

# How many of the loaded files of a .deb have .sframe, and how many have none.
count_sframe ()
{
  rm -rf "$WORK/x"
  dpkg-deb -x "$1" "$WORK/x"
  loaded_files "$WORK/x" | while read -r file; do
    if readelf -SW "$file" | grep -q ' \.sframe '; then echo with
    else echo without; fi
  done | sort | uniq -c | awk '{ printf "%s%d %s", sep, $1, $2; sep = ", " }'
}

# gdb's warnings about each program with its debug file.
gdb_says ()
{
  rm -rf "$WORK/x"
  for deb in "$1"/*.deb; do
    dpkg-deb -x "$deb" "$WORK/x"
  done
  loaded_files "$WORK/x" | while read -r file; do
    gdb -nx -batch -iex "set debug-file-directory $WORK/x/usr/lib/debug" \
      -ex 'info line 1' "$file" 2>&1 </dev/null | grep -i warning || true
  done
}

failed=0
fail ()
{
  say "FAILED: $*"
  failed=1
}

mkdir -p "$WORK/source"
apt update
for package in "$@"; do
  (cd "$WORK/source" && quietly apt source --download-only "$package")
  apt build-dep -y "$package" >/dev/null 2>&1
  build "$package" "plain-$package" without
  build "$package" "one-$package" with
  build "$package" "two-$package" with
  for deb in "$WORK/one-$package"/*.deb; do
    name=${deb##*/}
    cmp "$deb" "$WORK/two-$package/$name" \
      || fail "$name differs between two builds"
    case $name in
      *-dbgsym_*) continue ;;
    esac
    say "$name: $(count_sframe "$deb" )" \
        "($(stat -c %s "$WORK/plain-$package/$name")" \
        "-> $(stat -c %s "$deb") bytes)"
  done
  plain=$(gdb_says "$WORK/plain-$package")
  new=$(gdb_says "$WORK/one-$package")
  [ "$plain" = "$new" ] || fail "gdb says about $package: $new"
done

say "Installing in a fresh $SUITE"
[ -d "$WORK/root" ] || make_root "$WORK/root" "$SUITE" "$MIRROR" --variant=minbase
mkdir -p "$WORK/root/debs"
for package in "$@"; do
  for deb in "$WORK/one-$package"/*.deb; do
    case $deb in
      *-dbgsym_* | *-udeb* | *.udeb) ;;
      *) cp "$deb" "$WORK/root/debs" ;;
    esac
  done
done
quietly in_root "$WORK/root" 'apt-get update -qq && apt-get install -y -qq /debs/*.deb'
in_root "$WORK/root" 'dpkg --verify' >"$WORK/verify" 2>&1 || true
[ ! -s "$WORK/verify" ] || fail "dpkg --verify: $(cat "$WORK/verify")"
in_root "$WORK/root" '
  for deb in /debs/*.deb; do
    dpkg-deb -c "$deb" | awk "\$1 ~ /^-..x/ { print \$6 }"
  done | sed "s/^\.//" | grep "/bin/" | while read -r program; do
    case $(head -c 4 "$program" | tr -d "\000") in ?ELF) ;; *) continue ;; esac
    timeout 10 "$program" --version </dev/null >/tmp/out 2>&1
    echo "$program --version: status $?: $(head -n 1 /tmp/out)"
  done'
[ "$failed" -eq 0 ] || exit 1
say "All well; everything is in $WORK"
