#!/usr/bin/env bats
# The shared library as other programs meet it: what it exports, its header,
# the examples.
# SPDX-License-Identifier: LGPL-2.1-or-later

load helpers

needs_library ()
{
  library=$builddir/.libs/libcfi2sframe.so
  [ -f "$library" ] || skip "built without shared library"
}

@test "exactly the documented symbols are exported" {
  needs nm
  needs_library
  nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' \
    | LC_ALL=C sort >exported
  diff "$srcdir/tests/data/libcfi2sframe.symbols" exported
  # Each of them stands in the header and in the manual page.
  local name
  while read -r name; do
    grep -q "$name" "$srcdir/include/cfi2sframe.h"
    grep -q "$name" "$srcdir/doc/use/libcfi2sframe.3"
  done <exported
}

@test "soname and symbol version" {
  needs readelf
  needs_library
  readelf -dW "$library" | grep -q 'SONAME.*\[libcfi2sframe\.so\.1\]'
  # All of them: two versions of the library in one program stay apart.
  readelf -sW "$library" \
    | sed -n 's/.* \(cfi2sframe_[a-z_]*@@[A-Z0-9_]*\)$/\1/p' | sort -u >symbols
  [ "$(wc -l <symbols)" -eq "$(wc -l <"$srcdir/tests/data/libcfi2sframe.symbols")" ]
  ! grep -v '@@CFI2SFRAME_1$' symbols || return 1
}

@test "the library never prints and never exits" {
  needs nm
  needs_library
  nm -D --undefined-only "$library" | sed 's/@.*//' >undefined
  grep -qw 'U malloc' undefined
  local name
  for name in exit _exit abort puts printf __printf_chk perror err errx \
              stderr stdout; do
    run ! grep -qw "U $name" undefined
  done
}

# compile_with_library NAME [SOURCE]: as a user would, from NAME.c.
compile_with_library ()
{
  needs_library
  "${CC:-cc}" -std=gnu11 -Wall -Wextra -Werror -I"$srcdir/include" -o "$1" \
    "${2-$1.c}" -L"$builddir/.libs" -lcfi2sframe -lsframewalk
  export LD_LIBRARY_PATH=$builddir/.libs
}

example ()
{
  compile_with_library "$1" "$srcdir/doc/use/examples/$1.c"
}

@test "libcfi2sframe(3): every member of the structures is named" {
  local structure
  for structure in error options report check_result compare_result \
                   difference lint_result finding; do
    sed -n "/^struct cfi2sframe_$structure\$/,/^}/p" "$srcdir/include/cfi2sframe.h" \
      | sed -E 's|/\*.*||; s/\[[^]]*\]//g; s/\(\*([a-z_]+)\) \(.*/\1;/' \
      | sed -nE 's/^  (const )?(struct |enum )?[a-z0-9_]+ (.*);.*/\3/p' \
      | tr -d ' *' | tr ',' '\n' >members
    [ -s members ]
    # The members of another structure may have the same name.
    sed -n "/^\.SS \"*struct cfi2sframe_$structure\"*\$/,/^\.SH/p" "$srcdir/doc/use/libcfi2sframe.3" \
      | sed '1d; s/\\-/-/g' | sed '/^\.SS/,$d' | grep -E '^\.BR?( |$)' >page
    run awk -v structure="$structure" '
      NR == FNR { line[NR] = $0; n = NR; next }
      { for (i = 1; i <= n; i++)
          if (line[i] ~ "^\\.BR?( .*[ \",])? ?" $0 "( |$)") next
        print "struct cfi2sframe_" structure ": " $0 }' page members
    [ -z "$output" ] || report
  done
}

@test "libcfi2sframe(3): the example compiles and does what it says" {
  needs_library
  sed -n '/^#include <cfi2sframe.h>$/,/^\.fi/p' "$srcdir/doc/use/libcfi2sframe.3" \
    | sed '1,/^\.fi/!d; /^\.fi/d; s/\\-/-/g; s/\\e/\\/g' >page.c
  grep -q '^main' page.c
  compile_with_library page
  small_program
  run ./page small
  [ "$status" -eq 0 ] || report
  [[ $output =~ ^[1-9][0-9]*\ of\ [1-9][0-9]*\ functions ]] || report
  has_sframe small
  run ./page small
  [ "$status" -eq 0 ] || report
  [[ $output == "small: has an .sframe already" ]] || report
}

