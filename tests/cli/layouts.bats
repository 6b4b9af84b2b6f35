#!/usr/bin/env bats
# Programs that link, patch or read themselves in unusual ways run after
# conversion, strip and undo as before.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

# Many small functions: an .sframe that fits into no padding.
many_functions ()
{
  echo "int f0 (int a); int f0 (int a) { return a + 1; }"
  local i
  for i in $(seq "${1:-700}"); do
    echo "int f$i (int a); int f$i (int a) { return f0 (a * $i) - $i; }"
  done
}

# The same as many.o.  Compiled once in a file of tests.
many_object ()
{
  local made=$BATS_FILE_TMPDIR/many.o
  if [ ! -e "$made" ]; then
    many_functions >many.c
    "${CC:-cc}" -O2 -c -o "$made" many.c
  fi
  cp "$made" many.o
}

# Convert, strip and undo FILE; "./FILE ARGUMENT..." says the same all along.
lives_on ()
{
  local file=$1 before
  shift
  before=$("./$file" "$@")
  cp "$file" "$file.old"
  convert "$file"
  has_sframe "$file"
  [ "$("./$file" "$@")" = "$before" ]
  exits 0 --check "$file"
  cp "$file" "$file.stripped"
  strip "$file.stripped"
  has_sframe "$file.stripped"
  [ "$("./$file.stripped" "$@")" = "$before" ]
  exits 0 --undo "$file"
  cmp "$file" "$file.old"
}

# A linker script that names .note.gnu.build-id, for ld -pie.
build_id_script ()
{
  ld --verbose -pie | sed '1,/^=====/d; /^=====/,$d' \
    | sed 's/^\( *\)\.note\.gnu\.build-id *:.*/\1.note.gnu.build-id : { id_start = .; *(.note.gnu.build-id) id_end = .; }/'
}

# In a stripped file no symbol tells that the program reads these bytes.
@test "a stripped program that reads its build-id through its linker script" {
  needs ld
  build_id_script >script
  grep -q id_start script || skip "another linker script"
  cat >id.c <<'END'
#include <stdio.h>
#pragma GCC visibility push(hidden)
extern const unsigned char id_start[], id_end[];
#pragma GCC visibility pop
int
main (void)
{
  for (const unsigned char *p = id_start; p < id_end; p++)
    printf ("%02x", *p);
  puts ("");
  return 0;
}
END
  many_functions >many.c
  ${CC:-cc} -O2 -fno-ipa-icf -pie -fPIE -fuse-ld=bfd -Wl,-T,script \
    -Wl,--build-id -o id id.c many.c
  strip id
  [[ $(./id) == *474e5500* ]] || report
  lives_on id
}

# read_build_id HOW: a C program that writes its build-id, which its data leads to
# as HOW says, by the symbol of build_id_script_of_any_linker.
read_build_id ()
{
  cat <<END
#define $1
END
  cat <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
extern const unsigned char build_id_note[]
    __attribute__ ((visibility ("hidden")));
#ifdef PACKED
static volatile struct __attribute__ ((packed))
{
  char kind;
  const unsigned char *at;
} table[] = { { 'b', build_id_note } };
#else
#if defined WORD
#define DATA ".long build_id_note"
#elif defined WORD_FROM_HERE
#define DATA ".long build_id_note - ."
#else
#define DATA ".quad build_id_note - ."
#endif
__asm__ (".section .rodata\n .byte 1\n .globl place\n .hidden place\n"
         "place: " DATA "\n .text");
extern const char place[] __attribute__ ((visibility ("hidden")));
#endif
int
main (void)
{
#ifdef PACKED
  const unsigned char *note = table[0].at;
#elif defined WORD
  uint32_t word;
  memcpy (&word, place, sizeof word);
  const unsigned char *note = (const unsigned char *)(uintptr_t)word;
#elif defined WORD_FROM_HERE
  int32_t word;
  memcpy (&word, place, sizeof word);
  const unsigned char *note = (const unsigned char *)place + word;
#else
  int64_t word;
  memcpy (&word, place, sizeof word);
  const unsigned char *note = (const unsigned char *)place + word;
#endif
  uint32_t size;
  memcpy (&size, note + 4, sizeof size);
  for (uint32_t i = 4; i < 16 + size && i < 36; i++)
    printf ("%02x", note[i]);
  puts ("");
  return 0;
}
END
}

