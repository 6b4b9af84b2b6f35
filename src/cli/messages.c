/* Messages: their beginning, and the choice of streams.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/messages.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "convert/location.h"

/* Whether descriptor FD refers to the file with STATUS, so that messages would
   damage the file.  Character devices do not keep what is written.  */
static bool
writes_to (int fd, const struct stat *status)
{
  struct stat stream;
  return !S_ISCHR (status->st_mode) && fstat (fd, &stream) == 0
         && file_status_same (&stream, status);
}

struct message_streams
message_streams_choose (const struct tool_options *options)
{
  struct message_streams streams = { stdout, stderr, stderr };
  struct stat status;
  if (options->output == NULL || stat (options->output, &status) != 0)
    return streams;
  bool out = writes_to (STDOUT_FILENO, &status);
  bool errors = writes_to (STDERR_FILENO, &status);
  if (out && errors)
    {
      FILE *nowhere = fopen ("/dev/null", "we");
      if (nowhere != NULL)
        streams.out = streams.errors = nowhere;
    }
  else if (out)
    streams.out = stderr;
  else if (errors)
    streams.errors = streams.failures = stdout;
  return streams;
}

void
message_name (const char *path, FILE *out)
{
  printable_put (path, out);
  fputs (": ", out);
}

void
message_begin (const char *path, FILE *errors)
{
  fputs ("cfi2sframe: ", errors);
  if (path != NULL)
    message_name (path, errors);
}
