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

/* The first read-only segment behind INDEX that may grow; n_segments: none.
   Begin with INDEX 0.  With EXECUTABLE, one of code.  */
size_t slack_next (const struct draft *draft, size_t index, bool executable);

#endif /* PLACE_SLACK_H */
