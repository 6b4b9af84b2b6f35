/* The registers of a thread, and the orders in which others tell them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_REGISTERS_H
#define STACKS_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "cfi/register_rules.h"

enum
{
  /* DWARF numbers of the machines' integer registers are below.  */
  REGISTERS_MAX = REGISTER_RULES_MAX,
  REGISTER_WORDS_MAX = 40 /* of what others tell */
};

/* The registers of a thread that does not run, by DWARF number.  */
struct registers
{
  uint64_t pc;
  uint64_t values[REGISTERS_MAX];
  unsigned n;
  /* Bit i: VALUES[i] is what an interrupted callee has there.  Its CFI does
     not say so, and the ABI lets a callee change that register.  */
  uint64_t unsure;
};

/* Who tells registers.  */
enum register_order
{
  ORDER_THREAD, /* the kernel, in NT_PRSTATUS, to debuggers and in cores */
  ORDER_SIGNAL, /* the kernel, in the frame of a signal */
  ORDER_PERF    /* the kernel, in samples: a word for each bit of a mask */
};

/* How many words ORDER has on ARCH, up to the last that is of use; at most
   REGISTER_WORDS_MAX.  */
unsigned registers_words (const struct arch *arch, enum register_order order);

/* Which words of ORDER are registers that walks need: a bit for each.  */
uint64_t registers_mask (const struct arch *arch, enum register_order order);

/* Set REGISTERS to the WORDS of ORDER.  There is a word for each bit of MASK;
   registers without a word are UNKNOWN_REGISTER (walk/apply.h).  */
void registers_decode (const struct arch *arch, enum register_order order,
                       const uint8_t *words, uint64_t mask,
                       struct registers *registers);

#endif /* STACKS_REGISTERS_H */
