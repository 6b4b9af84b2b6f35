#!/usr/bin/env bats
# Programs whose debugging information is in a file of its own.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

# A program split into `small' and `small.debug', and small's function `leaf' in
# $leaf, an address.
split_program ()
{
  needs objcopy nm
  small_program small -g "$@"
  leaf=0x$(nm small | awk '$3 == "leaf" { print $1 }')
  objcopy --only-keep-debug small small.debug
  objcopy --strip-all --add-gnu-debuglink=small.debug small
}

# libdwfl takes the difference of the first segments' ends for the distance
# between a file and its debug file.
@test "elfutils finds the same function in the old debug file" {
  needs eu-addr2line
  split_program
  eu-addr2line -f -e small "$leaf" >before
  grep -qx leaf before
  convert small
  eu-addr2line -f -e small "$leaf" | diff before -
}

# A program that needs a new segment, with moved sections.
# It is compiled once in a file of tests for the same options.
large_program ()
{
  local made=$BATS_FILE_TMPDIR/large${*:2}
  if [ ! -e "$made" ]; then
    small_program small
    { sed '/^main/,$d; s/^int$//' small.c
      seq 300 | sed 's/.*/__attribute__ ((noinline)) int f& (int n) { char b[100 + & * 7]; memset (b, n, sizeof b); return leaf (b[n]) + deep (&); }/'
      echo 'int main (void) { return f7 (3) == 77; }'; } >large.c
    "${CC:-cc}" -g -O1 -w -o "$made" large.c "${@:2}"
  fi
  cp "$made" "$1"
}

# NAME and NAME.debug, both as they were in OLD.
split_large_program ()
{
  needs objcopy gdb eu-unstrip
  large_program "$@"
  objcopy --only-keep-debug "$1" "$1.debug"
  objcopy --strip-all --add-gnu-debuglink="$1.debug" "$1"
  mkdir -p old && cp "$1" "$1.debug" old
}

# What gdb says of the program NAME, which is not started.
ask_gdb ()
{
  gdb -nx -batch -ex "info line f7" -ex "info address leaf" "$1" 2>&1
}

@test "gdb is silent and finds lines and symbols again" {
  split_large_program large
  ask_gdb ./large >before
  grep -q '^Line .*<f7>' before
  grep -q warning before && return 1
  convert large
  ask_gdb ./large | grep "section .sframe not found"
  "$CFI2SFRAME" --undo large
  convert --debug-twin=large.debug large
  ask_gdb ./large | diff before -
  has_sframe large
}

# Fedora's: symbols of functions, packed, in a section of the program.
@test "gdb is silent about .gnu_debugdata that was converted along or is newer" {
  needs gdb objcopy nm strip xz
  ask ()
  {
    gdb -nx -batch -ex "info symbol f7" "$1" 2>&1 | sed "s|$PWD/$1||"
  }
  mini_of () # PROGRAM
  {
    objcopy --only-keep-debug "$1" mini.debug
    nm "$1" --format=posix --defined-only | awk '$2 ~ /[Tt]/ { print $1 }' >keep
    objcopy -S -R .comment --keep-symbols=keep mini.debug mini 2>/dev/null
  }
  add_mini () # PROGRAM
  {
    xz -kf mini && objcopy --add-section .gnu_debugdata=mini.xz "$1"
  }
  large_program whole -Wl,--build-id
  strip -o old whole
  mini_of whole
  cp old new && cp mini mini.old
  add_mini old
  ask old | grep "f7 in section .text" >before
  convert old
  ask old >after
  grep "section .sframe not found in .gnu_debugdata" after
  grep -v "^$\|warning" after | diff before -
  run -0 "$CFI2SFRAME" -q --debug-twin=mini new
  add_mini new
  ask new | diff before -
  convert whole
  mini_of whole
  strip whole
  add_mini whole
  ask whole | diff before -
}

@test "eu-unstrip joins both, and the result runs" {
  split_large_program large
  convert large
  run ! eu-unstrip large large.debug -o joined
  [[ $output == *"cannot find matching section"* ]] || report
  convert --debug-twin=large.debug large
  eu-unstrip large large.debug -o joined
  ./joined
  has_sframe joined
  readelf -SW joined | grep -q '\.debug_info'
  # Moved symbols follow their sections.
  [ "$(readelf -SW joined | sed -n 's/.* \.note.ABI-tag *NOTE *0*\([0-9a-f]*\) .*/\1/p')" \
    = "$(nm joined | sed -n 's/^0*\([0-9a-f]*\) r __abi_tag/\1/p')" ]
}

