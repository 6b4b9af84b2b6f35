#!/usr/bin/env bats
# Many files in one call: directories, lists, several names of one file,
# threads, interrupts.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2086 # several options are one text

load helpers

# A folder with programs of several sizes, in sub-folders, among other files.
sample_tree ()
{
  mkdir -p sample/bin sample/lib/deep/er sample/share
  small_program sample/bin/small
  small_program sample/bin/debugged -g
  small_program sample/lib/deep/er/shared.so -shared -fPIC
  copy "$(program_file bash)" sample/bin/bash
  copy "$(program_file ls)" sample/lib/deep/ls
  echo text >sample/share/text
  echo "#!/bin/sh" >sample/bin/script
  : >sample/share/empty
  "${CC:-cc}" -c small.c -o sample/lib/small.o
}

# make_tree NAME: that folder, made once in this file.
make_tree ()
{
  once sample_tree
  mv -T sample "$1"
}

# Turn FILE into one for a machine without SFrame ABI: MIPS (8).
foreign ()
{
  small_program "$1"
  poke "$1" 18 08 00
}

# Whether every program in FOLDER has an .sframe.
all_converted ()
{
  local file
  for file in bin/small bin/debugged bin/bash lib/deep/ls \
              lib/deep/er/shared.so; do
    has_sframe "$1/$file" || { echo "$file is not converted"; return 1; }
  done
}

no_temporaries ()
{
  [ -z "$(find "$1" -name '.cfi2sframe-*')" ]
}

# start_held CALLS[:when=N]:delay_WHERE COMMAND...: start a command that waits
# before (enter) or behind (exit) these system calls until `let_go'; if $held_name
# is set, those that have this name.  Its process number is in $started; interrupts
# are not ignored.
start_held ()
{
  needs_strace
  calls=$BATS_TEST_TMPDIR/calls
  rm -f "$calls"
  env --default-signal=INT strace -D -f -o "$calls" -e trace="${1%%:*}" \
    -e inject="$1"=100000000 ${held_name+-P "$held_name"} \
    "${@:2}" >out 2>err 3>&- &
  started=$!
  children+=("$started")
}

# Wait until it waits, before a call.
until_held ()
{
  within_a_minute grep -q '(' "$calls"
}

# Its exit status is in $status.  Who loses its tracer goes on, unless it was killed
# and is gone.
let_go ()
{
  local tracer
  tracer=$(sed -n 's/^TracerPid:[^0-9]*//p' "/proc/$started/status" 2>/dev/null) || true
  [ -z "$tracer" ] || kill -9 "$tracer"
  status=0
  wait "$started" || status=$?
}

@test "-r converts what is in a directory and skips the rest" {
  make_tree tree
  foreign tree/bin/foreign
  printf '\177ELF\2\1\1\0more' >tree/lib/tiny
  before=$(checksum tree/lib/small.o)
  exits 0 -r tree
  [ -z "$stderr" ] || report
  [[ ${lines[0]} == "5 files converted, 2 skipped, 0 failed; 4 files are not ELF"* ]] \
    || report
  all_converted tree
  [ "$(checksum tree/lib/small.o)" = "$before" ]
  [ "$(tree/bin/small)" = "$(tree/bin/debugged)" ]
  no_temporaries tree
}

@test "-r: a second run changes nothing" {
  make_tree tree
  tool -r tree
  cp -a tree again
  exits 0 -r again
  [[ ${lines[0]} == "0 files converted, 6 skipped, 0 failed"* ]] || report
  diff -r tree again
}

@test "-r -q is silent, directories without -r are an error" {
  make_tree tree
  exits 1 tree
  convert -r -q tree
  all_converted tree
}

@test "a machine without SFrame is skipped in a tree, an error by name" {
  mkdir tree
  foreign tree/foreign
  convert -r -q tree
  exits 1 tree/foreign
  exits 1 -r tree/foreign
  printf 'tree/foreign\0' >list
  convert -q --files0-from=list
}

@test "files and report do not depend on -j" {
  make_tree one
  ln one/bin/bash one/lib/bash
  foreign one/foreign
  printf '\177ELF%060d' 0 >one/broken
  for jobs in 2 8; do
    cp -a one $jobs
  done
  for jobs in one 2 8; do
    (cd $jobs && run -1 --separate-stderr "$CFI2SFRAME" -r --stats=json \
      -j "${jobs/one/1}" . && printf '%s\n' "$output" >../$jobs.out \
      && printf '%s\n' "$stderr" >../$jobs.err)
    sed -i 's/"seconds":[0-9.e-]*/"seconds":0/' $jobs.out
  done
  [ "$(grep -c '"file"' one.out)" -eq 9 ]
  for jobs in 2 8; do
    diff one.out $jobs.out
    diff one.err $jobs.err
    diff -r one $jobs
  done
}

@test "results come in the order of names and operands" {
  make_tree b
  mkdir a
  small_program a/z
  small_program a/a
  exits 0 -r -v b a
  files=$(printf '%s\n' "$output" | sed -n 's/: SFrame V3.*//p' | tr '\n' ' ')
  [ "$files" = "b/bin/bash b/bin/debugged b/bin/small b/lib/deep/er/shared.so b/lib/deep/ls a/a a/z " ] \
    || report
}

