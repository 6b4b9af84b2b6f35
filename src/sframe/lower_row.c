/* One row from the model to SFrame, and back.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Both directions are here because both depend on the same rules of each
   machine.  */

#include "sframe/lower_row.h"

/* Why RULE, which is not what an ordinary row has, has no SFrame form.  */
static enum frame_reason
cfa_reason (struct frame_rule rule)
{
  switch (rule.kind)
    {
    case RULE_UNSUPPORTED:
      return rule.reason;
    case RULE_REG:
      return REASON_CFA_REGISTER;
    case RULE_UNDEFINED:
    case RULE_SAME:
      return REASON_CFA_UNDEFINED;
    default:
      return REASON_CFA_EXPRESSION;
    }
}

static enum frame_reason
ra_reason (struct frame_rule rule)
{
  switch (rule.kind)
    {
    case RULE_UNSUPPORTED:
      return rule.reason;
    case RULE_UNDEFINED:
      return REASON_RA_UNDEFINED;
    case RULE_SAME:
      return REASON_RA_SAME;
    case RULE_REG:
      return rule.offset == 0 ? REASON_RA_REGISTER : REASON_RA_EXPRESSION;
    case RULE_CFA:
      return REASON_RA_VALUE;
    case RULE_DEREF_CFA:
      return REASON_RA_OFFSET;
    default:
      return REASON_RA_EXPRESSION;
    }
}

static enum frame_reason
fp_reason (struct frame_rule rule)
{
  switch (rule.kind)
    {
    case RULE_UNSUPPORTED:
      return rule.reason;
    case RULE_UNDEFINED:
      return REASON_FP_UNDEFINED;
    case RULE_REG:
      return rule.offset == 0 ? REASON_FP_REGISTER : REASON_FP_EXPRESSION;
    case RULE_CFA:
      return REASON_FP_VALUE;
    case RULE_DEREF_CFA:
      return REASON_OFFSET_RANGE;
    default:
      return REASON_FP_EXPRESSION;
    }
}

static bool
has_register_words (const struct arch *arch, struct sframe_variant variant)
{
  return arch->register_words && variant.version == 2;
}

/* The CFA's offset as it is stored.  */
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

/* The word of a default row for an RA or FP that RULE finds on the stack (or,
   where words can say it, in a register).  */
static bool
slot_store (const struct lower_options *options, struct frame_rule rule,
            int32_t *word)
{
  bool register_words = has_register_words (options->arch, options->variant);
  *word = rule.offset;
  if (rule.kind == RULE_DEREF_CFA)
    return !register_words || rule.offset % 2 == 0;
  *word = rule.reg << 1 | 1;
  return register_words && rule.kind == RULE_REG && rule.offset == 0;
}

/* RA and FP words where rows track both.  */
static enum frame_reason
lower_tracked (const struct lower_options *options,
               const struct frame_row *row, struct sframe_row *out)
{
  /* Word 0 means "RA not saved", so a saved one cannot be there.  */
  if (row->ra.kind != RULE_SAME
      && (!slot_store (options, row->ra, &out->words[1])
          || out->words[1] == 0))
    return ra_reason (row->ra);
  if (row->fp.kind == RULE_SAME)
    {
      out->n_words = row->ra.kind == RULE_SAME ? 1 : 2;
      return REASON_NONE;
    }
  if (!slot_store (options, row->fp, &out->words[2]))
    return fp_reason (row->fp);
  /* Without padding the second of two words is the RA, and readers expect none
     or both.  */
  if (row->ra.kind == RULE_SAME && !options->arch->ra_padding)
    return REASON_FP_WITHOUT_RA;
  out->n_words = 3;
  return REASON_NONE;
}

static inline bool
ra_is_fixed (const struct arch *arch, struct frame_rule ra)
{
  return ra.kind == RULE_DEREF_CFA && ra.offset == arch->fixed_ra_offset;
}

static enum frame_reason
lower_undefined (const struct lower_options *options, struct sframe_row *out)
{
  out->ra_signed = false;
  return options->variant.version >= 3 ? REASON_NONE : REASON_RA_UNDEFINED;
}

