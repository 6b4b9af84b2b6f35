/* Which files must not be changed at all.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_REFUSALS_H
#define PLACE_REFUSALS_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"

/* Whether IMAGE may be changed (doc/formats/injection).  False with status
   CFI2SFRAME_NOTHING for debug files, which have no code to describe; with
   CFI2SFRAME_UNSUPPORTED for types of files and machines that cannot have
   .sframe in a segment; and with CFI2SFRAME_REFUSED and the reason for files
   that a change would harm.

   choose_strategy calls this, so that no caller can forget it.  The conversion
   also calls it before it reads the CFI, to save all work on files that are
   refused.  Both calls together take 0.2 % of a conversion.  */
bool refusals_check (const struct image *image, struct error *err);

/* Whether IMAGE is neither a debug file nor a file with a detached section;
   false with status CFI2SFRAME_NOTHING.  No byte of either may change: a
   program's debug file may be found by its CRC, and a detached section is the
   whole purpose of its file.  */
bool refusals_check_debug_file (const struct image *image, struct error *err);

#endif /* PLACE_REFUSALS_H */
