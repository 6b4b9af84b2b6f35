/* Instructions that were decoded before.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/insn_known.h"

#include <stddef.h>

#include "base/bytes.h"

/* The lowest N bytes of a word.  */
static inline uint64_t
low_bytes (unsigned n)
{
  return n >= 8 ? UINT64_MAX : (UINT64_C (1) << 8 * n) - 1;
}

static inline size_t
index_of (uint64_t bits)
{
  return (bits * 0x9e3779b97f4a7c15u >> 32) % INSN_KNOWN_MAX;
}

/* The length of a head is not known before the head is.  Therefore all
   lengths are tried that heads with this first byte have had.  */
const struct insn_form *
insn_known_form (const struct insn_known *known, const uint8_t *bytes)
{
  uint64_t word = load_u64 (bytes, false);
  for (unsigned left = known->head_sizes[*bytes]; left; left &= left - 1)
    {
      unsigned head = (unsigned)__builtin_ctz (left);
      uint64_t key = word & low_bytes (head);
      const struct known_form *found = &known->forms[index_of (key)];
      if (found->head == key && found->form.head == head)
        return &found->form;
    }
  return NULL;
}

void
insn_known_add_form (struct insn_known *known, const uint8_t *bytes,
                     const struct insn_form *form)
{
  if (form->head == 0 || form->head > INSN_HEAD_MAX)
    return;
  uint64_t key = load_u64 (bytes, false) & low_bytes (form->head);
  known->head_sizes[*bytes] |= (uint8_t)(1 << form->head);
  known->forms[index_of (key)]
      = (struct known_form){ .head = key, .form = *form };
}

/* Needless prefixes could push a distance out of the first word.  */
static bool
can_leave_distance_out (const struct insn_form *form)
{
  return form->distance_at + form->distance_size <= 8;
}

static struct insn_bytes
bytes_of (const uint8_t *bytes, const struct insn_form *form)
{
  uint64_t distance = low_bytes (form->distance_size)
                      << 8 * (form->distance_at & 7u);
  uint64_t last = form->size > 8 ? load_u64 (bytes + 8, false) : 0;
  return (struct insn_bytes){
    .first = load_u64 (bytes, false) & low_bytes (form->size) & ~distance,
    .last = last & low_bytes (form->size > 8 ? form->size - 8u : 0)
  };
}

static size_t
insn_index (struct insn_bytes bytes)
{
  return index_of (bytes.first ^ bytes.last << 7);
}

bool
insn_known_find (const struct insn_known *known, const uint8_t *bytes,
                 const struct insn_form *form, uint64_t address,
                 struct insn *insn)
{
  struct insn_bytes key = bytes_of (bytes, form);
  const struct known_insn *found = &known->insns[insn_index (key)];
  if (found->bytes.first != key.first || found->bytes.last != key.last
      || found->insn.size != form->size)
    return false;
  *insn = found->insn;
  if (form->distance_size == 0)
    return true;
  uint64_t place = insn_form_place (form, bytes, address);
  if (insn_form_has_target (form))
    insn->target = place;
  if (insn->memory)
    insn->offset = (int64_t)place;
  if (insn->names_place)
    insn->immediate = (int64_t)place;
  return true;
}

void
insn_known_add (struct insn_known *known, const uint8_t *bytes,
                const struct insn_form *form, const struct insn *insn)
{
  if (!can_leave_distance_out (form))
    return;
  struct insn_bytes key = bytes_of (bytes, form);
  known->insns[insn_index (key)]
      = (struct known_insn){ .bytes = key, .insn = *insn };
}

uint64_t
insn_form_place (const struct insn_form *form, const uint8_t *bytes,
                 uint64_t address)
{
  const uint8_t *at = bytes + form->distance_at;
  int64_t distance = form->distance_size == 1 ? (int8_t)*at
                     : form->distance_size == 2
                         ? (int16_t)load_u16 (at, false)
                         : (int32_t)load_u32 (at, false);
  return address + form->size + (uint64_t)distance;
}

bool
insn_form_has_target (const struct insn_form *form)
{
  return form->distance_size != 0
         && (form->flow == FLOW_BRANCH || form->flow == FLOW_JUMP
             || form->flow == FLOW_CALL);
}
