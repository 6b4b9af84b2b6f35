/* The state in front of an instruction: what registers and stack hold, and
   what comparisons have shown of them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A state is made for a function's entry, changed by one instruction after the
   other, and joined where paths meet.  A join only removes knowledge, of which
   there is a limited amount.  So the worklist, which follows all paths of a
   function until no state changes, comes to an end.  */

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

/* A word in the stack whose value is known: a saved register, or an address
   in the stack.  */
struct slot
{
  struct value place; /* VALUE_CFA or VALUE_BASE */
  struct value value;
};

/* The subject of a comparison: the value of a register, or memory.  */
struct subject
{
  struct value base; /* of an address; or the register's value */
  struct value index;
  int64_t offset;
  uint8_t scale;
  bool is_memory, has_base, has_index;
};

struct limit
{
  uint64_t max; /* of the lower bits, unsigned; UINT64_MAX: no limit */
  bool is_weak; /* paths with other limits have met here */
};

struct bound
{
  struct subject subject;
  struct limit limit;
};

struct state
{
  const struct code_machine *machine;
  struct jump_tables *tables; /* whose numbers VALUE_ENTRY and the like have */
  struct value registers[REG_COUNT];
  struct bound bounds[STATE_BOUNDS_MAX];
  /* The last comparison, whose result is in the flags: of this subject with
     this number.  */
  struct subject compared;
  uint64_t compared_with;
  uint8_t n_slots, n_bounds;
  bool has_compared, has_equals;
  /* The flags say whether a VALUE_FORKED or VALUE_MAYBE_FORKED is 0; or
   * neither.  */
  uint8_t tested;
  /* The path is that of a parent and of its child, which has another stack: no
     row holds for both until a branch separates the two.  */
  bool includes_child;
  /* The path has made a system call of an unknown number, perhaps sigreturn:
     then it did not get here.  */
  bool has_unknown_syscall;
  /* The path has called what is not known, which is taken to have kept the
     stack pointer.  */
  bool trusts_sp;
  uint8_t equals[2]; /* SP and the register that it was compared with */
  /* An upper limit of the address that VALUE_BASE counts from: it is at most
     CFA + base_limit.  With base_is_below it is below that, provided that each
     instruction that moves the address has an effect.  */
  int64_t base_limit;
  bool base_is_below;
  uint64_t popped; /* mask of slots that are below the stack pointer, and
                        have been above it */
  struct slot slots[STATE_SLOTS_MAX]; /* last: most of it is not in use */
};

/* The bytes of STATE that are in use.  */
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

/* At the entry of a function.  MACHINE and TABLES must outlive STATE.  */
void state_enter (struct state *state, const struct code_machine *machine,
                  struct jump_tables *tables);

/* What register REG holds, if it is one.  */
static inline struct value
state_register (const struct state *state, unsigned reg)
{
  return reg < REG_COUNT ? state->registers[reg] : value_of (VALUE_UNKNOWN, 0);
}

/* What the stack pointer holds.  */
static inline struct value
state_sp (const struct state *state)
{
  return state->registers[state->machine->arch->sp];
}

/* VALUE as a subject.  */
static inline struct subject
subject_of_value (struct value value)
{
  return (struct subject){ .base = value, .has_base = true };
}

/* Store VALUE into WIDTH bytes at PLACE.  Slots keep saved registers,
   addresses in the stack and some constants; other values are dropped.

   A pointer that is not known to point into the stack is taken not to reach
   them.  */
void state_store (struct state *state, struct value place, struct value value,
                  unsigned width);

/* The index of the slot at PLACE, or n_slots.  */
unsigned state_find_slot (const struct state *state, struct value place);

/* Remove slot INDEX; the last slot takes its place.  */
void state_remove_slot (struct state *state, unsigned index);

/* The value in memory at PLACE; VALUE_UNKNOWN when it is not known.  */
struct value state_load (const struct state *state, struct value place);

/* The 4 bytes in memory at PLACE, if they are a NUMBER that is known.  */
bool state_load_half (const struct state *state, struct value place,
                      struct value *number);

/* The bound of VALUE, or of SUBJECT.  */
struct limit state_bound (const struct state *state, struct value value);
struct limit state_bound_of (const struct state *state,
                             const struct subject *subject);

/* Note that the lower bits of SUBJECT are not above LIMIT.  If there is no
   room the oldest bound is dropped.  */
void state_set_bound (struct state *state, const struct subject *subject,
                      struct limit limit);

