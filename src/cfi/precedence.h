/* Which FDEs count, where there is other CFI than .eh_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Linkers edit .eh_frame, but leave a .debug_frame as it is: what pointed to a
   section that was dropped is 0 afterwards.  gold adds the offset in the
   dropped section: there, a file may have other code.  Such FDEs are
   forgotten.

   Where several sections describe the same code, the first input's word
   counts: .eh_frame is what unwinders in the program use, so that wrong
   entries there are noticed.  An FDE of a later input that overlaps one of an
   earlier input is set aside as a whole, and no later step sees it: how FDEs
   of one section settle it among themselves (walk.h) does not depend on
   whether another section is there.  */

#ifndef CFI_PRECEDENCE_H
#define CFI_PRECEDENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "elf/image.h"

/* Remove FDEs of dropped functions from CFI, of IMAGE and of its debug file
   DEBUG_FILE (or NULL).  False when memory ran out.  */
bool dropped_functions_forget (struct cfi_section *cfi,
                               const struct image *image,
                               const struct image *debug_file,
                               struct error *err);

/* Set aside what earlier inputs of SECTION describe, and count how often both
   contradict each other.  IS_OF_CODE tells of an FDE whether its range is
   code at all.  False when memory ran out.  */
bool precedence_settle (struct cfi_section *section,
                        bool (*is_of_code) (const void *context,
                                            const struct cfi_fde *fde),
                        const void *context, struct error *err);

#endif /* CFI_PRECEDENCE_H */
