/* FDEs whose first row is wrong about what begins with them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compilers move code that is seldom run elsewhere, with an FDE of its
   own that begins with the frame of the function it belongs to.  If that
   frame is missing, the FDE looks like a function's, and the function that
   jumps there like one that makes a tail call with a frame.  A function whose
   first row has a frame looks like such a part, and is never followed.  */

#ifndef ANALYSIS_BEGINNINGS_H
#define ANALYSIS_BEGINNINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/functions.h"
#include "analysis/image_facts.h"
#include "analysis/known_code.h"
#include "analysis/request.h"

struct beginnings
{
  struct address_list parts, entries;
};

/* The FDEs of KNOWN that begin otherwise than their first rows say, by what
   was followed of REQUEST.  Parts are entered with another frame than that of
   a call, and in no other way: nothing calls, names or points to them.
   Functions are called or exported, and the ABI says what holds then.
   BEGINNINGS is to be freed also when memory ran out: false.  */
bool beginnings_find (struct beginnings *beginnings,
                      const struct code_request *request,
                      const struct known_code *known,
                      const struct functions *functions,
                      const struct image_facts *facts);
void beginnings_free (struct beginnings *beginnings);

#endif /* ANALYSIS_BEGINNINGS_H */
