/* Code that makes no calls.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A synchronous format may be wrong between calls, but never at a call.  */

#ifndef COMPACT_UNWIND_CALL_FREE_H
#define COMPACT_UNWIND_CALL_FREE_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"

/* Whether none of the instructions in the SIZE bytes of IMAGE's code at
   ADDRESS is a call.  False where that cannot be shown: x86-64 code that
   cannot be decoded up to its last byte is searched for the bytes of a call
   that ends at any position.  */
bool code_has_no_call (const struct image *image, uint64_t address,
                       uint64_t size);

#endif /* COMPACT_UNWIND_CALL_FREE_H */
