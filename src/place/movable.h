/* Which sections may move: those of which only headers and dynamic entries
   have the address.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_MOVABLE_H
#define PLACE_MOVABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/draft.h"

/* Whether the section has notes alone that programs do not reach by address.
   If readers of cores look for one of them, *FOR_CORES is set.  */
bool section_has_plain_notes (const struct image *image,
                              const GElf_Shdr *header, bool *for_cores);

/* Whether only headers, PT_NOTE and .dynamic say where section INDEX is, as
   far as its kind and its symbols tell.  If readers of cores look for what is
   in that section, *FOR_CORES is set.  */
bool section_is_evictable (const struct draft *draft, size_t index,
                           bool *for_cores);

/* Code may have the addresses of section HEADER up to this one.  Of a table of
   the dynamic linker that is the first byte alone: these tables are so large
   that other values point into them by chance.  */
uint64_t section_known_end (const GElf_Shdr *header);

/* Whether draft->references has an address in section INDEX.  */
bool section_is_referenced (const struct draft *draft, size_t index);

/* Whether section INDEX may move on its own.  */
bool section_may_move (const struct draft *draft, size_t index);

#endif /* PLACE_MOVABLE_H */
