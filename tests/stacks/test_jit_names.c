/* Unit tests of stacks/jit_names.c.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Of names that are written meanwhile, and of many processes.  */

#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stacks/names.h"
#include "tests/unit_test.h"

/* A file that grows whenever a size has been asked for; NULL: none.  */
static FILE *grows;
static const char later_line[] = "2000 10 later\n";

static void
grow (void)
{
  if (grows == NULL)
    return;
  fputs (later_line, grows);
  fflush (grows);
}

int __wrap_fstat (int fd, struct stat *status);
int __real_fstat (int fd, struct stat *status);
int
__wrap_fstat (int fd, struct stat *status)
{
  int result = __real_fstat (fd, status);
  grow ();
  return result;
}

struct stat64;
int __wrap_fstat64 (int fd, struct stat64 *status);
int __real_fstat64 (int fd, struct stat64 *status);
int
__wrap_fstat64 (int fd, struct stat64 *status)
{
  int result = __real_fstat64 (fd, status);
  grow ();
  return result;
}

/* Read the names of a map with TEXT, which grows, if MAY_GROW, when its size
   has been asked for.  */
static void
read_map (struct jit_names *names, struct jit_sums *sums, const char *text,
          bool may_grow)
{
  char folder[] = "/tmp/test-names-XXXXXX", path[sizeof folder + 32];
  assert_non_null (mkdtemp (folder));
  snprintf (path, sizeof path, "%s/perf-%d.map", folder, (int)getpid ());
  *sums = (struct jit_sums){ .descriptors = 1 };
  FILE *file = fopen (path, "w");
  assert_non_null (file);
  fputs (text, file);
  fflush (file);
  *names = (struct jit_names){ .pid = getpid (),
                               .own_pid = getpid (),
                               .folder = open (folder, O_PATH | O_DIRECTORY),
                               .dump = -1,
                               .user = geteuid (),
                               .sums = sums };
  grows = may_grow ? file : NULL;
  jit_names_at (names, 0);
  grows = NULL;
  assert_int_equal (ftell (file) > (long)strlen (text), may_grow);
  fclose (file);
  unlink (path);
  rmdir (folder);
}

/* The names of NAMES at addresses, from 0 on: '-' where there is none.  */
static void
assert_names (struct jit_names *names, const char *expected)
{
  for (size_t i = 0; expected[i] != '\0'; i++)
    {
      const struct jit_name *found = jit_names_at (names, i);
      assert_int_equal (found != NULL ? found->name[0] : '-', expected[i]);
    }
}

/* What comes when the size has been looked at could be without end.  */
TEST (names_that_are_written_meanwhile_are_not_read)
{
  struct jit_sums sums;
  struct jit_names names;
  read_map (&names, &sums, "1 2 first\n", true);
  assert_names (&names, "-ff--");
  assert_null (jit_names_at (&names, 0x2000));
  jit_names_free (&names);
  assert_true (sums.names == 0 && sums.descriptors == 0);
}

/* A compiler that collects code makes other code there, of other sizes.  */
TEST (code_in_no_file_is_called_as_the_newest_that_was_made_there)
{
  static const struct
  {
    const char *map, *names; /* at 0, 1, 2 ... */
  } rows[] = {
    { "1 4 a\n5 3 b\n", "-aaaabbb-" },
    { "1 4 a\n5 3 b\n1 7 c\n", "-ccccccc-" },
    { "1 7 a\n3 2 b\n", "-aabbaaa-" },
    { "1 7 a\n3 2 b\n2 2 c\n", "-accbaaa-" },
    { "1 2 a\n2 2 b\n3 2 c\n4 2 d\n2 3 e\n", "-aeeed-" },
    { "2 2 a\n2 2 b\n2 1 c\n", "--cb-" },
    { "fffffffffffffff0 20 a\n", "--" },
    { "2 ffffffffffffffff a\n5 1 b\n", "--aaabaa" },
  };
  FOR_EACH_ROW (given, rows)
    {
      struct jit_sums sums;
      struct jit_names names;
      read_map (&names, &sums, given->map, false);
      assert_names (&names, given->names);
      jit_names_free (&names);
    }
}

/* As of a build whose compilers are programs with code of their own.  */
TEST (names_of_many_processes_leave_descriptors_for_other_files)
{
  enum
  {
    MANY = 1000
  };
  struct jit_sums sums = { 0 };
  struct jit_names *names = calloc (MANY, sizeof *names);
  unsigned kept = 0;
  assert_non_null (names);
  for (unsigned i = 0; i < MANY; i++)
    {
      jit_names_open (&names[i], getpid (), false, dup (STDOUT_FILENO), &sums);
      kept += (names[i].folder >= 0) + (names[i].dump >= 0);
    }
  int free_one = dup (STDOUT_FILENO);
  close (free_one);
  for (unsigned i = 0; i < MANY; i++)
    jit_names_free (&names[i]);
  free (names);
  assert_in_range (free_one, 3, 300);
  assert_int_equal (kept, 256);
  assert_int_equal (sums.descriptors, 0);
}
