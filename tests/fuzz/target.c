/* The list of targets, and running one of them within its bounds.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct fuzz_target fuzz_targets[] = {
  { "convert", fuzz_convert, FUZZ_ELF, 0, 1 },
  { "layout", fuzz_layout, FUZZ_ELF, 0, 4 },
  { "existing", fuzz_existing, FUZZ_ELF, 0, 1 },
  { "undo", fuzz_undo, FUZZ_BYTES, 0, 0 },
  { "code", fuzz_code, FUZZ_ELF, 0, 0 },
  { "cfi", fuzz_cfi, FUZZ_CFI, 2, 0 },
  { "debug", fuzz_debug, FUZZ_ELF, 0, 1 },
  { "sframe", fuzz_sframe, FUZZ_BYTES, 0, 0 },
  { "object", fuzz_object, FUZZ_ELF, 0, 1 },
  { "cunwind", fuzz_cunwind, FUZZ_ELF, 0, 0 },
  { "unwind_info", fuzz_unwind_info, FUZZ_BYTES, 0, 0 },
  { "unwind", fuzz_unwind, FUZZ_BYTES, 0, 0 },
  { "walk", fuzz_walk, FUZZ_BYTES, 0, 0 },
  { "archive", fuzz_archive, FUZZ_BYTES, 0, 0 },
  { "perfdata", fuzz_perfdata, FUZZ_BYTES, 0, 0 },
  { 0 },
};

const struct fuzz_target *
fuzz_target_find (const char *name)
{
  for (const struct fuzz_target *target = fuzz_targets; target->name != NULL;
       target++)
    if (strcmp (target->name, name) == 0)
      return target;
  return NULL;
}

/* The input at hand.  */
static const uint8_t *current;
static size_t current_size;

/* libFuzzer keeps what failed by itself; in replay it may be a mutation that
   is in no file.  */
static void
keep_current (void)
{
  const char *name = getenv ("FUZZ_KEEP");
  FILE *out = name != NULL ? fopen (name, "wb") : NULL;
  if (out == NULL)
    return;
  fwrite (current, 1, current_size, out);
  fclose (out);
}

void
fuzz_fail (const char *what, const char *file, int line)
{
  keep_current ();
  fprintf (stderr, "%s:%d: property violated: %s\n", file, line, what);
  abort ();
}

void
fuzz_run (const struct fuzz_target *target, const uint8_t *bytes, size_t size)
{
  current = bytes;
  current_size = size;
  bool counted = fuzz_memory_start ();
  double before = fuzz_cpu_seconds ();
  target->run (bytes, size);
  double seconds = fuzz_cpu_seconds () - before;
  /* A second per megabyte, begun ones counted whole; the same again for the
     properties.  */
  FUZZ_CHECK (seconds < 2 * (1 + (double)size / 1e6));
  /* Ten times the size, and what it takes to start; half as much again for
     the properties.  */
  FUZZ_CHECK (!counted || fuzz_memory_peak () < 15 * size + (8 << 20));
}
