/* The results of many files, printed in the order of the files, whichever
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
  struct message_streams last; /* where texts are printed */
  struct output_turn *turns;   /* owned; N of them, in order */
  size_t n;
  bool direct; /* texts are made in their order, so they need not be kept */

  pthread_mutex_t lock;   /* guards what follows, and which turns are over */
  pthread_cond_t changed; /* the turn n_printed is over */
  size_t n_printed;       /* turns, from the first one on */
  bool lost;              /* memory ran out for a part of a text */
};

/* Prepare OUTPUT for N files, to be printed to LAST.  DIRECT: one thread works
   on the files in their order.  False when memory ran out.  */
bool ordered_output_init (struct ordered_output *output,
                          const struct message_streams *last, size_t n,
                          bool direct);

/* Also after ordered_output_init failed.  */
void ordered_output_free (struct ordered_output *output);

/* Begin the turn INDEX: what is written to the streams that are returned is
   printed when the turns before INDEX are.  Failures are kept with the errors,
   and have a stream of their own only if errors are not kept.  */
const struct message_streams *
ordered_output_begin (struct ordered_output *output, size_t index);

/* End the turn INDEX: its streams are closed.  */
void ordered_output_end (struct ordered_output *output, size_t index);

/* Print the turns that are over, up to the first one that is not.  False when
   all turns are printed.  */
bool ordered_output_print (struct ordered_output *output);

/* Wait until more can be printed, or the progress bar is to be drawn again.
   Call this only while a turn is not printed.  */
void ordered_output_wait (struct ordered_output *output);

#endif /* CLI_ORDERED_OUTPUT_H */
