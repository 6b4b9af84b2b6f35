/* The command line of sframe-profile.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PROFILE_OPTIONS_H
#define STACKS_PROFILE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stacks/process.h"

enum
{
  PROFILE_OUTPUTS_MAX = 8
};

struct profile_options
{
  pid_t pid;             /* or 0 */
  const char *input;     /* a recording of perf, or NULL ... */
  const char *perf_data; /* ... and what is to have its call chains */
  char **command;        /* or NULL; borrowed from argv */
  unsigned event;        /* of the recording; 0: all */
  unsigned hz;           /* 0: that of the recording */
  double seconds;        /* 0: until the end */
  const char *outputs[PROFILE_OUTPUTS_MAX];
  size_t n_outputs;
  const char *diff; /* folded stacks to compare with, or NULL */
  size_t top;       /* functions of a table on standard output; 0: none */
  bool mangled, no_inherit, ptrace, quiet;
  bool icicle;  /* callers above */
  bool threads; /* each by itself */
  bool inlines; /* what is inlined is shown, too */
  bool off_cpu; /* time off the processor instead of time on it */
  struct section_policy policy;
};

/* Exit status 2 with a message for wrong usage, 0 for --help and --version.
   Returns otherwise.  */
void profile_options_parse (struct profile_options *options, int argc,
                            char **argv);

#endif /* STACKS_PROFILE_OPTIONS_H */
