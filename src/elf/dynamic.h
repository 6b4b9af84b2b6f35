/* The dynamic section, and what relocations change when a file is loaded.
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

/* Addresses that dynamic relocations change.  */
struct dynamic_places
{
  uint64_t *addresses; /* owned; ascending; 8 bytes each, or less */
  size_t n, capacity;
  bool unknown; /* there are relocations in a form that was not read */
};

/* Find those of the SIZE bytes at ADDRESS, at 7 bytes below them too.  Places
   are looked for only where the dynamic linker may write: in writable
   segments, or in all if the file says that it has text relocations.  False
   when memory ran out.  */
bool dynamic_places_find (struct dynamic_places *places,
                          const struct image *image, uint64_t address,
                          uint64_t size, struct error *err);
void dynamic_places_free (struct dynamic_places *places);

/* Whether one of the SIZE bytes at ADDRESS may be changed.  */
bool dynamic_places_touch (const struct dynamic_places *places,
                           uint64_t address, uint64_t size);

#endif /* ELF_DYNAMIC_H */
