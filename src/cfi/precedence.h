/* Whose word counts where several sections describe the same code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The first input's word: .eh_frame is what unwinders in the program use, so
   that wrong entries there are noticed.  An FDE of a later input that
   overlaps one of an earlier input is set aside as a whole, and no later step
   sees it: how FDEs of one section settle it among themselves (walk.h)
   does not depend on whether another section is there.  */

#ifndef CFI_PRECEDENCE_H
#define CFI_PRECEDENCE_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/cfi_section.h"

/* Set aside what earlier inputs of SECTION describe, and count how often both
   contradict each other.  IS_OF_CODE tells of an FDE whether its range is
   code at all.  False when memory ran out.  */
bool precedence_settle (struct cfi_section *section,
                        bool (*is_of_code) (const void *context,
                                            const struct cfi_fde *fde),
                        const void *context, struct error *err);

#endif /* CFI_PRECEDENCE_H */
