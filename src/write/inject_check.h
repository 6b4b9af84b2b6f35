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

/* A new file could not be opened, as ERR says.  Any status but NO_MEMORY would
   be about the input there; it is the new file that is damaged, by a mistake
   of this program.  Gives false.  */
bool inject_check_unreadable (struct error *err);

#endif /* WRITE_INJECT_CHECK_H */
