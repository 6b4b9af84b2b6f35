/* The functions that were found, and what is known of each.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A register by entry address.  Functions are added as they are found, and
   keep their index.  Which of them return is found out by noreturn.h.  */

#ifndef ANALYSIS_FUNCTIONS_H
#define ANALYSIS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/image_facts.h"
#include "elf/image.h"

/* Who sets a fact (in brackets: who takes it back), and who reads it.

     is_start         starts, all that call    routine_graph: a border;
                      functions_add [schedule: analyser: to be analysed;
                      judge_pointer]           routine_jumps, noreturn,
                                               schedule
     is_known         starts                   routine_check, analyser,
                                               covered_code, schedule
     is_exported      starts                   analyser: trust
     is_called        starts, noreturn         all that judge an entry
     is_pointer       starts                   the same
     is_guess         starts                   routine_check
     is_entered_with_frame          schedule: EFFECT_ENTERED_WITH_FRAME
   schedule, covered_code is_dead_branch_target   schedule: observations
   covered_code moves_stack      schedule: observations   routine_check changes
   schedule                 routine_calls, routine_check may_return noreturn
   routine_calls is_proven        schedule: conclude       routine_check,
   covered_code fails            schedule: conclude       schedule, analyser,
   covered_code is_bare          schedule: conclude       analyser: a revision
     is_concluded     schedule: conclude       schedule, analyser
     is_compared      schedule                 code: the count
     is_requeued      functions [same]         functions

   Followers set nothing: they work at the same time.  */
struct code_function
{
  uint64_t entry;
  bool may_return; /* some path through it does, as far as was analysed */
  /* Its entry is a border: other functions get there by calls and tail calls
     only, with the frame of a call.  */
  bool is_start;
  bool is_known;    /* CFI says that a function starts there */
  bool is_exported; /* .dynsym has it: others call it, with a call's frame */
  bool is_compared; /* its CFI was compared with its code */
  bool is_called;   /* directly, by code that is certain to be code */
  bool is_pointer;  /* a start only because a pointer leads there */
  bool is_guess;    /* and that may be a number: nothing relocates it */
  bool is_entered_with_frame; /* entered with another frame than that of a call
                               */
  bool is_proven;             /* was seen to return as functions do */
  bool fails;                 /* is not to be trusted */
  /* A branch leads there with another frame than that of a call, and is taken
     for one that is never taken.  */
  bool is_dead_branch_target;
  bool is_bare;      /* keeps no registers of the ABI but SP */
  bool moves_stack;  /* returns with another SP: it is a part of its callers */
  bool is_concluded; /* was analysed to a result */
  bool is_requeued;  /* in the queue of functions_take_requeued */
  uint32_t changes;  /* mask: registers of the ABI that it returns with
                        changed */
  uint32_t callers;  /* the last of those that were noted */
  uint32_t waiters;  /* noreturn.c: the last that waits for its return */
  uint32_t conclusion;  /* how often it was concluded */
  uint32_t n_disproofs; /* of the last conclusion (disproof.h) */
};

/* Whether nothing but a pointer leads to FUNCTION: pointers lead to other
   things than functions, too.  */
static inline bool
function_is_only_pointed (const struct code_function *function)
{
  return function->is_pointer && !function->is_called;
}

/* Whether FUNCTION is one for certain, so that its calls are calls.  */
static inline bool
function_is_certain (const struct code_function *function)
{
  return function->is_called || (function->is_start && !function->is_pointer);
}

/* A function that calls another.  */
struct caller
{
  uint32_t function;
  uint32_t next; /* or FUNCTION_NONE */
};

static const uint32_t FUNCTION_NONE = UINT32_MAX;

struct functions
{
  struct code_function *list; /* owned; moves when others are registered */
  size_t n, capacity;
  struct address_map starts; /* entry: index */
  struct address_set marks;  /* what may be found in `starts', or was marked as
                                known otherwise: for quick denials */
  /* What calls were seen to return from: the callee's address, or the place of
     the GOT that leads to it.  */
  struct address_map returned;
  struct caller *callers;
  size_t n_callers, callers_capacity;
  uint32_t
      *requeued; /* a queue, of which the first n_followed are done with */
  size_t n_requeued, n_followed, requeued_capacity;
  bool any_breaks_abi; /* some move the stack, or change registers */
  uint64_t n_changes;  /* of what analysers of other functions look at */
  bool failed;         /* memory ran out */
};

/* NULL when memory ran out.  */
struct functions *functions_new (const struct image *image);
void functions_free (struct functions *functions);

/* Register the function that starts at ENTRY, if it is not.  Returns its
   index, or FUNCTION_NONE without memory.  */
uint32_t functions_add (struct functions *functions, uint64_t entry,
                        bool is_start);

/* The function that starts at ADDRESS: its index, or FUNCTION_NONE; and
   itself, or NULL.  */
uint32_t functions_find (const struct functions *functions, uint64_t address);
struct code_function *functions_at (const struct functions *functions,
                                    uint64_t address);

/* Whether a function returns is known in two strengths.  The sweep of
   noreturn.h proves that it never does, or else finds a way by which it may.
   What routine_returns.c sees behind a call shows that the call has returned.
   A call that may return, and was not seen to, is a doubtful one (enum
   doubtful_calls, routine.h).  */

/* Whether a call of CALLEE, as in functions->returned, was seen to return.  */
bool functions_has_returned (const struct functions *functions,
                             uint64_t callee);

/* Note that a call of CALLEE was seen to return.  */
void functions_note_returned (struct functions *functions, uint64_t callee);

/* Whether a call of TARGET, with the instruction at NEXT behind it, is only a
   way to push that address: how position-independent code finds out where it
   is.  A function that happens to be the next one, and does not return, is
   called in the same way: it does not take the address.  */
bool functions_call_is_push (const struct functions *functions,
                             const struct image_facts *facts, uint64_t target,
                             uint64_t next);

/* Function CALLER, an index, was analysed, and calls or jumps to CALLEE.
 */
void functions_note_caller (struct functions *functions,
                            struct code_function *callee, uint32_t caller);

/* Callers of FUNCTION that were noted have to be analysed again, and are
   noted anew then.  functions_invalidate_callers: what they rely on has turned
   out to be otherwise.  */
void functions_requeue_callers (struct functions *functions,
                                struct code_function *function);
void functions_invalidate_callers (struct functions *functions,
                                   struct code_function *function);

/* A function that is requeued, and has to be analysed again, is taken from
   the queue.  FUNCTION_NONE: there is none.  */
uint32_t functions_take_requeued (struct functions *functions);

#endif /* ANALYSIS_FUNCTIONS_H */
