/* Planning: which strategy applies, in which order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/layout.h"

#include <stdlib.h>
#include <string.h>

#include "place/placing.h"

/* Zero the bytes of the old .sframe, to which nothing refers any more, where
   the new one does not cover them.  Without its section header the size of the
   old one is not known; then its bytes stay.  */
static bool
clear_replaced (struct placing *placing)
{
  const struct layout_replaced *replaced = placing->request->replaced;
  uint64_t offset;
  return replaced == NULL || replaced->section == 0
         || !plan_find (placing->plan, replaced->offset, replaced->size,
                        &offset)
         || plan_clear (placing->plan, offset, replaced->size, placing->err);
}

/* Which files a strategy is tried for.  */
enum files
{
  ALL_FILES,
  LOADERS, /* dynamic loaders */
  OTHERS   /* other files */
};

/* The strategies in the order in which they are tried (doc/formats/injection).
 */
static const struct
{
  enum layout_strategy strategy;
  enum files files;
  int (*plan) (struct placing *placing);
} strategies[] = {
  { LAYOUT_REUSE, ALL_FILES, strategy_try_reuse },
  { LAYOUT_SLACK, ALL_FILES, strategy_try_slack },
  { LAYOUT_EVICT, LOADERS, strategy_try_loader }, /* or LAYOUT_SPARE_SLOT */
  { LAYOUT_EVICT, OTHERS, strategy_try_append },  /* likewise */
  { LAYOUT_GROW_DOWN, OTHERS, strategy_try_grow_down },
  { LAYOUT_GROW_DATA, OTHERS, strategy_try_grow_data },
};

enum
{
  N_STRATEGIES = sizeof strategies / sizeof *strategies
};

static bool
is_tried (const struct placing *placing, enum files files)
{
  return files == ALL_FILES || (files == LOADERS) == placing->loader;
}

/* Try all strategies.  The reason given for none is LAYOUT_EVICT's, the most
   general one.  */
static int
placing_run (struct placing *placing)
{
  char reason[sizeof placing->reason] = "";
  int done = 0;
  for (size_t i = 0; i < N_STRATEGIES && done == 0; i++)
    {
      if (!is_tried (placing, strategies[i].files))
        continue;
      done = strategies[i].plan (placing);
      if (strategies[i].strategy == LAYOUT_EVICT)
        memcpy (reason, placing->reason, sizeof reason);
    }
  memcpy (placing->reason, reason, sizeof reason);
  return done;
}

/* Try STRATEGY alone, whichever files it is for otherwise.  LAYOUT_EVICT has a
   variant for loaders.  */
static int
placing_run_one (struct placing *placing, enum layout_strategy strategy)
{
  if (strategy == LAYOUT_SPARE_SLOT)
    strategy = LAYOUT_EVICT;
  for (size_t i = 0; i < N_STRATEGIES; i++)
    if (strategies[i].strategy == strategy
        && (strategy != LAYOUT_EVICT
            || is_tried (placing, strategies[i].files)))
      return strategies[i].plan (placing);
  return placing_impossible (placing, "no such strategy");
}

static bool
placing_do (struct placing *placing, const enum layout_strategy *only)
{
  const struct image *image = placing->image;
  int done = -1;
  placing->page = placing_page (image);
  placing->loader
      = layout_is_loader (image)
        || (placing->request->named_loader && layout_may_be_loader (image));
  if (placing_open (placing))
    done = only ? placing_run_one (placing, *only) : placing_run (placing);
  if (done > 0 && !clear_replaced (placing))
    done = -1;
  placing_close (placing);
  if (done == 0)
    error_set (placing->err, CFI2SFRAME_REFUSED, "%s", placing->reason);
  return done > 0;
}

static bool
plan_make (struct layout_plan *plan, const struct image *image,
           const struct layout_request *request,
           const enum layout_strategy *only, struct error *err)
{
  *plan = (struct layout_plan){ .sframe_size = request->sframe_size };
  if (!layout_classify (image, err))
    return false;
  /* More would not fit the format's 32-bit offsets anyway.  */
  if (request->sframe_size == 0 || request->sframe_size > UINT32_MAX)
    return error_set (err, CFI2SFRAME_INVALID, "impossible size of .sframe");
  struct placing placing
      = { .image = image, .request = request, .plan = plan, .err = err };
  if (request->search != NULL)
    reference_search_take (request->search, &placing.references);
  return placing_do (&placing, only);
}

bool
layout_plan_injection (struct layout_plan *plan, const struct image *image,
                       const struct layout_request *request, struct error *err)
{
  return plan_make (plan, image, request, NULL, err);
}

bool
layout_plan_by (struct layout_plan *plan, const struct image *image,
                const struct layout_request *request,
                enum layout_strategy strategy, struct error *err)
{
  return plan_make (plan, image, request, &strategy, err);
}
