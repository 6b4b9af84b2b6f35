#!/usr/bin/env bats
# --detached: SFrame data beside files that stay as they are, found by
# build-id.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers
load ../stacks/stacks

setup ()
{
  setup_stacks
}

# A program that waits in a function of its own below two others, and not in libc,
# which has no .sframe.
waiting_program ()
{
  cat >waiting.c <<'EOF'
#include <stdio.h>
volatile unsigned long count;
__attribute__ ((noinline)) static int
inner (int n)
{
  puts ("ready");
  fflush (stdout);
  while (count + 1 != 0)
    {
      count += 2;
#ifdef __x86_64__
      long pause = 34;
      __asm__ volatile ("syscall" : "+a" (pause) : : "rcx", "r11", "memory");
#endif
    }
  return n + 1;
}
__attribute__ ((noinline)) static int
outer (int n)
{
  return inner (n + 1) + 1;
}
int
main (int argc, char **argv)
{
  (void)argv;
  return outer (argc) + 1;
}
EOF
  "${CC:-cc}" -O1 -fno-optimize-sibling-calls -Wl,--build-id -o waiting \
    waiting.c "$@"
}

# The program runs; its number is in $pid.
started_program ()
{
  needs_stack_programs
  start ./waiting
}

stacks ()
{
  capture "$stack" -v "$@" "$pid"
  [[ $stderr != *"Operation not permitted"* ]] \
    || skip "tracing is not permitted here"
}

@test "the file stays as it was, and its section is found by build-id" {
  waiting_program
  before=$(checksum waiting)
  exits 0 --detached=beside waiting
  [ "$(checksum waiting)" = "$before" ]
  [ "$(find beside -type f)" = "beside/$(detached_path_of waiting)" ] || report
  started_program
  stacks --detached="$PWD/beside" --only-sframe
  grep -q "/waiting: .* bytes of SFrame data, detached$" <<<"$stderr" \
    || report
  grep -q ' inner+' <<<"$output" && grep -q ' outer+' <<<"$output" || report
  stacks --detached="$PWD/elsewhere" --only-sframe
  grep -q "/waiting: it has no .sframe$" <<<"$stderr" || report
}

@test "the rows are those of the converted file" {
  waiting_program
  exits 0 --detached=beside waiting
  exits 0 -o converted waiting
  exits 0 --compare "beside/$(detached_path_of waiting)" converted
}

@test "a section for code at other addresses is not taken" {
  waiting_program -no-pie -Wl,-Ttext-segment=0x400000
  cp waiting first
  exits 0 --detached=beside first
  waiting_program -no-pie -Wl,-Ttext-segment=0x800000
  mkdir -p "beside/$(dirname "$(detached_path_of waiting)")"
  mv "beside/$(detached_path_of first)" moved
  # The build-id of the second, in the first one's section.
  second=$(detached_path_of waiting)
  needs python3
  python3 - "$(detached_path_of first)" "$second" <<'EOF'
import sys
old, new = (bytes.fromhex(name[:-7].replace('/', '')) for name in sys.argv[1:])
data = open('moved', 'rb').read()
assert data.count(old) == 1 and len(old) == len(new)
open('beside/' + sys.argv[2], 'wb').write(data.replace(old, new))
EOF
  started_program
  stacks --detached="$PWD/beside" --only-sframe
  grep -q "/waiting: it has no .sframe$" <<<"$stderr" || report
  # With its own section there it is.
  tool --detached=beside waiting
  stacks --detached="$PWD/beside" --only-sframe
  grep -q "/waiting: .* detached$" <<<"$stderr" || report
}

@test "the sums of a tree say what was described" {
  waiting_program
  mkdir tree
  mv waiting tree
  exits 0 -r --detached=beside tree
  grep -q '^  functions: [1-9][0-9]* of ' <<<"$output" || report
  grep -q '^  \.sframe: [1-9][0-9]* bytes, ' <<<"$output" || report
  ! grep -q '^  files: ' <<<"$output" || report
}

