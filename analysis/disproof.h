/* Disproofs: rows of CFI that the code contradicts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   comparison.h finds them.  Each conclusion about a function (a completed
   analysis) replaces the disproofs of the conclusion before.  */

#ifndef ANALYSIS_DISPROOF_H
#define ANALYSIS_DISPROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/value.h"
#include "frame/frame.h"

struct code_function;
struct functions;

struct disproof
{
  enum row_rule kind;  /* the rule that is wrong */
  uint64_t entry;      /* of the function that the code belongs to ... */
  uint32_t conclusion; /* ... and number of the conclusion about it */
  uint64_t start, end; /* code for which the row is wrong */
  uint64_t bytes;      /* of instructions in this range */
  uint64_t since;      /* address of the instruction that the row misses */
  struct frame_row row;
  struct value value; /* result of the row's rule, in the state */
  int64_t base_limit; /* for VALUE_BASE: the base is at most CFA + this ... */
  bool base_is_below; /* ... or below that */
  bool without_fp;    /* the state says nothing of FP (TRUST_STACK) */
  /* Where the caller's FP, or the return address, is stored, if its register
     was overwritten.  */
  struct value saved_at;
};

struct disproofs
{
  struct disproof *list; /* owned; ascending */
  size_t n, capacity;
  size_t n_stale; /* number of those from earlier conclusions */
};

void disproofs_free (struct disproofs *disproofs);

/* Append the N disproofs of LIST, which are of the last conclusion about
   FUNCTION.  False if memory ran out.  */
bool disproofs_add (struct disproofs *disproofs,
                    struct code_function *function,
                    const struct disproof *list, size_t n);

/* Mark the disproofs of FUNCTION, one of FUNCTIONS, as stale: a new conclusion
   follows.  Stale disproofs are removed when they are more than half of the
   list, so that the list is seldom copied.  */
void disproofs_retract (struct disproofs *disproofs,
                        const struct functions *functions,
                        struct code_function *function);

/* Remove all stale disproofs.  */
void disproofs_drop_stale (struct disproofs *disproofs,
                           const struct functions *functions);

#endif /* ANALYSIS_DISPROOF_H */
