/* The mappings of a living process, and the files that it has there.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_LIVE_MODULES_H
#define STACKS_LIVE_MODULES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "stacks/process.h"

/* Append the mappings of PID to those of PROCESS.  */
bool live_list_mappings (struct process *process, pid_t pid,
                         struct error *err);

/* Open the file of MAPPING: process->open_file.  */
int live_open_file (struct process *process, const struct mapping *mapping);

#endif /* STACKS_LIVE_MODULES_H */
