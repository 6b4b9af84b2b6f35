/* A thousand files in one process: no memory and no descriptor is left.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: thousand [FILE...]: each file is converted, checked, printed and
   undone through the public interface until a thousand conversions are done;
   files of tests/fuzz/corpus/convert, many of them damaged, unless given.  */

#include <config.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cfi2sframe.h"
#include "fuzz.h"

enum
{
  FILES = 1000,
  WARM_UP = 100 /* what libraries keep is there by then */
};

static unsigned
open_descriptors (void)
{
  DIR *directory = opendir ("/proc/self/fd");
  unsigned n = 0;
  if (directory == NULL)
    return 0;
  while (readdir (directory) != NULL)
    n++;
  closedir (directory);
  return n;
}

/* The results do not matter, only what is left behind.  */
static bool
treat (const char *path, const char *output, FILE *nowhere, unsigned round)
{
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct cfi2sframe_check_result result;
  struct cfi2sframe_error err;
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  cfi2sframe_check_result_init (&result);
  options.format = round % 4;
  options.compact = round % 3 == 0;
  bool done = cfi2sframe_convert (path, output, &options, &report, &err);
  cfi2sframe_check (output, &result, &err);
  cfi2sframe_dump (output, nowhere, &err);
  options.replace = true;
  cfi2sframe_convert (output, NULL, &options, &report, &err);
  cfi2sframe_undo (output, NULL, &options, &err);
  cfi2sframe_remove (output, NULL, &options, &err);
  return done;
}

static char **
list_corpus (unsigned *n)
{
  struct dirent **names;
  if (chdir ("tests/fuzz/corpus/convert") != 0)
    return NULL;
  int found = scandir (".", &names, NULL, alphasort);
  char **files = calloc (found > 0 ? (size_t)found : 1, sizeof *files);
  for (int i = 0; i < found && files != NULL; i++)
    if (names[i]->d_name[0] != '.')
      files[(*n)++] = names[i]->d_name;
  return files;
}

int
main (int argc, char **argv)
{
  char directory[] = "/tmp/cfi2sframe-thousand.XXXXXX";
  char output[sizeof directory + 8];
  unsigned n = argc > 1 ? (unsigned)argc - 1 : 0;
  char **files = argc > 1 ? argv + 1 : list_corpus (&n);
  FILE *nowhere = fopen ("/dev/null", "w");
  if (n == 0 || nowhere == NULL || mkdtemp (directory) == NULL)
    {
      printf ("1..0 # SKIP no files\n");
      return 0;
    }
  /* A buffer comes with the first bytes, which may be behind the warm-up.  */
  setvbuf (nowhere, NULL, _IONBF, 0);
  snprintf (output, sizeof output, "%s/out", directory);
  unsigned descriptors = 0, converted = 0;
  size_t memory = 0;
  bool counted = fuzz_memory_start ();
  for (unsigned i = 0; i < FILES + WARM_UP; i++)
    {
      if (i == WARM_UP)
        {
          descriptors = open_descriptors ();
          memory = fuzz_memory_live ();
        }
      converted += treat (files[i % n], output, nowhere, i / n);
      unlink (output);
    }
  unsigned descriptors_after = open_descriptors ();
  size_t memory_after = fuzz_memory_live ();
  rmdir (directory);
  printf ("1..3\n# %u of %d conversions succeeded\n", converted,
          FILES + WARM_UP);
  printf ("%s 1 - %u descriptors before, %u after\n",
          descriptors == descriptors_after ? "ok" : "not ok", descriptors,
          descriptors_after);
  bool same = memory_after == memory;
  if (counted)
    printf ("%s 2 - %zu bytes allocated before, %zu after\n",
            same ? "ok" : "not ok", memory, memory_after);
  else
    printf ("ok 2 # SKIP memory cannot be counted here\n");
  printf ("%s 3 - some conversions succeed\n",
          converted > 0 ? "ok" : "not ok");
  return descriptors != descriptors_after || !same || converted == 0;
}
