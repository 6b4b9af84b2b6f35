/* Dynamic relocations: the one walk over them, and the places they change.
   SPDX-License-Identifier: LGPL-2.1-or-later

   System V gABI, "Relocation".  */

#ifndef ELF_DYNAMIC_RELOCATIONS_H
#define ELF_DYNAMIC_RELOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

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

#endif /* ELF_DYNAMIC_RELOCATIONS_H */
