/* Which FDEs are used, in a file that has other CFI than .eh_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Linkers edit .eh_frame, but not .debug_frame.  When a linker drops a section
   of code, an FDE of .debug_frame for it gets the address 0, or, from gold,
   the offset in the dropped section.  The file may have other code at this
   address.  So FDEs of dropped functions are removed.

   Where several inputs describe the same code, the first one is used.  This is
   .eh_frame, if there is one: unwinders in the program use it, so that wrong
   entries are noticed.  An FDE of a later input that overlaps one of an
   earlier input is removed as a whole.  Conflicts between FDEs of one input
   are resolved later (walk.h), with or without other inputs.  */

#ifndef CFI_PRECEDENCE_H
#define CFI_PRECEDENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "elf/image.h"

/* Remove FDEs of dropped functions from CFI, the CFI of IMAGE and of its debug
   file DEBUG_FILE (or NULL).  False when memory ran out.  */
bool remove_dropped_functions (struct cfi_section *cfi,
                               const struct image *image,
                               const struct image *debug_file,
                               struct error *err);

/* Remove from SECTION the FDEs for code that earlier inputs describe, and
   count those that contradict the earlier inputs.  IS_OF_CODE returns whether
   an FDE's range is code.  False when memory ran out.  */
bool remove_superseded_fdes (struct cfi_section *section,
                             bool (*is_of_code) (const void *context,
                                                 const struct cfi_fde *fde),
                             const void *context, struct error *err);

#endif /* CFI_PRECEDENCE_H */
