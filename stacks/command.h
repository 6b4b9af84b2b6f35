/* Starting the command that is to be sampled.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_COMMAND_H
#define STACKS_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

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

#endif /* STACKS_COMMAND_H */
