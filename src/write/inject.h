/* Writing the new file that a plan describes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_INJECT_H
#define WRITE_INJECT_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Write the file that PLAN makes of IMAGE to OUT_FD, an empty file open for
   reading and writing.  SFRAME has the plan->sframe_size bytes of .sframe.  */
bool inject_write (const struct image *image, const struct plan *plan,
                   const void *sframe, int out_fd, struct error *err);

/* Make OUT_FD, an empty file, a copy of IMAGE that shares its blocks.  False
   where the file system cannot do that.  */
bool inject_clone (const struct image *image, int out_fd);

/* Whether IMAGE has holes.  True also if that cannot be found out.  */
bool inject_has_holes (const struct image *image);

/* Do what inject_write does, with a file that begins with a copy of IMAGE.  */
bool inject_write_over (const struct image *image, const struct plan *plan,
                        const void *sframe, int out_fd, struct error *err);

#endif /* WRITE_INJECT_H */
