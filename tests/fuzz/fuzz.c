/* The targets under libFuzzer; $FUZZ_TARGET says which.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static const struct fuzz_target *target;

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);
size_t LLVMFuzzerMutate (uint8_t *bytes, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator (uint8_t *bytes, size_t size, size_t max,
                                unsigned seed);

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  const char *name = getenv ("FUZZ_TARGET");
  target = fuzz_target_find (name != NULL ? name : "");
  if (target == NULL)
    {
      fprintf (stderr, "fuzz: FUZZ_TARGET must be one of:");
      for (target = fuzz_targets; target->name != NULL; target++)
        fprintf (stderr, " %s", target->name);
      fprintf (stderr, "\n");
      exit (2);
    }
  return 0;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  fuzz_run (target, bytes, size);
  return 0;
}

size_t
LLVMFuzzerCustomMutator (uint8_t *bytes, size_t size, size_t max,
                         unsigned seed)
{
  return fuzz_mutate (target, bytes, size, max, seed, LLVMFuzzerMutate);
}
