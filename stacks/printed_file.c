/* Writing output files by stdio.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile_writers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "write/output_file.h"

static struct output_request
request_for (const char *name)
{
  return (struct output_request){ .output = name,
                                  .input_fd = -1,
                                  .sync = CFI2SFRAME_SYNC_FILE,
                                  .rewrite = true };
}

bool
printed_file_check (const char *name, const char *input, struct error *err)
{
  const struct output_request request = request_for (name);
  struct output_file trial;
  if ((input != NULL && !output_file_check_other (name, input, err))
      || !output_file_begin (&trial, &request, err))
    return false;
  output_file_discard (&trial);
  return true;
}

bool
printed_file_is_one (const char *a, const char *b)
{
  const struct output_request requests[]
      = { request_for (a), request_for (b) };
  struct output_file trials[2];
  struct error ignored;
  bool same = false;
  if (!output_file_begin (&trials[0], &requests[0], &ignored))
    return false;
  if (output_file_begin (&trials[1], &requests[1], &ignored))
    {
      same = output_file_same_target (&trials[0], &trials[1]);
      output_file_discard (&trials[1]);
    }
  output_file_discard (&trials[0]);
  return same;
}

struct printing
{
  bool (*print) (void *context, FILE *out, struct error *err);
  void *context;
};

/* Call the function of CONTEXT, a printing, with a stream for FD.  */
static bool
print_to (void *context, int fd, struct error *err)
{
  const struct printing *printing = context;
  int own = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  FILE *out = own >= 0 ? fdopen (own, "w") : NULL;
  if (out == NULL)
    {
      error_set_errno (err, "fdopen");
      if (own >= 0)
        close (own);
      return false;
    }
  bool printed = printing->print (printing->context, out, err);
  bool failed = ferror (out) != 0;
  failed |= fclose (out) != 0;
  return printed
         && (!failed
             || error_set (err, CFI2SFRAME_IO, "%s", strerror (errno)));
}

bool
printed_file_make (const char *name,
                   bool (*print) (void *context, FILE *out, struct error *err),
                   void *context, struct error *err)
{
  struct printing printing = { print, context };
  const struct output_request request = request_for (name);
  error_clear (err);
  return output_file_make (&request, print_to, &printing, err);
}
