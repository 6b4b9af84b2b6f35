/* Following the flow to see which functions return.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/returns.h"

#include <stdlib.h>

#include "base/array.h"
#include "code/address_set.h"

/* A caller that waits for a function to return.  */
struct waiter
{
  uint32_t function;
  uint32_t next;
  uint64_t resume; /* 0: it returns, too (a tail call) */
};

/* A place from which a function is still to be followed.  */
struct task
{
  uint32_t function;
  bool after_call;
  uint64_t address; /* 0: none, the function returns */
};

struct returns
{
  struct places *places;
  const struct insn_decoder *decoder;
  struct address_map starts; /* entry: index */
  struct address_map back;   /* what calls were seen to come back from */
  struct address_map labels; /* target of a jump: function that got there */
  /* What may be found in `starts', or was marked; and in `labels'.  */
  struct address_set marks, jumped_to;
  struct code_function *functions;
  size_t n_functions, functions_capacity;
  size_t n_queued; /* of the functions */
  struct waiter *waiters;
  size_t n_waiters, waiters_capacity;
  uint32_t unused_waiter; /* the first of those that wait no more */
  struct task *tasks;
  size_t n_tasks, tasks_capacity;
  uint64_t steps_left;
  bool failed; /* memory ran out */
};

struct returns *
returns_new (struct places *places, const struct insn_decoder *decoder)
{
  struct returns *returns = calloc (1, sizeof *returns);
  if (!returns || !address_set_init (&returns->marks, places->image)
      || !address_set_init (&returns->jumped_to, places->image))
    {
      returns_free (returns);
      return NULL;
    }
  returns->places = places;
  returns->decoder = decoder;
  returns->unused_waiter = UINT32_MAX;
  /* Paths that share code are followed by each function anew, within reason:
     an instruction takes a byte at least.  */
  returns->steps_left = 4 * places->image->size + (1 << 20);
  address_map_clear (&returns->starts);
  address_map_clear (&returns->labels);
  address_map_clear (&returns->back);
  return returns;
}

void
returns_free (struct returns *returns)
{
  if (!returns)
    return;
  address_set_free (&returns->marks);
  address_set_free (&returns->jumped_to);
  address_map_free (&returns->starts);
  address_map_free (&returns->labels);
  address_map_free (&returns->back);
  free (returns->functions);
  free (returns->waiters);
  free (returns->tasks);
  free (returns);
}

void
returns_mark (struct returns *returns, uint64_t address)
{
  address_set_add (&returns->marks, address);
}

bool
returns_is_marked (const struct returns *returns, uint64_t address)
{
  return address_set_may_have (&returns->marks, address);
}

uint32_t
returns_add (struct returns *returns, uint64_t entry, bool is_start)
{
  uint32_t index = returns_find (returns, entry);
  if (index == UINT32_MAX)
    {
      index = (uint32_t)returns->n_functions;
      if (!ARRAY_ROOM (returns->functions, returns->n_functions + 1,
                       &returns->functions_capacity)
          || !address_map_set (&returns->starts, entry, index))
        {
          returns->failed = true;
          return UINT32_MAX;
        }
      address_set_add (&returns->marks, entry);
      returns->functions[returns->n_functions++]
          = (struct code_function){ .entry = entry,
                                    .first_waiter = UINT32_MAX };
    }
  returns->functions[index].is_start |= is_start;
  return index;
}

static void
add_task (struct returns *returns, uint32_t function, uint64_t address,
          bool after_call)
{
  if (ARRAY_ROOM (returns->tasks, returns->n_tasks + 1,
                  &returns->tasks_capacity))
    returns->tasks[returns->n_tasks++]
        = (struct task){ function, after_call, address };
  else
    returns->failed = true;
}

static void
mark_returning (struct returns *returns, uint32_t index)
{
  struct code_function *function = &returns->functions[index];
  if (function->returns)
    return;
  function->returns = true;
  uint32_t next = function->first_waiter;
  function->first_waiter = UINT32_MAX;
  while (next != UINT32_MAX)
    {
      uint32_t i = next;
      struct waiter *waiter = &returns->waiters[i];
      add_task (returns, waiter->function, waiter->resume, true);
      next = waiter->next;
      waiter->next = returns->unused_waiter;
      returns->unused_waiter = i;
    }
}

