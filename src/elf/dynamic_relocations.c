/* Dynamic relocations: the one walk over them, and the places they change.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/dynamic_relocations.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/radix.h"
#include "base/search.h"
#include "elf/dynamic.h"

/* In elf.h since glibc 2.36.  */
enum
{
  TAG_RELRSZ = 35,
  TAG_RELR = 36
};
/* Packed relocations of Android (bionic's linker/linker_common_types.h).  */
enum
{
  TAG_ANDROID_REL = 0x6000000f,
  TAG_ANDROID_RELA = 0x60000011
};

enum
{
  PLACE_SIZE = 8 /* bytes that a relocation changes at most */
};

/* ---- The walk */

struct relocation_walk
{
  const struct image *image;
  dynamic_relocation_visitor *visit;
  void *data;
  size_t next; /* index of the first segment that was not looked at yet */
  const GElf_Phdr *load; /* the last PT_LOAD in front of it, or NULL */
  struct dynamic_relocation latest;
};

/* The bytes at PLACE, or NULL when they are not in the file.  A table may have
   eight places for each of its bytes.  Most places ascend, as PT_LOADs do, so
   a search begins where the last one ended.  */
static const uint8_t *
place_bytes (struct relocation_walk *walk, uint64_t place)
{
  const struct image *image = walk->image;
  if (walk->load != NULL && place < walk->load->p_vaddr)
    {
      walk->load = NULL;
      walk->next = 0;
    }
  for (; walk->next < image->n_segments; walk->next++)
    {
      const GElf_Phdr *segment = &image->segments[walk->next];
      if (segment->p_type == PT_LOAD && segment->p_vaddr > place)
        break;
      if (segment->p_type == PT_LOAD)
        walk->load = segment;
    }
  const GElf_Phdr *load = walk->load;
  if (load == NULL || load->p_filesz < PLACE_SIZE
      || place - load->p_vaddr > load->p_filesz - PLACE_SIZE)
    return NULL;
  return image->bytes + load->p_offset + (place - load->p_vaddr);
}

/* INFO is the field r_info; 0, which has no type, for relative relocations.
   Inline: large programs have several relocations per function.  */
static inline __attribute__ ((always_inline)) void
visit (struct relocation_walk *walk, uint64_t place, uint64_t info,
       const uint8_t *addend)
{
  struct dynamic_relocation *latest = &walk->latest;
  uint32_t type = (uint32_t)ELF64_R_TYPE (info);
  if (type != latest->type)
    {
      latest->type = type;
      latest->is_tls = arch_relocation_is_tls (walk->image->arch, type);
    }
  if (addend == NULL)
    addend = place_bytes (walk, place);
  latest->place = place;
  latest->symbol = ELF64_R_SYM (info);
  latest->has_addend = addend != NULL;
  latest->addend
      = addend != NULL ? load_u64 (addend, walk->image->big_endian) : 0;
  walk->visit (walk->data, latest);
}

/* The table at the address in entry TAG with the size in entry SIZE_TAG: false
   if there is one and it cannot be read.  */
static bool
find_table (const struct image *image, int64_t tag, int64_t size_tag,
            const uint8_t **table, uint64_t *size)
{
  uint64_t address;
  *table = NULL;
  *size = 0;
  if (!dynamic_find (image, tag, &address))
    return true;
  if (!dynamic_find (image, size_tag, size))
    return false;
  *table = image_bytes_at (image, address, *size);
  return *table != NULL || *size == 0;
}

/* Entries with an addend, RELA, or without.  */
static bool
walk_table (struct relocation_walk *walk, int64_t tag, int64_t size_tag,
            bool rela)
{
  const uint8_t *table;
  uint64_t size, entry_size = rela ? sizeof (Elf64_Rela) : sizeof (Elf64_Rel);
  bool big_endian = walk->image->big_endian;
  if (!find_table (walk->image, tag, size_tag, &table, &size))
    return false;
  if (table == NULL)
    return true;
  for (uint64_t left = size; left >= entry_size; left -= entry_size)
    {
      visit (walk, load_u64 (table, big_endian),
             load_u64 (table + 8, big_endian), rela ? table + 16 : NULL);
      table += entry_size;
    }
  return true;
}

