/* The rules of all registers at one address of code, from its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A frame row has only the rules for CFA, RA and FP that SFrame can express.
   A stack walk of all registers needs all rules, and expressions unchanged. */

#ifndef CFI_REGISTER_RULES_H
#define CFI_REGISTER_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi/source.h"

enum register_rule_kind
{
  REGISTER_NO_RULE, /* the ABI determines the value */
  REGISTER_UNDEFINED,
  REGISTER_SAME,
  REGISTER_SUM,          /* register `number' + offset */
  REGISTER_CFA,          /* CFA + offset */
  REGISTER_AT_CFA,       /* *(CFA + offset) */
  REGISTER_VALUE,        /* the value of the expression */
  REGISTER_AT_EXPRESSION /* *(the value of the expression) */
};

struct register_rule
{
  enum register_rule_kind kind;
  uint64_t number;
  uint64_t offset;           /* signed, modulo 2^64 */
  const uint8_t *expression; /* `size' bytes of the input */
  uint64_t size;
};

enum
{
  REGISTER_RULES_MAX = 33 /* integer registers have lower numbers */
};

struct register_rules
{
  struct register_rule cfa; /* of kind SUM, VALUE or NO_RULE */
  struct register_rule registers[REGISTER_RULES_MAX]; /* by DWARF number */
  unsigned ra; /* the number of the return address */
  bool signal; /* augmentation S */
};

/* Set RULES to the rules of SOURCE at ADDRESS.  False if SOURCE has no valid
   FDE for ADDRESS, or memory ran out.  */
bool register_rules_find (const struct cfi_source *source, uint64_t address,
                          struct register_rules *rules);

/* Whether SOURCE has an FDE for the code at ADDRESS.  */
bool has_register_rules (const struct cfi_source *source, uint64_t address);

#endif /* CFI_REGISTER_RULES_H */
