/* The state GNU as keeps per row, and how it becomes data words.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Internal to the --gnu mode, except for its options.  */

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
  bool bugs; /* make the mistakes as well; otherwise say what is right, or
                leave the function out */
};

/* Releases that differ in what they write.  */
enum gnu_release
{
  GNU_2_40,
  GNU_2_44,
  GNU_2_45,
  GNU_2_47
};

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
  /* Register and dereference stay when only the place becomes another one:
     restore does not bring them back (GNU's mistake).  */
  bool deref;
  int32_t
      reg; /* GNU_NO_REGISTER: GNU's mistake, see doc/use/differences.texi */
  int32_t offset;
};

struct gnu_row
{
  uint64_t start;  /* bytes from the function's address */
  int32_t cfa_reg; /* GNU_NO_REGISTER: no rule yet */
  int32_t cfa_offset;
  bool cfa_deref; /* CFA = *(reg + offset) */
  bool ra_signed;
  struct gnu_rule ra, fp;
};

/* Whether ROW can only be said by a flexible FDE of V3.  */
bool gnu_row_needs_flex (const struct gnu_options *options,
                         const struct gnu_row *row);

/* Encode ROW.  REASON_NONE, or why GNU as drops the whole function.  */
enum frame_reason gnu_row_encode (const struct gnu_options *options,
                                  const struct gnu_row *row, bool flexible,
                                  struct sframe_row *out);

#endif /* SFRAME_GNU_ROW_H */
