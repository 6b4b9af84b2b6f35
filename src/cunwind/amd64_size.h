/* Sizes of x86-64 instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CUNWIND_AMD64_SIZE_H
#define CUNWIND_AMD64_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of the instruction at CODE, of which LEFT bytes are there; 0 when
   it is not known or longer.  *IS_CALL tells whether it is a call.  */
unsigned amd64_instruction_size (const uint8_t *code, size_t left,
                                 bool *is_call);

#endif /* CUNWIND_AMD64_SIZE_H */
