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

/* The next entry of the dynamic section, starting with *AT == 0.  False at
   the end.  */
bool dynamic_next (const struct image *image, uint64_t *at, int64_t *tag,
                   uint64_t *value);

/* Whether an entry TAG holds VALUE.  */
bool dynamic_holds (const struct image *image, int64_t tag, uint64_t value);

/* The value of the first entry TAG.  */
bool dynamic_find (const struct image *image, int64_t tag, uint64_t *value);

/* The dynamic string table, of *SIZE bytes with a zero at the end; or
   NULL.  */
const char *dynamic_strings (const struct image *image, uint64_t *size);

/* DT_SONAME, the name by which other files depend on the library, or NULL.  */
const char *dynamic_soname (const struct image *image);

/* ---- The sections that are procedure linkage tables, by name */

enum
{
  PLT_SECTIONS_MAX = 5
};

struct plt_sections
{
  const struct image_section *list[PLT_SECTIONS_MAX]; /* of the image */
  size_t n;
};

/* Find the PLT sections of IMAGE.  */
void plt_sections_find (struct plt_sections *plt, const struct image *image);

/* The PLT section that holds ADDRESS, or NULL.  */
const struct image_section *plt_sections_at (const struct plt_sections *plt,
                                             uint64_t address);

/* ---- Dynamic relocations */

struct dynamic_relocation
{
  uint64_t place;  /* an address */
  uint32_t type;   /* of the psABI; 0: relative, of a table of those only */
  uint64_t symbol; /* index; 0: the addend is what gets relocated */
  uint64_t addend; /* of the entry, or else what is in the place */
  bool has_addend; /* false: the place is not in the file */
  bool is_tls; /* the addend is not an address, see struct arch_relocations */
};

typedef void
dynamic_relocation_visitor (void *data,
                            const struct dynamic_relocation *relocation);

/* Show VISITOR all dynamic relocations: with and without addends, those of the
   PLT, and relative ones.  False when there are other kinds, or a table that
   cannot be read.  */
bool dynamic_relocations_walk (const struct image *image,
                               dynamic_relocation_visitor *visitor,
                               void *data);

/* Addresses that dynamic relocations change.  */
struct dynamic_places
{
  uint64_t *addresses; /* owned; ascending; 8 bytes each, or less */
  size_t n, capacity;
  bool unknown; /* some relocations are in a form that was not read */
};

/* Find the places that relocations change in the SIZE bytes at ADDRESS, and in
   the 7 bytes below.  Places are looked for only where the dynamic linker may
   write: in writable segments, or in all if the file says that it has text
   relocations.  False when memory ran out.  */
bool dynamic_places_find (struct dynamic_places *places,
                          const struct image *image, uint64_t address,
                          uint64_t size, struct error *err);
void dynamic_places_free (struct dynamic_places *places);

/* Whether a relocation may change one of the SIZE bytes at ADDRESS.  */
bool dynamic_places_touch (const struct dynamic_places *places,
                           uint64_t address, uint64_t size);

#endif /* ELF_DYNAMIC_H */
