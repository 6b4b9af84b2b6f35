/* Whether the RA is signed, which libdw does not keep track of.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A scan of the instruction bytes that follows the location and the state
   stack only (DWARF 5, section 6.4.2; DWARF for the Arm 64-bit Architecture,
   "Call frame instructions").  */

#include <dwarf.h>
#include <stdlib.h>

#include "pointer.h"
#include "signing.h"

enum
{
  /* "DWARF for the Arm 64-bit Architecture", section 4.1.  */
  RA_SIGN_STATE = 34,

  CFA_NEGATE_RA_STATE_WITH_PC = 0x2c,
  CFA_NEGATE_RA_STATE = 0x2d,
  STATES_MAX = 64
};

struct scan
{
  struct signing *signing;
  const struct referee *referee;
  const struct referee_cie *cie;
  const uint8_t *at, *end;
  uint64_t location;
  enum signing_state state;
  enum signing_state initial; /* behind the CIE's instructions */
  enum signing_state stack[STATES_MAX];
  size_t depth;
};

static void
append_change (struct signing *signing, uint64_t start,
               enum signing_state state)
{
  if (signing->n_changes > 0
      && signing->changes[signing->n_changes - 1].start == start)
    {
      signing->changes[signing->n_changes - 1].state = state;
      return;
    }
  if (signing->n_changes == signing->capacity)
    {
      size_t capacity = signing->capacity ? signing->capacity * 2 : 16;
      struct signing_change *grown
          = reallocarray (signing->changes, capacity, sizeof *grown);
      if (!grown)
        {
          signing->failed = true;
          return;
        }
      signing->changes = grown;
      signing->capacity = capacity;
    }
  signing->changes[signing->n_changes++]
      = (struct signing_change){ start, state };
}

/* Skip COUNT LEB128 operands; with BLOCK a sized block follows.  */
static bool
skip_operands (struct scan *scan, int count, bool block)
{
  uint64_t value;
  while (count-- > 0)
    if (!uleb_read (&scan->at, scan->end, &value))
      return false;
  if (!block)
    return true;
  if (!uleb_read (&scan->at, scan->end, &value)
      || value > (uint64_t)(scan->end - scan->at))
    return false;
  scan->at += value;
  return true;
}

static bool
advance (struct scan *scan, uint64_t delta)
{
  scan->location += delta * scan->cie->code_alignment;
  return true;
}

static bool
advance_by_operand (struct scan *scan, unsigned size)
{
  uint64_t delta;
  return uint_read (&scan->at, scan->end, size, scan->referee->big_endian,
                    &delta)
         && advance (scan, delta);
}

static bool
set_location (struct scan *scan)
{
  const struct cfi_source_section *from
      = &scan->referee->sections[scan->cie->section];
  const uint8_t *section = from->data->d_buf;
  uint64_t here = from->address + (uint64_t)(scan->at - section);
  return pointer_read (&scan->at, scan->end, scan->cie->pointer_encoding, here,
                       0, scan->referee->big_endian, &scan->location);
}

static bool
negate (struct scan *scan, enum signing_state to)
{
  scan->state = scan->state == SIGNING_NO ? to : SIGNING_NO;
  append_change (scan->signing, scan->location, scan->state);
  return true;
}

static bool
remember (struct scan *scan)
{
  if (scan->depth == STATES_MAX)
    return false;
  scan->stack[scan->depth++] = scan->state;
  return true;
}

static bool
restore (struct scan *scan)
{
  if (scan->depth == 0)
    return false;
  scan->state = scan->stack[--scan->depth];
  append_change (scan->signing, scan->location, scan->state);
  return true;
}

/* A register gets its initial rule back; RA_SIGN_STATE its value.  */
static bool
restore_register (struct scan *scan, uint64_t reg)
{
  if (reg != RA_SIGN_STATE)
    return true;
  scan->state = scan->initial;
  append_change (scan->signing, scan->location, scan->state);
  return true;
}

static bool
restore_extended (struct scan *scan)
{
  uint64_t reg;
  return uleb_read (&scan->at, scan->end, &reg)
         && restore_register (scan, reg);
}

/* Instructions with an opcode that is the whole byte.  */
static bool
scan_extended (struct scan *scan, uint8_t opcode)
{
  switch (opcode)
    {
    case DW_CFA_nop:
      return true;
    case DW_CFA_set_loc:
      return set_location (scan);
    case DW_CFA_advance_loc1:
      return advance_by_operand (scan, 1);
    case DW_CFA_advance_loc2:
      return advance_by_operand (scan, 2);
    case DW_CFA_advance_loc4:
      return advance_by_operand (scan, 4);
    case DW_CFA_restore_extended:
      return restore_extended (scan);
    case DW_CFA_undefined:
    case DW_CFA_same_value:
    case DW_CFA_def_cfa_register:
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
    case DW_CFA_GNU_args_size:
      return skip_operands (scan, 1, false);
    case DW_CFA_offset_extended:
    case DW_CFA_register:
    case DW_CFA_def_cfa:
    case DW_CFA_offset_extended_sf:
    case DW_CFA_def_cfa_sf:
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
    case DW_CFA_GNU_negative_offset_extended:
      return skip_operands (scan, 2, false);
    case DW_CFA_def_cfa_expression:
      return skip_operands (scan, 0, true);
    case DW_CFA_expression:
    case DW_CFA_val_expression:
      return skip_operands (scan, 1, true);
    case DW_CFA_remember_state:
      return remember (scan);
    case DW_CFA_restore_state:
      return restore (scan);
    case CFA_NEGATE_RA_STATE:
      return negate (scan, SIGNING_YES);
    case CFA_NEGATE_RA_STATE_WITH_PC:
      return negate (scan, SIGNING_OTHER);
    default:
      return false;
    }
}

static bool
scan_instructions (struct scan *scan, const uint8_t *at, const uint8_t *end)
{
  scan->at = at;
  scan->end = end;
  while (scan->at < scan->end)
    {
      uint8_t opcode = *scan->at++;
      bool known = true;
      switch (opcode & 0xc0)
        {
        case DW_CFA_advance_loc:
          known = advance (scan, opcode & 0x3f);
          break;
        case DW_CFA_offset:
          known = skip_operands (scan, 1, false);
          break;
        case DW_CFA_restore:
          known = restore_register (scan, opcode & 0x3f);
          break;
        default:
          known = scan_extended (scan, opcode);
          break;
        }
      if (!known)
        return false;
    }
  return true;
}

void
signing_scan (struct signing *signing, const struct referee *referee,
              const struct referee_fde *fde)
{
  const struct referee_cie *cie = &referee->cies[fde->cie];
  struct scan scan = {
    .signing = signing, .referee = referee, .cie = cie, .location = fde->start
  };
  signing->n_changes = 0;
  signing->failed = false;
  append_change (signing, fde->start, SIGNING_NO);
  if (!referee->abi->signs_ra)
    return;
  bool scanned
      = scan_instructions (&scan, cie->instructions, cie->instructions_end);
  scan.initial = scan.state;
  if (!scanned
      || !scan_instructions (&scan, fde->instructions, fde->instructions_end))
    signing->failed = true;
}

void
signing_free (struct signing *signing)
{
  free (signing->changes);
}

enum signing_state
signing_at (const struct signing *signing, uint64_t pc, uint64_t *end)
{
  enum signing_state state = SIGNING_NO;
  for (size_t i = 0; i < signing->n_changes; i++)
    if (signing->changes[i].start <= pc)
      state = signing->changes[i].state;
    else
      {
        if (*end > signing->changes[i].start)
          *end = signing->changes[i].start;
        break;
      }
  return state;
}