@test "--stats=json ends with the total" {
  needs python3
  make_tree tree
  echo x >tree/more
  exits 0 -r --stats=json tree
  printf '%s\n' "$output" | python3 -c '
import json, sys
objects = [json.loads(line) for line in sys.stdin]
total = objects.pop()["total"]
assert not any("total" in o for o in objects)
for status in "converted", "skipped", "failed":
    assert total[status] == sum(o["status"] == status for o in objects), status
done = [o for o in objects if o["status"] == "converted"]
for key in ("sframe_bytes", "cfi_functions", "input_bytes", "output_bytes",
            "bytes_covered", "sframe_fres"):
    assert total[key] == sum(o[key] for o in done) > 0, key
assert total["not_elf"] == 4, total
'
}

@test "hard links named in one call stay links" {
  small_program a
  mkdir d
  ln a b
  ln a d/c
  cp -p a before
  exits 0 -q -n a b d/c
  silent
  cmp a before
  [ a -ef b ]
  exits 0 a b d/c
  silent
  has_sframe b
  [ a -ef b ]
  [ a -ef d/c ]
  [ "$(stat -c %a a)" = "$(stat -c %a before)" ]
  ./b >/dev/null
  exits 0 --undo d/c a b
  [ a -ef b ]
  [ a -ef d/c ]
  cmp b before
  only_files a b d before small.c
  no_temporaries .
}

@test "hard links: a name with a checksum, or left out, keeps the old file" {
  small_program
  mkdir a b c
  mv small a/one
  ln a/one b/one
  ln a/one c/one
  cp a/one original
  sha256sum a/one >b/.one.hmac
  exits 0 -r --stats=json a b c
  [[ $output == *'"file":"b/one","status":"skipped","reason":".one.hmac has a checksum'* ]] \
    || report
  has_sframe a/one
  [ a/one -ef c/one ]
  cmp original b/one
  [[ $stderr == *"a/one: warning: it has 1 other hard link, with the old contents"* ]] || report
  # Named, it is a failure, as alone.
  exits 0 -r --undo a c
  ln -f b/one a/one
  exits 1 a/one b/one
  cmp original b/one
  rm b/.one.hmac
  ln -f b/one a/one
  echo "exclude = */b/*" >conf
  CFI2SFRAME_CONFIG=$PWD/conf exits 0 --config -r a b
  [[ $stderr == *"a/one: warning: it has 1 other hard link"* ]] || report
  has_sframe a/one
  cmp original b/one
}

# The names behind it were left alone, too: "same file".
@test "hard links: a name in front of others with a checksum, or left out" {
  small_program
  local way
  mkdir a b c
  echo "exclude = */a/*" >conf
  export CFI2SFRAME_CONFIG=$PWD/conf
  for way in checksum excluded; do
    cp small a/one
    ln -f a/one b/one && ln -f a/one c/one
    cp a/one original
    [ "$way" = excluded ] || sha256sum a/one >a/.one.hmac
    tool -q -n -r a b c
    cmp original b/one
    if [ "$way" = excluded ]; then
      exits 0 --config -v -r a b c
      [[ $output == "a/one: skipped: left out by $PWD/conf:1"$'\n'* ]] || report
      [[ $output == *"1 file converted, 2 skipped, 0 failed "*"excluded 1, hard-link 1"* ]] || report
    else
      exits 1 a/one b/one c/one
      [[ $stderr == *"a/one: .one.hmac has a checksum"* ]] || report
    fi
    cmp original a/one
    has_sframe b/one
    [ b/one -ef c/one ]
    [[ $stderr == *"b/one: warning: it has 1 other hard link, with the old contents"* ]] || report
    rm -f a/.one.hmac
  done
}

# Which of the two it was depended on the order of operands.
@test "a file that is named is not one that was found, wherever else it is" {
  small_program
  mkdir h
  cp small h/riscv
  poke h/riscv 18 f3 00 # EM_RISCV
  local order
  for order in "h/riscv -r h" "-r h h/riscv" "-r h ./h/riscv"; do
    exits 1 $order
    [[ $stderr == "cfi2sframe: "*"h/riscv: "* ]] || report
  done
  exits 0 -r h h
}

@test "symbolic links to hard links stay symbolic links" {
  small_program a
  ln a b
  ln -s b to-b
  ln -s a to-a
  exits 0 to-b to-a a b
  silent
  has_sframe a
  [ a -ef b ]
  [ ! -L a ]
  [ ! -L b ]
  [ "$(readlink to-a) $(readlink to-b)" = "a b" ]
  no_temporaries .
}

@test "a hard link that is not named gets a warning" {
  small_program a
  ln a b
  ln a c
  before=$(checksum c)
  exits 0 a b
  [ "$stderr" = "cfi2sframe: a: warning: it has 1 other hard link, with the old contents" ] \
    || report
  [ a -ef b ]
  [ ! a -ef c ]
  [ "$(checksum c)" = "$before" ]
  exits 0 -q c
  silent
}

