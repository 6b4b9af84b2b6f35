/* The comparison of rows of CFI with the code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A row is disproved where its rule computes a value that the state shows to
   be wrong.  Only functions that can be trusted disprove rows: all of their
   paths were analysed, agree, and leave as the ABI demands (routine.h).  */

#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/row_map.h"
#include "analysis/disproof.h"
#include "analysis/routine.h"

/* A search for the row of an address.  It remembers the last row, because
   addresses mostly ascend.  */
struct row_search
{
  const struct frame_function *functions; /* ascending, disjoint; borrowed */
  size_t n;
  const struct frame_row *row; /* last one, for SIZE bytes from START on */
  uint64_t start, size;
};

/* Return the row that holds at ADDRESS, or NULL.  Rows of PLT stubs and signal
   frames are not returned.  */
const struct frame_row *row_search_find (struct row_search *search,
                                         uint64_t address);

struct comparison
{
  struct disproofs *disproofs; /* where disproofs are appended */
  size_t first;          /* index of the first disproof of this function */
  struct row_search cfi; /* the rows to be compared */
  uint64_t last;         /* address of the last instruction */
  /* Of this function: rows were compared; one contradicts the code in a way
     that a frame with more on the stack at the entry would explain; one agrees
     behind a change of SP, which refutes that explanation.  */
  bool has_compared, may_have_more_on_stack, agrees_later;
  /* The state neither confirms nor contradicts one of its rows.  */
  bool has_undecided_rule;
  bool failed; /* memory ran out */
};

/* Begin with another function.  */
void comparison_begin (struct comparison *comparison);

/* Whether the rows of the function leave it open that only the first row is
   wrong: that the function is code which is entered with more on the stack
   than after a call.  */
bool comparison_doubts_entry (const struct comparison *comparison);

/* Compare the row at INSN with STATE, in front of INSN, of the function at
   ENTRY.  SP is the value of the stack pointer if callees are trusted; STATE
   does not rely on that trust.  */
void comparison_compare (struct comparison *comparison, uint64_t entry,
                         enum routine_trust trust, const struct insn *insn,
                         const struct state *state, struct value sp);

/* Remove disproofs of addresses on which functions disagree, according to
   ROW_MAP, and merge those that adjoin.  Called once, after the analysis.  */
void comparison_merge (struct disproofs *disproofs,
                       const struct row_map *row_map);

#endif /* ANALYSIS_COMPARISON_H */
