#!/bin/bash
# Make small inputs for the fuzz targets: one directory per target in OUT.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: make_seeds.sh OUT [CFI2SFRAME]
# What a missing compiler or linker would make is left out.  With the program
# itself, converted files are made too.
set -u
out=$(realpath -m "${1?}")
tool=${2:+$(realpath "$2")}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"/{convert,layout,existing,undo,cfi,debug,sframe,object,cunwind,unwind_info,unwind,walk,archive,code,perfdata}
cd "$work" || exit 1

cat >prog.c <<'END'
int x[4] = { 1 };
int bss[8];
extern int f (int, char *);
__attribute__ ((noinline)) int g (int n, char *p)
{ char b[n]; return f (n, b) + p[1]; }
int h (int n) { return n ? g (n, (char *)x) + 1 : bss[1]; }
void _start (void) { x[0] = h (x[1]); for (;;); }
END
cat >lib.c <<'END'
int f (int n, char *p) { p[n - 1] = (char)n; return *p; }
END
# A recording: its magic, the size of its header, and perf's own where it works.
{ printf 'PERFILE2\150'; head -c 95 /dev/zero; } >"$out/perfdata/header"
perf record -q -F 99 --call-graph dwarf,64 -o "$out/perfdata/perf" true \
  >/dev/null 2>&1 || rm -f "$out/perfdata/perf"

# What compilers seldom write.
cat >odd.s <<'END'
	.text
	.globl	_start
_start:	.cfi_startproc
	.cfi_undefined rip
	nop
	.cfi_endproc
	.globl f
f:	.cfi_startproc
	.cfi_remember_state
	nop
	.cfi_def_cfa r10, 0
	nop
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06
	.cfi_escape 0x10, 6, 2, 0x76, 0
	nop
	.cfi_restore_state
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -16
	nop
	.cfi_val_offset rsp, 8
	nop
	.cfi_endproc
	.fill 300
g:	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_def_cfa rsp, 8
	.cfi_offset rip, -8
	.fill 300
	.cfi_adjust_cfa_offset 4096
	nop
	.cfi_endproc
h:	.cfi_startproc
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	.fill 96
	.cfi_endproc
	.section .note.GNU-stack,"",@progbits
END

small="-z max-page-size=4096 -z noseparate-code"

# An ELF file becomes an input by bytes of options behind it.
as_input ()
{
  { cat "$1"; printf '%b' "$3"; } >"$2"
}

add_elf ()
{
  [ "$(stat -c %s "$1")" -le 20000 ] || return 0
  cp "$1" "$out/code/$2"
  as_input "$1" "$out/convert/$2" '\x00'
  as_input "$1" "$out/convert/$2-v2" '\x09'
  as_input "$1" "$out/convert/$2-v1" '\x27'
  as_input "$1" "$out/layout/$2" '\x40\x01\x00\x07'
  as_input "$1" "$out/layout/$2-move" '\x40\x01\x00\x0c'
  as_input "$1" "$out/layout/$2-grow" '\x40\x10\x00\x23'
  if [ -n "$tool" ] && "$tool" -q -o converted "$1" 2>/dev/null; then
    as_input converted "$out/existing/$2" '\x04'
  fi
}

# The section alone, for the machine and the format in two bytes.
add_cfi ()
{
  objcopy -I elf64-little -O binary -j .eh_frame --set-section-flags \
    .eh_frame=alloc "$1" cfi.bin 2>/dev/null \
    || "$4objcopy" -O binary -j .eh_frame "$1" cfi.bin 2>/dev/null
  [ -s cfi.bin ] && [ "$(stat -c %s cfi.bin)" -le 4000 ] || return 0
  { printf '%b' "$3"; cat cfi.bin; } >"$out/cfi/$2"
}

build ()
{
  local name=$1 cc=$2 arch=$3 cross=$4
  shift 4
  if $cc "$@" -nostdlib -o "$name" 2>/dev/null; then
    add_elf "$name" "$name"
    add_cfi "$name" "$name" "\\x0$arch\\x00" "$cross"
    add_cfi "$name" "$name-v1" "\\x0$arch\\x03" "$cross"
    "${cross}strip" "$name" 2>/dev/null && add_elf "$name" "$name-stripped"
  fi
}

