/* Parts of functions that pass for functions, because their CFI is wrong.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compilers move code that is seldom run elsewhere, with an FDE of its
   own that begins with the frame of the function it belongs to.  If that
   frame is missing, the FDE looks like a function's, and the function that
   jumps there like one that makes a tail call with a frame.  */

#ifndef CODE_PARTS_H
#define CODE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/functions.h"
#include "analysis/image_facts.h"
#include "analysis/request.h"

struct parts
{
  uint64_t *starts; /* owned; ascending */
  size_t n, capacity;
};

/* The functions with CFI that are entered with another frame than that of a
   call, by what was followed of REQUEST, and in no other way: nothing calls,
   names or points to them.  PARTS is to be freed also when memory ran out:
   false.  */
bool parts_find (struct parts *parts, const struct code_request *request,
                 const struct functions *functions,
                 const struct image_facts *facts);
void parts_free (struct parts *parts);

#endif /* CODE_PARTS_H */
