#!/bin/sh
# Does the program work on other machines as it does here?
#   sh tools/maintainer/hosts.sh [-d DIR] [-j JOBS] [-o CFLAGS] [-s SUITE] [HOST]...
#     -d DIR       keep packages and builds in DIR and use them again
#     -j JOBS      of make (default: one for each core)
#     -o CFLAGS    compile with these (default: -O2 -g0)
#     -s SUITE     libraries of this release of Debian (default: the one that
#                  runs here; riscv64 is there from trixie on)
#     HOST         i386, armhf, s390x, arm64, ppc64el or riscv64 (default: all)
# Builds the program for each HOST, runs the unit tests there by qemu, converts the same
# files there and here, and compares the results.  i386 and armhf have 32 bits, s390x is
# big-endian; i386 runs without qemu.  The libraries come from this system's Debian
# mirror and are unpacked, not installed; cross compilers and qemu-user are installed if
# this user may.  Prints a line for each host; some minutes for each.
# For example: sh tools/maintainer/hosts.sh s390x
# Exit status: 0 all is well on each host that was tried, 1 not so, 2 wrong usage, 77 no
# host can be tried.
# SPDX-License-Identifier: LGPL-2.1-or-later

# Lists of words are meant to be split.
# shellcheck disable=SC2016,SC2046,SC2086
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
LC_ALL=C
export LC_ALL

keep='' jobs=$(cores) cflags='-O2 -g0' suite=
while getopts d:j:o:s: option; do
  case $option in
    d) keep=$OPTARG ;;
    j) jobs=$OPTARG ;;
    o) cflags=$OPTARG ;;
    s) suite=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- i386 armhf s390x arm64 ppc64el riscv64
: "${suite:=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}"
: "${suite:=sid}"
make_work hosts "$keep"
top_work=$work
no_blanks "$work"
cd "$top" || exit 2

# What the program and its tests are linked with, and what a host may lack.
host_packages="libc6-dev libgcc-s1 libelf-dev libdwarf-dev libjson-c-dev
  libxxhash-dev libcmocka-dev"
host_optional="libzydis-dev"

# host_set NAME: what is needed to build for it and to run its programs.
host_set ()
{
  host=$1
  host_suite=$suite
  case $host in
    i386) triplet=i686-linux-gnu multiarch=i386-linux-gnu cpu=i386 ;;
    armhf) triplet=arm-linux-gnueabihf cpu=arm ;;
    s390x) triplet=s390x-linux-gnu cpu=s390x ;;
    arm64) triplet=aarch64-linux-gnu cpu=aarch64 ;;
    ppc64el) triplet=powerpc64le-linux-gnu cpu=ppc64le ;;
    riscv64)
      triplet=riscv64-linux-gnu cpu=riscv64
      [ "$suite" != bookworm ] || host_suite=trixie ;;
    *) usage ;;
  esac
  [ "$host" = i386 ] || multiarch=$triplet
  work=$top_work/$host
  log=$work/log
  root=$work/root
  mkdir -p "$work" || exit 2
  : >"$log"
}

# Set $compiler to the compiler for the host.  It uses the headers and libraries of
# $root alone, so that they are of one release.
host_compiler ()
{
  compiler=$triplet-gcc
  if [ "$host" = i386 ] && ! command -v "$compiler" >/dev/null; then
    # Debian's gcc-multilib cannot be installed together with that one.
    compiler="gcc -m32"
    echo 'int main (void) { return 0; }' >"$work/empty.c"
    $compiler -c -o "$work/empty.o" "$work/empty.c" 2>>"$log" || return 1
  else
    need_packages "gcc-$(echo "$triplet" | tr _ -)" >>"$log" 2>&1
    command -v "$compiler" >/dev/null || return 1
  fi
  # Without -B the C library that came with the compiler comes first.
  compiler="$compiler --sysroot=$root -B$root/usr/lib/$multiarch/"
}

# Its libraries, below $root.
host_libraries ()
{
  [ ! -e "$root.done" ] || return 0
  suite_machine=$host
  suite_prepare "$host_suite" || return 1
  fetched=$(suite_apt "$host_suite" apt-cache policy $host_optional \
    2>>"$log" | packages_in_policy)
  suite_apt "$host_suite" apt-get -y --no-install-recommends --download-only \
    install $host_packages $fetched >>"$log" 2>&1 || return 1
  rm -rf "$root"
  mkdir -p "$root/usr/lib" || return 1
  ln -s usr/lib "$root/lib"
  for package in "$state"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" \
      | tar -xf - -C "$root" --keep-directory-symlink 2>>"$log"
  done
  # Absolute links would lead out of the folder.
  find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
  done
  : >"$root.done"
}

# Set $runner to what runs programs of the host: qemu, or, if this processor can run
# them, the loader.
host_runner ()
{
  runner="qemu-$cpu -L $root"
  loader=$root/lib/ld-linux.so.2
  if [ "$host" = i386 ] && "$loader" --version >/dev/null 2>&1; then
    runner="$loader --library-path $root/usr/lib/$multiarch"
    return 0
  fi
  command -v "qemu-$cpu" >/dev/null || need_packages qemu-user >>"$log" 2>&1
  command -v "qemu-$cpu" >/dev/null
}

# make_in DIRECTORY TARGET...
make_in ()
{
  make_directory=$1
  shift
  make -C "$make_directory" V=0 -j"$jobs" "$@"
}

# Print the unit tests of the build $1.  Those of libsframewalk, which is for stacks
# with 64 bits, do not compile on 32.
unit_tests ()
{
  case $host in
    i386 | armhf) left_out=tests/walk/% ;;
    *) left_out= ;;
  esac
  make -s --no-print-directory -C "$1" \
    --eval="print-units:; @echo \$(filter-out $left_out,\$(UNIT_TESTS))" \
    print-units
}

