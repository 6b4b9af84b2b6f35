/* The self-check: reading a new file back, before it replaces the old one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WRITE_INJECT_CHECK_H
#define WRITE_INJECT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Whether the new file of SIZE BYTES, which PLAN has made of IMAGE, is IMAGE
   with .sframe, and nothing else has changed that loaders or readers could
   find.  False with the first difference.  */
bool inject_check_bytes (const struct image *image, const struct plan *plan,
                         const void *sframe, const void *bytes, size_t size,
                         struct error *err);

/* Whether the new file of SIZE BYTES is IMAGE without its .sframe, made with
   the plan of existing_plan_removal.  */
bool inject_check_removed (const struct image *image, const void *bytes,
                           size_t size, struct error *err);

#endif /* WRITE_INJECT_CHECK_H */
