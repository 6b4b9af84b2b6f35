/* Stacks as JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One object: "pid" or "core", and "stacks", an array of objects.  Each has
   "threads" ("tid", and "name", if it is known), "frames" from the innermost
   one on, and "end", why the walk ended (unwind_end_name), or null for a
   thread that nothing is known of.  A frame has "pc", and as far as they are
   known "function" and "offset" in there, "file" and "address" in there,
   "source" and "line"; how it was found ("by": frame_way_name); and true for
   what applies of "interrupted" and "jit".  Addresses are texts, because
   numbers of JavaScript have 53 bits.  */

#ifndef STACKS_STACK_JSON_H
#define STACKS_STACK_JSON_H

#include "stacks/stack_print.h"

/* Begin with process PID, or with the core file CORE, unless that is NULL.  */
void stack_json_begin (const struct page *page, pid_t pid, const char *core);

/* Print a stack, as stack_print does; WALK is NULL for a thread that
   nothing is known of.  */
void stack_json_print (const struct page *page,
                       const struct thread *const *threads, size_t n,
                       const struct stack_walk *walk);

void stack_json_end (const struct page *page);

#endif /* STACKS_STACK_JSON_H */
