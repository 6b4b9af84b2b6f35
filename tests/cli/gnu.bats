#!/usr/bin/env bats
# --gnu: what GNU as writes.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# The option --format for what the installed as writes, or skip.
gnu_format ()
{
  echo 'f: .cfi_startproc; nop; .cfi_endproc' | as --gsframe -o probe.o - \
    2>/dev/null || skip "as has no --gsframe"
  objcopy -O binary --only-section=.sframe probe.o probe.bin
  set -- $(od -An -tu1 -j2 -N2 probe.bin)
  case $1.$2 in
  2.0) format=2.0 ;;
  *) format=$1 ;;
  esac
}

# without_sframe AR OBJCOPY FILE...: copies without it, below ours.  objcopy
# changes all members of an archive in one process.
without_sframe ()
{
  rm -rf ours ours.a
  mkdir ours
  "$1" rcS ours.a "${@:3}"
  "$2" -R .sframe -R .rela.sframe ours.a
  (cd ours && "$1" x ../ours.a)
}

# A line for each object below folder $1: its name, .sframe, the relocations, and
# what the headers of both sections say but for places.  A section of relocations
# with none in it, which GNU as does not make, is no section.
sframe_of ()
{
  (cd "$1" && readelf -x .sframe -SrW *.o 2>/dev/null) | awk '
    /^Relocation section/ { begins = NR; wanted = /\.rela\.sframe/ }
    /^$/ { wanted = 0 }
    /^File:/ { printf "%s%s", between, $2; between = "\n" }
    /^ +0x/ { printf " %s", $0 }
    / \.(rela\.)?sframe / {
      sub (/^.*\] /, "")
      if ($5 !~ /^0+$/)
        printf " %s %s %s %s", $2, $6, $7, $NF
    }
    wanted && NR > begins + 1 { printf " %s", $1 " " $3 " " $5 $6 $7 }
    END { print "" }'
}

# The objects below gnu and those of the same names below ours have the same
# .sframe and relocations.
same_sections ()
{
  sframe_of gnu >gnu.txt
  sframe_of ours >ours.txt
  diff gnu.txt ours.txt
}