for linker in bfd gold lld mold; do
  flags="-fuse-ld=$linker -Wl,-z,max-page-size=4096"
  if gcc -O2 -shared -fpic -nostdlib $flags -o libf.so lib.c 2>/dev/null; then
    add_elf libf.so "lib-$linker"
    build "dyn-$linker" gcc 0 "" -O2 -fno-pie -no-pie $flags prog.c ./libf.so
    build "pie-$linker" gcc 0 "" -O2 -fpie -pie $flags prog.c ./libf.so
  fi
  build "static-$linker" gcc 0 "" -O0 -static $flags prog.c lib.c
  build "staticpie-$linker" gcc 0 "" -O2 -static-pie -fpie $flags prog.c lib.c
  build "odd-$linker" gcc 0 "" -static $flags odd.s
done
# CFI in .debug_frame, without the rest of the debugging information.
add_debug ()
{
  for form in none zlib zlib-gnu; do
    objcopy -R .debug_info -R .debug_line -R .debug_abbrev -R .debug_str \
      -R .debug_aranges -R .debug_line_str -R .debug_rnglists -R .comment \
      --compress-debug-sections=$form "$1" small 2>/dev/null || continue
    [ "$(stat -c %s small)" -le 20000 ] || continue
    for choice in 0 1 3; do
      as_input small "$out/debug/$1-$form-$choice" "\\x0$choice"
    done
  done
  objcopy -O binary -j .debug_frame --set-section-flags .debug_frame=alloc \
    "$1" cfi.bin 2>/dev/null && [ "$(stat -c %s cfi.bin)" -le 4000 ] \
    && { printf '\x00\x08'; cat cfi.bin; } >"$out/cfi/$1"
}
flags="-g -static -nostdlib -Wl,-z,max-page-size=4096,--build-id"
gcc -O2 -fno-asynchronous-unwind-tables $flags -o debug-only prog.c lib.c \
  && add_debug debug-only
gcc -O2 $flags -c prog.c && gcc -O2 -fno-asynchronous-unwind-tables $flags \
  -o debug-part prog.o lib.c && add_debug debug-part
{ echo '	.cfi_sections .eh_frame, .debug_frame'; cat odd.s; } >both.s
gcc $flags -o debug-both both.s && add_debug debug-both
clang -O2 -gdwarf64 -fno-asynchronous-unwind-tables $flags -o debug-wide \
  prog.c lib.c 2>/dev/null && add_debug debug-wide
# What looks like a dynamic loader.
for linker in bfd lld; do
  gcc -O2 -shared -fpic -nostdlib -fuse-ld=$linker \
    -Wl,-z,max-page-size=4096,-soname,ld-tiny.so.1,-e,f -o loader prog.c lib.c \
    2>/dev/null && add_elf loader "loader-$linker"
done
build tiny gcc 0 "" -static -O2 -Wl,-N prog.c lib.c
build ibt gcc 0 "" -O2 -fcf-protection -fno-pie -no-pie prog.c ./libf.so \
  -Wl,-z,max-page-size=4096,-z,ibtplt
