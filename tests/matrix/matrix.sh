#!/bin/sh
# The regression matrix of the injection: programs of every linker and layout
# are converted and run, then stripped or patched by other tools and run again.
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Usage: matrix.sh [--tap] [--full] [BLOB_SIZE...]
#   --tap   print TAP for make check (default: a table)
#   --full  every linker, mode and language (default: about 20 combinations)
#   BLOB_SIZE  also inject a made-up section of so many bytes, which leads to
#           other strategies than the real one
# Environment: srcdir, builddir, CFI2SFRAME, INJECT_BLOB, CC, CXX, MATRIX_DIR
# (scratch; kept when given).
#
# A cell is "ok", "-" (the tool fails on, or breaks, the unconverted file too),
# or "FAIL".

# $cflags, $CC and friends are lists.
# shellcheck disable=SC2086
: "${srcdir:=.}" "${builddir:=build}"
srcdir=$(cd "$srcdir" && pwd) || exit 99
builddir=$(cd "$builddir" && pwd) || exit 99
: "${CFI2SFRAME:=$builddir/src/cfi2sframe}"
: "${INJECT_BLOB:=$builddir/tests/matrix/inject_blob}"
: "${CC:=gcc}" "${CXX:=g++}"
cflags="-O2 -g -D_GNU_SOURCE"
LC_ALL=C
export LC_ALL
unset LD_LIBRARY_PATH LD_PRELOAD

tap=false
full=false
kinds=
while [ $# -gt 0 ]; do
  case $1 in
    --tap) tap=true ;;
    --full) full=true ;;
    *) kinds="$kinds $1" ;;
  esac
  shift
done

if [ -n "$MATRIX_DIR" ]; then
  dir=$MATRIX_DIR
  mkdir -p "$dir" || exit 99
else
  dir=$(mktemp -d "${TMPDIR:-/tmp}/cfi2sframe-matrix.XXXXXX") || exit 99
  trap 'rm -rf "$dir"' EXIT
  trap 'exit 99' HUP INT TERM
fi
dir=$(cd "$dir" && pwd)
cd "$dir" || exit 99

tools="strip objcopy eu-strip llvm-strip patchelf"
number=0
failures=0

have ()
{
  command -v "$1" >/dev/null 2>&1
}

# ---- Reporting

report_begin ()
{
  if $tap; then
    echo "TAP version 13"
  else
    printf '%-34s %-11s %-5s' program strategy run
    for tool in $tools; do printf ' %-10s' "$tool"; done
    printf ' elflint\n'
  fi
}

# report NAME STRATEGY CELL...
report ()
{
  report_name=$1
  number=$((number + 1))
  case " $* " in
    *" FAIL "*) failures=$((failures + 1)); verdict="not ok" ;;
    *) verdict=ok ;;
  esac
  shift
  if $tap; then
    echo "$verdict $number - $report_name: $*"
  else
    printf '%-34s %-11s %-5s' "$report_name" "$1" "$2"
    shift 2
    for cell in "$@"; do printf ' %-10s' "$cell"; done
    echo
  fi
}

report_skip ()
{
  if $tap; then
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
  else
    printf '%-34s not tried: %s\n' "$1" "$2"
  fi
}

report_end ()
{
  if $tap; then
    echo "1..$number"
  else
    echo "$number programs, $failures with failures"
  fi
  [ "$failures" -eq 0 ]
}

# ---- Conversion and checks

# convert KIND IN OUT: print the strategy, or "skipped".
convert ()
{
  case $1 in
    real)
      "$CFI2SFRAME" --stats=json -o "$3" "$2" 2>>"$dir/log" </dev/null |
        sed -n -e 's/.*"strategy" *: *"\([^"]*\)".*/\1/p' \
          -e 's/.*"status" *: *"skipped".*/skipped/p'
      ;;
    *) "$INJECT_BLOB" "$2" "$3" "$1" 2>>"$dir/log" ;;
  esac
}

# Whether a program's run with the given arguments is good.  Its lines about
# .sframe are left in $seen.  The shell reads them, because new processes take
# most of this test's time.
runs ()
{
  output=$(timeout 20 "$@" 2>>"$dir/log" </dev/null) || return 1
  seen=
  good=1
  while read -r line; do
    case $line in
      sframe*) seen="$seen$line;" ;;
      "program good"*) good=0 ;;
    esac
  done <<END
