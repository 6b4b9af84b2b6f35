/* The head of an FDE: what stands in front of its instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CFI_FDE_HEAD_H
#define CFI_FDE_HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi/eh_frame.h"

/* Offsets count from the beginning of the entry.  */
struct fde_head
{
  uint64_t address, size;     /* of the code */
  uint64_t augmentation;      /* offset of the augmentation data, ... */
  uint64_t augmentation_size; /* ... in bytes */
  uint64_t instructions;      /* offset; they reach to the entry's end */
};

/* Read the head of the entry of ENTRY_SIZE bytes at OFFSET, an FDE of CIE,
   which was decoded.  False when the entry ends before its head does.  */
bool fde_head_read (const struct cfi_section *section,
                    const struct cfi_cie *cie, uint64_t offset,
                    uint64_t entry_size, struct fde_head *head);

#endif /* CFI_FDE_HEAD_H */
