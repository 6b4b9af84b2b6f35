#!/usr/bin/env bats
# aarch64 and s390x: cross-compiled programs, converted, checked and run.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# A C++ program with exceptions, threads' local data and a C part.
program_sources ()
{
  cat >program.cc <<'END'
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
thread_local int counter;
__attribute__ ((noinline)) int
deep (int n)
{
  std::string s (n, 'x');
  if (n > 5)
    throw std::out_of_range (s);
  counter++;
  return deep (n + 1) + (int)s.size ();
}
int
main ()
{
  std::vector<double> v (100, 1.5);
  double sum = 0;
  for (double d : v)
    sum += d;
  try { deep (0); }
  catch (std::exception &e) { std::printf ("%s %d %g\n", e.what (), counter, sum); }
  return 0;
}
END
}

# No row of FILE is wrong: the tool's own check and, if built, sframe-prove.
rows_are_right ()
{
  exits 0 --check "$1"
  is_proved "$1"
}

# Compile for MACHINE with OPTIONS, run, convert, run again.
convert_and_run ()
{
  local machine=$1 version
  shift
  program_sources
  "$machine-linux-gnu-g++" -O2 "$@" program.cc -o program
  [ "$(run_foreign "$machine" program)" = "xxxxxx 6 150" ]
  for version in 3 2; do
    cp program converted
    exits 0 --format=$version converted
    silent
    rows_are_right converted
    [ "$(run_foreign "$machine" converted)" = "xxxxxx 6 150" ]
  done
}

run_foreign ()
{
  "qemu-$1" -L "/usr/$1-linux-gnu" "./$2"
}

@test "aarch64: programs and static programs" {
  needs aarch64-linux-gnu-g++ qemu-aarch64
  convert_and_run aarch64
  convert_and_run aarch64 -static
  convert_and_run aarch64 -no-pie -Wl,-z,max-page-size=4096
}

@test "aarch64: pointer authentication and branch targets" {
  needs aarch64-linux-gnu-g++ qemu-aarch64
  convert_and_run aarch64 -mbranch-protection=standard
  # Debian's crt files have no landing pads and glibc does not sign the GOT:
  # these cannot run, converted or not.
  aarch64-linux-gnu-g++ -O2 -mbranch-protection=standard -no-pie -c program.cc
  for options in force-bti pac-plt "force-bti -Wl,-z,pac-plt"; do
    # shellcheck disable=SC2086
    aarch64-linux-gnu-g++ -no-pie -Wl,-z,$options program.o -o protected \
      2>/dev/null
    exits 0 protected
    rows_are_right protected
  done
}

@test "s390x: programs and static programs" {
  needs s390x-linux-gnu-g++ qemu-s390x
  convert_and_run s390x
  convert_and_run s390x -static
  convert_and_run s390x -no-pie -O0
}

@test "s390x: V1 and V2 without PCREL do not know it" {
  needs s390x-linux-gnu-gcc
  echo 'int f (int a) { return a; }' >f.c
  s390x-linux-gnu-gcc -shared -fPIC f.c -o f.so
  for version in 1 2.0; do
    exits 1 --format=$version f.so
    [[ $stderr == *"does not know s390x"* ]] || report
  done
  s390x-linux-gnu-gcc -c f.c -o f.o
  exits 1 --relocatable --format=1 f.o
}

# One function each with a frame, a signed RA and FP kept apart.
aarch64_source ()
{
  cat <<'END'
	.text
	.globl frame
frame:	.cfi_startproc
	.cfi_b_key_frame
	hint 27
	.cfi_negate_ra_state
	stp x29,x30,[sp,#-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29,-32
	.cfi_offset 30,-24
	mov x29,sp
	.cfi_def_cfa_register 29
	nop
	ldp x29,x30,[sp],#32
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa 31,0
	hint 31
	.cfi_negate_ra_state
	ret
	.cfi_endproc
	.globl leaf
leaf:	.cfi_startproc
	ret
	.cfi_endproc
END
}

@test "aarch64, big-endian: the object GNU as 2.40 writes, byte for byte" {
  needs aarch64-linux-gnu-as aarch64-linux-gnu-objcopy
  aarch64_source >f.s
  aarch64-linux-gnu-as -mbig-endian f.s -o f.o
  for version in 1 2 3; do
    cp f.o converted.o
    exits 0 -v --relocatable --format=$version converted.o
    [[ $output == *"for aarch64_be"*"2 of 2 functions"* ]] || report
    aarch64-linux-gnu-objcopy -O binary --only-section=.sframe converted.o raw
    # magic in target byte order, version, flags, ABI 1
    [[ "$(od -An -tx1 -N5 raw)" == " de e2 0$version 0"?" 01" ]] \
      || { od -An -tx1 raw; return 1; }
  done
  aarch64-linux-gnu-as -mbig-endian --gsframe f.s -o gnu.o 2>/dev/null \
    || skip "as has no --gsframe"
  aarch64-linux-gnu-objcopy -O binary --only-section=.sframe gnu.o gnu.bin
  [ "$(od -An -tu1 -j2 -N1 gnu.bin)" -eq 1 ] || skip "as writes another version"
  exits 0 --relocatable --gnu=bugs --format=1 f.o
  aarch64-linux-gnu-objcopy -O binary --only-section=.sframe f.o ours.bin
  cmp gnu.bin ours.bin
}

@test "aarch64, big-endian: a linked program without system library" {
  needs aarch64-linux-gnu-as aarch64-linux-gnu-ld qemu-aarch64_be
  {
    aarch64_source
    cat <<'END'
	.globl _start
_start:	.cfi_startproc
	.cfi_undefined 30
	bl frame
	bl leaf
	mov x8,#93
	mov x0,#7
	svc #0
	.cfi_endproc
END
  } >f.s
  aarch64-linux-gnu-as -mbig-endian f.s -o f.o
  aarch64-linux-gnu-ld -EB -m aarch64linuxb f.o -o program
  run qemu-aarch64_be ./program
  [ "$status" -eq 7 ]
  exits 0 -v program
  [[ $output == *"3 of 3 functions"* ]] || report
  rows_are_right program
  run qemu-aarch64_be ./program
  [ "$status" -eq 7 ]
}
