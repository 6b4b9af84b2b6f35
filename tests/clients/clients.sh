#!/bin/sh
# What readers of SFrame make of converted programs (here.h).  Prints TAP.
#   clients.sh [--glibc DIR] [--source DIR] [--kernel DIR]
#     --glibc DIR   ld.so and libc.so.6 of a glibc whose backtrace () reads
#                   SFrame V2; without it only the project's own reader walks
#     --source DIR  the source of such a glibc
#     --kernel DIR  the kernel's reader of V3, as conformance/adapters/kernel.c
#                   wants it
# tools/maintainer/clients.sh runs it with all of them.
# SPDX-License-Identifier: LGPL-2.1-or-later

set -u
: "${srcdir:=.}" "${CC:=cc}" "${CXX:=c++}"
: "${CFI2SFRAME:=$(pwd)/src/cfi2sframe}"
sources=$srcdir/tests/clients
here=$(pwd)/tests/clients/.libs/libhere.a
steps=${CLIENTS_STEPS:-20000}
unset CLIENTS_STEPS
glibc='' glibc_source='' kernel=''
while [ $# -gt 1 ]; do
  case $1 in
    --glibc) glibc=$2 ;;
    --source) glibc_source=$2 ;;
    --kernel) kernel=$2 ;;
    *) exit 2 ;;
  esac
  shift 2
done

. "$srcdir/tests/tap.sh"
needs_walker "$here"
# Without a decoder x86-64 code has rows behind calls that never return.
has_zydis || skip_all "built without code analysis"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
report=${CLIENTS_REPORT:-$scratch/report}
: >"$report"

# The programs.  Their own libgcc is static: the truth shall not depend on the
# C library they run with.

# compile OUTPUT ARGUMENT...
compile ()
{
  output=$scratch/$1
  shift
  "$@" -O2 -g -I"$sources" -o "$output" 2>"$scratch/errors" && return
  result "not ok" "${output##*/} can be compiled"
  sed 's/^/# /' "$scratch/errors"
}

plugin="-fPIC -shared $sources/plugin.c"
# shellcheck disable=SC2086
compile libplugin.so $CC $plugin -Wl,-soname,libplugin.so
# shellcheck disable=SC2086
compile opened.so $CC $plugin -DPLUGIN_CALL=opened_call
# shellcheck disable=SC2086
for binding in now lazy; do
  compile calls-$binding $CC "$sources/calls.c" "$here" -static-libgcc \
    -rdynamic -DPLUGIN_PATH='"opened.so"' "$scratch/libplugin.so" \
    -Wl,-z,$binding -pthread -ldl
done
# shellcheck disable=SC2086
compile ends $CC "$sources/ends.c" "$sources/ends.S" "$here" -static-libgcc \
  -Wl,-z,now -pthread -ldl
# libgcc's own destructor forgets the FDEs of a static program (from GCC 13 on),
# and a destructor of the program would look at its stack in vain; the header
# is found without it.
# shellcheck disable=SC2086
compile calls-static $CC -static -Wl,--eh-frame-hdr "$sources/calls.c" \
  "$sources/plugin.c" "$here" -pthread
# shellcheck disable=SC2086
compile throws $CXX -std=c++20 -pthread "$sources/throws.cc" "$here" \
  -static-libgcc -static-libstdc++ -Wl,-z,now -ldl
# shellcheck disable=SC2086
compile speed $CC "$sources/speed.c"

# Running them.

# convert_all FOLDER OPTION... -- FILE...: converted copies.
convert_all ()
{
  folder=$1
  shift
  options=
  while [ "$1" != -- ]; do
    options="$options $1"
    shift
  done
  shift
  mkdir -p "$folder"
  for file in "$@"; do
    name=$(library_name "$file")
    # shellcheck disable=SC2086
    "$CFI2SFRAME" -q $options -o "$folder/$name" "$file" \
      || result "not ok" "$name can be converted"
  done
}

