/* The names that a just-in-time compiler gives its code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compilers write them to /tmp/perf-PID.map for perf, a line for each
   function: START SIZE NAME, the numbers in hexadecimal
   (tools/perf/Documentation/jit-interface.txt of Linux).  Some write the file
   when the program ends.  So it is read as late as it can be, when the program
   may have ended: where its /tmp is must be known before.  */

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
  pid_t pid;
  pid_t own_pid; /* that the process itself knows, in a container */
  int folder;    /* descriptor of the process's /tmp, or -1 */
  uid_t user;    /* the process's */
  bool read;
  struct jit_name *names; /* owned; ascending */
  size_t n, capacity;
};

/* Remember where process PID has its names.  If it is RECORDED, or has ended,
   they are looked for in this system's own /tmp alone.  */
void jit_names_open (struct jit_names *names, pid_t pid, bool recorded);

/* The name of the code at ADDRESS, or NULL.  The names are read when one is
   asked for first: from a regular file that belongs to the process's user or
   to root.  */
const struct jit_name *jit_names_at (struct jit_names *names,
                                     uint64_t address);

/* Does nothing to NAMES that are zeroed.  */
void jit_names_free (struct jit_names *names);

#endif /* STACKS_JIT_NAMES_H */
