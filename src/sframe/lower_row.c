/* Lowering of one row, from the model to SFrame.  row_words.h has the inverse.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/lower.h"

#include "sframe/row_words.h"

/* The value of the caller's frame that a rule computes.  */
enum target
{
  CFA,
  RA,
  FP
};

/* Why RULE for TARGET has no SFrame form.  */
static enum frame_reason
reason_of (enum target target, struct frame_rule rule)
{
  static const uint8_t reasons[][3] = {
    [RULE_UNDEFINED]
    = { REASON_CFA_UNDEFINED, REASON_RA_UNDEFINED, REASON_FP_UNDEFINED },
    [RULE_SAME]
    = { REASON_CFA_UNDEFINED, REASON_RA_SAME, REASON_FP_EXPRESSION },
    [RULE_REG]
    = { REASON_CFA_REGISTER, REASON_RA_REGISTER, REASON_FP_REGISTER },
    [RULE_DEREF_REG]
    = { REASON_CFA_EXPRESSION, REASON_RA_EXPRESSION, REASON_FP_EXPRESSION },
    [RULE_CFA] = { REASON_CFA_EXPRESSION, REASON_RA_VALUE, REASON_FP_VALUE },
    [RULE_DEREF_CFA]
    = { REASON_CFA_EXPRESSION, REASON_RA_OFFSET, REASON_OFFSET_RANGE },
    [RULE_PLT]
    = { REASON_CFA_EXPRESSION, REASON_RA_EXPRESSION, REASON_FP_EXPRESSION },
  };
  _Static_assert(sizeof reasons / sizeof *reasons == RULE_UNSUPPORTED,
                 "each other kind has its reasons");
  if (rule.kind == RULE_UNSUPPORTED)
    return rule.reason;
  /* RA or FP is the sum of a register and an offset.  */
  if (rule.kind == RULE_REG && rule.offset != 0 && target != CFA)
    rule.kind = RULE_DEREF_REG;
  return reasons[rule.kind][target];
}

/* Set *WORD to the data word for CFA offset OFFSET, if there is one.  */
static bool
cfa_offset_store (const struct arch *arch, int32_t offset, int32_t *word)
{
  int64_t biased = (int64_t)offset - arch->cfa_bias;
  if (arch->cfa_scale != 1)
    {
      if (biased % arch->cfa_scale != 0)
        return false;
      biased /= arch->cfa_scale;
    }
  *word = (int32_t)biased;
  return biased == *word;
}

/* Set *WORD to the word for RULE, of RA or FP, in a default row, if any.  */
static bool
slot_store (const struct encode_options *options, struct frame_rule rule,
            int32_t *word)
{
  bool register_words
      = row_words_have_registers (options->arch, options->variant.version);
  *word = rule.offset;
  if (rule.kind == RULE_DEREF_CFA)
    return !register_words || rule.offset % 2 == 0;
  *word = rule.reg << 1 | 1;
  return register_words && rule.kind == RULE_REG && rule.offset == 0;
}

/* Set the data words for RA and FP on a machine whose rows have both.  */
static enum frame_reason
lower_tracked (const struct encode_options *options,
               const struct frame_row *row, struct sframe_row *out)
{
  /* Word 0 means "RA not saved", so no saved RA can have it.  */
  if (row->ra.kind != RULE_SAME
      && (!slot_store (options, row->ra, &out->words[1])
          || out->words[1] == 0))
    return reason_of (RA, row->ra);
  if (row->fp.kind == RULE_SAME)
    {
      out->n_words = row->ra.kind == RULE_SAME ? 1 : 2;
      return REASON_NONE;
    }
  if (!slot_store (options, row->fp, &out->words[2]))
    return reason_of (FP, row->fp);
  /* The second of two words is the RA.  On a machine without a padding word
     for it, FP cannot be saved without the RA.  */
  if (row->ra.kind == RULE_SAME && !options->arch->ra_padding)
    return REASON_FP_WITHOUT_RA;
  out->n_words = 3;
  return REASON_NONE;
}

