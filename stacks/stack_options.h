/* The command line of sframe-stack.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_STACK_OPTIONS_H
#define STACKS_STACK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "stacks/process.h"

struct stack_options
{
  pid_t pid;        /* or 0 */
  const char *core; /* or NULL */
  const char *executable;
  size_t frames; /* at most, of each thread */
  pid_t thread;  /* the only one to be shown, or 0 */
  bool source, mangled, dwarf, verbose;
  bool json, group; /* threads with equal stacks once */
  struct section_policy policy;
};

/* Exit status 2 with a message for wrong usage, 0 for --help and --version.
   Returns otherwise.  */
void stack_options_parse (struct stack_options *options, int argc,
                          char **argv);

#endif /* STACKS_STACK_OPTIONS_H */
