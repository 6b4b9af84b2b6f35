#!/usr/bin/env bash
# How fast is the program?  Makes the figures of doc/use/speed.
#   bash tools/maintainer/bench.sh [-b BUILD] [-j FILE] [-n RUNS] [-q]
#     -b BUILD   build tree (default: build)
#     -j FILE    write the figures to FILE as well, one JSON object per line
#     -n RUNS    runs per figure (default: 7)
#     -q         quick: fewer and smaller files
# Converting compared with cp and with other tools that rewrite ELF files; the
# instructions of each stage; memory; growth with the number of functions; lookups.
# Needs GNU binutils; valgrind, patchelf and gdb for some of it.  Prints tables; half an
# hour, with -q some minutes.  Everything lies on tmpfs and in the page cache, except
# where it says "cold".  On a machine that does other things the processor times count:
# elapsed times then measure the others.
# For example: bash tools/maintainer/bench.sh -q -n 1
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
. "$top/tools/common.sh"
die_status=2
export LC_ALL=C

build='' runs=7 json=/dev/null quick=
while getopts b:n:j:q option; do
  case $option in
    b) build=$OPTARG ;;
    n) runs=$OPTARG ;;
    j) json=$OPTARG ;;
    q) quick=1 ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || usage
find_build "$build"
tool=$build/src/cfi2sframe
yardstick=$build/tools/maintainer/yardstick
quietly make -C "$build" src/cfi2sframe \
  tools/maintainer/yardstick/{make_elf,measure,rows,section,lookup} || exit 1
: >"$json" || exit 1

work=$(mktemp -d /dev/shm/cfi2sframe-bench.XXXXXX) || exit 1
disk=$(mktemp -d "${TMPDIR:-/var/tmp}/cfi2sframe-bench.XXXXXX") || exit 1
trap 'rm -rf "$work" "$disk"' EXIT

in=$work/in out=$work/out copy=$work/copy section=$work/section

have ()
{
  command -v "$1" >/dev/null
}

# The file that the dynamic loader takes for library $1.
library ()
{
  local line
  line=$(/sbin/ldconfig -p | grep -F x86-64 | grep -F "$1 " | head -n 1)
  [ -z "$line" ] || readlink -f "${line##*=> }"
}

existing ()
{
  local file
  for file in "$@"; do
    [ ! -f "$file" ] || printf '%s\n' "$file"
  done
}

divide ()
{
  awk -v a="$1" -v b="$2" -v digits="${3:-2}" \
    'BEGIN { if (b == 0) print "-"; else printf "%.*f\n", digits, a / b }'
}

# line NAME PREPARATION COMMAND...: measure COMMAND, after the shell command
# PREPARATION, and print a line of the table.  The ratios are to cp.
cp_wall=0 cp_cpu=0
line ()
{
  local name=$1 prepare=$2 wall_min wall cpu_min cpu kilobytes
  shift 2
  if ! have "$1"; then
    printf '  %-26s not installed\n' "$name"
    return
  fi
  if ! read -r wall_min wall cpu_min cpu kilobytes \
       < <("$yardstick/measure" "$runs" "$prepare" "$@" 2>"$work/errors"); then
    printf '  %-26s failed: %s\n' "$name" "$(head -n 1 "$work/errors")"
    return
  fi
  if [ "$name" = cp ]; then
    cp_wall=$wall cp_cpu=$cpu
  fi
  printf '  %-26s %9.1f %9.1f %7s %9.1f %7s %9.1f\n' "$name" "$wall_min" \
    "$wall" "$(divide "$wall" "$cp_wall")" "$cpu" "$(divide "$cpu" "$cp_cpu")" \
    "$(divide "$kilobytes" 1000 1)"
  printf '{"file":"%s","what":"%s","wall_min_ms":%s,"wall_ms":%s,' \
    "$current" "$name" "$wall_min" "$wall" >>"$json"
  printf '"cpu_min_ms":%s,"cpu_ms":%s,"peak_kb":%s}\n' "$cpu_min" "$cpu" \
    "$kilobytes" >>"$json"
  last_peak=$kilobytes
}

heading ()
{
  printf '  %-26s %9s %9s %7s %9s %7s %9s\n' "" "wall min" "wall ms" "/ cp" \
    "cpu ms" "/ cp" "peak MB"
}