/* Make OUT a row of a default function (V3 specification, section 3.1).  */
static enum frame_reason
lower_default (const struct encode_options *options,
               const struct frame_row *row, struct sframe_row *out)
{
  const struct arch *arch = options->arch;
  if (row->cfa.kind != RULE_REG
      || (row->cfa.reg != arch->sp && row->cfa.reg != arch->fp))
    return reason_of (CFA, row->cfa);
  out->base_sp = row->cfa.reg == arch->sp;
  if (!cfa_offset_store (arch, row->cfa.offset, &out->words[0]))
    return REASON_OFFSET_RANGE;
  /* The kernel takes the word 0 for "FP is unchanged", but the pair of a
     flexible row as it is (kernel/unwind/sframe.c of the SFrame patches for
     Linux).  */
  if (row->fp.kind == RULE_DEREF_CFA && row->fp.offset == 0
      && lower_has_flexible (options))
    return reason_of (FP, row->fp);
  if (arch_tracks_ra (arch))
    return lower_tracked (options, row, out);
  if (!frame_rule_equal (row->ra, row_words_default_ra (arch)))
    return reason_of (RA, row->ra);
  out->n_words = 1;
  if (row->fp.kind == RULE_SAME)
    return REASON_NONE;
  if (row->fp.kind != RULE_DEREF_CFA)
    return reason_of (FP, row->fp);
  sframe_row_append (out, row->fp.offset, false);
  return REASON_NONE;
}

/* The control word for RULE in a flexible row, or 0 if there is none.  */
static int32_t
rule_control (struct frame_rule rule)
{
  int32_t reg = rule.reg << SFRAME_CONTROL_REGNUM_SHIFT;
  switch (rule.kind)
    {
    case RULE_REG:
      return reg | SFRAME_CONTROL_REG;
    case RULE_DEREF_REG:
      return reg | SFRAME_CONTROL_REG | SFRAME_CONTROL_DEREF;
    case RULE_DEREF_CFA:
      return SFRAME_CONTROL_DEREF;
    default:
      return 0;
    }
}

/* Make OUT a row of a flexible function (V3 specification, section 3.2).  */
static enum frame_reason
lower_flexible (const struct encode_options *options,
                const struct frame_row *row, struct sframe_row *out)
{
  const struct arch *arch = options->arch;
  if (row->cfa.kind != RULE_REG && row->cfa.kind != RULE_DEREF_REG)
    return reason_of (CFA, row->cfa);
  /* Readers scale the offset on s390x.  Whether they do so before a
     dereference is not settled, so no such row is made.  */
  if (row->cfa.kind == RULE_DEREF_REG && arch->cfa_scale != 1)
    return REASON_CFA_EXPRESSION;
  int32_t offset, fp = rule_control (row->fp);
  if (!cfa_offset_store (arch, row->cfa.offset, &offset))
    return REASON_OFFSET_RANGE;
  sframe_row_append_pair (out, rule_control (row->cfa), offset);
  if (fp == 0 && row->fp.kind != RULE_SAME)
    return reason_of (FP, row->fp);
  if (!frame_rule_equal (row->ra, row_words_default_ra (arch)))
    {
      int32_t ra = rule_control (row->ra);
      if (ra == 0)
        return reason_of (RA, row->ra);
      sframe_row_append_pair (out, ra, row->ra.offset);
    }
  else if (fp != 0)
    sframe_row_append (out, 0, true);
  if (fp != 0)
    sframe_row_append_pair (out, fp, row->fp.offset);
  return REASON_NONE;
}

enum frame_reason
row_lower (const struct encode_options *options, const struct frame_row *row,
           bool flexible, struct sframe_row *out)
{
  *out = (struct sframe_row){ .start = row->start };
  if (row->ra.kind == RULE_UNDEFINED)
    return options->variant.version >= 3 ? REASON_NONE : REASON_RA_UNDEFINED;
  out->ra_signed = row->ra_signed;
  return flexible ? lower_flexible (options, row, out)
                  : lower_default (options, row, out);
}
