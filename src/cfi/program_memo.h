/* Remembering what became of a program, for FDEs that have the same one.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Two thirds of the functions of a C++ library have call-frame instructions
   that another one had before, byte for byte, with the same CIE.  Their rows
   are equal then, unless a function ends before the program does.  */

#ifndef CFI_PROGRAM_MEMO_H
#define CFI_PROGRAM_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/eh_frame.h"

struct program_memo; /* opaque */

/* A memo about FDEs of SECTION, which must outlive it; N_EXPECTED of them will
   be asked for.  NULL when memory ran out.  */
struct program_memo *program_memo_new (const struct cfi_section *section,
                                       size_t n_expected);
void program_memo_free (struct program_memo *memo);

/* Whether a program equal to that of the FDE with this INDEX was kept and
   says the same of it: *RESULT is what was kept.  */
bool program_memo_find (struct program_memo *memo, size_t index,
                        uint32_t *result);

/* Keep RESULT for the program that program_memo_find was last asked for in
   vain.  REACH: for functions larger than so many bytes it is the same (see
   cfa_machine_reach).  The memo may decline to.  */
void program_memo_keep (struct program_memo *memo, uint64_t reach,
                        uint32_t result);

#endif /* CFI_PROGRAM_MEMO_H */