# build_host DIRECTORY ARGUMENT...: the program.  What walks processes is left out,
# because qemu does not show them to its programs.
build_host ()
{
  configure_in "$@" --enable-werror --disable-shared --enable-static \
    --disable-stacks >>"$log" 2>&1 || return 1
  make_in "$1" src/cfi2sframe >>"$log" 2>&1
}

# Run the unit tests in the directory $1.  How many passed is then in
# $units_passed, which failed in $units_failed.
run_units ()
{
  units_passed=0 units_failed=
  for unit in $(unit_tests "$1"); do
    if (cd "$1" && srcdir=$top timeout 1800 $runner "$unit") >>"$log" 2>&1
    then
      units_passed=$((units_passed + 1))
    else
      units_failed="$units_failed ${unit##*/}"
    fi
  done
}

# ---- What is converted

# The files: programs and libraries of all three machines.
inputs ()
{
  for file in "$top"/tests/data/gnu-linked/* \
      "$top"/tests/data/undo/*.elf /usr/bin/bash /usr/bin/git \
      /usr/bin/perl /lib/x86_64-linux-gnu/libc.so.6 \
      /lib/x86_64-linux-gnu/libstdc++.so.6 \
      /usr/aarch64-linux-gnu/lib/libc.so.6 \
      /usr/s390x-linux-gnu/lib/libc.so.6 \
      /usr/s390x-linux-gnu/lib/libm.so.6; do
    [ -f "$file" ] && printf '%s\n' "$file"
  done
}

# outputs DIRECTORY PROGRAM...: what the program makes of the inputs, a line with a
# hash for each file and way.
outputs ()
{
  outputs_in=$1
  shift
  rm -rf "$outputs_in"
  mkdir -p "$outputs_in"
  inputs | while read -r file; do
    name=$(basename "$(dirname "$file")")/${file##*/}
    for way in --format=3 --compact --format=2 '--format=1 --stats=json'; do
      "$@" $way -o "$outputs_in/out" "$file" >"$outputs_in/said" 2>&1
      status=$?
      sed "s|$outputs_in|DIR|g; s/\"seconds\":[^,}]*//" "$outputs_in/said" \
        >"$outputs_in/report"
      echo "$name $way: $status $(cat "$outputs_in/out" "$outputs_in/report" \
        2>/dev/null | sha256sum | cut -c1-16)"
      rm -f "$outputs_in/out"
    done
    cp "$file" "$outputs_in/in"
    "$@" --stats=json "$outputs_in/in" >/dev/null 2>&1
    for way in --dump --check --undo; do
      "$@" $way "$outputs_in/in" >"$outputs_in/said" 2>&1
      status=$?
      echo "$name $way: $status $(cat "$outputs_in/in" "$outputs_in/said" \
        | sed "s|$outputs_in|DIR|g" | sha256sum | cut -c1-16)"
    done
    cmp -s "$file" "$outputs_in/in" && echo "$name: undone"
  done
}

# Set $expected to the outputs of this machine's program, with code analysis ($1 is
# yes) or without, as the host has it.
native_outputs ()
{
  native=$top_work/native-$1
  expected=$native/outputs
  [ ! -s "$expected" ] || return 0
  mkdir -p "$native"
  switch=--enable-analysis
  [ "$1" = yes ] || switch=--disable-analysis
  build_host "$native/build" CFLAGS="$cflags" $switch || return 1
  outputs "$native/work" "$native/build/src/cfi2sframe" >"$expected"
}

# ---- One host

# The result of the host, in one line; status 0 if all is well.
try_host ()
{
  host_compiler || { echo "skipped: no compiler"; return 77; }
  host_libraries || { echo "skipped: no libraries ($log)"; return 77; }
  host_runner || { echo "skipped: no qemu-$cpu"; return 77; }
  build_host "$work/build" --host="$triplet" CC="$compiler" CFLAGS="$cflags" \
    PKG_CONFIG_SYSROOT_DIR="$root" \
    PKG_CONFIG_LIBDIR="$root/usr/lib/$multiarch/pkgconfig:$root/usr/share/pkgconfig" \
    LDFLAGS="-Wl,-rpath-link,$root/usr/lib/$multiarch" \
    || { echo "does not build ($log)"; return 1; }
  make_in "$work/build" $(unit_tests "$work/build") >>"$log" 2>&1 \
    || { echo "the unit tests do not build ($log)"; return 1; }
  run_units "$work/build"
  analysis=no
  ! grep -q '^#define HAVE_ZYDIS' "$work/build/config.h" || analysis=yes
  native_outputs $analysis \
    || { echo "nothing to compare with ($log)"; return 1; }
  outputs "$work/out" $runner "$work/build/src/cfi2sframe" \
    >"$work/outputs"
  equal=$(grep -cxFf "$expected" "$work/outputs")
  all=$(wc -l <"$expected")
  echo "built, $units_passed unit tests passed${units_failed:+, failed:$units_failed}," \
    "$equal of $all outputs equal (code analysis: $analysis)"
  diff "$expected" "$work/outputs" >>"$log"
  [ -z "$units_failed" ] && [ "$equal" -eq "$all" ]
}

for name; do
  host_set "$name" # ends if there is no such host
done
rm -f "$top_work"/native-*/outputs # of other sources
table=
tried=false status=0
for name; do
  host_set "$name"
  say "$name ..."
  line=$(try_host)
  case $? in
    0) tried=true ;;
    77) ;;
    *) tried=true status=1 ;;
  esac
  table="$table$(printf '%-8s %s' "$name:" "$line")
"
done
printf '%s' "$table"
$tried || exit 77
exit $status
