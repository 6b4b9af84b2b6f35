#!/bin/sh
# Do converted dynamic loaders, libraries and programs run on older kernels?
#   sh tools/maintainer/old-kernel.sh [OPTION]... [KERNEL...]
#     -b BUILD     build tree (default: build)
#     -d DIR       keep packages, programs and logs in DIR
#     -s SUITES    Debian releases with kernels that are tried (default:
#                  "bookworm bullseye": 6.1 and 5.10)
#     -u SUITES    Debian releases with a C library, bash and perl to be
#                  converted and tried too (default: "bullseye trixie")
#     -a ACCEL     qemu's accelerator (default: tcg; kvm where it works)
# KERNEL is the file of a kernel (vmlinuz) with initramfs and a serial console
# built in; with any, no suite is looked at.  They run in an emulated machine: kernels
# up to 6.6 map the interpreter's BSS, and those before 5.18 compute AT_PHDR, in another
# way than today's.  The kernels of the suites come from this system's Debian mirror;
# nothing is installed but qemu and cpio.  Prints TAP for each kernel; minutes.
# For example: sh tools/maintainer/old-kernel.sh -s bookworm -u trixie
# Exit status: 0 all is good, 1 something is not, 2 wrong usage, 77 no kernel or no qemu
# can be had.
# SPDX-License-Identifier: LGPL-2.1-or-later

# $cflags and other lists are meant to be split.
# shellcheck disable=SC2086,SC2046
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
. "$top/tools/maintainer/debian.sh"
. "$top/tools/maintainer/machine.sh"
. "$top/tests/tap.sh"

# Nothing can be tried here.
skip ()
{
  echo "1..0 # SKIP $*"
  exit 77
}

build='' keep='' suites='bookworm bullseye' userlands='bullseye trixie'
accel=tcg
while getopts a:b:d:s:u: option; do
  case $option in
    a) accel=$OPTARG ;;
    b) build=$OPTARG ;;
    d) keep=$OPTARG ;;
    s) suites=$OPTARG ;;
    u) userlands=$OPTARG ;;
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
matrix=$top/tests/matrix
find_build "$build"
: "${CC:=gcc}" "${CXX:=g++}"
cflags="-O2 -D_GNU_SOURCE -pthread"

[ "$(uname -m)" = x86_64 ] || skip "this is not x86-64"
need_packages qemu-system-x86 cpio >/dev/null 2>&1
for program in qemu-system-x86_64 cpio dpkg-deb $CC $CXX; do
  command -v "$program" >/dev/null || skip "$program not found"
done
quietly make -C "$build" src/cfi2sframe tests/matrix/inject_blob \
  || die "the build failed"
blob=$build/tests/matrix/inject_blob

make_work kernel "$keep"
log=$work/log
: >"$log"

# ---- Kernels

if [ -z "$kernels" ]; then
  for suite in $suites; do
    kernel=$(suite_kernel "$suite" linux-image-amd64)
    if [ -n "$kernel" ]; then
      kernels="$kernels $kernel"
    else
      echo "# the kernel of $suite cannot be had (log: $log)"
    fi
  done
fi
[ -n "$kernels" ] || skip "no kernel can be had"

# ---- Two systems: in /old only /t and /ld have converted files, in /new everything
# is converted.

system=$work/system
plan=$system/plan
rm -rf "$system" "$work/objects"
mkdir -p "$work/objects" "$system/old/t" "$system/old/ld" "$system/old/bin" \
  "$system/old/usr/lib/python3.11"
: >"$plan"
cd "$work/objects" || exit 2

# convert KIND IN OUT: print the strategy.  KIND: real, or a strategy.
convert ()
{
  case $1 in
    real)
      "$build/src/cfi2sframe" --stats=json -o "$3" "$2" 2>>"$log" </dev/null \
        | sed -n 's/.*"strategy" *: *"\([^"]*\)".*/\1/p'
      ;;
    slack) "$blob" -s slack "$2" "$3" 200 2>>"$log" ;;
    [0-9]*) "$blob" "$2" "$3" "$1" 2>>"$log" ;;
    *) "$blob" -s "$1" "$2" "$3" 3000 2>>"$log" ;;
  esac
}

