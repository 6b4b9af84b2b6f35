/* What CFI or a row says of a place in the code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROVE_RULE_H
#define PROVE_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* Where a value is found.  */
struct place
{
  enum
  {
    PLACE_SAME,    /* still in its register */
    PLACE_VALUE,   /* register (or the CFA) + offset */
    PLACE_MEMORY,  /* in memory there */
    PLACE_UNKNOWN, /* said in a way that SFrame has no words for */
  } kind;
  bool from_cfa;
  unsigned reg; /* DWARF number, unless from_cfa */
  int64_t offset;
};

/* Whether a return address of aarch64 is signed.  */
enum signature
{
  SIGNATURE_UNSAID, /* of CFI: another machine, or it cannot be told */
  SIGNATURE_NONE,
  SIGNATURE_A, /* by this key */
  SIGNATURE_B
};

struct rule
{
  bool outermost; /* the RA is undefined; the rest says nothing */
  bool signal;    /* of a signal frame */
  bool no_rows;   /* of SFrame: a function without rows */
  bool fp_unsaid; /* of CFI: no rule for FP, which means nothing; see cfi.c */
  enum signature signature;
  struct place cfa, ra, fp;
};

/* START up to END, where RULE holds.  */
struct span
{
  uint64_t start, end;
  struct rule rule;
};

#endif /* PROVE_RULE_H */
