/* Holding an SFrame section against the referee, over every PC.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_COMPARE_H
#define ORACLE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "file.h"
#include "referee.h"
#include "stubs.h"

/* All sizes are bytes of code.  */
struct comparison
{
  uint64_t functions;         /* FDEs of the CFI */
  uint64_t functions_full;    /* every byte the CFI describes is covered */
  uint64_t functions_partial; /* some are */
  uint64_t functions_none;
  uint64_t functions_silent; /* libdw cannot read them */
  uint64_t rows;             /* ranges compared */
  uint64_t sframe_functions, sframe_rows;
  uint64_t bytes;                /* described by the CFI */
  uint64_t bytes_covered;        /* ... and by SFrame, with equal meaning */
  uint64_t bytes_absent;         /* ... and not by SFrame */
  uint64_t bytes_return_address; /* ... because they are one, too */
  uint64_t bytes_silent;    /* covered by SFrame, the referee cannot tell */
  uint64_t bytes_ambiguous; /* FDEs overlap and libdw took the other one */
  uint64_t bytes_stub;      /* PLT code without CFI, checked */
  uint64_t bytes_padding;   /* covered, but nothing can execute there */
  uint64_t bytes_wrong;
  uint64_t first_wrong; /* PC */
  uint64_t faults;      /* of the section as such: 1 or none */
  char fault[160];
};

struct compare_options
{
  FILE *out;        /* where wrong ranges are described; NULL: nowhere */
  unsigned reports; /* at most so many */
  bool list_absent; /* list what SFrame does not cover, too */
};

/* Compare SECTION with what REFEREE and STUBS know.  False when memory runs
   out.  */
bool compare_run (const struct referee *referee, const struct stubs *stubs,
                  const struct oracle_section *section,
                  const struct compare_options *options,
                  struct comparison *result);

/* Whether RESULT is a reason to fail.  */
static inline bool
comparison_failed (const struct comparison *result)
{
  return result->bytes_wrong > 0 || result->faults > 0;
}

#endif /* ORACLE_COMPARE_H */