# expected_of STRATEGY: an environment variable for programs of tests/matrix.
expected_of ()
{
  [ "$1" != grow-data ] || echo SFRAME_MAY_BE_WRITABLE=1
}

# add_program NAME EXPECTED: the file NAME in the current directory.
add_program ()
{
  cp "$1" "$system/old/t/$1"
  plan old "$1" /old "$2" "/t/$1" none
  for kind in real slack evict grow-down grow-data; do
    strategy=$(convert $kind "$1" "$system/old/t/$1.$kind")
    case $kind:$strategy in
      *:) ;;
      real:*)
        plan new "$1: $strategy" /old "$2" $(expected_of "$strategy") \
          "/t/$1.$kind" sframe ;;
      *)
        plan new "$1: $strategy, forced" /old "$2" \
          $(expected_of "$strategy") "/t/$1.$kind" sframe ;;
    esac
  done
}

mode_flags ()
{
  case $1 in
    pie) echo "-fPIE -pie" ;;
    no-pie) echo "-fno-pie -no-pie" ;;
    static) echo "-fno-pie -static -no-pie" ;;
    static-pie) echo "-fPIE -static-pie" ;;
    noseparate) echo "-fPIE -pie -Wl,-z,noseparate-code" ;;
    page64k) echo "-fPIE -pie -Wl,-z,max-page-size=65536" ;;
    page2m) echo "-fPIE -pie -Wl,-z,max-page-size=2097152" ;;
    page2m-no-pie) echo "-fno-pie -no-pie -Wl,-z,max-page-size=2097152" ;;
  esac
}

# build_program NAME EXPECTED COMPILER...
build_program ()
{
  built=$1
  expected=$2
  shift 2
  if ! command -v "$1" >/dev/null; then
    not_made "$built" "$1 not found"
  elif ! "$@" -o "$built" >>"$log" 2>&1; then
    not_made "$built" "it does not link"
  else
    add_program "$built" "$expected"
  fi
}

build_linked ()
{
  for linker in bfd gold lld mold; do
    if ! command -v "ld.$linker" >/dev/null; then
      not_made "programs of $linker" "ld.$linker not found"
      continue
    fi
    for mode in pie no-pie static static-pie noseparate page64k page2m \
      page2m-no-pie; do
      build_program "c-$linker-$mode" "all good" $CC $cflags \
        -fuse-ld=$linker $(mode_flags $mode) "$sources/prog.c"
    done
    for mode in pie static static-pie; do
      build_program "c++-$linker-$mode" "program good" $CXX $cflags \
        -fuse-ld=$linker $(mode_flags $mode) "$matrix/prog.cc"
    done
    add_library "lib-$linker.so" $linker
  done
}

# A library, loaded with dlopen.
add_library ()
{
  library=$1
  $CXX $cflags -fPIC -shared -fuse-ld="$2" "$matrix/lib.cc" -o "$library" \
    >>"$log" 2>&1 || { not_made "$library" "it does not link"; return; }
  cp "$library" "$system/old/t"
  plan old "$library" /old "program good" /t/load "/t/$library" none
  for kind in real slack evict grow-data; do
    strategy=$(convert $kind "$library" "$system/old/t/$library.$kind")
    [ -z "$strategy" ] || plan new "$library: $strategy ($kind)" /old \
      "program good" $(expected_of "$strategy") /t/load "/t/$library.$kind" \
      sframe
  done
}

