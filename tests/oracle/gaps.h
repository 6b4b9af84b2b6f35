/* Where SFrame data and CFI need not agree: alignment behind functions, and
   return addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_GAPS_H
#define ORACLE_GAPS_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether the gap from START, the end of an FDE, to NEXT, where the next one
   begins (UINT64_MAX: none), may be covered up to END, at or below NEXT.  That
   is shorter than 16 bytes and holds nothing but the fillers that assemblers
   and linkers write; so does the rest of the gap, up to NEXT, to a section or
   symbol, or to an address that functions are aligned to.  The converter
   parses instructions; this compares with the literal sequences.  */
bool gap_is_filler (Elf *elf, uint64_t start, uint64_t end, uint64_t next);

/* Whether SIZE bytes at ADDRESS may be left out as a return address: they are
   the smallest instruction, and the bytes in front of them look like a call.
   The converter decodes instructions; this does not.  */
bool gap_is_return_address (Elf *elf, uint64_t address, size_t size);

#endif /* ORACLE_GAPS_H */