# finds_its_build_id HOW EMULATOR COMPILER FLAG...: the program of read_build_id
# writes the same after conversion.  It is a stripped one.
finds_its_build_id ()
{
  local how=$1 emulator=$2 before
  shift 2
  command -v "$1" >/dev/null || return 0
  if [ -n "$emulator" ]; then
    command -v "$emulator" >/dev/null || return 0
    emulator="$emulator -L /usr/${1%-gcc}"
  fi
  [ -e "${1##*/}.o" ] || "$1" -O2 -fPIE -c -o "${1##*/}.o" many.c
  read_build_id "$how" >id.c
  "$@" -O2 -s -o id id.c "${1##*/}.o" -Wl,--build-id -Wl,-T,note.ld 2>log \
    || return 0
  before=$($emulator ./id)
  [[ $before == *474e5500* ]] || return 0
  tried=$((tried + 1))
  exits 0 id || [[ $stderr == *"code or data may refer"* ]]
  if [ "$($emulator ./id)" != "$before" ]; then
    echo "broken: $how, $*"
    broken=$((broken + 1))
  fi
}

# Compilers and assemblers make tables of these: a packed structure, addresses of
# 32 bits, distances from where they stand.
@test "a stripped program whose data leads to its build-id" {
  local tried=0 broken=0 how flags compiler
  cat >note.ld <<'END'
SECTIONS { build_id_note = ADDR (.note.gnu.build-id); }
INSERT AFTER .text;
END
  many_functions 300 >many.c
  for flags in "-fuse-ld=lld" "-fuse-ld=bfd -Wl,-z,noseparate-code"; do
    if [ "$(uname -m)" = x86_64 ]; then
      for how in PACKED WORD; do
        finds_its_build_id $how "" "${CC:-cc}" -no-pie -fno-pie $flags
      done
    fi
    for how in WORD_FROM_HERE WORDS_FROM_HERE; do
      finds_its_build_id $how "" "${CC:-cc}" -pie -fPIE $flags
    done
  done
  for compiler in aarch64 s390x; do
    for how in PACKED WORD; do
      finds_its_build_id $how qemu-$compiler $compiler-linux-gnu-gcc \
        -no-pie -fno-pie
    done
    for how in WORD_FROM_HERE WORDS_FROM_HERE; do
      finds_its_build_id $how qemu-$compiler $compiler-linux-gnu-gcc -pie -fPIE
    done
  done
  echo "$tried programs, $broken broken"
  [ "$broken" -eq 0 ]
  [ "$tried" -gt 0 ] || skip "no program can be linked with that script"
}

# ---- What went wrong in other tools that change linked files.

# The bytes [begin, end) of the program header table.
table_of ()
{
  local begin count
  begin=$(peek "$1" 32 8)
  count=$(peek "$1" 56 2)
  echo "$begin $((begin + count * 56))"
}

# Offset and size of the first program header of TYPE, in decimal.
segment ()
{
  readelf -lW "$1" 2>/dev/null | awk -v type="$2" '$1 == type { print $2, $5 }' \
    | head -n 1 | { read -r offset size && echo $((offset)) $((size)); }
}

# patchelf issue 528: a library or program for pages of 2 MiB crashed, because
# a new segment was congruent modulo 4 KiB only.
@test "patchelf 528: a program linked for pages of 2 MiB" {
  many_object
  small_program big many.o -Wl,-z,max-page-size=0x200000
  readelf -lW big | grep -q 0x200000
  lives_on big
}

