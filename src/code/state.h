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

struct limit
{
  uint64_t max; /* lower bits are not above this, unsigned; UINT64_MAX: none */
  bool is_weak; /* paths with other limits met */
};

struct bound
{
  struct subject subject;
  struct limit limit;
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
  bool has_forked; /* the flags tell whether a VALUE_FORKED is 0 */
  /* A child with another stack was made, and has not gone its own way yet: no
     row holds for both.  */
  bool is_child_too;
  uint8_t equals[2]; /* registers that were compared with each other */
  /* The base of VALUE_BASE <= CFA + this, or < unless an instruction had no
     effect that was not meant to have none.  */
  int64_t base_limit;
  bool base_is_below;
  uint64_t released; /* mask of slots that were above the stack pointer once,
                        and are below it */
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

/* At the entry of a function.  */
void state_enter (struct state *state, const struct code_machine *machine);

/* What is compared, or bounded, where VALUE is.  */
static inline struct subject
subject_of_value (struct value value)
{
  return (struct subject){ .base = value, .has_base = true };
}

/* WIDTH bytes at PLACE get VALUE.  What matters is kept.  In a correct program
   stores through pointers that are not known to point into the stack cannot
   reach saved registers; and BY_POINTER, neither SP nor FP, not where they are
   known to, because the only copy of what belongs to the caller is needed:
   that is a path that is never taken, or a pointer that has changed.  */
void state_store (struct state *state, const struct code_machine *machine,
                  struct value place, struct value value, unsigned width,
                  bool by_pointer);

/* The index of the slot at PLACE, or n_slots.  */
unsigned state_find_slot (const struct state *state, struct value place);

/* Take out slot INDEX, for which the last one comes in.  */
void state_remove_slot (struct state *state, unsigned index);

/* The value in memory at PLACE; VALUE_MIXED when it is not known.  */
struct value state_load (const struct state *state, struct value place);

/* The bound of VALUE, or of SUBJECT.  */
struct limit state_bound (const struct state *state, struct value value);
struct limit state_bound_of (const struct state *state,
                             const struct subject *subject);

/* The subject's lower bits are not above LIMIT.  The oldest bound makes
   room.  */
void state_set_bound (struct state *state, const struct subject *subject,
                      struct limit limit);
void state_remove_bound (struct state *state, unsigned index);

/* Whether anything bounded depends on VALUE.  */
bool state_is_bounded (const struct state *state, struct value value);

/* Forget bounds of what may have changed: WIDTH bytes of memory at PLACE; or
   VALUE, when an instruction that was met before gives its register a new one
   under the same number.  */
void state_forget_bounds (struct state *state, struct value place,
                          unsigned width);
void state_forget_value (struct state *state, struct value value);

/* The subject that the memory operand of INSN is.  */
struct subject state_memory (const struct state *state,
                             const struct insn *insn);

#endif /* CODE_STATE_H */
