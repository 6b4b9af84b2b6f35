#!/usr/bin/env bats
# Objects: --relocatable.
# SPDX-License-Identifier: LGPL-2.1-or-later

load ../cli/helpers

# Two C++ files that share COMDAT functions and throw through them.
cxx_sources ()
{
  cat >one.cc <<'END'
#include <cstdio>
#include <stdexcept>
#include <string>
template <class T> struct box
{
  T v;
  __attribute__ ((noinline)) T get () const
  {
    if (v.empty ())
      throw std::runtime_error ("empty");
    return v;
  }
};
int other (int);
int main ()
{
  try { box<std::string>{ "" }.get (); }
  catch (std::exception &e) { std::puts (e.what ()); }
  try { other (0); }
  catch (std::exception &e) { std::puts (e.what ()); }
  return 0;
}
END
  sed -e 's/int other (int);/static int deep (int n) { std::string s (n, 120); if (n > 4) throw std::out_of_range (s); return deep (n + 1) + (int)s.size (); }/' \
      -e 's/int main ()/int other (int n)/' -e 's/other (0)/deep (n)/' \
      -e 's/catch (std::exception &e) { std::puts (e.what ()); }\n  return/&/' \
      one.cc >two.cc
}

has_section ()
{
  readelf -SW "$1" | grep -q ' \.sframe '
}

# A function whose FDE names it by its symbol, so that its section needs none.
bare_function ()
{
  cat <<'END'
	.section .text.one,"ax",@progbits
	.globl one
one:	ret
	.section .eh_frame,"a",@unwind
0:	.long 2f-1f
1:	.long 0
	.byte 1
	.asciz "zR"
	.byte 1,0x78,16,1,0x1b, 0x0c,7,8, 0x90,1
	.balign 8,0
2:	.long 4f-3f
3:	.long 3b-0b
	.long one-.
	.long 1
	.byte 0
	.balign 8,0
4:
END
}

# Their objects, compiled with these options.
cxx_objects ()
{
  cxx_sources
  g++ -O2 "$@" -c one.cc
  g++ -O2 "$@" -c two.cc
}

runs ()
{
  [ "$("$1")" = "$(printf 'empty\nempty\nxxxxx')" ]
}

@test "without the option objects are skipped" {
  small_program
  "${CC:-cc}" -c small.c -o small.o
  skipped small.o
}

@test "C++ objects with COMDAT functions link and run, whatever the version" {
  needs g++ readelf
  local linker=$(ld --version | head -n 1)
  for version in 1 2.0 2 3; do
    once cxx_objects -ffunction-sections
    exits 0 --relocatable --format=$version one.o two.o
    silent
    has_section one.o
    # GNU ld of another release may say that it makes no .sframe.
    if [ "$version" = 1 ] && [[ $linker == *" 2.44"* ]]; then
      # It makes V2 for the PLT, and ends when objects have V1.
      run ! g++ one.o two.o -o program
      [[ "$output" == *"different format versions"* ]]
      continue
    fi
    g++ one.o two.o -o program 2>/dev/null
    runs ./program
  done
}

@test "what ld makes of V1 objects is what it makes of those of as --gsframe" {
  needs g++ objcopy ld
  echo '.cfi_sections .eh_frame' | as --gsframe -o /dev/null - 2>/dev/null \
    || skip "as has no --gsframe"
  [[ $(ld --version | head -1) == *" 2.40"* ]] || skip "not GNU ld 2.40"
  cxx_sources
  g++ -O2 -S one.cc two.cc
  as -o one.o one.s
  as -o two.o two.s
  as --gsframe -o gnu1.o one.s
  as --gsframe -o gnu2.o two.s
  exits 0 --relocatable --gnu --format=1 one.o two.o
  g++ one.o two.o -o ours
  g++ gnu1.o gnu2.o -o theirs
  objcopy -O binary --only-section=.sframe ours ours.bin
  objcopy -O binary --only-section=.sframe theirs theirs.bin
  [ -s ours.bin ]
  cmp ours.bin theirs.bin
  runs ./ours
}

@test "objects go through ld -r, strip -g and mold" {
  needs g++ strip ld
  cxx_objects -g -ffunction-sections
  exits 0 --relocatable one.o two.o
  strip -g one.o two.o
  g++ one.o two.o -o stripped 2>/dev/null
  runs ./stripped
  ld -r one.o two.o -o both.o 2>/dev/null
  g++ both.o -o joined 2>/dev/null
  runs ./joined
  # gold and lld refuse COMDAT objects with any .sframe, GNU's included.
  if command -v ld.mold >/dev/null; then
    g++ -fuse-ld=mold one.o two.o -o by-mold
    runs ./by-mold
  fi
}

