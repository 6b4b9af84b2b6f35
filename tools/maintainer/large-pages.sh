#!/bin/sh
# Do converted libraries load and run where pages are larger than 4 KiB?
#   sh tools/maintainer/large-pages.sh [OPTION]... [KERNEL...]
#     -b BUILD     build tree (default: build)
#     -d DIR       keep packages, programs and logs in DIR
#     -s SUITE     Debian release of kernels and libraries (default: trixie)
#     -n           build no kernel
#     -a ACCEL     qemu's accelerator (default: tcg; kvm where it works)
# A library's .sframe has a segment of its own behind the first segment, from the next
# 4 KiB on.  With larger pages the dynamic linker maps a page for both of them.  Here it
# does, on emulated arm64 machines: with Debian's kernel for 16 KiB, that for 4 KiB, and
# one for 64 KiB that is built from Debian's source, since there is no package of it.
# KERNEL is the file of a kernel with initramfs and PL011 console built in; with any, no
# other kernel is looked at.  Libraries of Debian and of each linker are loaded as they
# were and converted, by glibc and by musl.  Nothing is installed but qemu and cpio.
# Prints TAP for each kernel; a quarter of an hour, five minutes without building.
# For example: sh tools/maintainer/large-pages.sh -n
# Exit status: 0 all is good, 1 something is not, 2 wrong usage, 77 no kernel, no qemu or
# no cross compiler can be had.
# SPDX-License-Identifier: LGPL-2.1-or-later

# $libraries and other lists are meant to be split.
# shellcheck disable=SC2086,SC2046
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
. "$top/tools/maintainer/machine.sh"

# Nothing can be tried here.
skip ()
{
  echo "1..0 # SKIP $*"
  exit 77
}

build='' keep='' suite=trixie accel=tcg builds=1
while getopts a:b:d:ns: option; do
  case $option in
    a) accel=$OPTARG ;;
    b) build=$OPTARG ;;
    d) keep=$OPTARG ;;
    n) builds= ;;
    s) suite=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
kernels=
for kernel; do
  [ -r "$kernel" ] || die_status=2 die "$kernel: cannot be read"
  kernels="$kernels $(readlink -f "$kernel")"
done

sources=$top/tests/kernel
triplet=aarch64-linux-gnu
folder=/usr/lib/$triplet
find_build "$build"
need_packages qemu-system-arm cpio g++-aarch64-linux-gnu >/dev/null 2>&1
for program in qemu-system-aarch64 cpio dpkg-deb $triplet-gcc $triplet-g++; do
  command -v "$program" >/dev/null || skip "$program not found"
done
quietly make -C "$build" src/cfi2sframe || die "the build failed"
make_work large-pages "$keep"
log=$work/log
: >"$log"
suite_machine=arm64

# ---- Kernels

# A small kernel for pages of 64 KiB: print its file.
build_kernel ()
{
  (
    tree=$work/kernel64
    image=$tree/arch/arm64/boot/Image
    [ ! -e "$image" ] || { echo "$image"; exit; }
    suite_prepare "$suite" || exit
    package=$(first_dependency "$suite" linux-source)
    suite_unpack "$suite" "$package" ./usr/src && mkdir -p "$tree" \
      && tar -xf "$state/files/usr/src/$package.tar.xz" -C "$tree" \
        --strip-components=1 && cd "$tree" || exit
    for on in ARM64_64K_PAGES ARM64_BTI ARM64_PTR_AUTH ARM64_VA_BITS_48 \
      BINFMT_ELF BLK_DEV_INITRD DEVTMPFS EPOLL EVENTFD FUTEX MEMBARRIER \
      MULTIUSER POSIX_TIMERS PRINTK PROC_FS PROC_PAGE_MONITOR RSEQ \
      SERIAL_AMBA_PL011 SERIAL_AMBA_PL011_CONSOLE SHMEM SYSFS TMPFS TTY; do
      echo "CONFIG_$on=y"
    done >on.config
    export ARCH=arm64 CROSS_COMPILE=$triplet- KCONFIG_ALLCONFIG=on.config
    make -s allnoconfig >&2 && make -s -j2 Image >&2 && echo "$image"
  ) 2>>"$log"
}

