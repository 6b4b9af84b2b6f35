/* Profiles from recordings of perf: perf record --call-graph dwarf.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERF_INPUT_H
#define STACKS_PERF_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "stacks/profile.h"

struct perf_input; /* opaque */

/* Open the recording at PATH, to be counted in PROFILE, which is empty and
   has its policy and off_cpu.  EVENT: only samples of this one are counted,
   from 1 on in the recording's order; 0: of all, or for time off the processor
   of that which counts context switches.  NULL on failure.  */
struct perf_input *perf_input_open (struct profile *profile, const char *path,
                                    unsigned event, struct error *err);

/* Walk and count all samples.  Unless OUTPUT is NULL, write the recording with
   call chains to that file.  */
bool perf_input_run (struct perf_input *input, const char *output,
                     struct error *err);

void perf_input_close (struct perf_input *input);

#endif /* STACKS_PERF_INPUT_H */
