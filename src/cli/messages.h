/* Where messages go: never where the output file goes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include <stdio.h>

#include "cli/options.h"

struct message_streams
{
  FILE *out;      /* results */
  FILE *errors;   /* warnings */
  FILE *failures; /* failures; printed even to the stream that has the output
                     file */
};

/* Standard output and standard error, but no stream that -o or --section-only
   name as the output file: its messages go to the other stream, or nowhere if
   the output file is both.  The streams live as long as the process.  */
struct message_streams
message_streams_choose (const struct tool_options *options);

#endif /* CLI_MESSAGES_H */
