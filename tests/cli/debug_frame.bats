#!/usr/bin/env bats
# CFI in .debug_frame and in separate debug files.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

# What tests/cli/helpers.bash compiles, without .eh_frame of its own.
debug_program ()
{
  small_program "$1" -g -fno-asynchronous-unwind-tables "${@:2}"
}

# Two programs of the same code: `eh' with .eh_frame, `debug' without.
both_programs ()
{
  small_program eh
  debug_program debug "$@"
}

# marked_program NAME SECTION: the same with an empty note or table in SECTION,
# which is how a tool is told.
marked_program ()
{
  printf '.section %s,"a"\n.long 0, 0, 0\n' "$2" >mark.s
  as mark.s -o mark.o
  debug_program "$1" mark.o
}

rows_are_equal ()
{
  "$CFI2SFRAME" -o eh.out eh && "$CFI2SFRAME" -o debug.out debug "$@" \
    && "$CFI2SFRAME" --compare eh.out debug.out
}

# Strip PROGRAM, its debug file becomes $2.
split_off ()
{
  objcopy --only-keep-debug "$1" "$2"
  strip "$1"
}

has_no_rows_of_its_own ()
{
  "$CFI2SFRAME" -n --stats=json "$@" >stats
  grep '"debug_frame_functions":[1-9]' stats && return 1
  grep '"debug_file_functions":[1-9]' stats && return 1
  true
}

@test ".debug_frame gives the rows of .eh_frame" {
  needs cc
  both_programs
  rows_are_equal
  "$CFI2SFRAME" --check debug.out
  is_proved debug.out
  ./debug.out | cmp - <(./eh)
}

# The ratio was 0.006 "of .eh_frame + .eh_frame_hdr" where a large .debug_frame
# was set aside; right was 0.86.
@test "the size is not compared with a .debug_frame that gave no rows" {
  needs cc
  mkdir tree
  echo 'asm (".cfi_sections .eh_frame, .debug_frame");' >twice.c
  local i
  for i in $(seq 200); do
    echo "int g$i (int a); int g$i (int a) { return a * $i; }"
  done >>twice.c
  small_program tree/twice -g twice.c
  "$CFI2SFRAME" -n -r --stats=json tree | head -n 1 >stats
  grep '"set_aside":20[0-9]' stats
  local ratio
  ratio=$(sed 's/.*"eh_frame_bytes":\([0-9]*\),"eh_frame_hdr_bytes":\([0-9]*\),"sframe_bytes":\([0-9]*\).*/\3 \1 \2/' \
    stats | awk '{ printf "%.3f %.2f\n", $1 / ($2 + $3), $1 / ($2 + $3) }')
  run "$CFI2SFRAME" -n -r tree
  [[ $output == *" bytes, ${ratio% *} of .eh_frame + .eh_frame_hdr"$'\n'* ]] || report
  run "$CFI2SFRAME" -n -v tree/twice
  [[ $output == *" (${ratio#* } of .eh_frame + .eh_frame_hdr), "* ]] || report
}

@test "sizes of files with .debug_frame alone are in no ratio to .eh_frame" {
  needs cc
  mkdir tree
  small_program tree/eh
  "$CFI2SFRAME" -n -r tree | grep "^  .sframe: .* bytes, .* of .eh_frame" >alone
  debug_program tree/debug
  "$CFI2SFRAME" -n -r tree >both
  grep -F "$(sed 's/.* bytes, //' alone) (without 1 file with functions from .debug_frame)" both
  rm tree/eh
  "$CFI2SFRAME" -n -r tree | grep "^  .sframe: [0-9]* bytes (without 1 file"
}

@test ".debug_frame of aarch64 and s390x" {
  needs aarch64-linux-gnu-gcc s390x-linux-gnu-gcc
  for machine in aarch64 s390x; do
    CC=$machine-linux-gnu-gcc small_program eh
    for option in "" -mbranch-protection=standard -gdwarf-2; do
      [[ $machine-$option != s390x-*branch* ]] || continue
      CC=$machine-linux-gnu-gcc small_program eh $option
      CC=$machine-linux-gnu-gcc debug_program debug $option
      rows_are_equal
      "$CFI2SFRAME" --check debug.out
      is_proved debug.out
    done
  done
}

