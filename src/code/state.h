/* What is known before an instruction: registers, stack and bounds.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A state is made for a function's entry, changed by one instruction after the
   other, and joined where paths meet.  Joining only forgets, and there is not
   much to forget, so following all paths of a function until nothing changes
   comes to an end.  */

#ifndef CODE_STATE_H
#define CODE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "code/instruction.h"
#include "code/jump_table.h"
#include "code/machine.h"
#include "code/value.h"
#include "frame/frame.h"

enum
{
  STATE_SLOTS_MAX = 48,
  STATE_BOUNDS_MAX = 4
};

/* A word in the stack with a value that matters: a saved register, or an
   address in the stack.  */
struct slot
{
  struct value place; /* VALUE_CFA or VALUE_BASE */
  struct value value;
};

/* Something that was compared: a register's value, or memory.  */
struct subject
{
  struct value base; /* or the value itself */
  struct value index;
  int64_t offset;
  uint8_t scale;
  bool is_memory, has_base, has_index;
};

struct bound
{
  struct subject subject;
  uint64_t max; /* the subject's lower bits are not above this, unsigned */
};

struct state
{
  struct value registers[REG_COUNT];
  struct bound bounds[STATE_BOUNDS_MAX];
  /* What the flags tell of; a comparison of two registers has `other`.  */
  struct subject compared;
  uint64_t compared_with;
  uint8_t n_slots, n_bounds;
  bool has_compared, has_equals;
  uint8_t equals[2]; /* registers that were compared with each other */
  /* The base of VALUE_BASE <= CFA + this, or < unless an instruction had no
     effect that was not meant to have none.  */
  int32_t base_limit;
  bool base_is_below;
  struct slot slots[STATE_SLOTS_MAX]; /* last: most of it is not in use */
};

static inline void
state_copy (struct state *to, const struct state *from)
{
  memcpy (to, from,
          offsetof (struct state, slots)
              + from->n_slots * sizeof *from->slots);
}

/* At the entry of a function.  */
void state_enter (struct state *state, const struct code_machine *machine);

/* Do INSN at ADDRESS, without where it goes.  Loads of jump table entries are
   noted in TABLES.  */
void state_apply (struct state *state, const struct code_machine *machine,
                  const struct insn *insn, uint64_t address,
                  struct jump_tables *tables);

/* What a call at ADDRESS leaves, after it returned.  */
void state_call (struct state *state, const struct code_machine *machine,
                 uint64_t address);

/* Whether state_branch changes anything.  */
static inline bool
state_tells_branches (const struct state *state, enum insn_condition condition)
{
  return condition != CONDITION_OTHER
         && (state->has_compared || state->has_equals);
}

/* The branch with CONDITION was TAKEN or not.  */
void state_branch (struct state *state, enum insn_condition condition,
                   bool taken);

/* Forget in STATE what OTHER does not agree with.  AT is the address where
   both meet; addresses of code among jump tables' targets are noted in TABLES.
   True when something was forgotten.  */
bool state_join (struct state *state, const struct code_machine *machine,
                 const struct state *other, uint64_t at,
                 struct jump_tables *tables);

/* STATE holds where paths meet, at AT: values that only have a number get one
   of this place, so that later paths, which have others, change nothing.  */
void state_settle (struct state *state, const struct code_machine *machine,
                   uint64_t at);

/* The value in memory at PLACE; VALUE_MIXED when it is not known.  */
struct value state_load (const struct state *state, struct value place);

/* The bound of REGISTER_VALUE, or UINT64_MAX.  */
uint64_t state_bound (const struct state *state, struct value value);

/* The subject that the memory operand of INSN is.  */
struct subject state_memory (const struct state *state,
                             const struct insn *insn);

/* Whether INSN computes an address, and which.  */
bool state_names_place (const struct state *state, const struct insn *insn,
                        uint64_t *address);

/* Note the table that INSN at ADDRESS reads, if it can be one.  False: no.  */
bool state_table (const struct state *state,
                  const struct code_machine *machine, const struct insn *insn,
                  uint64_t address, struct jump_tables *tables,
                  uint32_t *number);

/* Whether the function could return now: SP, the return address and the
   registers that belong to the caller are as they were when it began.  */
bool state_is_restored (const struct state *state,
                        const struct code_machine *machine);

/* Whether no register is known to point into the stack: then the code has left
   its frame for another stack, and cannot come back to it.  */
bool state_has_left (const struct state *state,
                     const struct code_machine *machine);

/* The CFA, RA and FP rules of the state.  False when it cannot be said.  */
bool state_row (const struct state *state, const struct code_machine *machine,
                struct frame_row *row);

enum verdict
{
  VERDICT_UNKNOWN,
  VERDICT_AGREES,
  VERDICT_CONTRADICTS
};

/* What the state makes of the CFA, the RA and the FP rule of ROW.  */
enum verdict state_check_cfa (const struct state *state,
                              const struct code_machine *machine,
                              const struct frame_row *row);
enum verdict state_check_ra (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);
enum verdict state_check_fp (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);

/* The values that the rules of ROW compute.  */
struct value state_cfa_value (const struct state *state,
                              const struct code_machine *machine,
                              const struct frame_row *row);
struct value state_ra_value (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);
struct value state_fp_value (const struct state *state,
                             const struct code_machine *machine,
                             const struct frame_row *row);

/* Where in the stack the caller's FP, or the RA, is kept, or VALUE_MIXED.  */
struct value state_fp_place (const struct state *state,
                             const struct code_machine *machine);
struct value state_ra_place (const struct state *state,
                             const struct code_machine *machine);

#endif /* CODE_STATE_H */
