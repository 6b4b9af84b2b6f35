/* Whether what was followed is a function that keeps to the ABI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_UNIT_CHECK_H
#define CODE_UNIT_CHECK_H

#include "code/unit_graph.h"

/* Whether what leads to ADDRESS is a call, perhaps with padding behind it.
   If another function starts there, the call does not return.  */
bool unit_is_after_call (const struct unit *unit, uint64_t address);

/* Whether Go's table has the stack pointer where STATE has it.  */
bool unit_agrees_with_go (const struct unit *unit, uint64_t address,
                          const struct state *state);

/* Look at INSN at ADDRESS, in front of which STATE holds, of UNIT, a struct
   unit that was followed: a visitor for unit_visit.  */
void unit_check (void *unit, uint64_t address, const struct insn *insn,
                 const struct state *state);

#endif /* CODE_UNIT_CHECK_H */