# Android's loader refuses a segment that is aligned to less than a page, which has
# 16 KiB on some of its x86-64 machines, too.
@test "a new segment is for pages of 16 KiB and 64 KiB where all others are" {
  many_object
  local size
  for size in 0x4000 0x10000; do
    small_program big many.o -Wl,-z,max-page-size=$size,-z,noseparate-code,-z,norelro
    lives_on big
    readelf -lW big.stripped | awk '$1 == "LOAD" { print $NF }' | sort -u >aligned
    [ "$(cat aligned)" = $size ] || report
  done
}

@test "patchelf 528: after conversion patchelf still does its work" {
  needs patchelf
  many_object
  small_program big many.o -Wl,-z,max-page-size=0x200000
  cp big patched
  patchelf --set-rpath /nowhere patched
  [ "$(./patched)" = 174 ] || skip "this patchelf breaks the file itself"
  convert big
  patchelf --set-rpath /nowhere big
  [ "$(./big)" = 174 ]
  has_sframe big
}

# patchelf 0.14 lengthens the table over PT_GNU_PROPERTY and forgets its
# header: the self-check took it for a damaged segment.
@test "patchelf 0.14: PT_GNU_PROPERTY under the program header table" {
  needs patchelf
  many_object
  small_program patched many.o
  patchelf --add-needed libm.so.6 --set-rpath "/$(printf '%0200d' 0)" patched
  [ "$(./patched)" = 174 ] || skip "this patchelf breaks the file itself"
  lives_on patched
}

# Without padding between its segments .sframe needs a segment of its own.
@test "patchelf 528: a new segment is where its alignment puts it" {
  many_object
  small_program big many.o \
    -Wl,-z,max-page-size=0x200000,-z,noseparate-code,-z,norelro
  local before offset address align
  before=$(readelf -lW big | grep -c LOAD)
  lives_on big
  readelf -lW big.stripped | awk '$1 == "LOAD" { print $2, $3, $NF }' >loads
  [ "$(wc -l <loads)" -eq $((before + 1)) ]
  while read -r offset address align; do
    [ $((offset % align)) -eq $((address % align)) ]
  done <loads
}

# patchelf issue 663: in big-endian programs PT_PHDR lay outside of all
# PT_LOADs afterwards.
@test "patchelf 663: a big-endian program's table stays in a segment" {
  needs s390x-linux-gnu-gcc s390x-linux-gnu-strip qemu-s390x
  many_functions >many.c
  s390x-linux-gnu-gcc -O2 -c many.c
  CC=s390x-linux-gnu-gcc small_program s many.o -static
  CC=s390x-linux-gnu-gcc small_program d many.o
  local file
  for file in s d; do
    cp $file $file.old
    convert $file
    [ "$(qemu-s390x -L /usr/s390x-linux-gnu ./$file)" = 174 ]
    s390x-linux-gnu-strip $file
    [ "$(qemu-s390x -L /usr/s390x-linux-gnu ./$file)" = 174 ]
  done
  local offset size begin file_size
  read -r offset size < <(segment d PHDR)
  read -r begin file_size < <(segment d LOAD)
  [ "$offset" -ge "$begin" ]
  [ $((offset + size)) -le $((begin + file_size)) ]
}

# LIEF issue 1384: the table grew over .interp, which PT_PHDR did not tell.
@test "LIEF 1384: PT_PHDR says what the table is, .interp is not in it" {
  many_object
  local linker begin end offset size
  for linker in bfd gold lld mold; do
    command -v ld.$linker >/dev/null || continue
    small_program f many.o -fuse-ld=$linker
    convert f
    read -r begin end < <(table_of f)
    read -r offset size < <(segment f PHDR)
    [ "$offset" -eq "$begin" ]
    [ $((offset + size)) -eq "$end" ]
    read -r offset size < <(section f .interp)
    [ "$offset" -ge "$end" ]
    [ "$(segment f INTERP)" = "$offset $size" ]
    [ "$(./f)" = 174 ]
  done
}

