/* Odd FDEs: those that are not plain, which libdwarf reads.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An FDE is odd if it has another form than plain_fde.h says, if it is the
   first one of its CIE, which libdwarf has to accept, or if everything is to
   be read by libdwarf.  libdwarf gives up on a whole section for one bad
   entry, stops at a zero terminator, and becomes slow with thousands of CIEs.
   libdwarf is therefore shown one FDE at a time: a copy of it behind a copy of
   its CIE.  That takes about a microsecond more than to show libdwarf many at
   once.  */

#ifndef CFI_ODD_FDE_H
#define CFI_ODD_FDE_H

#include <stddef.h>

#include "base/buffer.h"
#include "cfi/cfi_section.h"
#include "cfi/entry.h"

/* Read ENTRY, an FDE of SECTION's last input with the CIE that has the index
   CIE and was scanned, into *FDE.  The CIE is decoded, if it was not before.
   SHOWN is memory for the copies, and fails when memory runs out, here or in
   libdwarf.  REASON_NONE,
   or why the FDE cannot be read; TEXT (of TEXT_SIZE bytes) says the same to
   people.  */
enum frame_reason odd_fde_read (struct cfi_section *section,
                                const struct entry *entry, size_t cie,
                                struct buffer *shown, struct cfi_fde *fde,
                                char *text, size_t text_size);

#endif /* CFI_ODD_FDE_H */
