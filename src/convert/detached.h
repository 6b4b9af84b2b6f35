/* SFrame data for a file that is loaded already.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_DETACHED_H
#define CONVERT_DETACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi2sframe.h"

/* Make SFrame data of version 3 from the SIZE bytes of a linked ELF file,
   which may have no section headers.  Nothing is to be put into the file, so
   there needs to be no place for it.  *SECTION is to be freed by the caller,
   *ADDRESS is what it counts its addresses from.  */
bool detached_build (const void *elf, size_t size, bool analyze,
                     void **section, size_t *section_size, uint64_t *address,
                     struct error *err);

#endif /* CONVERT_DETACHED_H */
