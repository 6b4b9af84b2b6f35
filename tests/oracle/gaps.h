/* Alignment between functions, which one SFrame entry for both may cover.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_GAPS_H
#define ORACLE_GAPS_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether [START, END), a whole gap between two FDEs, is shorter than 16 bytes
   and holds nothing but the fillers that assemblers and linkers write.  The
   converter parses instructions; this compares with the literal sequences.  */
bool gap_is_filler (Elf *elf, uint64_t start, uint64_t end);

#endif /* ORACLE_GAPS_H */