@test "symbolic links: followed when named, not in directories" {
  make_tree tree
  small_program outside
  ln -s ../outside tree/link
  ln -s ../.. tree/lib/up
  before=$(checksum outside)
  convert -r -q tree
  all_converted tree
  [ "$(checksum outside)" = "$before" ]
  [ -L tree/link ]
  exits 0 -v tree/link outside
  [[ ${lines[0]} == "tree/link: SFrame V3"* ]] || report
  [ "${lines[1]}" = "outside: skipped: same file as tree/link" ] || report
  has_sframe outside
  [ -L tree/link ]
  make_tree other
  ln -s other named
  convert -r -q named
  all_converted other
}

@test "--files0-from: a file, standard input, no NUL at the end" {
  make_tree tree
  find tree -type f -print0 | sort -z >list
  cp -a tree list-tree
  convert -q --files0-from=list
  all_converted tree
  find list-tree -type f -print0 | head -c -1 \
    | { run -0 "$CFI2SFRAME" -q --files0-from=- && [ -z "$output" ]; }
  diff -r tree list-tree
  exits 1 --files0-from=.
  [ "$stderr" = "cfi2sframe: .: Is a directory" ] || report
  exits 1 --files0-from=missing
  [[ $stderr == "cfi2sframe: missing: No such file"* ]] || report
  printf 'missing\0tree' >list
  exits 1 --files0-from=list
  [[ $stderr == *"missing: "*"No such file"*"tree: "* ]] || report
}

# Each of them had the names of the whole directory read, so that the programs of
# a distribution took ten times as long by a list as by -r.
@test "a directory is read once for all of its files in a list" {
  local i
  small_program in
  mkdir -p d/fipscheck e
  for i in 1 2 3 4 5 6 7 8 9; do cp in d/$i; done
  cp in e/libz.so
  cp in e/libx.so
  cp in e/liby.so
  touch d/.3.hmac d/fipscheck/5.hmac e/liby.so.hmac e/libz.so.hmac
  ln -sf ../e/liby.so d/6
  printf '%s\0' d/[1-9] e/libx.so e/libz.so >list
  exits 0 --files0-from=list
  [[ $stderr == *"d/3: note: skipped: .3.hmac has"*"d/5: note: skipped: fipscheck/5.hmac has"* ]] || report
  [[ $stderr == *"d/6: note: skipped: liby.so.hmac has"*"e/libz.so: note: skipped: libz.so.hmac has"* ]] || report
  for i in d/[124789] e/libx.so; do has_sframe $i; done
  for i in d/3 d/5 e/liby.so e/libz.so; do run ! has_sframe $i; done
  needs_strace
  rm -r d e
  mkdir d
  for i in 1 2 3 4 5 6 7 8 9; do cp in d/$i; done
  strace -f -o calls -e trace=getdents64 "$CFI2SFRAME" -n d/?
  [ "$(grep -c getdents64 calls)" -le 4 ] || { cat calls; return 1; }
}

@test "--exclude leaves out files, directories and paths" {
  make_tree tree
  convert -r -q --exclude='*bug*' --exclude=deep --exclude='*/bin/b*' tree
  has_sframe tree/bin/small
  for file in bin/debugged lib/deep/ls lib/deep/er/shared.so bin/bash; do
    no_sframe "tree/$file" || { echo $file; return 1; }
  done
}

# As in exclude lines of the configuration.
@test "--exclude: a backslash is a character" {
  mkdir tree
  small_program 'tree/a\*b'
  cp 'tree/a\*b' 'tree/a*b'
  convert -r -q --exclude='a\*b' tree
  no_sframe 'tree/a\*b'
  has_sframe 'tree/a*b'
}

@test "-x stays on the file system" {
  mkdir -p tree/mounted
  mount -t tmpfs none tree/mounted 2>/dev/null || skip "cannot mount here"
  mounted=$PWD/tree/mounted
  small_program tree/small
  cp tree/small tree/mounted
  convert -r -q -x tree
  has_sframe tree/small
  no_sframe tree/mounted/small
  convert -r -q tree
  has_sframe tree/mounted/small
}

teardown ()
{
  end_children
  cd /
  if [ -n "${mounted-}" ]; then
    umount "$mounted"
  fi
}

@test "one failing file does not stop the others" {
  make_tree tree
  printf '\177ELF%060d' 0 >tree/bin/a-broken
  exits 1 -r tree
  [[ $stderr == "cfi2sframe: tree/bin/a-broken: "* ]] || report
  [[ $output == "5 files converted, 1 skipped, 1 failed"* ]] || report
  all_converted tree
}

@test "a directory that cannot be read is an error, the others are done" {
  [ "$(id -u)" -ne 0 ] || needs setpriv
  make_tree tree
  public=$(mktemp -d /tmp/cfi2sframe-test.XXXXXX)
  chmod 755 "$public"
  cp "$CFI2SFRAME" "$public/cfi2sframe"
  cp -a tree "$public"
  mkdir -m 0 "$public/tree/closed"
  program="$public/cfi2sframe -n -r $public/tree"
  if [ "$(id -u)" -eq 0 ]; then
    program="setpriv --reuid=65534 --regid=65534 --clear-groups $program"
  fi
  capture $program
  rm -rf "$public"
  [ "$status" -eq 1 ] || report
  [[ $stderr == *"tree/closed: Permission denied" ]] || report
  [[ $output == "5 files could be converted, 1 skipped, 1 failed"* ]] || report
}