$output
END
  return $good
}

apply ()
{
  case $1 in
    strip) strip "$2" ;;
    objcopy) objcopy "$2" ;;
    eu-strip) eu-strip "$2" ;;
    llvm-strip) llvm-strip "$2" ;;
    patchelf) patchelf --set-rpath /nowhere/at/all "$2" ;;
  esac >>"$dir/log" 2>&1 </dev/null
}

# lint FILE: what eu-elflint says, without numbers and without what it says
# about any SFrame, and about the .bss that a loader has in the file now.
lint ()
{
  eu-elflint --gnu-ld "$1" 2>&1 |
    grep -v -e 'unknown program header entry type 0x6474e554' \
      -e 'unknown program header type 0x6474e554' \
      -e "section .*'\.sframe' has unsupported type" \
      -e "'\.bss' has wrong type: expected NOBITS, is PROGBITS" \
      -e '^No errors' |
    sed 's/0x[0-9a-f]*/N/g; s/[0-9][0-9]*/N/g' | sort -u
}

lint_cell ()
{
  have eu-elflint || { echo -; return; }
  [ -e "$1.lint" ] || lint "$1" >"$1.lint"
  lint "$2" >lint.new
  if comm -13 "$1.lint" lint.new | grep . >>"$dir/log"; then
    echo FAIL
  else
    echo ok
  fi
}

# is_reliable TOOL FILE: patchelf 0.14 crashes at random on some files.
is_reliable ()
{
  for _ in 1 2 3 4 5 6 7 8; do
    cp "$2" unreliable
    apply "$1" "$PWD/unreliable" || return 1
  done
}

# bears OLD TOOL COMMAND...: whether OLD, which is not converted, runs after TOOL;
# asked once for all kinds.
bears ()
{
  bears_answer=$1.$2.runs
  if [ ! -e "$bears_answer" ]; then
    cp "$1" victim
    bears_tool=$2
    shift 2
    if apply "$bears_tool" "$PWD/victim" && runs "$@" none; then
      echo yes
    else
      echo no
    fi >"$bears_answer"
  fi
  grep -q yes "$bears_answer"
}

# tool_cell TOOL OLD NEW COMMAND...: OLD and NEW are copied to the file
# "victim", changed there, and COMMAND, with none or sframe behind it, runs it.
tool_cell ()
{
  cell_tool=$1
  cell_old=$2
  cell_new=$3
  shift 3
  have "$cell_tool" || { echo -; return; }
  if ! bears "$cell_old" "$cell_tool" "$@"; then
    echo -
    return
  fi
  cp "$cell_new" victim
  if apply "$cell_tool" "$PWD/victim" && runs "$@" sframe \
     && [ "$seen" = "$seen_first" ]; then
    echo ok
  elif ! is_reliable "$cell_tool" "$cell_old"; then
    echo -
  else
    echo "$cell_tool of $cell_new" >>"$dir/log"
    cp victim "$cell_new.$cell_tool"
    echo FAIL
  fi
}

# check NAME KIND FILE COMMAND...: FILE is converted; COMMAND runs the file
# "victim" in the current directory.
check ()
{
  check_name="$1 ($2)"
  check_file=$3
  check_kind=$2
  shift 3
  cp "$check_file" victim
  if ! runs "$@" none; then
    report_skip "$check_name" "the original does not run"
    return
  fi
  check_new=$check_file.$check_kind
  rm -f "$check_new"
  strategy=$(convert "$check_kind" "$check_file" "$check_new")
  if [ "$strategy" = skipped ]; then
    report_skip "$check_name" "it has no .eh_frame"
    return
  elif [ -z "$strategy" ] || [ ! -s "$check_new" ]; then
    report "$check_name" none FAIL
    return
  fi
  cp "$check_new" victim
  if ! runs "$@" sframe; then
    report "$check_name" "$strategy" FAIL
    return
  fi
  seen_first=$seen
  cells=ok
  for tool in $tools; do
    cells="$cells $(tool_cell "$tool" "$check_file" "$check_new" "$@")"
  done
  cells="$cells $(lint_cell "$check_file" "$check_new")"
  # shellcheck disable=SC2086
  report "$check_name" "$strategy" $cells
}

