/* The targets over the files of a corpus, as TAP.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: replay [CORPUS [MUTATIONS]]: CORPUS (tests/fuzz/corpus unless
   given) has one directory per target.  Each file is run as it is and then
   MUTATIONS times mutated.  A violated property or a crash ends the program,
   with the target and the file on standard error.  */

#include <config.h>

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
  MUTATIONS = 100, /* unless said otherwise */
  MUTATIONS_IN_A_ROW = 8
};

static uint8_t *
read_whole (const char *path, size_t *size)
{
  FILE *in = fopen (path, "rb");
  if (in == NULL || fseek (in, 0, SEEK_END) != 0)
    {
      perror (path);
      exit (1);
    }
  *size = (size_t)ftell (in);
  rewind (in);
  /* Exactly as large, so that reading behind it is noticed.  */
  uint8_t *bytes = malloc (*size > 0 ? *size : 1);
  if (bytes == NULL || fread (bytes, 1, *size, in) != *size)
    {
      perror (path);
      exit (1);
    }
  fclose (in);
  return bytes;
}

static void
run_mutated (const struct fuzz_target *target, const uint8_t *bytes,
             size_t size, unsigned n)
{
  size_t max = size + 256, now = size;
  uint8_t *copy = malloc (max);
  for (unsigned i = 0; copy != NULL && i < n; i++)
    {
      if (i % MUTATIONS_IN_A_ROW == 0)
        {
          memcpy (copy, bytes, size);
          now = size;
        }
      now = fuzz_mutate (target, copy, now, max, i, NULL);
      fuzz_run (target, copy, now);
    }
  free (copy);
}

/* The files of the directory named like TARGET.  */
static unsigned
run_directory (const struct fuzz_target *target, unsigned mutations)
{
  char path[512];
  struct dirent **names;
  int n = scandir (target->name, &names, NULL, alphasort);
  unsigned n_run = 0;
  for (int i = 0; i < n; i++)
    {
      size_t size;
      snprintf (path, sizeof path, "%s/%s", target->name, names[i]->d_name);
      if (names[i]->d_name[0] != '.')
        {
          fprintf (stderr, "%s\n", path);
          uint8_t *bytes = read_whole (path, &size);
          fuzz_run (target, bytes, size);
          run_mutated (target, bytes, size, mutations);
          free (bytes);
          n_run++;
        }
      free (names[i]);
    }
  if (n >= 0)
    free (names);
  return n_run;
}

int
main (int argc, char **argv)
{
  if (chdir (argc > 1 ? argv[1] : "tests/fuzz/corpus") != 0)
    {
      perror ("replay: corpus");
      return 2;
    }
  unsigned mutations
      = argc > 2 ? (unsigned)strtoul (argv[2], NULL, 10) : MUTATIONS;
  unsigned n = 0;
  bool failed = false;
  setvbuf (stdout, NULL, _IOLBF, 0);
  for (const struct fuzz_target *target = fuzz_targets; target->name != NULL;
       target++)
    {
      unsigned n_run = run_directory (target, mutations);
      failed |= n_run == 0;
      printf ("%s %u - %s: %u inputs, each with %u mutations\n",
              n_run > 0 ? "ok" : "not ok", ++n, target->name, n_run,
              mutations);
    }
  printf ("1..%u\n", n);
  return failed;
}