@test "programs at a fixed address: the first segment begins earlier" {
  small_program probe -static -fuse-ld=gold || skip "no gold, or no static libc"
  split_large_program large -static -fuse-ld=gold
  eu-unstrip large large.debug -o joined
  ask_gdb ./large >before
  convert -v --debug-twin=large.debug large || true
  "$CFI2SFRAME" --undo --debug-twin=large.debug large
  "$CFI2SFRAME" --stats=json --debug-twin=large.debug large \
    | grep '"strategy":"grow-down"'
  ask_gdb ./large | diff before -
  run eu-unstrip large large.debug -o joined
  [ "$status" -eq 0 ] && [ -z "$output" ] || report
  ./joined
}

@test "debug files of eu-strip" {
  needs eu-strip
  split_large_program large
  large_program large
  eu-strip -f large.debug large
  ask_gdb ./large >before
  convert --debug-twin=large.debug large
  ask_gdb ./large | diff before -
  eu-unstrip large large.debug -o joined
}

@test "--undo -o of a file that was never converted has no debug file to follow" {
  split_large_program large
  local option
  for option in --undo --remove; do
    convert $option --debug-twin=large.debug -o out large
    [ ! -e out ]
  done
}

@test "--undo and --remove give both files back, byte for byte" {
  split_large_program large
  for option in --undo --remove; do
    convert --debug-twin=large.debug large
    run ! cmp large.debug old/large.debug
    convert $option --debug-twin=large.debug large
    cmp large old/large
    cmp large.debug old/large.debug
  done
  # Also one after the other.
  convert --debug-twin=large.debug large
  convert --undo large
  convert --undo large.debug
  cmp large.debug old/large.debug
}

@test "the debug file keeps its CRC, which .gnu_debuglink has" {
  needs python3
  split_large_program large
  convert --debug-twin=large.debug large
  python3 - <<'END'
import zlib
old, new = (open(name, "rb").read() for name in ("old/large.debug", "large.debug"))
assert len(old) < len(new)
assert zlib.crc32(old) == zlib.crc32(new)
END
  # Without a build-id gdb goes by it.
  split_large_program plain -Wl,--build-id=none
  ask_gdb ./plain >before
  convert --debug-twin=plain.debug plain
  ask_gdb ./plain | diff before -
}

@test "a debug file in step stays; after another conversion it follows" {
  split_large_program large
  convert --debug-twin=large.debug large
  cp large.debug once
  convert --debug-twin=large.debug large
  cmp once large.debug
  ask_gdb ./large >before
  convert --replace --format=2 --debug-twin=large.debug large
  run ! cmp once large.debug
  ask_gdb ./large | diff before -
  convert --undo --debug-twin=large.debug large
  cmp large.debug old/large.debug
}

@test "a debug file stays where the conversion of its program fails" {
  split_large_program large
  convert large
  exits 1 --replace --debug-file=none --debug-twin=large.debug large
  cmp large.debug old/large.debug
}

@test "--debug-twin alone finds debug files, in trees too" {
  split_large_program large
  split_large_program other -O2
  convert --debug-twin large
  ask_gdb ./large >after
  grep -q warning after && return 1
  run ! cmp large.debug old/large.debug

  # One that is there, one that is another program's, and none.
  mkdir tree tree/good tree/wrong tree/none
  cp old/large old/large.debug tree/good
  cp old/large tree/wrong && cp old/other.debug tree/wrong/large.debug
  cp old/other tree/none
  convert -q -r --debug-twin tree
  cmp large.debug tree/good/large.debug
  cmp large tree/wrong/large
  cmp old/other.debug tree/wrong/large.debug
  has_sframe tree/none/other

  # What is skipped has no debug file that is to follow.
  mkdir tree/other
  cp old/other tree/other/machine
  poke tree/other/machine 18 f3 00 # EM_RISCV
  head -c 3000 old/other >tree/other/damaged
  convert -q -r --debug-twin --skip-unconvertible tree

  # By the build-id.
  id=$(build_id_of old/large)
  mkdir -p "cache/$id" && cp old/large.debug "cache/$id/debuginfo"
  mkdir empty && cp old/large empty
  DEBUGINFOD_CACHE_PATH=$PWD/cache convert --debug-twin empty/large
  cmp large.debug "cache/$id/debuginfo"
}