@test "--undo and --remove of a tree" {
  make_tree tree
  cp -a tree before
  convert -r -q tree
  cp -a tree removed
  exits 0 -r --remove removed
  no_sframe removed/bin/bash
  exits 0 -r --undo tree
  [[ $output == "5 files restored, 1 skipped, 0 failed"* ]] || report
  diff -r tree before
}

@test "--check of a tree: files without .sframe are passed over" {
  make_tree tree
  foreign tree/foreign
  exits 0 -r --check tree
  [[ $output == *"0 files checked, 7 skipped, 0 failed"* ]] || report
  convert -r -q tree
  exits 0 -r --check -j 3 tree
  [[ $output == *"5 files checked, 2 skipped, 0 failed"* ]] || report
  [[ $output == *" 0 wrong, "* ]] || report
  # One wrong byte in the rows of one file.
  read -r offset size < <(section tree/bin/bash .sframe)
  last=$((offset + size - 1))
  byte=$(peek tree/bin/bash $last 1)
  poke tree/bin/bash $last "$(printf %02x $((byte ^ 8)))"
  exits 1 -r --check tree
  [[ $output == *"4 files checked, 2 skipped, 1 failed"* ]] || report
  [[ $stderr == "cfi2sframe: tree/bin/bash: "* ]] || report
}

@test "--check of a tree: the sum has the code of the files that were checked" {
  needs jq
  make_tree tree
  convert -q tree/bin/bash
  exits 0 -r --check --stats=json tree
  [ "$(jq -s '[.[] | select (.status == "checked") | .executable_bytes] | add' \
    <<<"$output")" -eq \
    "$(jq -s '.[-1].total.executable_bytes' <<<"$output")" ] || report
}

@test "-n changes nothing in a tree" {
  make_tree tree
  cp -a tree before
  exits 0 -r -n tree
  [[ $output == "5 files could be converted, 1 skipped"* ]] || report
  diff -r tree before
}

@test "wrong usage of the options for many files" {
  mkdir tree
  for options in "-r -o out tree" "-j 0 tree" "-j x tree" "-j -1 tree" "-r" \
                 "-o out --files0-from=list" "-j 2x tree" \
                 "--files0-from=a --files0-from=b"; do
    exits 2 $options
  done
}

# With a delay before each file is flushed, and with a terminal for its output.
slowly="strace -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=400000"
on_slow_terminal ()
{
  script -qec "$slowly $CFI2SFRAME $*" /dev/null </dev/null
}

# All of them wait most of the time, so they do it together.
@test "no bar in a pipe, one on a terminal when it takes long" {
  needs script
  script -qec true /dev/null </dev/null >/dev/null 2>&1 \
    || skip "no pseudo-terminal here"
  make_tree piped
  cp -a piped seen
  cp -a piped quiet
  needs_strace
  $slowly "$CFI2SFRAME" -r -j 1 piped >out 2>err 3>&- &
  local started=$!
  on_slow_terminal -r -j 1 seen >screen 3>&- &
  local seen=$!
  on_slow_terminal -r -q quiet >silence 3>&- &
  wait "$!"
  wait "$seen"
  wait "$started"
  run ! grep -q '#' out err
  all_converted piped
  grep -q '\[#*\.*\] [0-4]/6 files, .* of .*B, .*B/s, .* left' screen
  all_converted seen
  [ ! -s silence ]
  all_converted quiet
}

# Standard error, in the file err, says how many of the files of FOLDER were
# converted.  What was renamed at the last moment may not be counted: at most a
# file of each of two threads.
told_how_far ()
{
  local said converted=0 file
  # strace has lines of its own there.
  [ "$(grep -c '^cfi2sframe: ' err)" -eq 1 ] || { cat err; return 1; }
  said=$(sed -n 's/^cfi2sframe: interrupted: \([0-9]*\) of 6 files converted\(, [0-9]* passed over\)\{0,1\}; run again to go on$/\1/p' err)
  [ -n "$said" ] || { cat err; return 1; }
  for file in $(find "$1" -type f); do
    ! has_sframe "$file" || converted=$((converted + 1))
  done
  [ "$said" -le "$converted" ] || return 1
  [ "$said" -ge $((converted - 2)) ]
}

any_converted ()
{
  local file
  for file in $(find "$1" -type f); do
    ! has_sframe "$file" || return 0
  done
  return 1
}

# End the program by SIGNAL while it works: every file is old or new.
interrupt ()
{
  local signal=$1 file
  shift
  rm -rf tree before after
  make_tree tree
  cp -a tree before
  cp -a tree after
  convert -r -q "${@}" after
  # Each thread flushes a file and its folder, and is held at its second file.
  start_held fsync:when=3:delay_enter "$CFI2SFRAME" -r -j 2 "$@" tree
  within_a_minute any_converted tree
  kill -s "$signal" "$started"
  # A signal that a tracer has in its hands is lost with it.
  within_a_minute has_ended "$started"
  let_go
  [ "$status" -eq $((128 + $(kill -l "$signal"))) ] || report
  no_temporaries tree
  told_how_far tree
  (cd before && find . -type f) | while read -r file; do
    cmp -s "tree/$file" "before/$file" || cmp "tree/$file" "after/$file" \
      || return 1
  done
  ! diff -rq tree after >/dev/null || { echo "too late"; return 1; }
}