# LIEF issue 1237: static programs crashed after a change.
@test "LIEF 1237: static programs of every linker" {
  many_object
  local linker kind tried=0
  for linker in bfd gold lld mold; do
    command -v ld.$linker >/dev/null || continue
    for kind in -static -static-pie; do
      small_program f many.o -fuse-ld=$linker $kind 2>/dev/null || continue
      [ "$(./f)" = 174 ] || continue
      lives_on f
      tried=$((tried + 1))
    done
  done
  [ "$tried" -gt 0 ] || skip "no static programs can be made here"
}

# BOLT's change 201701: readers that take .eh_frame_hdr for the one in front of
# .eh_frame found none.
@test "BOLT 201701: sections keep their order" {
  many_object
  small_program f many.o
  readelf -SW f | sed -n 's/^ *\[ *\([0-9]*\)\] \(\.[^ ]*\).*/\1 \2/p' >before
  grep -A 1 eh_frame_hdr before | grep -q ' \.eh_frame$'
  convert f
  readelf -SW f | sed -n 's/^ *\[ *\([0-9]*\)\] \(\.[^ ]*\).*/\1 \2/p' >after
  head -n "$(wc -l <before)" after | diff before -
}

# An engine had its data in an unloaded section, the file's last one.  strip and
# objcopy keep such a program working; after conversion it found nothing.
@test "data at the end of a program, in a section of its own" {
  needs objcopy
  cat >game.c <<'END'
#include <stdio.h>
#include <string.h>
int
main (void)
{
  static char tail[4096];
  FILE *file = fopen ("/proc/self/exe", "rb");
  fseek (file, -(long)sizeof tail, SEEK_END);
  for (size_t i = fread (tail, 1, sizeof tail, file) - 8; i > 0; i--)
    if (memcmp (tail + i, "PAC", 3) == 0 && tail[i + 3] == 'K')
      return puts (tail + i + 4) < 0;
  return 1;
}
END
  "${CC:-cc}" -O1 -o game game.c
  printf "PACKlevel one\0" >pack
  objcopy --add-section pck=pack game
  [ "$(./game)" = "level one" ]
  cp game stripped
  strip stripped
  [ "$(./stripped)" = "level one" ]
  refused game
  [[ $stderr == *"section pck is not loaded"* ]] || report
  refused stripped
}

# linked COMMAND...: do it for programs of every linker and kind there is, of the
# sources in $sources.
linked ()
{
  local linker kind tried=0
  "${CC:-cc}" -O1 -c "${sources[@]}"
  for linker in bfd gold lld mold; do
    command -v ld.$linker >/dev/null || continue
    for kind in "-static -no-pie" -static-pie -pie -no-pie; do
      # mold 2.37 writes into a file that is there, and leaves bytes of it: the
      # program crashed.
      rm -f old
      # shellcheck disable=SC2086 # kind is several
      "${CC:-cc}" $kind -fuse-ld=$linker -Wl,--build-id -o old "${sources[@]/%.[cs]/.o}" \
        2>/dev/null || continue
      echo "$linker $kind"
      "$@"
      tried=$((tried + 1))
    done
  done
  [ "$tried" -gt 0 ] || skip "nothing can be linked here"
}

reads_itself ()
{
  local format before
  before=$(./old)
  for format in 3 2 compact; do
    rm -f new
    case $format in
      compact) convert --compact -o new old ;;
      *) convert --format=$format -o new old ;;
    esac
    [ "$(./new)" = "$before" ]
    cp new stripped
    strip stripped
    [ "$(./stripped)" = "$before" ]
    exits 0 --undo new
    cmp new old
  done
}