if [ -z "$kernels" ]; then
  for package in linux-image-arm64-16k linux-image-arm64; do
    kernel=$(suite_kernel "$suite" $package)
    [ -n "$kernel" ] || echo "# $package of $suite cannot be had (log: $log)"
    kernels="$kernels $kernel"
  done
  [ -z "$builds" ] || kernels="$kernels $(build_kernel)"
fi
[ -n "${kernels# }" ] || skip "no kernel can be had"

# ---- Two systems, /old and /new

system=$work/system
plan=$system/plan
rm -rf "$system"
mkdir -p "$system/old/t" "$system/new"
: >"$plan"
cd "$system/old" || exit 2

unpack_packages ()
{
  suite_prepare "$suite" || skip "no package lists of $suite"
  for package in libc6 libgcc-s1 libstdc++6 bash libtinfo6 perl-base libcrypt1 \
    zlib1g libzstd1 libbz2-1.0 liblzma5 libxml2 libicu76 libssl3t64 \
    libsqlite3-0 libglib2.0-0t64 libffi8 libpcre2-8-0 libselinux1 libmount1 \
    libblkid1 libuuid1 libgmp10 libgomp1 libgfortran5 libunwind8 libelf1t64 \
    libdw1t64 libexpat1 libpython3.13 libpng16-16t64 libfreetype6 libbrotli1 \
    libjpeg62-turbo libncursesw6 libreadline8t64 libatomic1 musl musl-dev; do
    suite_unpack "$suite" $package . || not_made "$package" "no package"
  done
  (cd "$state/files" && find . -path ./boot -prune -o -path ./usr/src -prune \
    -o ! -path '*/share/*' ! -path '*/include/*' -print \
    | cpio -o -H newc --quiet) | cpio -idm --quiet
  for part in bin lib; do
    [ -e $part ] || ln -s usr/$part $part
  done
}

# build NAME COMPILER...: a file in /t.
build ()
{
  built=$1
  shift
  "$@" -O2 -D_GNU_SOURCE -o "t/$built" >>"$log" 2>&1 \
    || not_made "$built" "it does not link"
}

# for_musl ARGUMENT...: the compiler with musl's files in place of glibc's.
# shellcheck disable=SC2317
for_musl ()
{
  musl=$state/files/usr
  $triplet-gcc -fPIC -nostdinc -nostdlib \
    -isystem "$musl/include/aarch64-linux-musl" \
    -isystem "$($triplet-gcc -print-file-name=include)" "$@" \
    -L"$musl/lib/aarch64-linux-musl" -lc -lgcc
}

build_libraries ()
{
  shared="-fPIC -shared"
  for linker in bfd gold lld; do
    gcc="$triplet-gcc $shared" gxx="$triplet-g++ $shared"
    if [ $linker = lld ]; then
      gcc="clang --target=$triplet $shared" gxx="clang++ --target=$triplet $shared"
    fi
    gcc="$gcc -fuse-ld=$linker" gxx="$gxx -fuse-ld=$linker"
    for option in common-page-size=4096 now separate-code noseparate-code \
      max-page-size=16384 max-page-size=4096; do
      build "lib-$linker-$option.so" $gxx -Wl,-z,$option \
        "$top/tests/matrix/lib.cc"
    done
    build lib-$linker-textrel.so $gcc -DTEXT_RELOCATION -Wl,-z,notext \
      "$sources/library.c"
    # The start files of Debian 12's cross compiler are not made for BTI, so code
    # with them gets SIGILL, converted or not.
    [ $linker = gold ] || build lib-$linker-bti.so $gcc -nostartfiles \
      -mbranch-protection=standard -Wl,-z,force-bti "$sources/library.c"
  done
  build pages $triplet-gcc "$sources/pages.c" -ldl
  build musl-library.so for_musl -shared "$sources/library.c"
  build musl-pages for_musl -pie \
    -Wl,--dynamic-linker=/lib/ld-musl-aarch64.so.1 \
    "$state/files/usr/lib/aarch64-linux-musl/Scrt1.o" "$sources/pages.c"
}