# Checking keeps nothing, so there is nothing to go on with.
@test "--check and --lint tell how many files were checked before ^C" {
  local mode modes=(--check)
  # 20,000 times the same one, which takes minutes on any machine.
  copy "$(program_file ls)" program
  convert program
  yes program | head -n 20000 | tr '\n' '\0' >list
  # Not all builds can do that.
  ! "$CFI2SFRAME" --lint program >log 2>&1 || modes+=(--lint)
  for mode in "${modes[@]}"; do
    # What was there before must not count as a line of this one.
    rm -f out
    env --default-signal=INT "$CFI2SFRAME" -v -j 1 "$mode" --files0-from=list \
      >out 2>err 3>&- &
    started=$!
    # Lines come when a buffer is full, behind some files.
    within_a_minute test -s out
    kill -s INT "$started"
    status=0
    wait "$started" || status=$?
    [ "$status" -eq 130 ] || report
    [[ $(cat err) =~ ^"cfi2sframe: interrupted: "[1-9][0-9]*" of 20000 files checked"$ ]] \
      || { cat err; return 1; }
  done
  env --default-signal=INT "$CFI2SFRAME" -q -j 1 --check --files0-from=list \
    >out 2>err 3>&- &
  started=$!
  sleep 0.3
  kill -s INT "$started"
  ! wait "$started" || return 1
  [ ! -s err ]
}

@test "SIGINT and SIGTERM leave old or new files and nothing else" {
  interrupt INT
  interrupt TERM
}

# Files that cannot be converted, one of each kind.
make_unconvertible ()
{
  small_program good
  foreign foreign
  cp good appended
  printf 'xx' >>appended
  head -c 100 good >damaged
}

# Conversion gets a signal when the new file is there and has a name.
@test "a signal ends a conversion without a trace, unless it is ignored" {
  ! grep -q __asan_init "$CFI2SFRAME" || skip "AddressSanitizer comes first"
  cat >signal.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int
open64 (const char *path, int flags, ...)
{
  va_list more;
  va_start (more, flags);
  int mode = va_arg (more, int);
  va_end (more);
  errno = EOPNOTSUPP;
  return (flags & O_TMPFILE) == O_TMPFILE
             ? -1
             : (int)syscall (SYS_openat, AT_FDCWD, path, flags, mode);
}
int
open (const char *path, int flags, ...)
{
  va_list more;
  va_start (more, flags);
  int mode = va_arg (more, int);
  va_end (more);
  return open64 (path, flags, mode);
}
int
fsync (int fd)
{
  (void)fd;
  return raise (atoi (getenv ("SIGNAL")));
}
END
  "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o signal.so signal.c
  small_program in
  for number in 15 7; do
    cp in f
    run env LD_PRELOAD="$PWD/signal.so" SIGNAL=$number "$CFI2SFRAME" f
    [ "$status" -eq $((128 + number)) ] || report
    cmp in f
    no_temporaries .
  done
  run bash -c 'trap "" TERM; LD_PRELOAD=$PWD/signal.so SIGNAL=15 exec "$0" f' "$CFI2SFRAME"
  [ "$status" -eq 0 ] || report
  has_sframe f
}

@test "--skip-unconvertible: other machines, refused and damaged files are notes" {
  make_unconvertible
  local before
  before=$(cat foreign appended damaged | checksum /dev/stdin)
  exits 1 foreign appended damaged good
  tool --undo good
  cp foreign another
  exits 0 --skip-unconvertible foreign appended damaged another good
  [ -z "$output" ] || report
  [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 3 ] || report
  [[ $stderr == "cfi2sframe: note: 2 files are not for SFrame, left as they are; the first is another: "* ]] \
    || report
  [[ $stderr == *"note: appended: refused, left as it is: 2 bytes of unknown"* ]] || report
  [[ $stderr == *"note: damaged: damaged, left as it is: "* ]] || report
  has_sframe good
  [ "$(cat foreign appended damaged | checksum /dev/stdin)" = "$before" ]
  exits 0 -q --skip-unconvertible foreign appended damaged
  silent
  # The same in a tree, where the summary counts them.
  mkdir tree
  mv foreign appended damaged another tree
  exits 0 -r --skip-unconvertible tree
  [[ $output == "0 files converted, 4 skipped, 0 failed"* ]] || report
  [[ $stderr == *"2 files are not for SFrame"* ]] || report
}

@test "--skip-unconvertible=no: a failure in a tree, too" {
  make_unconvertible
  mkdir tree
  mv foreign tree
  convert -r -q tree
  exits 1 -r -q --skip-unconvertible --skip-unconvertible=no tree
  [[ $stderr == "cfi2sframe: tree/foreign: "* ]] || report
}