# Add up the lines of here_main, as TAP comments.
total ()
{
  awk '
  { cases++
    if ($2 ~ /signal/) crashes++
    else if ($2 != "status=0") failed++
    for (i = 3; i <= NF; i++) {
      at = match ($i, /=[0-9]*$/); name = substr ($i, 1, at - 1)
      sum[name] += substr ($i, at + 1)
    } }
  END {
    printf "# %d cases, %d crashes, %d failures\n", cases, crashes, failed
    for (name in sum) if (sum[name]) printf "#   %8d %s\n", sum[name], name
  }' "$1" | sort -k1,1 -k2,2rn | head -n 24
}

# Crashes and different frames are failures.  What can be told must be, too:
# callers in front of padding, or of code with the same rules.
judge_lines ()
{
  case ${VARIABLES-} in
    *CLIENTS_GLIBC*) reader=glibc ;;
    *) reader=own ;;
  esac
  awk -v equal=" $reader-equal=1 " '
  $2 != "status=0" || / (glibc|own)-different=[1-9]/ { bad = 1 }
  /^abort-(.*-before-(nops|traps|nop_then_fp|same)|fp-before-fp)-/ \
    && index ($0, equal) == 0 { bad = 1 }
  END { exit bad || NR == 0 }' "$1"
}

# run_cases TITLE FOLDER PROGRAM...: every case.  VARIABLES go into the
# environment.
run_cases ()
{
  title=$1 folder=$2
  shift 2
  : >"$scratch/lines"
  : >"$scratch/wrong"
  for program in "$@"; do
    for name in $(LD_LIBRARY_PATH=$scratch "$scratch/$program" list); do
      case ${only-} in
        *" $name "* | '') ;;
        *) continue ;;
      esac
      start=
      [ ! -e "$folder/ld.so" ] || [ "$program" = calls-static ] \
        || start="$folder/ld.so --inhibit-cache --library-path $folder"
      # shellcheck disable=SC2086
      (cd "$folder" && exec env ${VARIABLES-} CLIENTS_PLUGIN="$folder/opened.so" \
        timeout 400 $start "./$program" "$name" </dev/null \
        2>/dev/null) >"$scratch/line" \
        || sed "s/^/# wrong: $program /; s/ [a-z-]*=0//g" "$scratch/line" \
          >>"$scratch/wrong"
      if [ ! -s "$scratch/line" ]; then
        echo "$name status=none" >>"$scratch/lines"
      fi
      # The shell reads the line itself, which saves some hundred processes.
      while IFS= read -r line; do
        printf '%s\n' "$line"
      done <"$scratch/line" >>"$scratch/lines"
    done
  done
  sed "s/^/$title: /" "$scratch/lines" >>"$report"
  total "$scratch/lines" >"$scratch/total"
  if judge_lines "$scratch/lines"; then
    result ok "$title"
  else
    result "not ok" "$title"
  fi
  cat "$scratch/total"
  head -n 30 "$scratch/wrong" | cut -c1-300
}

dynamic='calls-now calls-lazy throws ends'
files="$scratch/libplugin.so $scratch/opened.so $scratch/calls-now
  $scratch/calls-lazy $scratch/throws $scratch/ends $scratch/speed"
system=$(libraries_of "$scratch/throws")

# Nobody's C library need read SFrame for that.
for options in "" --compact; do
  folder=$scratch/own$options
  # shellcheck disable=SC2086
  convert_all "$folder" $options -- $files $system "$scratch/calls-static"
  # shellcheck disable=SC2086
  run_cases "our reader${options:+, with $options}" "$folder" $dynamic calls-static
done

# Proof that this can fail: GNU's rows lead astray behind such calls.
convert_all "$scratch/gnu" --gnu -- "$scratch/ends"
# shellcheck disable=SC2086
convert_all "$scratch/gnu" -- $system
run_cases "rows as GNU's" "$scratch/gnu" ends >"$scratch/expected"
n=$((n - 1))
if grep -q '^not ok' "$scratch/expected" \
   && grep -q ' own-different$' "$scratch/expected"; then
  result ok "rows that lead astray are noticed"
else
  result "not ok" "rows that lead astray are noticed"
fi

