/* Landing pads of exceptions, from the call-site tables in .gcc_except_table.
   SPDX-License-Identifier: LGPL-2.1-or-later

   GCC, LLVM and Rust use this format with the personality functions
   __gcc_personality_v0, __gxx_personality_v0 and others.  It is defined by
   LLVM's lib/CodeGen/AsmPrinter/EHStreamer.cpp and GCC's libgcc/unwind-c.c. */

#ifndef CFI_LANDING_PADS_H
#define CFI_LANDING_PADS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "analysis/code.h"
#include "elf/image.h"

/* The ranges of calls that may throw, with their landing pads.  The sizes of
   arguments are those of DW_CFA_GNU_args_size.  */
struct landing_pads
{
  struct code_pad *pads; /* owned; ascending, disjoint */
  size_t n, capacity;
};

/* Read the landing pads of all FDEs of SECTION into PADS.  Damaged tables are
   left out.  False when memory ran out, or for too many overlapping tables. */
bool landing_pads_read (struct landing_pads *pads, const struct image *image,
                        const struct cfi_section *section, struct error *err);
void landing_pads_free (struct landing_pads *pads);

#endif /* CFI_LANDING_PADS_H */