@test "--skip-unconvertible: input and output failures stay failures; =no; --strict" {
  make_unconvertible
  exits 1 --skip-unconvertible missing
  exits 1 --skip-unconvertible -o missing/out good
  # Who names an output goes on with it after a success.
  exits 0 --skip-unconvertible -n -o out appended
  [ ! -e out ]
  for file in foreign appended damaged; do
    exits 0 --skip-unconvertible -o out $file
    cmp out $file
  done
  exits 1 --skip-unconvertible -o missing/out appended
  [[ $stderr == *"missing/out: cannot find the directory: "* ]] || report
  exits 1 --skip-unconvertible --strict -o strict appended
  [ ! -e strict ]
  mkdir folder
  mkfifo fifo
  for file in folder fifo; do
    capture timeout 20 "$CFI2SFRAME" --skip-unconvertible -o other $file
    [ "$status" -eq 1 ] && [ "$stderr" = "cfi2sframe: $file: is not a regular file" ] \
      || report
  done
  exits 1 --skip-unconvertible --skip-unconvertible=no foreign
  exits 2 --skip-unconvertible=yes foreign
  exits 1 --skip-unconvertible --strict appended
  # Who asks for a check of a certain file wants one.
  exits 1 --skip-unconvertible --check foreign
  convert good
  read -r offset _ < <(section good .sframe)
  poke good "$offset" 00
  exits 1 --skip-unconvertible --check good
}

# Run the tool on directories named, and have the command `meanwhile' run when
# they have been read and before any file is opened: the list is read last.
with_time_between ()
{
  mkfifo list
  "$CFI2SFRAME" "$@" --files0-from=list >log 2>&1 3>&- &
  local program=$!
  exec 9>list
  # The writer is in; the directories were read before the list was opened.
  meanwhile
  exec 9>&-
  rm list
  wait "$program"
}

@test "-r: what is replaced by a link after it was found is not followed" {
  local before way
  small_program in
  for way in "" --undo --remove; do
    mkdir -p tree/d tree/e tree/f outside
    for i in tree/d/a tree/e/a tree/f/a outside/a; do
      cp in $i
      [[ $way != --undo && $way != --remove ]] || "$CFI2SFRAME" $i
    done
    before=$(checksum outside/a)
    meanwhile ()
    {
      # The file, its directory, and the same file behind a link.
      ln -sf ../../outside/a tree/d/a
      mv tree/e moved && ln -s ../outside tree/e
      mv tree/f moved-too && ln -s ../moved-too tree/f
    }
    ! with_time_between $way -r tree || return 1
    [ "$(grep -c 'replaced meanwhile' log)" -eq 3 ] || { cat log; return 1; }
    [ "$(checksum outside/a)" = "$before" ]
    cmp moved/a moved-too/a
    [[ -n $way ]] || cmp in moved/a
    [ -L tree/d/a ]
    rm -r tree outside moved moved-too
  done
}

@test "-r: a file replaced by another one after it was found is left alone" {
  mkdir tree
  small_program tree/a
  meanwhile ()
  {
    cp tree/a new
    strip new
    mv new tree/a
  }
  ! with_time_between -r tree || return 1
  grep -q 'a: the file was replaced meanwhile' log
  no_sframe tree/a
  # Looking is careful, too.
  local way
  for way in --check --lint --compare-formats "--dump --format=compact-unwind"; do
    ! with_time_between $way -r tree || return 1
    grep -q 'a: the file was replaced meanwhile' log || { echo "$way"; cat log; return 1; }
  done
}

@test "-r: a path may be longer than the system takes" {
  local here=$PWD name way
  small_program in
  name=$(printf '%0200d' 0)
  mkdir tree
  cd -P tree || return 1
  for _ in {1..25}; do
    mkdir "$name" && cd -P "$name" || return 1
  done
  cp "$here/in" .
  cd "$here" || return 1
  for way in --lint --check --compare-formats --dry-run "" --undo \
             "--dump --format=compact-unwind"; do
    "$CFI2SFRAME" $way -r tree >log 2>&1 || { echo "$way"; cat log; return 1; }
  done
}

# As root in a tree that others write to: tree/a is theirs, tree/b is not.  With
# an .sframe, what they put there was taken for what another run had made.
@test "hard links: what was put in place of the new file is not linked" {
  local what operands
  small_program in
  for what in plain converted; do
    for operands in "-r tree" "tree/a/x tree/b/x"; do
      rm -rf tree
      mkdir -p tree/a tree/b
      cp in tree/a/x && ln tree/a/x tree/b/x
      strip -o evil in
      [ $what = plain ] || convert evil
      cp evil expected
      start_held linkat:delay_enter "$CFI2SFRAME" $operands
      until_held
      has_sframe tree/a/x
      mv evil tree/a/x
      # The link is lost; the other name is a file of its own.
      let_go
      [ "$status" -eq 0 ] || { cat err; return 1; }
      cmp expected tree/a/x
      has_sframe tree/b/x
      "$CFI2SFRAME" --undo -o original tree/b/x
      cmp in original
      [ "$(find tree | wc -l)" -eq 5 ]
    done
  done
}

# The new file is for the other names of the file that it was made from, only.
@test "hard links: what was put in place of the old file is not linked" {
  local what
  small_program in
  mkdir a b
  for what in plain converted; do
    rm -f original
    cp in a/x && ln -f a/x b/x
    strip -o evil in
    [ $what = plain ] || convert evil
    cp evil expected
    meanwhile () { mv evil a/x; }
    with_time_between --replace a/x b/x || [ $what = plain ] || { cat log; return 1; }
    "$CFI2SFRAME" --undo -o original b/x
    [ -e original ] || cp b/x original
    cmp in original
  done
}

