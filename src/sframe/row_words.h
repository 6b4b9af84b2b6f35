/* From the data words of an SFrame row to the rules for CFA, RA and FP.
   SPDX-License-Identifier: LGPL-2.1-or-later

   SFrame specification V3, sections 2 and 3.2.  No other code of the project
   interprets data words.  All functions are inline, because libsframewalk
   uses them, too: it links nothing else of this folder, runs in signal
   handlers, and reads the data words in place, in the mapped section.  */

#ifndef SFRAME_ROW_WORDS_H
#define SFRAME_ROW_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "frame/frame.h"
#include "sframe/format.h"

/* The data words of a row.  All of them lie in memory that can be read.  */
struct row_words
{
  const uint8_t *at;
  unsigned n, width; /* a word has 1 << width bytes; width is 2 at most */
  bool big_endian;
};

static inline uint32_t
row_word_unsigned (const struct row_words *words, unsigned i)
{
  const uint8_t *at = words->at + ((size_t)i << words->width);
  return words->width == 0   ? *at
         : words->width == 1 ? load_u16 (at, words->big_endian)
                             : load_u32 (at, words->big_endian);
}

static inline int32_t
row_word_signed (const struct row_words *words, unsigned i)
{
  unsigned unused = 32 - (8u << words->width);
  return (int32_t)(row_word_unsigned (words, i) << unused) >> unused;
}

/* The CFA offset that is stored as WORD: s390x scales and biases it.  */
static inline int64_t
row_words_cfa_value (const struct arch *arch, int32_t word)
{
  return (int64_t)word * arch->cfa_scale + arch->cfa_bias;
}

/* Set *OFFSET to WORD's CFA offset.  False if it has more than 32 bits.  */
static inline bool
row_words_cfa_offset (const struct arch *arch, int32_t word, int32_t *offset)
{
  int64_t value = row_words_cfa_value (arch, word);
  *offset = (int32_t)value;
  return value == *offset;
}

/* The rule for the RA in a row that has no data word for it.  */
static inline struct frame_rule
row_words_default_ra (const struct arch *arch)
{
  if (arch_tracks_ra (arch))
    return (struct frame_rule){ .kind = RULE_SAME };
  return (struct frame_rule){ .kind = RULE_DEREF_CFA,
                              .offset = arch->fixed_ra_offset };
}

/* Whether data words for RA and FP can be registers (V2 on s390x).  */
static inline bool
row_words_have_registers (const struct arch *arch, unsigned version)
{
  return arch->register_words && version == 2;
}

/* The rule that a default row states by WORD, its data word for RA or FP.  */
static inline struct frame_rule
row_words_slot (const struct arch *arch, unsigned version, int32_t word)
{
  if (!row_words_have_registers (arch, version) || word % 2 == 0)
    return (struct frame_rule){ .kind = RULE_DEREF_CFA, .offset = word };
  if (word < 0 || word >> 1 > UINT16_MAX)
    return frame_rule_unsupported (REASON_REGISTER_RANGE);
  return (struct frame_rule){ .kind = RULE_REG, .reg = (uint16_t)(word >> 1) };
}

/* Set the rules of ROW, a row of a default FDE with at least one word.  */
static inline void
row_words_default (const struct arch *arch, unsigned version,
                   const struct row_words *words, bool base_sp,
                   struct frame_row *row)
{
  unsigned fp_word = arch_tracks_ra (arch) ? 2 : 1;
  row->cfa = (struct frame_rule){ .kind = RULE_REG,
                                  .reg = base_sp ? arch->sp : arch->fp };
  if (!row_words_cfa_offset (arch, row_word_signed (words, 0),
                             &row->cfa.offset)
      || words->n > fp_word + 1)
    row->cfa = frame_rule_unsupported (REASON_OFFSET_RANGE);
  row->ra = row_words_default_ra (arch);
  if (fp_word == 2 && words->n > 1
      && (row_word_signed (words, 1) != 0 || !arch->ra_padding))
    row->ra = row_words_slot (arch, version, row_word_signed (words, 1));
  row->fp
      = words->n > fp_word
            ? row_words_slot (arch, version, row_word_signed (words, fp_word))
            : (struct frame_rule){ .kind = RULE_SAME };
}

