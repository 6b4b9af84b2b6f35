/* One function after the other, job for what can be said of it by
   itself. SPDX-License-Identifier: LGPL-2.1-or-later

   A analyser changes nothing that another analyser reads: what others are to
   know it effects down.  So analysers can work at the same time, each in a
   thread, while effects are not passed on (schedule.h).  */

#ifndef ANALYSIS_ANALYSER_H
#define ANALYSIS_ANALYSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/comparison.h"
#include "analysis/functions.h"
#include "analysis/routine.h"
#include "frame/frame.h"

/* For tests/analysis, which hold the state at each instruction against CFI
   that the analysis has not seen.  No other caller has one.  With `see',
   functions are job one by one, because states are gone after a
   function's turn.  */
struct analysis_observer
{
  /* Called for every instruction of the functions that can be trusted, or
     NULL.  ENTRY is the function's.  */
  void (*see) (void *argument, uint64_t entry, enum routine_trust trust,
               const struct insn *insn, const struct state *state);
  /* Called for the others, or NULL.  */
  void (*reject) (void *argument, uint64_t entry, enum routine_failure failure,
                  uint64_t failed_at);
  void *argument;
};

/* How often a function was job before.  */
enum attempt
{
  ATTEMPT_FIRST,
  /* A function that fails at first is tried once more when all others were
     tried, because these may have named addresses where jump tables end.  */
  ATTEMPT_LAST,
  /* The function was found to be entered with another frame than that of a
     call.  */
  ATTEMPT_REVISION
};

enum effect_kind
{
  EFFECT_ROW,                /* the row holds for SIZE bytes at ADDRESS */
  EFFECT_CALL,               /* ADDRESS is called */
  EFFECT_FUNCTION,           /* ADDRESS is handed on as a function */
  EFFECT_REFERENCED,         /* ADDRESS is computed */
  EFFECT_HINT,               /* ADDRESS may be computed */
  EFFECT_CALLEE,             /* function NUMBER is called or jumped to */
  EFFECT_ENTERED_WITH_FRAME, /* function NUMBER is entered with another frame
                              */
  EFFECT_OBSERVATION         /* NUMBER: enum observation_kind */
};

struct effect
{
  uint64_t address;
  enum effect_kind kind;
  uint32_t size;
  uint32_t number; /* of the analyser's rows, or ROW_UNKNOWN; or see above */
};

struct analyser
{
  const struct routine_context *context;
  struct routine *routine;
  struct effect *effects;
  size_t n_effects, effects_capacity;
  struct frame_row *rows;
  size_t n_rows, rows_capacity;
  struct disproofs disproofs;
  struct comparison comparison;
  struct row_search described;
  struct analysis_job *job;
  /* Where the program begins: the address in the first argument's register, as
     the last instruction that wrote it has computed it.  */
  uint64_t handed;
  bool failed; /* memory ran out */
};

/* What is asked of a analyser.  */
struct job_task
{
  uint32_t index; /* of the function */
  enum attempt attempt;
  enum doubtful_calls doubtful_calls; /* where the function has no CFI */
  bool is_last; /* not job again, should it call what is not known */
  uint64_t steps_left;
  size_t effects_max; /* and disproofs, together; the rest is dropped */
};

/* What came of it.  */
struct analysis_job
{
  struct job_task task;
  struct analyser *by; /* NULL: not job yet */
  bool is_part;        /* job only for what its callers have to know */
  bool skipped;        /* it was none to be job */
  /* If it calls_unregistered, nothing else counts.  Its failure is also that
     what is sound is no function, or lacks what others are to show first.  */
  struct routine_result result;
  bool concluded; /* it need not be job again */
  bool trusted;
  bool is_bare;                   /* job as if it preserved no registers */
  bool doubts_entry, leaves_open; /* see comparison.h */
  uint64_t steps;
  size_t first_row;
  size_t first_effect, n_effects;
  size_t first_disproof, n_disproofs;
};

/* NULL when memory ran out.  CONTEXT must outlive the analyser.  */
struct analyser *analyser_new (const struct routine_context *context);
void analyser_free (struct analyser *analyser);

/* Forget the effects of FOLLOWED, which were passed on, unless there are later
   ones.  So functions that are job in their turn need room for one.
 */
void analyser_discard_effects (const struct analysis_job *job);

/* Follow a function.  */
void analyser_run (struct analyser *analyser, struct analysis_job *job);

/* Whether there is nothing to follow FUNCTION for.  */
bool analyser_skips (const struct code_function *function,
                     enum attempt attempt);

/* What to trust FOLLOWED, a sound one, with, if FUNCTION is what is known of
   it.  */
enum routine_trust job_trust (const struct analysis_job *job,
                              const struct code_function *function);

#endif /* ANALYSIS_ANALYSER_H */
