/* The functions that were found, and an interprocedural summary of each.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A table by entry address.  Functions are added as they are found, and keep
   their index.  noreturn.h finds out which of them return.  */

#ifndef ANALYSIS_FUNCTIONS_H
#define ANALYSIS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/image_facts.h"
#include "elf/image.h"

/* A function, with its summary.  Fields are grouped by the files that set
   them; analysers set none, because they run at the same time.  */
struct code_function
{
  uint64_t entry;
  /* starts.c; is_start also schedule.c, is_called also noreturn.c.  */
  bool is_start;    /* a boundary: reached by calls and tail calls only */
  bool has_fde;     /* CFI says that a function starts there */
  bool is_exported; /* .dynsym has it: other images call it */
  bool is_called;   /* by a certain function, or as an initialiser or main */
  bool is_pointer;  /* a start because a pointer leads there */
  bool is_guess;    /* and that pointer is not relocated: it may be a number */
  /* noreturn.c.  */
  bool may_return;  /* some path through it returns, as far as was analysed */
  uint32_t waiters; /* the last one added that waits for its return */
  /* schedule.c, when it commits jobs.  */
  bool is_concluded;          /* its analysis is complete ... */
  bool fails;                 /* ... and has failed */
  bool is_bare;               /* preserves only SP of the ABI's registers */
  bool is_compared;           /* its CFI was compared with its code */
  bool is_proven;             /* a path returns or makes a tail call */
  bool is_entered_with_frame; /* code jumps into it with a frame */
  /* A branch leads there with another frame than that of a call, and is taken
     for one that is never taken.  */
  bool is_dead_branch_target;
  bool moves_stack; /* returns with another SP, to its callers' code */
  uint32_t changes; /* mask: callee-saved registers that it does not restore */
  /* comparison.c.  */
  uint32_t conclusion;  /* number of its completed analyses */
  uint32_t n_disproofs; /* of the last one */
  /* functions.c.  */
  bool is_requeued; /* in functions->requeued */
  uint32_t callers; /* the last one added: index in functions->callers */
};

/* Whether a pointer is the only evidence of FUNCTION.  Pointers lead to other
   things than functions, too.  */
static inline bool
function_has_only_pointers (const struct code_function *function)
{
  return function->is_pointer && !function->is_called;
}

/* Whether FUNCTION certainly is a function, so that its calls are calls.  */
static inline bool
function_is_certain (const struct code_function *function)
{
  return function->is_called || (function->is_start && !function->is_pointer);
}

/* A caller of a function.  */
struct caller
{
  uint32_t function;
  uint32_t next; /* or FUNCTION_NONE */
};

static const uint32_t FUNCTION_NONE = UINT32_MAX;

struct functions
{
  struct code_function *list; /* owned; moves when it grows */
  size_t n, capacity;
  struct address_map starts; /* entry to index */
  struct address_set marks;  /* its keys, and starts of FDEs: a quick test */
  /* Callees whose calls have returned: the callee's address, or that of the
     constant word, mostly in the GOT, through which it is called.  */
  struct address_map returned;
  struct caller *callers;
  size_t n_callers, callers_capacity;
  uint32_t *requeued; /* a queue; the first n_taken were taken */
  size_t n_requeued, n_taken, requeued_capacity;
  bool any_breaks_abi; /* a function moves the stack or changes registers */
  uint64_t n_changes;  /* each invalidates speculative results */
  bool failed;         /* memory ran out */
};

/* Return an empty table, or NULL without memory.  */
struct functions *functions_new (const struct image *image);
void functions_free (struct functions *functions);

/* Add the function that starts at ENTRY, if it is new.  Return its index, or
   FUNCTION_NONE without memory.  */
uint32_t functions_add (struct functions *functions, uint64_t entry,
                        bool is_start);

/* Return the function that starts at ADDRESS: its index or FUNCTION_NONE; a
   pointer or NULL.  */
uint32_t functions_find (const struct functions *functions, uint64_t address);
struct code_function *functions_at (const struct functions *functions,
                                    uint64_t address);

/* There are two degrees of evidence that a function returns.  noreturn.h
   proves that it never returns, or else finds a path by which it may.
   routine_returns.c looks at the code behind a call, which can show that the
   call has returned.  A call that may return, and was not shown to, is a
   doubtful one (enum doubtful_calls, routine.h).  */

/* Whether a call of CALLEE, a key of functions->returned, has returned.  */
bool functions_has_returned (const struct functions *functions,
                             uint64_t callee);

/* Record that a call of CALLEE has returned.  */
void functions_set_returned (struct functions *functions, uint64_t callee);

/* Whether a call of TARGET, with the instruction at NEXT behind it, only
   pushes that address: position-independent code finds its own address so.  A
   function that never returns and happens to be the next one is called in the
   same way, but does not use the return address.  */
bool functions_call_is_push (const struct functions *functions,
                             const struct image_facts *facts, uint64_t target,
                             uint64_t next);

/* Record that function CALLER, an index, calls or jumps to CALLEE.  */
void functions_add_caller (struct functions *functions,
                           struct code_function *callee, uint32_t caller);

/* Queue the recorded callers of FUNCTION for another analysis, which records
   them anew.  functions_invalidate_callers: what they relied on has changed,
   so speculative results are invalid, too.  */
void functions_requeue_callers (struct functions *functions,
                                struct code_function *function);
void functions_invalidate_callers (struct functions *functions,
                                   struct code_function *function);

/* Take a function that has to be analysed again from the queue, and return its
   index.  FUNCTION_NONE: the queue is empty.  */
uint32_t functions_take_requeued (struct functions *functions);

#endif /* ANALYSIS_FUNCTIONS_H */
