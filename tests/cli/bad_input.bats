#!/usr/bin/env bats
# Input that is wrong, hostile or out of reach: one clear line and exit
# status 1, or a quiet skip; never a changed file.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

# ELF64 header fields (System V ABI, chapter 4): offset and size.
e_type=16 e_phoff=32 e_shoff=40
e_phentsize=54 e_phnum=56 e_shentsize=58 e_shnum=60 e_shstrndx=62

# Offset of field FIELD_OFFSET of the section header called NAME.
section_header_field ()
{
  local index shoff
  index=$(readelf -SW "$1" | sed -n "s/^ *\[ *\([0-9]*\)\] $2 .*/\1/p")
  shoff=$(peek "$1" $e_shoff 8)
  echo $((shoff + index * 64 + $3))
}

# Run a command as an ordinary user.
as_nobody ()
{
  [ "$(id -u)" -eq 0 ] || skip "needs root to become somebody else"
  needs setpriv
  chmod 755 . 2>/dev/null
  setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null \
    || skip "cannot change the user here"
  capture setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# A directory that an ordinary user can reach, unlike bats' own.
public_directory ()
{
  public=$(mktemp -d /tmp/cfi2sframe-test.XXXXXX)
  chmod 777 "$public"
  # The program as built may be out of reach for others as well.
  cp "$(real_program)" "$public/cfi2sframe"
  chmod 755 "$public/cfi2sframe"
}

# The ELF file behind $CFI2SFRAME, which may be libtool's wrapper script.
real_program ()
{
  if head -c 4 "$CFI2SFRAME" | grep -q ELF; then
    echo "$CFI2SFRAME"
  else
    skip "the program is a wrapper script"
  fi
}

teardown ()
{
  cd /
  [ -z "${public-}" ] || rm -rf "$public"
  if [ -n "${mounted-}" ]; then
    umount "$mounted"
  fi
}

@test "what is neither a program nor a library is skipped" {
  : >empty
  echo "#!/bin/sh" >text
  printf 'abc' >three
  printf '\177ELF' >magic
  small_program small -g
  "${CC:-cc}" -c small.c
  ar rc libsmall.a small.o
  strip -R .eh_frame -R .eh_frame_hdr -o without-cfi small
  copy small core-file
  poke core-file $e_type 04 00
  local file
  for file in empty text three magic small.o without-cfi core-file; do
    skipped $file
  done
  skipped libsmall.a -q
  needs objcopy
  objcopy --only-keep-debug small small.debug
  skipped small.debug
}

@test "a missing file, a directory" {
  exits 1 missing
  [[ $stderr == "cfi2sframe: missing: "*"No such file"* ]] || report
  mkdir directory
  exits 1 directory
  [[ $stderr == "cfi2sframe: directory: "?* ]] || report
  [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
}

@test "a FIFO and a device do not block" {
  mkfifo fifo
  capture timeout 10 "$CFI2SFRAME" fifo /dev/null
  [ "$status" -eq 1 ] || [ "$status" -eq 0 ] || report
}

@test "truncated at every 64-byte step of headers, and everywhere in between" {
  small_program
  local phnum shoff total size
  phnum=$(peek small $e_phnum 2)
  shoff=$(peek small $e_shoff 8)
  total=$(stat -c %s small)
  for size in $(seq 64 64 $((127 + phnum * 56))) $(seq 64 997 $((total - 1))) \
              $(seq "$shoff" 64 $((total - 1))); do
    head -c "$size" small >cut
    refused cut
  done
}

@test "section and program header tables past the end" {
  small_program
  for field in $e_shoff $e_phoff; do
    for value in "ff ff ff 7f 00 00 00 00" "ff ff ff ff ff ff ff ff" \
                 "c1 ff ff ff ff ff ff ff"; do
      cp small bad
      poke bad "$field" $value
      refused bad
    done
  done
}

@test "impossible header counts and entry sizes" {
  small_program
  for field in $e_phentsize $e_phnum $e_shentsize $e_shnum $e_shstrndx; do
    for value in "01 00" "fe ff"; do
      cp small bad
      poke bad "$field" $value
      local before
      before=$(checksum bad)
      tool bad
      [ "$status" -le 1 ] || { echo "field $field = $value"; report; }
      if [ "$status" -eq 1 ]; then
        [[ $stderr == "cfi2sframe: bad: "?* ]] || report
        [ "$(checksum bad)" = "$before" ]
      fi
    done
  done
}

@test "section offset or size past the end" {
  small_program
  local field value
  while read -r field value; do
    cp small bad
    poke bad "$(section_header_field small .eh_frame $field)" $value
    refused bad
  done <<'END'
24 00 00 00 7f 00 00 00 00
24 f8 ff ff ff ff ff ff ff
32 ff ff ff ff ff ff ff ff
END
}

# Offset of the Nth entry (from 0) of .eh_frame in FILE.
eh_frame_entry ()
{
  local offset size n=$2
  read -r offset size < <(section "$1" .eh_frame)
  while [ "$n" -gt 0 ]; do
    offset=$((offset + 4 + $(peek "$1" "$offset" 4)))
    n=$((n - 1))
  done
  echo "$offset"
}

@test ".eh_frame cut in the middle of an entry" {
  small_program
  cp small bad
  local size
  size=$(section small .eh_frame)
  size=${size#* }
  poke bad "$(section_header_field small .eh_frame 32)" \
    "$(printf '%02x' $(((size - 24) & 255)))" \
    "$(printf '%02x' $(((size - 24) >> 8)))"
  local before
  before=$(checksum bad)
  exits 1 --strict bad
  [[ $stderr == "cfi2sframe: bad: "?* ]] || report
  [ "$(checksum bad)" = "$before" ]
  exits 0 bad
  [ "$(./bad)" = "$(./small)" ]
}

@test "entry length 0xffffffff, CIE pointer to nowhere, unknown augmentation" {
  small_program
  local fde cie
  cie=$(eh_frame_entry small 0)
  fde=$(eh_frame_entry small 1)
  cp small length
  poke length "$fde" ff ff ff ff
  cp small length-64
  poke length-64 "$fde" ff ff ff ff ff ff ff ff ff ff ff ff
  cp small length-big
  poke length-big "$fde" f0 ff ff 7f
  cp small pointer
  poke pointer $((fde + 4)) f3 ff ff 7f
  cp small pointer-self
  poke pointer-self $((fde + 4)) 04 00 00 00
  cp small augmentation
  poke augmentation $((cie + 9)) 71 # "zR" becomes "qR"
  for file in length length-64 length-big pointer pointer-self augmentation
  do
    local before
    before=$(checksum $file)
    tool --strict $file
    [ "$status" -eq 1 ] || { echo $file; report; }
    [[ $stderr == "cfi2sframe: $file: "?* ]] || report
    [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
    [ "$(checksum $file)" = "$before" ]
    # Without --strict the undamaged rest is converted.
    tool $file
    [ "$status" -le 1 ] || { echo $file; report; }
    [ "$(./$file)" = "$(./small)" ]
  done
}

@test "one damaged FDE: the other functions are still converted" {
  small_program
  local fde all
  # The first ones may be the PLT's, whose rows come from its instructions too.
  fde=$(eh_frame_entry small 5)
  tool -n --stats=json small
  all=$(sed 's/.*"sframe_fdes": *\([0-9]*\).*/\1/' <<<"$output")
  poke small $((fde + 4)) f3 ff ff 7f
  exits 0 --stats=json small
  [ "$(sed 's/.*"sframe_fdes": *\([0-9]*\).*/\1/' <<<"$output")" \
    -eq $((all - 1)) ] || report
  [[ $output == *bad-entry* ]] || report
}

@test "a 32-bit ELF file" {
  small_program
  # Only the class byte: nothing else of it may be believed either.
  cp small class32
  poke class32 4 01
  refused class32
}

@test "a 32-bit program of this machine" {
  "${CC:-cc}" -m32 -nostdlib -static -x c -o real32 - <<<'void _start (void) {}' \
    2>/dev/null || skip "the compiler makes none"
  refused real32
}

@test "a machine without SFrame" {
  small_program
  poke small 18 f3 00 # EM_RISCV
  tool small
  [ "$status" -le 1 ] || report
  [ "$(printf '%s' "$stderr" | wc -l)" -le 1 ] || report
}

@test "an unreadable file" {
  public_directory
  small_program
  cp small "$public/small"
  chmod 0 "$public/small"
  cd "$public"
  gives 1 as_nobody ./cfi2sframe small
  [[ $stderr == "cfi2sframe: small: "*"Permission denied"* ]] || report
}

@test "an unreadable file that nobody named: a failure, with --skip-unconvertible a note" {
  public_directory
  small_program
  mkdir "$public/all"
  cp small "$public/all/hidden"
  cp small "$public/all/small"
  chmod 4111 "$public/all/hidden"
  [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$public/all"
  cd "$public"
  gives 1 as_nobody ./cfi2sframe -n -r all
  [[ $stderr == "cfi2sframe: all/hidden: "*"Permission denied"* ]] || report
  gives 0 as_nobody ./cfi2sframe -r --skip-unconvertible --stats=json all
  [ "$stderr" = "cfi2sframe: note: all/hidden: not readable, left as it is:\
 cannot open: Permission denied" ] || report
  [[ $output == *'"file":"all/hidden","status":"skipped"'*'"code":"unreadable"'* ]] || report
  has_sframe all/small
  printf '%s\0' all/hidden >list
  gives 0 as_nobody ./cfi2sframe --skip-unconvertible --files0-from=list
  [[ $stderr == *"note: all/hidden: not readable"* ]] || report
  gives 1 as_nobody ./cfi2sframe --skip-unconvertible all/hidden
}

@test "an unreadable folder has no findings, in JSON as well" {
  needs python3
  public_directory
  mkdir -p "$public/all/closed"
  chmod 0 "$public/all/closed"
  cd "$public"
  gives 1 as_nobody ./cfi2sframe --lint --stats=json -r all
  python3 - "$output" <<'END'
import json, sys
report = json.loads (sys.argv[1])
assert report["status"] == "failed" and report["findings"] == []
END
}

@test "a read-only directory" {
  public_directory
  small_program
  cp small "$public/small"
  chmod 666 "$public/small"
  chmod 555 "$public"
  cd "$public"
  local before
  before=$(checksum small)
  gives 1 as_nobody ./cfi2sframe small
  [[ $stderr == "cfi2sframe: small: "*"ermission denied"* ]] || report
  [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
  [ "$(checksum small)" = "$before" ]
}

@test "a directory for -o that does not exist" {
  small_program
  exits 1 -o nowhere/out small
  [[ $stderr == "cfi2sframe: nowhere/out: cannot find the directory: No such file or directory (for small)" ]] \
    || report
}

@test "- for -o is not a file of that name" {
  small_program
  exits 2 -o - small
  [[ ${stderr_lines[0]} == *"standard output is /dev/stdout"* ]] || report
  [ ! -e - ]
  convert -o ./- small
}

# The new file had descriptor 1, and a message was written over its header.
@test "a closed standard output is no place for the new file" {
  needs_strace
  small_program
  strace -f -o calls -e trace=open,openat "$CFI2SFRAME" -v -o out small \
    <&- >&- 2>&- || true
  grep -q 'O_RDWR\|O_WRONLY' calls
  run ! grep -E 'O_(RDWR|WRONLY).* = [012]$' calls
  # What cannot be said is an error, as with any other closed output.
  rm out
  run -1 sh -c '"$1" -v -o out small >&-' - "$CFI2SFRAME"
  [ "$output" = "cfi2sframe: standard output: Bad file descriptor" ]
  has_sframe out
}

@test "more jobs than the usual limit of descriptors has room for" {
  small_program
  convert -o good small
  # Enough to load a library, and not for a conversion.
  sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -Sn 4; "$@"' - \
    "$CFI2SFRAME" -o out small
  cmp out good
}

@test "threads do not depend on the limit of the stack" {
  small_program
  cp small other
  (ulimit -Ss 64 && "$CFI2SFRAME" -j2 small other)
  has_sframe small
  cmp small other
}

# A program whose first page has the 32-bit words given, and no interpreter.
kernel ()
{
  local IFS=,
  printf '.section .text, "ax"\n.balign 8\n.long %s\n' "$*" >words.s
  cat >kernel.c <<'EOF'
int g (int a) { volatile char b[64]; b[a] = a; return b[a / 2]; }
void _start (void) { for (int i = 0;; i++) g (i); }
EOF
  cc -O1 -fasynchronous-unwind-tables -nostdlib -static -Wl,-z,noseparate-code \
    -Wl,--build-id=none -o kernel words.s kernel.c
}

# The first segment grew downwards, into what the machine has below 1 MiB.
@test "kernels of boot loaders other than Linux's are refused" {
  local why="kernel image: its linker script and boot loader own the layout"
  kernel 0x1badb002 3 -0x1badb005
  refused kernel
  [[ $stderr == "cfi2sframe: kernel: $why" ]] || report
  kernel 0xe85250d6 0 16 -0xe85250e6
  refused kernel
  [[ $stderr == "cfi2sframe: kernel: $why" ]] || report
  # Wrong sums.
  kernel 0x1badb002 3 -0x1badb006
  convert kernel
  kernel 0xe85250d6 0 16 -0xe85250e7
  convert kernel
  printf '%s\n' '.section .note.Xen, "a", @note' \
    '.long 4, 8, 18' '.asciz "Xen"' '.quad 0x100000' >words.s
  cc -nostdlib -static -o kernel words.s kernel.c
  refused kernel
  [[ $stderr == "cfi2sframe: kernel: $why" ]] || report
}

@test "a full disk" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to mount a tmpfs"
  small_program
  mkdir disk
  mount -t tmpfs -o size=40k none disk 2>/dev/null \
    || skip "mounting a tmpfs is not allowed here"
  mounted=$PWD/disk
  cp small disk/small
  # Leave less room than the converted copy takes.
  dd if=/dev/zero of=disk/filler bs=1k count=100 2>/dev/null || true
  cd disk
  refused small
  [[ $stderr == *"No space left"* ]] || report
  only_files small filler
  cd ..
}

@test "text that looks like an option in a name; data behind the last section" {
  small_program
  head -c 100 small >'%s%n'
  refused '%s%n'
  echo "archive follows" >>small
  refused small
}

# Found by fuzzing: the machine decides how .eh_frame is read.
@test "checking an .sframe in a file of a machine without SFrame" {
  small_program
  convert small
  printf '\x34\x12' | dd of=small bs=1 seek=18 conv=notrunc 2>/dev/null
  refused small --check
  [[ $stderr == *"another machine"* ]] || report
}

@test "a core file cut off behind its headers" {
  small_program
  convert small
  printf '\x04' | dd of=small bs=1 seek=16 conv=notrunc 2>/dev/null
  # No section headers: e_shoff, e_shnum, e_shstrndx.
  printf '\0\0\0\0\0\0\0\0' | dd of=small bs=1 seek=40 conv=notrunc 2>/dev/null
  printf '\0\0\0\0' | dd of=small bs=1 seek=60 conv=notrunc 2>/dev/null
  truncate -s 2000 small
  skipped small
  exits 1 --dump small
}

# As Debian 13's vmlinux: its data of each processor is at address 0.
@test "a kernel with a segment below the others was called damaged" {
  cat >kernel.s <<'END'
	.text
	.globl _start
_start:	ret
	.section .percpu, "aw", %progbits
	.quad 0
END
  cat >kernel.ld <<'END'
PHDRS { text PT_LOAD; percpu PT_LOAD; }
SECTIONS
{
  . = 0xffffffff81000000;
  .text : { *(.text) } :text
  . = 0;
  .percpu : { *(.percpu) } :percpu
}
END
  as -o kernel.o kernel.s
  ld -T kernel.ld -o vmlinux kernel.o
  refused vmlinux --analyze
  [[ $stderr == *"kernel image: segment 1 is not behind the others" ]] \
    || report
}

# Each was compared with each other, nearly to its end: with 1,160 notes 4.7 s
# for 8 MB, 25 s for 30 MB.  More than 70 program headers are refused since.
@test "many notes that differ in their last bytes take no time" {
  needs python3
  python3 - f <<'END'
import struct, sys
notes, size, code, data = 66, 8000000, 0x10000000, 0x60000000
note_size = size * 195 // 100 // notes & ~7
augmented = b"\1zR\0\1\x78\x10\1\3\x0c\7\x08\x90\1"
cfi = struct.pack ("<II", len (augmented) + 4, 0) + augmented
cfi += struct.pack ("<IIIIB", 13, len (cfi) + 4, code, 1, 0)
cfi_offset = 64 + 56 * (4 + notes)
begin = cfi_offset + len (cfi) + 7 & ~7
blob = bytearray (b"\x7f" * size)  # no note is as long as it says
for i in range (notes):
    struct.pack_into ("<I", blob, note_size + 8 * i, i + 1)
names = b"\0.text\0.eh_frame\0.shstrtab\0.blob\0"
end = begin + size + len (names) + 7 & ~7

def segment (kind, flags, offset, address, size, memory, align):
    return struct.pack ("<IIQQQQQQ", kind, flags, offset, address, address,
                        size, memory, align)

def section (name, kind, flags, address, offset, size):
    return struct.pack ("<IIQQQQIIQQ", name, kind, flags, address, offset,
                        size, 0, 0, 1, 0)

file = b"\x7fELF\2\1\1" + bytes (9)
file += struct.pack ("<HHIQQQIHHHHHH", 2, 62, 1, code, 64, end, 0, 64, 56,
                     4 + notes, 64, 5, 3)
file += segment (1, 5, 0, code, 1, 0x1000000, 4096)
file += segment (1, 4, 0, data, end, end, 4096) + bytes (2 * 56)
for i in range (notes):
    at = begin + 8 * i
    file += segment (4, 4, at, data + at, note_size, note_size, 4)
file = (file + cfi).ljust (begin, b"\0") + blob + names
file = file.ljust (end, b"\0") + section (0, 0, 0, 0, 0, 0)
file += section (1, 1, 6, code, 0, 1)
file += section (7, 1, 2, data + cfi_offset, cfi_offset, len (cfi))
file += section (17, 3, 0, 0, begin + size, len (names))
file += section (27, 1, 2, data + begin, begin, size)
open (sys.argv[1], "wb").write (file)
END
  (ulimit -t 2; exec "$CFI2SFRAME" f) || report
  exits 0 --check f
}

# The new file was not read back, so that it could be converted, it said.
@test "--dry-run finds what only the new file shows" {
  needs python3
  small_program f
  # PT_PHDR gets another address.
  python3 - <<'END'
import struct
with open("f", "r+b") as file:
    data = file.read()
    at, = (at for at in range(64, 64 + 56 * data[56], 56)
           if data[at:at + 4] == struct.pack("=I", 6))
    file.seek(at + 16)
    file.write(struct.pack("=Q", 0x48))
END
  local mode
  for mode in "" -n; do
    refused f $mode
    [[ $stderr == *"its headers contradict each other: PT_PHDR is not"* ]] || report
  done
  exits 1 --check --require f
  [[ $stderr == *"its headers contradict each other"* ]] || report
}