/* Relative relocations: an even word is the address of a place, an odd one
   says which of the 63 words behind the last place are places, too (gABI,
   "Relative relocation table").  Each is another word of the file; a table of
   more names some twice, or some that are in no file, and loads nowhere.  */
static bool
walk_relative (struct relocation_walk *walk)
{
  const uint8_t *table;
  uint64_t size, next = 0, left = walk->image->size / PLACE_SIZE;
  if (!find_table (walk->image, TAG_RELR, TAG_RELRSZ, &table, &size))
    return false;
  if (table == NULL)
    return true;
  for (uint64_t at = 0; size - at >= 8; at += 8)
    {
      uint64_t word = load_u64 (table + at, walk->image->big_endian);
      bool bitmap = word & 1;
      uint64_t places = bitmap ? word >> 1 : 1;
      next = bitmap ? next : word;
      for (; places != 0; places &= places - 1)
        {
          if (left-- == 0)
            return false;
          visit (walk, next + 8 * (uint64_t)__builtin_ctzll (places), 0, NULL);
        }
      next += bitmap ? 63 * 8 : 8;
    }
  return true;
}

bool
dynamic_relocations_walk (const struct image *image,
                          dynamic_relocation_visitor *visitor, void *data)
{
  struct relocation_walk walk
      = { .image = image, .visit = visitor, .data = data };
  uint64_t value;
  bool plt_rela = !dynamic_find (image, DT_PLTREL, &value) || value == DT_RELA;
  bool known = walk_table (&walk, DT_RELA, DT_RELASZ, true);
  known &= walk_table (&walk, DT_REL, DT_RELSZ, false);
  known &= walk_table (&walk, DT_JMPREL, DT_PLTRELSZ, plt_rela);
  known &= walk_relative (&walk);
  return known && !dynamic_find (image, TAG_ANDROID_REL, &value)
         && !dynamic_find (image, TAG_ANDROID_RELA, &value);
}

/* ---- Places */

/* A search for the places in a range.  */
struct place_search
{
  struct dynamic_places *places;
  uint64_t begin, end; /* addresses that are looked for */
  bool failed;         /* memory ran out */
};

static void
note_place (void *data, const struct dynamic_relocation *relocation)
{
  struct place_search *search = data;
  struct dynamic_places *places = search->places;
  uint64_t address = relocation->place;
  if (address < search->begin || address >= search->end || search->failed)
    return;
  search->failed
      = !ARRAY_ROOM (places->addresses, places->n + 1, &places->capacity);
  if (!search->failed)
    places->addresses[places->n++] = address;
}

static bool
may_be_changed (const struct image *image, uint64_t address)
{
  uint64_t value;
  if (dynamic_find (image, DT_TEXTREL, &value)
      || (dynamic_find (image, DT_FLAGS, &value) && value & DF_TEXTREL))
    return true;
  const GElf_Phdr *load = image_load_at (image, address);
  return load != NULL && (load->p_flags & PF_W);
}

bool
dynamic_places_find (struct dynamic_places *places, const struct image *image,
                     uint64_t address, uint64_t size, struct error *err)
{
  uint64_t before = address < PLACE_SIZE - 1 ? address : PLACE_SIZE - 1;
  struct place_search search
      = { .places = places, .begin = address - before, .end = address + size };
  *places = (struct dynamic_places){ 0 };
  if (!may_be_changed (image, address))
    return true;
  places->unknown = !dynamic_relocations_walk (image, note_place, &search);
  search.failed |= !RADIX_SORT (places->addresses, places->n);
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
  if (places->unknown)
    return true;
  size_t at = SEARCH_FIRST (places->n, i,
                            places->addresses[i] + PLACE_SIZE > address);
  return at < places->n && places->addresses[at] < address + size;
}
