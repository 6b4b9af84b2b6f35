/* Printing stacks as text or as JSON, and grouping threads with equal stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The JSON is one object.  It has "pid", for a core file "core", and "stacks",
   an array of objects.  Each of these has "threads" (objects with "tid" and,
   if known, "name"), "frames" from the innermost one on, and "end": why the
   walk ended (unwind_end_name, or "limit" after the most frames), or null for
   a thread of which nothing is known.  A frame has "pc" and, as far as they
   are known, "function" and the "offset" in it, "file" and the "address" in
   it, "source" and "line"; "by": how the frame was found (frame_way_name); and
   "interrupted" and "jit", true where they apply.  Addresses are strings,
   because numbers of JavaScript have 53 bits.  */

#ifndef STACKS_STACK_PRINT_H
#define STACKS_STACK_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/table.h"
#include "stacks/names.h"
#include "stacks/stack_walk.h"

/* Where and how stacks are printed.  */
struct stack_printer
{
  struct process *process;
  unsigned wanted; /* what names have (names.h) */
  FILE *out;
  bool first; /* the next stack is the first one */
};

/* Print the stack WALK of N threads: a line with the threads, lines for each
   frame and its source, and a line that says why the walk ended.  WALK is NULL
   for a thread of which nothing is known.  */
void stack_print (const struct stack_printer *printer,
                  const struct thread *const *threads, size_t n,
                  const struct stack_walk *walk);

/* Print the walk by SFrame.  From the first frame on in which the walk by
   DWARF differs, print the rest of both.  False if they differ.  */
bool stack_print_both (const struct stack_printer *printer,
                       const struct thread *thread,
                       const struct stack_walk *sframe,
                       const struct stack_walk *dwarf);

/* Print the beginning of the JSON: process PID, and CORE, the path of a core
   file, unless that is NULL.  */
void stack_json_begin (const struct stack_printer *printer, pid_t pid,
                       const char *core);

/* Print a stack as JSON, with the arguments of stack_print.  */
void stack_json_print (const struct stack_printer *printer,
                       const struct thread *const *threads, size_t n,
                       const struct stack_walk *walk);

void stack_json_end (const struct stack_printer *printer);

/* ---- Groups of threads with equal stacks */

struct stack_group
{
  const struct thread **threads; /* owned; in order of addition */
  size_t n, capacity;
  struct stack_walk walk; /* owned; of the first thread */
};

struct stack_groups
{
  struct stack_group *groups; /* owned */
  size_t n, capacity;
  struct key_table numbers; /* of groups, by walk, until they are sorted */
};

/* Add THREAD, which must outlive GROUPS, to the group whose walks have the
   same addresses and end as WALK (copied).  False when memory ran out.  */
bool stack_groups_add (struct stack_groups *groups,
                       const struct thread *thread,
                       const struct stack_walk *walk);

/* Sort the groups, the largest one first.  */
void stack_groups_sort (struct stack_groups *groups);

void stack_groups_free (struct stack_groups *groups);

#endif /* STACKS_STACK_PRINT_H */