# ---- What is tried

# plan_both NAME EXPECTED PROGRAM [ARGUMENT...]: plan it in /old and in /new.  The
# argument "sframe" is "none" in /old.
plan_both ()
{
  both=$1 expected=$2 program=$3
  shift 3
  if [ "${1-}" = sframe ]; then
    shift
    plan old "$both" /old "$expected" "$program" none "$@"
    plan new "$both, converted" /new "$expected" "$program" sframe "$@"
  else
    plan old "$both" /old "$expected" "$program" "$@"
    plan new "$both, everything converted" /new "$expected" "$program" "$@"
  fi
}

plan_libraries ()
{
  # Loaders are loaded already, and the others need a program made for them.
  libraries=$(find usr/lib/$triplet -type f -name '*.so*' ! -path '*/perl*' \
    ! -name 'ld-*' ! -name 'libmemusage*' ! -name 'libpcprofile*' \
    ! -name 'libc_malloc_debug*' ! -name 'libthread_db*' | sort | sed 's,^,/,')
  plan_both "$(echo "$libraries" | wc -l) libraries of $suite" "all good" \
    /t/pages sframe $libraries
  for library in t/lib-*.so; do
    plan_both "${library#t/}" "all good" /t/pages sframe "/$library"
  done
  plan_both "musl-library.so" "all good" /t/musl-pages sframe \
    /t/musl-library.so
  plan_both "libc.so.6 as a program" "GNU C Library" $folder/libc.so.6
  plan_both bash good3 /bin/bash -c 'echo good3'
  # shellcheck disable=SC2016
  plan_both perl good7 /usr/bin/perl -e \
    'my $p = fork; exit 7 unless $p; waitpid $p, 0; print "good", $? >> 8, "\n"'
}

# A segment next to code without the code's rights, which only large pages tell.
plan_bad ()
{
  bad=t/bad-lib-bfd-now.so
  cp "$system/new/t/lib-bfd-now.so" "$system/new/$bad"
  if ! gcc -O2 "$sources/spoil.c" -o "$work/spoil" \
    || ! "$work/spoil" "$system/new/$bad" code; then
    die "lib-bfd-now.so has no segment that can be spoilt"
  fi
  plan bad-on-large-pages "a segment without the right to execute" /new \
    "all good" /t/pages sframe /$bad
}

unpack_packages
build_libraries
tar -cf - . | tar -xf - -C "$system/new"
"$build/src/cfi2sframe" -rq --stats=json "$system/new" >"$work/new.json" \
  2>>"$log" || die "conversion failed; see $log"
echo "# $(grep -c '"status" *: *"converted"' "$work/new.json") files converted"
plan_libraries
plan_bad
$triplet-gcc -O2 -D_GNU_SOURCE -static "$sources/init.c" -o "$system/init" \
  || die "init does not build"
printf '%s\n' "$skipped" | grep .
(cd "$system" && find . | sort | cpio -o -H newc --quiet) >"$work/initrd" \
  || die "cpio failed"

# ---- Boot

# boot KERNEL: print the TAP of the machine; fail if something is not well.
boot ()
{
  name=$(basename "$1")
  tap=$work/$name.tap
  rm -f "$tap"
  # The machine has one serial line, which is the console too.
  timeout 1800 qemu-system-aarch64 -accel "$accel" -M virt \
    -cpu max,pauth-impdef=on -m 2048 -display none -net none -no-reboot \
    -serial "file:$tap" -kernel "$1" -initrd "$work/initrd" \
    -append "console=ttyAMA0 tap=/dev/ttyAMA0 quiet panic=-1" \
    >>"$log" 2>&1 </dev/null
  print_tap "$name" "$tap" "$tap"
}

status=0
for kernel in $kernels; do
  boot "$kernel" || status=1
done
exit $status
