/* What the words of an SFrame row mean.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Worked out from the specification, and not by sframe/lower.c.  */

#ifndef ORACLE_RULES_H
#define ORACLE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "sframe/decode.h"

/* One value as a row states it.  */
struct row_rule
{
  enum
  {
    ROW_RULE_REGISTER, /* register + offset */
    ROW_RULE_CFA,      /* CFA + offset */
    ROW_RULE_BROKEN    /* no reader could make sense of it */
  } base;
  bool load;    /* the value is in memory there */
  uint32_t reg; /* DWARF number */
  int64_t offset;
};

struct row_rules
{
  bool ra_undefined; /* outermost frame; the rest says nothing */
  struct row_rule cfa, ra, fp;
};

/* The e_machine of the section's ABI, 0 if there is none.  */
unsigned rules_machine (const struct sframe_decoder *decoder);

void rules_of_row (const struct sframe_decoder *decoder,
                   const struct sframe_fde *function,
                   const struct sframe_row *row, struct row_rules *rules);

#endif /* ORACLE_RULES_H */