build_others ()
{
  for mode in pie no-pie static static-pie; do
    build_program "musl-$mode" "program good" musl-gcc $cflags \
      $(mode_flags $mode) "$matrix/prog.c"
  done
  GOCACHE=$work/go-cache GO111MODULE=off GOFLAGS="" CGO_ENABLED=0
  export GOCACHE GO111MODULE GOFLAGS CGO_ENABLED
  cp "$matrix/prog.go" "$matrix/prog.rs" .
  build_go go-static
  build_go go-pie -buildmode=pie
  build_program rust-pie "program good" rustc -O prog.rs
  build_program rust-static "program good" rustc -O \
    -C target-feature=+crt-static prog.rs
}

build_go ()
{
  go_name=$1
  shift
  if ! command -v go >/dev/null \
    || ! go build "$@" -o "$go_name" prog.go >>"$log" 2>&1; then
    not_made "$go_name" "it cannot be built"
  else
    add_program "$go_name" "program good"
  fi
}

# ---- Dynamic loaders

# change TOOL FILE: change a converted file by a tool that people use.
change ()
{
  case $1 in
    patchelf) patchelf --set-rpath /nowhere/at/all "$2" ;;
    *) "$1" "$2" ;;
  esac >>"$log" 2>&1
}

# loader_user KIND NAME LOADER none|sframe COMPILER...: a program that the
# kernel starts with /ld/LOADER.
loader_user ()
{
  user_kind=$1 user_name=$2 user_loader=$3 user_sframe=$4
  shift 4
  "$@" -Wl,--dynamic-linker="/ld/$user_loader" "$sources/prog.c" \
    -o "$system/old/t/with-$user_loader" >>"$log" 2>&1 \
    || { not_made "$user_name" "does not link"; return; }
  plan "$user_kind" "$user_name" /old "all good" "/t/with-$user_loader" none \
    "$user_sframe"
}

# add_loader NAME FILE COMPILER...: the loader as it is, converted, and after each
# tool.
add_loader ()
{
  loader=$1
  file=$2
  shift 2
  [ -e "$file" ] || { not_made "$loader" "$file not found"; return; }
  cp -L "$file" "$loader"
  # .sframe of 2 bytes is the magic alone; with 4096 and 4000 it ends close to a
  # page's end.
  for kind in real slack 2 3000 4000 4096 300000; do
    case $loader:$kind in ld-shim*:[0-9]*) continue ;; esac
    strategy=$(convert $kind "$loader" "$loader.$kind")
    [ -z "$strategy" ] || echo "$strategy" >"$loader.$kind.strategy"
  done
  for tool in '' strip objcopy eu-strip llvm-strip patchelf; do
    [ -z "$tool" ] || command -v $tool >/dev/null || continue
    add_loader_kinds "$tool" "$@"
  done
  add_bad_loader "$@"
}

# put_loader TOOL FROM TO
put_loader ()
{
  cp "$2" "$system/old/ld/$3"
  chmod +x "$system/old/ld/$3"
  if [ -n "$1" ] && ! change "$1" "$system/old/ld/$3"; then
    rm -f "$system/old/ld/$3"
    return 1
  fi
}

# add_loader_kinds TOOL COMPILER...: $loader and its converted forms, all of them after
# TOOL.
add_loader_kinds ()
{
  tool=$1
  shift
  then=${tool:+", then $tool"}
  put_loader "$tool" "$loader" "$loader.$tool" || return
  loader_user old "$loader$then" "$loader.$tool" none "$@"
  for kind in real slack 2 3000 4000 4096 300000; do
    [ -e "$loader.$kind.strategy" ] || continue
    name="$loader: $(cat "$loader.$kind.strategy") ($kind)$then"
    if put_loader "$tool" "$loader.$kind" "$loader.$kind.$tool"; then
      loader_user new "$name" "$loader.$kind.$tool" sframe "$@"
    else
      not_made "$name" "$tool fails"
    fi
  done
}

add_bad_loader ()
{
  put_loader '' "$loader" "$loader.trailing"
  if ./spoil "$system/old/ld/$loader.trailing"; then
    loader_user bad-before-6.7 "$loader with a segment behind its BSS" \
      "$loader.trailing" none "$@"
  else
    rm -f "$system/old/ld/$loader.trailing"
    not_made "$loader with a segment behind its BSS" "no header to take"
  fi
}

