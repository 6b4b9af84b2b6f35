/* In which order functions are analysed, and their notes passed on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A analyser says what follows from one function's code; here it is passed on
   to whoever looks at it: rows, starts of functions, what a function does to
   its callers.  Functions have their turn in the order in which they were
   found, and what is found in one counts for the next.  Some hundreds are
   analysed ahead of their turn, by several threads; where a turn changes
   what those behind have looked at, they are analysed again.  So the
   result is that of following one after the other.

   A row is kept where all functions that get to an address agree on it.  What
   a function said before it was analysed again is disputed, and not taken
   back: others may have relied on it.  */

#ifndef ANALYSIS_SCHEDULE_H
#define ANALYSIS_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/analyser.h"
#include "analysis/noreturn.h"
#include "analysis/starts.h"

struct schedule
{
  /* Not owned.  */
  struct analysis_shared *shared;
  struct noreturn *noreturn;
  struct starts *starts;
  uint64_t n_functions; /* that were analysed */
  uint64_t n_sound;     /* of which these are used */
  uint64_t n_left;      /* and for these steps or memory did not suffice */
  /* Set by schedule_begin.  */
  struct pool *pool;         /* of analysers */
  struct analysis_job *jobs; /* analysed ahead */
  size_t batch_size;         /* how many to follow ahead */
  bool references_changed; /* since it was analysed ahead: where tables end */
  uint64_t steps_left;     /* for all functions together; 0: too few */
  enum doubtful_calls doubtful_calls; /* of calls that may not return */
  struct address_list doubtful; /* entries of functions that make such calls */
};

/* SCHEDULE is to be freed in any case.  False when memory ran out.  */
bool schedule_begin (struct schedule *schedule);
void schedule_free (struct schedule *schedule);

/* Follow all functions that are pending, and what they call.  */
bool schedule_run (struct schedule *schedule, struct error *err);

/* From now on a call that was not seen to return ends its path.  Functions
   that failed for these calls are pending again.  False when memory ran out.
 */
bool schedule_retry_doubtful (struct schedule *schedule);

#endif /* ANALYSIS_SCHEDULE_H */
