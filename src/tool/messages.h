/* Where messages go: never where the output file goes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_MESSAGES_H
#define TOOL_MESSAGES_H

#include <stdio.h>

#include "tool/options.h"

struct message_streams
{
  FILE *out;      /* results */
  FILE *errors;   /* warnings */
  FILE *failures; /* failures; printed even to the stream that the output goes
                     to */
};

/* Standard output and standard error; but when -o or --section-only lead to
   one of them, its messages go to the other one, and when they lead to both,
   nowhere.  The streams live as long as the process.  */
struct message_streams
message_streams_choose (const struct tool_options *options);

#endif /* TOOL_MESSAGES_H */