# The profile runtime of clang 12 to 19.1.3 crashed, or found no build-id.
@test "programs that find their headers at the ELF header + p_offset" {
  cat >own.c <<'END'
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
extern const Elf64_Ehdr __ehdr_start __attribute__ ((visibility ("hidden")));
static void
show (const char *header, const Elf64_Phdr *table, int count)
{
  const char *bias = NULL; /* of addresses */
  for (int i = 0; i < count; i++)
    if (table[i].p_type == PT_PHDR || table[i].p_type == PT_LOAD)
      {
        bias = table[i].p_type == PT_PHDR
                   ? (const char *)table - table[i].p_vaddr
                   : header + table[i].p_offset - table[i].p_vaddr;
        break;
      }
  for (int i = 0; i < count; i++)
    if (table[i].p_type == PT_INTERP)
      puts (header + table[i].p_offset);
    else if (table[i].p_type == PT_NOTE)
      for (const char *n = header + table[i].p_offset,
                      *end = n + table[i].p_filesz;
           n + 12 < end;)
        {
          const Elf64_Nhdr *note = (const void *)n;
          if (bias + table[i].p_vaddr != header + table[i].p_offset)
            puts ("elsewhere");
          if (note->n_type == NT_GNU_BUILD_ID && !memcmp (n + 12, "GNU", 4))
            for (unsigned k = 0; k < note->n_descsz; k++)
              printf ("%02x", (unsigned char)n[16 + k]);
          n += 12 + (note->n_namesz + 3) / 4 * 4 + (note->n_descsz + 3) / 4 * 4;
        }
  puts ("");
}
int
main (void)
{
  const char *header = (const char *)&__ehdr_start;
  show (header, (const void *)(header + __ehdr_start.e_phoff),
        __ehdr_start.e_phnum);
  /* By the table that the kernel names.  */
  const char *table = (const char *)getauxval (AT_PHDR);
  header = table - sizeof (Elf64_Ehdr);
  show (header, (const void *)table, (int)getauxval (AT_PHNUM));
  return 0;
}
END
  local sources=(own.c)
  linked reads_itself
}

prints_the_same ()
{
  local before
  before=$(./old)
  convert -o new old
  [ "$(./new)" = "$before" ]
}

prints_the_same_stripped ()
{
  strip old
  prints_the_same
}

# libunwind 1.8 does (lookup_symbol_from_dynamic), for what .symtab does not
# name.  strace -k crashed when it came to a converted program.
@test "readers that take addresses of symbol tables for offsets in the file" {
  cat >symbols.c <<'END'
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static const char *file;
static const void *
at (Elf64_Addr address, Elf64_Addr distance)
{
  return file + address - distance;
}
int
main (void)
{
  int self = open ("/proc/self/exe", O_RDONLY);
  file = mmap (NULL, (size_t)lseek (self, 0, SEEK_END), PROT_READ, MAP_PRIVATE,
               self, 0);
  const Elf64_Ehdr *header = (const void *)file;
  const Elf64_Phdr *table = (const void *)(file + header->e_phoff);
  const Elf64_Dyn *dynamic = NULL;
  const Elf64_Sym *symbols = NULL;
  const char *names = NULL;
  const unsigned *hash = NULL, *gnu_hash = NULL;
  Elf64_Addr distance = 0;
  for (int i = 0; i < header->e_phnum; i++)
    if (table[i].p_type == PT_PHDR)
      distance = table[i].p_vaddr - table[i].p_offset;
    else if (table[i].p_type == PT_DYNAMIC)
      dynamic = (const void *)(file + table[i].p_offset);
  for (; dynamic != NULL && dynamic->d_tag != DT_NULL; dynamic++)
    if (dynamic->d_tag == DT_SYMTAB)
      symbols = at (dynamic->d_un.d_ptr, distance);
    else if (dynamic->d_tag == DT_STRTAB)
      names = at (dynamic->d_un.d_ptr, distance);
    else if (dynamic->d_tag == DT_HASH)
      hash = at (dynamic->d_un.d_ptr, distance);
    else if (dynamic->d_tag == DT_GNU_HASH)
      gnu_hash = at (dynamic->d_un.d_ptr, distance);
  if (hash != NULL)
    printf ("%u buckets, %u symbols\n", hash[0], hash[1]);
  if (gnu_hash != NULL)
    printf ("%u buckets from %u on\n", gnu_hash[0], gnu_hash[1]);
  for (unsigned i = 1; gnu_hash != NULL && i < gnu_hash[1]; i++)
    printf ("%d %s\n", symbols[i].st_info, names + symbols[i].st_name);
  return 0;
}
END
  local sources=(symbols.c)
  linked prints_the_same_stripped
}

