/* Where the units go that stood behind the table.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The comment at struct header_slots says which places there are.  */

#include "place/header_slots.h"

#include "base/align.h"
#include "place/facts.h"

bool
unit_places_put_back (struct header_slots *slots, uint64_t begin, bool all,
                      uint64_t *end)
{
  *end = begin;
  for (size_t i = 0; i < slots->n_units; i++)
    {
      struct unit *unit = &slots->units[i];
      bool first_page
          = unit->for_cores && unit->offset + unit->size <= FIRST_PAGE;
      if (!first_page && !(all && unit->named))
        continue;
      align_to_residue (end, unit->offset, unit->align);
      unit_settle (unit, *end);
      *end += unit->size;
      if (first_page && *end > FIRST_PAGE)
        return false;
    }
  return true;
}

static bool
is_homeless (const struct unit *unit)
{
  return unit->named && !unit->settled && unit->fallback == 0;
}

/* Find places behind segment INDEX for all units that have none.  */
static bool
find_home (const struct draft *draft, struct header_slots *slots, size_t index)
{
  const GElf_Phdr *home = &draft->image->segments[index];
  uint64_t at = home->p_offset + home->p_filesz;
  struct header_slots found = *slots;
  for (size_t i = 0; i < found.n_units; i++)
    {
      struct unit *unit = &found.units[i];
      if (!is_homeless (unit))
        continue;
      if (unit->address - unit->offset != home->p_vaddr - home->p_offset
          || !align_to_residue (&at, unit->offset, unit->align))
        return false;
      unit->fallback = at;
      at += unit->size;
    }
  if (!slack_reaches (draft->image, index, at))
    return false;
  found.home = index;
  *slots = found;
  return true;
}

uint64_t
unit_places_front_end (const struct header_slots *slots, uint64_t begin)
{
  for (size_t i = 0; i < slots->n_units; i++)
    {
      const struct unit *unit = &slots->units[i];
      if (unit->settled && unit->new_offset < slots->freed[0].end
          && unit->new_offset + unit->size > begin)
        begin = unit->new_offset + unit->size;
    }
  return begin;
}

bool
unit_places_find_fallbacks (const struct draft *draft,
                            struct header_slots *slots, uint64_t begin)
{
  struct interval rest[]
      = { { unit_places_front_end (slots, begin), slots->freed[0].end },
          { slots->notes.end, slots->freed[1].end } };
  bool homeless = false;
  for (size_t i = 0; i < slots->n_units; i++)
    {
      struct unit *unit = &slots->units[i];
      for (size_t k = 0; k < 2 && is_homeless (unit); k++)
        {
          uint64_t at = rest[k].begin;
          align_to_residue (&at, unit->offset, unit->align);
          if (at + unit->size <= rest[k].end)
            rest[k].begin = (unit->fallback = at) + unit->size;
        }
      homeless |= is_homeless (unit);
    }
  for (size_t at = 0, index;
       homeless && slack_next (draft->image, &at, &index);)
    homeless = !find_home (draft, slots, index);
  return !homeless
         || draft_impossible (draft, "what they name has no other place");
}

bool
unit_places_settle (struct header_slots *slots, uint64_t *end,
                    uint64_t address)
{
  uint64_t begin = *end;
  for (size_t i = 0; i < slots->n_units; i++)
    {
      struct unit *unit = &slots->units[i];
      bool agrees = unit->address - unit->offset == address - begin;
      if (!unit->settled && unit->named && !agrees)
        unit_settle (unit, unit->fallback);
      if (unit->settled)
        continue;
      uint64_t place = address + (*end - begin);
      uint64_t before = place;
      if (!align_to_residue (&place, unit->address, unit->align))
        return false;
      unit->new_offset = *end + (place - before);
      unit->new_address = place;
      if (__builtin_add_overflow (unit->new_offset, unit->size, end))
        return false;
    }
  return true;
}

bool
unit_places_fall_back (struct header_slots *slots)
{
  bool any = false;
  for (size_t i = 0; i < slots->n_units; i++)
    if (!slots->units[i].settled && slots->units[i].fallback != 0)
      {
        unit_settle (&slots->units[i], slots->units[i].fallback);
        any = true;
      }
  return any;
}
