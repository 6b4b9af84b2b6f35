/* Plain FDEs: those that need no library.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nearly every FDE of a linked file has the form that GNU as and LLVM write
   for `.cfi_startproc': in .eh_frame, a length of 32 bits, pointers that are
   PC-relative and have 4 bytes, and augmentation data of less than 128 bytes.
   Where its code begins, how large it is and where its instructions begin then
   stand at fixed places (LSB Core, section 10.6.1.2), so that asking libdwarf
   for them takes ten times as long as reading them.  All others are
   libdwarf's, and so is every CIE: an FDE is plain only if libdwarf has
   accepted its CIE.  tools/maintainer/long.sh compares this reader with
   libdwarf on all files of a system, test_plain_fde on damaged sections.  */

#ifndef CFI_PLAIN_FDE_H
#define CFI_PLAIN_FDE_H

#include <stdbool.h>

#include "cfi/cfi_section.h"
#include "cfi/entry.h"

/* Whether FDEs of a CIE in an INPUT of this kind may be plain; the CIE was
   scanned.  */
bool plain_fde_allowed (const struct cfi_input *input,
                        const struct cfi_cie *cie);

/* Read ENTRY, an FDE of SECTION's last input with the CIE that has the index
   CIE, into *FDE.  False when it is not plain, or not yet known to be: then
   *FDE is as it was.  */
bool plain_fde_read (const struct cfi_section *section,
                     const struct entry *entry, size_t cie,
                     struct cfi_fde *fde);

#endif /* CFI_PLAIN_FDE_H */
