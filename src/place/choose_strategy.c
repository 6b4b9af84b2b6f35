/* Planning: which strategy applies, in which order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/choose_strategy.h"

#include <stdlib.h>
#include <string.h>

#include "place/loader.h"
#include "place/refusals.h"
#include "place/strategy.h"

/* Zero the bytes of the old .sframe, to which nothing refers any more, where
   the new one does not cover them.  Without its section header the size of the
   old one is not known; then its bytes stay.  */
static bool
clear_replaced (struct draft *draft)
{
  const struct sframe_place *replaced = draft->request->replaced;
  uint64_t offset;
  return replaced == NULL || replaced->section == 0
         || !plan_find (draft->plan, replaced->offset, replaced->size, &offset)
         || plan_clear (draft->plan, offset, replaced->size, draft->err);
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
is_for (const struct strategy *strategy, const struct draft *draft)
{
  return strategy->files == ALL_FILES
         || (strategy->files == LOADERS) == draft->loader;
}

/* Try all strategies that are for the file, or the one that is asked for.  */
static enum attempt
try_strategies (struct draft *draft)
{
  const char *only = draft->request->strategy;
  char reason[REASON_SIZE] = "no strategy of that name is for the file";
  enum attempt done = DOES_NOT_APPLY;
  for (size_t i = 0; i < N_STRATEGIES && done == DOES_NOT_APPLY; i++)
    {
      const struct strategy *strategy = strategies[i];
      if (!is_for (strategy, draft)
          || (only != NULL && !is_called (strategy, only)))
        continue;
      done = strategy->plan (draft);
      bool evicts = draft->n_evicted > 0 && strategy->evicting != NULL;
      if (done == PLANNED)
        draft->plan->strategy = evicts ? strategy->evicting : strategy->name;
      if (strategy->explains || only != NULL)
        memcpy (reason, draft->reason, sizeof reason);
    }
  memcpy (draft->reason, reason, sizeof reason);
  return done;
}

static bool
draft_make (struct draft *draft)
{
  const struct image *image = draft->image;
  enum attempt done = FAILED;
  draft->page = image_page (image);
  draft->loader = loader_is (image)
                  || (draft->request->named_loader && loader_may_be (image));
  if (draft_open (draft))
    done = try_strategies (draft);
  if (done == PLANNED && !clear_replaced (draft))
    done = FAILED;
  draft_close (draft);
  if (done == DOES_NOT_APPLY)
    error_set_word (draft->err, CFI2SFRAME_REFUSED, WORD_NO_ROOM,
                    "no room for program headers: %s", draft->reason);
  return done == PLANNED;
}

bool
choose_strategy (struct plan *plan, const struct image *image,
                 const struct plan_request *request, struct error *err)
{
  *plan = (struct plan){ .sframe_size = request->sframe_size };
  if (!refusals_check (image, err))
    return false;
  /* More would not fit the format's 32-bit offsets anyway.  */
  if (request->sframe_size == 0 || request->sframe_size > UINT32_MAX)
    return error_set (err, CFI2SFRAME_INVALID, "impossible size of .sframe");
  char reason[REASON_SIZE] = "";
  struct draft draft = { .image = image,
                         .request = request,
                         .plan = plan,
                         .err = err,
                         .reason = reason };
  if (request->references != NULL)
    draft.references = *request->references;
  return draft_make (&draft);
}
