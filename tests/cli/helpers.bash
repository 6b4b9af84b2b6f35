# What the command line tests share.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

# Go to a folder of this test's own, below bats's, which has bats's files.  What
# programs keep in the user's cache is there, too.
own_folder ()
{
  # bats has a trap for each command, also inside functions: a loop takes fifteen
  # times as long.  A failure names the line of the test, and not the function's
  # unless $TRACE_FUNCTIONS is set.
  [ -n "${TRACE_FUNCTIONS-}" ] || set +T
  export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
  children=()
  mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return 1
}

setup ()
{
  own_folder
}

# Processes whose numbers are in $children are killed at the end of the test.
end_children ()
{
  [ "${#children[@]}" -eq 0 ] || kill -9 "${children[@]}" 2>/dev/null || true
}

teardown ()
{
  end_children
}

# within_a_minute COMMAND...: wait until it succeeds.
within_a_minute ()
{
  local tries=0
  until "$@" 2>/dev/null; do
    [ $((tries += 1)) -lt 1200 ] || { echo "not within a minute: $*"; return 1; }
    sleep 0.05
  done
}

# has_ended PID: whether the process has ended, its exit status asked for or not.
has_ended ()
{
  ! grep -q '^State:.[^Z]' "/proc/$1/status" || return 1
}

# needs PROGRAM...: skip the test unless all are installed.
needs ()
{
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || skip "$program not found"
  done
}

# Skip the test where strace cannot trace.
needs_strace ()
{
  needs strace
  strace -o /dev/null -e trace=none true 2>/dev/null \
    || skip "strace does not work here"
}

# Skip the test unless the compiler's code is for x86-64.
needs_x86_64_compiler ()
{
  [ "$("${CC:-cc}" -dumpmachine | cut -d- -f1)" = x86_64 ] \
    || skip "the compiler is not for x86-64"
}

# The file of a command: the system's, even if PATH has a script of that name
# in front of it.
program_file ()
{
  readlink -f "$(PATH=/usr/bin:/bin:$PATH command -v "$1")"
}

# Python's module debian, which only Debian's Python has: that is $debian_python.
# Asked for once in a file of tests: it takes as long as half a conversion of a
# package.
needs_debian_module ()
{
  local found=$BATS_FILE_TMPDIR/debian-python
  if [ ! -e "$found" ]; then
    debian_python=$(program_file python3)
    "$debian_python" -c 'import debian.deb822' 2>/dev/null \
      || skip "python3-debian not found"
    echo "$debian_python" >"$found"
  fi
  read -r debian_python <"$found"
}

# json_is DEFINITION [whole]: standard input is what the schema says.  With
# "each" every line has its definition's name in front.
json_is ()
{
  needs python3
  python3 "$srcdir/tests/cli/json_check.py" \
    "$srcdir/doc/formats/cfi2sframe.schema.json" "$@"
}

# The file that the dynamic loader takes for a library name.
library_file ()
{
  local line
  line=$(/sbin/ldconfig -p | grep -F "x86-64" | grep -F "$1 ")
  readlink -f "${line##*=> }"
}