build_loaders ()
{
  add_loader loader-glibc /lib64/ld-linux-x86-64.so.2 $CC $cflags
  add_loader loader-musl /lib/ld-musl-x86_64.so.1 musl-gcc $cflags
  # cfi2sframe knows loaders by their names (ld-*), which inject_blob does not look at.
  # The flags leave no slack in the file, and enough tables that can move.
  if $CC -O2 -fno-stack-protector -fPIE -nostdlib -static-pie \
    -Wl,-E,-z,noseparate-code,-z,norelro,--hash-style=both \
    "$sources/shim.c" -o shim >>"$log" 2>&1; then
    add_loader ld-shim.so ./shim $CC $cflags
    if convert evict ld-shim.so ld-shim.so.program >/dev/null; then
      put_loader '' ld-shim.so.program ld-shim.so.program
      loader_user bad-before-6.7 "ld-shim.so converted as a program" \
        ld-shim.so.program sframe $CC $cflags
    else
      not_made "ld-shim.so converted as a program" "no place behind its BSS"
    fi
  else
    not_made ld-shim.so "it does not link"
  fi
}

# ---- A small system, as a whole

# copy_with_libraries FILE...: copy them to the same places below /old.
copy_with_libraries ()
{
  for file; do
    [ -e "$file" ] || continue
    for part in "$file" $(libraries_of "$file"); do
      mkdir -p "$system/old/${part%/*}"
      cp -L "$part" "$system/old/$part"
    done
  done
}

# plan_both NAME EXPECTED PROGRAM [ARGUMENT...]: plan it in /old and in /new.
plan_both ()
{
  both=$1
  shift
  [ -e "$system/old/$2" ] || { not_made "$both" "$2 not found"; return; }
  plan old "$both" /old "$@"
  plan new "$both, everything converted" /new "$@"
}

build_system ()
{
  copy_with_libraries /bin/bash /bin/busybox /usr/bin/perl \
    /usr/bin/python3.11 $(libraries_of ./c++-bfd-pie)
  [ ! -d /usr/lib/python3.11/encodings ] \
    || cp -r /usr/lib/python3.11/encodings "$system/old/usr/lib/python3.11"
  rm -rf "$system/old/usr/lib/python3.11/encodings/__pycache__"
  cp c-bfd-pie c++-bfd-pie "$system/old/bin"
  [ ! -e musl-pie ] || cp musl-pie "$system/old/bin"
  mkdir -p "$system/old/lib"
  [ ! -e /lib/ld-musl-x86_64.so.1 ] \
    || cp -L /lib/ld-musl-x86_64.so.1 "$system/old/lib"
  # /t and /ld are left out: they have their files in both forms already.
  mkdir "$system/new"
  (cd "$system/old" && tar -cf - --exclude=./t --exclude=./ld .) \
    | tar -xf - -C "$system/new"
  "$build/src/cfi2sframe" -r --stats=json "$system/new" >"$work/new.json" \
    2>>"$log" || die "conversion failed; see $log"
  echo "# $(grep -c '"status" *: *"converted"' "$work/new.json") files" \
    "converted in /new"

  # shellcheck disable=SC2016
  plan_both bash good3 /bin/bash -c \
    'for i in 1 2 3; do (exit $i) || echo $?; done | while read a; do echo good$a; done'
  plan_both busybox good /bin/busybox sh -c 'busybox echo good'
  plan_both python good999 /usr/bin/python3.11 -SEBI -c \
    'import _thread, math; l = _thread.allocate_lock(); l.acquire(); _thread.start_new_thread(l.release, ()); l.acquire(); print("good" + str(len([math.sin(i) for i in range(999)])))'
  # shellcheck disable=SC2016
  plan_both perl good7 /usr/bin/perl -e \
    'my $p = fork; exit 7 unless $p; waitpid $p, 0; print "good", $? >> 8, "\n"'
  plan old "C, glibc" /old "all good" /bin/c-bfd-pie none none
  plan new "C, glibc, everything converted" /new "all good" /bin/c-bfd-pie \
    sframe sframe
  plan_both "C++" "program good" /bin/c++-bfd-pie
  plan_both "ld.so as a program" "good3" /lib64/ld-linux-x86-64.so.2 /bin/bash \
    -c 'echo good3'
  plan_both "ld.so --list" "libc.so.6 =>" /lib64/ld-linux-x86-64.so.2 --list \
    /bin/bash
  plan_both "musl" "program good" /bin/musl-pie
  plan_both "musl's loader as a program" "program good" \
    /lib/ld-musl-x86_64.so.1 /bin/musl-pie
}

