# What the command line tests share.
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

# Go to a folder of this test's own, below bats's, which has bats's files.  What
# programs keep in the user's cache is there, too.
own_folder ()
{
  export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
  mkdir "$BATS_TEST_TMPDIR/work" && cd "$BATS_TEST_TMPDIR/work" || return 1
}

setup ()
{
  own_folder
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

# Python's module debian, which only Debian's Python has.  Asked for once in a
# file of tests: that takes as long as half a conversion of a package.
needs_debian_module ()
{
  local found=$BATS_FILE_TMPDIR/has-debian-module
  if [ ! -e "$found" ]; then
    "$(program_file python3)" -c 'import debian.deb822' 2>/dev/null \
      || skip "python3-debian not found"
    : >"$found"
  fi
}

# json_is DEFINITION [whole]: standard input is what the schema says.
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
# folder, and the file log.  makepkg does not run as root, and somebody else may
# not enter our folder.
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
    "${user[@]}" makepkg -d >log 2>&1) || true
  cp "$place"/*.pkg.tar.zst "$place/log" "$1" || true
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

# small_program [FILE [ARGUMENT]...]: a small program with a few shapes of
# frames: leaf, callee with saved registers, variable frame size, a cold path.
# Most tests want the plain one, so that is compiled once in a file of tests.
small_program ()
{
  cat >small.c <<'END'
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
  local plain="$BATS_FILE_TMPDIR/small-${CC##*/}"
  if [ $# -gt 1 ]; then
    "${CC:-cc}" -O2 -o "$1" small.c "${@:2}"
  elif [ -e "$plain" ] || "${CC:-cc}" -O2 -o "$plain" small.c; then
    cp --remove-destination "$plain" "${1:-small}"
  fi
}

# Run the tool; output and stderr are in $output and $stderr, the exit status
# is in $status.
tool ()
{
  run --separate-stderr "$CFI2SFRAME" "$@"
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
  found=$(find . -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)
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
/* Waits, or is busy for a second of its own time.  */
static void
handler (int n)
{
  (void)n;
  puts ("ready");
  fflush (stdout);
  while (getenv ("BUSY") == NULL)
    usleep (1000);
  while (clock () < CLOCKS_PER_SEC)
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
  local file=$1 before files
  shift
  before=$(checksum "$file")
  files=$(find . | sort)
  exits 1 "$@" "$file"
  [ -z "$output" ] || report
  [ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ] || report
  # What is at fault may be another file.
  [[ $stderr == "cfi2sframe: $file: "?* || $stderr == "cfi2sframe: "?*" (for $file)" ]] \
    || report
  [ "$(checksum "$file")" = "$before" ]
  [ "$(find . | sort)" = "$files" ]
}

# The tool finds nothing to do in FILE: no word, exit status 0, unchanged.
skipped ()
{
  local file=$1 before files
  shift
  before=$(checksum "$file")
  files=$(find . | sort)
  exits 0 "$@" "$file"
  silent
  [ "$(checksum "$file")" = "$before" ]
  [ "$(find . | sort)" = "$files" ]
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
  readelf -SW "$1" 2>/dev/null | sed 's/^ *\[ *[0-9]*\] *//' \
    | awk -v name="$2" '$1 == name { print $4, $5 }' \
    | { read -r offset size && echo $((16#$offset)) $((16#$size)); }
}

# The little-endian number of SIZE bytes at OFFSET of FILE.
peek ()
{
  od -An -v -j "$2" -N "$3" -t "u$3" "$1" | tr -d ' \n'
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
  readelf -SW "$1" 2>/dev/null | grep -q ' \.sframe ' || return 1
  readelf -lW "$1" 2>/dev/null \
    | grep -q -e 'GNU_SFRAME' -e '0x6474e554' -e 'LOOS+0x474e554'
}

# FILE is an ELF file, has no .sframe and no header for one.
no_sframe ()
{
  local headers
  headers=$(readelf -SlW "$1" 2>/dev/null) || return 1
  [[ $headers != *" .sframe "* && $headers != *GNU_SFRAME* \
     && $headers != *0x6474e554* && $headers != *LOOS+0x474e554* ]]
}

# Write the bytes of section NAME of FILE to standard output.
section_bytes ()
{
  local offset size
  read -r offset size < <(section "$1" "$2")
  tail -c +$((offset + 1)) "$1" | head -c "$size"
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
