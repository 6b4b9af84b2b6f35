/* Functions of the rows that were found in code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_FOUND_FUNCTIONS_H
#define ANALYSIS_FOUND_FUNCTIONS_H

#include "analysis/code.h"

/* Make functions of the rows of FINDINGS, but for code that REQUEST knows.
   What cannot be written is left out, unless REQUEST says that others wrote
   it.  FOUND, ascending and disjoint, is to be freed also after failure.  */
bool code_found_functions (const struct code_findings *findings,
                           const struct code_request *request,
                           struct frame_functions *found, struct error *err);

/* Whether ROW reads the stack below the stack pointer, as far as it tells
   where that is, and not in what the ABI of ARCH keeps there.  No row of
   findings->row_map does; what is written is asked again.  */
bool code_row_reads_below_sp (const struct frame_row *row,
                              const struct arch *arch);

#endif /* ANALYSIS_FOUND_FUNCTIONS_H */
