/* What the targets that walk stacks make of their input.
   SPDX-License-Identifier: LGPL-2.1-or-later

   STACK_HEAD bytes of options, registers and stack, then a section.  Words of
   the stack can mean a place in the section's functions or in the stack
   itself, so that walks get somewhere.  */

#ifndef FUZZ_STACK_WORDS_H
#define FUZZ_STACK_WORDS_H

#include <stdint.h>

#include "base/bytes.h"

enum
{
  STACK_WORDS = 16,
  STACK_HEAD = 4 + STACK_WORDS * 2,
  SECTION_ADDRESS = 0x500000,
  STACK = 0x700000,
  STACK_SIZE = 4096
};

/* A number of two bytes that stands for an address: on the stack, around the
   section, or small.  */
static inline uint64_t
address_of (uint16_t word)
{
  uint64_t offset = word & 0x3fff;
  return word & 0x8000   ? STACK + offset % (2 * STACK_SIZE)
         : word & 0x4000 ? SECTION_ADDRESS - 0x2000 + offset
                         : offset;
}

/* Word number I of the stack: the words of the INPUT again and again.  */
static inline uint64_t
stack_word (const uint8_t *input, uint64_t i)
{
  return address_of (load_u16 (input + 4 + 2 * (i % STACK_WORDS), false));
}

#endif /* FUZZ_STACK_WORDS_H */