@test "bytes that are no ELF file leave the variables for a section as they are" {
  needs_library
  cat >none.c <<'END'
#include <cfi2sframe.h>
int
main (void)
{
  static const char bytes[] = "#!/bin/sh";
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct cfi2sframe_error err;
  void *section = &err;
  size_t size = 1;
  uint64_t address = 1;
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  bool made = cfi2sframe_build_section (bytes, sizeof bytes, &options, &section,
                                        &size, &address, &report, &err);
  return made || err.status != CFI2SFRAME_NOT_ELF || section != &err
         || size != 1 || address != 1;
}
END
  compile_with_library none
  ./none
}

@test "the manual explains every reason and every known mistake of GNU" {
  needs_library
  cat >names.c <<'END'
#include <cfi2sframe.h>
int
main (void)
{
  for (unsigned i = 1; cfi2sframe_reason_name (i) != NULL; i++)
    printf ("reason %s\n", cfi2sframe_reason_name (i));
  for (unsigned i = 1; cfi2sframe_defect_name (i) != NULL; i++)
    printf ("defect %s\n", cfi2sframe_defect_name (i));
  return 0;
}
END
  compile_with_library names
  ./names >list
  local kind
  for kind in reason defect; do
    sed -n "s/^$kind //p" list | LC_ALL=C sort >in-code-$kind
    [ "$(wc -l <in-code-$kind)" -ge 8 ]
  done
  sed -n '/^@node Left out/,/^@node Injection/s/^@itemx\{0,1\} \([a-z-]*\)$/\1/p' \
    "$srcdir/doc/use/cfi2sframe.texi" | LC_ALL=C sort >in-manual
  diff in-code-reason in-manual
  while read -r kind; do
    grep -qE "[({]$kind\b" "$srcdir/doc/use/differences.texi" \
      || { echo "differences.texi: $kind"; return 1; }
  done <in-code-defect
}

