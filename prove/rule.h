/* Rules for the caller's frame, as CFI or a row of SFrame states them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PROVE_RULE_H
#define PROVE_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* How to find the caller's value of a register, or the CFA.  */
struct place
{
  enum
  {
    PLACE_SAME,    /* it is unchanged in its register */
    PLACE_VALUE,   /* register (or the CFA) + offset */
    PLACE_MEMORY,  /* in memory at that address */
    PLACE_UNKNOWN, /* stated in a way that SFrame cannot express */
  } kind;
  bool from_cfa;
  unsigned reg; /* DWARF number, unless from_cfa */
  int64_t offset;
};

/* The signature of the return address on aarch64.  */
enum signature
{
  SIGNATURE_UNKNOWN, /* of CFI: other machines; and not found out */
  SIGNATURE_NONE,
  SIGNATURE_A, /* signed with key A */
  SIGNATURE_B
};

struct rule
{
  bool outermost; /* the RA is undefined; the other members have no meaning */
  bool signal;    /* the frame is a signal frame */
  bool no_rows;   /* of SFrame: the function has no rows */
  bool fp_unspecified; /* of CFI: a missing rule has no meaning (cfi.c) */
  enum signature signature;
  struct place cfa, ra, fp;
};

/* The addresses from START up to END, where RULE holds.  */
struct span
{
  uint64_t start, end;
  struct rule rule;
};

#endif /* PROVE_RULE_H */