@test "clang's address significance table survives new section symbols" {
  needs clang ld.lld llvm-readelf
  # The pc_begin of this FDE is relocated against the function itself, and
  # nothing else needs a section symbol.
  cat >bare.s <<'END'
	.section .text.one,"ax",@progbits
	.globl one
one:	ret
	.section .text.two,"ax",@progbits
	.globl two
two:	xorl %eax,%eax
	ret
	.section .eh_frame,"a",@unwind
0:	.long 2f-1f
1:	.long 0
	.byte 1
	.asciz "zR"
	.byte 1,0x78,16,1,0x1b, 0x0c,7,8, 0x90,1
	.balign 8,0
2:	.long 4f-3f
3:	.long 3b-0b
	.long one-.
	.long 1
	.byte 0
	.balign 8,0
4:	.long 6f-5f
5:	.long 5b-0b
	.long two-.
	.long 3
	.byte 0
	.balign 8,0
6:
	.text
	.globl _start
_start:	call one
	call two
	movl $60,%eax
	xorl %edi,%edi
	syscall
	.addrsig
	.addrsig_sym two
	.addrsig_sym one
END
  clang -c bare.s -o bare.o
  ! readelf -sW bare.o | grep -q 'SECTION.*\.text\.one' || skip "symbols are there"
  exits 0 -v --relocatable bare.o
  [[ $output == *"2 of 2 functions"* ]] || report
  readelf -rW bare.o | grep -q 'R_X86_64_PC64.*\.text\.one + 0'
  readelf -rW bare.o | grep -q 'R_X86_64_PC64.*\.text\.two + 0'
  # eh_frame's own relocations still name the functions.
  readelf -rW bare.o | grep -q 'R_X86_64_PC32.* one + 0'
  readelf -rW bare.o | grep -q 'R_X86_64_PC32.* two + 0'
  llvm-readelf --addrsig bare.o | grep -q ': two'
  llvm-readelf --addrsig bare.o | grep -q ': one'
  ld.lld --icf=all bare.o -o bare
  ./bare
}

@test "a second run changes nothing, --replace makes the section anew" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  exits 0 --relocatable --format=2 small.o
  skipped small.o --relocatable
  cp small.o before.o
  exits 0 --relocatable --replace small.o
  exits 0 --compare before.o small.o
  [ "$(readelf -SW small.o | grep -c '\.sframe ')" -eq 2 ]
  # Nothing that the object has already is put into it once more.
  cp small.o once.o
  exits 0 --relocatable --replace small.o
  cmp once.o small.o
}

@test "a signed kernel module is refused, an unsigned one converted" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o module.ko
  cp module.ko signed.ko
  printf 'signature~Module signature appended~\n' >>signed.ko
  refused signed.ko --relocatable
  exits 0 --relocatable module.ko
  has_section module.ko
}

# The word was found in the sentence, which begins with the member's name.
@test "the word for a reason is that of the member" {
  needs jq
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  cp small.o signed.ko
  printf 'signature~Module signature appended~\n' >>signed.ko
  cp small.o old.o
  poke old.o 4 01
  cp small.o 'it refuses all.o'
  poke 'it refuses all.o' 5 07
  local file
  for file in signed.ko:signed old.o:machine 'it refuses all.o:malformed'; do
    rm -f lib.a
    ar qS lib.a small.o "${file%:*}"
    exits 1 -n --relocatable --stats=json lib.a
    [ "$(jq -r .code <<<"$output")" = "${file#*:}" ] || report
  done
}

@test "objects without CFI or code are skipped" {
  echo 'int data = 1;' >data.c
  "${CC:-cc}" -c data.c -o data.o
  skipped data.o --relocatable
  echo 'int f (void) { return 1; }' >bare.c
  "${CC:-cc}" -fno-asynchronous-unwind-tables -c bare.c -o bare.o
  skipped bare.o --relocatable
}

@test "-o leaves the object alone; --section-only writes unlinked rows" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  before=$(checksum small.o)
  exits 0 --relocatable -o new.o small.o
  [ "$(checksum small.o)" = "$before" ]
  has_section new.o
  exits 0 --relocatable --section-only=rows small.o
  objcopy -O binary --only-section=.sframe new.o raw
  cmp rows raw
}

@test "damaged objects are refused and left alone" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  size=$(stat -c %s small.o)
  for at in 64 200 $((size / 2)) $((size - 100)); do
    head -c "$at" small.o >cut.o
    exits 1 --relocatable cut.o
  done
}

# It was missing in the counts, so that --strict failed without a reason.
@test "one damaged FDE of an object is counted, and told" {
  needs jq
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  local offset size end length bytes
  read -r offset size < <(section small.o .eh_frame)
  end=$((offset + size))
  offset=$((offset + 4 + $(peek small.o "$offset" 4)))
  # It runs past the section's end, by a little and by much.
  for length in $((end - offset - 3)) $((end - offset)) $((0x7fffffff)); do
    cp small.o bad.o
    printf -v bytes %08x "$length"
    poke bad.o "$offset" "${bytes:6:2}" "${bytes:4:2}" "${bytes:2:2}" "${bytes:0:2}"
    exits 0 -n --relocatable --stats=json bad.o
    [ "$(jq -c '[.code, .left_out["bad-entry"]]' <<<"$output")" = '["no-cfi",1]' ] || report
  done
  # Its function does.
  cp small.o bad.o
  poke bad.o $((offset + 12)) ff ff ff 0f
  exits 0 -n --relocatable --stats=json bad.o
  [ "$(jq -c .left_out <<<"$output")" = '{"not-executable":1}' ] || report
  cp small.o bad.o
  poke bad.o $((offset + 4)) f3 ff ff 7f
  exits 0 -n --relocatable --stats=json small.o
  [ "$(jq '.left_out["bad-entry"]' <<<"$output")" = null ] || report
  exits 0 -n --relocatable --stats=json bad.o
  [ "$(jq '.left_out["bad-entry"]' <<<"$output")" = 1 ] || report
  exits 0 -n -vv --relocatable bad.o
  [[ $output == *"first damage: CIE pointer leads to no CIE (.eh_frame+0x"* ]] \
    || report
}

