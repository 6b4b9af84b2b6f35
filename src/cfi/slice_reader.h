/* Reading the FDEs of a part of .eh_frame through libdwarf, slice by slice.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CFI_SLICE_READER_H
#define CFI_SLICE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/eh_frame.h"

/* Append the FDEs among the entries from offset BEGIN to END, both of them
   ends of entries, to SECTION's, where there is room for them, and note
   damaged entries.  SECTION's CIEs have been found; those that are used are
   decoded.  Programs are numbered from 0 in the order of appearance;
   N_EXPECTED FDEs are a hint.  False when memory ran out.  */
bool slice_reader_run (struct cfi_section *section, uint64_t begin,
                       uint64_t end, size_t n_expected, struct error *err);

#endif /* CFI_SLICE_READER_H */
