/* A core file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_CORE_H
#define STACKS_CORE_H

#include <stdbool.h>

#include "base/error.h"
#include "stacks/process.h"

struct core; /* opaque */

/* Open the core file at PATH, of the program EXECUTABLE (NULL: the program
   that the core names).  Fills in all of PROCESS, which is zeroed but for its
   options.  NULL on failure.  */
struct core *core_open (struct process *process, const char *path,
                        const char *executable, struct error *err);

/* How many bytes of memory and notes the core should have, but has not,
   because it was cut off.  */
uint64_t core_missing (const struct core *core);

/* Release CORE (may be NULL) and PROCESS.  */
void core_close (struct core *core, struct process *process);

#endif /* STACKS_CORE_H */
