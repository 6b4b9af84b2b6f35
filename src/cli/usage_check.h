/* Which of cfi2sframe's options go together.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_USAGE_CHECK_H
#define CLI_USAGE_CHECK_H

#include <argp.h>

#include "cli/options.h"

/* Record in options->given that the option KEY is given.  */
void usage_note_given (struct tool_options *options, int key);

/* Whether the option KEY is given, so far; of options that the table of
   effects (usage_check.c) has.  */
bool usage_is_given (const struct tool_options *options, int key);

/* The whole command line of STATE is parsed into its struct tool_options.  If
   parts of it contradict each other or have no effect, say so, and end.  */
void usage_check (const struct argp_state *state);

#endif /* CLI_USAGE_CHECK_H */
