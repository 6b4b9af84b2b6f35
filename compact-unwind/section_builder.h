/* The compact unwind section of an ELF image, FDE by FDE, with an account of
   what it can say.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef COMPACT_UNWIND_SECTION_BUILDER_H
#define COMPACT_UNWIND_SECTION_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "cfi/cfi_section.h"
#include "compact-unwind/encode_function.h"
#include "compact-unwind/info_write.h"
#include "elf/image.h"
#include "elf/padding.h"
#include "frame/frame.h"

struct cunwind_section
{
  const struct image *image;
  const struct cfi_section *cfi;
  struct cunwind_info info; /* to be written */
  bool *cie_kept;           /* owned; per CIE: an escape needs it */
  uint64_t by_reason[CUNWIND_REASON_COUNT]; /* functions */
  uint64_t n_asynchronous; /* of those expressed: right at every instruction */
  uint64_t bytes_kept;     /* of .eh_frame: escaped FDEs and their CIEs */
};

/* Start the section for IMAGE with CFI; PADDING tells what lies between its
   functions.  All three must outlive SECTION.  False when memory ran out.  */
bool cunwind_section_init (struct cunwind_section *section,
                           const struct image *image,
                           const struct cfi_section *cfi,
                           const struct padding_finder *padding,
                           struct error *err);
void cunwind_section_free (struct cunwind_section *section);

/* Add FDE; the FDEs come in ascending order of addresses and do not overlap.
   FUNCTION holds its rows, with saved registers, or is NULL when its CFI could
   not be executed.  */
bool cunwind_section_add (struct cunwind_section *section,
                          const struct cfi_fde *fde,
                          const struct frame_function *function,
                          struct error *err);

#endif /* COMPACT_UNWIND_SECTION_BUILDER_H */
