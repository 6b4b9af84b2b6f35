/* Scanning CIEs: what the augmentation says, before libdwarf reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   LSB Core, section 10.6.1.1; DWARF 5, section 6.4.1.  libdwarf fails for
   augmentation letters that it does not know, and has to be told how wide
   addresses are, which the augmentation says.  */

#ifndef CFI_CIE_H
#define CFI_CIE_H

#include "cfi/cfi_section.h"
#include "cfi/entry.h"

/* Fill in CIE from ENTRY of SECTION's last input as far as the augmentation
   goes.  Its `unusable' says whether libdwarf must not see it.  */
void cie_scan (struct cfi_cie *cie, const struct cfi_section *section,
               const struct entry *entry);

#endif /* CFI_CIE_H */
