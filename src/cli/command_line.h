/* Parsing the command line of cfi2sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "cli/options.h"

/* Exit status 2 with a message for wrong usage, 0 for --help and --version.
   Returns otherwise; the caller ends with tool_options_free.  */
void tool_options_parse (struct tool_options *options, int argc, char **argv);

void tool_options_free (struct tool_options *options);

#endif /* CLI_COMMAND_LINE_H */
