/* The dynamic section, the sections that are PLTs, and dynamic relocations.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/dynamic.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/radix.h"
#include "base/search.h"

enum
{
  /* In elf.h since glibc 2.36.  */
  TAG_RELRSZ = 35,
  TAG_RELR = 36,
  /* Packed relocations of Android (bionic's linker/linker_common_types.h).  */
  TAG_ANDROID_REL = 0x6000000f,
  TAG_ANDROID_RELA = 0x60000011,
  PLACE_SIZE = 8 /* the most bytes that a relocation changes */
};

/* ---- The dynamic section */

/* Read the entry at *AT of the segment DYNAMIC, which may be NULL.  */
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

/* The loop looks for the segment only once, because a file can have 60,000
   entries and 1,000 program headers.  */
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

/* ---- PLTs */

/* GNU ld makes the first three, and made .plt.bnd in releases 2.26 to 2.28.
   lld makes .iplt, for functions that are chosen at run time.  */
static const char *const plt_names[PLT_SECTIONS_MAX]
    = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };

void
plt_sections_find (struct plt_sections *plt, const struct image *image)
{
  plt->n = 0;
  for (size_t i = 0; i < PLT_SECTIONS_MAX; i++)
    {
      const struct image_section *section
          = image_find_section (image, plt_names[i]);
      if (section != NULL)
        plt->list[plt->n++] = section;
    }
}

const struct image_section *
plt_sections_at (const struct plt_sections *plt, uint64_t address)
{
  for (size_t i = 0; i < plt->n; i++)
    if (address - plt->list[i]->header.sh_addr < plt->list[i]->header.sh_size)
      return plt->list[i];
  return NULL;
}

/* ---- The walk over relocations */

struct relocation_walk
{
  const struct image *image;
  dynamic_relocation_visitor *visit;
  void *data;
  size_t next;           /* index from which the search continues */
  const GElf_Phdr *load; /* the last PT_LOAD before `next', or NULL */
  struct dynamic_relocation latest;
};

/* Return the bytes at PLACE, or NULL when they are not in the file.  A table
   may have eight places per byte.  Most places ascend, as PT_LOADs do, so the
   search continues from the last one.  */
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

/* Call the visitor for a relocation.  INFO is the field r_info; relative
   relocations, which have no type, pass 0.  This is inline because large
   programs have several relocations per function.  */
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

/* Find the table whose address and size are in the entries TAG and SIZE_TAG.
   Returns false if there is such a table, but it cannot be read.  */
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

/* Visit the relocations of a table, with addends in its entries if RELA.  */
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

/* Visit relative relocations.  An even word is the address of a place.  The
   bits of an odd word stand for the 63 words after the last place (gABI,
   "Relative relocation table").  Each place is a different word of the file.
   A table with more places than the file has words names some twice, or some
   outside of the file, and no loader accepts it.  */
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

/* ---- Places that relocations change */

/* A search for the places in a range of addresses.  */
struct place_search
{
  struct dynamic_places *places;
  uint64_t begin, end; /* the range */
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

bool
dynamic_places_find (struct dynamic_places *places, const struct image *image,
                     uint64_t address, uint64_t size, struct error *err)
{
  uint64_t before = address < PLACE_SIZE - 1 ? address : PLACE_SIZE - 1;
  struct place_search search
      = { .places = places, .begin = address - before, .end = address + size };
  *places = (struct dynamic_places){ 0 };
  const GElf_Phdr *load = image_load_at (image, address);
  uint64_t value;
  bool writable
      = (load != NULL && (load->p_flags & PF_W))
        || dynamic_find (image, DT_TEXTREL, &value)
        || (dynamic_find (image, DT_FLAGS, &value) && value & DF_TEXTREL);
  if (!writable)
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
