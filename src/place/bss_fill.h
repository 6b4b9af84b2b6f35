/* A BSS with bytes in the file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_BSS_FILL_H
#define PLACE_BSS_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/draft.h"

/* How the end of the file shifts when the BSS gets bytes in it.  */
struct bss_fill
{
  size_t load;      /* index of the last segment, which has the BSS */
  uint64_t old_end; /* of the segment's bytes in the file */
  uint64_t new_end; /* with those of the BSS, up to the page's end */
  uint64_t shift;   /* of what follows the segment in the file */
};

/* Whether the BSS can have bytes in the file; false with draft->reason if
   not.  */
bool bss_fill_measure (const struct draft *draft, struct bss_fill *fill);

/* Let the segment end at file offset NEW_END.  */
void bss_fill_extend (struct bss_fill *fill, uint64_t new_end);

/* Give the BSS bytes in the file, and shift what follows there.  */
bool bss_fill_commit (struct draft *draft, const struct bss_fill *fill);

#endif /* PLACE_BSS_FILL_H */
