/* The analysis of one function, with its effects recorded.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An analyser runs one job after the other.  It changes nothing that another
   analyser reads: updates of shared tables are recorded as effects, and
   schedule.c commits the effects later.  So several threads, each with an
   analyser, can work at the same time.  */

#ifndef ANALYSIS_ANALYSER_H
#define ANALYSIS_ANALYSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/comparison.h"
#include "analysis/functions.h"
#include "analysis/routine.h"
#include "frame/frame.h"

/* For tests/analysis, which compare the state at each instruction with CFI
   that the analysis has not seen.  No other caller has an observer.  With
   `see', functions are analysed one by one, because an analyser keeps the
   states of its last function only.  */
struct analysis_observer
{
  /* Called for every instruction of each trusted function at ENTRY, or
     NULL.  */
  void (*see) (void *argument, uint64_t entry, enum routine_trust trust,
               const struct insn *insn, const struct state *state);
  /* Called for each rejected function, or NULL.  */
  void (*reject) (void *argument, uint64_t entry, enum routine_failure failure,
                  uint64_t failed_at);
  void *argument;
};

/* Which analysis of a function this is.  */
enum attempt
{
  ATTEMPT_FIRST,
  /* A later one, because the first one failed, or a callee has changed.  By
     then all others were analysed, and have referenced addresses where jump
     tables may end.  */
  ATTEMPT_LAST,
  /* The function turned out to be entered with another frame than that of a
     call.  Its rows are recorded once more, to be retracted.  */
  ATTEMPT_REVISION
};

enum effect_kind
{
  EFFECT_ROW,        /* row NUMBER holds for SIZE bytes at ADDRESS */
  EFFECT_CALL,       /* a call of ADDRESS */
  EFFECT_FUNCTION,   /* a function at ADDRESS is passed as an argument */
  EFFECT_REFERENCED, /* code computes ADDRESS */
  EFFECT_HINT,       /* code has a constant that may be ADDRESS */
  EFFECT_CALLEE,     /* a call of function NUMBER, or a jump to it */
  EFFECT_ENTERED_WITH_FRAME, /* code jumps into function NUMBER */
  EFFECT_OBSERVATION         /* NUMBER is an enum observation_kind */
};

struct effect
{
  uint64_t address;
  enum effect_kind kind;
  uint32_t size;
  uint32_t number; /* index in analyser->rows, or ROW_UNKNOWN; or as above */
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
  /* In the code where the program begins: the address in the first argument's
     register, if the last instruction that wrote the register has computed an
     address.  */
  uint64_t passed_address;
  bool failed; /* memory ran out */
};

/* The input of a job.  */
struct job_task
{
  uint32_t index; /* in functions.list */
  enum attempt attempt;
  enum doubtful_calls doubtful_calls; /* if the function has no CFI */
  bool is_last; /* conclude even if it calls unregistered functions */
  uint64_t steps_left;
  size_t effects_max; /* with disproofs; the rest is dropped */
};

/* A job: its input, and its result.  */
struct analysis_job
{
  struct job_task task;
  struct analyser *analyser; /* has the effects; NULL: not analysed yet */
  bool is_subroutine; /* analysed only for what its callers have to know */
  bool skipped;       /* nothing had to be analysed */
  /* If it calls_unregistered, nothing else is valid.  The analyser adds the
     failure ROUTINE_UNPROVEN: the routine is sound, but nothing proves that it
     is a function; the analysis of other functions may still prove it.  */
  struct routine_result result;
  bool concluded; /* it need not be analysed again */
  bool trusted;
  bool is_bare; /* analysed without callee-saved registers */
  bool doubts_entry, has_undecided_rule; /* see comparison.h */
  uint64_t steps;
  size_t first_row;
  size_t first_effect, n_effects;
  size_t first_disproof, n_disproofs;
};

/* Return a new analyser, or NULL without memory.  CONTEXT must outlive it.  */
struct analyser *analyser_new (const struct routine_context *context);
void analyser_free (struct analyser *analyser);

/* Discard the effects of JOB, which were committed, unless later jobs of the
   same analyser have recorded effects behind them.  So an analyser whose jobs
   are committed at once needs room for the effects of one job only.  */
void analyser_discard_effects (const struct analysis_job *job);

/* Analyse the function of JOB, whose task is set; all else is overwritten.  */
void analyser_run (struct analyser *analyser, struct analysis_job *job);

/* Whether FUNCTION need not be analysed at all in this ATTEMPT.  */
bool analyser_skips (const struct code_function *function,
                     enum attempt attempt);

/* Return how far to trust JOB, a sound one, of FUNCTION.  */
enum routine_trust job_trust (const struct analysis_job *job,
                              const struct code_function *function);

#endif /* ANALYSIS_ANALYSER_H */