@test "hard links: a name that is another file by now stays that file" {
  mkdir tree
  small_program tree/a
  ln tree/a tree/b
  cp tree/a other
  strip other
  cp other expected
  meanwhile () { mv other tree/b; }
  # As for any file that was found, it is said.
  ! with_time_between -r tree || return 1
  grep -q 'b: the file was replaced meanwhile' log
  has_sframe tree/a
  cmp expected tree/b
  # One with an .sframe needs none.  It is not the same file, and not said to be.
  "$CFI2SFRAME" --undo tree/a
  ln -f tree/a tree/b
  convert -o other expected
  cp other expected
  meanwhile () { mv other tree/b; }
  with_time_between -v -r tree || { cat log; return 1; }
  grep -q 'tree/b: skipped: has an .sframe' log || { cat log; return 1; }
  cmp expected tree/b
}

# linked_by_two OPTION...: while a run with these options is about to put the first
# of three names in place, another one does all of them.
linked_by_two ()
{
  start_held fsync:delay_enter "$CFI2SFRAME" "$@" -r tree
  until_held
  exits 0 "$@" -r tree
  let_go
  [ "$status" -eq 0 ] || { echo "$*: $(cat err)"; return 1; }
  [ tree/a -ef tree/b ] && [ tree/a -ef tree/c ] || { echo "$*"; return 1; }
}

# Where the second run began anew, it made a file of the first name alone, and said
# that the others were the same.
@test "hard links: two runs at them leave them linked" {
  mkdir tree
  small_program tree/a
  ln tree/a tree/b
  ln tree/a tree/c
  linked_by_two
  linked_by_two --replace
  linked_by_two --remove
}

# For a file with other names, a lock does not show that it kept this one.
@test "hard links: another run that tidies does not take a link that is made" {
  mkdir tree
  small_program tree/a
  ln tree/a tree/b
  start_held linkat:delay_exit "$CFI2SFRAME" -r tree
  within_a_minute grep -q DELAYED "$calls"
  [ -n "$(find tree -name '.cfi2sframe-*' -links +1)" ]
  exits 0 -r tree
  let_go
  [ "$status" -eq 0 ] || { cat err; return 1; }
  [ tree/a -ef tree/b ]
  has_sframe tree/b
  no_temporaries .
}

@test "-r: what becomes a link while its directory is read is passed over" {
  mkdir tree outside
  small_program outside/a
  cp outside/a tree/a
  cp outside/a in
  # The name is known as that of a file; it is opened after a while.
  start_held getdents64:delay_exit "$CFI2SFRAME" -r tree
  within_a_minute grep -q DELAYED "$calls"
  ln -sf ../outside/a tree/a
  let_go
  [ "$status" -eq 0 ] && [ ! -s err ] || { cat err; return 1; }
  run ! grep -v "^0 files converted, 0 skipped, 0 failed" out
  cmp in outside/a
}

@test "not while another process changes the file" {
  needs flock
  small_program in
  cp in f
  run -1 flock -x f "$CFI2SFRAME" f
  [[ $output == *"another process is changing it"* ]]
  cmp in f
  flock -s f "$CFI2SFRAME" f
  has_sframe f
  for option in --undo --remove; do
    run -1 flock -x f "$CFI2SFRAME" $option f
    [[ $output == *"another process is changing it"* ]]
    has_sframe f
  done
}

# overtaken WAY OPERAND...: a run with options WAY is overtaken by another one of
# the same command just before it puts its files in place.  Both succeed, and
# what the faster one has made stays.
overtaken ()
{
  start_held fsync:delay_enter "$CFI2SFRAME" $1 "${@:2}"
  until_held
  exits 0 $1 "${@:2}"
  find tree -type f ! -name '.*' -exec sha256sum {} + >faster
  let_go
  [ "$status" -eq 0 ] || { echo "$1: $(cat err)"; return 1; }
  sha256sum --quiet -c faster
  no_temporaries .
}

# Who came second failed: "the file was replaced meanwhile".
@test "two runs at one file or tree: both succeed, and the file is changed once" {
  needs_strace
  needs ar objcopy
  local way
  mkdir new
  small_program new/a && cp new/a new/b
  "${CC:-cc}" -O2 -c small.c -o new/c.o
  ar rcsD new/d.a new/c.o
  cp -a new tree
  for way in "" --relocatable --replace --undo; do
    overtaken "$way" -r tree
  done
  for way in "" --undo --hook --replace --remove; do
    overtaken "$way" tree/a
  done
  # Objects and archives are said to have one already.
  rm -r tree && cp -a new tree
  overtaken "--relocatable -j1" tree/d.a tree/c.o
  objcopy --only-keep-debug tree/a tree/a.debug
  objcopy --add-gnu-debuglink=tree/a.debug tree/a
  overtaken --debug-twin tree/a
  overtaken "--undo --debug-twin" tree/a
  # The program was done, and its debug file is not yet.
  convert tree/a
  overtaken "--debug-twin" tree/a
}