@test "more than 65,279 sections, symbols among them" {
  needs as
  awk 'BEGIN { for (i = 0; i < 33000; i++)
    printf ".section .text.f%d,\"ax\"\n.cfi_startproc\nret\n.cfi_endproc\n" \
           ".section .data.f%d,\"aw\"\n.byte 1\n", i, i }' >many.s
  as many.s -o many.o
  exits 0 -v --relocatable many.o
  [[ $output == *"33000 of 33000 functions"* ]] || report
  exits 0 --check many.o
  [[ $output == *"33000 functions checked: "*" 0 wrong, 0 without SFrame data"* ]] || report
}

@test "a function in section 66,000 that has no section symbol" {
  needs clang
  awk 'BEGIN { for (i = 0; i < 66000; i++)
    printf ".section .data.f%d,\"aw\"\n.byte 1\n", i }' >late.s
  bare_function >>late.s
  clang -c late.s -o late.o
  tool -v --relocatable late.o
  [[ $output == *"1 of 1 function"* ]] || report
  readelf -rW late.o | grep -q 'R_X86_64_PC64.*\.text\.one + 0'
}

@test "--check reads objects, and finds what GNU as did wrong" {
  small_program
  "${CC:-cc}" -O2 -ffunction-sections -c small.c -o small.o
  for version in 1 2.0 2 3; do
    tool --relocatable --replace --format=$version small.o
    exits 0 --check small.o
    [[ $output == *" 0 wrong, 0 without SFrame data"* ]] || report
  done
  exits 0 --check "$srcdir/tests/data/gnu/v3-binutils-2.47/s390x/lcode-O2.o"
  # GNU as has a row where the CFA is back before r15 is.
  exits 1 --check "$srcdir/tests/data/gnu/v3-binutils-2.47/s390x/lvm-O2.o"
  [[ $output == *" 14 wrong"* ]] || report
  exits 1 --check "$srcdir/tests/data/gnu/v3-binutils-2.47/probes/amd64_basic.o"
  [[ $output == *" 1 wrong"* ]] || report
}

# The byte of FILE's .sframe that holds its last CFA offset is changed.
spoil_rows ()
{
  local offset size
  read -r offset size < <(section "$1" .sframe)
  poke "$1" $((offset + size - 1)) 78
}

# FILE stays as it is, with a warning that holds TEXT; with --replace=auto it
# gets an .sframe that is right.
stays_and_is_replaced ()
{
  local before
  before=$(checksum "$1")
  exits 0 --relocatable "$1"
  [ -z "$output" ] || report
  [[ $stderr == "cfi2sframe: $1: warning: the .sframe that is there $2"* ]] || report
  [ "$(checksum "$1")" = "$before" ]
  convert --relocatable --replace=auto "$1"
  exits 0 --check "$1"
  [[ $output == *" 0 wrong, 0 without SFrame data"* ]] || report
  skipped "$1" --relocatable --replace=auto
}

@test "the .sframe of an object is judged as that of a linked file" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  cp small.o good.o
  convert --relocatable good.o
  skipped good.o --relocatable
  # Wrong.
  cp good.o f.o
  spoil_rows f.o
  stays_and_is_replaced f.o "is wrong: 0x"
  # The header is damaged.
  cp good.o f.o
  poke f.o "$(section f.o .sframe | cut -d' ' -f1)" 00 00
  stays_and_is_replaced f.o "is of no use to any reader: "
  # Of one function and no more.
  echo 'int one (int n); int one (int n) { return n + 1; }' >one.c
  "${CC:-cc}" -O2 -c one.c
  convert --relocatable one.o
  ld -r -o f.o one.o small.o 2>/dev/null
  stays_and_is_replaced f.o "describes only "
  # What GNU as did wrong.
  cp "$srcdir/tests/data/gnu/v3-binutils-2.47/probes/amd64_basic.o" f.o
  tool --relocatable --replace=auto f.o
  exits 0 --check f.o
}

@test "an empty .sframe of an object is none" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  : >nothing
  objcopy --add-section .sframe=nothing small.o
  convert --relocatable small.o
  exits 0 --check small.o
}

@test "--remove and --undo keep their hands off objects" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  local option
  for option in --undo --remove; do
    cp small.o f.o
    exits 0 -v $option f.o
    [ "$output" = "f.o: skipped: has no .sframe" ] || report
    convert --relocatable f.o
    # Status 0 and silence looked as if it was gone.
    refused f.o $option
    [ "$stderr" = "cfi2sframe: f.o: relocatable object: use objcopy -R .sframe -R .rela.sframe" ] || report
    exits 2 --relocatable $option f.o
    objcopy -R .sframe -R .rela.sframe f.o
    skipped f.o $option
  done
}