enum frame_reason
row_lower_default (const struct lower_options *options,
                   const struct frame_row *row, struct sframe_row *out)
{
  const struct arch *arch = options->arch;
  *out = (struct sframe_row){ .start = row->start,
                              .ra_signed = row->ra_signed };
  if (row->ra.kind == RULE_UNDEFINED)
    return lower_undefined (options, out);
  if (row->cfa.kind != RULE_REG
      || (row->cfa.reg != arch->sp && row->cfa.reg != arch->fp))
    return cfa_reason (row->cfa);
  out->base_sp = row->cfa.reg == arch->sp;
  if (!cfa_offset_store (arch, row->cfa.offset, &out->words[0]))
    return REASON_OFFSET_RANGE;
  if (arch_tracks_ra (arch))
    return lower_tracked (options, row, out);
  if (!ra_is_fixed (arch, row->ra))
    return ra_reason (row->ra);
  out->n_words = 1;
  if (row->fp.kind == RULE_SAME)
    return REASON_NONE;
  if (row->fp.kind != RULE_DEREF_CFA)
    return fp_reason (row->fp);
  out->words[out->n_words++] = row->fp.offset;
  return REASON_NONE;
}

static void
push_pair (struct sframe_row *out, int32_t control, int32_t offset)
{
  out->control |= (uint8_t)(1u << out->n_words);
  out->words[out->n_words++] = control;
  out->words[out->n_words++] = offset;
}

static void
push_padding (struct sframe_row *out)
{
  out->control |= (uint8_t)(1u << out->n_words);
  out->words[out->n_words++] = 0;
}

/* The control word of a rule, 0 when there is none.  */
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

/* RA and FP pairs of a flexible row.  */
static enum frame_reason
lower_flexible_saves (const struct lower_options *options,
                      const struct frame_row *row, struct sframe_row *out)
{
  const struct arch *arch = options->arch;
  int32_t fp = rule_control (row->fp);
  if (fp == 0 && row->fp.kind != RULE_SAME)
    return fp_reason (row->fp);
  bool ra_default = arch_tracks_ra (arch) ? row->ra.kind == RULE_SAME
                                          : ra_is_fixed (arch, row->ra);
  if (!ra_default)
    {
      int32_t ra = rule_control (row->ra);
      if (ra == 0)
        return ra_reason (row->ra);
      push_pair (out, ra, row->ra.offset);
    }
  else if (fp != 0)
    push_padding (out);
  if (fp != 0)
    push_pair (out, fp, row->fp.offset);
  return REASON_NONE;
}

enum frame_reason
row_lower_flexible (const struct lower_options *options,
                    const struct frame_row *row, struct sframe_row *out)
{
  const struct arch *arch = options->arch;
  *out = (struct sframe_row){ .start = row->start,
                              .ra_signed = row->ra_signed };
  if (row->ra.kind == RULE_UNDEFINED)
    return lower_undefined (options, out);
  if (row->cfa.kind != RULE_REG && row->cfa.kind != RULE_DEREF_REG)
    return cfa_reason (row->cfa);
  /* Readers of s390x scale the offset; whether also under a dereference is
     not settled, so no such row is made.  */
  if (row->cfa.kind == RULE_DEREF_REG && arch->cfa_scale != 1)
    return REASON_CFA_EXPRESSION;
  int32_t offset;
  if (!cfa_offset_store (arch, row->cfa.offset, &offset))
    return REASON_OFFSET_RANGE;
  push_pair (out, rule_control (row->cfa), offset);
  return lower_flexible_saves (options, row, out);
}

/* The inverse.  */

static bool
cfa_offset_load (const struct arch *arch, int32_t word, int32_t *offset)
{
  int64_t value = (int64_t)word * arch->cfa_scale + arch->cfa_bias;
  *offset = (int32_t)value;
  return value == *offset;
}

static struct frame_rule
slot_rule (const struct arch *arch, struct sframe_variant variant,
           int32_t word)
{
  if (!has_register_words (arch, variant) || word % 2 == 0)
    return (struct frame_rule){ .kind = RULE_DEREF_CFA, .offset = word };
  if (word < 0 || word >> 1 > UINT16_MAX)
    return frame_rule_unsupported (REASON_REGISTER_RANGE);
  return (struct frame_rule){ .kind = RULE_REG, .reg = (uint16_t)(word >> 1) };
}

static struct frame_rule
default_ra (const struct arch *arch)
{
  if (arch_tracks_ra (arch))
    return (struct frame_rule){ .kind = RULE_SAME };
  return (struct frame_rule){ .kind = RULE_DEREF_CFA,
                              .offset = arch->fixed_ra_offset };
}

