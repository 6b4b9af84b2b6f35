#!/bin/sh
# sframe-prove: files of three machines are proved, wrong sections are not
# (cases.py, vectors.py), and random changes of rows are found.  The long form of
# the latter is tools/maintainer/long.sh.
# SPDX-License-Identifier: LGPL-2.1-or-later

srcdir=$(cd "${srcdir-.}" && pwd)
. "$srcdir/tests/tap.sh"
prove=prove/sframe-prove program=src/cfi2sframe
[ -x "$prove" ] || skip_all "$without_libdw"
scratch=$(mktemp -d) || exit 1
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT

# proved FILE OPTION...: FILE, converted, is proved against FILE.
proved ()
{
  file=$1
  shift
  "$program" -q "$@" -o "$scratch/converted" "$file" 2>"$log" \
    && "$prove" "$scratch/converted" "$file" >"$log" 2>&1 \
    && grep -q ' equal [1-9][0-9]* .* wrong 0$' "$log"
}

for file in "$program" /bin/bash /usr/aarch64-linux-gnu/lib/libc.so.6 \
  /usr/s390x-linux-gnu/lib/libc.so.6; do
  [ -e "$file" ] || { skip "$file is not there"; continue; }
  for options in "" --compact --format=2 --format=1; do
    case $options$file in --format=1*s390x*) continue ;; esac
    # shellcheck disable=SC2086
    check "${file##*/} ($(basename "$(dirname "$(dirname "$file")")")) \
$options is proved" proved "$file" $options
  done
done

# Code that is not the original's.
cp "$program" "$scratch/other"
"$program" -q -o "$scratch/converted" "$program"
offset=$(readelf -SW "$program" \
  | awk '$2 == ".text" || $3 == ".text" { print $(NF - 6) }' | head -n 1)
if [ -n "$offset" ]; then
  printf '\314' | dd of="$scratch/other" bs=1 seek=$((0x$offset + 99)) \
    conv=notrunc 2>/dev/null
  "$prove" "$scratch/converted" "$scratch/other" >"$log" 2>&1
  check "other code is found" test $? -eq 1
  check "other code is named" grep -q 'its code is not that of' "$log"
fi
"$prove" "$program" >"$log" 2>&1
check "a file without .sframe is not proved" test $? -eq 1
# A section that is whole is not called broken for want of CFI.
objcopy -R .eh_frame -R .eh_frame_hdr "$scratch/converted" "$scratch/without"
"$prove" "$scratch/without" >"$scratch/line" 2>"$log"
check "a file without CFI is not proved" test $? -eq 1
check "that CFI is missing is all that is said of it" \
  sh -c "grep -q 'no call-frame information' '$log' && [ \$(wc -l <'$log') -eq 1 ]"
check "all its rows are without CFI" \
  grep -q ' equal 0 .* without-cfi [1-9][0-9]* wrong 0$' "$scratch/line"
"$prove" "$srcdir/README.md" >"$log" 2>&1
check "what is not an ELF file cannot be read" test $? -eq 2

"$prove" --help >"$log" 2>&1
check "--help is an option once" test "$(grep -c -- --help "$log")" -eq 1
"$prove" -h | cmp -s - "$log"
check "-h says the same" test $? -eq 0

# fp_unsaid N [RULE]: N functions that save FP, of which .debug_frame says
# nothing but in the last one, which has RULE.
fp_unsaid ()
{
  echo '	.cfi_sections .debug_frame'
  i=0
  while [ $i -lt "$1" ]; do
    printf 'f%d:	.cfi_startproc\n	push %%rbp\n	.cfi_def_cfa_offset 16\n' $i
    [ $i -lt $(($1 - 1)) ] || printf '	%s\n' "$2"
    printf '	mov %%rsp, %%rbp\n	call *%%rax\n	pop %%rbp\n	.cfi_def_cfa_offset 8\n'
    printf '	ret\n	.cfi_endproc\n	.type f%d,@function\n	.size f%d,.-f%d\n' $i $i $i
    printf '	.globl f%d\n' $i
    i=$((i + 1))
  done
}

# many_rows N SECTION: a function of N rows in SECTION, of three bytes each.
many_rows ()
{
  printf '	.cfi_sections %s\nmany:	.cfi_startproc\n	.rept %d\n' "$2" $(($1 / 2))
  printf '	nop\n	.cfi_def_cfa_offset %d\n' 16 24
  printf '	.endr\n	ret\n	.cfi_endproc\n'
}

# libdw goes from the first row to the one that is asked for.
if [ "$(uname -m)" != x86_64 ] || ! many_rows 20 .eh_frame \
     | "${CC:-cc}" -nostdlib -shared -x assembler -o "$scratch/rows.so" - 2>"$log"; then
  skip "no function of many rows can be made here: $(tail -n 1 "$log")"
