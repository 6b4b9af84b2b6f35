/* Messages: how they begin, and where they go, which is never where the output
   file goes.
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

/* Print PATH, of the file that a line is about, and a colon.  */
void message_name (const char *path, FILE *out);

/* Begin a message about the file at PATH; NULL: about none.  */
void message_begin (const char *path, FILE *errors);

#endif /* CLI_MESSAGES_H */
