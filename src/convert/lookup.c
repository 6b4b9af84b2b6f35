/* What an SFrame section says about one address: the public interface.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "base/error.h"
#include "convert/results.h"
#include "sframe/decode.h"
#include "sframe/lower.h"

/* False for a rule that no reader would accept.  */
static bool
translate (struct frame_rule from, struct cfi2sframe_rule *to)
{
  static const enum cfi2sframe_rule_kind kinds[]
      = { [RULE_UNDEFINED] = CFI2SFRAME_UNDEFINED,
          [RULE_SAME] = CFI2SFRAME_SAME,
          [RULE_REG] = CFI2SFRAME_REGISTER,
          [RULE_DEREF_REG] = CFI2SFRAME_AT_REGISTER,
          [RULE_CFA] = CFI2SFRAME_CFA,
          [RULE_DEREF_CFA] = CFI2SFRAME_AT_CFA };
  if (from.kind >= sizeof kinds / sizeof kinds[0])
    return false;
  *to = (struct cfi2sframe_rule){ kinds[from.kind], from.reg, from.offset };
  return true;
}

/* cfi2sframe_lookup with a row of our size, which is 0.  */
static bool
lookup (const void *section, size_t size, uint64_t address, uint64_t pc,
        struct cfi2sframe_row *row, struct error *err)
{
  struct sframe_decoder decoder;
  struct sframe_fde function;
  struct sframe_row found;
  struct frame_row rules;
  if (!sframe_decoder_open (&decoder, section, size, address, err))
    return false;
  int status = sframe_decoder_lookup (&decoder, pc, &function, &found, err);
  if (status < 0)
    return false;
  if (status == 0)
    return error_set (err, CFI2SFRAME_NOTHING, "no row for this address");
  lower_undo (decoder.arch, decoder.variant, &function, &found, &rules);
  row->function = function.address;
  row->function_size = function.size;
  row->signal_frame = function.signal;
  row->ra_signed = rules.ra_signed;
  return (translate (rules.cfa, &row->cfa)
          && translate (rules.ra, &row->return_address)
          && translate (rules.fp, &row->frame_pointer))
         || error_set (err, CFI2SFRAME_MALFORMED, "a row without meaning");
}

bool
cfi2sframe_lookup (const void *section, size_t size, uint64_t address,
                   uint64_t pc, struct cfi2sframe_row *row,
                   struct cfi2sframe_error *err)
{
  struct cfi2sframe_row own = { 0 };
  size_t row_size;
  if (!results_size (row, &row_size, err))
    return false;
  bool found = lookup (section, size, address, pc, &own, err);
  results_give (row, row_size, &own, sizeof own);
  return found;
}
