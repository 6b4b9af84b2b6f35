/* The compact unwind section of an ELF image, FDE by FDE, with an account of
   what it can say.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The format is synchronous: one encoding for a whole function, right where
   calls are made, not while the frame is built or taken down.  The rule here:

   The *body row* of a function is the first row with the largest number of
   saved registers (FP and RA included) and, among those, a CFA based on FP
   before one based on SP, and the largest distance of the CFA from SP.  Every
   other row must have the same rules as the body row, or must both

   - have a part of the body's frame and nothing else (prologue, epilogue): the
     body's CFA or one nearer to SP (where the body's is based on FP: any based
     on SP), every register either where the body has it or unchanged; and
   - hold no call instruction.  Without this a shrink-wrapped function, or one
     that pushes arguments, would be wrong where it matters.

   The encoding must say exactly what the body row says, which is checked by
   decoding it again.  Otherwise the function keeps its DWARF.

   Registers that the ABI does not preserve across calls, and
   DW_CFA_GNU_args_size, have no form in the format and are not compared.  */

#ifndef COMPACT_UNWIND_SECTION_BUILDER_H
#define COMPACT_UNWIND_SECTION_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/cfi_section.h"
#include "compact-unwind/info.h"
#include "elf/image.h"
#include "elf/padding.h"
#include "frame/frame.h"

/* Why a function keeps its DWARF.  */
enum cunwind_reason
{
  CUNWIND_EXPRESSED,
  CUNWIND_UNREADABLE, /* its CFI could not be executed */
  CUNWIND_SIGNAL_FRAME,
  CUNWIND_CFA_RULE, /* CFA neither FP + 16 nor SP + n */
  CUNWIND_RA_RULE,  /* RA not where a call leaves it (arm64: or FP's) */
  CUNWIND_RA_SIGNED,
  CUNWIND_SAVED_RULE,   /* a register saved in another way than on the stack */
  CUNWIND_SAVED_PLACE,  /* registers saved where no encoding can say it */
  CUNWIND_STACK_SIZE,   /* too large, and no `sub` that tells it */
  CUNWIND_BODY_CHANGES, /* rules differ between prologue and epilogue */
  CUNWIND_CALL_OUTSIDE, /* a call where the frame is not complete */
  CUNWIND_LSDA,         /* LSDA or personality that no index can hold */
  CUNWIND_PERSONALITY,  /* more than three personality functions */
  CUNWIND_RANGE,        /* empty, outside code, or overlapping another: not in
                           the section at all, not even as an escape */
  CUNWIND_REASON_COUNT
};

struct cunwind_encoded
{
  uint32_t encoding; /* 0 unless expressed; no LSDA and personality bits */
  enum cunwind_reason reason;
  /* Whether the encoding holds at every instruction, as SFrame does.  */
  bool asynchronous;
};

/* Encode FUNCTION, which came from a cfa_machine that tracks saved registers.
   IMAGE has its code.  */
struct cunwind_encoded
cunwind_encode_function (const struct image *image,
                         const struct frame_function *function);

/* Stable identifier, like "saved-place".  */
const char *cunwind_reason_name (enum cunwind_reason reason);

/* One line of explanation.  */
const char *cunwind_reason_text (enum cunwind_reason reason);

/* Whether none of the instructions in the SIZE bytes of IMAGE's code at
   ADDRESS is a call.  False where that cannot be shown: x86-64 code that
   cannot be decoded up to its last byte is searched for the bytes of a call
   that ends at any position.  */
bool cunwind_code_has_no_call (const struct image *image, uint64_t address,
                               uint64_t size);

struct cunwind_section
{
  const struct image *image;
  const struct cfi_section *cfi;
  struct cunwind_info info; /* to be written */
  bool *cie_kept;           /* owned; per CIE: an escape needs it */
  uint64_t by_reason[CUNWIND_REASON_COUNT]; /* functions */
  uint64_t n_asynchronous; /* of those expressed: right at every instruction */
  uint64_t bytes_kept;     /* of .eh_frame: escaped FDEs and their CIEs */
};

/* Start the section for IMAGE with CFI; PADDING tells what lies between its
   functions.  All three must outlive SECTION.  False when memory ran out.  */
bool cunwind_section_init (struct cunwind_section *section,
                           const struct image *image,
                           const struct cfi_section *cfi,
                           const struct padding_finder *padding,
                           struct error *err);
void cunwind_section_free (struct cunwind_section *section);

/* Add FDE; the FDEs come in ascending order of addresses and do not overlap.
   FUNCTION holds its rows, with saved registers, or is NULL when its CFI could
   not be executed.  */
bool cunwind_section_add (struct cunwind_section *section,
                          const struct cfi_fde *fde,
                          const struct frame_function *function,
                          struct error *err);

#endif /* COMPACT_UNWIND_SECTION_BUILDER_H */
