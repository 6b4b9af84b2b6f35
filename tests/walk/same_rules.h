/* Whether both readers of sections have the same rules for an address.
   SPDX-License-Identifier: LGPL-2.1-or-later

   walk/lookup reads what a walk needs, sframe/decode everything.  */

#ifndef UNIT_SAME_RULES_H
#define UNIT_SAME_RULES_H

#include "sframe/decode.h"
#include "tests/sframe_lookup.h"
#include "walk/lookup.h"

static inline bool
same_rules (const void *bytes, uint64_t size, uint64_t address, uint64_t pc)
{
  struct sframe_decoder decoder;
  struct sframe_fde function;
  struct sframe_row row;
  struct frame_row expected;
  struct unwind_section section;
  struct unwind_rules rules;
  bool opened = sframe_decoder_open (&decoder, bytes, size, address, NULL);
  if (opened != unwind_section_open (&section, bytes, size, address))
    return false;
  if (!opened)
    return true;
  int status = sframe_decoder_lookup (&decoder, pc, &function, &row, NULL);
  enum sfw_end step = unwind_section_lookup (&section, pc, &rules);
  if (status <= 0)
    return step == (status < 0 ? SFW_BAD_SECTION : SFW_NO_ROW);
  sframe_row_rules (decoder.arch, decoder.variant, &function, &row, &expected);
  uint64_t offset = pc - function.address;
  if (function.repeat != 0)
    offset %= function.repeat;
  return step == SFW_MORE && rules.starts_row == (row.start == offset)
         && rules.arch == decoder.arch && rules.signal == function.signal
         && frame_row_same_rules (&expected, &rules.row);
}

#endif /* UNIT_SAME_RULES_H */
