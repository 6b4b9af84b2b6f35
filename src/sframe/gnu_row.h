/* A row in the form that GNU as keeps it, and its data words.
   SPDX-License-Identifier: LGPL-2.1-or-later

   GNU as keeps more than the rule of a register: where a register is restored
   incompletely, remains of an earlier rule get into the section.  */

#ifndef SFRAME_GNU_ROW_H
#define SFRAME_GNU_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "frame/frame.h"
#include "sframe/model.h"

struct gnu_options
{
  const struct arch *arch;
  struct sframe_variant variant;
  bool bugs; /* make the mistakes of GNU as, not right rows or none */
};

/* Where a register of the caller is saved.  */
enum gnu_place
{
  GNU_DEFAULT,  /* unchanged, or where the ABI puts it */
  GNU_STACK,    /* CFA + offset, dereferenced */
  GNU_REGISTER, /* reg + offset, which may be dereferenced */
  GNU_UNDEFINED
};

enum
{
  GNU_NO_REGISTER = -1
};

struct gnu_rule
{
  uint8_t place; /* enum gnu_place */
  /* DEREF and REG can be those of an earlier rule, because GNU as restores the
     place and the offset alone (a mistake).  */
  bool deref;
  int32_t reg; /* GNU_NO_REGISTER is a mistake, too (differences.texi) */
  int32_t offset;
};

struct gnu_row
{
  uint64_t start;  /* bytes from the function's address */
  int32_t cfa_reg; /* GNU_NO_REGISTER: there is no rule yet */
  int32_t cfa_offset;
  bool cfa_deref; /* CFA = *(reg + offset) */
  bool ra_signed;
  struct gnu_rule ra, fp;
};

/* Whether only a flexible FDE of V3 can express ROW.  */
bool gnu_row_needs_flexible (const struct gnu_row *row,
                             const struct gnu_options *options);

/* Set OUT to ROW with the data words that GNU as chooses, in a default FDE or
   in a FLEXIBLE one.  REASON_NONE, or why GNU as drops the whole function.  */
enum frame_reason gnu_row_encode (const struct gnu_row *row,
                                  const struct gnu_options *options,
                                  bool flexible, struct sframe_row *out);

#endif /* SFRAME_GNU_ROW_H */
