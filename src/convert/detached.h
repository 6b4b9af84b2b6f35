/* A detached section: SFrame data that are not put into the file they
   describe, because it is loaded already or must stay as it is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_DETACHED_H
#define CONVERT_DETACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi2sframe.h"
#include "elf/image.h"

/* For SFrame data that no other reader than walks of this project sees.  */
void detached_options_init (struct cfi2sframe_options *options);

/* Whether IMAGE is a program or library of a machine that has SFrame.  */
bool detached_check (const struct image *image, struct error *err);

/* The address behind all that IMAGE loads.  */
uint64_t detached_address (const struct image *image);

/* Make SFrame data of version 3 from the SIZE bytes of a linked ELF file,
   which may have no section headers.  *SECTION is to be freed by the caller,
   *ADDRESS is what it counts its addresses from.  */
bool detached_build (const void *elf, size_t size, bool analyze,
                     void **section, size_t *section_size, uint64_t *address,
                     struct error *err);

#endif /* CONVERT_DETACHED_H */
