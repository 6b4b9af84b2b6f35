/* Where instructions lead: jump tables, calls, landing pads.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_UNIT_FLOW_H
#define CODE_UNIT_FLOW_H

#include "code/unit_graph.h"

/* STATE gets to TARGET, if that is in the unit.  */
void unit_jump (struct unit *unit, uint64_t target, const struct state *state);

/* Whether INSN, a branch in front of a switch, is never taken: its default
   case is empty because the compiler knows all values, and at the end of the
   function, which is where another one starts, perhaps behind padding.  */
bool unit_is_never_taken (const struct unit *unit, const struct insn *insn);

/* INSN at ADDRESS, an indirect jump, goes by tables.  Whether each of them
   leads anywhere.  */
bool unit_jump_by_tables (struct unit *unit, const struct insn *insn,
                          uint64_t address, const struct state *state);

/* The place of the address that INSN, a call, reads, perhaps by way of a stub;
   0: unknown.  */
uint64_t unit_called_place (const struct unit_context *context,
                            const struct insn *insn);

/* Whether INSN, a call at ADDRESS, comes back.  A callee that nobody has
   followed yet counts as returning for now; the unit will be followed again
   (unit_met_unknown).  */
bool unit_call_returns (struct unit *unit, const struct insn *insn,
                        uint64_t address, const struct state *state);

/* What INSN, a call at ADDRESS, leaves of STATE after it returned.  */
void unit_call (struct unit *unit, const struct insn *insn, uint64_t address,
                struct state *state);

/* A call may end up at a landing pad, with the registers of the caller and
   without the arguments on the stack.  */
void unit_throw (struct unit *unit, uint64_t call, const struct state *state);

#endif /* CODE_UNIT_FLOW_H */
