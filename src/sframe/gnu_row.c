/* The data words that GNU as chooses for a row.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The layout of the words: SFrame specification V3, sections 3.1 (default
   rows) and 3.2 (flexible rows).  */

#include "sframe/gnu_row.h"

bool
gnu_row_needs_flexible (const struct gnu_row *row,
                        const struct gnu_options *options)
{
  const struct arch *arch = options->arch;
  if (options->variant.version < 3)
    return false;
  bool other_base = row->cfa_reg != arch->sp && row->cfa_reg != arch->fp;
  bool other_slot = row->ra.place == GNU_STACK && !arch_tracks_ra (arch);
  return row->cfa_deref || other_base || other_slot
         || row->fp.place == GNU_REGISTER || row->ra.place == GNU_REGISTER;
}

/* Set *WORD to the data word for the CFA offset OFFSET.  GNU as truncates an
   offset that the machine's scale does not divide (a mistake).  */
static bool
scale_cfa (const struct gnu_options *options, int32_t offset, int32_t *word)
{
  const struct arch *arch = options->arch;
  int64_t biased = (int64_t)offset - arch->cfa_bias;
  *word = (int32_t)(biased / arch->cfa_scale);
  return options->bugs || biased % arch->cfa_scale == 0;
}

/* Append OFFSET from REG, or from the CFA without IN_REGISTER, as a pair.  */
static void
add_pair (struct sframe_row *out, int32_t reg, bool in_register, bool deref,
          int32_t offset)
{
  uint32_t control = (uint32_t)reg << SFRAME_CONTROL_REGNUM_SHIFT
                     | (deref ? SFRAME_CONTROL_DEREF : 0)
                     | (in_register ? SFRAME_CONTROL_REG : 0);
  sframe_row_append_pair (out, (int32_t)control, offset);
}

/* Append the pair of a flexible row for RULE.  */
static void
add_rule (struct sframe_row *out, struct gnu_rule rule)
{
  bool in_register = rule.place == GNU_REGISTER;
  add_pair (out, in_register ? rule.reg : 0, in_register, rule.deref,
            rule.offset);
}

static enum frame_reason
encode_flexible (const struct gnu_options *options, const struct gnu_row *row,
                 struct sframe_row *out)
{
  int32_t cfa;
  if (!scale_cfa (options, row->cfa_offset, &cfa))
    return REASON_OFFSET_RANGE;
  add_pair (out, row->cfa_reg, true, row->cfa_deref, cfa);
  if (row->ra.place != GNU_DEFAULT)
    add_rule (out, row->ra);
  else if (row->fp.place != GNU_DEFAULT)
    /* A control word 0 in place of a pair means "no rule for the RA".  */
    sframe_row_append (out, 0, true);
  if (row->fp.place != GNU_DEFAULT)
    add_rule (out, row->fp);
  return REASON_NONE;
}

/* The data word of a default row for RULE.  On s390x V2 has an odd word for a
   register, because offsets are even.  */
static int32_t
default_word (struct gnu_rule rule)
{
  return rule.place == GNU_REGISTER ? rule.reg << 1 | 1 : rule.offset;
}

static enum frame_reason
encode_default (const struct gnu_options *options, const struct gnu_row *row,
                struct sframe_row *out)
{
  const struct arch *arch = options->arch;
  int32_t cfa;
  if (!scale_cfa (options, row->cfa_offset, &cfa))
    return REASON_OFFSET_RANGE;
  /* Any other register has come from 2.40 alone, which takes it for SP.  */
  out->base_sp = row->cfa_reg != arch->fp;
  out->ra_signed = row->ra_signed;
  sframe_row_append (out, cfa, false);
  bool fp = row->fp.place != GNU_DEFAULT, ra = row->ra.place != GNU_DEFAULT;
  if (arch_tracks_ra (arch) && ra)
    sframe_row_append (out, default_word (row->ra), false);
  else if (arch_tracks_ra (arch) && fp && arch->cfa_scale != 1)
    sframe_row_append (out, 0, false);
  else if (arch_tracks_ra (arch) && fp
           && !(options->variant.version == 1 && options->bugs))
    return REASON_FP_WITHOUT_RA;
  if (fp)
    sframe_row_append (out, default_word (row->fp), false);
  return REASON_NONE;
}

enum frame_reason
gnu_row_encode (const struct gnu_row *row, const struct gnu_options *options,
                bool flexible, struct sframe_row *out)
{
  *out = (struct sframe_row){ .start = (uint32_t)row->start };
  if (row->start > UINT32_MAX)
    return REASON_FUNCTION_SIZE;
  if (row->cfa_reg == GNU_NO_REGISTER)
    return REASON_CFA_UNDEFINED;
  if (row->ra.place == GNU_UNDEFINED)
    return REASON_NONE; /* a row without words */
  return flexible ? encode_flexible (options, row, out)
                  : encode_default (options, row, out);
}
