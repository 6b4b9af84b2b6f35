/* Padding behind segments.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_SLACK_H
#define PLACE_SLACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place/draft.h"

/* Whether the bytes of the file up to END, behind the segment INDEX, are free,
   and so are the addresses that they would have.  */
bool slack_reaches (const struct draft *draft, size_t index, uint64_t end);

/* Set *INDEX to the next read-only segment that may grow, those of code last,
   because data does not belong among code.  False when there is no other.
   *AT, 0 at first, tells where to go on.  */
bool slack_next (const struct draft *draft, size_t *at, size_t *index);

#endif /* PLACE_SLACK_H */
