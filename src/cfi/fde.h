/* Reading FDEs: plain ones directly, odd ones by libdwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Nearly every FDE of a linked file has the form that GNU as and LLVM write
   for `.cfi_startproc': it is in .eh_frame, and has a length of 32 bits,
   PC-relative pointers of 4 bytes, and augmentation data of less than 128
   bytes.  The fields are then at fixed offsets (LSB Core, section 10.6.1.2),
   and reading them directly takes a tenth of the time that libdwarf takes.  An
   FDE of this form is called plain, unless it is the first one of its CIE.
   The first one goes to libdwarf, which reads the CIE with it and has to
   accept both.  All other FDEs are odd, and libdwarf reads them.
   tools/maintainer/long.sh compares both ways on all files of a system, and
   test_plain_fde on damaged sections.  */

#ifndef CFI_FDE_H
#define CFI_FDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cfi/cfi_section.h"
#include "cfi/entry.h"

/* Read ENTRY, an FDE of SECTION's last input, into *FDE.  CIE is the index of
   its CIE, which cie_scan has filled in.  False if the FDE is not plain; then
   *FDE is unchanged.  */
bool plain_fde_read (const struct cfi_section *section,
                     const struct entry *entry, size_t cie,
                     struct cfi_fde *fde);

/* Read ENTRY, an FDE that is not plain, and its CIE, if the CIE has no
   instructions yet.  COPY is a buffer for the copies that libdwarf sees; its
   `failed' is set when memory runs out, here or in libdwarf.  Returns
   REASON_NONE, or why the FDE cannot be read; then TEXT (of TEXT_SIZE bytes)
   has a message for users.  */
enum frame_reason odd_fde_read (struct cfi_section *section,
                                const struct entry *entry, size_t cie,
                                struct buffer *copy, struct cfi_fde *fde,
                                char *text, size_t text_size);

/* The offset in FDE's entry, in .eh_frame, behind its address and size.  */
uint64_t fde_pointers_end (const struct cfi_section *section,
                           const struct cfi_fde *fde);

/* Set *LSDA to the address of FDE's language-specific data, or to 0 if it has
   none, as in .debug_frame always.  False when the pointer is damaged, or has
   a form that can only be resolved at run time.  */
bool fde_lsda (const struct cfi_section *section, const struct cfi_fde *fde,
               uint64_t *lsda);

#endif /* CFI_FDE_H */