# by_makepkg FOLDER: build the PKGBUILD in there.  The package comes into the
# folder, and the file log, which is printed if makepkg fails.  makepkg does not run
# as root, and somebody else may not enter our folder.
by_makepkg ()
{
  local user=() place
  place=$(mktemp -d /tmp/cfi2sframe-test.XXXXXX)
  cp "$1"/* "$place"
  if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$place"
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  fi
  (cd "$place" && HOME=$place PKGEXT=.pkg.tar.zst CARCH=$(uname -m) \
    "${user[@]}" makepkg -d >log 2>&1) || cat "$place/log"
  find "$place" -maxdepth 1 \( -name '*.pkg.tar.zst' -o -name log \) \
    -exec cp -t "$1" {} +
  rm -rf "$place"
}

# Copy FILE to TARGET, writable.
copy ()
{
  cp "$1" "$2" && chmod u+w "$2"
}

checksum ()
{
  sha256sum <"$1"
}

# Every process that a test starts takes some milliseconds, and the shell's own,
# $(...) and a pipe, take as long as programs.  What follows is run for each
# conversion of each test, so that there are none that could be left out.

# text_of VARIABLE COMMAND...: what it writes to standard output, as with $(...).
# Its exit status is this one's.
text_of ()
{
  local text_file=$BATS_TEST_TMPDIR/text-$BASHPID text_status=0
  "${@:2}" >"$text_file" || text_status=$?
  read_text "$1" "$text_file"
  return $text_status
}

# read_text VARIABLE FILE: as VARIABLE=$(<FILE), which starts a process.
read_text ()
{
  local text_parts IFS=
  mapfile -d '' text_parts <"$2"
  text_parts=${text_parts[*]}
  while [[ $text_parts == *$'\n' ]]; do
    text_parts=${text_parts%$'\n'}
  done
  printf -v "$1" %s "$text_parts"
}

# capture PROGRAM...: as "run --separate-stderr", for a program.
capture ()
{
  local to=$BATS_TEST_TMPDIR/stdout-$BASHPID errors=$BATS_TEST_TMPDIR/stderr-$BASHPID
  status=0
  "$@" >"$to" 2>"$errors" || status=$?
  read_text output "$to"
  # Without what is white at its ends, as bats has it.
  read -d '' -r stderr <"$errors" || true
  IFS=$'\n' read -d '' -r -a lines <<<"$output" || true
  IFS=$'\n' read -d '' -r -a stderr_lines <<<"$stderr" || true
}

# once COMMAND [ARGUMENT]...: what it makes in an empty folder, in this one.  It is
# run once in a file of tests, and the tests that follow get copies of its files.
once ()
{
  local made=$* here=$PWD
  # rpmbuild takes no folder with a space in its name.
  made=$BATS_FILE_TMPDIR/once/${made//[\/ ]/%}
  if [ ! -d "$made" ]; then
    # A test that failed or was skipped meanwhile has left half of it.
    rm -rf "$made.begun"
    mkdir -p "$made.begun"
    cd "$made.begun" || return 1
    # Behind || a command that fails would not end COMMAND.
    "$@"
    cd "$here" || return 1
    mv "$made.begun" "$made"
  fi
  cp -a --remove-destination "$made/." .
}

# The names of all files in and below the current directory, in $names.
all_names ()
{
  local IFS=$'\n' files
  shopt -s globstar dotglob
  files=(**)
  shopt -u globstar dotglob
  names=${files[*]}
}

# remember FILE: for `is_unchanged FILE', which also says that the current
# directory has the same files as before.
remember ()
{
  cp --remove-destination -- "$1" "$BATS_TEST_TMPDIR/remembered"
  all_names
  remembered_names=$names
}

is_unchanged ()
{
  cmp -- "$1" "$BATS_TEST_TMPDIR/remembered" && all_names \
    && [ "$names" = "$remembered_names" ]
}

# A small program with a few shapes of frames: leaf, callee with saved registers,
# variable frame size, a cold path.
IFS= read -r -d '' small_source <<'END' || true
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__ ((noinline)) static int leaf (int a) { return a * 3; }
__attribute__ ((noinline)) static int
variable (int n)
{
  char *space = __builtin_alloca (n + 1);
  memset (space, 'x', n);
  space[n] = 0;
  return (int)strlen (space);
}
__attribute__ ((noinline)) static int
deep (int n)
{
  if (n > 1000)
    abort ();
  return n ? deep (n - 1) + leaf (n) : variable (9);
}
int
main (void)
{
  printf ("%d\n", deep (10));
  return 0;
}
END

# small_program [FILE [ARGUMENT]...]: compile that, from small.c.  With the same
# options it is compiled once in a file of tests; what an argument names that is no
# option may be another file the next time.
small_program ()
{
  local file=${1:-small} options=${*:2} made
  printf %s "$small_source" >small.c
  made=$BATS_FILE_TMPDIR/small-${CC##*/}${options//\//%}
  [[ " $options" != *" "[!-]* ]] || made=$file
  if [ "$made" = "$file" ] || [ ! -e "$made" ]; then
    "${CC:-cc}" -O2 -o "$made" small.c "${@:2}" || return
  fi
  [ "$made" = "$file" ] || cp --remove-destination "$made" "$file"
}

