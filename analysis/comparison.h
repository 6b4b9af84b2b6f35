/* Comparing the rows of the CFI with what the code does.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A row is disproved where the analysis knows a value that the row says
   something else of, in functions that can be trusted: all of their paths were
   analysed, agree, and end as the ABI demands (routine.h).  */

#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/row_map.h"
#include "analysis/disproof.h"
#include "analysis/routine.h"

/* A search for the rows of functions, by addresses in stretches that
   ascend.  */
struct row_search
{
  const struct frame_function *functions; /* ascending, disjoint; borrowed */
  size_t n;
  const struct frame_row *row; /* found last, for SIZE bytes from START on */
  uint64_t start, size;
};

/* The row that is in force at ADDRESS, or NULL.  That of a PLT stub or a
   signal frame is none.  */
const struct frame_row *row_search_find (struct row_search *search,
                                         uint64_t address);

struct comparison
{
  struct disproofs *disproofs; /* get what is found */
  size_t first; /* index: those of the function looked at begin there */
  struct row_search known; /* what is compared */
  uint64_t last;           /* instruction looked at last */
  /* Rows of the function looked at were compared; one contradicts the code in
     a way that a function entered with more on the stack would explain; one
     agrees behind a change of the stack pointer, which refutes that.  */
  bool has_compared, may_have_more, agrees_later;
  /* One says something that is neither right nor wrong as far as the analysis
     knows.  */
  bool leaves_open;
  bool failed; /* memory ran out */
};

/* What is compared from now on is of another function.  */
void comparison_begin (struct comparison *comparison);

/* Whether the rows compared since say nothing, or may as well be right and the
   first one wrong: of code that is entered with more on the stack than by a
   call.  */
bool comparison_doubts_entry (const struct comparison *comparison);

/* Compare the row at INSN with STATE, in front of it, of the function at
   ENTRY.  SP is where the stack pointer is if callees are trusted, where STATE
   does not rely on that.  */
void comparison_see (struct comparison *comparison, uint64_t entry,
                     enum routine_trust trust, const struct insn *insn,
                     const struct state *state, struct value sp);

/* Keep of DISPROOFS what all functions that get there agree upon, as ROW_MAP
   tells.  To be called once, when the analysis is over.  */
void comparison_merge (struct disproofs *disproofs,
                       const struct row_map *row_map);

#endif /* ANALYSIS_COMPARISON_H */