# Static ones of gold, lld and mold grow downwards.
@test "programs that find their section headers by their ELF header in memory" {
  cat >sections.c <<'END'
#include <elf.h>
#include <stdio.h>
#include <string.h>
extern const Elf64_Ehdr __ehdr_start __attribute__ ((visibility ("hidden")));
__attribute__ ((section (".mine"), used)) const char mine[] = "mine";
int
main (void)
{
  static Elf64_Shdr sections[99];
  static char names[4096], found[5];
  FILE *file = fopen ("/proc/self/exe", "rb");
  fseek (file, (long)__ehdr_start.e_shoff, SEEK_SET);
  fread (sections, sizeof *sections, __ehdr_start.e_shnum, file);
  fseek (file, (long)sections[__ehdr_start.e_shstrndx].sh_offset, SEEK_SET);
  fread (names, 1, sizeof names - 1, file);
  for (int i = 1; i < __ehdr_start.e_shnum; i++)
    if (sections[i].sh_name < sizeof names
        && strcmp (names + sections[i].sh_name, ".mine") == 0)
      {
        fseek (file, (long)sections[i].sh_offset, SEEK_SET);
        fread (found, 1, sizeof found, file);
      }
  return puts (found) < 0;
}
END
  local sources=(sections.c)
  linked prints_the_same
}

# The build-ids that are in the core file of a program that aborts, and whether
# its package note is in it.  A page of the file can be in memory twice.
core_ids ()
{
  rm -f core*
  (ulimit -c unlimited; ./"$1") >/dev/null 2>&1 || true
  [ -n "$(compgen -G 'core*')" ] || skip "no core files here"
  eu-unstrip -n --core core* | awk '{ sub (/@.*/, "", $2); print $2 }' | sort -u
  grep -a -o -m 1 hello-core core* | head -n 1
}

is_known_in_cores ()
{
  local before
  before=$(core_ids old)
  convert -o new old
  [ "$before" = "$(core_ids new)" ]
  strip new
  [ "$before" = "$(core_ids new)" ]
}

# A kernel writes the first page of a program, and no other.
@test "build-id and package note are in the core files of programs" {
  needs eu-unstrip
  [[ $(cat /proc/sys/kernel/core_pattern) == core ]] \
    || skip "core files go elsewhere"
  cat >note.s <<'END'
	.section .note.package,"a",%note
	.balign 4
	.long 4, 2f-1f, 0xcafe1a7e
	.asciz "FDO"
1:	.asciz "{\"type\":\"deb\",\"name\":\"hello-core\",\"version\":\"1.2-3\"}"
2:	.balign 4
	.section .note.GNU-stack,"",%progbits
END
  cat >abort.c <<'END'
#include <stdlib.h>
__attribute__ ((noinline)) static int
boom (int n)
{
  if (n > 0)
    abort ();
  return n;
}
int main (int argc, char **argv) { return boom (argc) + (argv != NULL); }
END
  local sources=(abort.c note.s)
  linked is_known_in_cores
}

