/* The names that a just-in-time compiler gives its code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compilers write them for perf: to /tmp/perf-PID.map, a line for each
   function, START SIZE NAME, the numbers in hexadecimal
   (tools/perf/Documentation/jit-interface.txt of Linux); or with the code to a
   file jit-PID.dump (jitdump-specification.txt there), wherever that is: they
   map its first page as code, so that it is found.  Some write a file when the
   program ends.  So it is read as late as it can be, when the program may have
   ended: where it is must be known before.  */

#ifndef STACKS_JIT_NAMES_H
#define STACKS_JIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "stacks/interval_map.h"

struct jit_name
{
  uint64_t start, size;
  char *name; /* owned */
};

/* What the names of all processes take in sum; all zeros: nothing.  */
struct jit_sums
{
  size_t names, descriptors;
};

struct jit_names
{
  pid_t pid;
  pid_t own_pid; /* that the process itself knows, in a container */
  int folder;    /* descriptor of the process's /tmp, or -1 ... */
  int dump;      /* ... and of its jit-PID.dump */
  uid_t user;    /* the process's */
  bool read;
  struct jit_name *names; /* owned; as they were written */
  size_t n, capacity;
  struct interval_map by_address; /* of NAMES */
  struct jit_sums *sums;          /* borrowed */
};

/* Whether the file at PATH is called as dumps are.  */
bool jit_names_is_dump (const char *path);

/* Remember where process PID has its names.  If it is RECORDED, or has ended,
   they are looked for in this system's own /tmp alone.  DUMP is closed with
   NAMES; -1: there is none.  SUMS must outlive NAMES; beyond its bounds names
   and places are not kept.  */
void jit_names_open (struct jit_names *names, pid_t pid, bool recorded,
                     int dump, struct jit_sums *sums);

/* The name of the code at ADDRESS, or NULL.  Where code was made in the place
   of other code, the later name counts.  The names are read when one is
   asked for first: from a regular file that belongs to the process's user or
   to root, and from the dump.  */
const struct jit_name *jit_names_at (struct jit_names *names,
                                     uint64_t address);

/* Does nothing to NAMES that are zeroed.  */
void jit_names_free (struct jit_names *names);

#endif /* STACKS_JIT_NAMES_H */
