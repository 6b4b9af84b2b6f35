/* Compact unwind encodings: one 32-bit word per function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Apple's compact_unwind_encoding_t for x86-64 and arm64.  Sources: Mach-O
   header compact_unwind_encoding.h for the layout, LLVM libunwind's
   CompactUnwinder for what a reader makes of it.  Where the header can be
   read in two ways, libunwind's is taken.  */

#ifndef COMPACT_UNWIND_ENCODING_H
#define COMPACT_UNWIND_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Bits that all machines share.  */
#define CUNWIND_HAS_LSDA UINT32_C (0x40000000)
#define CUNWIND_PERSONALITY_SHIFT 28
#define CUNWIND_PERSONALITY_MASK UINT32_C (0x30000000)
#define CUNWIND_DWARF_OFFSET_MAX UINT32_C (0x00ffffff)

enum
{
  CUNWIND_SAVED_MAX = SAVED_REGISTERS_MAX + 1, /* and FP */
  CUNWIND_PERSONALITIES_MAX = 3 /* a 2-bit index counted from 1 */
};

enum cunwind_mode
{
  CUNWIND_NO_INFO,   /* encoding 0: no unwind information for this code */
  CUNWIND_FRAME,     /* CFA = FP + 16; FP and RA stored right below it */
  CUNWIND_FRAMELESS, /* CFA = SP + stack_size */
  CUNWIND_FRAMELESS_INDIRECT, /* CFA = SP + stack_size + the immediate found
                                 size_offset bytes into the function */
  CUNWIND_DWARF               /* see the FDE at dwarf_offset of .eh_frame */
};

/* What an encoding says.  */
struct cunwind_frame
{
  enum cunwind_mode mode;
  uint32_t stack_size;   /* bytes */
  uint8_t size_offset;   /* bytes */
  uint32_t dwarf_offset; /* bytes */
  uint8_t n_saved;       /* registers restored from the stack, in ascending
                            order of addresses */
  struct cunwind_saved
  {
    uint16_t reg;   /* DWARF number */
    int32_t offset; /* of its slot from the CFA, bytes */
  } saved[CUNWIND_SAVED_MAX];
};

/* Whether the format exists for ARCH.  */
bool cunwind_supports (const struct arch *arch);

/* Encode FRAME.  False when no encoding says exactly that.  */
bool cunwind_encode (const struct arch *arch,
                     const struct cunwind_frame *frame, uint32_t *encoding);

/* Decode ENCODING, whatever its LSDA and personality bits.  False for one
   that no reader accepts.  */
bool cunwind_decode (const struct arch *arch, uint32_t encoding,
                     struct cunwind_frame *frame);

/* The frameless permutation of N registers (numbers 1 to 6, all different) as
   one number, and back.  */
uint32_t cunwind_permutation_encode (const uint8_t *registers, unsigned n);
bool cunwind_permutation_decode (uint32_t permutation, unsigned n,
                                 uint8_t *registers);

#endif /* COMPACT_UNWIND_ENCODING_H */
