/* Deciding where .sframe goes in a linked file.  The result is a plan; no file
   is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later

   doc/formats/injection describes the strategies, layout.h the words of this
   folder.  */

#ifndef PLACE_CHOOSE_STRATEGY_H
#define PLACE_CHOOSE_STRATEGY_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "place/plan.h"

/* Plan how .sframe gets into IMAGE (ET_EXEC or ET_DYN).  The caller frees PLAN
   with plan_free, also after failure.  False with status CFI2SFRAME_REFUSED
   and the reason when no strategy applies.  */
bool choose_strategy (struct plan *plan, const struct image *image,
                      const struct plan_request *request, struct error *err);

#endif /* PLACE_CHOOSE_STRATEGY_H */
