/* Memory runs out, at every allocation in turn: that is what is reported, and
   no file is half made.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Our own calls of the allocator fail, not those of libelf and libdwarf.  */

#include <config.h>

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cfi2sframe.h"
#include "failing_allocations.h"
#include "tests/unit_test.h"

/* One of the library's functions, from INPUT to OUTPUT.  */
typedef bool work (const char *input, const char *output,
                   struct cfi2sframe_error *err);

static char folder[] = "/tmp/cfi2sframe-memory-XXXXXX";
static char original[80], converted[80], output[80];
static char split[80]; /* separate debug file of the original */
static char linked[1000], large[1000], object[1000], foreign[1000];
static char s390x[1000];
static char debug[1000], followed[80];

/* The contents of a file, *SIZE bytes; NULL when there is none.  */
static char *
contents (const char *path, size_t *size)
{
  FILE *file = fopen (path, "rb");
  *size = 0;
  if (file == NULL)
    return NULL;
  struct stat status;
  assert_int_equal (fstat (fileno (file), &status), 0);
  char *bytes = malloc ((size_t)status.st_size + 1);
  *size = fread (bytes, 1, (size_t)status.st_size, file);
  fclose (file);
  return bytes;
}

static void
copy_file (const char *from, const char *to)
{
  size_t size;
  char *bytes = contents (from, &size);
  assert_non_null (bytes);
  FILE *file = fopen (to, "wb");
  assert_non_null (file);
  assert_int_equal (fwrite (bytes, 1, size, file), size);
  fclose (file);
  free (bytes);
}

/* Write FROM to TO as a separate debug file: the sections of code have no
   contents any more.  */
static void
make_debug_file (const char *from, const char *to)
{
  size_t size;
  char *bytes = contents (from, &size);
  assert_non_null (bytes);
  const Elf64_Ehdr *header = (const void *)bytes;
  Elf64_Shdr *sections = (void *)(bytes + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_flags & SHF_EXECINSTR)
      {
        sections[i].sh_type = SHT_NOBITS;
        memset (bytes + sections[i].sh_offset, 0, sections[i].sh_size);
      }
  FILE *file = fopen (to, "wb");
  assert_non_null (file);
  assert_int_equal (fwrite (bytes, 1, size, file), size);
  fclose (file);
  free (bytes);
}

/* PATH is a file with these contents; NULL: there is no such file.  */
static void
expect_contents (const char *path, const char *expected, size_t size)
{
  size_t got_size;
  char *got = contents (path, &got_size);
  assert_true ((got == NULL) == (expected == NULL));
  if (got != NULL)
    {
      assert_int_equal (got_size, size);
      assert_memory_equal (got, expected, size);
    }
  free (got);
}

/* Without memory for it, equal rows may be stored twice.  They stay right.  */
static void
expect_right_rows (const char *path)
{
  struct cfi2sframe_check_result result;
  struct cfi2sframe_error err = { 0 };
  cfi2sframe_check_result_init (&result);
  assert_true (cfi2sframe_check (path, &result, &err)
               || err.status != CFI2SFRAME_MISMATCH);
}

/* BEFORE is copied to the output first, or NULL: there is none.  */
static void
prepare (const char *before)
{
  unlink (output);
  if (before != NULL)
    copy_file (before, output);
}

static void
run_out_everywhere (work *function, const char *input, const char *before)
{
  struct cfi2sframe_error err;
  size_t size, old_size = 0;
  char *old = before != NULL ? contents (before, &old_size) : NULL;
  prepare (before);
  if (!function (input, output, &err))
    fail_msg ("%s", err.reason);
  char *expected = contents (output, &size);
  unsigned failures = 0;
  for (unsigned n = 0; n == 0 || allocation_failed; n++)
    {
      prepare (before);
      allocations_granted = n;
      allocation_failed = false;
      bool ok = function (input, output, &err);
      allocations_granted = UINT_MAX;
      if (!ok)
        {
          assert_true (allocation_failed);
          if (err.status != CFI2SFRAME_NO_MEMORY)
            fail_msg ("allocation %u: %s", n, err.reason);
          failures++;
        }
      if (!ok)
        expect_contents (output, old, old_size);
      else if (allocation_failed)
        expect_right_rows (output);
      else
        expect_contents (output, expected, size);
    }
  assert_true (failures > 5);
  free (expected);
  free (old);
}

/* What is asked of the library besides the defaults.  */
struct wanted
{
  bool small;      /* V2, --compact */
  bool analyze;    /* rows are of the code and compared with it */
  bool in_place;   /* the output is changed, there is no input */
  bool debug_file; /* three sections of CFI: as if INPUT were one, too */
  bool relocatable, replace, replace_bad, gnu;
  unsigned readers;
};
static struct wanted wanted;

static struct cfi2sframe_options
options_wanted (const char *input)
{
  struct cfi2sframe_options options;
  cfi2sframe_options_init (&options);
  if (wanted.small)
    options.format = CFI2SFRAME_V2;
  options.compact = wanted.small;
  options.analyze = options.verify_code = wanted.analyze;
  options.debug_file = wanted.debug_file ? input : NULL;
  options.relocatable = wanted.relocatable;
  options.replace = wanted.replace;
  options.replace_bad = wanted.replace_bad;
  options.gnu = wanted.gnu;
  options.readers = wanted.readers;
  return options;
}

static bool
convert (const char *input, const char *to, struct cfi2sframe_error *err)
{
  struct cfi2sframe_options options = options_wanted (input);
  struct cfi2sframe_report report;
  cfi2sframe_report_init (&report);
  return cfi2sframe_convert (wanted.in_place ? to : input,
                             wanted.in_place ? NULL : to, &options, &report,
                             err);
}

