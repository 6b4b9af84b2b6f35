/* Planning: which strategy applies, in which order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/layout.h"

#include <stdlib.h>
#include <string.h>

#include "place/reference_search.h"
#include "place/refusals.h"
#include "place/strategy.h"
#include "place/strategy_loader.h"

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

#define STRATEGY_ADDRESS(name) &strategy_##name,
static const struct strategy *const strategies[]
    = { STRATEGIES (STRATEGY_ADDRESS) };

enum
{
  N_STRATEGIES = sizeof strategies / sizeof *strategies
};

static bool
is_called (const struct strategy *strategy, const char *name)
{
  return strcmp (name, strategy->name) == 0
         || (strategy->evicting != NULL
             && strcmp (name, strategy->evicting) == 0);
}

static bool
is_for (const struct strategy *strategy, const struct placing *placing)
{
  return strategy->files == ALL_FILES
         || (strategy->files == LOADERS) == placing->loader;
}

/* Try all strategies for such files, or the one with the name ONLY.  */
static int
placing_run (struct placing *placing, const char *only)
{
  char reason[sizeof placing->reason] = "no such strategy";
  int done = 0;
  for (size_t i = 0; i < N_STRATEGIES && done == 0; i++)
    {
      const struct strategy *strategy = strategies[i];
      if (!is_for (strategy, placing)
          || (only != NULL && !is_called (strategy, only)))
        continue;
      done = strategy->plan (placing);
      bool evicts = placing->n_evicted > 0 && strategy->evicting != NULL;
      if (done > 0)
        placing->plan->strategy = evicts ? strategy->evicting : strategy->name;
      if (strategy->explains || only != NULL)
        memcpy (reason, placing->reason, sizeof reason);
    }
  memcpy (placing->reason, reason, sizeof reason);
  return done;
}

static bool
placing_do (struct placing *placing, const char *only)
{
  const struct image *image = placing->image;
  int done = -1;
  placing->page = placing_page (image);
  placing->loader
      = layout_is_loader (image)
        || (placing->request->named_loader && layout_may_be_loader (image));
  if (placing_open (placing))
    done = placing_run (placing, only);
  if (done > 0 && !clear_replaced (placing))
    done = -1;
  placing_close (placing);
  if (done == 0)
    error_set (placing->err, CFI2SFRAME_REFUSED,
               "no room for program headers: %s", placing->reason);
  return done > 0;
}

static bool
plan_make (struct layout_plan *plan, const struct image *image,
           const struct layout_request *request, const char *only,
           struct error *err)
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
                const struct layout_request *request, const char *strategy,
                struct error *err)
{
  return plan_make (plan, image, request, strategy, err);
}
