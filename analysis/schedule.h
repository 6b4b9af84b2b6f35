/* The order in which functions are analysed, and the commit of their effects.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An analyser computes what the code of one function shows, and records
   effects.  The schedule commits these effects to the shared tables: rows,
   function starts, and what a function does to its callers.  Functions are
   committed in the order in which they were found, so that each sees the
   effects of all functions before it.

   To use several threads, the schedule has a batch of some hundred functions
   analysed speculatively.  Where a commit changes what later functions of the
   batch have read, those are analysed again.  So the result is that of one
   thread that takes one function after the other.

   A row is kept where all functions that reach an address agree on it.  When a
   function is analysed again and gets another row, the old row is not
   replaced: the two conflict, because other functions may have relied on the
   old one.  */

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
  uint64_t n_functions;  /* that were analysed */
  uint64_t n_sound;      /* of these: results are used */
  uint64_t n_unfinished; /* of these: too many steps, or no memory */
  /* Set by schedule_begin.  */
  struct pool *pool;         /* of threads */
  struct analysis_job *jobs; /* one batch */
  size_t batch_size;         /* how many functions the next batch takes */
  bool references_changed;   /* since the batch was analysed */
  uint64_t steps_left;       /* for all remaining functions; 0: too few */
  enum doubtful_calls doubtful_calls; /* for functions without CFI */
  struct address_list doubtful;       /* entries of functions that make them */
};

/* False if memory ran out; SCHEDULE has to be freed then, too.  */
bool schedule_begin (struct schedule *schedule);
void schedule_free (struct schedule *schedule);

/* Analyse all pending functions, and the functions that they call.  */
bool schedule_run (struct schedule *schedule, struct error *err);

/* From now on a doubtful call ends its path.  Functions that failed because of
   doubtful calls become pending again.  False if memory ran out.  */
bool schedule_retry_doubtful (struct schedule *schedule);

#endif /* ANALYSIS_SCHEDULE_H */
