/* The names that a just-in-time compiler gives its code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compilers write them to /tmp/perf-PID.map for perf, a line for each
   function: START SIZE NAME, the numbers in hexadecimal
   (tools/perf/Documentation/ jit-interface.txt of Linux).  */

#ifndef STACKS_JIT_NAMES_H
#define STACKS_JIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct jit_name
{
  uint64_t start, size;
  char *name;  /* owned */
  size_t line; /* its number in the file */
};

struct jit_names
{
  struct jit_name *names; /* owned; ascending */
  size_t n, capacity;
};

/* Read the names of process PID into NAMES, which is empty.  Only a regular
   file that belongs to the process's user or to root is read; without one
   there are no names.  */
void jit_names_read (struct jit_names *names, pid_t pid);

/* The name of the code at ADDRESS, or NULL.  */
const struct jit_name *jit_names_at (const struct jit_names *names,
                                     uint64_t address);

void jit_names_free (struct jit_names *names);

#endif /* STACKS_JIT_NAMES_H */