# Run the tool; output and stderr are in $output and $stderr, the exit status
# is in $status.
tool ()
{
  capture "$CFI2SFRAME" "$@"
}

# Run a command that sets $status, as tool does, with the arguments behind the
# first, which is the status wanted.
gives ()
{
  local wanted=$1
  shift
  "$@"
  [ "$status" -eq "$wanted" ] || report
}

# Run the tool, which must exit with the status that is the first argument.
exits ()
{
  gives "$1" tool "${@:2}"
}

# succeeds COMMAND...: run it; what it says is in $output.
succeeds ()
{
  run "$@"
  ended_well
}

# What was run exited with 0.
ended_well ()
{
  [ "$status" -eq 0 ] || { tail -n 30 <<<"$output"; return 1; }
}

# says PART...: what was run said this, one part behind the other.
says ()
{
  local rest=$output part
  for part in "$@"; do
    [[ $rest == *"$part"* ]] || { echo "$output"; return 1; }
    rest=${rest#*"$part"}
  done
}

# refuses_each PROGRAM FILE...: what was run said so, in a line of PROGRAM's for
# each of these.
refuses_each ()
{
  sed "s/^$1: \([^:]*\): ..*/\1/" <<<"$stderr" | diff - <(printf '%s\n' "${@:2}")
}

wrong_usage ()
{
  exits 2 "$@"
  [ -z "$output" ] || report
}

# The manual pages; each product has those of its own.
manual_pages ()
{
  find "$srcdir/doc/use" "$srcdir/prove" "$srcdir/stacks" "$srcdir/walk" \
    "$srcdir/contrib" -name '*.[1-9]' | LC_ALL=C sort
}

# cfi2sframe in PATH, as if installed.
program_in_path ()
{
  mkdir -p bin
  ln -sf "$CFI2SFRAME" bin/cfi2sframe
  PATH=$PWD/bin:$PATH
}

# make_deb FILE FOLDER FIELD...: a Debian package of what is in FOLDER.
make_deb ()
{
  mkdir -p "$2/DEBIAN"
  printf '%s\n' "${@:3}" "Maintainer: Nobody <nobody@localhost.invalid>" \
    "Description: test" >"$2/DEBIAN/control"
  dpkg-deb --root-owner-group -z1 -b "$2" "$1" >/dev/null
}

# The configuration is standard input.
configure ()
{
  cat >cfi2sframe.conf
  export CFI2SFRAME_CONFIG=$PWD/cfi2sframe.conf
}

# only_files FILES...: the current directory has these and no temporary file.
only_files ()
{
  local expected found
  expected=$(printf '%s\n' "$@" | sort)
  found=$(ls -A)
  [ "$found" = "$expected" ] || { echo "found: $found"; return 1; }
}

# A program that calls the address it is given, or goes there without a call:
# ./wild ADDRESS [handle [jump]].
wild_program ()
{
  cat >wild.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static void (*volatile pointer) (void);
volatile unsigned long count;
/* Waits, or is busy for BUSY seconds of its own time.  */
static void
handler (int n)
{
  (void)n;
  puts ("ready");
  fflush (stdout);
  while (getenv ("BUSY") == NULL)
    usleep (1000);
  while (clock () < atof (getenv ("BUSY")) * CLOCKS_PER_SEC)
    for (unsigned i = 0; i < 1000000; i++)
      count++;
  _exit (0);
}
__attribute__ ((noipa)) static int
caller (int n)
{
  char space[100];
  memset (space, n, sizeof space);
  pointer ();
  return space[n];
}
int
main (int argc, char **argv)
{
  pointer = (void (*) (void))strtoul (argv[1], NULL, 0);
  if (argc > 2)
    signal (SIGSEGV, handler);
#ifdef __x86_64__
  /* On top of the stack is the address of code, but no call ends there.  */
  if (argc > 3)
    __asm__ volatile ("push %0; jmp *%1" : : "r" (main), "r" (pointer));
#endif
  return caller (argc);
}
END
  "${CC:-cc}" -g -O1 -fno-optimize-sibling-calls -o wild wild.c
}

report ()
{
  echo "status: $status"
  echo "stdout: $output"
  echo "stderr: $stderr"
  return 1
}

silent ()
{
  [ -z "$output" ] && [ -z "$stderr" ] || report
}

# The tool refuses FILE in one line on stderr, exits with 1 and leaves it and
# its directory as they were.
refused ()
{
  local file=$1 lines_in_it
  shift
  remember "$file"
  exits 1 "$@" "$file"
  [ -z "$output" ] || report
  mapfile lines_in_it <<<"$stderr"
  [ "${#lines_in_it[@]}" -eq 1 ] || report
  # What is at fault may be another file.
  [[ $stderr == "cfi2sframe: $file: "?* || $stderr == "cfi2sframe: "?*" (for $file)" ]] \
    || report
  is_unchanged "$file"
}

# The tool finds nothing to do in FILE: no word, exit status 0, unchanged.
skipped ()
{
  local file=$1
  shift
  remember "$file"
  exits 0 "$@" "$file"
  silent
  is_unchanged "$file"
}

# Convert FILE in place, without a word.
convert ()
{
  exits 0 "$@"
  silent
}

# Offset and size of section NAME in FILE, as two decimal numbers.
section ()
{
  local table number=[0-9a-f]+
  text_of table readelf -SW "$1" 2>/dev/null || true
  [[ $table =~ \]\ "$2"\ +[^\ ]+\ +$number\ ($number)\ ($number)\  ]] \
    && echo $((16#${BASH_REMATCH[1]})) $((16#${BASH_REMATCH[2]}))
}

# The little-endian number of SIZE bytes at OFFSET of FILE.
peek ()
{
  local number
  text_of number od -An -v -j "$2" -N "$3" -t "u$3" "$1"
  printf %s "${number// /}"
}

# Overwrite bytes of FILE at OFFSET; the others are hexadecimal.
poke ()
{
  local file=$1 offset=$2 byte
  shift 2
  for byte in "$@"; do
    printf '%b' "\\x$byte"
  done | dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
}

has_sframe ()
{
  local headers
  text_of headers readelf -SlW "$1" 2>/dev/null || true
  # Sections may be of a type GNU_SFRAME, too.
  [[ ${headers%%"Program Headers:"*} == *" .sframe "* \
     && $headers =~ "Program Headers:".*(GNU_SFRAME|0x6474e554|LOOS\+0x474e554) ]]
}

# FILE is an ELF file, has no .sframe and no header for one.
no_sframe ()
{
  local headers
  text_of headers readelf -SlW "$1" 2>/dev/null || return 1
  [[ $headers != *" .sframe "* && $headers != *GNU_SFRAME* \
     && $headers != *0x6474e554* && $headers != *LOOS+0x474e554* ]]
}

# edit_sframe FILE CHANGE...: change headers of FILE's .sframe.  A change is KIND,
# FIELD and VALUE, with a dot between them: a field of its section header or program
# header, both by their number, becomes VALUE, or with a sign grows by that.
edit_sframe ()
{
  needs python3
  python3 - "$@" <<'END'
import struct
import sys
name, *changes = sys.argv[1:]
with open(name, "r+b") as file:
    data = bytearray(file.read())
    tables = struct.unpack_from("=QQ", data, 32)
    segments, = struct.unpack_from("=H", data, 56)
    sections, names = struct.unpack_from("=HH", data, 60)
    headers = {
        "segment": ("=IIQQQQQQ", next(
            at for at in range(tables[0], tables[0] + 56 * segments, 56)
            if struct.unpack_from("=I", data, at)[0] == 0x6474e554)),
        "section": ("=IIQQQQIIQQ", next(
            at for at in range(tables[1], tables[1] + 64 * sections, 64)
            if struct.unpack_from("=I", data, at + 4)[0] == 0x6ffffff4)),
    }
    for change in changes:
        kind, field, value = change.split(".")
        form, at = headers[kind]
        header = list(struct.unpack_from(form, data, at))
        old = header[int(field)] if value[0] in "+-" else 0
        header[int(field)] = old + int(value)
        struct.pack_into(form, data, at, *header)
    file.seek(0)
    file.write(data)
END
}

# Write the bytes of section NAME of FILE to standard output.
section_bytes ()
{
  local offset size
  read -r offset size < <(section "$1" "$2")
  tail -c +$((offset + 1)) "$1" | head -c "$size"
}

# The version of the .sframe in FILE.
version_of ()
{
  section_bytes "$1" .sframe | od -An -j 2 -N 1 -t u1 | tr -d ' '
}

build_id_of ()
{
  readelf -nW "$1" | sed -n 's/.*Build ID: *//p'
}

# The name below a folder of detached sections of FILE's.
detached_path_of ()
{
  local id
  id=$(build_id_of "$1")
  echo "${id:0:2}/${id:2}.sframe"
}

# sframe-prove, which asks libdw, finds nothing wrong with a file; if built.
is_proved ()
{
  [ ! -x "$builddir/prove/sframe-prove" ] || "$builddir/prove/sframe-prove" "$@"
}

# raw_cie: an .eh_frame for x86-64, in assembler, that begins with the CIE cie.
raw_cie ()
{
  cat <<'END'
	.section .eh_frame,"a",@progbits
cie:	.long 2f-1f
1:	.long 0
	.byte 1
	.asciz "zR"
	.uleb128 1
	.sleb128 -8
	.byte 16
	.uleb128 1
	.byte 0x1b
	.byte 0x0c,7,8
	.byte 0x90,1
	.balign 8
2:
END
}

# raw_fde START SIZE PROGRAM: an FDE of that; PROGRAM is directives of the assembler.
raw_fde ()
{
  cat <<END
	.long 2f-1f
1:	.long 1b-cie
	.long $1-.
	.long $2
	.byte 0
	$3
	.balign 8
2:
END
}

# After a failure that said "errors".
needs_analysis ()
{
  ! grep -q "cannot analyse" errors || skip "$(cat errors)"
  cat errors
  return 1
}

# A library with CFI that does not know of a push: 7 bytes are wrong.  Only builds
# with Zydis, and code for x86-64, have it.  It is made once in a file of tests.
wrong_library ()
{
  local made=$BATS_FILE_TMPDIR/wrong.so
  needs_x86_64_compiler
  cat >wrong.s <<'END'
	.globl	wrong
	.type	wrong, @function
wrong:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	push	%rbp
	mov	%rdi, %rbx
	mov	%rsi, %rbp
	pop	%rbp
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.globl	right
	.type	right, @function
right:	.cfi_startproc
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.globl	bare
	.type	bare, @function
bare:	push	%rbx
	mov	%rdi, %rbx
	call	helper
	pop	%rbx
	ret
helper:	sub	$24, %rsp
	mov	%rdi, (%rsp)
	add	$24, %rsp
	ret
	.section .note.GNU-stack, ""
END
  if [ ! -e "$made" ]; then
    "${CC:-cc}" -nostdlib -shared -o wrong.so wrong.s
    "$CFI2SFRAME" --lint -q wrong.so 2>errors || [ $? -eq 3 ] || needs_analysis
    cp wrong.so "$made"
  fi
  cp "$made" wrong.so
}
