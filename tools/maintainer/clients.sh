#!/bin/sh
# Do the existing readers of SFrame walk the stacks of running programs by it?
#   sh tools/maintainer/clients.sh [-b BUILD] [-o REPORT] [glibc DIR|build] [source DIR]
#     [kernel DIR]
#     -b BUILD     build tree, after make check (default: build)
#     -o REPORT    where the result of every case goes, a line for each
#     glibc DIR    folder with ld-linux-x86-64.so.2, libc.so.6 and libm.so.6 of
#                  a glibc (2.42 or 2.43) configured with --enable-sframe;
#                  `build' makes one from the source package of Debian's
#                  unstable distribution, which takes three minutes of a processor,
#                  the network, gawk and bison
#     source DIR   source of a glibc: its reader is asked for every row;
#                  not needed with `build'
#     kernel DIR   folder with sframe_k.c, the kernel's reader (conformance/adapters/
#                  kernel.c says what it contains)
# The programs are those of tests/clients.  Without glibc and kernel, the project's own
# reader alone walks.  Prints TAP; minutes.
# Exit status: 0 all is well, 1 something differs, 2 something is missing.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
die_status=2

build='' report=
while getopts b:o: option; do
  case $option in
    b) build=$OPTARG ;;
    o) report=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
find_build "$build"
[ -z "$report" ] || report=$(from_caller "$report")
make_work clients
log=$work/log

# The source package of the unstable distribution.
fetch_glibc ()
{
  suite_types=deb-src
  # Debian's own part of the source is not needed, and some mirrors lack it.
  suite_prepare sid && (cd "$work" \
    && suite_apt sid apt-get --download-only source glibc) >>"$log" 2>&1
  ls "$work"/glibc_*.orig.tar.* >/dev/null 2>&1 || {
    tail -n 20 "$log" >&2
    die "the source package of glibc cannot be fetched"
  }
}

# Only the reader of this glibc is used, and not the .sframe that an assembler writes
# for it.  So the binutils of Debian 12 are enough: configure is told that they know
# SFrame, and their option is not passed.  Only the objects of shared libraries are
# made.  Debian removes the manual from the source, but not from the list of folders,
# so it gets an empty one.
build_glibc ()
{
  fetch_glibc
  mkdir "$work/source" "$work/objects" "$work/glibc"
  tar -xf "$work"/glibc_*.orig.tar.* -C "$work/source" \
    --strip-components=1 || die "the source of glibc cannot be unpacked"
  [ -e "$work/source/manual/Makefile" ] || {
    mkdir -p "$work/source/manual"
    printf '%s\n' "subdir := manual" "include ../Makeconfig" \
      "include ../Rules" >"$work/source/manual/Makefile"
  }
  cat >"$work/readelf" <<'END'
#!/bin/sh
case $1 in
  --version) echo "GNU readelf (GNU Binutils) 2.47" ;;
  *) exec readelf "$@" ;;
esac
END
  chmod +x "$work/readelf"
  jobs=-j$(getconf _NPROCESSORS_ONLN)
  (cd "$work/objects" \
    && READELF=$work/readelf libc_cv_default_sframe=yes \
      ../source/configure --prefix=/usr --enable-sframe --disable-werror \
      --disable-mathvec --disable-nscd --without-selinux \
    && make -s "$jobs" as-sframe= object-suffixes=.os lib \
    && make -s "$jobs" -r -C ../source/math objdir="$PWD" as-sframe= \
      object-suffixes=.os "$PWD/math/libm.so") \
    >"$work/log" 2>&1 || {
    tail -n 40 "$work/log" >&2
    die "glibc cannot be built"
  }
  strip -g -o "$work/glibc/ld-linux-x86-64.so.2" "$work/objects/elf/ld.so"
  strip -g -o "$work/glibc/libc.so.6" "$work/objects/libc.so"
  strip -g -o "$work/glibc/libm.so.6" "$work/objects/math/libm.so"
  glibc=$work/glibc glibc_source=$work/source
}

glibc='' glibc_source='' kernel=''
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || die "$1: a folder is missing"
  case $1 in
    glibc) glibc=$2 ;;
    source) glibc_source=$(cd "$2" && pwd) || die "$2: no such folder" ;;
    kernel) kernel=$(cd "$2" && pwd) || die "$2: no such folder" ;;
    *) usage ;;
  esac
  shift 2
done
case $glibc in
  '') ;;
  build) build_glibc ;;
  *) glibc=$(cd "$glibc" && pwd) || die "$glibc: no such folder" ;;
esac

make -C "$build" -s tests/clients/libhere.la tests/clients/foreign_check \
  || die "cannot be built"
CLIENTS_FILES=$(ls /bin/bash /usr/bin/git /usr/bin/gdb /usr/bin/perl \
  /usr/bin/python3.[0-9][0-9] /lib/*-linux-gnu/libc.so.6 \
  /lib/*-linux-gnu/libm.so.6 /usr/lib/*-linux-gnu/libstdc++.so.6 \
  /usr/lib/*-linux-gnu/libcrypto.so.3 /usr/lib/*-linux-gnu/libbfd-*-system.so \
  /usr/lib/*-linux-gnu/libLLVM-[0-9][0-9].so.1 /usr/lib/*-linux-gnu/libgcc_s.so.1 \
  /usr/lib/gcc/*/*/cc1plus 2>/dev/null)
[ -z "$report" ] || { CLIENTS_REPORT=$report; export CLIENTS_REPORT; }
CLIENTS_STEPS=100000
srcdir=$top
export srcdir CLIENTS_FILES CLIENTS_STEPS
cd "$build" || exit 2
sh "$top/tests/clients/clients.sh" ${glibc:+--glibc "$glibc"} \
  ${glibc_source:+--source "$glibc_source"} ${kernel:+--kernel "$kernel"} >"$work/tap"
status=$?
cat "$work/tap"
! grep -q '^not ok' "$work/tap" && exit $status
exit 1
