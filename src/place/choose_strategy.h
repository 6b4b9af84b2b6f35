/* Where .sframe goes in a linked file: a plan, computed without input or
   output.
   SPDX-License-Identifier: LGPL-2.1-or-later

   doc/formats/injection describes all strategies.  */

#ifndef PLACE_CHOOSE_STRATEGY_H
#define PLACE_CHOOSE_STRATEGY_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Plan the injection into IMAGE (ET_EXEC or ET_DYN).  The plan is freed with
   plan_free also after failure.  Status CFI2SFRAME_REFUSED with the
   reason when no strategy applies.  */
bool choose_strategy (struct plan *plan, const struct image *image,
                      const struct plan_request *request, struct error *err);

#endif /* PLACE_CHOOSE_STRATEGY_H */