@test "another file's debug file is refused, and nothing changes" {
  split_large_program large
  split_large_program other -O2
  refused large --debug-twin=other.debug
  [[ $stderr == *"debug file other.debug: another build-id"* ]] || report
  refused large --debug-twin=none
  cmp other.debug old/other.debug
  convert --dry-run --debug-twin=large.debug large
  cmp large old/large
  cmp large.debug old/large.debug
}

@test "a debug file that says it is an object is refused" {
  split_large_program large
  printf '\1' | dd of=large.debug bs=1 seek=16 conv=notrunc status=none
  cp large.debug broken.debug
  exits 1 --debug-twin=large.debug large
  [[ $stderr == *"large.debug: another type of ELF file" ]] || report
  cmp large.debug broken.debug
  cmp large old/large
}

# Was found only by the self-check of the debug file, after the conversion.
@test "a program that has lost a section is refused with its debug file" {
  split_large_program large
  objcopy -R .note.gnu.build-id large
  cp large less && cp large.debug less.debug
  refused large --debug-twin=large.debug
  [[ $stderr == *": it has a loaded section that the program lacks" ]] || report
  refused large --debug-twin
  [[ $stderr == *": it has a loaded section that the program lacks" ]] || report
  cmp large.debug less.debug

  # A program that was converted before, by itself.
  convert large
  refused large --debug-twin=large.debug
  cmp large.debug less.debug

  # Without it in the debug file, they follow each other.
  cp less large
  objcopy -R .note.gnu.build-id large.debug
  objcopy -R .gnu_debuglink large
  objcopy --add-gnu-debuglink=large.debug large
  convert --debug-twin=large.debug large
  ask_gdb ./large >after
  run ! grep warning after
}

@test "a debug file follows an output file" {
  split_large_program large
  mkdir new && cp large.debug new/large.debug
  convert --debug-twin=new/large.debug -o new/large large
  cmp large old/large
  eu-unstrip new/large new/large.debug -o joined
  run "$CFI2SFRAME" --debug-twin -o out large
  [ "$status" -eq 2 ] || report
  run "$CFI2SFRAME" --debug-twin=large.debug large old/large
  [ "$status" -eq 2 ] || report
}

# Was changed like a debug file, segments and all, and crashed.
@test "a copy from before stripping is not a debug file, and stays" {
  needs strip
  small_program whole -static -Wl,--build-id \
    || skip "no static libc"
  for kind in "-static -Wl,--build-id" "-g" "-g -shared -fPIC"; do
    # shellcheck disable=SC2086
    small_program whole $kind
    strip --strip-all -o stripped whole
    cp whole before
    refused stripped --debug-twin=whole
    [[ $stderr == *"whole: it has code, so it is not a separate debug file" ]] \
      || report
    cmp whole before
  done
  # Nor one that was only found.
  small_program whole -g
  cp whole before
  objcopy --strip-all --add-gnu-debuglink=whole whole stripped
  convert --debug-twin stripped
  has_sframe stripped
  cmp whole before
}

# All section headers of code say that it is not there: changed, it crashed.
@test "a program whose section headers deny its code is not a debug file" {
  split_program
  small_program whole -g
  cp whole faked
  table=$(peek whole 40 8)
  for index in $(readelf -SW whole | sed -n 's/^ *\[ *\([0-9]*\)\] .* AX .*/\1/p'); do
    poke faked $((table + 64 * index + 4)) 08 00 00 00
  done
  [ "$(readelf -SW faked | grep -c 'NOBITS.* AX ')" -ge 3 ]
  ./faked
  cp faked before
  objcopy --strip-all whole stripped
  refused stripped --debug-twin=faked
  [[ $stderr == *"faked: it has code that its section headers deny" ]] || report
  cmp faked before
  # Nor one that was only found.
  objcopy --strip-all --add-gnu-debuglink=faked whole stripped
  convert --debug-twin stripped
  has_sframe stripped
  cmp faked before
}