@test ".debug_frame in the 64-bit format" {
  needs clang
  small_program eh
  CC=clang debug_program debug -gdwarf64 -gdwarf-5
  readelf --debug-dump=frames debug | grep "ffffffffffffffff CIE" \
    || skip "this clang does not write it"
  "$CFI2SFRAME" --stats=json -o debug.out debug | grep '"debug_frame_functions":[1-9]'
  "$CFI2SFRAME" --check debug.out
  is_proved debug.out
}

@test "compressed .debug_frame gives the same section" {
  needs cc objcopy
  debug_program debug
  "$CFI2SFRAME" --section-only=plain debug
  local form packed=0
  for form in zlib zlib-gnu zlib-gabi; do
    objcopy --compress-debug-sections=$form debug packed
    readelf -SW packed | grep -q "debug_frame.*C\|zdebug_frame" || continue
    "$CFI2SFRAME" --section-only=section packed
    cmp plain section
    packed=$((packed + 1))
  done
  [ "$packed" -gt 0 ] || skip "this objcopy does not compress .debug_frame"
}

@test "a .debug_frame whose compression is damaged is not used, with a note" {
  needs cc objcopy readelf
  debug_program debug
  objcopy --compress-debug-sections=zlib debug packed
  offset=$(readelf -SW packed | sed -n 's/.* \.debug_frame *[A-Z]* *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
  [ -n "$offset" ] || skip "this objcopy does not compress .debug_frame"
  copy packed bomb
  # ch_size: a petabyte
  printf '\0\0\0\0\0\0\4\0' | dd of=bomb bs=1 seek=$((0x$offset + 8)) conv=notrunc status=none
  run "$CFI2SFRAME" -n -v bomb
  [ "$status" -eq 0 ]
  [[ $output == *"compression header is damaged"* ]]
  copy packed broken
  printf '\377\377\377\377' | dd of=broken bs=1 seek=$((0x$offset + 24)) conv=notrunc status=none
  run "$CFI2SFRAME" -n -v broken
  [ "$status" -eq 0 ]
  [[ $output == *"cannot be decompressed"* ]]
}

@test "--debug-info=none reads .eh_frame only" {
  needs cc
  debug_program debug
  has_no_rows_of_its_own --debug-info=none debug
}

@test "statistics tell which section functions come from" {
  needs cc
  debug_program debug
  "$CFI2SFRAME" -n --stats=json debug >stats
  grep '"debug_frame_functions":[1-9]' stats
  grep '"debug_file_functions":0' stats
  "$CFI2SFRAME" -n --stats debug | grep "from .debug_frame [1-9]"
  "$CFI2SFRAME" -n -v debug | grep "from .debug_frame [1-9]"
}

@test "where both sections describe a function .eh_frame counts" {
  needs cc
  small_program eh
  cc -O2 -S small.c -o small.s
  { echo '	.cfi_sections .eh_frame, .debug_frame'; cat small.s; } >both.s
  cc -o both both.s
  "$CFI2SFRAME" --stats=json -o both.out both >stats
  grep '"set_aside":[1-9]' stats
  grep '"contradictions":0' stats
  grep '"debug_frame_functions":0' stats
  "$CFI2SFRAME" -o eh.out eh
  "$CFI2SFRAME" --compare eh.out both.out
}

@test "a contradicting .debug_frame is counted and changes nothing" {
  needs cc readelf
  small_program eh
  cc -O2 -S small.c -o small.s
  { echo '	.cfi_sections .eh_frame, .debug_frame'; cat small.s; } >both.s
  cc -o both both.s
  "$CFI2SFRAME" --section-only=before both
  # The CFA of its CIE: rsp + 8 becomes rsp + 16.
  python3 - both <<'END' || skip "no python3"
import subprocess, sys
name = sys.argv[1]
for line in subprocess.check_output(["readelf", "-SW", name], text=True).splitlines():
    words = line.replace("[ ", "[").split()
    if len(words) > 5 and words[1] == ".debug_frame":
        offset, size = int(words[4], 16), int(words[5], 16)
data = bytearray(open(name, "rb").read())
at = data.index(b"\x0c\x07\x08", offset, offset + size)
data[at + 2] = 16
open(name, "wb").write(data)
END
  "$CFI2SFRAME" -n --stats=json both >stats
  grep '"contradictions":[1-9]' stats
  "$CFI2SFRAME" -n -v both | grep "contradict"
  "$CFI2SFRAME" --section-only=after both
  cmp before after
}

@test "functions that the linker dropped leave no rows" {
  needs cc
  # A segment with code that starts at address 0.
  cat >drop.c <<'END'
int used (int n) { return n + 1; }
__attribute__ ((visibility ("hidden"))) int dropped (int n)
{
  char b[300];
  b[n] = 1;
  __asm__ volatile ("" : : "r" (b) : "memory");
  return b[0];
}
END
  cc -g -O1 -fPIC -fno-asynchronous-unwind-tables -ffunction-sections \
    -nostdlib -shared -Wl,--gc-sections,-z,noseparate-code -o drop.so drop.c
  readelf --debug-dump=frames drop.so | grep "FDE.*pc=0000000000000000"
  "$CFI2SFRAME" -n --stats=json drop.so >stats
  grep '"left_out":{}' stats
  grep '"debug_frame_functions":1,' stats
}

# debug_frame WORDS...: a .debug_frame of two CIEs; of the first one, FDEs for
# each ADDRESS SIZE.
debug_frame ()
{
  printf '%s\n' '.section .debug_frame, "", @progbits' \
    'cie: .long 2f - 1f' '1: .long -1' '.byte 3, 0, 1, 0x78, 16, 12, 7, 8, 0x90, 1' \
    '.balign 8' '2:'
  while [ $# -gt 0 ]; do
    printf '%s\n' '.long 2f - 1f' '1: .long cie' ".quad $1, $2" '2:'
    shift 2
  done
}

# gold leaves the offset in the dropped section where other linkers leave 0.
@test "functions of a dropped section leave no rows at their offsets" {
  needs_x86_64_compiler
  local fde fdes=(0 0x40 0x40 0x210 0x260 0x1a0)
  {
    printf '%s\n' .text '.globl f' '.type f, @function' 'f: .skip 0x3000, 0x90' \
      'ret' '.size f, . - f' '.type g, @function' 'g: .skip 0x20, 0x90' '.size g, . - g'
    debug_frame "${fdes[@]}" 0x1400 0x80 f 0x3001 g 0x20
  } >file.s
  "${CC:-cc}" -shared -nostdlib -Wl,-z,separate-code,--build-id=none \
    -o file file.s
  "$CFI2SFRAME" -n --stats=json file >stats
  # f and g are named; what follows 0, and what may be in a section of that
  # size, are not.
  grep '"debug_frame_functions":2,' stats
  # Without the FDE at 0 nothing was dropped.
  sed 's/^\.quad 0, 0x40$/.quad g, 0x20/' file.s >whole.s
  "${CC:-cc}" -shared -nostdlib -Wl,-z,separate-code,--build-id=none \
    -o whole whole.s
  "$CFI2SFRAME" -n --stats=json whole >stats
  run ! grep '"debug_frame_functions":2,' stats
}

@test "functions that gold dropped leave no rows in other code" {
  needs ld.gold
  needs_x86_64_compiler
  for i in {1..80}; do
    echo "int dropped$i (int n) { int b[99]; use (b, n); return b[$i] * $i; }"
  done | sed '1i int use (int *, int);' >dropped.c
  echo 'int use (int *p, int n) { return p[0] = n; }
    int code (int); int main (int n) { return code (n); }' >main.c
  printf '%s\n' .globl\ code 'code: .skip 12000, 0x90' ret >code.s
  "${CC:-cc}" -g -O1 -fPIE -pie -fuse-ld=gold -Wl,--gc-sections \
    -fno-asynchronous-unwind-tables -fno-omit-frame-pointer \
    -Wa,--noexecstack -o file main.c code.s dropped.c
  "$CFI2SFRAME" -n --stats=json file >stats
  grep '"debug_frame_functions":2,' stats
}

@test "the debug file named gives the rows" {
  needs cc objcopy strip
  both_programs
  cp debug whole
  split_off debug debug.debug
  rows_are_equal --debug-file=debug.debug
  "$CFI2SFRAME" --check --debug-file=debug.debug debug.out
  is_proved debug.out whole
  "$CFI2SFRAME" -n --stats=json --debug-file=debug.debug debug \
    | grep '"debug_file_functions":[1-9]'
}

@test "rows from a debug file are for --check code without CFI, unless it is named" {
  needs cc objcopy strip
  debug_program debug
  split_off debug debug.debug
  "$CFI2SFRAME" --debug-file=debug.debug debug
  "$CFI2SFRAME" --check --debug-file=debug.debug debug
  run "$CFI2SFRAME" --check debug
  [[ $status -eq 1 && $output == *"without CFI"* ]] \
    || [[ $status -eq 0 && $output == *"compared with their code"* ]]
}

@test "what is not in the file is not looked for unless asked for" {
  needs cc objcopy strip
  debug_program debug
  split_off debug debug.debug
  objcopy --add-gnu-debuglink=debug.debug debug
  has_no_rows_of_its_own debug
  run ! has_no_rows_of_its_own --debug-info=auto debug
}

@test "a debug file is found by .gnu_debuglink beside the file and in .debug" {
  needs cc objcopy strip
  both_programs
  split_off debug debug.debug
  objcopy --add-gnu-debuglink=debug.debug debug
  rows_are_equal --debug-info=auto
  mkdir .debug && mv debug.debug .debug
  rows_are_equal --debug-info=auto
  "$CFI2SFRAME" -n -v --debug-info=auto debug | grep "debug file: .*/.debug/debug.debug"
}

@test "replacing looks for the debug file beside the file as well" {
  needs cc objcopy strip
  debug_program debug -Wl,--build-id=none
  split_off debug debug.debug
  objcopy --add-gnu-debuglink=debug.debug debug
  "$CFI2SFRAME" --debug-info=auto debug
  cp debug once
  "$CFI2SFRAME" --debug-info=auto --replace debug
  cmp once debug
  "$CFI2SFRAME" --check --debug-info=auto debug
}

@test "a debug file is found in debuginfod's cache by the build-id" {
  needs cc objcopy strip readelf
  both_programs -Wl,--build-id
  split_off debug debug.debug
  mkdir -p "cache/$(build_id_of debug)"
  mv debug.debug "cache/$(build_id_of debug)/debuginfo"
  DEBUGINFOD_CACHE_PATH=$PWD/cache rows_are_equal --debug-info=auto
  mkdir xdg && mv cache xdg/debuginfod_client
  DEBUGINFOD_CACHE_PATH= XDG_CACHE_HOME=$PWD/xdg rows_are_equal --debug-info=auto
  mkdir -p home/.cache && mv xdg/debuginfod_client home/.cache
  DEBUGINFOD_CACHE_PATH= XDG_CACHE_HOME= HOME=$PWD/home \
    rows_are_equal --debug-info=auto
}

@test "another file's debug file is refused when named" {
  needs cc objcopy strip
  debug_program debug -Wl,--build-id
  debug_program other -Wl,--build-id -DOTHER -O1
  split_off debug debug.debug
  split_off other other.debug
  refused debug --debug-file=other.debug
  [[ $stderr == *"another build-id"* ]]
  refused debug --debug-file=none
  [[ $stderr == *"debug file none: cannot open"* ]]
  echo text >text
  refused debug --debug-file=text
  [[ $stderr == *"debug file text: not an ELF file"* ]]
}

@test "another file's debug file is passed over when found" {
  needs cc objcopy strip
  debug_program debug -Wl,--build-id
  debug_program other -Wl,--build-id -DOTHER -O1
  split_off debug debug.debug
  split_off other other.debug
  objcopy --add-gnu-debuglink=debug.debug debug
  mv other.debug debug.debug
  run "$CFI2SFRAME" -n -v --debug-info=auto debug
  [ "$status" -eq 0 ]
  [[ $output == *"another build-id"* ]]
  has_no_rows_of_its_own --debug-info=auto debug
}

@test "without build-id the CRC decides" {
  needs cc objcopy strip
  both_programs -Wl,--build-id=none
  split_off debug debug.debug
  refused debug --debug-file=debug.debug
  [[ $stderr == *"neither a build-id"* ]]
  objcopy --add-gnu-debuglink=debug.debug debug
  rows_are_equal --debug-info=auto
  rows_are_equal --debug-file=debug.debug
  printf x >>debug.debug
  refused debug --debug-file=debug.debug
  [[ $stderr == *"not the CRC"* ]]
  has_no_rows_of_its_own --debug-info=auto debug
}

@test "a debug file with its code at other addresses is refused" {
  needs cc objcopy strip
  debug_program debug -Wl,--build-id=0x123456789abcdef0
  debug_program other -Wl,--build-id=0x123456789abcdef0 -nostartfiles -Wl,-e,main
  split_off debug debug.debug
  split_off other other.debug
  refused debug --debug-file=other.debug
  [[ $stderr == *"at other addresses"* ]] || report
}

@test "a debug file goes with one file" {
  run ! "$CFI2SFRAME" --debug-file=a b c
  [[ $output == *"goes with one input file"* ]]
  run ! "$CFI2SFRAME" --debug-file=a -r b
  [[ $output == *"goes with one input file"* ]]
  run ! "$CFI2SFRAME" --debug-file=a --debug-info=none b
  [[ $output == *"contradicts"* ]]
  run ! "$CFI2SFRAME" --debug-info=other b
  [[ $output == *"unknown value 'other'"* ]]
  run ! "$CFI2SFRAME" --dump --debug-info=auto b
  [[ $output == *"has no effect"* ]]
}

@test "what BOLT leaves in .debug_frame is not used" {
  needs cc as
  marked_program debug .note.bolt_info
  has_no_rows_of_its_own debug
  "$CFI2SFRAME" -n -v debug | grep "note: .*BOLT"
}

@test "CFI of Go and GraalVM does not tell where the frame pointer is" {
  needs cc as
  for section in .gopclntab .note.go.buildid .svm_heap; do
    marked_program marked $section
    "$CFI2SFRAME" -n --stats=json marked >stats
    grep '"fp-unknown":[1-9]' stats
    "$CFI2SFRAME" -o marked.out marked
    run "$CFI2SFRAME" --check marked.out
    [ "$status" -eq 0 ]
  done
}

@test "so is CFI of other compilers that never mention the frame pointer" {
  needs cc
  [ "$(uname -m)" = x86_64 ] || skip "assembler of x86-64"
  { echo '	.cfi_sections .debug_frame'
    echo '	.globl main'
    for i in $(seq 40); do
      printf 'f%d:\n	.cfi_startproc\n	push %%rbp\n	.cfi_adjust_cfa_offset 8\n	pop %%rbp\n	.cfi_adjust_cfa_offset -8\n	ret\n	.cfi_endproc\n' "$i"
    done
    printf 'main:	xor %%eax, %%eax\n	ret\n'
    echo '	.section .note.GNU-stack,"",@progbits'; } >silent.s
  cc -o silent silent.s
  "$CFI2SFRAME" -n --stats=json silent >stats
  grep '"fp-unknown":40' stats
  sed 's/\.cfi_adjust_cfa_offset 8/&\n	.cfi_rel_offset %rbp, 0/' silent.s >speaking.s
  cc -o speaking speaking.s
  "$CFI2SFRAME" -n --stats=json speaking >stats
  run ! grep fp-unknown stats
  grep '"debug_frame_functions":40' stats
}

@test "--analyze describes what .debug_frame leaves in the dark" {
  needs cc objcopy
  "$CFI2SFRAME" --lint "$(program_file ls)" >lint 2>&1 || true
  ! grep "cannot analyse" lint || skip "no code analysis"
  marked_program debug .gopclntab
  "$CFI2SFRAME" --analyze --stats=json -o debug.out debug >stats
  grep '"functions_from_code":[1-9]' stats
  "$CFI2SFRAME" --check debug.out
}

# GCC does not say that a frame pointer is popped: the CFI looks for it where it
# still lies.  What the code alone comes to is that it is back in its register.
@test "--check finds rows from .debug_frame right when that is stripped, and only those" {
  needs strip
  needs_x86_64_compiler
  "$CFI2SFRAME" --lint -q "$(program_file ls)" 2>errors || [ $? -eq 3 ] || needs_analysis
  local options offset size at
  for options in -O0 -O1 "-O2 -fno-omit-frame-pointer"; do
    small_program small -g -fno-asynchronous-unwind-tables -fno-unwind-tables $options
    convert -o new small
    strip new
    exits 0 --check new
    [[ $output == *", 0 wrong, "*" without SFrame data, 0 without CFI"* ]] || report
    skipped new --replace=auto --debug-info=none
    # One whose FP is looked for in another word.
    read -r offset size < <(section new .sframe)
    at=$((offset + size - 1))
    while [ "$(peek new $at 1)" -ne 240 ]; do at=$((at - 1)); done
    poke new $at e8
    exits 1 --check new
    [[ $stderr == *"FP is "*", at CFA-24 in .sframe" ]] || report
  done
}
