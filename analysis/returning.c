/* Following the flow to see which functions return.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/returning.h"

#include <stdlib.h>

#include "base/array.h"
#include "analysis/addresses.h"

static const uint32_t WAITER_NONE = UINT32_MAX;

/* A caller that waits for a function to return.  */
struct waiter
{
  uint32_t function;
  uint32_t next;   /* waiter, or WAITER_NONE */
  uint64_t resume; /* 0: it returns, too (a tail call) */
};

/* A place from which a function is still to be followed.  */
struct returning_task
{
  uint32_t function;
  bool after_call;
  uint64_t address; /* 0: none, the function returns */
};

struct returning
{
  struct functions *functions;
  struct image_facts *facts;
  const struct insn_decoder *decoder;
  struct address_map labels;    /* target of a jump: function that got there */
  struct address_set jumped_to; /* what may be found in `labels' */
  size_t n_queued;              /* of the functions */
  size_t n_before;              /* the run */
  uint32_t *first_waiters;      /* of the functions, or WAITER_NONE */
  size_t n_first, first_capacity;
  struct waiter *waiters;
  size_t n_waiters, waiters_capacity;
  uint32_t unused_waiter; /* the first of those that wait no more */
  struct returning_task *tasks;
  size_t n_tasks, tasks_capacity;
  uint64_t steps_left;
  bool failed; /* memory ran out */
};

struct returning *
returning_new (struct functions *functions, struct image_facts *facts,
               const struct insn_decoder *decoder)
{
  struct returning *returning = calloc (1, sizeof *returning);
  if (!returning || !address_set_init (&returning->jumped_to, facts->image))
    {
      returning_free (returning);
      return NULL;
    }
  returning->functions = functions;
  returning->facts = facts;
  returning->decoder = decoder;
  returning->unused_waiter = WAITER_NONE;
  /* Paths that share code are followed by each function anew, within reason:
     an instruction takes a byte at least.  */
  returning->steps_left = 4 * facts->image->size + (1 << 20);
  address_map_clear (&returning->labels);
  return returning;
}

void
returning_free (struct returning *returning)
{
  if (!returning)
    return;
  address_set_free (&returning->jumped_to);
  address_map_free (&returning->labels);
  free (returning->first_waiters);
  free (returning->waiters);
  free (returning->tasks);
  free (returning);
}

static void
add_task (struct returning *returning, uint32_t function, uint64_t address,
          bool after_call)
{
  if (ARRAY_ROOM (returning->tasks, returning->n_tasks + 1,
                  &returning->tasks_capacity))
    returning->tasks[returning->n_tasks++]
        = (struct returning_task){ function, after_call, address };
  else
    returning->failed = true;
}

static void
mark_returning (struct returning *returning, uint32_t index)
{
  struct code_function *function = functions_get (returning->functions, index);
  if (function->returns)
    return;
  function->returns = true;
  if (index < returning->n_before)
    functions_note_change (returning->functions);
  uint32_t next = index < returning->n_first ? returning->first_waiters[index]
                                             : WAITER_NONE;
  if (index < returning->n_first)
    returning->first_waiters[index] = WAITER_NONE;
  while (next != WAITER_NONE)
    {
      uint32_t i = next;
      struct waiter *waiter = &returning->waiters[i];
      add_task (returning, waiter->function, waiter->resume, true);
      next = waiter->next;
      waiter->next = returning->unused_waiter;
      returning->unused_waiter = i;
    }
}

/* Room for a waiter, or WAITER_NONE.  */
static uint32_t
new_waiter (struct returning *returning)
{
  uint32_t waiter = returning->unused_waiter;
  if (waiter != WAITER_NONE)
    {
      returning->unused_waiter = returning->waiters[waiter].next;
      return waiter;
    }
  if (!ARRAY_ROOM (returning->waiters, returning->n_waiters + 1,
                   &returning->waiters_capacity))
    return WAITER_NONE;
  return (uint32_t)returning->n_waiters++;
}

/* Whether there is room to note who waits for function INDEX.  */
static bool
has_first_waiter (struct returning *returning, uint32_t index)
{
  if (!ARRAY_ROOM (returning->first_waiters, (size_t)index + 1,
                   &returning->first_capacity))
    return false;
  while (returning->n_first <= index)
    returning->first_waiters[returning->n_first++] = WAITER_NONE;
  return true;
}

/* FUNCTION goes on at RESUME (or returns: 0) once CALLEE returns.  */
static void
wait_for (struct returning *returning, uint32_t callee, uint32_t function,
          uint64_t resume)
{
  if (functions_get (returning->functions, callee)->returns)
    {
      add_task (returning, function, resume, true);
      return;
    }
  uint32_t waiter = new_waiter (returning);
  if (waiter == WAITER_NONE || !has_first_waiter (returning, callee))
    {
      returning->failed = true;
      return;
    }
  returning->waiters[waiter]
      = (struct waiter){ function, returning->first_waiters[callee], resume };
  returning->first_waiters[callee] = waiter;
}

/* The function that got to ADDRESS first, or starts there (*IS_START), or
   FUNCTION_NONE.  */
static uint32_t
owner_of (const struct returning *returning, uint64_t address, bool *is_start)
{
  uint32_t start = functions_find (returning->functions, address);
  *is_start = start != FUNCTION_NONE;
  if (*is_start || !address_set_may_have (&returning->jumped_to, address))
    return start;
  return address_map_get (&returning->labels, address);
}