/* Room for a waiter, or UINT32_MAX.  */
static uint32_t
new_waiter (struct returns *returns)
{
  uint32_t waiter = returns->unused_waiter;
  if (waiter != UINT32_MAX)
    {
      returns->unused_waiter = returns->waiters[waiter].next;
      return waiter;
    }
  if (!ARRAY_ROOM (returns->waiters, returns->n_waiters + 1,
                   &returns->waiters_capacity))
    return UINT32_MAX;
  return (uint32_t)returns->n_waiters++;
}

/* FUNCTION goes on at RESUME (or returns: 0) once CALLEE returns.  */
static void
wait_for (struct returns *returns, uint32_t callee, uint32_t function,
          uint64_t resume)
{
  if (returns->functions[callee].returns)
    {
      add_task (returns, function, resume, true);
      return;
    }
  struct code_function *to = &returns->functions[callee];
  uint32_t waiter = new_waiter (returns);
  if (waiter == UINT32_MAX)
    {
      returns->failed = true;
      return;
    }
  returns->waiters[waiter]
      = (struct waiter){ function, to->first_waiter, resume };
  to->first_waiter = waiter;
}

/* The function that got to ADDRESS first, or starts there (*IS_START), or
   UINT32_MAX.  */
static uint32_t
owner_of (const struct returns *returns, uint64_t address, bool *is_start)
{
  uint32_t start = returns_find (returns, address);
  *is_start = start != UINT32_MAX;
  if (*is_start || !address_set_may_have (&returns->jumped_to, address))
    return start;
  return address_map_get (&returns->labels, address);
}

/* FUNCTION jumps to TARGET.  Code that another function got to first counts as
   that function's.  */
static void
follow_jump (struct returns *returns, uint32_t function, uint64_t target)
{
  bool is_start;
  uint32_t owner = owner_of (returns, target, &is_start);
  if (owner == function)
    return;
  if (owner != UINT32_MAX)
    {
      wait_for (returns, owner, function, 0);
      return;
    }
  address_set_add (&returns->jumped_to, target);
  if (!address_map_set (&returns->labels, target, function))
    returns->failed = true;
  add_task (returns, function, target, false);
}

bool
returns_through (const struct places *places, uint64_t place,
                 bool argument_is_set)
{
  const struct relocated *word
      = place ? places_relocated (places, place) : NULL;
  return !word || !(word->exits || (word->may_exit && argument_is_set));
}

/* FUNCTION jumps where the word at PLACE points.  If that is a function of the
   image, by name, whether it returns is known.  */
static void
follow_jump_through (struct returns *returns, uint32_t function,
                     uint64_t place)
{
  const struct relocated *word
      = place ? places_relocated (returns->places, place) : NULL;
  uint64_t size;
  if (!returns_through (returns->places, place, false))
    return;
  if (word && word->is_got && word->value != 0
      && places_code (returns->places, word->value, &size))
    follow_jump (returns, function, word->value);
  else
    mark_returning (returns, function);
}

static void
note_place (struct returns *returns, const struct insn_step *step)
{
  if (step->place && step->computes_place
      && !places_name (returns->places, step->place))
    returns->failed = true;
}

/* Pointers lead to other things than functions, too.  */
static bool
is_certain (const struct code_function *function)
{
  return function->is_called || (function->is_start && !function->is_pointer);
}

/* Whether the sweep of FUNCTION goes on behind STEP, which ends at NEXT.  */
static bool
follow_step (struct returns *returns, uint32_t function,
             const struct insn_step *step, uint64_t next)
{
  uint32_t callee;
  switch (step->flow)
    {
    case FLOW_NEXT:
      note_place (returns, step);
      return true;
    case FLOW_BRANCH:
      follow_jump (returns, function, step->target);
      return true;
    case FLOW_JUMP:
      follow_jump (returns, function, step->target);
      return false;
    case FLOW_CALL:
      if (returns_is_push (returns, step->target, next))
        return true;
      callee = returns_add (returns, step->target, false);
      if (callee == UINT32_MAX)
        return false;
      returns->functions[callee].is_called
          |= is_certain (&returns->functions[function]);
      if (returns->functions[callee].returns)
        return true;
      wait_for (returns, callee, function, next);
      return false;
    case FLOW_CALL_INDIRECT:
      return returns_through (returns->places, step->place, false);
    case FLOW_JUMP_INDIRECT:
      follow_jump_through (returns, function, step->place);
      return false;
    case FLOW_RETURN:
      mark_returning (returns, function);
      return false;
    default:
      return false;
    }
}

