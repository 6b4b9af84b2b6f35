/* A shadow of the call stack, from single steps.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Needs neither CFI nor symbols: what a call pushes, and what the frame
   pointer was then, is noted, and each row has to lead there until it returns.
   x86-64 only.  */

#ifndef LIVING_SHADOW_H
#define LIVING_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stacks/stack_walk.h"

struct shadow_call
{
  uint64_t slot; /* where the return address is */
  uint64_t ra, fp;
};

/* One stack.  Programs can have several, and switch.  */
struct shadow_stack
{
  struct shadow_call *calls; /* owned */
  size_t n, capacity;
  uint64_t left_at; /* stack pointer when it was left */
};

enum
{
  SHADOW_STACKS = 64
};

struct shadow
{
  struct shadow_stack stacks[SHADOW_STACKS];
  size_t n_stacks, current;
  struct stack_walk walk; /* of the topmost frame and its caller */
  uint64_t *pcs; /* owned; a hash table: different ones that were compared */
  size_t n_pcs, pcs_capacity;
  uint64_t steps, compared, wrong, no_row, unknown;
};

/* SHADOW is zeroed.  False when memory ran out.  */
bool shadow_init (struct shadow *shadow);

/* The thread with the registers BEFORE did one step, or got a SIGNAL, and has
   the registers AFTER.  */
void shadow_follow (struct shadow *shadow, struct process *process,
                    const struct registers *before,
                    const struct registers *after, bool signal);

/* Compare the frame with REGISTERS with what SFrame says.  False, and EXPECTED
   and FOUND set, when they differ.  */
bool shadow_compare (struct shadow *shadow, struct process *process,
                     const struct registers *registers, struct frame *expected,
                     struct frame *found);

void shadow_free (struct shadow *shadow);

#endif /* LIVING_SHADOW_H */