# As compiled with the header of another version: the structure is a member
# shorter or longer, and what the library takes for its own may be garbage.
@test "callers that know fewer or more options or results get what they know, no byte more" {
  needs_library
  cat >caller.c <<'END'
#include <cfi2sframe.h>
#include <stdlib.h>
static struct cfi2sframe_error err;
static char *bytes;
static size_t size;
static bool
convert (const struct cfi2sframe_options *options, void *result)
{
  return cfi2sframe_convert ("in", "out", options, result, &err);
}
static bool
write_section (const struct cfi2sframe_options *options, void *result)
{
  return cfi2sframe_write_section ("in", "out", options, result, &err);
}
static bool
build_section (const struct cfi2sframe_options *options, void *result)
{
  void *section;
  size_t length;
  uint64_t address;
  if (!cfi2sframe_build_section (bytes, size, options, &section, &length,
                                 &address, result, &err))
    return false;
  free (section);
  return true;
}
static bool
undo (const struct cfi2sframe_options *options, void *result)
{
  (void)result;
  return cfi2sframe_undo ("converted", "out", options, &err);
}
static bool
take_away (const struct cfi2sframe_options *options, void *result)
{
  (void)result;
  return cfi2sframe_remove ("converted", "out", options, &err);
}
static bool
check (const struct cfi2sframe_options *options, void *result)
{
  (void)options;
  return cfi2sframe_check ("converted", result, &err);
}
static bool
compare (const struct cfi2sframe_options *options, void *result)
{
  (void)options;
  return cfi2sframe_compare ("converted", "converted", NULL, NULL, result,
                             &err);
}
static bool
lint (const struct cfi2sframe_options *options, void *result)
{
  (void)options;
  return cfi2sframe_lint ("in", NULL, NULL, result, &err)
         || err.status == CFI2SFRAME_UNSUPPORTED; /* built without */
}
static const struct call
{
  const char *name;
  bool (*call) (const struct cfi2sframe_options *options, void *result);
  bool has_options;
  size_t result; /* its size; 0: there is none */
} calls[] = {
  { "convert", convert, true, sizeof (struct cfi2sframe_report) },
  { "write_section", write_section, true, sizeof (struct cfi2sframe_report) },
  { "build_section", build_section, true, sizeof (struct cfi2sframe_report) },
  { "undo", undo, true, 0 },
  { "remove", take_away, true, 0 },
  { "check", check, false, sizeof (struct cfi2sframe_check_result) },
  { "compare", compare, false, sizeof (struct cfi2sframe_compare_result) },
  { "lint", lint, false, sizeof (struct cfi2sframe_lint_result) },
};
static const size_t wrong[] = { 0, 8, 5000, (size_t)-1 };
enum
{
  N_WRONG = sizeof wrong / sizeof *wrong,
  ROOM = 8192
};
static int n_right;
/* What CALL did with a structure of SIZE bytes.  */
static void
expect (bool right, const struct call *call, const char *what, size_t known)
{
  if (right)
    n_right++;
  else
    printf ("%s, %s of %zu bytes: %s\n", call->name, what, known, err.reason);
}
static void
try_options (const struct call *call)
{
  static struct cfi2sframe_report report;
  static union
  {
    struct cfi2sframe_options options;
    unsigned char bytes[sizeof (struct cfi2sframe_options) + 8];
  } own;
  cfi2sframe_report_init (&report);
  for (size_t known = offsetof (struct cfi2sframe_options, no_share);
       known <= sizeof own; known++)
    {
      memset (&own, 0, sizeof own);
      own.options.size = known;
      if (known < sizeof own.options)
        memset (own.bytes + known, 1, sizeof own - known);
      expect (call->call (&own.options, &report), call, "options", known);
      if (known <= sizeof own.options)
        continue;
      own.bytes[known - 1] = 1;
      expect (!call->call (&own.options, &report)
                  && err.status == CFI2SFRAME_INVALID,
              call, "unknown options", known);
    }
  for (size_t i = 0; i < N_WRONG; i++)
    {
      own.options.size = wrong[i];
      expect (!call->call (&own.options, &report)
                  && err.status == CFI2SFRAME_INVALID,
              call, "options", wrong[i]);
    }
}
static union
{
  size_t size;
  unsigned char bytes[ROOM];
} given, whole;
static bool
all (size_t from, size_t to, unsigned char byte)
{
  while (from < to && given.bytes[from] == byte)
    from++;
  return from >= to;
}
static struct cfi2sframe_options options;
static bool
call_with (const struct call *call, size_t known)
{
  memset (&given, 0xa5, sizeof given);
  given.size = known;
  return call->call (&options, &given);
}
static void
try_results (const struct call *call)
{
  size_t own = call->result;
  expect (call_with (call, own) && !all (sizeof (size_t), own, 0), call,
          "result", own);
  whole = given;
  /* Where members end, and in the middle of them.  */
  for (size_t known = 2 * sizeof (size_t); known <= own + 16; known += 4)
    {
      size_t both = known < own ? known : own;
      bool done = call_with (call, known);
      expect (done && given.size == known
                  && memcmp (given.bytes + sizeof known,
                             whole.bytes + sizeof known, both - sizeof known)
                         == 0
                  && all (own, known, 0) && all (known, ROOM, 0xa5),
              call, "result", known);
    }
  for (size_t i = 0; i < N_WRONG; i++)
    expect (!call_with (call, wrong[i]) && err.status == CFI2SFRAME_INVALID
                && given.size == wrong[i]
                && all (sizeof (size_t), ROOM, 0xa5),
            call, "result", wrong[i]);
  expect (!call->call (&options, NULL) && err.status == CFI2SFRAME_INVALID,
          call, "no result", 0);
}
int
main (void)
{
  FILE *file = fopen ("in", "rb");
  fseek (file, 0, SEEK_END);
  size = (size_t)ftell (file);
  rewind (file);
  bytes = malloc (size);
  if (fread (bytes, 1, size, file) != size)
    return 1;
  cfi2sframe_options_init (&options);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    {
      if (calls[i].has_options)
        try_options (&calls[i]);
      if (calls[i].result > 0)
        try_results (&calls[i]);
    }
  printf ("%d right\n", n_right);
  return 0;
}
END
  compile_with_library caller
  small_program in
  convert -o converted in
  run ./caller
  [[ $output =~ ^([0-9]+)" right"$ ]] || report
  [ "${BASH_REMATCH[1]}" -ge 2000 ] || report
}

