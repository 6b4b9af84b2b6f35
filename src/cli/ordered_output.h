/* Printing the results of many files in the order of the files, whichever
   thread is done first.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_ORDERED_OUTPUT_H
#define CLI_ORDERED_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/messages.h"

struct ordered_output
{
  struct message_streams last; /* where results are printed */
  struct file_results *files;  /* owned; of N files, in order */
  size_t n;
  bool direct; /* results are written to `last' at once */

  pthread_mutex_t lock;   /* protects the members below, and `complete' */
  pthread_cond_t changed; /* signalled when file n_printed is complete */
  size_t n_printed;       /* files printed so far */
  bool lost;              /* memory ran out for a part of the results */
};

/* Prepare OUTPUT for the results of N files, to be printed to LAST.  DIRECT:
   one thread works on the files in their order.  False when memory ran
   out.  */
bool ordered_output_init (struct ordered_output *output,
                          const struct message_streams *last, size_t n,
                          bool direct);

/* Free OUTPUT, also after ordered_output_init failed.  */
void ordered_output_free (struct ordered_output *output);

/* Begin the results of file INDEX.  Returns streams for them;
   ordered_output_print prints them after those of the files before INDEX.  The
   stream for failures is that for errors, unless errors are written at once:
   then failures have their own.  */
const struct message_streams *
ordered_output_begin (struct ordered_output *output, size_t index);

/* End the results of file INDEX and close its streams.  */
void ordered_output_end (struct ordered_output *output, size_t index);

/* Print complete results, up to the first file whose are not.  False when the
   results of all files are printed.  */
bool ordered_output_print (struct ordered_output *output);

/* Wait until more can be printed, or until it is time to redraw the progress
   bar.  Call this only while results are missing.  */
void ordered_output_wait (struct ordered_output *output);

#endif /* CLI_ORDERED_OUTPUT_H */
