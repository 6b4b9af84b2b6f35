/* What the words of an SFrame row mean.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sources: SFrame specification V3, sections 3.1 (default rows) and 3.2
   (flexible rows); for V2 on s390x its section 1.3.  */

#include <elf.h>

#include "abi.h"
#include "rules.h"

/* How rows are read, by ABI identifier.  On purpose not taken from
   src/arch.  */
struct row_abi
{
  unsigned e_machine;
  uint8_t tracks_ra;
  int64_t cfa_scale, cfa_bias;
};

static const struct row_abi row_abis[] = {
  [SFRAME_ABI_AARCH64_BE] = { EM_AARCH64, 1, 1, 0 },
  [SFRAME_ABI_AARCH64_LE] = { EM_AARCH64, 1, 1, 0 },
  [SFRAME_ABI_AMD64_LE] = { EM_X86_64, 0, 1, 0 },
  [SFRAME_ABI_S390X_BE] = { EM_S390, 1, 8, 160 },
};

static const struct row_abi *
abi_of (const struct sframe_decoder *decoder)
{
  return &row_abis[decoder->arch->sframe_abi];
}

unsigned
rules_machine (const struct sframe_decoder *decoder)
{
  uint8_t abi = decoder->arch->sframe_abi;
  return abi < sizeof row_abis / sizeof *row_abis ? row_abis[abi].e_machine
                                                  : 0;
}

static struct row_rule
in_register (uint32_t reg)
{
  return (struct row_rule){ ROW_RULE_REGISTER, false, reg, 0 };
}

static struct row_rule
in_frame (int64_t offset)
{
  return (struct row_rule){ ROW_RULE_CFA, true, 0, offset };
}

/* The rules in force when a row is silent about RA and FP.  */
static void
default_rules (const struct sframe_decoder *decoder, struct row_rules *rules)
{
  const struct referee_abi *registers
      = referee_abi_of (rules_machine (decoder));
  rules->ra = in_register ((uint32_t)registers->ra);
  if (!abi_of (decoder)->tracks_ra)
    rules->ra = in_frame (decoder->fixed_ra_offset);
  rules->fp = in_register ((uint32_t)registers->fp);
  if (decoder->fixed_fp_offset != 0)
    rules->fp = in_frame (decoder->fixed_fp_offset);
}

/* A word for the RA or FP of a default row.  */
static struct row_rule
slot_rule (const struct sframe_decoder *decoder, int32_t word)
{
  /* SFRAME_V2_S390X_OFFSET_IS_REGNUM: stack slots are even.  */
  bool s390x = rules_machine (decoder) == EM_S390;
  if (s390x && decoder->variant.version == 2 && (word & 1))
    return in_register ((uint32_t)word >> 1);
  return in_frame (word);
}

static int64_t
cfa_offset (const struct sframe_decoder *decoder, int32_t word)
{
  const struct row_abi *abi = abi_of (decoder);
  return word * abi->cfa_scale + abi->cfa_bias;
}

/* Specification section 3.1.  */
static void
default_row_rules (const struct sframe_decoder *decoder,
                   const struct sframe_row *row, struct row_rules *rules)
{
  const struct referee_abi *registers
      = referee_abi_of (rules_machine (decoder));
  bool tracks_ra = abi_of (decoder)->tracks_ra;
  unsigned fp_word = tracks_ra ? 2 : 1;
  int base = row->base_sp ? registers->sp : registers->fp;
  rules->cfa = (struct row_rule){ ROW_RULE_REGISTER, false, (uint32_t)base,
                                  cfa_offset (decoder, row->words[0]) };
  /* On s390x an RA word of 0 says that the RA is still in its register.  */
  bool padding = rules_machine (decoder) == EM_S390 && row->words[1] == 0;
  if (tracks_ra && row->n_words > 1 && !padding)
    rules->ra = slot_rule (decoder, row->words[1]);
  if (row->n_words > fp_word)
    rules->fp = slot_rule (decoder, row->words[fp_word]);
  if (row->n_words > fp_word + 1u)
    rules->cfa.base = ROW_RULE_BROKEN;
}

/* Take a pair of words, or a single padding word, at *AT.  False when there
   is none.  */
static bool
take_pair (const struct sframe_row *row, unsigned *at, struct row_rule *rule)
{
  if (*at >= row->n_words)
    return false;
  uint32_t control = (uint32_t)row->words[(*at)++];
  /* The word is unsigned and as wide as all words of its row.  */
  if (row->word_size == 1)
    control &= 0xff;
  else if (row->word_size == 2)
    control &= 0xffff;
  if (control == 0)
    return false;
  if (*at >= row->n_words || (control & 0x4))
    {
      rule->base = ROW_RULE_BROKEN;
      return true;
    }
  *rule = (struct row_rule){ control & 1 ? ROW_RULE_REGISTER : ROW_RULE_CFA,
                             (control & 2) != 0, control >> 3,
                             row->words[(*at)++] };
  return true;
}

/* Specification section 3.2.  */
static void
flexible_row_rules (const struct sframe_decoder *decoder,
                    const struct sframe_row *row, struct row_rules *rules)
{
  unsigned at = 0;
  if (!take_pair (row, &at, &rules->cfa)
      || rules->cfa.base != ROW_RULE_REGISTER)
    rules->cfa.base = ROW_RULE_BROKEN;
  else
    rules->cfa.offset = cfa_offset (decoder, (int32_t)rules->cfa.offset);
  take_pair (row, &at, &rules->ra);
  take_pair (row, &at, &rules->fp);
  if (at < row->n_words)
    rules->cfa.base = ROW_RULE_BROKEN;
}

void
rules_of_row (const struct sframe_decoder *decoder,
              const struct sframe_fde *function, const struct sframe_row *row,
              struct row_rules *rules)
{
  *rules = (struct row_rules){ .ra_undefined = row->n_words == 0 };
  default_rules (decoder, rules);
  if (row->n_words == 0)
    return;
  if (function->flexible)
    flexible_row_rules (decoder, row, rules);
  else
    default_row_rules (decoder, row, rules);
}
