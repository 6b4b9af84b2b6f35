/* Making the compact unwind section of an ELF file, FDE by FDE, and counting
   the functions that it can express.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COMPACT_UNWIND_SECTION_BUILDER_H
#define COMPACT_UNWIND_SECTION_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "compact-unwind/function_encoding.h"
#include "compact-unwind/info.h"
#include "elf/image.h"
#include "elf/padding.h"
#include "frame/frame.h"

struct cunwind_section
{
  const struct image *image;
  const struct cfi_section *cfi;
  const struct padding_finder *padding;
  struct cunwind_info info; /* to be written */
  bool *cie_kept;           /* owned; by CIE: an entry refers to its FDE */
  uint64_t by_reason[CUNWIND_REASON_COUNT]; /* numbers of functions */
  uint64_t
      n_asynchronous;  /* expressed functions, right at every instruction */
  uint64_t bytes_kept; /* of .eh_frame: FDEs that entries refer to, and their
                          CIEs */
};

/* Start the section for IMAGE with CFI.  PADDING finds the padding between
   functions.  All three must outlive SECTION.  False when memory ran out.  */
bool cunwind_section_init (struct cunwind_section *section,
                           const struct image *image,
                           const struct cfi_section *cfi,
                           const struct padding_finder *padding,
                           struct error *err);
void cunwind_section_free (struct cunwind_section *section);

/* Add FDE.  FDEs are added in ascending order of addresses and do not overlap.
   FUNCTION has its rows, with saved registers, or is NULL if its CFI could not
   be executed.  */
bool cunwind_section_add (struct cunwind_section *section,
                          const struct cfi_fde *fde,
                          const struct frame_function *function,
                          struct error *err);

#endif /* COMPACT_UNWIND_SECTION_BUILDER_H */
