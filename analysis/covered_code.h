/* Code that has CFI, and what that says of where functions start.
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
  const struct frame_function *functions; /* ascending, disjoint: FDEs */
  size_t n;
  struct code_range *parts; /* owned; ascending: FDEs that start no function */
  size_t n_parts;
};

/* What REQUEST, which must outlive KNOWN, says is known.  False when memory
   ran out.  */
bool covered_code_init (struct covered_code *known,
                        const struct code_request *request,
                        const struct image_facts *facts);
void covered_code_free (struct covered_code *known);

/* The FDE with ADDRESS in it, or NULL.  */
const struct frame_function *covered_code_at (const struct covered_code *known,
                                              uint64_t address);

/* Whether an FDE starts at ADDRESS.  No path runs into one, even where it
   starts no function.  */
bool covered_code_is_boundary (const struct covered_code *known,
                               uint64_t address);

/* The part of a function that ADDRESS is in, or NULL.  */
const struct code_range *covered_code_part (const struct covered_code *known,
                                            uint64_t address);

/* FDEs whose first row is wrong about what begins with them.

   Compilers move code that is seldom run elsewhere, with an FDE of its
   own that begins with the frame of the function it belongs to.  If that
   frame is missing, the FDE looks like a function's, and the function that
   jumps there like one that makes a tail call with a frame.  A function whose
   first row has a frame looks like such a part, and is never analysed.  */
struct beginnings
{
  struct address_list parts, entries;
};

/* The FDEs of KNOWN that begin otherwise than their first rows say, by what
   was analysed of REQUEST.  Parts are entered with another frame than that
   of a call, and in no other way: nothing calls, names or points to them.
   Functions are called or exported, and the ABI says what holds then.
   BEGINNINGS is to be freed also when memory ran out: false.  */
bool beginnings_find (struct beginnings *beginnings,
                      const struct code_request *request,
                      const struct covered_code *known,
                      const struct functions *functions,
                      const struct image_facts *facts);
void beginnings_free (struct beginnings *beginnings);

#endif /* ANALYSIS_COVERED_CODE_H */
