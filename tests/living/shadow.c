/* A shadow of the call stack, from single steps.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "shadow.h"

#include <stdlib.h>
#include <string.h>

enum
{
  FP = 6,
  SP = 7,
  WORD = 8,
  INSTRUCTION_MAX = 15,
  NEAR = 64 /* a stack is left and entered again at nearly the same place */
};

bool
shadow_init (struct shadow *shadow)
{
  return stack_walk_init (&shadow->walk, 2);
}

/* Instructions.  */

/* The opcode of the instruction at PC behind its prefixes, and the byte that
   follows.  */
static bool
read_opcode (struct process *process, uint64_t pc, uint8_t opcode[2])
{
  uint8_t bytes[INSTRUCTION_MAX];
  size_t size = sizeof bytes;
  while (size > 1 && !memory_read (&process->memory, pc, bytes, size))
    size--;
  for (size_t i = 0; i + 1 < size; i++)
    {
      uint8_t byte = bytes[i];
      bool prefix = (byte >= 0x40 && byte <= 0x4f) || byte == 0x66
                    || byte == 0xf2 || byte == 0xf3 || byte == 0x3e
                    || byte == 0x67 || byte == 0xf0;
      if (prefix)
        continue;
      opcode[0] = byte;
      opcode[1] = bytes[i + 1];
      return true;
    }
  return false;
}

static bool
is_call (const uint8_t opcode[2])
{
  return opcode[0] == 0xe8 || (opcode[0] == 0xff && (opcode[1] >> 3 & 7) == 2);
}

/* mov and xchg to the stack pointer, and pop of it.  */
static bool
loads_sp (const uint8_t opcode[2])
{
  bool to_rm = (opcode[1] & 7) == 4 && opcode[1] >> 6 == 3;
  bool to_reg = (opcode[1] >> 3 & 7) == 4;
  return (opcode[0] == 0x89 && to_rm) || (opcode[0] == 0x8b && to_reg)
         || (opcode[0] == 0x87 && (to_rm || to_reg)) || opcode[0] == 0x5c;
}

/* Stacks.  */

static bool
read_word (struct process *process, uint64_t address, uint64_t *word)
{
  return memory_read (&process->memory, address, word, sizeof *word);
}

/* Calls are over when their return address was popped.  */
static void
drop_below (struct shadow_stack *stack, uint64_t sp)
{
  while (stack->n > 0 && stack->calls[stack->n - 1].slot < sp)
    stack->n--;
}

static bool
is_near (uint64_t a, uint64_t b)
{
  return a - b + NEAR <= 2 * NEAR;
}

/* Another stack has SP: one that was left there, or a new one in place of the
   oldest.  */
static void
switch_stack (struct shadow *shadow, uint64_t from, uint64_t sp)
{
  shadow->stacks[shadow->current].left_at = from;
  for (size_t i = 0; i < shadow->n_stacks; i++)
    if (i != shadow->current && is_near (shadow->stacks[i].left_at, sp))
      {
        shadow->current = i;
        return;
      }
  if (shadow->n_stacks < SHADOW_STACKS)
    shadow->current = shadow->n_stacks++;
  else
    shadow->current = (shadow->current + 1) % SHADOW_STACKS;
  shadow->stacks[shadow->current].n = 0;
}

static void
push_call (struct shadow_stack *stack, struct shadow_call call)
{
  drop_below (stack, call.slot + 1);
  if (stack->n == stack->capacity)
    {
      size_t capacity = stack->capacity ? 2 * stack->capacity : 64;
      struct shadow_call *more
          = reallocarray (stack->calls, capacity, sizeof *more);
      if (!more)
        abort ();
      stack->calls = more;
      stack->capacity = capacity;
    }
  stack->calls[stack->n++] = call;
}

/* The current stack, after the instruction with OPCODE.  A stack pointer that
   is loaded and is neither where it was nor further up among the known calls
   is that of another stack.  */