@test "what is said of a file that changes meanwhile is a failure" {
  needs_library
  cat >changing.c <<'END'
#include <cfi2sframe.h>
static void
change (void *context, const struct cfi2sframe_difference *difference)
{
  (void)difference;
  FILE *file = fopen (context, "a");
  fputc (0, file);
  fclose (file);
}
int
main (int argc, char **argv)
{
  struct cfi2sframe_compare_result result;
  struct cfi2sframe_error err;
  cfi2sframe_compare_result_init (&result);
  bool equal = cfi2sframe_compare (argv[1], argv[2], argc > 3 ? change : NULL,
                                   argv[2], &result, &err);
  printf ("%d %s\n", err.status == CFI2SFRAME_IO, equal ? "equal" : err.reason);
  return 0;
}
END
  compile_with_library changing
  small_program one
  cp one two
  convert one
  convert --format=2 two
  printf '\377' | dd of=two bs=1 conv=notrunc status=none \
    seek=$(($(readelf -SW two | sed -n 's/.* \.sframe *[^ ]* *[^ ]* \([^ ]*\) .*/0x\1/p') + 28 + 4))
  run ./changing one two
  [[ $output != 1* ]] || { echo "$output"; return 1; }
  run ./changing one two change
  [[ $output == "1 "* ]] || { echo "$output"; return 1; }
}

@test "example from_memory: the same section as the program's" {
  example from_memory
  small_program
  run ./from_memory small
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  convert --section-only=section small
  run ./from_memory small
  [[ $output == "$(stat -c %s section) bytes for address 0x"* ]] \
    || { echo "$output"; return 1; }
  echo text >text
  run ./from_memory text
  [ "$status" -eq 1 ]
}

@test "example lookup: finds itself after conversion" {
  example lookup
  run ./lookup
  [ "$status" -eq 1 ]
  convert lookup
  run ./lookup
  [ "$status" -eq 0 ]
  [[ $output == "main: CFA = r"*" RA = "* ]] \
    || { echo "$output"; return 1; }
  for format in 2 2.0 1; do
    convert --replace --format=$format lookup
    run ./lookup
    [ "$status" -eq 0 ]
  done
}

@test "the header compiles as C11, C++11 and C++20, alone" {
  echo '#include <cfi2sframe.h>' >header.c
  "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror \
    -I"$srcdir/include" -fsyntax-only header.c
  needs g++
  for standard in c++11 c++20; do
    g++ -std=$standard -x c++ -Wall -Wextra -Wpedantic -Werror \
      -I"$srcdir/include" -fsyntax-only header.c
  done
}

@test "an installed library is found by pkg-config" {
  needs pkg-config make
  needs_library
  [ -w "$builddir" ] || skip "the build folder is read-only"
  make -s -C "$builddir" install DESTDIR="$PWD/x" >log 2>&1 \
    || { cat log; return 1; }
  local directory
  directory=$(dirname "$(find x -name cfi2sframe.pc)")
  export PKG_CONFIG_PATH=$PWD/$directory PKG_CONFIG_SYSROOT_DIR=$PWD/x
  # The examples are installed; each compiles from where it is and runs.
  local examples source
  examples=$(find x -type d -name examples)
  mapfile -t source < <(find "$examples" -name '*.c' | sort)
  [ "${#source[@]}" -eq "$(find "$srcdir"/doc/use/examples "$srcdir"/walk/examples -name '*.c' | wc -l)" ]
  [ "${#source[@]}" -ge 2 ]
  mkdir built
  for source in "${source[@]}"; do
    # shellcheck disable=SC2046
    "${CC:-cc}" -Wall -Wextra -Werror -o "built/$(basename "$source" .c)" \
      "$source" $(pkg-config --cflags --libs cfi2sframe sframewalk)
  done
  export LD_LIBRARY_PATH=${PWD}/${directory%/pkgconfig}
  convert built/lookup
  built/lookup | grep '^main: CFA = '
  built/from_memory built/from_memory | grep ' functions, .* rows$'
  [ "$(pkg-config --modversion cfi2sframe)" = \
    "$("$CFI2SFRAME" --version | awk '{ print $2 }')" ]
  # Whoever links statically needs all that the library needs.
  local needed static
  static=" $(pkg-config --libs --static cfi2sframe) "
  needed=$(readelf -dW "$(find x -name 'libcfi2sframe.so.*' -type f)" \
    | sed -n 's/.*(NEEDED).*\[lib\(.*\)\.so\..*/\1/p' | grep -vx -e c -e pthread)
  [[ $needed == *dwarf* ]]
  for name in $needed; do
    [[ $static == *" -l$name "* ]] || { echo "$name: $static"; return 1; }
  done
  # Documents are installed in one folder, and link to each other there.
  local document link
  find x -path '*/doc/*' -name '*.md' >documents
  grep -q 'README\.md$' documents
  while read -r document; do
    for link in $(grep -oE '\]\([^):#]+' "$document" | cut -c 3-); do
      [ -e "$(dirname "$document")/$link" ] || { echo "$document: $link"; return 1; }
    done
  done <documents
}

