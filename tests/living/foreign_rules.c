/* The rules of walks, as another reader of SFrame reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Which rules hold is the other reader's word; of what address they are asked,
   and what they do to a frame, is the library's.  */

#include "foreign_rules.h"

#include "tests/clients/foreign.h"
#include "prove/rule.h"
#include "sframe/decode.h"
#include "tests/sframe_lookup.h"

enum
{
  SECTIONS_MAX = 256
};

/* Sections that the other reader has read.  */
static struct
{
  struct sfw_section section;
  struct sframe_decoder decoder;
  struct foreign_section *foreign;
} known[SECTIONS_MAX];
static unsigned n_known;

void
foreign_forget (void)
{
  while (n_known > 0)
    foreign_close (known[--n_known].foreign);
}

/* The place in KNOWN of SECTION, of the code at PC, or -1.  */
static int
read_section (const struct process *process, const struct sfw_section *section,
              uint64_t pc)
{
  for (unsigned i = 0; i < n_known; i++)
    if (known[i].section.bytes == section->bytes
        && known[i].section.address == section->address)
      return known[i].foreign != NULL ? (int)i : -1;
  if (n_known == SECTIONS_MAX)
    foreign_forget ();
  const struct mapping *mapping = mappings_at (&process->mappings, pc);
  unsigned i = n_known++;
  known[i].section = *section;
  known[i].foreign = NULL;
  if (sframe_decoder_open (&known[i].decoder, section->bytes, section->size,
                           section->address, NULL))
    known[i].foreign = foreign_open (
        &(struct foreign_input){ .bytes = section->bytes,
                                 .size = section->size,
                                 .address = section->address,
                                 .code_start = mapping->start,
                                 .code_end = mapping->end,
                                 .sp = known[i].decoder.arch->sp,
                                 .fp = known[i].decoder.arch->fp });
  return known[i].foreign != NULL ? (int)i : -1;
}

/* PLACE as the library has it, of register OWN.  */
static struct frame_rule
rule_of (const struct place *place, unsigned own)
{
  bool load = place->kind == PLACE_MEMORY;
  struct frame_rule to = { .offset = (int32_t)place->offset };
  if (place->kind == PLACE_SAME)
    return (struct frame_rule){ .kind = RULE_REG, .reg = (uint16_t)own };
  if (place->from_cfa)
    to.kind = load ? RULE_DEREF_CFA : RULE_CFA;
  else
    {
      to.kind = load ? RULE_DEREF_REG : RULE_REG;
      to.reg = (uint16_t)place->reg;
    }
  return to;
}

enum sfw_end
foreign_find_rules (const void *finder, uint64_t address,
                    struct unwind_rules *rules)
{
  struct process *process = (struct process *)finder;
  struct sfw_section section;
  struct sframe_fde function;
  struct sframe_row row;
  struct rule theirs = { 0 };
  if (!process_find_section (process, address, &section))
    return SFW_NO_SECTION;
  int i = read_section (process, &section, address);
  if (i < 0)
    return SFW_BAD_SECTION;
  const struct sframe_decoder *decoder = &known[i].decoder;
  rules->arch = decoder->arch;
  /* Our own reader says where the row begins, and whether the function is a
     signal frame.  */
  if (sframe_decoder_lookup (decoder, address, &function, &row, NULL) > 0)
    {
      rules->signal = function.signal;
      uint64_t offset = address - function.address;
      rules->starts_row
          = (function.repeat ? offset % function.repeat : offset) == row.start;
    }
  int found = foreign_rules (known[i].foreign, address, &theirs);
  if (found <= 0)
    return found < 0 ? SFW_BAD_SECTION : SFW_NO_ROW;
  rules->row = (struct frame_row){ 0 };
  if (!theirs.outermost)
    rules->row
        = (struct frame_row){ .cfa = rule_of (&theirs.cfa, decoder->arch->sp),
                              .ra = rule_of (&theirs.ra, decoder->arch->ra),
                              .fp = rule_of (&theirs.fp, decoder->arch->fp) };
  return SFW_MORE;
}