check_kinds ()
{
  kinds_name=$1
  shift
  for kind in $kinds; do
    check "$kinds_name" "$kind" "$@"
  done
}

# ---- Building

mode_flags ()
{
  case $1 in
    pie | build-id-less) echo "-pie" ;;
    no-pie) echo "-no-pie" ;;
    static) echo "-static -no-pie" ;;
    static-pie) echo "-static-pie" ;;
    separate) echo "-pie -Wl,-z,separate-code" ;;
    noseparate) echo "-pie -Wl,-z,noseparate-code" ;;
    page64k) echo "-pie -Wl,-z,max-page-size=65536" ;;
    page2m) echo "-pie -Wl,-z,max-page-size=2097152" ;;
    page2m-no-pie) echo "-no-pie -Wl,-z,max-page-size=2097152" ;;
    no-build-id) echo "-pie -Wl,--build-id=none" ;;
  esac
}

compile ()
{
  $CC $cflags -fPIE -pthread -c "$srcdir/tests/matrix/prog.c" -o c-pic.o &&
    $CC $cflags -fno-pie -pthread -c "$srcdir/tests/matrix/prog.c" -o c.o &&
    $CXX $cflags -fPIE -c "$srcdir/tests/matrix/prog.cc" -o c++-pic.o &&
    $CXX $cflags -fno-pie -c "$srcdir/tests/matrix/prog.cc" -o c++.o &&
    $CXX $cflags -fPIC -c "$srcdir/tests/matrix/lib.cc" -o lib.o &&
    $CC $cflags "$srcdir/tests/matrix/load.c" -o load -ldl
}

# link_program LINKER MODE LANGUAGE OUT
link_program ()
{
  case $2 in
    *no-pie | static) object=$3.o ;;
    *) object=$3-pic.o ;;
  esac
  driver=$CC
  [ "$3" = c ] || driver=$CXX
  # shellcheck disable=SC2046
  $driver -fuse-ld="$1" $(mode_flags "$2") -pthread "$object" -o "$4" \
    >>"$dir/log" 2>&1
}

check_program ()
{
  program=$3-$1-$2
  if ! have "ld.$1"; then
    report_skip "$program" "ld.$1 not found"
  elif ! link_program "$1" "$2" "$3" "$program"; then
    report_skip "$program" "does not link"
  else
    check_kinds "$program" "$program" ./victim
  fi
}

# check_library LINKER NAME FLAGS...
check_library ()
{
  library=lib-$1-$2.so
  linker=$1
  shift 2
  if ! have "ld.$linker"; then
    report_skip "$library" "ld.$linker not found"
  elif ! $CXX -fuse-ld="$linker" -shared "$@" lib.o -o "$library" \
    >>"$dir/log" 2>&1; then
    report_skip "$library" "does not link"
  else
    check_kinds "$library" "$library" ./load ./victim
  fi
}

# check_built NAME COMMAND...: COMMAND builds the program NAME.
check_built ()
{
  built=$1
  shift
  if ! have "$1"; then
    report_skip "$built" "$1 not found"
  elif ! "$@" >>"$dir/log" 2>&1 || [ ! -e "$built" ]; then
    report_skip "$built" "does not build"
  else
    check_kinds "$built" "$built" ./victim
  fi
}

check_musl ()
{
  source=$srcdir/tests/matrix/prog.c
  check_built musl-dynamic musl-gcc $cflags -fPIE -pie "$source" -o musl-dynamic
  check_built musl-no-pie musl-gcc $cflags -fno-pie -no-pie "$source" \
    -o musl-no-pie
  check_built musl-static musl-gcc $cflags -static "$source" -o musl-static
  check_built musl-static-pie musl-gcc $cflags -fPIE -static-pie "$source" \
    -o musl-static-pie
}

# The dynamic loader itself, started by the kernel as the interpreter of a
# program.
check_loader ()
{
  loader_name=$1
  loader_file=$2
  shift 2
  if [ ! -e "$loader_file" ]; then
    report_skip "$loader_name" "$loader_file not found"
  elif ! "$@" -Wl,--dynamic-linker="$dir/victim" \
    "$srcdir/tests/matrix/prog.c" -o "$loader_name-user" >>"$dir/log" 2>&1
  then
    report_skip "$loader_name" "does not build"
  else
    # It does not look at the loader's .sframe, but at the program's.
    cp "$loader_file" "$loader_name"
    "$INJECT_BLOB" "$loader_name-user" "$loader_name-user.sframe" 3000 \
      >>"$dir/log" 2>&1
    chmod +x "$loader_name"
    check_kinds "$loader_name" "$loader_name" ./run-user "$loader_name-user"
  fi
}