/* Whether the sweep of FUNCTION, which comes from the instruction in front,
   ends at ADDRESS: somebody was there.  A call that another function follows
   does not return here.  */
static bool
arrives (struct returns *returns, uint32_t function, uint64_t address,
         bool after_call)
{
  bool is_start;
  uint32_t owner = owner_of (returns, address, &is_start);
  if (owner == UINT32_MAX)
    return false;
  if (owner != function && !(after_call && is_start))
    wait_for (returns, owner, function, 0);
  return true;
}

static void
sweep (struct returns *returns, uint32_t function, uint64_t address,
       bool after_call)
{
  uint64_t left;
  const uint8_t *bytes = places_code (returns->places, address, &left);
  struct insn_step step;
  if (after_call && arrives (returns, function, address, true))
    return;
  while (bytes && left > 0 && returns->steps_left > 0
         && insn_decode_step (returns->decoder, bytes, left, address, &step))
    {
      returns->steps_left--;
      bytes += step.size;
      left -= step.size;
      address += step.size;
      after_call = step.flow == FLOW_CALL || step.flow == FLOW_CALL_INDIRECT
                   || (after_call && step.is_nop);
      if (!follow_step (returns, function, &step, address)
          || arrives (returns, function, address, after_call))
        return;
    }
}

static void
queue_new_functions (struct returns *returns)
{
  for (; returns->n_queued < returns->n_functions; returns->n_queued++)
    add_task (returns, (uint32_t)returns->n_queued,
              returns->functions[returns->n_queued].entry, false);
}

/* Without an answer within bounds, every function counts as returning.  */
static void
give_up (struct returns *returns)
{
  for (size_t i = 0; i < returns->n_functions; i++)
    returns->functions[i].returns = true;
  returns->n_tasks = 0;
}

bool
returns_run (struct returns *returns, struct error *err)
{
  for (;;)
    {
      if (returns->n_tasks == 0)
        queue_new_functions (returns);
      if (returns->n_tasks == 0 || returns->failed)
        break;
      struct task task = returns->tasks[--returns->n_tasks];
      if (task.address == 0)
        mark_returning (returns, task.function);
      else
        sweep (returns, task.function, task.address, task.after_call);
      if (returns->steps_left == 0)
        give_up (returns);
    }
  free (returns->tasks);
  returns->tasks = NULL;
  returns->tasks_capacity = 0;
  if (returns->failed)
    return error_set_no_memory (err);
  places_sort_named (returns->places);
  return true;
}

bool
returns_at (const struct returns *returns, uint64_t address)
{
  uint32_t index = returns_find (returns, address);
  return index == UINT32_MAX || returns->functions[index].returns;
}

void
returns_note_back (struct returns *returns, uint64_t callee)
{
  returns->failed |= !address_map_set (&returns->back, callee, 0);
}

bool
returns_comes_back (const struct returns *returns, uint64_t callee)
{
  return address_map_get (&returns->back, callee) != UINT32_MAX;
}

size_t
returns_count (const struct returns *returns)
{
  return returns->n_functions;
}

struct code_function *
returns_function (struct returns *returns, uint32_t index)
{
  return &returns->functions[index];
}

bool
returns_is_push (const struct returns *returns, uint64_t target, uint64_t next)
{
  return target == next && returns_find (returns, target) == UINT32_MAX;
}

uint32_t
returns_find (const struct returns *returns, uint64_t address)
{
  return address_set_may_have (&returns->marks, address)
             ? address_map_get (&returns->starts, address)
             : UINT32_MAX;
}
