/* Code that has CFI, and what that says of where functions start.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/known_code.h"

#include <stdlib.h>

#include "base/search.h"

enum
{
  SIGNING_STEPS = 4 /* up to which a function signs its return address */
};

/* Whether FUNCTION has a row for a leading nop alone.  Parts of functions
   have: landing pads cannot be at the very beginning.  */
static bool
leads_with_nop (const struct frame_function *function,
                const struct insn_step *step)
{
  return step->is_nop && function->n_rows > 1
         && function->rows[1].start == step->size;
}

/* Whether ROW is that of a call, at the first instruction of a function.  */
static bool
is_row_of_call (const struct frame_row *row, const struct arch *arch)
{
  return row->start == 0 && row->cfa.kind == RULE_REG
         && row->cfa.reg == arch->sp
         && row->cfa.offset == -arch->fixed_ra_offset
         && row->ra.kind
                == (arch_tracks_ra (arch) ? RULE_SAME : RULE_DEREF_CFA)
         && !row->ra_signed;
}

/* Whether the code at ADDRESS begins with signing the return address, whatever
   its CFI says then: PACIASP, behind BTI and NOP.  */
static bool
begins_with_signing (const struct insn_decoder *decoder, const uint8_t *bytes,
                     uint64_t size, uint64_t address)
{
  struct insn insn = { .size = 0 };
  for (int i = 0; i < SIGNING_STEPS; i++)
    {
      bytes += insn.size;
      size -= insn.size;
      address += insn.size;
      if (!insn_decode (decoder, bytes, size, address, &insn)
          || insn.flow != FLOW_NEXT
          || (insn.op != OP_NONE && insn.op != OP_SIGN) || insn.writes != 0)
        return false;
      if (insn.op == OP_SIGN)
        return true;
    }
  return false;
}

/* Whether the FDE that FUNCTION was made of starts a function.  */
static bool
starts_function (const struct frame_function *function,
                 const struct arch *arch, const struct insn_decoder *decoder,
                 const struct image_facts *facts)
{
  uint64_t size;
  const uint8_t *bytes = facts_code (facts, function->address, &size);
  struct insn_step step;
  if (!bytes || function->n_rows == 0 || function->from_plt || function->signal
      || !insn_decode_step (decoder, bytes, size, function->address, &step))
    return false;
  return (!leads_with_nop (function, &step)
          && is_row_of_call (&function->rows[0], arch))
         || (arch_tracks_ra (arch)
             && begins_with_signing (decoder, bytes, size, function->address));
}

bool
known_code_init (struct known_code *known, const struct code_request *request,
                 const struct insn_decoder *decoder,
                 const struct image_facts *facts)
{
  *known = (struct known_code){ .functions = request->known,
                                .n = request->n_known };
  known->parts = calloc (known->n + 1, sizeof *known->parts);
  if (!known->parts)
    return false;
  for (size_t i = 0; i < known->n; i++)
    {
      const struct frame_function *function = &known->functions[i];
      if (address_list_has (&request->parts, function->address)
          || (!address_list_has (&request->entries, function->address)
              && !starts_function (function, facts->image->arch, decoder,
                                   facts)))
        known->parts[known->n_parts++]
            = (struct code_range){ function->address,
                                   function->address + function->size };
    }
  return true;
}

void
known_code_free (struct known_code *known)
{
  free (known->parts);
}

const struct frame_function *
known_code_at (const struct known_code *known, uint64_t address)
{
  return frame_functions_find (known->functions, known->n, address);
}

bool
known_code_is_border (const struct known_code *known, uint64_t address)
{
  size_t at
      = SEARCH_FIRST (known->n, i, known->functions[i].address >= address);
  return at < known->n && known->functions[at].address == address;
}

const struct code_range *
known_code_part (const struct known_code *known, uint64_t address)
{
  const struct code_range *parts = known->parts;
  size_t at = SEARCH_FIRST (known->n_parts, i, parts[i].end > address);
  return at < known->n_parts && parts[at].start <= address ? &parts[at] : NULL;
}