check_loaders ()
{
  cat >run-user <<'END'
#!/bin/sh
# run-user PROGRAM none|sframe
case $2 in
  none) "./$1" none ;;
  *) "./$1.sframe" sframe ;;
esac
END
  chmod +x run-user
  # shellcheck disable=SC2086
  check_loader loader-glibc /lib64/ld-linux-x86-64.so.2 $CC $cflags -pthread
  # shellcheck disable=SC2086
  check_loader loader-musl /lib/ld-musl-x86_64.so.1 musl-gcc $cflags
}

check_go ()
{
  GOCACHE=$dir/go-cache GO111MODULE=off GOFLAGS=
  export GOCACHE GO111MODULE GOFLAGS
  source=$srcdir/tests/matrix/prog.go
  check_built go-static env CGO_ENABLED=0 go build -o go-static "$source"
  check_built go-small env CGO_ENABLED=0 go build -ldflags "-s -w" \
    -o go-small "$source"
  check_built go-pie env CGO_ENABLED=0 go build -buildmode=pie -o go-pie \
    "$source"
  check_built go-external go build -ldflags -linkmode=external \
    -o go-external "$source"
}

check_rust ()
{
  rustc=rustc
  [ ! -x /usr/bin/rustc ] || rustc=/usr/bin/rustc
  source=$srcdir/tests/matrix/prog.rs
  check_built rust-pie "$rustc" -O -o rust-pie "$source"
  check_built rust-static "$rustc" -O -C target-feature=+crt-static \
    -C relocation-model=static -o rust-static "$source"
  check_built rust-static-pie "$rustc" -O -C target-feature=+crt-static \
    -o rust-static-pie "$source"
}

# check_cross MACHINE FLAGS_NAME FLAGS...
check_cross ()
{
  machine=$1
  cross=$1-$2
  shift 2
  if ! have "qemu-$machine" || ! have "$machine-linux-gnu-gcc"; then
    report_skip "$cross" "qemu or compiler not found"
  elif ! "$machine-linux-gnu-gcc" $cflags "$@" -pthread \
    "$srcdir/tests/matrix/prog.c" -o "$cross" >>"$dir/log" 2>&1; then
    report_skip "$cross" "does not build"
  else
    check_kinds "$cross" "$cross" "qemu-$machine" -L "/usr/$machine-linux-gnu" \
      ./victim
  fi
}

check_machines ()
{
  for machine in aarch64 s390x; do
    check_cross $machine pie -fPIE -pie
    check_cross $machine no-pie -fno-pie -no-pie
    check_cross $machine static -static -no-pie
    check_cross $machine static-pie -fPIE -static-pie
  done
  check_cross aarch64 page4k -fPIE -pie -Wl,-z,max-page-size=4096
}

run_full ()
{
  for linker in bfd gold lld mold; do
    for mode in pie no-pie static static-pie separate noseparate page64k \
      page2m page2m-no-pie no-build-id; do
      for language in c c++; do
        check_program $linker $mode $language
      done
    done
    check_library $linker default
    check_library $linker page2m -Wl,-z,max-page-size=2097152
    check_library $linker no-build-id -Wl,--build-id=none
  done
  check_musl
  check_loaders
  check_go
  check_rust
  check_machines
}

run_short ()
{
  for linker in bfd gold lld mold; do
    check_program $linker pie c
    check_program $linker no-pie c++
    check_program $linker static c
    check_program $linker page64k c++
    check_library $linker default
  done
  check_program bfd static-pie c
  check_program bfd page2m c
  check_loaders
}

# The converter needs a build of its own; without it only blobs are tried.
if [ -x "$CFI2SFRAME" ]; then
  kinds="real $kinds"
fi
: "${kinds:=3000}"

if ! have "$CC" || ! have "$CXX" || ! compile >>"$dir/log" 2>&1; then
  echo "1..0 # SKIP the test programs do not compile"
  exit 0
fi
report_begin
if $full; then run_full; else run_short; fi
report_end
