/* The dynamic section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   System V gABI, "Dynamic Section".  */

#ifndef ELF_DYNAMIC_H
#define ELF_DYNAMIC_H

#include <stdbool.h>
#include <stdint.h>

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

#endif /* ELF_DYNAMIC_H */