else
  for section in .eh_frame .debug_frame; do
    for rows in 6000 50000; do
      many_rows $rows $section \
        | "${CC:-cc}" -nostdlib -shared -x assembler -o "$scratch/rows.so" -
      "$program" -q "$scratch/rows.so" 2>"$log"
      "$prove" "$scratch/rows.so" >"$log" 2>&1
      status=$?
      case $rows in
        6000)
          check "6,000 rows of a function in $section are proved" \
            sh -c "[ $status -eq 0 ] && grep -q ' wrong 0\$' '$log'" ;;
        *)
          check "50,000 rows of a function in $section take too long" \
            grep -q ': call-frame information that takes too long$' "$log"
          check "... and are not proved" test $status -eq 1 ;;
      esac
    done
  done
fi

# A compiler that never gives a rule for FP (Go): that it gives none means
# nothing.  The rows are made from the code.
if [ "$(uname -m)" != x86_64 ] || ! fp_unsaid 40 "" \
     | "${CC:-cc}" -nostdlib -shared -x assembler -o "$scratch/unsaid.so" - 2>"$log" \
   || ! "$program" -q --analyze -o "$scratch/unsaid" "$scratch/unsaid.so" 2>"$log"; then
  skip "no rows can be made from code here: $(tail -n 1 "$log")"
else
  "$prove" "$scratch/unsaid" >"$log" 2>&1
  check "no rule for FP anywhere says nothing of FP" \
    grep -q ' equal 0 .* without-cfi [1-9][0-9]* wrong 0$' "$log"
  # But the CFA and RA are compared.
  for other in ".cfi_def_cfa_offset 24" ".cfi_offset rip, -24"; do
    fp_unsaid 40 "$other" \
      | "${CC:-cc}" -nostdlib -shared -x assembler -o "$scratch/other.so" -
    "$prove" "$scratch/unsaid" "$scratch/other.so" >"$log" 2>&1
    check "wrong all the same: $other" grep -q ' wrong [1-9]' "$log"
  done
  # That it is no accident takes 32 rows that have moved SP.
  prove_few ()
  {
    fp_unsaid "$1" "" \
      | "${CC:-cc}" -nostdlib -shared -x assembler -o "$scratch/few.so" -
    "$program" -q --analyze -o "$scratch/few" "$scratch/few.so"
    "$prove" "$scratch/few" >"$log" 2>&1
  }
  prove_few 31
  check "31 functions without a rule for FP keep it" \
    grep -q ' equal [1-9][0-9]* .* wrong 0$' "$log"
  prove_few 32
  check "32 functions say nothing of it" \
    grep -q ' equal 0 .* wrong 0$' "$log"
  # With a rule, where there is none FP is unchanged.
  fp_unsaid 40 ".cfi_offset rbp, -16" \
    | "${CC:-cc}" -nostdlib -shared -x assembler -o "$scratch/other.so" -
  "$prove" "$scratch/unsaid" "$scratch/other.so" >"$log" 2>&1
  check "where one has a rule, no rule means unchanged" grep -q ' wrong [1-9]' "$log"
  check "... and all functions are compared from the first one on" \
    proved "$scratch/other.so"
fi

# Rows were compared with CFI that lacked a part: fewer were equal, and none
# wrong.
memory_runs_out ()
{
  FAULT_COUNT=$scratch/all LD_PRELOAD=$scratch/memory.so \
    "$prove" "$scratch/small" >"$scratch/line" 2>&1 || return 1
  at=1
  while [ $at -le "$(cat "$scratch/all")" ]; do
    FAULT_AT=$at LD_PRELOAD=$scratch/memory.so "$prove" "$scratch/small" >"$log" 2>&1
    case $? in
      0) cmp -s "$log" "$scratch/line" || { echo "allocation $at" >>"$log"; return 1; } ;;
      1 | 2) ;;
      *) return 1 ;;
    esac
    at=$((at + 2))
  done
}
echo 'int main (int n, char **a) { (void)a; return n; }' >"$scratch/small.c"
if grep -q __asan_init "$prove"; then
  skip "AddressSanitizer has its own malloc"
elif ! "${CC:-cc}" -shared -fPIC -o "$scratch/memory.so" \
     "$srcdir/tests/faults/memory.c" 2>"$log" \
   || ! "${CC:-cc}" -o "$scratch/small" "$scratch/small.c" 2>"$log" \
   || ! "$program" -q "$scratch/small" 2>"$log"; then
  skip "no allocations can be made to fail, or nothing is converted"
else
  check "nothing is proved without memory for it" memory_runs_out
fi

if ! command -v python3 >/dev/null 2>&1; then
  skip "python3 is not installed"
else
  python3 "$srcdir/tests/prove/cases.py" "$prove" >"$log" 2>&1
  check "sections and CFI made for it are judged rightly" test $? -eq 0
  python3 "$srcdir/tests/prove/vectors.py" "$prove" >"$log" 2>&1
  check "the vectors of conformance/ are judged rightly" test $? -eq 0
fi
if ! command -v python3 >/dev/null 2>&1 || [ "$(uname -m)" != x86_64 ]; then
  skip "no python3, or the file to be changed is not one of x86-64"
else
  "$program" -q -o "$scratch/changed" "$prove" \
    && python3 "$srcdir/tests/prove/changes.py" "$prove" "$scratch/changed" 150 1 \
    >"$log" 2>&1
  check "150 random changes of rows are found" test $? -eq 0
fi
echo "1..$n"
