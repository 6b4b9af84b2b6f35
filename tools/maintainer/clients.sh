#!/bin/sh
# The readers of SFrame that exist, over programs written for it
# (tests/clients), libraries and running programs.
#   sh tools/maintainer/clients.sh [-b BUILD] [-o REPORT] [glibc DIR|build] [source DIR]
#     [kernel DIR]
#     -b BUILD     build tree, after make check (default: build)
#     -o REPORT    where the result of every case goes, a line for each
#     glibc DIR    folder with ld-linux-x86-64.so.2, libc.so.6 and libm.so.6 of
#                  a glibc (2.42 or 2.43) configured with --enable-sframe;
#                  `build' makes one from the source package of Debian's
#                  unstable distribution, which takes a while
#     source DIR   source of a glibc: its reader is asked for every row;
#                  not needed with `build'
#     kernel DIR   folder with sframe_k.c, the kernel's reader (what it has to
#                  be is said in conformance/adapters/kernel.c)
# Without any only the project's own reader walks.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$srcdir/tools/common.sh"
. "$srcdir/tools/maintainer/suite-apt.sh"

build=build report=
while getopts b:o: option; do
  case $option in
    b) build=$OPTARG ;;
    o) report=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd) || die "no build tree"
case $report in
  /* | '') ;;
  *) report=$PWD/$report ;;
esac
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# The source package of the unstable distribution.
fetch_glibc ()
{
  work=$scratch log=$scratch/log suite_types=deb-src
  # What Debian adds is not needed, and not on every mirror.
  suite_prepare sid && (cd "$scratch" \
    && suite_apt sid apt-get --download-only source glibc) >>"$log" 2>&1
  ls "$scratch"/glibc_*.orig.tar.* >/dev/null 2>&1 || {
    tail -n 20 "$log" >&2
    die "the source package of glibc cannot be fetched"
  }
}

# Takes gawk, bison, gcc and make, and three minutes of a processor.  Only the
# reader is wanted, not what an assembler writes, so the one of Debian 12 will
# do: configure's questions about binutils are answered for it, and its option
# is not passed.  Of the three kinds of objects only those for shared libraries
# are made.  Debian takes the manual out of the source, but not out of the list
# of folders to go through.
build_glibc ()
{
  fetch_glibc
  mkdir "$scratch/source" "$scratch/objects" "$scratch/glibc"
  tar -xf "$scratch"/glibc_*.orig.tar.* -C "$scratch/source" \
    --strip-components=1 || die "the source of glibc cannot be unpacked"
  [ -e "$scratch/source/manual/Makefile" ] || {
    mkdir -p "$scratch/source/manual"
    printf '%s\n' "subdir := manual" "include ../Makeconfig" \
      "include ../Rules" >"$scratch/source/manual/Makefile"
  }
  cat >"$scratch/readelf" <<'END'
#!/bin/sh
case $1 in
  --version) echo "GNU readelf (GNU Binutils) 2.47" ;;
  *) exec readelf "$@" ;;
esac
END
  chmod +x "$scratch/readelf"
  jobs=-j$(getconf _NPROCESSORS_ONLN)
  (cd "$scratch/objects" \
    && READELF=$scratch/readelf libc_cv_default_sframe=yes \
      ../source/configure --prefix=/usr --enable-sframe --disable-werror \
      --disable-mathvec --disable-nscd --without-selinux \
    && make -s "$jobs" as-sframe= object-suffixes=.os lib \
    && make -s "$jobs" -r -C ../source/math objdir="$PWD" as-sframe= \
      object-suffixes=.os "$PWD/math/libm.so") \
    >"$scratch/log" 2>&1 || {
    tail -n 40 "$scratch/log" >&2
    die "glibc cannot be built"
  }
  strip -g -o "$scratch/glibc/ld-linux-x86-64.so.2" "$scratch/objects/elf/ld.so"
  strip -g -o "$scratch/glibc/libc.so.6" "$scratch/objects/libc.so"
  strip -g -o "$scratch/glibc/libm.so.6" "$scratch/objects/math/libm.so"
  glibc=$scratch/glibc glibc_source=$scratch/source
}

glibc='' glibc_source='' kernel=''
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || die "$1: folder is missing"
  case $1 in
    glibc) glibc=$2 ;;
    source) glibc_source=$(cd "$2" && pwd) || die "$2: no such folder" ;;
    kernel) kernel=$(cd "$2" && pwd) || die "$2: no such folder" ;;
    *) die "$1: neither glibc nor source nor kernel" ;;
  esac
  shift 2
done
case $glibc in
  '') ;;
  build) build_glibc ;;
  *) glibc=$(cd "$glibc" && pwd) || die "no such folder" ;;
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
export srcdir CLIENTS_FILES CLIENTS_STEPS
cd "$build" || exit 2
sh "$srcdir/tests/clients/clients.sh" ${glibc:+--glibc "$glibc"} \
  ${glibc_source:+--source "$glibc_source"} ${kernel:+--kernel "$kernel"} >"$scratch/tap"
status=$?
cat "$scratch/tap"
! grep -q '^not ok' "$scratch/tap" && exit $status
exit 1