# From CFI to section, compared with the hand-written parser (rows.c): processor time,
# and elapsed time, because there may be two threads.
yardsticks ()
{
  local functions rows rest rows_ms section_ms elapsed_ms
  read -r functions rows rest _ rows_ms \
    < <("$yardstick/rows" "$in" $((2 * runs + 1)))
  read -r _ _ _ _ section_ms _ elapsed_ms \
    < <("$yardstick/section" "$in" $((2 * runs + 1)))
  printf '  CFI to section %.2f ms, %.2f elapsed; hand-written parser %.2f ms: %s, %s (%d functions, %d rows)\n' \
    "$section_ms" "$elapsed_ms" "$rows_ms" \
    "$(divide "$section_ms" "$rows_ms")" "$(divide "$elapsed_ms" "$rows_ms")" \
    "$functions" "$rows"
  printf '{"file":"%s","what":"yardstick","section_ms":%s,"section_elapsed_ms":%s,"parser_ms":%s,"functions":%s,"rows":%s,"checksum":"%s"}\n' \
    "$current" "$section_ms" "$elapsed_ms" "$rows_ms" "$functions" "$rows" \
    "$rest" >>"$json"
}

# Whether a peak of $1 kB for a file of $2 bytes is within the limit of
# doc/use/security.md.
within_limit ()
{
  [ "$1" -le $(($2 / 100 + 32000)) ] && echo within || echo ABOVE
}

memory ()
{
  printf '  peak %d kB, %s ten times the file and 32 MB\n' "$last_peak" \
    "$(within_limit "$last_peak" "$(stat -c %s "$in")")"
}

# All about the file $1.
bench_file ()
{
  current=$(basename "$1")
  cp -L "$1" "$in" && chmod u+w "$in" || return
  printf '\n%s, %d bytes\n' "$1" "$(stat -c %s "$in")"
  "$tool" -q --section-only="$section" "$in" || return
  heading
  line cp "rm -f $out" cp "$in" "$out"
  line "cfi2sframe (replace)" "cp $in $copy" "$tool" "$copy"
  line "cfi2sframe -o" "rm -f $out" "$tool" -o "$out" "$in"
  local peak=$last_peak
  line "objcopy --add-section" "rm -f $out" \
    objcopy --add-section .extra="$section" "$in" "$out"
  line "strip" "rm -f $out" strip -o "$out" "$in"
  line "patchelf --set-rpath" "rm -f $out" \
    patchelf --set-rpath /usr/local/lib --output "$out" "$in"
  local all=$runs
  [ -z "$quick" ] || runs=1
  line "readelf frames-interp" "" readelf --debug-dump=frames-interp "$in"
  runs=$all last_peak=$peak
  yardsticks
  memory
}