# They counted as skipped, and an archive as no ELF file, with status 0 and
# without a word.  What an object has may be an assembler's, so --undo of a tree
# does not fail for it.
@test "--remove and --undo of a tree say what keeps an .sframe" {
  small_archive
  mkdir tree
  cp lib.a one.o tree
  exits 0 -r -v --undo tree
  [[ $output == *"tree/lib.a: skipped: no .sframe in any member"*" 2 skipped, 0 failed "* ]] || report
  "$CFI2SFRAME" --relocatable -q -r tree
  small_program tree/program
  cp tree/program tree/later
  "$CFI2SFRAME" tree/program tree/later
  echo appended >>tree/later
  cp -a tree before
  exits 1 -r --remove -n tree
  [[ $output == "2 files could be without .sframe, 0 skipped, 2 failed "* ]] || report
  exits 0 -r --remove -n --skip-unconvertible tree
  [[ $stderr == "cfi2sframe: note: 2 files have an .sframe that stays, left as they are; the first is tree/lib.a: "* ]] || report
  exits 1 -r --undo tree
  [[ $output == "1 file restored, 2 skipped, 1 failed "*"appended-data 1, archive 1, object 1" ]] || report
  [[ $stderr == "cfi2sframe: tree/later: 9 bytes were appended after its conversion; without them it can be undone
cfi2sframe: note: 2 files have an .sframe that may be an assembler's, left as they are; the first is tree/lib.a: archive of objects: use objcopy "* ]] || report
  exits 1 -r --undo --skip-unconvertible=no tree
  [[ $output == "0 files restored, 1 skipped, 3 failed "* ]] || report
  exits 0 --undo --skip-unconvertible tree/lib.a
  [ "$stderr" = "cfi2sframe: note: tree/lib.a: with an .sframe that may be an assembler's, left as it is: archive of objects: use objcopy -R .sframe -R .rela.sframe" ] || report
  rm before/program tree/program
  diff -r before tree
}

# lib.a of two objects, one with a long name, and a text; main.c uses them.
small_archive ()
{
  cat >one.c <<'END'
int two (int n);
int one (int n) { return two (n) + 1; }
END
  cat >two.c <<'END'
int two (int n) { char *volatile p = __builtin_alloca (n + 1); p[0] = n; return p[0] * 2; }
END
  printf '#include <stdio.h>\nint one (int);\nint main (void) { printf ("%%d\\n", one (3)); return 0; }\n' >main.c
  "${CC:-cc}" -O2 -c one.c
  "${CC:-cc}" -O2 -c two.c -o a_member_with_a_long_name.o
  echo odd >text
  rm -f lib.a
  ar rcsD lib.a one.o text a_member_with_a_long_name.o
}

@test "an archive's objects are converted, its index leads to them" {
  needs ar ranlib
  small_archive
  cp lib.a in.a
  convert --relocatable lib.a
  # The members, one by one, and nothing else.
  ar t lib.a | diff - <(ar t in.a)
  ar tv lib.a | awk '{ print $1, $2, $4, $5, $6, $7, $8 }' \
    | diff - <(ar tv in.a | awk '{ print $1, $2, $4, $5, $6, $7, $8 }')
  local member
  for member in one.o a_member_with_a_long_name.o; do
    convert --relocatable "$member"
    ar p lib.a "$member" | cmp - "$member"
    has_section "$member"
  done
  ar p lib.a text | cmp - text
  cp lib.a indexed.a
  ranlib -D indexed.a
  cmp lib.a indexed.a
  "${CC:-cc}" -O2 -o main main.c lib.a
  [ "$(./main)" = 7 ]
  # Always the same, and once.
  convert -o again.a --relocatable in.a
  cmp again.a lib.a
  skipped lib.a --relocatable
  # It was "archive without objects to convert".
  exits 0 -v --relocatable lib.a
  [ "$output" = "lib.a: skipped: has an .sframe already" ] || report
  # So it was where one member is a text and the other has no code.
  ar d lib.a one.o && ar x lib.a text
  printf '' | "${CC:-cc}" -c -x c - -o none.o && ar rcsD lib.a none.o
  exits 0 --stats=json --relocatable lib.a
  [[ $output == *'"code":"has-sframe"'* ]] || report
  cp again.a lib.a
  # In a directory, too; with -n nothing is written.
  mkdir d
  cp in.a d/lib.a
  convert -n --relocatable d/lib.a
  cmp in.a d/lib.a
  tool -r --relocatable d
  [[ $output == "1 file converted"* ]] || report
  cmp d/lib.a lib.a
  # A further name kept the old contents, with status 0.
  cp in.a d/lib.a && ln d/lib.a d/other.a
  exits 0 -r --relocatable d
  [ -z "$stderr" ] || report
  [ d/lib.a -ef d/other.a ]
}

# The index was exempt from the self-check, and a linker finds members by it alone.
@test "an index that leads to other members is found before the archive is renamed" {
  needs ar
  small_archive
  cp lib.a in.a
  # What is written to AT ends with other bits.
  cat >flip.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t
pwrite (int fd, const void *bytes, size_t size, off_t offset)
{
  static int n;
  char copy[4096];
  if (offset != 68 || n++ == 0 || size > sizeof copy)
    return syscall (SYS_pwrite64, fd, bytes, size, offset);
  memcpy (copy, bytes, size);
  if (*getenv ("FLIP") == 's') /* the offsets of two symbols */
    {
      memcpy (copy + 4, (const char *)bytes + 8, 4);
      memcpy (copy + 8, (const char *)bytes + 4, 4);
    }
  else
    copy[atoi (getenv ("FLIP"))] ^= 1;
  return syscall (SYS_pwrite64, fd, copy, size, offset);
}
ssize_t pwrite64 (int fd, const void *bytes, size_t size, off_t offset)
  __attribute__ ((alias ("pwrite")));
END
  "${CC:-cc}" -shared -fPIC -o flip.so flip.c
  local flip
  # An offset, a name, the number of symbols, two that are exchanged.
  for flip in 7 13 3 s; do
    run env FLIP=$flip LD_PRELOAD="$PWD/flip.so" \
      ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
      "$CFI2SFRAME" --relocatable lib.a
    [ "$status" -eq 1 ] || report
    [[ $output == *"self-check of the new file failed: its members differ"* ]] || report
    cmp in.a lib.a
  done
  exits 0 --relocatable lib.a
}

@test "a system library's archive: the index is the one ranlib makes" {
  needs ranlib
  local file tried=0
  for file in libc.a libstdc++.a; do
    file=$("${CC:-cc}" -print-file-name=$file)
    [ -f "$file" ] || continue
    copy "$file" in.a
    ranlib -D in.a
    cp in.a lib.a
    convert --relocatable lib.a
    run ! cmp -s in.a lib.a
    cp lib.a indexed.a
    ranlib -D indexed.a
    cmp lib.a indexed.a
    ar t lib.a | cmp - <(ar t in.a)
    tried=$((tried + 1))
  done
  [ "$tried" -gt 0 ] || skip "no static libraries"
}

@test "an archive without the option: a note, not silence" {
  needs ar
  small_archive
  cp lib.a in.a
  tool lib.a
  [ "$status" -eq 0 ] && [ -z "$output" ] || report
  [ "$stderr" = "cfi2sframe: lib.a: note: skipped: archive of objects (see --relocatable)" ] || report
  tool -q lib.a
  silent
  tool -v lib.a
  [ "$output" = "lib.a: skipped: archive of objects (see --relocatable)" ] || report
  exits 0 -o out.a lib.a
  cmp in.a out.a
  cmp in.a lib.a
  for option in --check --dump; do
    refused lib.a $option
    [[ $stderr == *": no .sframe in any member" ]] || report
  done
  # Nothing was compared, as in a program without .sframe: sums tell nothing of it.
  mkdir tree && cp lib.a tree
  tool --check -r --stats=json tree
  [ "$(grep -c '"bytes_absent":0,' <<<"$output")" -eq 2 ] || report
  for option in --lint --compare-formats --section-only=s; do
    refused lib.a $option
    [[ $stderr == *"an archive of objects, not an ELF file" ]] || report
  done
}

@test "an archive is checked and printed member by member, with their names" {
  needs ar
  small_archive
  convert --relocatable lib.a
  ar x lib.a
  exits 0 --check lib.a
  # Were found in a directory by --relocatable alone, as no other file is.
  mkdir d && cp lib.a d
  read_text found <("$CFI2SFRAME" --check --stats=json -r d | sed '$d; s/d\/lib/lib/; s/,"sec.*//')
  [ "$found" = "$("$CFI2SFRAME" --check --stats=json lib.a | sed 's/,"sec.*//')" ]
  "$CFI2SFRAME" --dump -r d | grep -qF "File: d/lib.a(one.o)"
  local functions=0 bytes=0 member
  for member in one.o a_member_with_a_long_name.o; do
    read -r n f < <("$CFI2SFRAME" --check $member \
      | sed -E 's/.*: ([0-9]+) functions? checked: ([0-9]+) bytes.*/\1 \2/')
    functions=$((functions + n)) bytes=$((bytes + f))
  done
  [ $functions -eq 2 ]
  [[ $output == "lib.a: 2 functions checked: $bytes bytes of code equal, 0 wrong, "* ]] || report
  for member in one.o a_member_with_a_long_name.o; do
    printf '\nFile: lib.a(%s)\n' $member
    "$CFI2SFRAME" --dump $member
  done >expected
  "$CFI2SFRAME" --dump lib.a | diff expected -
  # What is wrong is named; the others are looked at all the same.
  spoil_rows one.o
  ar rcsD lib.a one.o
  exits 1 --check lib.a
  [[ $stderr == "cfi2sframe: lib.a: member one.o: 0x"*"CFA is "* ]] || report
  [[ $output == "lib.a: 2 functions checked: "* ]] || report
  spoil_rows a_member_with_a_long_name.o
  ar rcsD lib.a a_member_with_a_long_name.o
  exits 1 --check lib.a
  [[ $stderr == "cfi2sframe: lib.a: member one.o: 0x"*", and in 1 more" ]] || report
  # A second run names the first of them.
  cp lib.a wrong.a
  exits 0 --relocatable wrong.a
  [[ $stderr == "cfi2sframe: wrong.a: warning: the .sframe that is there in member one.o is wrong: 0x"* ]] || report
  cmp lib.a wrong.a
  convert --relocatable --replace=auto wrong.a
  exits 0 --check wrong.a
  # One that cannot be read ends it.
  head -c 200 one.o >text
  ar rcsD lib.a text 2>/dev/null
  refused lib.a --check
  [[ $stderr == *"lib.a: member text: "* ]] || report
}

@test "an archive with 200,000 names and no table of names takes no time" {
  # The table was looked for among all members, once for each: half a minute.
  printf '!<arch>\n' >many.a
  yes "$(printf '%-16s%-12s%-6s%-6s%-8s%-10s`' /0 0 0 0 644 0)" \
    | head -n 200000 >>many.a
  ulimit -S -t 10
  run "$CFI2SFRAME" --check many.a
  [[ "$output" == *"no .sframe in any member"* ]]
}

@test "an archive cannot be undone; what is said instead removes its .sframe" {
  needs ar objcopy
  small_archive
  cp lib.a in.a
  convert --relocatable lib.a
  local option command
  for option in --undo --remove; do
    cp in.a f.a
    exits 0 -v $option f.a
    [ "$output" = "f.a: skipped: no .sframe in any member" ] || report
    head -c 100 lib.a >f.a
    exits 0 -v $option f.a
    [[ $output == "f.a: skipped: archive member is damaged or "* ]] || report
    rm f.a
    ar rcT f.a ./*.o
    exits 0 -v $option f.a
    [[ $output == "f.a: skipped: thin archive: "* ]] || report
    rm f.a
    # It was a note, which advised --relocatable.
    cp lib.a f.a
    refused f.a $option
    [[ $stderr == "cfi2sframe: f.a: archive of objects: use objcopy "* ]] || report
    command=${stderr#*use }
    $command f.a
    ar t f.a | diff - <(ar t in.a)
    tool --check f.a
    [[ $stderr == *": no .sframe in any member" ]] || report
  done
}

@test "archives that are damaged or of another kind are refused and left alone" {
  needs ar
  small_archive
  cp lib.a in.a
  local size
  size=$(stat -c %s in.a)
  # Cut off in a header and in a member.
  for cut in 30 100 $((size - 200)); do
    head -c $((size - cut)) in.a >f.a
    refused f.a --relocatable
  done
  # The size of a member, the mark behind it, an offset and the count in the
  # index.
  for at in 56 66 72 68; do
    cp in.a f.a
    poke f.a $at ff
    refused f.a --relocatable
  done
  # An index of an offset alone has no room for two, nor one of two bytes for
  # a number; one is right.
  ar rcSD bare.a one.o
  local index
  for index in '\0\0\0\1\0\0\0\114' '\0\0\0\2\0\0\0\114' '\0\1'; do
    # shellcheck disable=SC2059
    printf "$index" >index
    { printf '!<arch>\n%-16s%-12s%-6s%-6s%-8s%-10s`\n' / 0 0 0 0 "$(stat -c %s index)"
      cat index; tail -c +9 bare.a; } >f.a
    case $index in *1*114) exits 0 --relocatable f.a ;; *) refused f.a --relocatable ;; esac
  done
  ar rcsDT thin.a one.o
  refused thin.a --relocatable
  [[ $stderr == *"thin archive"* ]] || report
  printf '!<arch>\n%-16s%-12s%-6s%-6s%-8s%-10s`\nabcd' '#1/4' 0 0 0 644 4 >bsd.a
  refused bsd.a --relocatable
  # A damaged member is named.
  head -c 200 one.o >one-cut.o
  ar rcsD bad.a text one-cut.o 2>/dev/null
  refused bad.a --relocatable
  [[ $stderr == "cfi2sframe: bad.a: member one-cut.o: "* ]] || report
  # Nothing in it is an object.
  ar rcD none.a text
  skipped none.a --relocatable
  printf '!<arch>\n' >empty.a
  skipped empty.a --relocatable
}

# It was 0, and totals said that all bytes were removed.
@test "--stats says how large an object becomes" {
  "${CC:-cc}" -O2 -c -o f.o -x c - <<<'int f (int x) { return x + 1; }'
  local before after
  before=$(stat -c %s f.o)
  "$CFI2SFRAME" -o g.o --relocatable f.o
  after=$(stat -c %s g.o)
  mkdir d
  cp f.o d
  exits 0 -n -r --relocatable --stats d
  [[ $output == *", file $before -> $after bytes"*"files: $before -> $after bytes"* ]] || report
  exits 0 --relocatable --stats d/f.o
  [[ $output == *", file $before -> $after bytes"* ]] || report
  exits 0 --relocatable --stats --section-only=section f.o
  [[ $output == *", .sframe $(stat -c %s section) bytes"* ]] || report
}

# CFA = rsp + 8 + 8 * ((rip & 15) >= 11), as in lazy PLTs.  The linker may put
# the section where rip & 15 is another than in the object: rows were wrong.
@test "a rule about the lowest bits of the PC is left out where the section may be anywhere" {
  [ "$(uname -m)" = x86_64 ] || skip "the rule is amd64's"
  needs jq
  local align expected
  while read -r align expected; do
    cat >plt.s <<END
	.section .text.plt,"ax",@progbits
	.p2align $align
plt:	.cfi_startproc
	.cfi_escape 0x0f,0x0b,0x77,8,0x80,0,0x3f,0x1a,0x3b,0x2a,0x33,0x24,0x22
	.fill 96,1,0x90
	.cfi_endproc
	.cfi_startproc
	ret
	.cfi_endproc
END
    "${CC:-cc}" -c -o plt.o plt.s
    exits 0 -n --relocatable --stats=json plt.o
    [ "$(jq -c '[.left_out["cfa-expression"], .bytes_covered]' <<<"$output")" = "$expected" ] \
      || report
  done <<'END'
0 [1,1]
3 [1,1]
4 [null,97]
5 [null,97]
END
}

# The second one stayed, and was applied to the new section.
@test "an .sframe with two tables of relocations is not replaced" {
  needs python3
  cat >two.c <<'EOF'
int g (int);
int f (int n) { char bytes[n]; bytes[0] = 1; return g (n) + bytes[0]; }
EOF
  "${CC:-cc}" -O2 -c two.c
  convert --relocatable two.o
  python3 - <<'EOF'
import struct
data = bytearray(open("two.o", "rb").read())
table, = struct.unpack_from("<Q", data, 40)
count, names = struct.unpack_from("<HH", data, 60)
headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
text = bytes(data[headers[names][4]:])
numbers = {text[header[0]:].split(b"\0")[0]: i for i, header in enumerate(headers)}
struct.pack_into("<I", data, table + 64 * numbers[b".rela.text"] + 44, numbers[b".sframe"])
open("two.o", "wb").write(data)
EOF
  refused two.o --relocatable --replace
  [[ $stderr == *": its .sframe has other relocations than one table with addends" ]] || report
}

# retype FILE SECTION TYPE
retype ()
{
  python3 - "$@" <<'EOF'
import struct, sys
file, name, kind = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3], 0)
data = bytearray(open(file, "rb").read())
table, = struct.unpack_from("<Q", data, 40)
count, names = struct.unpack_from("<HH", data, 60)
text = bytes(data[struct.unpack_from("<Q", data, table + 64 * names + 24)[0]:])
for at in range(table, table + 64 * count, 64):
    if text[struct.unpack_from("<I", data, at)[0]:].split(b"\0")[0] == name:
        struct.pack_into("<I", data, at + 4, kind)
open(file, "wb").write(data)
EOF
}

# Those of SHT_CREL (clang -Wa,--crel) were taken for none: "no function can be
# expressed in SFrame"; one of .sframe stayed, and was applied to the new section.
@test "relocations in another form than RELA are named" {
  needs python3
  "${CC:-cc}" -O2 -c -o in.o -x c - <<<'int f (int x) { return x + 1; }'
  [ "$(od -An -tu1 -j5 -N1 in.o)" -eq 1 ] || skip "not little-endian"
  local type
  for type in 0x40000014 9 0x60000099; do
    cp in.o f.o
    retype f.o .rela.eh_frame $type
    refused f.o --relocatable
    [ "$stderr" = "cfi2sframe: f.o: relocations in another form than RELA" ] || report
    cp in.o f.o
    convert --relocatable f.o
    retype f.o .rela.sframe $type
    exits 1 --check f.o
    [ "$stderr" = "cfi2sframe: f.o: relocations in another form than RELA" ] || report
    refused f.o --relocatable --replace
    [[ $stderr == *": its .sframe has other relocations than one table with addends" ]] || report
  done
}

# FILE of a function that SFrame can describe, of one that it cannot, and of 40
# bytes without CFI, as far as its name says so.
demanding ()
{
  {
    echo '	.text'
    case $1 in
      *good*) printf 'good: .cfi_startproc\n nop\n .cfi_endproc\n' ;;
    esac
    case $1 in
      *odd*) printf 'odd: .cfi_startproc\n .cfi_escape 0xf, 1, 0x30\n nop\n .cfi_endproc\n' ;;
    esac
    case $1 in
      *bare*) printf 'bare: .fill 40, 1, 0\n' ;;
    esac
  } | "${CC:-cc}" -c -x assembler -o "$1" -
}

# They were not asked for objects and archives: exit status 0.
@test "--strict and --min-coverage: objects and archives that are converted" {
  needs ar
  local file
  for file in good.o odd.o bare.o good-bare.o good-odd.o; do
    demanding $file
  done
  "${CC:-cc}" -nostdlib -shared -o odd.so odd.o
  ar rc good-and-odd.a good.o odd.o
  ar rc good-and-bare.a good.o bare.o
  for file in odd.so odd.o good-odd.o good-and-odd.a; do
    exits 0 -n --relocatable "$file"
    refused "$file" --relocatable --strict
    [[ $stderr == *"1 of "[12]" functions cannot be described completely" ]] || report
  done
  for file in odd.so odd.o bare.o good-bare.o good-and-bare.a; do
    exits 0 -n --relocatable "$file"
    refused "$file" --relocatable --min-coverage=30
    [[ $stderr == *": only "*" percent of the code has rows" ]] || report
  done
  for file in good.o good-bare.o good-and-bare.a; do
    exits 0 -n --relocatable --strict "$file"
  done
  for file in good.o good-odd.o good-and-odd.a; do
    exits 0 -n --relocatable --min-coverage=30 "$file"
  done
}

@test "--strict and --min-coverage: objects and archives that are checked" {
  needs ar jq
  local file
  for file in good.o odd.o bare.o good-bare.o good-odd.o; do
    demanding $file
    tool --relocatable $file
  done
  ar rc good-and-odd.a good.o odd.o
  ar rc good-and-bare.a good.o bare.o
  for file in good-odd.o good-and-odd.a; do
    exits 0 --check "$file"
    exits 1 --check --strict "$file"
    [[ $stderr == *": "*" bytes of code with call-frame information have no rows" ]] || report
  done
  for file in good-bare.o good-and-bare.a; do
    exits 0 --check --strict "$file"
    exits 1 --check --min-coverage=30 "$file"
    [[ $stderr == *": only "*" percent of the code has rows" ]] || report
  done
  exits 0 --check --min-coverage=100 --strict good.o
  exits 0 --check --min-coverage=30 good-and-odd.a
  exits 0 --check --stats=json good-and-bare.a
  [ "$(jq -c '[.bytes_equal, .executable_bytes - 40]' <<<"$output")" \
    = "$(exits 0 --check --stats=json good.o; jq -c '[.bytes_equal, .executable_bytes]' <<<"$output")" ] || report
}

# The first of two relocations was taken where linkers take the last: the rows
# of one function for the code of another.  Relocations that reach into a field
# from in front of it, and those of CIEs, were passed over.
@test "CFI with relocations that are not expected gets no rows" {
  [ "$(uname -m)" = x86_64 ] || skip "relocations are named"
  needs jq
  cat >plain.s <<'EOF2'
	.section .text.one,"ax",@progbits
one:	.fill 4,1,0x90
	.section .text.two,"ax",@progbits
two:	.fill 4,1,0x90
	.section .eh_frame,"a",@progbits
	.long 2f-1f		#length
1:	.long 0
	.byte 1
	.asciz "zR"
	.byte 1,0x78,16,1,0x1b
	.byte 0x0c,7,8,0x90,1	#program
	.balign 8,0
2:	.long 4f-3f		#fde-length
3:	.long 3b-.eh_frame	#cie
	.long one-.		#start
	.long 4			#size
	.byte 0			#data
	.byte 0x41,0x0e,16	#instructions
	.balign 8,0
4:
EOF2
  "${CC:-cc}" -c plain.s
  exits 0 -n --relocatable --stats=json plain.o
  [ "$(jq .bytes_covered <<<"$output")" = 4 ] || report
  local at relocation
  while read -r at relocation; do
    sed "/#$at\$/i .reloc .$relocation" plain.s >odd.s
    "${CC:-cc}" -c odd.s
    skipped odd.o --relocatable
    exits 0 -v --relocatable odd.o
    [[ $output == *"no function can be expressed"* ]] || report
  done <<'END'
start , R_X86_64_PC32, two
start , R_X86_64_PC32, one
start +1, R_X86_64_8, two
start -4, R_X86_64_64, two
fde-length , R_X86_64_32, two
cie +3, R_X86_64_8, two
size +1, R_X86_64_8, two
data , R_X86_64_8, two
instructions -4, R_X86_64_64, two
instructions +2, R_X86_64_8, two
END
  for at in length program; do
    sed "/#$at\$/i .reloc ., R_X86_64_8, two" plain.s >odd.s
    "${CC:-cc}" -c odd.s
    refused odd.o --relocatable
    [[ $stderr == *": the CIE at 0x0 of .eh_frame has relocations that are not expected there" ]] || report
  done
  # One that does nothing is none.
  sed "/#start\$/i .reloc ., R_X86_64_NONE, two" plain.s >odd.s
  "${CC:-cc}" -c odd.s
  exits 0 -n --relocatable --stats=json odd.o
  [ "$(jq .bytes_covered <<<"$output")" = 4 ] || report
}

# Of two sections one was replaced and checked; one that has the type and another
# name was not seen.  ld makes no .sframe of either.
@test "several .sframe sections in an object are refused" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  convert --relocatable small.o
  objcopy -O binary --only-section=.sframe small.o bytes
  printf '\t.section .sframe.other,"a",@0x6ffffff4\n\t.incbin "bytes"\n' >other.s
  "${CC:-cc}" -c other.s
  "${CC:-cc}" -O2 -c small.c -o plain.o
  local file
  for file in plain.o small.o; do
    ld -r -T <(echo 'SECTIONS { .sframe.other : { *(.sframe.other) } .sframe : { *(.sframe) } }') \
      -o several.o "$file" other.o 2>/dev/null
    [ "$(readelf -SW several.o | grep -c ' \.sframe')" -ge 1 ]
    refused several.o --relocatable
    [[ $stderr == *": has other .sframe sections than one of this name" ]] || report
    refused several.o --relocatable --replace
    exits 1 --check several.o
  done
}

# A new section there lost its flag, and the group still named it.
@test "an .sframe in a section group is refused" {
  cat >group.s <<'END'
  .section .text.f,"axG",@progbits,f,comdat
f:
  .cfi_startproc
  ret
  .cfi_endproc
  .section .sframe,"aG",@progbits,f,comdat
  .long 0
END
  as group.s -o group.o
  refused group.o --relocatable --replace
  [[ $stderr == *": its .sframe belongs to a section group" ]] || report
}

# What is not resolved here as linkers do it gets no rows.
@test ".eh_frame that is not read as a whole is refused" {
  printf 'f:\n.cfi_startproc\nret\n.cfi_endproc\n' >f.s
  printf '\t.section .eh_frame,"a",@unwind,unique,%d\n\t.long 0\n' 7 8 \
    | cat f.s - >two.s
  printf '\t.section .eh_frame,"a",@unwind\n\t.long -1,8,0,0,0\n' \
    | cat f.s - >long.s
  as two.s -o two.o
  as long.s -o long.o
  refused two.o --relocatable
  [[ $stderr == *": has several .eh_frame sections" ]] || report
  refused long.o --relocatable
  [[ $stderr == *": .eh_frame has a length of 64 bits" ]] || report
}

# By another relocation, or one more, linkers would write other starts or rows.
@test "relocations of .sframe are those of its functions" {
  small_program
  "${CC:-cc}" -O2 -c small.c -o small.o
  convert --relocatable small.o
  exits 0 --check small.o
  local entry
  entry=$(readelf -SW small.o | sed -n 's/.*\.rela\.sframe *RELA *[0-9a-f]* \([0-9a-f]*\).*/\1/p')
  # The type of the first one, R_X86_64_PC64 (24), is R_X86_64_64 (1).
  cp small.o other.o
  printf '\1' | dd of=other.o bs=1 seek=$((0x$entry + 8)) conv=notrunc status=none
  exits 1 --check other.o
  [[ $stderr == *"function 0 of .sframe has no place"* ]] || report
}
