/* Carrying a plan out: the new file is written.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_INJECT_H
#define WRITE_INJECT_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Write the file that PLAN makes of IMAGE, with SFRAME (plan->sframe_size
   bytes) in its place, to the descriptor OUT_FD, an empty file open for
   reading and writing.  */
bool inject_write (const struct image *image, const struct plan *plan,
                   const void *sframe, int out_fd, struct error *err);

/* Whether OUT_FD, an empty file, could be made a copy of the whole IMAGE by
   sharing its blocks.  */
bool inject_clone (const struct image *image, int out_fd);

/* Whether IMAGE has holes.  True also if that cannot be known.  */
bool inject_has_holes (const struct image *image);

/* Do as inject_write does, to a file that begins with a copy of the whole
   IMAGE already.  */
bool inject_write_over (const struct image *image, const struct plan *plan,
                        const void *sframe, int out_fd, struct error *err);

#endif /* WRITE_INJECT_H */
