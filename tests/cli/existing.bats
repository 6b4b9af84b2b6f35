#!/usr/bin/env bats
# Files that have an .sframe already: converting again, --replace, --remove,
# --undo.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

# A program whose .sframe is the linker's, from an assembler that makes one.
linked_with_sframe ()
{
  small_program probe -Wa,--gsframe "${@:2}" 2>/dev/null \
    || skip "the assembler knows no --gsframe"
  section probe .sframe >place
  [ -s place ] || skip "the linker leaves no .sframe"
  mv probe "$1"
}

# One .sframe section, one PT_GNU_SFRAME, at the same place.
one_sframe ()
{
  local sections segments
  sections=$(readelf -SW "$1" 2>/dev/null | sed -n 's/^ *\[ *[0-9]*\] \.sframe  *[^ ]* *\([0-9a-f]*\) \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2 \3/p')
  segments=$(readelf -lW "$1" 2>/dev/null | grep -E 'GNU_SFRAME|0x6474e554|LOOS\+0x474e554' | awk '{ print $3, $2, $5 }' | sed 's/0x//g')
  [ "$(printf '%s\n' "$sections" | wc -l)" -eq 1 ]
  read -r a o s <<<"$sections"
  read -r va vo vs <<<"$segments"
  echo "section $sections, segment $segments"
  [ $((16#$a)) -eq $((16#$va)) ]
  [ $((16#$o)) -eq $((16#$vo)) ]
  [ $((16#$s)) -eq $((16#$vs)) ]
}

# --replace of FILE, which was made of ORIGINAL, makes what one --replace of
# ORIGINAL does.
replaced_again ()
{
  local format
  for format in 2 3; do
    convert --replace --format=$format -o wanted "$2"
    convert --replace --format=$format "$1"
    cmp wanted "$1"
    rm wanted
  done
}

# FILE is left as it is, with a warning that holds TEXT.
stays_with_warning ()
{
  local before
  before=$(checksum "$1")
  exits 0 "$1"
  [ -z "$output" ] || report
  [[ $stderr == "cfi2sframe: $1: warning: the .sframe that is there $2"* ]] || report
  [ "$(checksum "$1")" = "$before" ]
}

# What is to be said of FILE's .sframe, which is the linker's and describes the
# start files at most: GNU ld from 2.45 on also describes .plt.got, wrongly.
linkers_problem ()
{
  if "$CFI2SFRAME" --check "$1" 2>/dev/null | grep -q ' 0 wrong, '; then
    echo "describes only"
  else
    readelf -SW "$1" | grep -q ' \.plt\.got ' || return 1
    echo "is wrong: "
  fi
}

# Convert FILE with OPTIONS and undo that.
undone ()
{
  local file=$1
  shift
  [ -e "$file" ] || skip "$file is not here"
  copy "$file" f
  convert "$@" f
  run ! cmp -s "$file" f
  convert --undo f
  cmp "$file" f
  only_files f
}

@test "undo gives back every byte of programs and libraries" {
  local file
  for file in "$(program_file bash)" "$(program_file python3)" \
              "$(library_file libc.so.6)" "$(library_file libstdc++.so.6)" \
              "$(library_file libcrypto.so.3)" \
              "$(readlink -f /lib64/ld-linux-x86-64.so.2)"; do
    undone "$file"
  done
}

@test "undo gives back every byte: all formats" {
  local format
  for format in 3 2 2.0 1; do
    undone "$(program_file bash)" --format=$format
  done
}

@test "undo gives back every byte: every strategy" {
  local linker mode seen=
  mkdir files
  small_program
  "${CC:-cc}" -O2 -c small.c
  for linker in bfd gold lld mold; do
    for mode in "-no-pie" "-static" "-static-pie" "-pie" \
      "-pie -Wl,-z,max-page-size=0x200000" "-no-pie -Wl,-z,noseparate-code"; do
      "${CC:-cc}" -o files/in small.o -fuse-ld=$linker $mode 2>/dev/null \
        || continue
      cp files/in files/f
      tool -v files/f
      [ "$status" -eq 0 ] || continue
      seen+=" $output"
      exits 0 --undo files/f
      cmp files/in files/f
    done
  done
  echo "$seen"
  [[ $seen == *evict* ]]
  [[ $seen == *grow-down* ]]
}

@test "undo with -o leaves the input alone" {
  small_program in
  convert -o f in
  cp f g
  convert --undo -o back f
  cmp back in
  cmp f g
}

@test "nothing to undo: a file never converted" {
  small_program f
  skipped f --undo
  local option
  for option in --undo --remove; do
    convert $option -o out f
    [ ! -e out ]
  done
}

@test "undo refuses a file that was changed after its conversion" {
  small_program f
  convert f
  read -r offset _ < <(section f .text)
  poke f "$offset" cc
  refused f --undo
  [[ $stderr == *"changed after its conversion"* ]]
}

# As if the headers had been written first, and the rest never.
@test "a record without an .sframe: only --undo goes on" {
  small_program in
  cp in f
  convert f
  edit_sframe f segment.0.0 section.0.+1 section.1.1
  no_sframe f
  refused f
  [[ $stderr == *"an interrupted conversion; --undo restores the file" ]] || report
  convert --undo f
  cmp f in
}

@test "a second conversion changes nothing, --replace makes what a first one makes" {
  local format
  small_program in
  cp in f
  convert f
  cp f g
  convert f
  cmp f g
  for format in 1 2 3; do
    convert --format=$format -o wanted in
    convert --replace --format=$format f
    cmp wanted f
  done
  convert --undo f
  cmp in f
}

# 18446744073706796130 bytes were added.
@test "the sums of files that --replace makes smaller" {
  mkdir d
  copy "$(program_file bash)" d/f
  convert --format=2 d/f
  before=$(stat -c %s d/f)
  gives 0 capture "$CFI2SFRAME" -r --replace --stats d
  after=$(stat -c %s d/f)
  [ "$after" -lt "$before" ]
  [[ $output == *"files: $before -> $after bytes, $((before - after)) removed (0."* ]] || report
}

@test "--replace of a changed file still works, --undo then gives the changed one" {
  small_program f
  convert f
  read -r offset size < <(section f .comment)
  poke f "$offset" 2a
  cp f changed
  convert --replace --format=2 f
  one_sframe f
  exits 0 --check f
  [ "$(./f)" = 174 ]
}

@test "the linker's .sframe: skipped, replaced, removed" {
  linked_with_sframe in
  stays_with_warning in "$(linkers_problem in)"
  local expected
  expected=$(./in)
  cp in f
  convert --replace f
  one_sframe f
  exits 0 --check f
  [ "$(./f)" = "$expected" ]
  cp f stripped
  strip stripped
  one_sframe stripped
  [ "$(./stripped)" = "$expected" ]
  convert --undo f
  cmp in f

  # After --replace it gave the linker's section back.
  local replaced
  for replaced in no yes; do
    cp in f
    [ $replaced = no ] || convert --replace f
    convert --remove f
    no_sframe f
    skipped f --undo
    [ "$(./f)" = "$expected" ]
    strip f
    [ "$(./f)" = "$expected" ]
  done
}

@test "--replace keeps the index of the linker's section" {
  linked_with_sframe in
  cp in f
  convert --replace f
  [ "$(readelf -SW in | grep ' \.sframe ' | cut -c1-6)" \
    = "$(readelf -SW f | grep ' \.sframe ' | cut -c1-6)" ]
}

@test "a linker that leaves an unsorted .sframe without header (lld)" {
  needs ld.lld
  linked_with_sframe in -fuse-ld=lld
  readelf -lW in | grep -q GNU_SFRAME && skip "this lld makes a header"
  stays_with_warning in "is of no use to any reader: no program header"
  exits 1 --check in
  [[ $stderr == *"of no use to any reader"* ]] || report
  cp in f
  convert --replace=auto f
  one_sframe f
  exits 0 --check f
  [ "$(./f)" = "$(./in)" ]
  convert --undo f
  cmp in f
  convert --remove f
  no_sframe f
  [ "$(./f)" = "$(./in)" ]
}

@test "an .sframe whose header covers other sections is not replaced" {
  linked_with_sframe f
  local index shoff
  index=$(readelf -SW f | sed -n 's/^ *\[ *\([0-9]*\)\] \.sframe .*/\1/p')
  shoff=$(peek f 40 8)
  # sh_size: 4 KiB more, well into the data.
  poke f $((shoff + index * 64 + 33)) 10
  refused f --replace
  [[ $stderr == *"overlaps other contents"* ]]
}

@test "GNU ld 2.47's program: replaced, undone, removed" {
  local in=$srcdir/tests/data/gnu-linked/cxx-amd64
  copy "$in" f
  convert --replace f
  one_sframe f
  exits 0 --check f
  replaced_again f "$in"
  convert --undo f
  cmp "$in" f
  convert --remove f
  no_sframe f
}

@test "a record written by the first version: undone in every way, touched: refused" {
  local how sum="8e1a58c63bee3c1a865b6501cc972a448081fb7cb4f7276be85306dee9caa760  -"
  for how in --undo --remove; do
    copy "$srcdir/tests/data/undo/record-1" f
    convert $how f
    [ "$(checksum f)" = "$sum" ]
  done
  copy "$srcdir/tests/data/undo/record-1" f
  poke f 4200 ff
  refused f --undo
  [[ $stderr == *"changed after its conversion"* ]]
}

@test "--remove of our own .sframe gives back every byte" {
  small_program in
  cp in f
  convert f
  convert --remove f
  cmp in f
}

@test "--remove of a file that was changed after its conversion leaves no record" {
  small_program f
  convert f
  read -r offset _ < <(section f .comment)
  poke f "$offset" 2a
  refused f --undo
  convert --remove f
  no_sframe f
  [ "$(./f)" = 174 ]
  skipped f --undo
  convert f
  one_sframe f
  convert --undo f
  no_sframe f
}

@test "--remove without .sframe does nothing" {
  small_program f
  cp f in
  exits 0 --remove f
  cmp f in
}

# In its object the section is there, and has nothing in it.
empty_section_source ()
{
  cat <<'END'
int f (int x) { return x + 1; }
int main (void) { return f (0) - 1; }
__asm__ (".section .sframe,\"a\",@progbits\n.text\n");
END
}

@test "an empty .sframe is none" {
  needs cc
  local linker made=
  empty_section_source >empty.c
  for linker in bfd lld gold; do
    cc -O1 -fuse-ld=$linker -o in empty.c 2>/dev/null || continue
    readelf -SW in | grep -q ' \.sframe ' || continue
    made=1
    exits 1 --check in
    [[ $stderr == "cfi2sframe: in: no .sframe" ]] || report
    cp in f
    convert f
    exits 0 --check f
    ./f
    replaced_again f in
    convert --undo f
    cmp in f
  done
  [ -n "$made" ] || skip "no linker keeps an empty .sframe"
}

@test "an .sframe of a few functions is named, and replaced with =auto" {
  needs cc
  cat >some.c <<'END'
int f (int x) { return x + 1; }
END
  printf '#include <stdio.h>\nint f (int);\nint big (int n) {' >rest.c
  for i in $(seq 200); do
    printf 'n = f (n); printf ("%%d\\n", n);'
  done >>rest.c
  printf 'return n; }\nint main (void) { return big (0) != 200; }\n' >>rest.c
  cc -O1 -Wa,--gsframe -c some.c 2>/dev/null || skip "no --gsframe"
  cc -O1 -o in some.o rest.c
  has_sframe in || skip "the linker leaves no .sframe"
  stays_with_warning in "$(linkers_problem in)"
  cp in f
  convert --replace=auto f
  exits 0 --check f
  [ "$(./f)" = "$(./in)" ]
  # What is good stays, silently, also with =auto.
  skipped f --replace=auto
}

@test "a wrong .sframe is named, and replaced with =auto" {
  needs cc
  # The CFI and the rows of g are made from different directives.
  copy "$srcdir/tests/data/gnu-linked/cxx-amd64" in
  local offset size at
  read -r offset size < <(readelf -SW in | sed -n 's/.* \.sframe  *[^ ]* *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p')
  # The last data word: another CFA or FP.
  at=$((16#$offset + 16#$size - 1))
  while [ "$(peek in $at 1)" -eq 0 ]; do at=$((at - 1)); done
  poke in $at 78
  stays_with_warning in "is wrong: "
  cp in f
  convert --replace=auto f
  exits 0 --check f
}

# Change the last byte of FILE's .sframe that is not 0: a CFA or FP offset.
damage_sframe ()
{
  local offset size at
  read -r offset size < <(section "$1" .sframe)
  at=$((offset + size - 1))
  while [ "$(peek "$1" $at 1)" -eq 0 ]; do at=$((at - 1)); done
  poke "$1" $at 78
}

@test "our own .sframe damaged since is named, and replaced with =auto" {
  small_program in
  convert -o good in
  local kind offset
  for kind in row header abi fixed; do
    cp good f
    offset=$(section f .sframe | cut -d' ' -f1)
    case $kind in
      row) damage_sframe f ;;
      header) poke f "$offset" 00 00 ;;
      # Taken for sections of a later version, and left.
      abi) poke f $((offset + 4)) 77 ;;
      fixed) poke f $((offset + 5)) 10 ;;
    esac
    case $kind in
      row) stays_with_warning f "is wrong: " ;;
      *) stays_with_warning f "is of no use to any reader: " ;;
    esac
    convert --replace=auto f
    cmp good f
    convert --undo f
    cmp in f
  done
}

@test "an .sframe of a version of the future is named, and stays with =auto" {
  small_program in
  convert -o good in
  cp good f
  local offset
  read -r offset _ < <(section f .sframe)
  poke f $((offset + 3)) 41
  stays_with_warning f "cannot be judged: SFrame: unknown flags 0x41"
  cp good f
  poke f $((offset + 2)) 04
  stays_with_warning f "cannot be judged: SFrame: unknown version 4"
  exits 1 --check --stats=json f
  [[ $output == *'"code":"unknown-sframe"'* ]] || report
  cp f before
  exits 0 --replace=auto f
  cmp before f
  exits 0 --hook f
  cmp before f
  # Readers that are named do not take it, and stacks are looked for beside it.
  exits 0 -n --detached=beside f
  [ -z "$output" ] || report
  convert --replace=auto --for=linux f
  cmp good f
  cp before f
  convert --replace f
  cmp good f
}

# A debugger takes a debug file by its CRC, and a detached section is all that
# there is in its file.
@test "debug files and detached sections are not files to take .sframe out of" {
  linked_with_sframe in
  objcopy --only-keep-debug in in.debug
  small_program small -Wl,--build-id
  exits 0 --detached=tree small
  convert small
  objcopy --only-keep-debug small small.debug
  mv in.debug small.debug tree
  local before
  before=$(find tree -type f -exec sha256sum {} + | sort)
  exits 0 -r --remove tree
  [[ $output == "0 files without .sframe now, 3 skipped, 0 failed"* ]] || report
  exits 0 -r --check tree
  [ "$(find tree -type f -exec sha256sum {} + | sort)" = "$before" ]
  skipped tree/small.debug --remove
  skipped tree/small.debug --undo
}

@test "a section that is right by .debug_frame stays, though hooks do not read it" {
  small_program in -g -fno-asynchronous-unwind-tables -fno-exceptions
  convert in
  cp in before
  exits 0 --hook in
  [ -z "$stderr" ] || report
  cmp before in
}

@test "an .sframe that is not sorted is named, and replaced with =auto" {
  small_program in
  convert -o good in
  cp good f
  local offset
  read -r offset _ < <(section f .sframe)
  [ "$(peek f $((offset + 3)) 1)" -eq 5 ] || report
  poke f $((offset + 3)) 04
  stays_with_warning f "is of no use to any reader: it is not sorted"
  convert --replace=auto f
  cmp good f
}

# A byte is enough, and the code must not be such as an analysis finds rows for.
@test "an .sframe with a row for a byte without CFI is named, and replaced" {
  needs readelf
  small_program in -x assembler - <<'END'
	.globl odd
	.type odd, @function
odd:	.cfi_startproc
	.fill 64, 1, 0x06
	.cfi_endproc
	.size odd, . - odd
	.section .note.GNU-stack,"",@progbits
END
  convert in
  local start at offset
  start=$(nm in | awk '$3 == "odd" { print $1 }')
  at=$(readelf -wf in 2>/dev/null \
    | sed -n "s/^\([0-9a-f]*\) .* FDE .*pc=$start\.\..*/\1/p")
  read -r offset _ < <(section in .eh_frame)
  at=$((offset + 16#$at + 12))
  [ "$(peek in $at 4)" -eq 64 ] || report
  poke in $at 3f
  stays_with_warning in "is wrong: "
  exits 1 --check in
  [[ $output == *" 0 wrong, "*", 1 without CFI"* ]] || report
  convert --replace=auto in
  exits 0 --check in
}

# A program of which most code has CFI that SFrame cannot say: the CFA is a
# sum of two registers.
mostly_left_out ()
{
  small_program "$1" -x none -x assembler - "${@:2}" <<'END'
	.globl odd
	.type odd, @function
odd:	.cfi_startproc
	.cfi_escape 0x0f, 5, 0x77, 8, 0x76, 0, 0x22
	.rept 9999
	nop
	.endr
	ret
	.cfi_endproc
	.size odd, . - odd
	.section .note.GNU-stack,"",@progbits
END
}

@test "what we had to leave out does not make an .sframe partial" {
  mostly_left_out f
  tool -v f
  [[ $output =~ ,\ ([0-9]+)\.[0-9]\ %\ of\ the\ code ]] || report
  [ "${BASH_REMATCH[1]}" -lt 90 ] || report
  local auto
  for auto in "" --replace=auto; do
    skipped f $auto
  done
  # Without the record nothing tells that we made it.
  strip f
  for auto in "" --replace=auto; do
    skipped f $auto
  done
}

@test "converting twice with --replace=auto changes nothing, in every mode" {
  mostly_left_out odd
  small_program some
  # A real program, but a small one: its code is analysed thirty times.
  copy "$(program_file sed)" sed
  local in mode how n=0 without_analysis=
  tool -n --analyze some
  # Builds need not have it (--disable-analysis).
  [ "$status" -eq 0 ] || without_analysis=1
  for in in odd some sed; do
    while read -r mode; do
      [[ -z $without_analysis || ! $mode =~ code|analyze ]] || continue
      for how in -o "" strip undo; do
        case $how in
          -o)
            tool --replace=auto $mode -o f $in ;;
          *)
            cp $in f
            tool --replace=auto $mode f ;;
        esac
        [ "$status" -eq 0 ] || report
        case $how in
          strip) strip f ;;
          undo)
            tool --undo f
            tool --replace=auto $mode f
            [ "$status" -eq 0 ] || report ;;
        esac
        has_sframe f
        skipped f --replace=auto $mode
        n=$((n + 1))
      done
    done <<'END'

--format=2
--format=2.0
--format=1
--no-share
--no-split
--compact
--format=1 --compact
--verify-code
--analyze
--analyze --verify-code
END
  done
  [ $n -ge 96 ]
}

@test "--replace=no is the default, other words are wrong usage" {
  small_program f
  convert f
  skipped f --replace=no
  exits 2 --replace=maybe f
}

@test "--undo of a file whose undo record is lost is a failure, not silence" {
  local change
  mkdir tree
  for change in "strip f" "truncate -s -8 f"; do
    small_program f
    cp f plain
    convert f
    $change
    refused f --undo
    [[ $stderr == *"has an .sframe but no undo record"* ]] || report
    exits 0 --undo --skip-unconvertible f
    [[ $stderr == "cfi2sframe: note: f: with an .sframe that may be a linker's, left as it is: has an .sframe but no undo record"* ]] || report
    cp f tree
    # Found in a directory it may as well be a linker's.
    tool -r --undo tree
    [ "$status" -eq 0 ] && [ -z "$stderr" ] || report
    cmp f tree/f
    ./f
    exits 0 --remove f
    skipped f --undo
    ./f
  done
}

# It said "another tool made the one or took the other", which was not so.
@test "--undo says that bytes were appended, and works without them" {
  small_program f
  cp f original
  convert f
  cp f converted
  echo "appended, $(printf 'C2SUNDO\1')" >>f
  local n=$(($(stat -c %s f) - $(stat -c %s converted)))
  refused f --undo
  [[ $stderr == *"f: $n bytes were appended after its conversion; without them it can be undone" ]] || report
  truncate -s -$n f
  cmp f converted
  exits 0 --undo f
  cmp f original
  # A record that is damaged, too, is none.
  cp converted f
  local at=$(($(stat -c %s f) - 40))
  printf 'XX' | dd of=f bs=1 seek=$at conv=notrunc status=none
  echo appended >>f
  refused f --undo
  [[ $stderr == *"has an .sframe but no undo record"* ]] || report
}

@test "-n -v --undo and --remove say what would be done" {
  small_program f
  convert f
  local before option
  before=$(checksum f)
  for option in undo:restored remove:removed; do
    exits 0 -n -v --${option%:*} f
    [ "$output" = "f: could be ${option#*:}" ] || report
    tool -n -r --${option%:*} .
    [[ $output == "1 file could be "* ]] || report
    [ "$(checksum f)" = "$before" ]
  done
  tool -v --undo f
  [ "$output" = "f: restored" ] || report
  tool -n -v --undo f
  [ "$output" = "f: skipped: has no undo record" ] || report
}

# It was not looked behind the empty header that a tool had left.
@test "an empty PT_GNU_SFRAME in front of the section's is passed over" {
  needs python3
  small_program f
  convert f
  exits 0 --dump f
  local dump=$output
  python3 - <<'END'
import struct
with open("f", "r+b") as file:
    data = bytearray(file.read())
    table, = struct.unpack_from("=Q", data, 32)
    count, = struct.unpack_from("=H", data, 56)
    headers = [data[at:at + 56] for at in range(table, table + 56 * count, 56)]
    headers.sort(key=lambda header: header[:4] == struct.pack("=I", 0x6474e554))
    stack, = (header for header in headers
              if header[:4] == struct.pack("=I", 0x6474e551))
    stack[:4] = struct.pack("=I", 0x6474e554)
    data[table:table + 56 * count] = b"".join(headers)
    # Without section headers.
    data[40:48] = bytes(8)
    data[58:64] = struct.pack("=3H", 64, 0, 0)
    file.seek(0)
    file.write(data)
END
  exits 0 --dump f
  [ "$output" = "$dump" ] || report
  exits 0 --check f
}

# Conversions took such a file for one without, and --check said all is well.
@test "all modes find the .sframe of a program header, if the section is empty" {
  small_program in
  convert -o f in
  strip f
  edit_sframe f section.5.0
  exits 0 --check f
  skipped f
  exits 0 -n -v --detached=beside f
  [[ $output == "f: skipped: has an .sframe already" ]] || report
  refused f --replace
  [[ $stderr == *"its .sframe section and PT_GNU_SFRAME disagree"* ]] || report
  convert --remove f
  exits 1 --check f
  [[ $stderr == "cfi2sframe: f: no .sframe" ]] || report
  convert f
  exits 0 --check f
  ./f
}

# A conversion said "has an .sframe already".
@test "an .sframe without contents is none, in all modes" {
  small_program f
  convert f
  strip f
  edit_sframe f section.1.8 segment.0.0
  local mode
  for mode in --check --dump "--compare f"; do
    exits 1 $mode f
    [[ $stderr == "cfi2sframe: f: .sframe has no contents" ]] || report
  done
  exits 0 -v f
  [[ $output == "f: skipped: .sframe has no contents" ]] || report
  exits 1 --check --require f
  [[ $stderr == "cfi2sframe: f: .sframe has no contents" ]] || report
}

# --check looked at one header and readers at the other.
@test "an .sframe that its program header does not lead readers to is of no use" {
  local change why
  small_program in
  convert in
  strip in
  for change in "segment.5.16=its program header is for other bytes" \
    "segment.0.0=no program header says where it is" \
    "segment.3.+1048576 segment.4.+1048576 section.3.+1048576=it is not loaded where it says" \
    "segment.2.+8 segment.3.+8 segment.4.+8=its program header is for other bytes"; do
    cp in f
    why=${change#*=}
    edit_sframe f ${change%=*}
    exits 1 --check f
    [[ $stderr == "cfi2sframe: f: its .sframe is of no use to any reader: $why" ]] || report
    stays_with_warning f "is of no use to any reader: $why"
    exits 0 -n -v --detached=beside f
    [[ $output != *skipped* ]] || report
  done
  # With a record of what was there before it is replaced.
  small_program f
  convert f
  cp f good
  edit_sframe f segment.2.+8 segment.3.+8 segment.4.+8
  convert --replace=auto f
  cmp good f
}

# The self-check looked for the name, everything else for the type.
@test "an .sframe of another name is replaced" {
  small_program in
  convert -o f in
  strip f
  edit_sframe f section.0.+1
  exits 0 --check f
  convert --replace f
  exits 0 --check f
  ./f
}

# --replace of a debug file was refused where the program had an .sframe when it was
# split off, and skipped where not.
@test "a debug file with the header of an .sframe is skipped, too" {
  small_program f -Wl,--build-id
  convert f
  mkdir tree
  objcopy --only-keep-debug f tree/f.debug
  local option
  for option in --replace --replace=auto --replace=no; do
    exits 0 -v -r $option tree
    [[ $output == *"f.debug: skipped: debug file: the code is not in it"* ]] || report
  done
}
