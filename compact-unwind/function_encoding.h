/* Encoding one function as a compact unwind word, if its rows allow it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The format is synchronous: a function has one encoding, which holds where
   the function makes calls, but not in its prologue and epilogue.

   The encoding is that of the *body row* of the function: the row with the
   largest number of saved registers, FP and RA included.  Among equal rows, a
   CFA based on FP precedes one based on SP, then a CFA farther from SP
   precedes a nearer one, then the first row counts.  Every other row must have
   the rules of the body row, or must

   - belong to a prologue or epilogue: each register is saved where the body
     row has it, or not at all, and the CFA is that of the body row or nearer
     to SP (if the body's CFA is based on FP: any CFA based on SP); and
   - contain no call instruction.  Otherwise the encoding would be wrong at
     calls of functions that are shrink-wrapped or push arguments.

   The encoding must decode to exactly the rules of the body row.  Otherwise
   the function keeps its DWARF.

   Registers that the ABI does not preserve across calls, and
   DW_CFA_GNU_args_size, cannot be encoded and are not compared.  */

#ifndef COMPACT_UNWIND_FUNCTION_ENCODING_H
#define COMPACT_UNWIND_FUNCTION_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"
#include "frame/frame.h"

/* Why a function keeps its DWARF.  */
enum cunwind_reason
{
  CUNWIND_EXPRESSED,
  CUNWIND_UNREADABLE, /* its CFI could not be executed */
  CUNWIND_SIGNAL_FRAME,
  CUNWIND_CFA_RULE, /* CFA neither FP + 16 nor SP + n */
  CUNWIND_RA_RULE,  /* RA not where a call or prologue leaves it */
  CUNWIND_RA_SIGNED,
  CUNWIND_SAVED_RULE,   /* a register saved in another way than on the stack */
  CUNWIND_SAVED_PLACE,  /* registers saved at places without encoding */
  CUNWIND_STACK_SIZE,   /* too large, and not in a `sub` instruction */
  CUNWIND_BODY_CHANGES, /* rules differ between prologue and epilogue */
  CUNWIND_CALL_OUTSIDE, /* a call where the frame is not complete */
  CUNWIND_LSDA,         /* LSDA or personality that cannot be stored */
  CUNWIND_PERSONALITY,  /* more than three personality functions */
  CUNWIND_RANGE,        /* empty, outside code, or overlapping another: the
                           section has no entry for it */
  CUNWIND_REASON_COUNT
};

/* The result for a function.  */
struct cunwind_encoded
{
  uint32_t encoding; /* without LSDA and personality bits; 0 unless REASON is
                        CUNWIND_EXPRESSED */
  enum cunwind_reason reason;
  /* The encoding is valid at every instruction, as a row of SFrame is.  */
  bool asynchronous;
};

/* Encode FUNCTION of IMAGE, whose rows have the rules of saved registers.  */
struct cunwind_encoded
cunwind_encode_function (const struct image *image,
                         const struct frame_function *function);

/* Return the stable identifier of REASON, like "saved-place".  */
const char *cunwind_reason_name (enum cunwind_reason reason);

/* Return one line of explanation.  */
const char *cunwind_reason_text (enum cunwind_reason reason);

/* Whether the SIZE bytes of IMAGE's code at ADDRESS contain no call.  In
   x86-64 code that cannot be decoded up to its last byte, the bytes of a call
   at any position count as one.  */
bool cunwind_code_has_no_call (const struct image *image, uint64_t address,
                               uint64_t size);

#endif /* COMPACT_UNWIND_FUNCTION_ENCODING_H */