/* The rule of control word I and the offset word behind it.  */
static inline struct frame_rule
row_words_pair (const struct row_words *words, unsigned i)
{
  uint32_t control = row_word_unsigned (words, i);
  uint32_t reg = control >> SFRAME_CONTROL_REGNUM_SHIFT;
  bool deref = control & SFRAME_CONTROL_DEREF;
  int32_t offset = row_word_signed (words, i + 1);
  if (!(control & SFRAME_CONTROL_REG))
    return (struct frame_rule){ .kind = deref ? RULE_DEREF_CFA : RULE_CFA,
                                .offset = offset };
  if (reg > UINT16_MAX)
    return frame_rule_unsupported (REASON_REGISTER_RANGE);
  return (struct frame_rule){ .kind = deref ? RULE_DEREF_REG : RULE_REG,
                              .reg = (uint16_t)reg,
                              .offset = offset };
}

/* The rule for the CFA in a flexible row of at least two words.  */
static inline struct frame_rule
row_words_flexible_cfa (const struct arch *arch, const struct row_words *words)
{
  struct frame_rule rule = row_words_pair (words, 0);
  if (rule.kind == RULE_UNSUPPORTED)
    return rule;
  if (rule.kind != RULE_REG && rule.kind != RULE_DEREF_REG)
    return frame_rule_unsupported (REASON_CFA_UNDEFINED);
  if (rule.kind == RULE_DEREF_REG && arch->cfa_scale != 1)
    return frame_rule_unsupported (REASON_CFA_EXPRESSION);
  if (!row_words_cfa_offset (arch, rule.offset, &rule.offset))
    return frame_rule_unsupported (REASON_OFFSET_RANGE);
  return rule;
}

/* Set the rules of ROW, a row of a flexible FDE.  False unless WORDS are pairs
   for CFA, RA and FP, where a single 0 in place of a pair is "no rule".  */
static inline bool
row_words_flexible (const struct arch *arch, const struct row_words *words,
                    struct frame_row *row)
{
  struct frame_rule *const targets[] = { &row->cfa, &row->ra, &row->fp };
  unsigned i = 0;
  row->cfa = words->n < 2 ? frame_rule_unsupported (REASON_CFA_UNDEFINED)
                          : row_words_flexible_cfa (arch, words);
  row->ra = row_words_default_ra (arch);
  row->fp = (struct frame_rule){ .kind = RULE_SAME };
  for (unsigned n = 0; i < words->n; n++)
    {
      if (n == 3)
        return false;
      bool pair = n == 0 || row_word_unsigned (words, i) != 0;
      if (pair && words->n - i < 2)
        return false;
      if (pair && n > 0)
        *targets[n] = row_words_pair (words, i);
      i += pair ? 2 : 1;
    }
  return true;
}

/* Set the rules of ROW from WORDS, as a section of VERSION states them.
   BASE_SP and RA_SIGNED come from the row's info byte.  The row's start is not
   touched.  False for a flexible row whose words are not pairs.  */
static inline bool
row_words_rules (const struct arch *arch, unsigned version,
                 const struct row_words *words, bool flexible, bool base_sp,
                 bool ra_signed, struct frame_row *row)
{
  row->ra_signed = ra_signed;
  if (words->n > 0 && flexible)
    return row_words_flexible (arch, words, row);
  if (words->n > 0)
    row_words_default (arch, version, words, base_sp, row);
  /* In V1 a row without words has no meaning; later the return address is
     undefined (section 1.3).  RULE_UNDEFINED is 0.  */
  else if (version == 1)
    row->cfa = frame_rule_unsupported (REASON_CFA_UNDEFINED);
  else
    row->ra_signed = false;
  return true;
}

#endif /* SFRAME_ROW_WORDS_H */
