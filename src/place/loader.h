/* Dynamic loaders.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_LOADER_H
#define PLACE_LOADER_H

#include <stdbool.h>

#include "elf/image.h"

/* Whether IMAGE is a dynamic loader (ld.so, musl's libc.so).  */
bool loader_is (const struct image *image);

/* Whether the last part of PATH is the name of a dynamic loader.  Some are
   static PIEs (gcompat, nix-ld), which only the name gives away.  */
bool loader_is_name (const char *path);

/* Whether IMAGE has what every loader has: ET_DYN, an entry, no PT_INTERP.
   Other programs have that, too, so loader_is asks for more.  Where the file's
   name is a loader's, this is enough.  */
bool loader_may_be (const struct image *image);

#endif /* PLACE_LOADER_H */
