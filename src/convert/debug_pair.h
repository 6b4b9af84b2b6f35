/* A program and its debug file, found and open.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_DEBUG_PAIR_H
#define CONVERT_DEBUG_PAIR_H

#include <stdbool.h>

#include "convert/location.h"
#include "elf/debug_file.h"
#include "elf/image.h"

struct debug_pair
{
  struct image program, debug;
  char path[sizeof ((struct debug_file *)0)->path]; /* of the debug file */
  struct file_location location;                    /* of the same */
  int folder; /* that LOCATION is in, or -1 */
};

/* Open PROGRAM and its debug file, which may be changed as OPTIONS ask for:
   NAME or, if that is NULL, the one that is found.  Status CFI2SFRAME_NOTHING
   when none is.  PAIR, which is not to be moved, is to be closed also after
   failure.  */
bool debug_pair_open (struct debug_pair *pair,
                      const struct file_location *program, const char *name,
                      const struct cfi2sframe_options *options,
                      struct error *err);
void debug_pair_close (struct debug_pair *pair);

#endif /* CONVERT_DEBUG_PAIR_H */