# So did a check, of files that were found before a conversion replaced them.
@test "-r: what another run has converted after it was found is taken as it is" {
  local way
  mkdir tree
  small_program tree/a
  cp tree/a in
  for way in --check "" --hook --replace --undo --remove --lint "--lint --stats=json" \
             "--detached=d"; do
    meanwhile ()
    {
      case $way in
      --undo | --remove) cp in new && mv new tree/a ;;
      *) "$CFI2SFRAME" -o new in && mv new tree/a ;;
      esac
    }
    meanwhile
    cp tree/a expected
    with_time_between $way -r tree || { echo "$way"; cat log; return 1; }
    [[ $way == --replace ]] || cmp expected tree/a
  done
}

# A third run replaces what the second one has made, while it is looked at.
@test "-r: what is replaced twice after it was found is taken as it is" {
  needs_strace
  mkdir tree
  small_program tree/a
  convert -o first tree/a
  cp first second
  mkfifo list
  held_name=a start_held "?newfstatat,?fstatat64,?statx:delay_exit" "$CFI2SFRAME" \
    -r tree --files0-from=list
  exec 9>list
  mv first tree/a
  exec 9>&-
  within_a_minute grep -q DELAYED "$calls"
  mv second tree/a
  let_go
  grep -q '^0 files converted, 1 skipped, 0 failed' out || { cat out err; return 1; }
}

@test "two runs of --undo --debug-twin: the debug file is looked at again" {
  needs_strace
  needs objcopy
  mkdir tree
  small_program tree/a
  objcopy --only-keep-debug tree/a tree/a.debug
  objcopy --add-gnu-debuglink=tree/a.debug tree/a
  cp -r tree before
  convert --debug-twin tree/a
  held_name=a.debug start_held openat:delay_enter "$CFI2SFRAME" --undo --debug-twin tree/a
  until_held
  exits 0 --undo --debug-twin tree/a
  let_go
  [ "$status" -eq 0 ] || { cat err; return 1; }
  cmp tree/a before/a
  cmp tree/a.debug before/a.debug
}

# A folder's names were read once per file in it, for names of checksums.
@test "-r reads a folder once, and knows its checksums" {
  needs_strace
  mkdir -p tree/{a,b,c}
  small_program in
  for name in libx.so.{10..40}; do cp in "tree/b/$name"; done
  cp in tree/a/libx.so.20 && cp in tree/c/libx.so.20
  touch tree/b/{.libx.so.20.hmac,libx.so.30.chk,.one.so.hmac} tree/a/.libx.so.21.hmac
  ln -s libx.so.40 tree/b/one.so
  gives 0 capture strace -f -o calls -e trace=getdents64 \
    "$CFI2SFRAME" -r -j4 tree
  [ "$(grep -c getdents64 calls)" -lt 20 ]
  [[ ${lines[0]} == "30 files converted, 3 skipped, 0 failed"* ]] || report
  [[ $stderr == *"tree/b/libx.so.20: note: skipped: .libx.so.20.hmac has"* ]] || report
  [[ $stderr == *"tree/b/libx.so.30: note: skipped: libx.so.30.chk has"* ]] || report
  [[ $stderr == *"tree/b/libx.so.40: note: skipped: .one.so.hmac has"* ]] || report
  has_sframe tree/a/libx.so.20
  has_sframe tree/c/libx.so.20
}

# kill_at_flush FOLDER: convert what is in there, and be killed while a file is
# complete but not yet renamed.  Its temporary file is $left.
kill_at_flush ()
{
  start_held fsync:delay_enter "$CFI2SFRAME" -r -q "$1"
  until_held
  left=$(find "$1" -name '.cfi2sframe-*' -size +0)
  kill -s KILL "$started"
  let_go
  [ -f "$left" ]
}

@test "what a killed run has left is not a file to be converted, and is removed" {
  mkdir tree
  small_program tree/small
  cp tree/small before
  kill_at_flush tree
  cp -p "$left" copy
  # Who only looks removes nothing, and one in a list is not a file, either.
  exits 0 -r -n tree
  [ -f "$left" ]
  exits 0 -r --detached=detached tree
  [ -f "$left" ]
  printf '%s\0' "$left" | exits 0 --files0-from=-
  cmp "$left" copy
  cmp tree/small before
  exits 0 -r tree
  [[ ${lines[0]} == "1 file converted, 0 skipped, 0 failed"* ]] || report
  [ -z "$stderr" ] || report
  no_temporaries tree
  has_sframe tree/small
  # Its name alone does not make a file one of this program's, nor does what
  # only looks like that name.
  cp -p copy "$left.txt"
  cp -p copy "${left%??????}config"
  mkdir "$left"
  exits 0 -r -q --undo tree
  [ -f "$left.txt" ]
  [ -f "${left%??????}config" ]
  [ -d "$left" ]
  rmdir "$left"
  ln -s ../copy "$left"
  exits 0 -r -q --undo tree
  [ -L "$left" ]
}

@test "the temporary file of a running conversion is not removed" {
  mkdir tree
  small_program tree/small
  start_held fsync:delay_enter "$CFI2SFRAME" -r -q tree
  until_held
  cp tree/small tree/other
  # A second conversion of the same file would make the first one fail.
  exits 0 -q -r --exclude=small tree
  [ -n "$(find tree -name '.cfi2sframe-*' -size +0)" ] || { echo "it was removed"; return 1; }
  let_go
  [ "$status" -eq 0 ] || { cat err; return 1; }
  no_temporaries tree
  has_sframe tree/small
  has_sframe tree/other
}
