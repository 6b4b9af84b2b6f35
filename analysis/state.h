/* The abstract state in front of an instruction: what registers and stack
   hold, and what comparisons have shown about these values.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A state is created for a function's entry, changed by the transfer function
   of each instruction, and joined where paths meet.  A join only removes
   knowledge, of which a state has a limited amount.  So the worklist, which
   interprets a function until no state changes, terminates.  */

#ifndef ANALYSIS_STATE_H
#define ANALYSIS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/insn.h"
#include "analysis/jump_table.h"
#include "analysis/machine.h"
#include "analysis/value.h"

enum
{
  STATE_SLOTS_MAX = 48,
  STATE_BOUNDS_MAX = 4
};

/* A word of the stack whose value is known: a saved register, an address in
   the stack, or some constants.  */
struct slot
{
  struct value place; /* VALUE_CFA or VALUE_BASE */
  struct value value;
};

/* The operand of a comparison: a register's value, or a word of memory.  */
struct subject
{
  struct value base; /* base of the address, or the register's value */
  struct value index;
  int64_t offset;
  uint8_t scale;
  bool is_memory, has_base, has_index;
};

struct limit
{
  uint64_t max; /* of the lower bits, unsigned; UINT64_MAX: none */
  bool is_weak; /* paths with other limits were joined */
};

struct bound
{
  struct subject subject;
  struct limit limit;
};

struct state
{
  const struct code_machine *machine;
  struct jump_tables *tables; /* numbered by VALUE_TABLE_ENTRY */
  struct value registers[REG_COUNT];
  struct bound bounds[STATE_BOUNDS_MAX];
  /* The last comparison, whose result the flags have: of this subject with
     this number.  */
  struct subject compared;
  uint64_t compared_with;
  uint8_t n_slots, n_bounds;
  bool has_compared, has_equals;
  /* VALUE_FORKED or VALUE_MAYBE_FORKED if the flags say whether a value of
     that kind is 0; otherwise VALUE_COMPUTED.  */
  uint8_t tested;
  /* The path is that of a parent process and of its child, which has another
     stack.  No row holds for both until a branch separates them.  */
  bool includes_child;
  /* The path has made a system call of an unknown number, which may be
     sigreturn: that does not return.  */
  bool has_unknown_syscall;
  /* The path relies on an unknown callee to have preserved SP.  */
  bool trusts_sp;
  uint8_t equals[2]; /* SP and the register that SP was compared with */
  /* An upper limit of the address that VALUE_BASE counts from: the address is
     at most CFA + base_limit.  With base_is_below it is lower than that,
     provided that each instruction that moves it has an effect.  */
  int64_t base_limit;
  bool base_is_below;
  uint64_t popped; /* mask of slots that are below SP after a pop */
  struct slot slots[STATE_SLOTS_MAX]; /* last, because most of it is unused */
};

/* Return the number of bytes of STATE that are in use.  */
static inline size_t
state_size (const struct state *state)
{
  return offsetof (struct state, slots)
         + state->n_slots * sizeof *state->slots;
}

static inline void
state_copy (struct state *to, const struct state *from)
{
  memcpy (to, from, state_size (from));
}

/* Set STATE to a function's entry.  MACHINE and TABLES must outlive STATE.  */
void state_enter (struct state *state, const struct code_machine *machine,
                  struct jump_tables *tables);

/* Return the value of REG; unknown if that is no register.  */
static inline struct value
state_register (const struct state *state, unsigned reg)
{
  return reg < REG_COUNT ? state->registers[reg] : value_of (VALUE_UNKNOWN, 0);
}

/* Return the value of the stack pointer.  */
static inline struct value
state_sp (const struct state *state)
{
  return state->registers[state->machine->arch->sp];
}

/* Return VALUE as a subject.  */
static inline struct subject
subject_of_value (struct value value)
{
  return (struct subject){ .base = value, .has_base = true };
}

/* Store VALUE into WIDTH bytes at PLACE.  Only saved registers, addresses in
   the stack and some constants are kept in slots.

   A pointer that is not known to point into the stack is assumed not to
   overwrite slots.  */
void state_store (struct state *state, struct value place, struct value value,
                  unsigned width);

/* Return the index of the slot at PLACE, or n_slots.  */
unsigned state_find_slot (const struct state *state, struct value place);

/* Remove slot INDEX.  The last slot takes its index.  */
void state_remove_slot (struct state *state, unsigned index);

/* Return the value of the word at PLACE; VALUE_UNKNOWN without a slot.  */
struct value state_load (const struct state *state, struct value place);

/* Set *NUMBER to the 4 bytes at PLACE.  False: no number was stored there.  */
bool state_load_half (const struct state *state, struct value place,
                      struct value *number);

/* Return the bound of VALUE, or of SUBJECT.  */
struct limit state_bound (const struct state *state, struct value value);
struct limit state_bound_of (const struct state *state,
                             const struct subject *subject);