# Instructions of each stage of converting $1.
stages ()
{
  local name=$1 all count function
  have valgrind || return
  cp -L "$name" "$in"
  valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" \
    "$tool" -o "$out" "$in" >/dev/null 2>&1 || return
  callgrind_annotate --inclusive=yes --threshold=100 "$work/callgrind" \
    >"$work/stages" 2>/dev/null
  all=$(sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS/\1/p' "$work/stages" \
    | tr -d ,)
  printf '\nInstructions of cfi2sframe -o %s: %d\n' "$name" "$all"
  # A function that does not exist any more is left out silently; tests/cli/tools.bats
  # fails then.
  for function in image_open_at cfi_read cfa_machine_run lower_function \
                  pieces_add pieces_repeat pieces_finish sframe_encoder_add \
                  sframe_encoder_write choose_strategy \
                  undo_record_build inject_write inject_check_bytes \
                  output_file_finish
  do
    count=$(sed -n "s/^ *\([0-9,]*\) .*[:]$function\( .*\)\{0,1\}\$/\1/p" \
      "$work/stages" | tr -d , | sort -n | tail -n 1)
    [ -n "$count" ] || continue
    printf '  %-26s %14d  %5.1f %%\n' "$function" "$count" \
      "$(divide "$((count * 100))" "$all" 1)"
    printf '{"file":"%s","what":"instructions","stage":"%s","count":%s}\n' \
      "$name" "$function" "$count" >>"$json"
  done
  printf '  (a stage contains those it calls: lower_function the encoder,\n'
  printf '  cfi_read libdwarf, undo_record_build the digest)\n'
}

# Convert $1 from disk, with a cold page cache, to disk, flushed.
cold ()
{
  local file=$disk/in forget
  cp -L "$1" "$file" && chmod u+w "$file" && sync "$file"
  forget="rm -f $disk/out; dd if=$file iflag=nocache count=0 status=none"
  current="cold $(basename "$1")"
  printf '\n%s, cold cache, from disk to disk, flushed\n' "$1"
  heading
  line cp "$forget" sh -c "cp $file $disk/out && sync $disk/out"
  line "cfi2sframe -o" "$forget" "$tool" -o "$disk/out" "$file"
  line "objcopy --add-section" "$forget" sh -c \
    "objcopy --add-section .extra=$section $file $disk/out && sync $disk/out"
}

# Files with more and more functions.
growth ()
{
  local functions cies size wall cpu peak bytes all=$runs
  printf '\nGrowth (synthetic files)\n%10s %7s %11s %11s %10s %8s %10s %7s\n' \
    functions CIEs "file bytes" .sframe "cpu ms" "us/fn" "peak MB" "limit"
  for spec in "$@"; do
    functions=${spec%/*} cies=${spec#*/}
    "$yardstick/make_elf" "$in" "$functions" "$cies" || return
    rm -f "$out"
    [ "$functions" -lt 1000000 ] || runs=3
    read -r _ wall _ cpu peak \
      < <("$yardstick/measure" "$runs" "rm -f $out" "$tool" -o "$out" "$in")
    runs=$all
    bytes=$("$tool" --section-only=/dev/stdout "$in" | wc -c)
    size=$(stat -c %s "$in")
    printf '%10d %7d %11d %11d %10.1f %8s %10.1f %7s\n' "$functions" "$cies" \
      "$size" "$bytes" "$cpu" "$(divide "$cpu" "$functions" 6 \
      | awk '{ printf "%.3f", $1 * 1000 }')" "$(divide "$peak" 1000 1)" \
      "$(within_limit "$peak" "$size")"
    printf '{"what":"growth","functions":%s,"cies":%s,"bytes":%s,"sframe_bytes":%s,"wall_ms":%s,"cpu_ms":%s,"peak_kb":%s}\n' \
      "$functions" "$cies" "$size" "$bytes" "$wall" "$cpu" "$peak" >>"$json"
  done
}

# How long a stack tracer looks for rows of $1, in each layout.
lookups ()
{
  local layout kind scanned steps ns
  printf '\nLookups in %s\n  %-10s %-8s %12s %8s %8s\n' "$1" layout PCs \
    "rows scanned" steps ns
  "$yardstick/lookup" "$1" | while read -r layout kind scanned steps ns; do
    printf '  %-10s %-8s %12s %8s %8s\n' "$layout" "$kind" "$scanned" \
      "$steps" "$ns"
    printf '{"file":"%s","what":"lookup","layout":"%s","pcs":"%s","rows":%s,"steps":%s,"ns":%s}\n' \
      "$1" "$layout" "$kind" "$scanned" "$steps" "$ns" >>"$json"
  done
}

bash=$(readlink -f /bin/bash)
llvm=$(library libLLVM-14.so.1)
printf 'cfi2sframe on %s, %d processors, load %s, %s\n' "$(uname -m)" \
  "$(cores)" "$(cut -d ' ' -f 1 /proc/loadavg)" "$(date -u +%F)"
if [ -n "$quick" ]; then
  files=$(existing "$bash" /usr/bin/gdb "$llvm")
else
  files=$(existing "$bash" /usr/bin/gdb \
    /usr/lib/gcc/x86_64-linux-gnu/*/cc1plus "$llvm" \
    "$(library libclang-cpp.so.14)")
fi
for file in $files; do
  bench_file "$file"
done
if [ -z "$quick" ]; then
  "$yardstick/make_elf" "$work/big" 400000 1 380000000
  bench_file "$work/big"
  rm -f "$work/big"
fi
for file in "$(library libc.so.6)" "$(library libstdc++.so.6)" $files; do
  [ -z "$file" ] || lookups "$file"
done
stages "$bash"
if [ -f /usr/bin/gdb ]; then
  stages /usr/bin/gdb
  cold /usr/bin/gdb
fi
[ -z "$llvm" ] || cold "$llvm"
if [ -n "$quick" ]; then
  growth 1000/1 10000/1 100000/1 20000/20000
else
  growth 1000/1 10000/1 100000/1 1000000/1 5000000/1 20000/20000 40000/20000
fi