# Led a run as root over a user's folder to files elsewhere.
@test "what --debug-twin finds beside a file is changed, links are not followed" {
  split_large_program large
  mkdir -p tree/file tree/folder tree/good/.debug elsewhere/.debug
  cp old/large.debug elsewhere
  cp old/large.debug elsewhere/.debug
  for folder in tree/*; do
    cp old/large "$folder"
  done
  ln -s ../../elsewhere/large.debug tree/file/large.debug
  ln -s ../../elsewhere/.debug tree/folder/.debug
  cp old/large.debug tree/good/.debug
  convert -q -r --debug-twin tree
  for folder in tree/*; do
    has_sframe "$folder/large"
  done
  cmp elsewhere/large.debug old/large.debug
  cmp elsewhere/.debug/large.debug old/large.debug
  [ -L tree/file/large.debug ]
  # A file that is not behind a link was followed.
  run ! cmp -s tree/good/.debug/large.debug old/large.debug
  # Without -r it is the same.
  cp old/large tree/file
  convert --debug-twin tree/file/large
  cmp elsewhere/large.debug old/large.debug
  # What somebody names may be a link, as everywhere.
  convert --undo tree/file/large
  convert --debug-twin=tree/file/large.debug tree/file/large
  cmp elsewhere/large.debug tree/good/.debug/large.debug
}

# Where the program came first, its debug file was "replaced meanwhile" when its
# turn came: what failed depended on sizes and on -j.
@test "the debug file of a program of the run follows it, whatever -j is" {
  local jobs pair
  split_program
  # One debug file is smaller than its program, one larger, one is of two.
  for pair in less more both; do
    mkdir -p "tree/$pair" && cp small small.debug "tree/$pair"
  done
  head -c 100000 /dev/zero >zero
  objcopy --add-section .padding=zero tree/more/small.debug
  objcopy -R .gnu_debuglink tree/more/small
  objcopy --add-gnu-debuglink=tree/more/small.debug tree/more/small
  cp tree/both/small tree/both/again
  for jobs in 1 4; do
    cp -a tree "tree$jobs"
    exits 0 -r -j$jobs --debug-twin --stats=json "tree$jobs"
    sed 's/"seconds":[^,}]*//g; s/tree[14]/tree/g' <<<"$output" >"converted$jobs"
    has_sframe "tree$jobs/both/again"
    run ! cmp -s "tree$jobs/less/small.debug" tree/less/small.debug
    cp -a "tree$jobs" "new$jobs"
    exits 0 -r -j$jobs --undo --debug-twin --stats=json "tree$jobs"
    sed 's/"seconds":[^,}]*//g; s/tree[14]/tree/g' <<<"$output" >"undone$jobs"
    diff -r tree "tree$jobs"
  done
  diff -r new1 new4
  diff converted1 converted4
  diff undone1 undone4
  [ "$(grep -c '"reason":"debug file of tree/' undone1)" -eq 3 ]
  # Also where files are named, and where no more is done than to ask.
  exits 0 -n -v --debug-twin new1/less/small.debug new1/less/small --undo
  [[ $output == *"small.debug: skipped: debug file of new1/less/small"* ]] || report
}

# A copy of the debug file made the debug file what it had been.
@test "a debug file is not a program that another debug file follows" {
  split_program
  id=$(build_id_of small)
  mkdir -p "cache/$id" tree && cp small.debug tree && mv small.debug "cache/$id/debuginfo"
  export DEBUGINFOD_CACHE_PATH=$PWD/cache
  convert --debug-twin small
  cp "cache/$id/debuginfo" follows
  run ! cmp -s follows tree/small.debug
  convert -q -r --debug-twin tree
  cmp "cache/$id/debuginfo" follows
}

# The program was a failure although it had been converted, and its other names
# kept the old file.
@test "a program is converted, names and all, where its debug file cannot be written" {
  split_program
  head -c 1000000 /dev/zero >zero
  objcopy --add-section .padding=zero small.debug
  objcopy -R .gnu_debuglink small
  objcopy --add-gnu-debuglink=small.debug small
  ln small other
  cp small.debug before
  # Files become no larger than 512 blocks.
  gives 1 capture sh -c "trap '' XFSZ; ulimit -f 512; exec \"\$@\"" sh \
    "$CFI2SFRAME" --debug-twin --stats=json small other
  [[ $stderr == "cfi2sframe: small: debug file "*"small.debug: "*"too large" ]] || report
  has_sframe small
  [ small -ef other ]
  cmp before small.debug
  [[ ${lines[0]} == *'"file":"small","status":"converted"'* \
     && ${lines[1]} == *'"file":"small","status":"failed","reason":"debug file '* \
     && ${lines[2]} == *'"file":"other","status":"skipped"'* ]] || report
  json_is each <<<"$(sed 's/^/conversion /' <<<"$output")"
}
