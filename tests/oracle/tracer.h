/* What a stack tracer makes of SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sections are read by sframe-prove's reader (prove/section.c), which is
   written from the specification and shares nothing with the project's.  */

#ifndef ORACLE_TRACER_H
#define ORACLE_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi.h"
#include "file.h"
#include "machine.h"
#include "prove/rule.h"

struct tracer
{
  struct span *spans; /* ascending */
  size_t n_spans, capacity;
  size_t last; /* the one that was asked for last */
  uint64_t n_functions, n_rows;
  char fault[160]; /* what is wrong with the section as such, or "" */
};

/* Read SECTION.  What is broken in it, and what readers could take in two
   ways, is a fault.  False when memory runs out.  */
bool tracer_open (struct tracer *tracer, const struct oracle_section *section);
void tracer_close (struct tracer *tracer);

struct tracer_state
{
  const struct rule *rule; /* NULL: not covered */
  uint64_t end;            /* the same state up to here */
};

/* The state at PC.  Fast for ascending PCs.  */
void tracer_state_at (struct tracer *tracer, uint64_t pc,
                      struct tracer_state *state);

/* Evaluate RULE at PC, on the machine ABI.  */
void tracer_verdict (const struct referee_abi *abi, const struct rule *rule,
                     uint64_t pc, struct verdict *verdict);

#endif /* ORACLE_TRACER_H */