# The C library, bash and perl of the release $1.
build_userland ()
{
  suite_prepare "$1" || { not_made "userland of $1" "no package lists"; return; }
  for package in libc6 libtinfo6 libcrypt1 bash perl-base; do
    suite_unpack "$1" $package . || not_made "$package of $1" "no package"
  done
  land=$1
  mkdir "$system/old-$land" "$system/new-$land"
  (cd "$state/files" && find . -path ./boot -prune -o \
    ! -path '*/share/*' ! -path '*/gconv/*' -print | cpio -o -H newc --quiet) \
    >"$work/land.cpio"
  for land_root in "$system/old-$land" "$system/new-$land"; do
    (cd "$land_root" && cpio -idm --quiet <"$work/land.cpio"
      # Packages since trixie rely on these links of the base system.
      for folder in bin lib lib64; do
        [ -e $folder ] || ln -s usr/$folder $folder
      done)
  done
  "$build/src/cfi2sframe" -rq "$system/new-$land" >>"$log" 2>&1 \
    || die "conversion failed; see $log"
  plan_userland "bash of $land" good3 /bin/bash -c 'echo good3'
  # shellcheck disable=SC2016
  plan_userland "perl of $land" good7 /usr/bin/perl -e \
    'my $p = fork; exit 7 unless $p; waitpid $p, 0; print "good", $? >> 8, "\n"'
  plan_userland "ld.so of $land as a program" good4 \
    /lib64/ld-linux-x86-64.so.2 /bin/bash -c 'echo good4'
}

plan_userland ()
{
  userland_name=$1
  shift
  plan old "$userland_name" "/old-$land" "$@"
  plan new "$userland_name, everything converted" "/new-$land" "$@"
}

# ---- Boot

# boot KERNEL: print the TAP of the machine; fail if something is not well.
boot ()
{
  name=${1##*/}
  tap=$work/$name.tap
  rm -f "$tap"
  timeout 1800 qemu-system-x86_64 -accel "$accel" -cpu max -m 2048 \
    -display none -vga none -net none -no-reboot \
    -serial "file:$work/$name.console" -serial "file:$tap" \
    -kernel "$1" -initrd "$work/initrd" \
    -append "console=ttyS0 quiet panic=-1 edd=off no_timer_check \
print-fatal-signals=1" \
    >>"$log" 2>&1 </dev/null
  print_tap "$name" "$tap" "$work/$name.console"
}

if ! $CC $cflags -static "$sources/init.c" -o "$system/init" \
  || ! $CC $cflags "$sources/spoil.c" -o spoil \
  || ! $CC $cflags "$matrix/load.c" -o "$system/old/t/load" -ldl
then
  die "the test programs do not build"
fi
build_linked
build_others
build_loaders
build_system
for suite in $userlands; do
  build_userland "$suite"
done
printf '%s\n' "$skipped" | grep .
(cd "$system" && find . | sort | cpio -o -H newc --quiet) >"$work/initrd" \
  || die "cpio failed"

status=0
for kernel in $kernels; do
  boot "$kernel" || status=1
done
exit $status
