/* Strategy grow-down.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_GROW_DOWN_H
#define PLACE_GROW_DOWN_H

#include "place/draft.h"

/* .sframe and a longer program header table in front of a program at a fixed
   address.  */
enum attempt grow_down_try (struct draft *draft);

#endif /* PLACE_GROW_DOWN_H */