static void
undo_default (const struct arch *arch, struct sframe_variant variant,
              const struct sframe_row *row, struct frame_row *out)
{
  unsigned fp_word = arch_tracks_ra (arch) ? 2 : 1;
  out->cfa = (struct frame_rule){ .kind = RULE_REG,
                                  .reg = row->base_sp ? arch->sp : arch->fp };
  if (!cfa_offset_load (arch, row->words[0], &out->cfa.offset)
      || row->n_words > fp_word + 1)
    out->cfa = frame_rule_unsupported (REASON_OFFSET_RANGE);
  out->ra = default_ra (arch);
  if (fp_word == 2 && row->n_words > 1
      && (row->words[1] != 0 || !arch->ra_padding))
    out->ra = slot_rule (arch, variant, row->words[1]);
  out->fp = (struct frame_rule){ .kind = RULE_SAME };
  if (row->n_words > fp_word)
    out->fp = slot_rule (arch, variant, row->words[fp_word]);
}

/* The rule of a control word that is not 0 and its offset.  */
static struct frame_rule
pair_rule (int32_t word, int32_t offset)
{
  uint32_t control = (uint32_t)word;
  uint32_t reg = control >> SFRAME_CONTROL_REGNUM_SHIFT;
  bool deref = control & SFRAME_CONTROL_DEREF;
  if (!(control & SFRAME_CONTROL_REG))
    return (struct frame_rule){ .kind = deref ? RULE_DEREF_CFA : RULE_CFA,
                                .offset = offset };
  if (reg > UINT16_MAX)
    return frame_rule_unsupported (REASON_REGISTER_RANGE);
  return (struct frame_rule){ .kind = deref ? RULE_DEREF_REG : RULE_REG,
                              .reg = (uint16_t)reg,
                              .offset = offset };
}

static struct frame_rule
undo_flexible_cfa (const struct arch *arch, const struct sframe_row *row)
{
  struct frame_rule rule = pair_rule (row->words[0], row->words[1]);
  if (rule.kind == RULE_UNSUPPORTED)
    return rule;
  if (rule.kind == RULE_CFA || rule.kind == RULE_DEREF_CFA)
    return frame_rule_unsupported (REASON_CFA_UNDEFINED);
  if (rule.kind == RULE_DEREF_REG && arch->cfa_scale != 1)
    return frame_rule_unsupported (REASON_CFA_EXPRESSION);
  if (!cfa_offset_load (arch, row->words[1], &rule.offset))
    return frame_rule_unsupported (REASON_OFFSET_RANGE);
  return rule;
}

static void
undo_flexible (const struct arch *arch, const struct sframe_row *row,
               struct frame_row *out)
{
  out->cfa = undo_flexible_cfa (arch, row);
  out->ra = default_ra (arch);
  out->fp = (struct frame_rule){ .kind = RULE_SAME };
  unsigned at = 2;
  if (row->n_words > at && row->words[at] == 0)
    at++;
  else if (row->n_words >= at + 2)
    {
      out->ra = pair_rule (row->words[at], row->words[at + 1]);
      at += 2;
    }
  if (row->n_words >= at + 2 && row->words[at] != 0)
    out->fp = pair_rule (row->words[at], row->words[at + 1]);
}

void
lower_undo (const struct arch *arch, struct sframe_variant variant,
            const struct sframe_fde *function, const struct sframe_row *row,
            struct frame_row *out)
{
  *out
      = (struct frame_row){ .start = row->start, .ra_signed = row->ra_signed };
  /* Before errata 2 of V2 (V3 specification, section 1.3) a row without words
     had no meaning.  */
  if (row->n_words == 0 && variant.version == 1)
    out->cfa = frame_rule_unsupported (REASON_CFA_UNDEFINED);
  else if (row->n_words == 0)
    out->ra_signed = false; /* RULE_UNDEFINED is 0 */
  else if (function->flexible)
    undo_flexible (arch, row, out);
  else
    undo_default (arch, variant, row, out);
}

bool
lower_undo_function (const struct sframe_decoder *decoder, uint32_t index,
                     uint64_t *rows_left, struct frame_function *function,
                     struct error *err)
{
  struct sframe_fde fde;
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  int more;
  if (!sframe_decoder_function (decoder, index, &fde, err)
      || !sframe_decoder_rows (decoder, index, &fde, &cursor, err)
      || !sframe_decoder_spend_rows (rows_left, &fde, err))
    return false;
  frame_function_reset (function);
  function->address = fde.address;
  function->size = fde.size;
  function->signal = fde.signal;
  function->b_key = fde.b_key;
  function->repeat = fde.pcmask ? fde.repeat : 0;
  while ((more = sframe_row_next (&cursor, &row, err)) > 0)
    {
      struct frame_row *next = frame_function_next (function);
      if (next == NULL)
        return error_set_no_memory (err);
      lower_undo (decoder->arch, decoder->variant, &fde, &row, next);
      function->n_rows++;
    }
  return more == 0;
}
