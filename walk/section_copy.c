/* The copies of sections that tables of modules keep.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "walk/section_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many FDEs start at or before PC.  */
static inline uint32_t
section_count (const struct walk_section_copy *section, uint64_t pc)
{
  uint64_t bucket = (pc - section->first) >> section->shift;
  if (section->buckets == NULL || bucket >= section->n_buckets)
    return unwind_section_count (&section->opened, pc, 0,
                                 section->opened.n_fdes);
  return unwind_section_count (&section->opened, pc, section->buckets[bucket],
                               section->buckets[bucket + 1]);
}

enum sfw_end
walk_section_copy_rules (const struct walk_section_copy *section, uint64_t pc,
                         struct unwind_rules *rules)
{
  rules->arch = section->opened.arch;
  uint32_t count = section_count (section, pc);
  return count == 0
             ? SFW_NO_ROW
             : unwind_section_rules (&section->opened, count - 1, pc, rules);
}

void
walk_section_copy_drop (struct walk_section_copy *section)
{
  if (section == NULL || --section->users > 0)
    return;
  free (section->buckets);
  free (section);
}

/* Make the index of SECTION: about three FDEs in each bucket.  False when
   memory ran out.  */
static bool
section_index (struct walk_section_copy *section)
{
  const struct unwind_section *opened = &section->opened;
  uint32_t n = opened->n_fdes;
  if (n < 8)
    return true;
  section->first = unwind_section_start (opened, 0);
  uint64_t span = unwind_section_start (opened, n - 1) - section->first;
  while (span >> section->shift > n / 3)
    section->shift++;
  section->n_buckets = (uint32_t)(span >> section->shift) + 1;
  section->buckets
      = reallocarray (NULL, section->n_buckets + 1, sizeof (uint32_t));
  if (section->buckets == NULL)
    return false;
  uint32_t fde = 0;
  for (uint32_t i = 0; i < section->n_buckets; i++)
    {
      uint64_t limit = (uint64_t)i << section->shift;
      while (fde < n
             && unwind_section_start (opened, fde) - section->first < limit)
        fde++;
      section->buckets[i] = fde;
    }
  section->buckets[section->n_buckets] = n;
  return true;
}

struct walk_section_copy *
walk_section_copy_new (const struct sfw_section *from)
{
  struct walk_section_copy *section = NULL;
  if (from->size <= SIZE_MAX - sizeof *section)
    section = malloc (sizeof *section + from->size);
  if (section == NULL)
    {
      errno = ENOMEM;
      return NULL;
    }
  *section = (struct walk_section_copy){ .size = from->size,
                                         .address = from->address,
                                         .users = 1 };
  memcpy (section->bytes, from->bytes, from->size);
  bool sound = unwind_section_open (&section->opened, section->bytes,
                                    from->size, from->address)
               && unwind_section_is_sorted (&section->opened);
  if (sound && section_index (section))
    return section;
  walk_section_copy_drop (section);
  errno = sound ? ENOMEM : EINVAL;
  return NULL;
}

struct walk_section_copy *
walk_section_copy_share (struct walk_section_copy *copy,
                         const struct sfw_section *section)
{
  if (copy == NULL || copy->address != section->address
      || copy->size != section->size
      || memcmp (copy->bytes, section->bytes, section->size) != 0)
    return NULL;
  copy->users++;
  return copy;
}