@test "a tree: what cannot be put into a file can lie beside it" {
  waiting_program
  mkdir tree
  mv waiting tree
  cp tree/waiting tree/fips
  echo checksum >tree/.fips.hmac
  echo text >tree/text
  exits 0 -r --detached=beside tree
  [ "$(find beside -type f | wc -l)" -eq 1 ] || report
  [ "$(find tree -newer beside -type f)" = "" ]
  tool -o tree/converted tree/waiting
  tool --detached=other -v tree/converted
  [[ $output == *"skipped: has an .sframe already"* ]] || report
  [ ! -e other ]
}

# It has CFI of its own, the same build-id, and no code.
@test "a debug file's rows do not take the place of its program's" {
  waiting_program -g -fno-asynchronous-unwind-tables -fno-unwind-tables
  mkdir tree
  objcopy --only-keep-debug waiting tree/waiting.debug
  cp waiting tree
  exits 0 --detached=own tree/waiting
  exits 0 -v --detached=beside tree/waiting.debug
  [[ $output == *"skipped: debug file: the code is not in it"* ]] || report
  [ ! -e beside ]
  exits 0 -r -j1 --detached=beside tree
  cmp "own/$(detached_path_of waiting)" "beside/$(detached_path_of waiting)"
}

@test "an .sframe without program header is none for readers" {
  waiting_program
  exits 0 -o converted waiting
  exits 0 -v --detached=beside converted
  [[ $output == *"skipped: has an .sframe already" ]] || report
  edit_sframe converted segment.0.0
  exits 0 --detached=beside converted
  [ "$(find beside -type f)" = "beside/$(detached_path_of waiting)" ] || report
}

# finds_detached: ./waiting has an .sframe that readers do not use, so --detached
# writes one, and sframe-stack uses that.
finds_detached ()
{
  exits 0 --detached=beside waiting
  [ "$(find beside -type f)" = "beside/$(detached_path_of waiting)" ] || report
  started_program
  stacks --detached="$PWD/beside" --only-sframe
  grep -q "/waiting: .* detached$" <<<"$stderr" || report
  grep -q ' inner+' <<<"$output" || report
}

@test "an .sframe that is not sorted is none for readers" {
  waiting_program
  tool waiting
  read -r offset _ < <(section waiting .sframe)
  poke waiting $((offset + 3)) 04
  finds_detached
}

@test "an .sframe that says it is sorted, and is not, is none for readers" {
  needs python3
  waiting_program
  tool waiting
  read -r offset _ < <(section waiting .sframe)
  python3 - "$offset" <<'EOF'
import struct, sys
with open('waiting', 'r+b') as file:
    data = bytearray(file.read())
    at = int(sys.argv[1])
    count, = struct.unpack_from('=I', data, at + 8)
    first = at + 28 + struct.unpack_from('=I', data, at + 20)[0]
    last = first + 16 * (count - 1)
    data[first:first + 16], data[last:last + 16] \
        = data[last:last + 16], data[first:first + 16]
    file.seek(0)
    file.write(data)
EOF
  finds_detached
}

@test "an .sframe that two program headers are for is none for readers" {
  needs python3
  waiting_program
  tool waiting
  python3 - <<'EOF'
import struct
with open('waiting', 'r+b') as file:
    data = file.read()
    table, = struct.unpack_from('=Q', data, 32)
    count, = struct.unpack_from('=H', data, 56)
    headers = {struct.unpack_from('=I', data, at)[0]: at
               for at in range(table, table + 56 * count, 56)}
    sframe = headers[0x6474e554]
    file.seek(headers[0x6474e551]) # PT_GNU_STACK
    file.write(data[sframe:sframe + 56])
EOF
  finds_detached
}

@test "without a build-id, without CFI, without a place to write" {
  small_program small -Wl,--build-id=none
  exits 1 --detached=beside small
  [[ $stderr == *"small: no build-id, by which a detached section is found"* ]] \
    || report
  [ ! -e beside ]
  waiting_program
  touch file
  exits 1 --detached=file waiting
  [[ $stderr == "cfi2sframe: file/"??": cannot make this folder: Not a directory \
(for waiting)" ]] || report
  exits 0 -n --detached=beside waiting
  [ ! -e beside ]
  exits 2 --detached=beside -o out waiting
}

