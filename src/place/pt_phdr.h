/* PT_PHDR, where it says nothing new.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_PT_PHDR_H
#define PLACE_PT_PHDR_H

#include <stdbool.h>

#include "place/draft.h"

/* Whether some reader needs PT_PHDR, if there is one.  */
bool pt_phdr_is_needed (const struct draft *draft);

#endif /* PLACE_PT_PHDR_H */
