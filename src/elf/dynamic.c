/* The dynamic section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/dynamic.h"

#include "base/bytes.h"

/* The entry at *AT of DYNAMIC, which may be NULL.  */
static bool
next_of (const struct image *image, const GElf_Phdr *dynamic, uint64_t *at,
         int64_t *tag, uint64_t *value)
{
  if (dynamic == NULL)
    return false;
  if (*at == 0)
    *at = dynamic->p_offset;
  if (*at - dynamic->p_offset + sizeof (Elf64_Dyn) > dynamic->p_filesz)
    return false;
  const uint8_t *entry = image->bytes + *at;
  *tag = (int64_t)load_u64 (entry, image->big_endian);
  *value = load_u64 (entry + 8, image->big_endian);
  *at += sizeof (Elf64_Dyn);
  return *tag != DT_NULL;
}

bool
dynamic_next (const struct image *image, uint64_t *at, int64_t *tag,
              uint64_t *value)
{
  return next_of (image, image_find_segment (image, PT_DYNAMIC), at, tag,
                  value);
}

/* Looks for the segment once: a file can have 60,000 entries and 1,000
   program headers.  */
bool
dynamic_find (const struct image *image, int64_t tag, uint64_t *value)
{
  const GElf_Phdr *dynamic = image_find_segment (image, PT_DYNAMIC);
  uint64_t at = 0;
  int64_t found;
  while (next_of (image, dynamic, &at, &found, value))
    if (found == tag)
      return true;
  return false;
}

bool
dynamic_holds (const struct image *image, int64_t tag, uint64_t value)
{
  const GElf_Phdr *dynamic = image_find_segment (image, PT_DYNAMIC);
  uint64_t at = 0, held;
  int64_t found;
  while (next_of (image, dynamic, &at, &found, &held))
    if (found == tag && held == value)
      return true;
  return false;
}

const char *
dynamic_strings (const struct image *image, uint64_t *size)
{
  uint64_t address;
  if (!dynamic_find (image, DT_STRTAB, &address)
      || !dynamic_find (image, DT_STRSZ, size) || *size == 0)
    return NULL;
  const uint8_t *bytes = image_bytes_at (image, address, *size);
  return bytes != NULL && bytes[*size - 1] == '\0' ? (const char *)bytes
                                                   : NULL;
}

const char *
dynamic_soname (const struct image *image)
{
  uint64_t size, at;
  const char *strings = dynamic_strings (image, &size);
  return strings != NULL && dynamic_find (image, DT_SONAME, &at) && at < size
             ? strings + at
             : NULL;
}