with_glibc ()
{
  folder=$1
  shift
  # shellcheck disable=SC2086
  convert_all "$folder" "$@" -- $files "$glibc"/ld-*.so.* "$glibc"/libc.so.6 \
    "$glibc"/libm.so.6
  # The real library under another name, so that ours can need it.
  libgcc=$($CC -print-file-name=libgcc_s.so.1)
  LC_ALL=C sed 's/libgcc_s\.so\.1/libgcc_r.so.1/g' "$libgcc" \
    >"$folder/libgcc_r.so.1"
  $CC -shared -fPIC -O2 -o "$folder/libgcc_s.so.1" \
    "$sources/counted_libgcc.c" -Wl,-soname,libgcc_s.so.1 \
    -Wl,--no-as-needed "$folder/libgcc_r.so.1" \
    || result "not ok" "counted_libgcc.c can be compiled"
}

if [ -n "$glibc" ]; then
  for options in "" --compact --no-split; do
    folder=$scratch/glibc$options
    # shellcheck disable=SC2086
    with_glibc "$folder" --format=2 $options
    VARIABLES=CLIENTS_GLIBC=1
    # shellcheck disable=SC2086
    run_cases "glibc${options:+, with $options}" "$folder" $dynamic
  done
  VARIABLES="CLIENTS_GLIBC=1 CLIENTS_STEPS=$steps"
  only=" shallow alloca signal qsort atexit cxx_catch first_calls "
  folder=$scratch/glibc
  run_cases "glibc, step by step" "$folder" calls-now throws
  run_cases "glibc, lazy binding, step by step" "$folder" calls-lazy
  only=''

  for what in SFrame DWARF; do
    rm "$folder/libgcc_s.so.1"
    cp "$libgcc" "$folder/libgcc_s.so.1"
    [ $what = SFrame ] || cp "$scratch/speed" "$folder/speed"
    (cd "$folder" && ./ld.so --inhibit-cache --library-path . ./speed) \
      | sed "s/^/# backtrace () by $what: /"
  done
fi

# Every row of some files in every layout: does a reader compiled from its
# source find it as we do, and is it what --no-split says?

# compile_reader NAME FOLDER: $scratch/NAME_reader.so.
compile_reader ()
{
  $CC -w -O2 -shared -fPIC -I"$2" "$srcdir/conformance/adapters/$1.c" \
    -o "$scratch/$1_reader.so" 2>"$scratch/errors" && return
  result "not ok" "conformance/adapters/$1.c can be compiled"
  sed 's/^/# /' "$scratch/errors"
  return 1
}

# every_row NAME VERSION
every_row ()
{
  status=ok
  for file in ${CLIENTS_FILES-$system /bin/bash}; do
    "$CFI2SFRAME" -q --format="$2" --no-split -o "$scratch/whole" "$file" \
      || continue
    for options in "" --compact --no-split; do
      # shellcheck disable=SC2086
      "$CFI2SFRAME" -q --format="$2" $options -o "$scratch/converted" \
        "$file" || status="not ok"
      tests/clients/foreign_check "$scratch/$1_reader.so" \
        "$scratch/converted" >"$scratch/line" 2>&1 || status="not ok"
      sed "s|^[^:]*|# $1, V$2, $file $options|" "$scratch/line"
      "$CFI2SFRAME" -q --compare "$scratch/whole" "$scratch/converted" \
        >"$scratch/line" || status="not ok"
      sed 's/^/# /' "$scratch/line"
    done
  done
  result "$status" "every row, as $1's reader finds it"
}

[ -z "$glibc_source" ] \
  || { compile_reader glibc "$glibc_source/sysdeps/generic" \
         && every_row glibc 2; }

# The kernel's also walks the stacks of running programs, stopped at random.
if [ -n "$kernel" ] && compile_reader kernel "$kernel"; then
  every_row kernel 3
  LIVING_READER=$scratch/kernel_reader.so LIVING_FORMAT=3
  export LIVING_READER LIVING_FORMAT
  sh "$srcdir/tests/living/living.sh" >"$scratch/living"
  if grep -q '^not ok' "$scratch/living"; then
    result "not ok" "the kernel walks the stacks of living programs"
  else
    result ok "the kernel walks the stacks of living programs"
  fi
  sed 's/^/# /' "$scratch/living"
fi

echo "1..$n"
