/* The dynamic section, the sections that are PLTs, and dynamic relocations.
   SPDX-License-Identifier: LGPL-2.1-or-later

   System V gABI, "Dynamic Section" and "Relocation".  */

#ifndef ELF_DYNAMIC_H
#define ELF_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

/* DF_1_PIE, in elf.h since glibc 2.26.  */
#define FLAG_1_PIE 0x08000000

/* Read the next entry of the dynamic section; *AT is 0 at first.  Returns
   false at the end.  */
bool dynamic_next (const struct image *image, uint64_t *at, int64_t *tag,
                   uint64_t *value);

/* Return whether an entry with TAG has VALUE.  */
bool dynamic_holds (const struct image *image, int64_t tag, uint64_t value);

/* Set *VALUE to that of the first entry with TAG; false if there is none.  */
bool dynamic_find (const struct image *image, int64_t tag, uint64_t *value);

/* Return the dynamic string table, of *SIZE bytes that end in 0, or NULL.  */
const char *dynamic_strings (const struct image *image, uint64_t *size);

/* Return DT_SONAME, by which other files depend on the library, or NULL.  */
const char *dynamic_soname (const struct image *image);

/* ---- Sections that are procedure linkage tables, by their names */

enum
{
  PLT_SECTIONS_MAX = 5
};

struct plt_sections
{
  const struct image_section *list[PLT_SECTIONS_MAX]; /* of the image */
  size_t n;
};

void plt_sections_find (struct plt_sections *plt, const struct image *image);

/* Return the PLT section that contains ADDRESS, or NULL.  */
const struct image_section *plt_sections_at (const struct plt_sections *plt,
                                             uint64_t address);

/* ---- Dynamic relocations */

struct dynamic_relocation
{
  uint64_t place;  /* an address */
  uint32_t type;   /* of the psABI; 0: relative, from a DT_RELR table */
  uint64_t symbol; /* index; 0: the addend alone is relocated */
  uint64_t addend; /* of the entry, or else the contents of the place */
  bool has_addend; /* false: the place is not in the file */
  bool is_tls;     /* the addend is not an address (struct arch_relocations) */
};

typedef void
dynamic_relocation_visitor (void *data,
                            const struct dynamic_relocation *relocation);

/* Call VISITOR for all dynamic relocations: with and without addends, those of
   the PLT, and relative ones.  Returns false when there are other kinds, or
   when a table cannot be read.  */
bool dynamic_relocations_walk (const struct image *image,
                               dynamic_relocation_visitor *visitor,
                               void *data);

/* The addresses that dynamic relocations change.  */
struct dynamic_places
{
  uint64_t *addresses; /* owned; ascending; of 8 bytes each, or fewer */
  size_t n, capacity;
  bool unknown; /* some relocations could not be read */
};

/* Find the places that relocations change in the SIZE bytes at ADDRESS and in
   the 7 bytes before them.  Only places to which the dynamic linker may write
   are searched: writable segments, or all segments if the file says that it
   has text relocations.  Returns false when memory ran out.  */
bool dynamic_places_find (struct dynamic_places *places,
                          const struct image *image, uint64_t address,
                          uint64_t size, struct error *err);
void dynamic_places_free (struct dynamic_places *places);

/* Return whether a relocation may change one of the SIZE bytes at ADDRESS.  */
bool dynamic_places_touch (const struct dynamic_places *places,
                           uint64_t address, uint64_t size);

#endif /* ELF_DYNAMIC_H */
