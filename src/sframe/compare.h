/* Comparing the rules of two SFrame sections, of any versions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Both sections are read as ranges of code with rules (sweep.h).  Neighbouring
   rows with equal rules are merged, repeated blocks are unrolled, and rows at
   or past the end of their function are dropped.  So the comparison is between
   the results that a stack tracer computes, and the encodings may differ.  */

#ifndef SFRAME_COMPARE_H
#define SFRAME_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/padding.h"
#include "sframe/decode.h"

/* The known reasons why sections differ: mistakes of GNU as, GNU ld and their
   input, and rows that cfi2sframe leaves out (doc/use/differences.texi).  */
enum compare_defect
{
  COMPARE_NO_DEFECT,
  COMPARE_PLT_GOT,      /* CFA of .plt.got entries is sp+16 */
  COMPARE_STICKY_RA,    /* restored RA stays undefined or in a register */
  COMPARE_RA_IGNORED,   /* RA saved in an unusual place was ignored */
  COMPARE_WRONG_STATE,  /* restore_state restored another state */
  COMPARE_STALE_OFFSET, /* def_cfa_register took an old CFA offset */
  COMPARE_BAD_REGISTER, /* a rule with an impossible register */
  COMPARE_NO_ROWS,      /* FDE without rows for a function with CFI */
  COMPARE_FP_AS_RA,     /* V1 aarch64: slot of FP written as that of RA */
  COMPARE_CFA_AS_SP,    /* V1: any CFA register taken for SP */
  COMPARE_SEGMENT_SIZE, /* PT_GNU_SFRAME larger than the section */
  /* A row that the other side leaves out, at the return address of a call that
     has other rules, or because FP may be the caller's already.  */
  COMPARE_RETURN_ADDRESS,
  COMPARE_STALE_FP,
  COMPARE_DEFECTS
};

/* Receives each difference: those of A's functions, then those of B alone, in
   the order of addresses.  Addresses in DIFFERENCE are absolute (`section' is
   NULL), `defect' is an enum compare_defect, and the text is not kept.  */
typedef void compare_sink (void *context,
                           const struct cfi2sframe_difference *difference);

/* Compare A with B.  Code that is alignment according to PADDING (which may be
   NULL) may have rows in one of the sections only.  SINK (which may be NULL)
   receives the differences, and RESULT their counts.  False when a section is
   damaged, the machines differ, or memory ran out.  */
bool sframe_compare (const struct sframe_decoder *a,
                     const struct sframe_decoder *b,
                     const struct padding_finder *padding, compare_sink *sink,
                     void *context, struct cfi2sframe_compare_result *result,
                     struct error *err);

/* Whether RESULT has no differences, not even for known reasons.  */
bool compare_result_equal (const struct cfi2sframe_compare_result *result);

/* The name of DEFECT, which never changes, like "plt-got", and its
   explanation.  NULL for a number that is no defect.  */
const char *compare_defect_name (enum compare_defect defect);
const char *compare_defect_text (enum compare_defect defect);

#endif /* SFRAME_COMPARE_H */
