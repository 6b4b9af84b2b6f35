/* The parts of the program sframe-profile: its command line
   (profile_options.c), its output (profile_output.c) and the sampled command
   (command.c).
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
  const char *input;     /* a recording of perf, or NULL */
  const char *perf_data; /* where to write INPUT with call chains, or NULL */
  char **command;        /* or NULL; borrowed from argv */
  unsigned event;        /* the only event of INPUT that is counted; 0: all */
  unsigned hz;           /* samples per second; 0: those of INPUT */
  double seconds;        /* 0: until the end */
  const char *outputs[PROFILE_OUTPUTS_MAX];
  size_t n_outputs;
  const char *diff; /* folded stacks to compare with, or NULL */
  size_t top;       /* lines of the table on standard output; 0: no table */
  bool mangled, no_inherit, ptrace, quiet;
  bool icicle;  /* flame graphs have callers above callees */
  bool threads; /* count each thread by itself */
  bool inlines; /* show inlined functions */
  bool off_cpu; /* measure time off the processor */
  struct section_policy policy;
};

/* Parse the command line.  Wrong usage ends the program with a message and
   exit status 2, --help and --version with 0.  */
void profile_options_parse (struct profile_options *options, int argc,
                            char **argv);

/* Print the message that WHAT failed, for the reason WHY.  Returns false.  */
bool profile_fail (const char *what, const char *why);

/* Check that the output files of OPTIONS can be written, as far as that can be
   told before sampling: an hour's samples must not be lost because of a
   misspelt folder.  If a comparison is wanted, read the other profile into
   *OLD, which is zeroed and has to be freed.  False after a message.  */
bool profile_open_outputs (const struct profile_options *options,
                           struct named_profile *old);

/* Write the outputs of OPTIONS from PROFILE.  OLD is the profile that
   profile_open_outputs has read.  False after a message.  */
bool profile_write_outputs (struct profile *profile,
                            const struct profile_options *options,
                            const struct named_profile *old);

/* Print a summary of PROFILE on standard error: how many samples there are,
   and what is missing.  */
void profile_print_summary (const struct profile *profile);

/* ---- The command that is sampled (command.c) */

struct command
{
  pid_t pid;
  int go;     /* a pipe: a byte makes the process execute the command */
  int result; /* a pipe: errno of a failed execution */
};

/* Save the signal dispositions that the program was started with, for the
   command.  Called before any handler is installed.  */
void command_remember_signals (void);

/* Fork a process that waits to execute ARGUMENTS.  False with errno.  */
bool command_prepare (struct command *command, char **arguments);

/* Let the process execute the command.  False, with errno, if it cannot.  */
bool command_start (struct command *command);

/* Terminate the process, if it runs, and wait for it, maybe long.  */
void command_end (struct command *command);

#endif /* STACKS_SFRAME_PROFILE_H */
