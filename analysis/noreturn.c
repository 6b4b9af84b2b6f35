/* The sweep that finds out which functions may return.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A worklist has the places from which functions are to be swept.  A call
   stops its path until the callee is found to return: the caller waits for the
   callee, and finding a return wakes all waiters.  A function that still waits
   at the end never returns.  */

#include "analysis/noreturn.h"

#include <stdlib.h>

#include "base/array.h"

static const uint32_t WAITER_NONE = UINT32_MAX;

/* A caller that waits until a function returns.  */
struct waiter
{
  uint32_t function;
  uint32_t next;   /* waiter, or WAITER_NONE */
  uint64_t resume; /* where it goes on; 0: it returns, too (a tail call) */
};

/* A place from which a function is to be swept.  */
struct sweep_task
{
  uint32_t function;
  bool after_call;
  uint64_t address; /* 0: the function returns */
};

struct noreturn
{
  struct functions *functions;
  struct image_facts *facts;
  struct address_map owners;    /* jump target to the first function there */
  struct address_set jumped_to; /* its keys, for a quick test */
  size_t n_queued; /* functions with lower indices were added to `tasks' ... */
  size_t n_before; /* ... before this run */
  struct waiter *waiters;
  size_t n_waiters, waiters_capacity;
  uint32_t unused_waiter; /* the first free one */
  struct sweep_task *tasks;
  size_t n_tasks, tasks_capacity;
  uint64_t steps_left;
  bool failed; /* memory ran out */
};

struct noreturn *
noreturn_new (struct functions *functions, struct image_facts *facts)
{
  struct noreturn *noreturn = calloc (1, sizeof *noreturn);
  if (!noreturn || !address_set_init (&noreturn->jumped_to, facts->image))
    {
      noreturn_free (noreturn);
      return NULL;
    }
  noreturn->functions = functions;
  noreturn->facts = facts;
  noreturn->unused_waiter = WAITER_NONE;
  /* Functions that share code sweep it once each, within limits: an
     instruction takes a byte at least.  */
  noreturn->steps_left = 4 * facts->image->size + (1 << 20);
  address_map_clear (&noreturn->owners);
  return noreturn;
}

void
noreturn_free (struct noreturn *noreturn)
{
  if (!noreturn)
    return;
  address_set_free (&noreturn->jumped_to);
  address_map_free (&noreturn->owners);
  free (noreturn->waiters);
  free (noreturn->tasks);
  free (noreturn);
}

static void
add_task (struct noreturn *noreturn, uint32_t function, uint64_t address,
          bool after_call)
{
  if (ARRAY_ROOM (noreturn->tasks, noreturn->n_tasks + 1,
                  &noreturn->tasks_capacity))
    noreturn->tasks[noreturn->n_tasks++]
        = (struct sweep_task){ function, after_call, address };
  else
    noreturn->failed = true;
}

static void
mark_returning (struct noreturn *noreturn, uint32_t index)
{
  struct code_function *function = &noreturn->functions->list[index];
  if (function->may_return)
    return;
  function->may_return = true;
  if (index < noreturn->n_before)
    noreturn->functions->n_changes++;
  uint32_t next = function->waiters;
  function->waiters = WAITER_NONE;
  while (next != WAITER_NONE)
    {
      uint32_t i = next;
      struct waiter *waiter = &noreturn->waiters[i];
      add_task (noreturn, waiter->function, waiter->resume, true);
      next = waiter->next;
      waiter->next = noreturn->unused_waiter;
      noreturn->unused_waiter = i;
    }
}

/* FUNCTION goes on at RESUME (0: it returns) once CALLEE returns.  */
static void
wait_for (struct noreturn *noreturn, uint32_t callee, uint32_t function,
          uint64_t resume)
{
  struct code_function *waited = &noreturn->functions->list[callee];
  if (waited->may_return)
    return add_task (noreturn, function, resume, true);
  uint32_t waiter = noreturn->unused_waiter;
  if (waiter != WAITER_NONE)
    noreturn->unused_waiter = noreturn->waiters[waiter].next;
  else if (ARRAY_ROOM (noreturn->waiters, noreturn->n_waiters + 1,
                       &noreturn->waiters_capacity))
    waiter = (uint32_t)noreturn->n_waiters++;
  else
    {
      noreturn->failed = true;
      return;
    }
  noreturn->waiters[waiter]
      = (struct waiter){ function, waited->waiters, resume };
  waited->waiters = waiter;
}

/* Return the function that starts at ADDRESS (*IS_START), or that reached it
   first, or FUNCTION_NONE.  */
static uint32_t
owner_of (const struct noreturn *noreturn, uint64_t address, bool *is_start)
{
  uint32_t start = functions_find (noreturn->functions, address);
  *is_start = start != FUNCTION_NONE;
  if (*is_start || !address_set_may_have (&noreturn->jumped_to, address))
    return start;
  return address_map_get (&noreturn->owners, address);
}

/* FUNCTION jumps to TARGET.  Code that another function has reached first is
   that function's: a jump there is like a tail call.  */
