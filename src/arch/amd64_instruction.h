/* Sizes of x86-64 instructions, and calls among them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_AMD64_INSTRUCTION_H
#define ARCH_AMD64_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

/* These are the members of struct arch.  */
unsigned amd64_instruction_size (const uint8_t *code, size_t left,
                                 bool *is_call);
bool amd64_may_end_call (const uint8_t *code, size_t size, int32_t *distance);
bool amd64_may_pop (uint8_t last);
enum arch_fp_frame amd64_fp_frame (const uint8_t code[FP_FRAME_CODE]);

#endif /* ARCH_AMD64_INSTRUCTION_H */
