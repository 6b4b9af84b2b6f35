/* Reading the CIEs and FDEs of an .eh_frame section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CFI_EH_FRAME_H
#define CFI_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "cfi/cfi_section.h"

/* Read the SIZE BYTES of an .eh_frame loaded at ADDRESS.  They must outlive
   SECTION, which is freed with cfi_section_free.  Damaged entries are no
   failure; lack of memory is.  */
bool eh_frame_read (struct cfi_section *section, const struct arch *arch,
                    const uint8_t *bytes, uint64_t size, uint64_t address,
                    struct error *err);

/* Where the pointers to FDE's code end: bytes from its entry's start.  */
uint64_t eh_frame_pointers_end (const struct cfi_section *section,
                                const struct cfi_fde *fde);

/* Read FDE's pointer to its language-specific data; *LSDA is 0 when it has
   none.  False when it is in a form that only the program at run time can
   resolve, or damaged.  */
bool eh_frame_lsda (const struct cfi_section *section,
                    const struct cfi_fde *fde, uint64_t *lsda);

#endif /* CFI_EH_FRAME_H */
