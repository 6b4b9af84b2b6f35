/* The table of functions, and the queue of callers to be analysed again.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/functions.h"

#include <stdlib.h>

#include "base/array.h"

enum
{
  BEGINNING_STEPS = 8 /* instructions up to the use of the return address */
};

struct functions *
functions_new (const struct image *image)
{
  struct functions *functions = calloc (1, sizeof *functions);
  if (!functions || !address_set_init (&functions->marks, image))
    {
      functions_free (functions);
      return NULL;
    }
  address_map_clear (&functions->starts);
  address_map_clear (&functions->returned);
  return functions;
}

void
functions_free (struct functions *functions)
{
  if (!functions)
    return;
  address_set_free (&functions->marks);
  address_map_free (&functions->starts);
  address_map_free (&functions->returned);
  free (functions->list);
  free (functions->callers);
  free (functions->requeued);
  free (functions);
}

uint32_t
functions_add (struct functions *functions, uint64_t entry, bool is_start)
{
  uint32_t index = functions_find (functions, entry);
  if (index == FUNCTION_NONE)
    {
      index = (uint32_t)functions->n;
      if (!ARRAY_ROOM (functions->list, functions->n + 1, &functions->capacity)
          || !address_map_set (&functions->starts, entry, index))
        {
          functions->failed = true;
          return FUNCTION_NONE;
        }
      address_set_add (&functions->marks, entry);
      functions->list[functions->n++] = (struct code_function){
        .entry = entry, .callers = FUNCTION_NONE, .waiters = UINT32_MAX
      };
    }
  functions->list[index].is_start |= is_start;
  return index;
}

uint32_t
functions_find (const struct functions *functions, uint64_t address)
{
  return address_set_may_have (&functions->marks, address)
             ? address_map_get (&functions->starts, address)
             : FUNCTION_NONE;
}

struct code_function *
functions_at (const struct functions *functions, uint64_t address)
{
  uint32_t index = functions_find (functions, address);
  return index == FUNCTION_NONE ? NULL : &functions->list[index];
}

/* Whether INSN uses the return address where a call has put it.  */
static bool
takes_return_address (const struct arch *arch, const struct insn *insn)
{
  bool pops
      = insn->op == OP_POP
        || (insn->op == OP_ADD && insn->to == arch->sp && insn->immediate > 0)
        || (insn->memory && insn->base == arch->sp && insn->offset == 0);
  bool copies = insn->from == arch->ra && insn->op != OP_STORE;
  return arch_tracks_ra (arch) ? copies : pops;
}

/* Whether the code at ADDRESS begins by using the return address as data.  */
static bool
begins_with_return_address (const struct image_facts *facts, uint64_t address)
{
  const struct arch *arch = facts->image->arch;
  struct insn insn;
  for (int i = 0; i < BEGINNING_STEPS && facts_insn (facts, address, &insn);
       i++, address += insn.size)
    {
      if (takes_return_address (arch, &insn))
        return true;
      bool makes_frame
          = insn.op == OP_PUSH || insn.op == OP_ENTER || insn.to == arch->sp;
      if (makes_frame || insn.flow != FLOW_NEXT)
        return false;
    }
  return false;
}

bool
functions_call_is_push (const struct functions *functions,
                        const struct image_facts *facts, uint64_t target,
                        uint64_t next)
{
  return target == next && !functions_at (functions, target)
         && begins_with_return_address (facts, next);
}

bool
functions_has_returned (const struct functions *functions, uint64_t callee)
{
  return address_map_get (&functions->returned, callee) != UINT32_MAX;
}

void
functions_set_returned (struct functions *functions, uint64_t callee)
{
  if (!address_map_set (&functions->returned, callee, 0))
    functions->failed = true;
}

void
functions_add_caller (struct functions *functions,
                      struct code_function *callee, uint32_t caller)
{
  const struct caller *last = callee->callers == FUNCTION_NONE
                                  ? NULL
                                  : &functions->callers[callee->callers];
  if (last && last->function == caller)
    return;
  if (!ARRAY_ROOM (functions->callers, functions->n_callers + 1,
                   &functions->callers_capacity))
    {
      functions->failed = true;
      return;
    }
  functions->callers[functions->n_callers]
      = (struct caller){ caller, callee->callers };
  callee->callers = (uint32_t)functions->n_callers++;
}

void
functions_requeue_callers (struct functions *functions,
                           struct code_function *function)
{
  uint32_t next = function->callers;
  function->callers = FUNCTION_NONE;
  for (; next != FUNCTION_NONE; next = functions->callers[next].next)
    {
      uint32_t caller = functions->callers[next].function;
      if (functions->list[caller].is_requeued)
        continue;
      if (!ARRAY_ROOM (functions->requeued, functions->n_requeued + 1,
                       &functions->requeued_capacity))
        {
          functions->failed = true;
          return;
        }
      functions->list[caller].is_requeued = true;
      functions->requeued[functions->n_requeued++] = caller;
    }
}

void
functions_invalidate_callers (struct functions *functions,
                              struct code_function *function)
{
  functions->any_breaks_abi = true;
  functions->n_changes++;
  functions_requeue_callers (functions, function);
}

uint32_t
functions_take_requeued (struct functions *functions)
{
  if (functions->n_taken == functions->n_requeued)
    {
      functions->n_taken = functions->n_requeued = 0;
      return FUNCTION_NONE;
    }
  uint32_t index = functions->requeued[functions->n_taken++];
  functions->list[index].is_requeued = false;
  return index;
}
