/* What PLT stubs without CFI do to the stack, worked out instruction by
   instruction.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The converter recognises whole stubs in a table; this follows the
   instructions, so that a wrong table entry shows.  */

#ifndef ORACLE_STUBS_H
#define ORACLE_STUBS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "referee.h"

enum
{
  STUB_UNKNOWN = -1,    /* not followed: nothing may be claimed here */
  STUB_UNREACHABLE = -2 /* padding behind a jump: any claim is idle */
};

/* One PLT section.  */
struct stub_section
{
  uint64_t start, end;
  int16_t *cfa; /* by byte: CFA - SP, or one of the above */
};

struct stubs
{
  struct stub_section *sections; /* ascending start */
  size_t n_sections;
};

bool stubs_find (struct stubs *stubs, Elf *elf, const struct referee_abi *abi);
void stubs_free (struct stubs *stubs);

/* CFA - SP at PC.  */
int stubs_cfa_at (const struct stubs *stubs, uint64_t pc);

/* What a stub says at PC: RA and FP are as at a function's entry.  False
   where it says nothing (STUB_UNKNOWN).  */
bool stubs_verdict (const struct referee_abi *abi, int cfa, uint64_t pc,
                    struct verdict *verdict);

#endif /* ORACLE_STUBS_H */
