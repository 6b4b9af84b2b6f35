#!/bin/sh
# Release archives with cfi2sframe as a static program, which runs on any Linux.
#   sh tools/maintainer/static.sh [-o DIR] [MACHINE]...
#     -o DIR     folder of the archives (default: static); DIR/work keeps what is built
#     MACHINE    amd64, arm64 or s390x (default: all)
# Debian's cross compilers link Debian's static libraries, which an apt of its own
# fetches: nothing is installed and no architecture is added.  Zydis, whose package has
# no static library, is compiled from Debian's source.  At the end each program runs,
# under qemu-user if necessary, and has to convert a program of its machine.  Needs the
# network and the compilers; minutes.  Prints the names of the archives.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -eu
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
LC_ALL=C
export LC_ALL

output=static
while getopts o: option; do
  case $option in
    o) output=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- amd64 arm64 s390x
mkdir -p "$output/work"
output=$(cd "$output" && pwd)
no_blanks "$output"
work=$output/work
log=$work/apt.log suite_types="deb deb-src"
version=$(source_version)
# The time of everything in the archives: that of the last change.
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2>/dev/null \
  || stat -c %Y "$top/NEWS")}"
export SOURCE_DATE_EPOCH

libraries="libdwarf-dev libelf-dev libjson-c-dev libxxhash-dev libzstd-dev
  zlib1g-dev"

triplet_of ()
{
  case $1 in
    amd64) echo x86_64-linux-gnu ;;
    arm64) echo aarch64-linux-gnu ;;
    s390x) echo s390x-linux-gnu ;;
    *) die "unknown machine $1 (amd64, arm64, s390x)" ;;
  esac
}

# The emulator that programs of machine $1 need here.
runner_of ()
{
  [ "$1" = "$(dpkg --print-architecture)" ] || case $1 in
    amd64) echo qemu-x86_64 ;;
    arm64) echo qemu-aarch64 ;;
    s390x) echo qemu-s390x ;;
  esac
}

# The libraries of machine $1 below $2, and a line for each in $2/versions.
# shellcheck disable=SC2086
fetch_libraries ()
{
  [ ! -e "$2/versions" ] || return 0
  rm -rf "$2"
  headers=libzycore-dev # all that Zydis's decoder needs
  [ "$1" != s390x ] || headers=
  suite_download system "$2/packages" $libraries $headers \
    || die "$1: the libraries cannot be downloaded; see $log"
  for package in "$2"/packages/*.deb; do
    dpkg-deb -x "$package" "$2"
    dpkg-deb -W --showformat '${Package} ${Version}\n' "$package"
  done >"$2/versions.new"
  mv "$2/versions.new" "$2/versions"
}

# Zydis for machine $1, of triplet $2, below $3.  s390x has none, as in Debian.
build_zydis ()
{
  [ "$1" != s390x ] && [ ! -e "$3/usr/lib/$2/libZydis.a" ] || return 0
  sources=$work/sources
  if [ ! -e "$sources/done" ]; then
    mkdir -p "$sources"
    (cd "$sources" && quietly suite_apt system apt-get source --only-source \
      zydis)
    touch "$sources/done"
  fi
  zydis=$(echo "$sources"/zydis-*/)
  mkdir -p "$3/zydis"
  for file in "$zydis"src/*.c; do
    quietly "$2-gcc" -O2 -c -DZYDIS_STATIC_BUILD -DZYCORE_STATIC_BUILD \
      -I"$zydis/include" -I"$zydis/src" -I"$3/usr/include" \
      -o "$3/zydis/$(basename "$file" .c).o" "$file"
  done
  cp -R "$zydis/include/Zydis" "$3/usr/include"
  "$2-ar" rcsD "$3/usr/lib/$2/libZydis.a" "$3"/zydis/*.o
  sed -n 's/^Source: //p; s/^Version: //p' "$sources"/zydis_*.dsc | paste -sd' ' \
    >>"$3/versions"
}

# The program for machine $1, of triplet $2, with the libraries below $3.
build_program ()
{
  build=$work/build-$1
  mkdir -p "$build"
  (cd "$build" \
     && quietly env PKG_CONFIG_SYSROOT_DIR="$3" \
       PKG_CONFIG_LIBDIR="$3/usr/lib/$2/pkgconfig:$3/usr/share/pkgconfig" \
       "$top/configure" -q --host="$2" --enable-static-program \
       --disable-shared --disable-stacks CC="$2-gcc" \
       CPPFLAGS="-DZYDIS_STATIC_BUILD -DZYCORE_STATIC_BUILD \
         -I$3/usr/include -I$3/usr/include/$2" \
       CFLAGS="-O2 -ffile-prefix-map=$top=. -ffile-prefix-map=$work=." \
       LDFLAGS="-L$3/usr/lib/$2" \
     && quietly make -s V=0 -j"$(nproc)" src/cfi2sframe)
  "$2-strip" -o "$build/cfi2sframe" "$build/src/cfi2sframe"
}

# Convert a program of machine $1, of triplet $2, by the program for that machine.
try_program ()
{
  runner=$(runner_of "$1")
  [ -z "$runner" ] || command -v "$runner" >/dev/null \
    || { say "$1: not run: $runner not found"; return 0; }
  program=$work/build-$1/cfi2sframe
  ! "$2-readelf" -l "$program" | grep -q INTERP \
    || die "$1: the program needs a loader"
  printf '%s\n' '#include <stdio.h>' 'int main (void)' \
    '{ puts ("hello"); return 0; }' >"$work/hello.c"
  "$2-gcc" -O2 -static -o "$work/hello-$1" "$work/hello.c"
  CFI2SFRAME_CONFIG=
  export CFI2SFRAME_CONFIG
  $runner "$program" "$work/hello-$1"
  $runner "$program" --check "$work/hello-$1"
  [ "$($runner "$work/hello-$1")" = hello ] \
    || die "$1: a converted program does not run"
  [ "$1" = s390x ] || $runner "$program" -n --analyze "$work/hello-$1" \
    || die "$1: built without the analysis of code"
}

# The program for machine $1 with all that has to go with it, as an archive.
pack ()
{
  name=cfi2sframe-$version-linux-$1
  rm -rf "${work:?}/$name"
  mkdir -p "$work/$name"
  cp "$work/build-$1/cfi2sframe" "$top/COPYING" "$top/NEWS" \
    "$top/doc/use/cfi2sframe.1" "$work/$name"
  {
    say "cfi2sframe $version, a static program for $1.  COPYING is its licence."
    say "Debian's packages that are linked in, with the licences that these have:"
    cat "$work/libraries-$1/versions"
    "$(triplet_of "$1")-gcc" --version | head -n 1
  } >"$work/$name/README"
  (cd "$work" && find "$name" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} + \
     && tar --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
       -cJf "$output/$name.tar.xz" "$name")
  rm -rf "${work:?}/$name"
}

[ -e "$top/configure" ] || die "no configure (autoreconf -fi makes it)"
for machine; do
  triplet=$(triplet_of "$machine")
  command -v "$triplet-gcc" >/dev/null \
    || die "$triplet-gcc not found (Debian: apt-get install gcc-$(echo "$triplet" | tr _ -))"
  libraries_below=$work/libraries-$machine
  suite_machine=$machine
  suite_prepare system || die "apt-get update failed; see $log"
  fetch_libraries "$machine" "$libraries_below"
  build_zydis "$machine" "$triplet" "$libraries_below"
  build_program "$machine" "$triplet" "$libraries_below"
  try_program "$machine" "$triplet"
  pack "$machine"
  say "$output/cfi2sframe-$version-linux-$machine.tar.xz"
done