for cross in aarch64:1 s390x:2; do
  arch=${cross#*:} cross=${cross%:*}-linux-gnu-
  flags="-Wl,-z,max-page-size=4096"
  build "${cross}static" "${cross}gcc" "$arch" "$cross" -O2 -static $flags \
    prog.c lib.c
  "${cross}gcc" -O2 -shared -fpic -nostdlib $flags -o libf.so lib.c \
    2>/dev/null || continue
  add_elf libf.so "${cross}lib"
  build "${cross}pie" "${cross}gcc" "$arch" "$cross" -O2 -fpie -pie $flags \
    prog.c ./libf.so
done
build aarch64-lld clang 1 aarch64-linux-gnu- --target=aarch64-linux-gnu -O2 \
  -fuse-ld=lld -static -Wl,-z,max-page-size=4096 \
  -mbranch-protection=pac-ret+leaf+b-key prog.c lib.c

for object in "$root"/tests/data/gnu/*/*/l*-O2.o; do
  version=$(basename "$(dirname "$(dirname "$object")")")
  arch=$(basename "$(dirname "$object")")
  [ "$(stat -c %s "$object")" -le 16000 ] || continue
  as_input "$object" "$out/object/$version-$arch-$(basename "$object")" '\x00'
  objcopy -I "$(objdump -f "$object" 2>/dev/null \
    | sed -n 's/.*file format //p')" -O binary -j .sframe "$object" \
    "$out/sframe/$version-$arch" 2>/dev/null
  [ -s "$out/sframe/$version-$arch" ] || rm -f "$out/sframe/$version-$arch"
done
for source in prog.c lib.c odd.s; do
  gcc -c -O2 "$source" -o object.o && as_input object.o \
    "$out/object/$source" '\x04'
done
if [ -n "$tool" ]; then
  for file in "$out"/convert/*; do
    name=$(basename "$file")
    head -c -1 "$file" >input
    "$tool" -q --format=compact-unwind --section-only="$out/unwind_info/$name" \
      input 2>/dev/null && cp input "$out/cunwind/$name"
    cp input "$out/code/$name"
    for format in 3 2 2.0 1; do
      "$tool" -q --format=$format --section-only=section input 2>/dev/null \
        && [ "$(stat -c %s section)" -le 4000 ] \
        && cp section "$out/sframe/$name-$format"
    done
  done
fi

# Options, SP and PC, sixteen words of stack, a section (stack_words.h).
for file in "$out"/sframe/*; do
  [ "$(stat -c %s "$file")" -le 1000 ] || continue
  { printf '\x0e\x10\x10\x60\x20\x60\x40\x80\x80\x80'
    for word in 0 1 2 3 4 5 6 7 8 9 a b c; do printf "\\x$word\\x6$word"; done
    cat "$file"
  } >"$out/unwind/$(basename "$file")"
  cp "$out/unwind/$(basename "$file")" "$out/walk/"
done

# Sizes, then a file, an original's size, a number of operations, operations.
printf '\x08\x00abcdefgh\x0c\x00\x03\x10\x40\x19123456\x0a' >"$out/undo/three"
printf '\x04\x00abcd\x20\x00\x02\x40\x00\x42' >"$out/undo/two"
printf '\x00\x00\x00\x00\x00\x00' >"$out/undo/empty"

# Members of a few bytes: an index, long names, an odd size.
printf 'int a, b;' | gcc -x c -Os -c -o a.o - && objcopy -O elf64-x86-64 a.o 2>/dev/null
strip -s -R .comment -R .note.gnu.property a.o -o small.o 2>/dev/null || cp a.o small.o
printf 'odd' >a_member_with_a_long_name
for kind in "" S U; do
  rm -f x.a
  ar "rc$kind" x.a a.o a_member_with_a_long_name small.o 2>/dev/null \
    && cp x.a "$out/archive/ar$kind"
done
ar rcT thin.a a.o && cp thin.a "$out/archive/thin"
printf '!<arch>\n' >"$out/archive/empty"
member='%-16s%-12s%-6s%-6s%-8s%-10s`\n'
# shellcheck disable=SC2059
{
  printf '!<arch>\n'
  printf "$member" /SYM64/ 0 0 0 0 26
  printf '\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\136main\0\0\0\0\0'
  printf "$member" x/ 0 0 0 644 3
  printf 'abc\n'
} >"$out/archive/sym64"
# shellcheck disable=SC2059
{ printf '!<arch>\n'; printf "$member" '#1/4' 0 0 0 644 4; printf abcd; } \
  >"$out/archive/bsd"

for target in "$out"/*; do
  printf '%s: %d inputs, %d bytes\n' "$(basename "$target")" \
    "$(find "$target" -type f | wc -l)" \
    "$(cat "$target"/* | wc -c)"
done
