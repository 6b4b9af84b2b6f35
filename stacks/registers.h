/* The registers of a thread, and reading them from the layouts of the kernel.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_REGISTERS_H
#define STACKS_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "cfi/register_rules.h"

enum
{
  /* Above the DWARF numbers of all integer registers.  */
  REGISTERS_MAX = REGISTER_RULES_MAX,
  REGISTER_WORDS_MAX = 40 /* words of a layout */
};

/* The registers of a frame, by DWARF number.  */
struct registers
{
  uint64_t pc;
  uint64_t values[REGISTERS_MAX];
  unsigned n;
  /* Bit i: VALUES[i], if known, is the value in an interrupted callee.  Its
     CFI does not mention the register, which functions may change.  */
  uint64_t unsure;
};

/* Layouts in which the kernel writes registers.  */
enum register_order
{
  ORDER_THREAD, /* NT_PRSTATUS, for debuggers and in cores */
  ORDER_SIGNAL, /* the stack frame of a signal */
  ORDER_PERF    /* samples of perf events: a word for each bit of a mask */
};

/* Return how many words ORDER has on ARCH, up to the last one that is used
   here; at most REGISTER_WORDS_MAX.  */
unsigned registers_words (const struct arch *arch, enum register_order order);

/* Return a mask of the words of ORDER that are registers which walks need.  */
uint64_t registers_mask (const struct arch *arch, enum register_order order);

/* Set REGISTERS from WORDS in the layout ORDER.  There is a word for each bit
   of MASK.  Registers without a word become UNKNOWN_REGISTER.  */
void registers_decode (const struct arch *arch, enum register_order order,
                       const uint8_t *words, uint64_t mask,
                       struct registers *registers);

#endif /* STACKS_REGISTERS_H */
