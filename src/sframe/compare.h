/* Comparing what two SFrame sections say, whatever their versions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Both are brought into a canonical form first: ranges of code with rules,
   equal neighbours merged, PC masks unfolded, rows at or past the end of
   their function dropped.  What is compared is therefore what a stack tracer
   gets to know, not how it is stored.  */

#ifndef SFRAME_COMPARE_H
#define SFRAME_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/padding.h"
#include "sframe/decode.h"

/* Mistakes of GNU as and ld, or of what they are told, that are recognised
   (doc/use/differences.texi).  */
enum compare_defect
{
  COMPARE_NO_DEFECT,
  COMPARE_PLT_GOT,        /* CFA of .plt.got entries is sp+16 */
  COMPARE_STICKY_RA,      /* RA stays undefined (or in a register) after it
                             was restored */
  COMPARE_RA_IGNORED,     /* RA in another place than usual not noticed */
  COMPARE_WRONG_STATE,    /* restore_state brought back another state */
  COMPARE_STALE_OFFSET,   /* def_cfa_register took an old CFA offset */
  COMPARE_BAD_REGISTER,   /* a rule with an impossible register */
  COMPARE_NO_ROWS,        /* FDE without rows for a function with CFI */
  COMPARE_FP_AS_RA,       /* V1 aarch64: slot of FP stated as that of RA */
  COMPARE_CFA_AS_SP,      /* V1: any CFA register taken for SP */
  COMPARE_SEGMENT_SIZE,   /* PT_GNU_SFRAME larger than the section */
  COMPARE_RETURN_ADDRESS, /* a row where the other side has none, as it is the
                             return address of a call with other rules */
  COMPARE_STALE_FP,       /* the same, as FP may be the caller's already */
  COMPARE_DEFECTS
};

/* Called for each difference: those of A's functions first, then those only
   in B, in address order.  Addresses in DIFFERENCE are absolute (`section' is
   NULL), `defect' is an enum compare_defect, and the text stays during the
   call.  */
typedef void compare_sink (void *context,
                           const struct cfi2sframe_difference *difference);

/* Compare A with B.  What PADDING calls alignment (NULL: nothing) may be
   covered in one of both only.  Differences go to SINK (which may be NULL) and
   are counted in RESULT.  False when a section is damaged, the machines
   differ, or memory ran out.  */
bool sframe_compare (const struct sframe_decoder *a,
                     const struct sframe_decoder *b,
                     const struct padding_finder *padding, compare_sink *sink,
                     void *context, struct cfi2sframe_compare_result *result,
                     struct error *err);

/* No difference at all, not even a defect.  */
bool compare_result_equal (const struct cfi2sframe_compare_result *result);

/* Stable identifier, like "plt-got", and explanation.  */
const char *compare_defect_name (enum compare_defect defect);
const char *compare_defect_text (enum compare_defect defect);

#endif /* SFRAME_COMPARE_H */