/* Set the bound of the lower bits of SUBJECT to LIMIT.  If there is no room,
   the oldest bound is dropped.  */
void state_set_bound (struct state *state, const struct subject *subject,
                      struct limit limit);

/* Drop the bounds of all subjects that depend on WIDTH bytes at PLACE, which
   have changed; or on VALUE.  A value is numbered by the instruction that
   makes it, and so changes when that instruction is executed again.  */
void state_forget_bounds (struct state *state, struct value place,
                          unsigned width);
void state_forget_value (struct state *state, struct value value);

/* Return the memory operand of INSN as a subject.  */
struct subject state_memory (const struct state *state,
                             const struct insn *insn);

/* Join OTHER into STATE at the address AT: keep in STATE what OTHER agrees
   with.  Constants that are joined with targets of jump tables become tables
   of one entry.  True if STATE has changed.  */
bool state_join (struct state *state, const struct state *other, uint64_t at);

/* Make STATE that of a block at AT: drop the flags, and renumber values that
   have nothing but a number, so that later joins do not change these.  */
void state_renumber (struct state *state, uint64_t at);

/* ---- The transfer of one instruction (state_apply.c) */

/* Apply INSN to STATE, except for its jump or call.  Jump tables that it reads
   are added to the tables of STATE.  */
void state_apply (struct state *state, const struct insn *insn);

/* Set *NUMBER to that of the system call behind STATE.  False: unknown.  */
bool state_syscall_number (const struct state *state, int64_t *number);

/* Whether INSN, with STATE in front of it, is a system call that ends the
   thread or the process.  */
bool state_exits (const struct state *state, const struct insn *insn);

/* Change STATE to what holds after INSN, a call, has returned.  */
void state_call (struct state *state, const struct insn *insn);

/* Whether state_branch () may change STATE.  */
static inline bool
state_branch_may_change (const struct state *state,
                         enum insn_condition condition)
{
  return condition != CONDITION_OTHER
         && (state->has_compared || state->has_equals);
}

/* Whether INSN, a branch, separates a parent from its child after a system
   call that returned twice (VALUE_FORKED), or may do so (VALUE_MAYBE_FORKED).
   *TAKEN: the child takes the branch; otherwise it goes on behind it.
   VALUE_COMPUTED: INSN is no such branch.  */
enum value_kind state_branch_on_fork (const struct state *state,
                                      const struct insn *insn, bool *taken);

/* Record that the branch with CONDITION was TAKEN, or not.  False: the
   comparison shows that this is impossible.  */
bool state_branch (struct state *state, enum insn_condition condition,
                   bool taken);

/* Whether INSN computes an address.  If so, set *ADDRESS.  */
bool state_computes_address (const struct state *state,
                             const struct insn *insn, uint64_t *address);

/* Add the jump table that INSN reads, and set *NUMBER to the table's.  False:
   INSN cannot read one.  */
bool state_table (const struct state *state, const struct insn *insn,
                  uint32_t *number);

/* ---- Rows of a state, and checks of given rows (state_row.c) */

/* Whether SP has its value of the entry.  */
bool state_is_at_entry (const struct state *state);

/* Return the mask of callee-saved registers without the entry's values.  */
uint32_t state_changed_registers (const struct state *state);

/* Whether the return address is in REG, or at its fixed place in the stack
   where the ABI has one.  */
bool state_has_ra (const struct state *state, unsigned reg);

/* Whether the function could return now: SP, the return address and the
   callee-saved registers have their values of the entry.  */
bool state_is_restored (const struct state *state);

/* Whether no register is known to point into the stack.  Then the code has
   switched to another stack, and cannot find its frame again.  */
bool state_has_lost_frame (const struct state *state);

/* Whether VALUE is in a slot above the stack pointer, to be restored.  */
bool state_can_restore (const struct state *state, struct value value);

/* Whether some callee-saved register was overwritten after it was saved in the
   frame, below the entry's stack pointer.  */
bool state_saves_registers (const struct state *state);

/* Set ROW to the CFA and RA rules of STATE, and the FP rule if WITH_FP; that
   is RULE_SAME otherwise.  False: STATE has no such row.  */
bool state_row (const struct state *state, bool with_fp,
                struct frame_row *row);

enum verdict
{
  VERDICT_UNKNOWN,
  VERDICT_AGREES,
  VERDICT_CONTRADICTS
};

/* Compare rule WHICH of ROW with STATE.  */
enum verdict state_check (const struct state *state, enum row_rule which,
                          const struct frame_row *row);

/* Return the value that the rule computes in STATE.  */
struct value state_rule_value (const struct state *state, enum row_rule which,
                               const struct frame_row *row);

/* Return the place of the slot that has the caller's FP, or the return
   address; VALUE_UNKNOWN without one.  */
struct value state_saved_at (const struct state *state, enum row_rule which);

#endif /* ANALYSIS_STATE_H */