/* FUNCTION jumps to TARGET.  Code that another function got to first counts as
   that function's.  */
static void
follow_jump (struct returning *returning, uint32_t function, uint64_t target)
{
  bool is_start;
  uint32_t owner = owner_of (returning, target, &is_start);
  if (owner == function)
    return;
  if (owner != FUNCTION_NONE)
    {
      wait_for (returning, owner, function, 0);
      return;
    }
  address_set_add (&returning->jumped_to, target);
  if (!address_map_set (&returning->labels, target, function))
    returning->failed = true;
  add_task (returning, function, target, false);
}

/* FUNCTION jumps where the word at PLACE points.  If that is a function of the
   image, by name, whether it returns is known.  */
static void
follow_jump_through (struct returning *returning, uint32_t function,
                     uint64_t place)
{
  const struct relocated *word = facts_relocated (returning->facts, place);
  uint64_t size;
  if (!facts_call_returns (returning->facts, place, false))
    return;
  if (word && word->is_got && word->value != 0
      && facts_code (returning->facts, word->value, &size))
    follow_jump (returning, function, word->value);
  else
    mark_returning (returning, function);
}

static void
note_place (struct returning *returning, const struct insn_step *step)
{
  if (step->place && step->computes_place
      && !facts_name (returning->facts, step->place))
    returning->failed = true;
}

/* Whether the sweep of FUNCTION goes on behind STEP, which ends at NEXT.  */
static bool
follow_step (struct returning *returning, uint32_t function,
             const struct insn_step *step, uint64_t next)
{
  uint32_t callee;
  switch (step->flow)
    {
    case FLOW_NEXT:
      note_place (returning, step);
      return true;
    case FLOW_BRANCH:
      follow_jump (returning, function, step->target);
      return true;
    case FLOW_JUMP:
      follow_jump (returning, function, step->target);
      return false;
    case FLOW_CALL:
      if (functions_call_is_push (returning->functions, returning->facts,
                                  returning->decoder, step->target, next))
        return true;
      callee = functions_add (returning->functions, step->target, false);
      if (callee == FUNCTION_NONE)
        return false;
      functions_get (returning->functions, callee)->is_called
          |= function_is_certain (
              functions_get (returning->functions, function));
      if (functions_get (returning->functions, callee)->returns)
        return true;
      wait_for (returning, callee, function, next);
      return false;
    case FLOW_CALL_INDIRECT:
      return facts_call_returns (returning->facts, step->place, false);
    case FLOW_JUMP_INDIRECT:
      follow_jump_through (returning, function, step->place);
      return false;
    case FLOW_RETURN:
      mark_returning (returning, function);
      return false;
    default:
      return false;
    }
}

/* Whether the sweep of FUNCTION, which comes from the instruction in front,
   ends at ADDRESS: the instruction was reached before.  A call that another
   function follows does not return here.  */
static bool
arrives (struct returning *returning, uint32_t function, uint64_t address,
         bool after_call)
{
  bool is_start;
  uint32_t owner = owner_of (returning, address, &is_start);
  if (owner == FUNCTION_NONE)
    return false;
  if (owner != function && !(after_call && is_start))
    wait_for (returning, owner, function, 0);
  return true;
}

static void
sweep (struct returning *returning, uint32_t function, uint64_t address,
       bool after_call)
{
  uint64_t left;
  const uint8_t *bytes = facts_code (returning->facts, address, &left);
  struct insn_step step;
  if (after_call && arrives (returning, function, address, true))
    return;
  while (bytes && left > 0 && returning->steps_left > 0
         && insn_decode_step (returning->decoder, bytes, left, address, &step))
    {
      returning->steps_left--;
      facts_resolve (returning->facts, step.place, &step.flow, &step.target);
      bytes += step.size;
      left -= step.size;
      address += step.size;
      after_call = step.flow == FLOW_CALL || step.flow == FLOW_CALL_INDIRECT
                   || (after_call && step.is_nop);
      if (!follow_step (returning, function, &step, address)
          || arrives (returning, function, address, after_call))
        return;
    }
}

static void
queue_new_functions (struct returning *returning)
{
  const struct functions *functions = returning->functions;
  for (; returning->n_queued < functions_count (functions);
       returning->n_queued++)
    {
      uint32_t index = (uint32_t)returning->n_queued;
      add_task (returning, index, functions_get (functions, index)->entry,
                false);
    }
}

/* Without an answer within bounds, every function counts as returning.  */
static void
give_up (struct returning *returning)
{
  functions_note_change (returning->functions);
  for (size_t i = 0; i < functions_count (returning->functions); i++)
    functions_get (returning->functions, (uint32_t)i)->returns = true;
  returning->n_tasks = 0;
}

bool
returning_run (struct returning *returning, struct error *err)
{
  returning->n_before = returning->n_queued;
  for (;;)
    {
      if (returning->n_tasks == 0)
        queue_new_functions (returning);
      if (returning->n_tasks == 0 || returning->failed)
        break;
      struct returning_task task = returning->tasks[--returning->n_tasks];
      if (task.address == 0)
        mark_returning (returning, task.function);
      else
        sweep (returning, task.function, task.address, task.after_call);
      if (returning->steps_left == 0)
        give_up (returning);
    }
  free (returning->tasks);
  returning->tasks = NULL;
  returning->tasks_capacity = 0;
  return (!returning->failed && !functions_failed (returning->functions)
          && facts_sort_named (returning->facts))
         || error_set_no_memory (err);
}
