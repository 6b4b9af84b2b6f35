/* FDEs: plain ones are read directly, odd ones by libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nearly every FDE of a linked file has the form that GNU as and LLVM write
   for `.cfi_startproc': in .eh_frame, a length of 32 bits, pointers that are
   PC-relative and have 4 bytes, and augmentation data of less than 128 bytes.
   Where its code begins, how large it is and where its instructions begin then
   stand at fixed places (LSB Core, section 10.6.1.2), so that asking libdwarf
   for them takes ten times as long as reading them.  Such an FDE is plain,
   unless it is the first one of its CIE, which libdwarf has to accept.  All
   others are odd, and libdwarf's; so is every CIE.
   tools/maintainer/long.sh compares both ways on all files of a system,
   test_plain_fde on damaged sections.  */

#ifndef CFI_FDE_H
#define CFI_FDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cfi/cfi_section.h"
#include "cfi/entry.h"

/* Read ENTRY, an FDE of SECTION's last input with the CIE that has the index
   CIE and was scanned, into *FDE.  False when it is not plain, or not yet
   known to be: then *FDE is as it was.  */
bool plain_fde_read (const struct cfi_section *section,
                     const struct entry *entry, size_t cie,
                     struct cfi_fde *fde);

/* Do the same for an FDE that is not plain.  The CIE is decoded, if it was not
   before.  SHOWN is memory for the copies that libdwarf sees, and fails when
   memory runs out, here or in libdwarf.  REASON_NONE, or why the FDE cannot be
   read; TEXT (of TEXT_SIZE bytes) says the same to people.  */
enum frame_reason odd_fde_read (struct cfi_section *section,
                                const struct entry *entry, size_t cie,
                                struct buffer *shown, struct cfi_fde *fde,
                                char *text, size_t text_size);

/* Where the pointers to the code of FDE, one of .eh_frame, end: bytes from its
   entry's start.  */
uint64_t fde_pointers_end (const struct cfi_section *section,
                           const struct cfi_fde *fde);

/* Read FDE's pointer to its language-specific data; *LSDA is 0 when it has
   none, as always in .debug_frame.  False when it is in a form that only the
   program at run time can resolve, or damaged.  */
bool fde_lsda (const struct cfi_section *section, const struct cfi_fde *fde,
               uint64_t *lsda);

#endif /* CFI_FDE_H */