# Compile with as --gsframe, and compare with what is made of copies without
# .sframe.  Of files of ours those ten are enough that have most code.
compare_all ()
{
  local file object options large
  mkdir gnu
  mapfile -t large < <(ls -S "$srcdir"/src/cfi/*.c | head -n 10)
  for file in "${large[@]}" "$srcdir"/tests/data/gnu/src/*.c \
              "$srcdir/tests/data/gnu/src/cxx_exceptions_drap.cc"; do
    options=(-std=gnu17 -D_GNU_SOURCE -I"$srcdir/include" -I"$srcdir/src"
             -I"$srcdir" -I"$builddir")
    [[ $file == *.c ]] || options=()
    object=${file##*/}
    # as 2.40 stops with an internal error on some input: nothing to compare.
    "$@" "${options[@]}" -w -Wa,--gsframe -c "$file" -o "gnu/${object%.*}.o" 2>log \
      || grep -qi 'internal error' log || { cat log; return 1; }
  done
  without_sframe ar objcopy gnu/*.o
  exits 0 --relocatable --gnu=bugs --format="$format" ours/*.o
  same_sections || { echo "differs: $*"; return 1; }
  [ "$(readelf -SW gnu/*.o | grep -c ' \.eh_frame ')" -gt 8 ]
}

@test "gcc's objects: byte for byte what the installed as writes" {
  needs gcc as readelf objcopy
  gnu_format
  compare_all gcc -O2
}

@test "clang's objects: byte for byte what the installed as writes" {
  needs clang as readelf objcopy
  gnu_format
  compare_all clang -Os -fno-integrated-as
}

# Where an escape has the very bytes that a directive would have made, GNU as
# drops the function, and .eh_frame does not say that it was an escape.
@test "fixtures: byte for byte, in every version and machine" {
  local release folder name compared=0
  needs readelf
  for release in v1-binutils-2.40:1 v2-binutils-2.44:2.0 \
                 v2-binutils-2.45:2 v3-binutils-2.47:3; do
    for folder in "$srcdir/tests/data/gnu/${release%:*}"/*/; do
      rm -rf gnu ours
      cp -r "$folder" gnu
      cp -r "$folder" ours
      exits 0 --relocatable --replace --gnu=bugs --format="${release#*:}" ours/*.o
      compared=$((compared + $(ls gnu/*.o | wc -l)))
      for name in amd64_unsupported:esc_defcfaoff aarch64_cases:pac_auth_toggle; do
        [ -e "gnu/${name%:*}.o" ] || continue
        exits 1 --compare "gnu/${name%:*}.o" "ours/${name%:*}.o"
        [[ $output == .text."${name#*:}"+0x0\ * \
           && $output == *" 0 different, 0 only in A, 1 only in B,"* ]] || report
        rm gnu/"${name%:*}.o" ours/"${name%:*}.o"
      done
      same_sections
    done
  done
  [ "$compared" -eq 86 ]
}

@test "stripped fixtures: byte for byte what they had" {
  needs objcopy
  ln -s "$srcdir/tests/data/gnu/v3-binutils-2.47/amd64" gnu
  without_sframe ar objcopy gnu/*.o
  exits 0 --relocatable --gnu=bugs --format=3 ours/*.o
  same_sections
}

@test "where GNU as is wrong, --gnu is right and --gnu=bugs is not" {
  needs as
  cat >wrong.s <<'END'
f:	.cfi_startproc
	push %rbp
	mov %rsp,%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6,-16
	.cfi_def_cfa_register 6
	leave
	.cfi_def_cfa 7,8
	ret
	.cfi_endproc
END
  as wrong.s -o plain.o
  cp plain.o right.o
  cp plain.o wrong.o
  "$CFI2SFRAME" --relocatable plain.o
  "$CFI2SFRAME" --relocatable --gnu right.o
  "$CFI2SFRAME" --relocatable --gnu=bugs wrong.o
  exits 0 --compare plain.o right.o
  exits 1 --compare wrong.o right.o
  [[ $output == *"CFA rbp+8 / rbp+16; known defect of A (stale-cfa-offset"* ]] \
    || report
}

@test "--gnu is never wrong: every probe and fixture of odd shapes, checked" {
  local object version versions checked=0
  for object in "$srcdir"/tests/data/gnu/*/probes/*.o \
                "$srcdir"/tests/data/gnu/v3*/*/c*.o; do
    case $object in
    */s390x*) versions="2 3" ;;
    *) versions="1 2.0 2 3" ;;
    esac
    for version in $versions; do
      rm -f made.o
      exits 0 --relocatable --replace --gnu --format="$version" -o made.o "$object"
      # Where GNU expresses nothing the object is copied with what it has.
      [ "$("$CFI2SFRAME" --relocatable --replace --gnu --format="$version" -v \
           --dry-run "$object" | grep -c skipped)" -eq 0 ] || continue
      tool --check made.o
      [ "$status" -eq 0 ] || { echo "$object, version $version"; report; }
      checked=$((checked + 1))
    done
  done
  [ "$checked" -gt 60 ]
}

# Write each block ("F name ... E") of the probes in $1, with the macros, to
# probes/name.s; or all of the file, where it has no blocks.
probe_blocks ()
{
  rm -rf probes
  mkdir probes
  grep -q '^F ' "$1" || { cp "$1" probes/whole.s; return; }
  awk '/^F / { to = "probes/" $2 ".s"; printf "%s", macros >to }
    to == "" { macros = macros $0 "\n" }
    to != "" { print >to }
    /^E$/ && to != "" { close (to); to = "probes/rest" }' "$1"
}

# Blocks whose directives .eh_frame does not tell from others: escapes of a
# directive's own bytes, padding, and a second row at the same address.
untellable ()
{
  case $1 in
  esc_nop | esc_nop2 | esc_valoff_rbx | esc_valoff_rsp0 | esc_defcfaoff) ;;
  pac_auth_toggle | t_zero_len) ;;
  *) return 1 ;;
  esac
}

