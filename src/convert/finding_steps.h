/* The instructions around a finding of --lint, with what holds at each.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_FINDING_STEPS_H
#define CONVERT_FINDING_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/code.h"
#include "analysis/decoder.h"
#include "cfi2sframe.h"

enum
{
  STEPS_BEFORE = 3, /* instructions in front of the wrong row */
  STEPS_WRONG = 4,  /* the first ones that it is wrong for, and the last one */
  STEPS_BEHIND = 2,
  STEPS_MAX = STEPS_BEFORE + STEPS_WRONG + 1 + STEPS_BEHIND
};

/* What is not named is zero at first.  */
struct finding_steps
{
  const struct code_findings *findings; /* about what REQUEST has */
  const struct code_request *request;
  const struct insn_decoder *decoder;

  struct cfi2sframe_step list[STEPS_MAX];
  size_t n;
  struct
  {
    struct code_row_words code, cfi;
    char text[INSN_TEXT_MAX];
  } words[STEPS_MAX]; /* what the list points to */
  /* An instruction of the function looked at last: the next finding is behind
     it, so that a function is gone over once for all of its findings.  */
  uint64_t resume;
};

/* Find the instructions for DISPROOF, of the findings.  Disproofs come in
   ascending order.  The instructions are valid while STEPS is, and the
   image.  */
void finding_steps_find (struct finding_steps *steps,
                         const struct disproof *disproof);

#endif /* CONVERT_FINDING_STEPS_H */
