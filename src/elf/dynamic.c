/* The dynamic section, and what relocations change when a file is loaded.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/dynamic.h"

#include <stdlib.h>

#include "base/bytes.h"

#ifndef DT_RELR
#  define DT_RELRSZ 35
#  define DT_RELR 36
#endif
/* Packed relocations of Android (bionic's linker/linker_common_types.h). */
#define DT_ANDROID_REL 0x6000000f
#define DT_ANDROID_RELA 0x60000011

enum
{
  PLACE_SIZE = 8 /* bytes that a relocation changes at most */
};

bool
dynamic_next (const struct image *image, uint64_t *at, int64_t *tag,
              uint64_t *value)
{
  const GElf_Phdr *dynamic = image_find_segment (image, PT_DYNAMIC);
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
dynamic_find (const struct image *image, int64_t tag, uint64_t *value)
{
  uint64_t at = 0;
  int64_t found;
  while (dynamic_next (image, &at, &found, value))
    if (found == tag)
      return true;
  return false;
}

bool
dynamic_holds (const struct image *image, int64_t tag, uint64_t value)
{
  uint64_t at = 0, held;
  int64_t found;
  while (dynamic_next (image, &at, &found, &held))
    if (found == tag && held == value)
      return true;
  return false;
}

/* Places.  */

/* One search.  */
struct search
{
  const struct image *image;
  struct dynamic_places *places;
  uint64_t begin, end; /* addresses that are looked for */
  bool failed;         /* memory ran out */
};

static void
note_place (struct search *search, uint64_t address)
{
  struct dynamic_places *places = search->places;
  if (address < search->begin || address >= search->end || search->failed)
    return;
  if (places->n == places->capacity)
    {
      size_t capacity = 2 * places->capacity + 64;
      uint64_t *grown
          = reallocarray (places->addresses, capacity, sizeof *grown);
      if (grown == NULL)
        {
          search->failed = true;
          return;
        }
      places->addresses = grown;
      places->capacity = capacity;
    }
  places->addresses[places->n++] = address;
}

/* The bytes of the table at the address in entry TAG with the size in entry
   SIZE_TAG, or NULL.  */
static const uint8_t *
find_table (const struct image *image, int64_t tag, int64_t size_tag,
            uint64_t *size)
{
  uint64_t address;
  if (!dynamic_find (image, tag, &address)
      || !dynamic_find (image, size_tag, size))
    return NULL;
  return image_bytes_at (image, address, *size);
}

/* Entries of ENTRY_SIZE bytes that begin with the place.  */
static void
search_table (struct search *search, int64_t tag, int64_t size_tag,
              uint64_t entry_size)
{
  uint64_t size;
  const uint8_t *table = find_table (search->image, tag, size_tag, &size);
  for (uint64_t at = 0; table != NULL && size - at >= entry_size;
       at += entry_size)
    note_place (search, load_u64 (table + at, search->image->big_endian));
}

/* Relative relocations: an even word is the address of a place, an odd one
   says which of the 63 words behind the last place are places, too.  */
static void
search_relative (struct search *search)
{
  uint64_t size, next = 0;
  const uint8_t *table = find_table (search->image, DT_RELR, DT_RELRSZ, &size);
  for (uint64_t at = 0; table != NULL && size - at >= 8; at += 8)
    {
      uint64_t word = load_u64 (table + at, search->image->big_endian);
      if ((word & 1) == 0)
        {
          note_place (search, word);
          next = word + 8;
          continue;
        }
      for (unsigned i = 0; i < 63; i++)
        if (word >> (i + 1) & 1)
          note_place (search, next + 8 * (uint64_t)i);
      next += 63 * 8;
    }
}

static bool
may_be_changed (const struct image *image, uint64_t address)
{
  uint64_t value;
  if (dynamic_find (image, DT_TEXTREL, &value)
      || (dynamic_find (image, DT_FLAGS, &value) && value & DF_TEXTREL))
    return true;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type == PT_LOAD && address >= load->p_vaddr
          && address - load->p_vaddr < load->p_memsz)
        return load->p_flags & PF_W;
    }
  return false;
}

static int
compare_addresses (const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

bool
dynamic_places_find (struct dynamic_places *places, const struct image *image,
                     uint64_t address, uint64_t size, struct error *err)
{
  uint64_t before = address < PLACE_SIZE - 1 ? address : PLACE_SIZE - 1;
  struct search search = { .image = image,
                           .places = places,
                           .begin = address - before,
                           .end = address + size };
  uint64_t value;
  *places = (struct dynamic_places){ 0 };
  if (!may_be_changed (image, address))
    return true;
  bool plt_rela = dynamic_find (image, DT_PLTREL, &value) && value == DT_RELA;
  search_table (&search, DT_RELA, DT_RELASZ, sizeof (Elf64_Rela));
  search_table (&search, DT_REL, DT_RELSZ, sizeof (Elf64_Rel));
  search_table (&search, DT_JMPREL, DT_PLTRELSZ,
                plt_rela ? sizeof (Elf64_Rela) : sizeof (Elf64_Rel));
  search_relative (&search);
  places->unknown = dynamic_find (image, DT_ANDROID_REL, &value)
                    || dynamic_find (image, DT_ANDROID_RELA, &value);
  if (places->n > 1)
    qsort (places->addresses, places->n, sizeof *places->addresses,
           compare_addresses);
  return !search.failed || error_set_no_memory (err);
}

void
dynamic_places_free (struct dynamic_places *places)
{
  free (places->addresses);
  *places = (struct dynamic_places){ 0 };
}

bool
dynamic_places_touch (const struct dynamic_places *places, uint64_t address,
                      uint64_t size)
{
  size_t low = 0, high = places->n;
  if (places->unknown)
    return true;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (places->addresses[middle] + PLACE_SIZE <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low < places->n && places->addresses[low] < address + size;
}
