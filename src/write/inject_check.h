/* The self-check: a new file is read back before it takes the old one's place.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_INJECT_CHECK_H
#define WRITE_INJECT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Read the SIZE BYTES of a new file back, as any other file, and compare them
   with IMAGE: nothing but what PLAN says may have changed.  False with the
   first violation.  */
bool inject_check_bytes (const struct image *image, const struct plan *plan,
                         const void *sframe, const void *bytes, size_t size,
                         struct error *err);

/* Do the same with a new file that existing_plan_removal's plan made of IMAGE:
   its .sframe is gone, and nothing else.  */
bool inject_check_removed (const struct image *image, const void *bytes,
                           size_t size, struct error *err);

#endif /* WRITE_INJECT_CHECK_H */