static struct shadow_stack *
stack_after (struct shadow *shadow, const uint8_t opcode[2], uint64_t from,
             uint64_t to)
{
  struct shadow_stack *stack = &shadow->stacks[shadow->current];
  bool inside = stack->n > 0 && to >= from && to <= stack->calls[0].slot;
  if (loads_sp (opcode) && !is_near (from, to) && !inside)
    switch_stack (shadow, from, to);
  return &shadow->stacks[shadow->current];
}

void
shadow_follow (struct shadow *shadow, struct process *process,
               const struct registers *before, const struct registers *after,
               bool signal)
{
  uint8_t opcode[2] = { 0, 0 };
  uint64_t sp = after->values[SP], ra;
  shadow->steps++;
  if (shadow->n_stacks == 0)
    shadow->n_stacks = 1;
  if (!read_opcode (process, before->pc, opcode))
    return;
  struct shadow_stack *stack
      = stack_after (shadow, opcode, before->values[SP], sp);
  bool called = is_call (opcode) && sp == before->values[SP] - WORD;
  if ((called || signal) && read_word (process, sp, &ra)
      && (signal || ra != after->pc))
    push_call (stack, (struct shadow_call){ sp, ra, after->values[FP] });
  drop_below (stack, sp);
}

/* Comparing.  */

static void
count_pc (struct shadow *shadow, uint64_t pc)
{
  if (2 * shadow->n_pcs >= shadow->pcs_capacity)
    {
      struct shadow larger
          = { .pcs_capacity
              = shadow->pcs_capacity ? 2 * shadow->pcs_capacity : 1024 };
      larger.pcs = calloc (larger.pcs_capacity, sizeof *larger.pcs);
      if (!larger.pcs)
        abort ();
      for (size_t i = 0; i < shadow->pcs_capacity; i++)
        if (shadow->pcs[i] != 0)
          count_pc (&larger, shadow->pcs[i]);
      free (shadow->pcs);
      shadow->pcs = larger.pcs;
      shadow->pcs_capacity = larger.pcs_capacity;
    }
  size_t i = pc * 0x9e3779b97f4a7c15u >> 20 & (shadow->pcs_capacity - 1);
  while (shadow->pcs[i] != 0 && shadow->pcs[i] != pc)
    i = (i + 1) & (shadow->pcs_capacity - 1);
  shadow->n_pcs += shadow->pcs[i] == 0;
  shadow->pcs[i] = pc;
}

/* The call that led to the code with the stack pointer SP, or NULL: the
   program is older than its shadow, or the stack was moved.  */
static const struct shadow_call *
current_call (struct shadow *shadow, struct process *process)
{
  struct shadow_stack *stack = &shadow->stacks[shadow->current];
  uint64_t ra;
  if (stack->n == 0)
    return NULL;
  const struct shadow_call *call = &stack->calls[stack->n - 1];
  if (read_word (process, call->slot, &ra) && ra == call->ra)
    return call;
  stack->n = 0;
  return NULL;
}

bool
shadow_compare (struct shadow *shadow, struct process *process,
                const struct registers *registers, struct frame *expected,
                struct frame *found)
{
  stack_walk_by_sframe (process, registers, &shadow->walk);
  if (shadow->walk.n < 2)
    {
      shadow->no_row++;
      return true;
    }
  *found = shadow->walk.frames[1];
  const struct shadow_call *call = current_call (shadow, process);
  if (!call)
    {
      shadow->unknown++;
      return true;
    }
  *expected = (struct frame){ .pc = call->ra,
                              .sp = call->slot + WORD,
                              .fp = call->fp };
  count_pc (shadow, registers->pc);
  shadow->compared++;
  bool equal = found->pc == expected->pc && found->sp == expected->sp
               && found->fp == expected->fp;
  shadow->wrong += !equal;
  return equal;
}

void
shadow_free (struct shadow *shadow)
{
  for (size_t i = 0; i < shadow->n_stacks; i++)
    free (shadow->stacks[i].calls);
  free (shadow->pcs);
  stack_walk_free (&shadow->walk);
  *shadow = (struct shadow){ 0 };
}
