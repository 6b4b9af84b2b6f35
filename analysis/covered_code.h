/* Covered code: code that has CFI, and where functions start in it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_COVERED_CODE_H
#define ANALYSIS_COVERED_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/functions.h"
#include "analysis/image_facts.h"
#include "analysis/request.h"

struct covered_code
{
  const struct frame_function *functions; /* FDEs, ascending and disjoint */
  size_t n;
  struct code_range *parts; /* FDEs that start no function, ascending; owned */
  size_t n_parts;
};

/* Initialise from REQUEST, which must outlive COVERED.  False without
   memory.  */
bool covered_code_init (struct covered_code *covered,
                        const struct code_request *request,
                        const struct image_facts *facts);
void covered_code_free (struct covered_code *covered);

/* Return the FDE that covers ADDRESS, or NULL.  */
const struct frame_function *
covered_code_at (const struct covered_code *covered, uint64_t address);

/* Whether an FDE starts at ADDRESS.  No path runs into an FDE, even if no
   function starts there.  */
bool covered_code_is_boundary (const struct covered_code *covered,
                               uint64_t address);

/* Return the part that ADDRESS is in, or NULL.  */
const struct code_range *covered_code_part (const struct covered_code *covered,
                                            uint64_t address);

/* FDEs whose first row is wrong about the kind of code that it begins.

   Compilers move seldom-run code away from its function, with an FDE of its
   own.  The first row of such a part describes the function's frame.  If that
   row is wrong and describes the frame of a call, the part looks like a
   function, and the jump to it like a tail call with a wrong stack.  A
   function whose first row describes another frame looks like a part, and is
   never analysed.  */
struct fde_corrections
{
  struct address_list parts, entries;
};

/* Find FDEs that begin otherwise than their first rows say, by the result of
   the analysis of REQUEST.  Parts are entered with another frame than that of
   a call, and in no other way: no code calls or computes their addresses, and
   no pointer leads there.  Functions are called or exported, so that the ABI
   says what holds at their entries.  False if memory ran out; the caller frees
   CORRECTIONS then, too.  */
bool fde_corrections_find (struct fde_corrections *corrections,
                           const struct code_request *request,
                           const struct covered_code *covered,
                           const struct functions *functions,
                           const struct image_facts *facts);
void fde_corrections_free (struct fde_corrections *corrections);

#endif /* ANALYSIS_COVERED_CODE_H */