static void
follow_jump (struct noreturn *noreturn, uint32_t function, uint64_t target)
{
  bool is_start;
  uint32_t owner = owner_of (noreturn, target, &is_start);
  if (owner == function)
    return;
  if (owner != FUNCTION_NONE)
    return wait_for (noreturn, owner, function, 0);
  address_set_add (&noreturn->jumped_to, target);
  if (!address_map_set (&noreturn->owners, target, function))
    noreturn->failed = true;
  add_task (noreturn, function, target, false);
}

/* FUNCTION jumps through the word at PLACE.  If that has the address of a
   function of the image, by name, the jump is a tail call of it.  Other jumps
   count as returns, unless the name of the target says otherwise.  */
static void
follow_jump_through (struct noreturn *noreturn, uint32_t function,
                     uint64_t place)
{
  const struct relocated *word = facts_relocated (noreturn->facts, place);
  uint64_t size;
  if (!facts_call_returns (noreturn->facts, place, false))
    return;
  if (word && word->is_got && word->value != 0
      && facts_code (noreturn->facts, word->value, &size))
    follow_jump (noreturn, function, word->value);
  else
    mark_returning (noreturn, function);
}

/* Whether FUNCTION goes on behind STEP, which ends at NEXT.  */
static bool
follow_step (struct noreturn *noreturn, uint32_t function,
             const struct insn_step *step, uint64_t next)
{
  uint32_t callee;
  switch (step->flow)
    {
    case FLOW_NEXT:
      if (step->place && step->computes_address
          && !address_list_add (&noreturn->facts->referenced, step->place))
        noreturn->failed = true;
      return true;
    case FLOW_BRANCH:
      follow_jump (noreturn, function, step->target);
      return true;
    case FLOW_JUMP:
      follow_jump (noreturn, function, step->target);
      return false;
    case FLOW_CALL:
      if (functions_call_is_push (noreturn->functions, noreturn->facts,
                                  step->target, next))
        return true;
      callee = functions_add (noreturn->functions, step->target, false);
      if (callee == FUNCTION_NONE)
        return false;
      noreturn->functions->list[callee].is_called
          |= function_is_certain (&noreturn->functions->list[function]);
      if (noreturn->functions->list[callee].may_return)
        return true;
      wait_for (noreturn, callee, function, next);
      return false;
    case FLOW_CALL_INDIRECT:
      return facts_call_returns (noreturn->facts, step->place, false);
    case FLOW_JUMP_INDIRECT:
      follow_jump_through (noreturn, function, step->place);
      return false;
    case FLOW_RETURN:
      mark_returning (noreturn, function);
      return false;
    default:
      return false;
    }
}

/* Whether the sweep of FUNCTION, running on to ADDRESS, ends there because
   some function has reached ADDRESS before.  If a function starts behind a
   call, the call does not return.  */
static bool
sweep_ends (struct noreturn *noreturn, uint32_t function, uint64_t address,
            bool after_call)
{
  bool is_start;
  uint32_t owner = owner_of (noreturn, address, &is_start);
  if (owner == FUNCTION_NONE)
    return false;
  if (owner != function && !(after_call && is_start))
    wait_for (noreturn, owner, function, 0);
  return true;
}

static void
sweep (struct noreturn *noreturn, uint32_t function, uint64_t address,
       bool after_call)
{
  uint64_t left;
  const uint8_t *bytes = facts_code (noreturn->facts, address, &left);
  struct insn_step step;
  if (after_call && sweep_ends (noreturn, function, address, true))
    return;
  while (bytes && left > 0 && noreturn->steps_left > 0
         && insn_decode_step (noreturn->facts->decoder, bytes, left, address,
                              &step))
    {
      noreturn->steps_left--;
      facts_resolve (noreturn->facts, step.place, &step.flow, &step.target);
      bytes += step.size;
      left -= step.size;
      address += step.size;
      after_call = step.flow == FLOW_CALL || step.flow == FLOW_CALL_INDIRECT
                   || (after_call && step.is_nop);
      if (!follow_step (noreturn, function, &step, address)
          || sweep_ends (noreturn, function, address, after_call))
        return;
    }
}

bool
noreturn_run (struct noreturn *noreturn, struct error *err)
{
  struct functions *functions = noreturn->functions;
  noreturn->n_before = noreturn->n_queued;
  for (;;)
    {
      if (noreturn->n_tasks == 0)
        for (; noreturn->n_queued < functions->n; noreturn->n_queued++)
          add_task (noreturn, (uint32_t)noreturn->n_queued,
                    functions->list[noreturn->n_queued].entry, false);
      if (noreturn->n_tasks == 0 || noreturn->failed)
        break;
      struct sweep_task task = noreturn->tasks[--noreturn->n_tasks];
      if (task.address == 0)
        mark_returning (noreturn, task.function);
      else
        sweep (noreturn, task.function, task.address, task.after_call);
      if (noreturn->steps_left > 0)
        continue;
      /* Out of steps: every function counts as returning.  */
      functions->n_changes++;
      for (size_t i = 0; i < functions->n; i++)
        functions->list[i].may_return = true;
      noreturn->n_tasks = 0;
    }
  free (noreturn->tasks);
  noreturn->tasks = NULL;
  noreturn->tasks_capacity = 0;
  return (!noreturn->failed && !functions->failed
          && facts_sort_references (noreturn->facts))
         || error_set_no_memory (err);
}