@test "a fifo in the place of a section, and one cut off, are none" {
  waiting_program
  tool --detached=beside waiting
  file=beside/$(detached_path_of waiting)
  cp "$file" whole
  head -c 200 whole >"$file"
  started_program
  stacks --detached="$PWD/beside" --only-sframe
  grep -q "/waiting: it has no .sframe$" <<<"$stderr" || report
  rm "$file"
  mkfifo "$file"
  run timeout 10 "$stack" --detached="$PWD/beside" "$pid"
  [ "$status" -ne 124 ] || report
}

# serve FOLDER: its address is in $url, its process in $server.
serve ()
{
  needs python3
  python3 -u -m http.server --bind 127.0.0.1 --directory "$1" 0 \
    >server.log 2>&1 3>&- &
  server=$!
  children+=("$server")
  within_a_minute grep -q "port [0-9]" server.log
  url=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server.log)
}

# The recipe is the manual's.
@test "sections on a server are fetched for a process" {
  needs curl eu-unstrip
  waiting_program
  exits 0 --detached=store waiting
  started_program
  mkdir server && mv store server/sections
  serve server
  url=$url/sections
  sed -n '/^eu-unstrip/,/^sframe-stack/p' "$srcdir/doc/use/cfi2sframe.texi" \
    | sed "/^sframe-stack/d; s/@\([{}@]\)/\1/g
           s|@var{url}|$url|; s/PID/$pid/" >recipe
  status=0
  bash recipe || status=$?
  kill "$server"
  # 123: libc's is not there.
  [ "$status" -eq 123 ] || { cat recipe server.log; return 1; }
  [ "$(cd sections && find . -type f)" = "./$(detached_path_of waiting)" ]
  stacks --detached=sections --only-sframe
  grep -q "/waiting: .* bytes of SFrame data, detached$" <<<"$stderr" \
    || report
}

# asks OPTIONS...: stacks, with an empty cache.
asks ()
{
  rm -rf cache
  DEBUGINFOD_URLS=$url DEBUGINFOD_CACHE_PATH=$PWD/cache \
    stacks --detached=nowhere --only-sframe "$@"
}

# The layout is the manual's.
@test "--debuginfod: sections are asked of debuginfod's servers, and compared with the file" {
  waiting_program
  started_program
  DEBUGINFOD_URLS=http://127.0.0.1:1 capture "$stack" --debuginfod "$pid"
  [[ $stderr != *"no libdebuginfod"* ]] || skip "no libdebuginfod"
  exits 0 --detached=sections waiting
  sed -n '/^(cd sections/,/^@end example/{ /^@end/d; s/@\([{}@]\)/\1/g; p; }' \
    "$srcdir/doc/use/cfi2sframe.texi" >recipe
  [ -s recipe ]
  bash -e recipe
  local id file
  id=$(detached_path_of waiting)
  id=${id%.sframe}
  file=server/buildid/${id/\//}/section/.sframe
  [ "$(find server -type f)" = "$file" ]
  serve server
  asks --debuginfod
  grep -q "/waiting: .* bytes of SFrame data, detached$" <<<"$stderr" || report
  grep -q ' inner+' <<<"$output" && grep -q ' outer+' <<<"$output" || report
  # Without the option no section is asked for.
  : >server.log
  asks
  grep -q "/waiting: it has no .sframe$" <<<"$stderr" || report
  run ! grep section server.log
  # Another program's section, and the bytes alone, as debuginfod has them.
  cp "$file" own
  mkdir second
  (cd second && waiting_program -Wl,--build-id=0x0123456789abcdef)
  exits 0 --detached=other second/waiting
  cp "other/$(detached_path_of second/waiting)" "$file"
  asks --debuginfod
  grep -q "/waiting: it has no .sframe$" <<<"$stderr" || report
  grep -q 'section/.sframe .* 200' server.log
  section_bytes own .sframe >"$file"
  [ -s "$file" ]
  asks --debuginfod
  grep -q "/waiting: it has no .sframe$" <<<"$stderr" || report
  # No server, or one that does not answer.
  kill "$server"
  asks --debuginfod
  grep -q "/waiting: it has no .sframe$" <<<"$stderr" || report
  capture env -u DEBUGINFOD_URLS "$stack" --debuginfod "$pid"
  [ "$status" -eq 1 ] && [ -z "$output" ] || report
  [ "$stderr" = "sframe-stack: --debuginfod: DEBUGINFOD_URLS names no server" ] || report
}
