/* The layouts in which the kernel writes registers, in one table.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The layouts are the kernel's interface (Linux, arch/.../include/uapi/asm:
   ptrace.h, sigcontext.h, perf_regs.h).  */

#include "stacks/registers.h"

#include <elf.h>

#include "base/bytes.h"
#include "walk/apply.h"

enum
{
  IS_PC = 0xff, /* in place of the number of a register */
  OTHER = 0xfe
};

struct layout
{
  uint16_t machine; /* EM_* */
  uint8_t orders;   /* bit i: the layout is that of enum register_order i */
  uint8_t n;
  uint8_t numbers[REGISTER_WORDS_MAX]; /* DWARF numbers of the words */
};

#define ORDER(order) (1 << (order))

static const struct layout layouts[] = {
  /* r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi, the system
     call, rip cs eflags rsp */
  { EM_X86_64, ORDER (ORDER_THREAD), 20, { 15,    14,    13,    12,    6,
                                           3,     11,    10,    9,     8,
                                           0,     2,     1,     4,     5,
                                           OTHER, IS_PC, OTHER, OTHER, 7 } },
  /* r8 to r15, rdi rsi rbp rbx rdx rax rcx rsp rip */
  { EM_X86_64,
    ORDER (ORDER_SIGNAL),
    17,
    { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, IS_PC } },
  /* ax bx cx dx si di bp sp ip, flags and segments, r8 to r15 */
  { EM_X86_64,
    ORDER (ORDER_PERF),
    24,
    { 0,     3,     2,     1,     4, 5, 6,  7,  IS_PC, OTHER, OTHER, OTHER,
      OTHER, OTHER, OTHER, OTHER, 8, 9, 10, 11, 12,    13,    14,    15 } },
  { EM_AARCH64,
    ORDER (ORDER_THREAD) | ORDER (ORDER_SIGNAL) | ORDER (ORDER_PERF),
    33,
    { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,   16,
      17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, IS_PC } },
  /* The mask of the PSW, its address, r0 to r15.  */
  { EM_S390,
    ORDER (ORDER_THREAD) | ORDER (ORDER_SIGNAL),
    18,
    { OTHER, IS_PC, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
  /* r0 to r15, the floating-point registers, the mask, the PC.  */
  { EM_S390,
    ORDER (ORDER_PERF),
    34,
    { 0,     1,     2,     3,     4,     5,     6,     7,     8,
      9,     10,    11,    12,    13,    14,    15,    OTHER, OTHER,
      OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, OTHER,
      OTHER, OTHER, OTHER, OTHER, OTHER, OTHER, IS_PC } },
};

static const struct layout *
layout_of (const struct arch *arch, enum register_order order)
{
  const struct layout *layout = layouts;
  while (layout->machine != arch->e_machine
         || !(layout->orders & ORDER (order)))
    layout++;
  return layout;
}

unsigned
registers_words (const struct arch *arch, enum register_order order)
{
  return layout_of (arch, order)->n;
}

uint64_t
registers_mask (const struct arch *arch, enum register_order order)
{
  const struct layout *layout = layout_of (arch, order);
  uint64_t mask = 0;
  for (unsigned i = 0; i < layout->n; i++)
    if (layout->numbers[i] != OTHER)
      mask |= UINT64_C (1) << i;
  return mask;
}

void
registers_decode (const struct arch *arch, enum register_order order,
                  const uint8_t *words, uint64_t mask,
                  struct registers *registers)
{
  const struct layout *layout = layout_of (arch, order);
  *registers = (struct registers){ 0 };
  for (unsigned i = 0; i < sizeof registers->values / sizeof (uint64_t); i++)
    registers->values[i] = UNKNOWN_REGISTER;
  for (unsigned i = 0; i < layout->n; i++)
    {
      unsigned number = layout->numbers[i];
      if (!(mask >> i & 1))
        continue;
      uint64_t word = load_u64 (words, arch->big_endian);
      words += sizeof word;
      if (number == IS_PC)
        registers->pc = word;
      else if (number != OTHER)
        {
          registers->values[number] = word;
          registers->n = registers->n > number ? registers->n : number + 1;
        }
    }
  /* On amd64 the PC has a DWARF number, too.  */
  if (!arch_tracks_ra (arch))
    {
      registers->values[arch->ra] = registers->pc;
      registers->n = arch->ra + 1U;
    }
}
