/* Functions have their turn.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A follower says what follows from one function's code; here it is passed on
   to whoever looks at it: rows, starts of functions, what a function does to
   its callers.  Functions have their turn in the order in which they were
   found, and what is found in one counts for the next.  Some hundreds are
   followed ahead of their turn, by several threads; where a turn changes what
   those behind have looked at, they are followed again.  So the result is that
   of following one after the other.

   A row is kept where all functions that get to an address agree on it.  What
   a function said before it was followed again is disputed, and not taken
   back: others may have relied on it.  */

#ifndef ANALYSIS_TURNS_H
#define ANALYSIS_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/ahead.h"
#include "analysis/disproof.h"
#include "analysis/follower.h"
#include "analysis/functions.h"
#include "analysis/returning.h"
#include "analysis/row_map.h"
#include "analysis/starts.h"

struct analysis_summary
{
  uint64_t functions; /* followed */
  uint64_t compared;  /* of which CFI was compared with the code */
  uint64_t
      failures[ROUTINE_FAILURE_COUNT]; /* of which [ROUTINE_SOUND] are used */
};

/* What functions have their turn with.  Nothing of it is owned.  */
struct turns_context
{
  const struct code_request *request;
  const struct routine_context *routines;
  struct image_facts *facts;
  struct functions *functions;
  struct returning *returning;
  struct starts *starts;
  struct row_map *row_map;
  struct disproofs *disproofs; /* or NULL: nothing is compared */
  struct analysis_summary *summary;
};

struct turns
{
  struct turns_context context;
  struct ahead *ahead;
  struct followed *items; /* followed ahead */
  size_t n_ahead;         /* how many to follow ahead */
  uint64_t n_changes;     /* of what others than the function itself look at */
  bool names_changed;     /* since it was followed ahead: where tables end */
  uint64_t steps_left;    /* for all functions together; 0: too few */
  enum doubtful_calls
      doubtful_calls;         /* what to do about calls that may not return */
  struct index_list doubtful; /* functions that make such calls */
};

/* What CONTEXT points to must outlive TURNS, which is to be freed in any case.
   False when memory ran out.  */
bool turns_begin (struct turns *turns, const struct turns_context *context);
void turns_free (struct turns *turns);

/* Follow all functions that are pending, and what they call.  */
bool turns_follow_pending (struct turns *turns, struct error *err);

/* From now on a call that was not seen to return ends its path.  Functions
   that failed for these calls are pending again.  False when memory ran out.
 */
bool turns_retry_doubtful (struct turns *turns);

#endif /* ANALYSIS_TURNS_H */