/* INPUT has a good .sframe, and whoever cannot tell must not make another.  */
static bool
leave_alone (const char *input, const char *to, struct cfi2sframe_error *err)
{
  assert_false (convert (input, to, err));
  return err->status == CFI2SFRAME_NOTHING;
}

static bool
undo (const char *input, const char *to, struct cfi2sframe_error *err)
{
  struct cfi2sframe_options options = options_wanted (input);
  return cfi2sframe_undo (wanted.in_place ? to : input,
                          wanted.in_place ? NULL : to, &options, err);
}

static bool
remove_section (const char *input, const char *to,
                struct cfi2sframe_error *err)
{
  struct cfi2sframe_options options = options_wanted (input);
  return cfi2sframe_remove (input, to, &options, err);
}

static bool
write_section (const char *input, const char *to, struct cfi2sframe_error *err)
{
  struct cfi2sframe_options options = options_wanted (input);
  struct cfi2sframe_report report;
  cfi2sframe_report_init (&report);
  return cfi2sframe_write_section (input, to, &options, &report, err);
}

/* As if TO were the debug file of INPUT.  */
static bool
match_debug_file (const char *input, const char *to,
                  struct cfi2sframe_error *err)
{
  struct cfi2sframe_options options = options_wanted (input);
  return cfi2sframe_match_debug_file (input, to, &options, err);
}

static bool
check (const char *input, const char *to, struct cfi2sframe_error *err)
{
  struct cfi2sframe_check_result result;
  (void)to;
  cfi2sframe_check_result_init (&result);
  return cfi2sframe_check (input, &result, err);
}

static const struct
{
  work *function;
  const char *input, *before;
  struct wanted wanted;
} runs[] = {
  { convert, linked, NULL, { .replace = true } },
  { convert, linked, original, { .replace = true } },
  { convert, large, NULL, { .replace = true } },
  { convert, foreign, NULL, { .replace = true } },
  { convert, foreign, NULL, { .replace_bad = true } },
  { leave_alone, converted, NULL, { .replace_bad = true } },
  { leave_alone,
    s390x,
    NULL,
    { .relocatable = true,
      .replace_bad = true,
      .readers = CFI2SFRAME_READER_LIBSFRAME } },
  { convert, linked, NULL, { .small = true } },
#ifdef HAVE_ZYDIS
  { convert, linked, NULL, { .analyze = true } },
#endif
  { convert, debug, NULL, { .debug_file = true } },
  { convert, object, NULL, { .relocatable = true, .replace = true } },
  { convert,
    object,
    NULL,
    { .relocatable = true, .replace = true, .gnu = true } },
  { convert, NULL, original, { .in_place = true } },
  { undo, NULL, converted, { .in_place = true } },
  { undo, converted, NULL, { 0 } },
  { remove_section, foreign, NULL, { 0 } },
  { match_debug_file, converted, split, { 0 } },
  { match_debug_file, original, followed, { 0 } },
  { write_section, linked, NULL, { 0 } },
  { check, converted, NULL, { 0 } },
};

static void
run_out (bool all_after)
{
  allocations_fail_lastingly = all_after;
  FOR_EACH_ROW (given, runs)
    {
      wanted = given->wanted;
      run_out_everywhere (given->function, given->input, given->before);
    }
}

TEST (one_allocation_fails) { run_out (false); }

TEST (all_allocations_fail_from_one_on) { run_out (true); }

static int
make_files (void **state)
{
  const char *srcdir = getenv ("srcdir");
  struct cfi2sframe_error err;
  (void)state;
  assert_non_null (mkdtemp (folder));
  snprintf (original, sizeof original, "%s/original", folder);
  snprintf (converted, sizeof converted, "%s/converted", folder);
  snprintf (output, sizeof output, "%s/output", folder);
  const char *data = srcdir != NULL ? srcdir : ".";
  snprintf (foreign, sizeof foreign, "%s/tests/data/gnu-linked/cxx-amd64",
            data);
  snprintf (object, sizeof object,
            "%s/tests/data/gnu/v3-binutils-2.47/amd64/"
            "cxx_exceptions_drap-O2.o",
            data);
  snprintf (s390x, sizeof s390x,
            "%s/tests/data/gnu/v3-binutils-2.47/s390x/"
            "cxx_exceptions_drap-O2.o",
            data);
  snprintf (debug, sizeof debug, "%s/tests/data/debug/both-amd64", data);
  snprintf (linked, sizeof linked, "%s", original);
  snprintf (large, sizeof large, "%s/tests/data/gnu-linked/lua-amd64-stripped",
            data);
  assert_true (remove_section (foreign, original, &err));
  wanted.in_place = true;
  assert_true (convert (NULL, original, &err));
  wanted.in_place = false;
  assert_int_equal (rename (original, converted), 0);
  assert_true (undo (converted, original, &err));
  snprintf (followed, sizeof followed, "%s/followed", folder);
  snprintf (split, sizeof split, "%s/split", folder);
  make_debug_file (original, split);
  copy_file (split, followed);
  if (!match_debug_file (converted, followed, &err))
    fail_msg ("%s", err.reason);
  return 0;
}

static int
remove_files (void **state)
{
  (void)state;
  unlink (original);
  unlink (converted);
  unlink (output);
  unlink (split);
  unlink (followed);
  /* Fails if a temporary file was left behind.  */
  return rmdir (folder);
}

TEST_GROUP (make_files, remove_files)
