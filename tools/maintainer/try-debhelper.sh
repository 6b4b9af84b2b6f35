#!/bin/sh
# Does dh_sframe work on real source packages of Debian?
#   sh tools/maintainer/try-debhelper.sh [OPTION]... [PACKAGE...]
#     -b BUILD    build tree (default: build)
#     -d DIR      keep packages and the system in DIR
#     -m MIRROR   Debian mirror (default: this system's)
#     -s SUITE    release of Debian (default: bookworm)
#     PACKAGE     default: hello lua5.4 libpng1.6
# Builds each package without dh_sframe and twice with it, compares, and installs the
# result in a fresh system.  Needs root, debootstrap and the network; minutes.  Prints a
# line for each .deb: how many ELF files have .sframe, and its size before and after.
# For example: sh tools/maintainer/try-debhelper.sh hello
# Exit status: 0 all is well, 1 something differs or fails, 2 wrong usage.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"

build_tree='' folder='' mirror='' suite=bookworm
while getopts b:d:m:s: option; do
  case $option in
    b) build_tree=$OPTARG ;;
    d) folder=$OPTARG ;;
    m) mirror=$OPTARG ;;
    s) suite=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- hello lua5.4 libpng1.6
find_build "$build_tree"
[ -x "$build/src/cfi2sframe" ] || die "$build/src/cfi2sframe: not built"
needs_root
make_work debhelper "$folder"
: "${mirror:=$(debian_mirror)}"
cd "$top"

need_packages build-essential debhelper debootstrap dpkg-dev gdb fakeroot

# dh_sframe and its sequence as if installed.
mkdir -p "$work/bin" "$work/perl/Debian/Debhelper/Sequence" "$work/lists"
cp contrib/debian/dh_sframe "$build/src/cfi2sframe" "$work/bin"
cp contrib/debian/sframe.pm "$work/perl/Debian/Debhelper/Sequence"
printf '%s %s %s main\n' deb "$mirror" "$suite" deb-src "$mirror" "$suite" \
  >"$work/sources.list"

apt ()
{
  apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$work/lists" "$@"
}

# build PACKAGE RESULT with|without: build it with or without dh_sframe, and put the
# .deb files into the folder RESULT.
build ()
{
  rm -rf "$work/build"
  mkdir -p "$work/build" "$work/$2"
  (cd "$work/build" && dpkg-source -q -x "$work/source/$1"_*.dsc source \
     >/dev/null 2>&1)
  if [ "$3" = with ]; then
    sed -i 's/^Build-Depends:/& dh-sequence-sframe,/' \
      "$work/build/source/debian/control"
  fi
  (cd "$work/build/source" \
     && PATH=$work/bin:$PATH PERL5LIB=$work/perl DEB_BUILD_OPTIONS=nocheck \
        quietly dpkg-buildpackage -b -us -uc -d)
  cp "$work"/build/*.deb "$work/$2/"
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
  rm -rf "$work/x"
  dpkg-deb -x "$1" "$work/x"
  loaded_files "$work/x" | while read -r file; do
    if readelf -SW "$file" | grep -q ' \.sframe '; then echo with
    else echo without; fi
  done | sort | uniq -c | awk '{ printf "%s%d %s", sep, $1, $2; sep = ", " }'
}

# gdb's warnings about each program with its debug file.
gdb_says ()
{
  rm -rf "$work/x"
  for deb in "$1"/*.deb; do
    dpkg-deb -x "$deb" "$work/x"
  done
  loaded_files "$work/x" | while read -r file; do
    gdb -nx -batch -iex "set debug-file-directory $work/x/usr/lib/debug" \
      -ex 'info line 1' "$file" 2>&1 </dev/null | grep -i warning || true
  done
}

failed=0
fail ()
{
  say "FAILED: $*"
  failed=1
}

mkdir -p "$work/source"
apt update
for package in "$@"; do
  (cd "$work/source" && quietly apt source --download-only "$package")
  apt build-dep -y "$package" >/dev/null 2>&1
  build "$package" "plain-$package" without
  build "$package" "one-$package" with
  build "$package" "two-$package" with
  for deb in "$work/one-$package"/*.deb; do
    name=${deb##*/}
    cmp "$deb" "$work/two-$package/$name" \
      || fail "$name differs between two builds"
    case $name in
      *-dbgsym_*) continue ;;
    esac
    say "$name: $(count_sframe "$deb" )" \
        "($(stat -c %s "$work/plain-$package/$name")" \
        "-> $(stat -c %s "$deb") bytes)"
  done
  plain=$(gdb_says "$work/plain-$package")
  new=$(gdb_says "$work/one-$package")
  [ "$plain" = "$new" ] || fail "gdb says about $package: $new"
done

say "Installing in a fresh $suite"
[ -d "$work/root" ] || make_root "$work/root" "$suite" "$mirror" --variant=minbase
mkdir -p "$work/root/debs"
for package in "$@"; do
  for deb in "$work/one-$package"/*.deb; do
    case $deb in
      *-dbgsym_* | *-udeb* | *.udeb) ;;
      *) cp "$deb" "$work/root/debs" ;;
    esac
  done
done
quietly in_root "$work/root" 'apt-get update -qq && apt-get install -y -qq /debs/*.deb'
in_root "$work/root" 'dpkg --verify' >"$work/verify" 2>&1 || true
[ ! -s "$work/verify" ] || fail "dpkg --verify: $(cat "$work/verify")"
in_root "$work/root" '
  for deb in /debs/*.deb; do
    dpkg-deb -c "$deb" | awk "\$1 ~ /^-..x/ { print \$6 }"
  done | sed "s/^\.//" | grep "/bin/" | while read -r program; do
    case $(head -c 4 "$program" | tr -d "\000") in ?ELF) ;; *) continue ;; esac
    timeout 10 "$program" --version </dev/null >/tmp/out 2>&1
    echo "$program --version: status $?: $(head -n 1 /tmp/out)"
  done'
[ "$failed" -eq 0 ] || exit 1
say "all is well"