/* Forget the bounds of all subjects that depend on WIDTH bytes of memory at
   PLACE, which have changed; or on VALUE.  A value has the number of the
   instruction that made it, so that it changes when a path comes to that
   instruction again.  */
void state_forget_bounds (struct state *state, struct value place,
                          unsigned width);
void state_forget_value (struct state *state, struct value value);

/* The memory operand of INSN as a subject.  */
struct subject state_memory (const struct state *state,
                             const struct insn *insn);

/* Forget in STATE what OTHER does not agree with.  AT is the address where
   both meet; addresses of code among jump tables' targets are noted in the
   tables of STATE.  True when something was forgotten.  */
bool state_join (struct state *state, const struct state *other, uint64_t at);

/* STATE holds where paths meet, at AT: values that only have a number get one
   of this place, so that later paths, which have others, change nothing.  */
void state_renumber (struct state *state, uint64_t at);

/* ---- The transfer of one instruction (state_apply.c) */

/* Do INSN, without where it goes.  Loads of jump table entries are noted in
   the tables of STATE.  */
void state_apply (struct state *state, const struct insn *insn);

/* The NUMBER of the system call that STATE is in front of.  False: unknown. */
bool state_syscall_number (const struct state *state, int64_t *number);

/* Whether INSN, with STATE in front, is a system call that ends the thread or
   the process.  */
bool state_exits (const struct state *state, const struct insn *insn);

/* What INSN, a call, leaves after it returned.  */
void state_call (struct state *state, const struct insn *insn);

/* Whether state_branch changes anything.  */
static inline bool
state_tells_branches (const struct state *state, enum insn_condition condition)
{
  return condition != CONDITION_OTHER
         && (state->has_compared || state->has_equals);
}

/* Whether INSN, a branch, is where the child of a system call that returned
   twice leaves its parent (VALUE_FORKED) or may do so (VALUE_MAYBE_FORKED):
   *TAKEN, by the branch, or else behind it.  VALUE_COMPUTED: it is not.  */
enum value_kind state_branch_on_fork (const struct state *state,
                                      const struct insn *insn, bool *taken);

/* The branch with CONDITION was TAKEN or not.  False: what was compared shows
   that this cannot be.  */
bool state_branch (struct state *state, enum insn_condition condition,
                   bool taken);

/* Whether INSN computes an address, and which.  */
bool state_computes_address (const struct state *state,
                             const struct insn *insn, uint64_t *address);

/* Note the table that INSN reads, if it can be one.  False: no.  */
bool state_table (const struct state *state, const struct insn *insn,
                  uint32_t *number);

/* From a state to the rules of a row, and what it makes of others' rules
   (state_row.c).  */

/* Whether SP is what it was at the entry.  */
bool state_is_at_entry (const struct state *state);

/* A mask of the registers of the ABI that have other values than at the
   entry.  */
uint32_t state_changed_registers (const struct state *state);

/* Whether register REG, or where the ABI fixes that, the place in the stack,
   has the return address.  */
bool state_has_ra (const struct state *state, unsigned reg);

/* Whether the function could return now: SP, the return address and the
   registers that belong to the caller are as they were when it began.  */
bool state_is_restored (const struct state *state);

/* Whether no register is known to point into the stack: then the code has left
   its frame for another stack, and cannot come back to it.  */
bool state_has_lost_frame (const struct state *state);

/* Whether VALUE is in the frame, where it can be had back from.  */
bool state_can_restore (const struct state *state, struct value value);

/* Whether a register of the ABI holds something else than the caller's value,
   which is in the frame, below the stack pointer that the function was entered
   with.  */
bool state_saves_registers (const struct state *state);

/* Set ROW to the CFA and RA rules of STATE, and WITH_FP to that of FP, which
   is RULE_SAME otherwise.  False when STATE has no such row.  */
bool state_row (const struct state *state, bool with_fp,
                struct frame_row *row);

enum verdict
{
  VERDICT_UNKNOWN,
  VERDICT_AGREES,
  VERDICT_CONTRADICTS
};

/* What STATE makes of a rule of ROW.  */
enum verdict state_check (const struct state *state, enum row_rule which,
                          const struct frame_row *row);

/* The value that it computes.  */
struct value state_rule_value (const struct state *state, enum row_rule which,
                               const struct frame_row *row);

/* Where in the stack the caller's FP, or the RA, is kept, or VALUE_UNKNOWN. */
struct value state_kept_at (const struct state *state, enum row_rule which);

#endif /* ANALYSIS_STATE_H */
