/* What names sections by their address.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_DYNAMIC_ADDRESSES_H
#define PLACE_DYNAMIC_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>

#include "place/draft.h"

/* Patch the dynamic entries and symbols of the sections that draft->moved
   says have moved.  Offsets in the new file are found through the plan's
   extents, which must be complete for .dynamic and .symtab.  */
bool dynamic_addresses_patch (struct draft *draft);
bool dynamic_addresses_patch_symbols (struct draft *draft);

/* Whether a symbol that code may use has the address of section INDEX.  */
bool section_has_symbol (const struct image *image, size_t index);

#endif /* PLACE_DYNAMIC_ADDRESSES_H */
