/* Profiles from recordings of perf: perf record --call-graph dwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERF_INPUT_H
#define STACKS_PERF_INPUT_H

#include <stdbool.h>

#include "base/error.h"
#include "stacks/profile.h"

/* Walk and count the samples of the recording at PATH in PROFILE, which is
   empty and has its policy and off_cpu.  EVENT: only samples of this one are
   counted, from 1 on in the recording's order; 0: of all, or for time off the
   processor of that which counts context switches.  Unless OUTPUT is NULL,
   write the recording with call chains to that file.  *AT_FAULT is PATH or
   OUTPUT, which ERR is about.  */
bool perf_input_take (struct profile *profile, const char *path,
                      unsigned event, const char *output,
                      const char **at_fault, struct error *err);

#endif /* STACKS_PERF_INPUT_H */
