/* Files that must not be changed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_REFUSALS_H
#define PLACE_REFUSALS_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"

/* Whether IMAGE may be changed at all (doc/formats/injection).  Otherwise
   false with status CFI2SFRAME_NOTHING for debug files, which have no code to
   describe; CFI2SFRAME_UNSUPPORTED for types of files and machines that cannot
   have .sframe in a segment; and CFI2SFRAME_REFUSED with the reason for files
   that a change would harm.

   choose_strategy asks this, so that no caller can forget it.  The conversion
   asks before it reads the CFI, too: it saves all work on files that are
   refused.  Both together take 0.2 % of a conversion.  */
bool refusals_check (const struct image *image, struct error *err);

/* Whether IMAGE is none of those debug files.  A program's debug file may be
   found by its CRC, and a detached section is all that its file is for.  */
bool refusals_check_debug_file (const struct image *image, struct error *err);

#endif /* PLACE_REFUSALS_H */