# Hold every block of the probes of machine $1 against the assembler that $2 is
# the prefix of.  Where a later assembler has mended what --gnu=bugs imitates,
# --gnu is what it writes (a register for the RA, then its slot: wrong in 2.46,
# right in 2.47.50).
compare_probes ()
{
  local file probe name gnu imitated right i
  compared=0
  for file in "$srcdir"/tests/data/gnu/probes/"$1"_*.s; do
    probe_blocks "$file"
    rm -rf gnu
    mkdir gnu
    for probe in probes/*.s; do
      name=${probe##*/}
      name=${name%.s}
      # Some block stops as.
      untellable "$name" || "$2as" --gsframe "$probe" -o "gnu/$name.o" 2>/dev/null || true
    done
    compgen -G 'gnu/*.o' >/dev/null || continue
    without_sframe "$2ar" "$2objcopy" gnu/*.o
    cp -r ours right
    exits 0 --relocatable --gnu=bugs --format="$format" ours/*.o
    exits 0 --relocatable --gnu --format="$format" right/*.o
    mapfile -t gnu < <(sframe_of gnu)
    mapfile -t imitated < <(sframe_of ours)
    mapfile -t right < <(sframe_of right)
    rm -r right
    for i in "${!gnu[@]}"; do
      [ "${gnu[i]}" = "${imitated[i]}" ] || [ "${gnu[i]}" = "${right[i]}" ] \
        || { echo "differs: $file ${gnu[i]}"; echo "${imitated[i]}"; return 1; }
    done
    compared=$((compared + ${#gnu[@]}))
  done
}

@test "probes: one directive after another, as the installed as takes them" {
  needs as objcopy
  gnu_format
  [ "$format" = 1 ] || [ "$format" = 3 ] || skip "as is not 2.40 or 2.47"
  compare_probes amd64 ""
  [ "$compared" -ge 60 ]
  command -v aarch64-linux-gnu-as >/dev/null || return 0
  compare_probes aarch64 aarch64-linux-gnu-
  [ "$compared" -ge 20 ]
}

# Assemble and link source $2 with the tools of machine $1 (prefix or nothing),
# convert with --gnu in format $3, and let --check judge.
gnu_is_right ()
{
  needs "$1as" "$1ld"
  printf '\t.text\n\t.globl _start\n_start:\n%b' "$2" >odd.s
  "$1as" -o odd.o odd.s
  "$1ld" -o odd odd.o
  exits 0 --gnu --format="$3" -o converted odd
  if [ -s converted ] && readelf -SW converted | grep -q '\.sframe'; then
    exits 0 --check converted
  fi
}

@test "--gnu: no row for what SFrame cannot say" {
  local why machine formats code format
  while IFS='|' read -r why machine formats code; do
    echo "$why"
    for format in $formats; do
      gnu_is_right "$machine" "\t.cfi_startproc$code\t.cfi_endproc\n" "$format"
    done
  done <<'END'
an RA that simple CFI does not mention||2 3| simple\n\t.cfi_def_cfa 7,8\n\tnop\n\tret\n
an RA saved at the CFA itself|s390x-linux-gnu-|2 3|\n\tnop\n\t.cfi_offset 14,0\n\tnop\n\tbr %r14\n
SP keeps its value, the CFA is another|s390x-linux-gnu-|2 3|\n\t.cfi_same_value 15\n\tnop\n\t.cfi_def_cfa 8,160\n\tnop\n\tbr %r14\n
a signal frame in a version without its flag||1 2.0 2 3|\n\t.cfi_signal_frame\n\tnop\n\tret\n
simple CFI without a CFA|aarch64-linux-gnu-|1 2 3| simple\n\tnop\n\t.cfi_offset 30,-8\n\tnop\n\t.cfi_undefined 29\n\tnop\n\tret\n
END
}

@test "--gnu=bugs writes V1 for a file with .plt.got" {
  needs readelf
  local file
  file=$(command -v bash)
  readelf -SW "$file" | grep -q '\.plt\.got' || skip "bash has no .plt.got"
  exits 0 --gnu=bugs --format=1 -o converted "$file"
}

# rows_of_bugs DIRECTIVE...: FP and RA of each row that --gnu=bugs writes for a
# function with a byte in front of each directive.
rows_of_bugs ()
{
  {
    echo 'f: .cfi_startproc'
    printf '	nop\n	.cfi_%s\n' "$@"
    printf '	nop\n	.cfi_endproc\n'
  } | "${CC:-cc}" -nostdlib -shared -x assembler -o rows.so -
  convert --gnu=bugs rows.so
  "$CFI2SFRAME" --dump rows.so | awk '$2 ~ /^sp\+/ { print $3, $4 }' | paste -sd ' '
}

# What GNU as 2.47 writes.
@test "--gnu=bugs: an offset ends the rule of a register, as does a restore" {
  [ "$(uname -m)" = x86_64 ] || skip "amd64 only"
  [ "$(rows_of_bugs 'register rip, 3' 'offset rip, -8')" = "u f u r3+0 u f" ]
  [ "$(rows_of_bugs 'register rip, 3' 'restore rip')" = "u f u r3+0 u r3+0" ]
  [ "$(rows_of_bugs 'offset rip, -24' 'offset rip, -8')" = "u f u c-24 u f" ]
  [ "$(rows_of_bugs 'undefined rip' 'offset rip, -16' 'offset rip, -8')" \
    = "u f u c-16 u f" ]
  [ "$(rows_of_bugs 'register rbp, 3' 'restore rbp')" = "u f r3+0 U u f" ]
  [ "$(rows_of_bugs 'register rbp, 3' 'offset rbp, -16')" = "u f r3+0 U c-16 U" ]
}