@test "libsframewalk: needs the C library only, exports what its manual names" {
  local library=$builddir/.libs/libsframewalk.so
  readelf -dW "$library" >dynamic
  grep -q 'SONAME.*\[libsframewalk\.so\.0\]' dynamic
  # Sanitizers and musl have names of their own for the C library.
  run ! grep -E 'NEEDED.*(dwarf|elf|xxhash|Zydis|cfi2sframe)' dynamic
  nm -D --defined-only "$library" | sed -n 's/.* T \([^@]*\).*/\1/p' \
    | LC_ALL=C sort >exported
  grep -q '^sfw_walk$' exported
  run ! grep -v '^sfw_' exported
  while read -r name; do
    grep -q "$name" "$srcdir/walk/libsframewalk.3"
    # A source tarball has no debian/.
    [ ! -d "$srcdir/debian" ] \
      || grep -q " $name@SFRAMEWALK_0 " "$srcdir/debian/libsframewalk0.symbols"
  done <exported
}

@test "sframewalk.h: C++ programs include it and link" {
  command -v g++ >/dev/null || skip "no C++ compiler"
  printf '%s\n' '#include <sframewalk.h>' \
    'int main () { return sfw_end_text (SFW_MEMORY) == nullptr; }' >prog.cc
  g++ -Wall -Wextra -Werror -I"$srcdir/include" -o prog prog.cc \
    -L"$builddir/.libs" -lsframewalk
  LD_LIBRARY_PATH=$builddir/.libs ./prog
}

# The first frame of a coroutine starts at the first byte of __start_context.
@test "libsframewalk: a coroutine starts where makecontext says" {
  cat >coroutine.c <<'END'
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <sframewalk.h>
extern char __start_context[];
static ucontext_t first, second;
static struct sfw_walker *walker;
static uint64_t addresses[64];
static uint8_t marks[64];
__attribute__ ((noipa)) static void
walks (size_t max)
{
  size_t n = sfw_here (walker, addresses, marks, max, NULL);
  for (size_t i = 0; i < n; i++)
    if (addresses[i] == (uintptr_t)__start_context
        || marks[i] == SFW_MARK_NO_CALL)
      printf ("%zu %" PRIx64 " %d\n", i, addresses[i], marks[i]);
}
static void
coroutine (void)
{
  walks (64);
  walks (64);
  walks (3);
}
int
main (void)
{
  struct sfw_modules *modules = sfw_modules_new ();
  walker = sfw_walker_init (malloc (sfw_walker_size ()), sfw_walker_size (),
                            modules);
  if (!sfw_modules_update (modules) || !sfw_walker_set_thread (walker))
    return 1;
  getcontext (&second);
  second.uc_stack.ss_sp = malloc (65536);
  second.uc_stack.ss_size = 65536;
  second.uc_link = &first;
  makecontext (&second, coroutine, 0);
  return swapcontext (&first, &second);
}
END
  "${CC:-cc}" -g -O1 -static -I"$srcdir/include" -o coroutine coroutine.c \
    "$builddir/.libs/libwalk.a" || skip "no static libc with __start_context"
  "$CFI2SFRAME" -q coroutine
  ./coroutine >walked
  local start
  start=$(nm coroutine | sed -n 's/^0*\(.*\) T __start_context$/\1/p')
  printf "2 $start 4\n%.0s" 1 2 3 | diff - walked
}
