/* How walks are shown: as text, or as JSON; one for all threads with equal
   stacks, if that is asked for.
   SPDX-License-Identifier: LGPL-2.1-or-later

   As JSON it is one object: "pid" or "core", and "stacks", an array of
   objects.  Each has "threads" ("tid", and "name", if it is known), "frames"
   from the innermost one on, and "end", why the walk ended (unwind_end_name),
   or null for a thread that nothing is known of.  A frame has "pc", and as far
   as they are known "function" and "offset" in there, "file" and "address" in
   there, "source" and "line"; how it was found ("by": frame_way_name); and
   true for what applies of "interrupted" and "jit".  Addresses are texts,
   because numbers of JavaScript have 53 bits.  */

#ifndef STACKS_STACK_PRINT_H
#define STACKS_STACK_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/key_table.h"
#include "stacks/names.h"
#include "stacks/stack_walk.h"

/* What is printed, and how.  */
struct stack_printer
{
  struct process *process;
  unsigned wanted; /* of symbols (names.h) */
  FILE *out;
  bool first; /* nothing was printed yet */
};

/* Print a line for the N threads that have WALK, one for each frame of it (and
   one for its source), and one that says why it ended.  WALK is NULL for a
   thread that nothing is known of.  */
void stack_print (const struct stack_printer *printer,
                  const struct thread *const *threads, size_t n,
                  const struct stack_walk *walk);

/* Print the walk by SFrame, compared with the walk by DWARF: from the first
   frame on in which they differ, the rest of both is shown.  False when they
   differ.  */
bool stack_print_both (const struct stack_printer *printer,
                       const struct thread *thread,
                       const struct stack_walk *sframe,
                       const struct stack_walk *dwarf);

/* Begin JSON with process PID, or with the core file CORE, unless that is
   NULL.  */
void stack_json_begin (const struct stack_printer *printer, pid_t pid,
                       const char *core);

/* Print a stack, as stack_print does; WALK is NULL for a thread that
   nothing is known of.  */
void stack_json_print (const struct stack_printer *printer,
                       const struct thread *const *threads, size_t n,
                       const struct stack_walk *walk);

void stack_json_end (const struct stack_printer *printer);

/* ---- Threads with equal stacks, together */

struct stack_group
{
  const struct thread **threads; /* owned; in the order in which they came */
  size_t n, capacity;
  struct stack_walk walk; /* owned; of the first one */
};

struct stack_groups
{
  struct stack_group *groups; /* owned */
  size_t n, capacity;
  struct key_table numbers; /* of groups, until they are sorted, by walk */
};

/* Add THREAD, which must outlive GROUPS and has WALK (copied), to the group
   whose walks have the same addresses and end.  False when memory ran out.  */
bool stack_groups_add (struct stack_groups *groups,
                       const struct thread *thread,
                       const struct stack_walk *walk);

/* Order them, the largest one first.  */
void stack_groups_sort (struct stack_groups *groups);

void stack_groups_free (struct stack_groups *groups);

#endif /* STACKS_STACK_PRINT_H */