# mold 1.10 gives PT_GNU_RELRO the offset 0 where thread-local variables come
# first in it: "segment 11 stands behind the table", or a failed self-check.
@test "mold 1.10: PT_GNU_RELRO without a place in the file" {
  needs ld.mold
  many_functions 40 >many.c
  cat >relro.c <<'END'
__thread int t;
#define N "a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p"
static const char *const names[] = { N, N, N, N, N, N, N, N, N, N, N, N, N };
int puts (const char *);
int main (int c, char **v) { return t + puts (names[c & 15]) - (v ? 2 : 0); }
END
  local kind
  for kind in pie no-pie; do
    "${CC:-cc}" -O1 -fuse-ld=mold -$kind -o $kind relro.c many.c
    [ "$(readelf -lW $kind | awk '$1 == "GNU_RELRO" { print $2 }')" \
      = 0x000000 ] || skip "this mold gives it a place"
    lives_on $kind
  done
}

# A read-only segment with more memory than bytes, which grows down in front.
@test "a first segment with a BSS of its own grows down" {
  [ "$(uname -m)" = x86_64 ] || skip "an x86-64 program"
  cat >rbss.s <<'END'
	.globl _start
	.type _start, @function
_start:	.cfi_startproc
	.cfi_undefined rip
	call f
	mov $60, %eax
	xor %edi, %edi
	syscall
	.cfi_endproc
	.size _start, . - _start
f:	.cfi_startproc
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.section .rbss, "a", @nobits
	.zero 100
	.section .note.GNU-stack, "", @progbits
END
  local linker
  for linker in bfd gold mold; do
    command -v "ld.$linker" >/dev/null || continue
    # gold has no option for what it does anyway.
    "${CC:-cc}" -nostdlib -static -no-pie -Wl,-z,noseparate-code \
      -fuse-ld=$linker -o $linker rbss.s 2>/dev/null \
      || "${CC:-cc}" -nostdlib -static -no-pie -fuse-ld=$linker \
        -o $linker rbss.s
    lives_on $linker
  done
}

# mold 2.42.1: an FDE without code in front of a function hid the function's.
@test "mold 2.42.1: an empty FDE hides no function" {
  small_program probe
  cat >empty.s <<'END'
	.text
	.globl after
	.type after, @function
	.cfi_startproc
	.cfi_endproc
after:
	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	nop
	pop %rbx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size after, . - after
	.section .note.GNU-stack,"",@progbits
END
  [ "$(uname -m)" = x86_64 ] || skip "x86-64 assembly"
  small_program f empty.s
  convert f
  exits 0 --check f
  [[ $output == *" 0 without SFrame data"* ]] || report
  [ "$("$CFI2SFRAME" --dump f | grep -c 'size = 4 bytes')" -ge 1 ] || report
}

# sections NAME N: so many, as assembly.
sections ()
{
  printf '.section .note.GNU-stack, ""\n'
  seq -f ".section .zdebug_$1%.0f, \"\", %%progbits; .byte 1" "$2"
}

# library_with N [OBJECT]: a library with N sections of its own, those of OBJECT,
# and what the linker adds.
library_with ()
{
  {
    printf 'f: .cfi_startproc\n nop\n .cfi_endproc\n .globl f\n'
    sections own "$1"
  } >many.s
  "${CC:-cc}" -nostdlib -shared -o many.so many.s "${@:2}"
}

section_count ()
{
  readelf -hW "$1" | sed -n 's/ *Number of section headers: *//p'
}

# From 65,280 on section 0 has the number (gABI, "ELF header").
@test "the 65,280th section is that of a conversion" {
  needs readelf
  local added n
  library_with 1
  added=$(($(section_count many.so) - 1))
  # Most are assembled once.
  sections common 65000 >common.s
  "${CC:-cc}" -c common.s
  for n in 65278 65279; do
    library_with $((n - added - 65000)) common.o
    [ "$(section_count many.so)" = $n ] || skip "the linker makes other sections"
    cp many.so before
    convert many.so
    [ "$(section_count many.so)" = "$([ $n = 65278 ] && echo 65279 || echo "0 (65280)")" ]
    exits 0 --check many.so
    convert --undo many.so
    cmp many.so before
  done
}
