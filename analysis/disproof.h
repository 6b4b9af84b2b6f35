/* CFI that the code contradicts.
   SPDX-License-Identifier: LGPL-2.1-or-later

   comparison.h finds such rows.  */

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
  uint64_t entry;      /* of the function whose paths lead there ... */
  uint32_t conclusion; /* ... and which of its conclusions it is of */
  uint64_t start, end; /* code for which the row is wrong */
  uint64_t bytes;      /* of instructions between them */
  uint64_t since;      /* the instruction the row does not know of */
  struct frame_row row;
  struct value value; /* what the row's rule computes */
  int64_t base_limit; /* VALUE_BASE: it is at most CFA + this ... */
  bool base_is_below; /* ... or less */
  bool without_fp;    /* of FP nothing is known there (TRUST_STACK) */
  /* Where the caller's FP, or the RA, is, if it was overwritten.  */
  struct value kept_at;
};

struct disproofs
{
  struct disproof *list; /* owned; ascending */
  size_t n, capacity;
  size_t n_stale; /* of earlier conclusions */
};

void disproofs_free (struct disproofs *disproofs);

/* Append the N of LIST, of the last conclusion of FUNCTION.  False when memory
   ran out.  */
bool disproofs_add (struct disproofs *disproofs,
                    struct code_function *function,
                    const struct disproof *list, size_t n);

/* FUNCTION, one of FUNCTIONS, has another conclusion: what it had is stale.
   Stale disproofs stay until they are as many as the others, so that the list
   is gone through seldom.  */
void disproofs_retract (struct disproofs *disproofs,
                        const struct functions *functions,
                        struct code_function *function);

/* Forget those that are stale.  */
void disproofs_drop_stale (struct disproofs *disproofs,
                           const struct functions *functions);

#endif /* ANALYSIS_DISPROOF_H */
