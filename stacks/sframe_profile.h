/* What the parts of sframe-profile have of each other: its command line
   (profile_options.c), and what it makes of a profile (profile_output.c).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_SFRAME_PROFILE_H
#define STACKS_SFRAME_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stacks/profile.h"

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

/* Print a message: WHAT is at fault, for the reason WHY.  Returns false.  */
bool profile_fail (const char *what, const char *why);

/* Whether the files that OPTIONS name can be made, as far as can be told
   before: an hour's samples must not be lost to a misspelt folder.  Set *OLD,
   which is zeroed and to be freed, to the profile to compare with, if that is
   wanted.  False after a message.  */
bool profile_open_outputs (const struct profile_options *options,
                           struct named_profile *old);

/* Write what OPTIONS ask for of PROFILE, and OLD, as it was opened.  False
   after a message.  */
bool profile_write_outputs (struct profile *profile,
                            const struct profile_options *options,
                            const struct named_profile *old);

/* Say on standard error what PROFILE has, and what is missing in it.  */
void profile_print_summary (const struct profile *profile);

/* ---- Starting the command that is to be sampled (command.c) */

struct command
{
  pid_t pid;
  int go;     /* a byte written here makes the process execute the program */
  int result; /* a failed execution writes its errno here */
};

/* Remember what the program found done of signals, for the command; before any
   handler is installed.  */
void command_remember_signals (void);

/* Make a process that waits to execute ARGUMENTS.  False, with errno, when
   there is none.  */
bool command_prepare (struct command *command, char **arguments);

/* Make the waiting process execute the program.  False, with errno, when it
   cannot.  */
bool command_start (struct command *command);

/* Ask the process to end, if it still runs, and wait for it.  The wait may be
   long.  */
void command_end (struct command *command);

#endif /* STACKS_SFRAME_PROFILE_H */
