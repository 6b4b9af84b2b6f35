/* Messages: their beginning, and the choice of streams, which never write to
   the output file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include <stdio.h>

#include "cli/options.h"

struct message_streams
{
  FILE *out;      /* results */
  FILE *errors;   /* warnings */
  FILE *failures; /* failures; printed even into the output file */
};

/* Choose standard output and standard error, but no stream that writes to the
   output file of -o or --section-only.  Its messages go to the other stream,
   or to /dev/null if both write to the output file.  The streams live as long
   as the process.  */
struct message_streams
message_streams_choose (const struct tool_options *options);

/* Print PATH and a colon.  */
void message_name (const char *path, FILE *out);

/* Begin a message about the file at PATH; NULL: about no file.  */
void message_begin (const char *path, FILE *errors);

#endif /* CLI_MESSAGES_H */
