/* The one walk over what is known of a file's code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/walk.h"

bool
cfi_walk_begin (struct cfi_walk *walk, const struct cfi_source *source,
                struct error *err)
{
  *walk = (struct cfi_walk){ .source = source,
                             .machine = cfa_machine_new (&source->cfi) };
  return walk->machine != NULL || error_set_no_memory (err);
}

void
cfi_walk_end (struct cfi_walk *walk)
{
  cfa_machine_free (walk->machine);
  frame_function_free (&walk->function);
}

/* Whether an FDE with such a problem tells where its code is.  */
static bool
reason_is_of_code (enum frame_reason reason)
{
  return reason != REASON_EMPTY_RANGE && reason != REASON_NOT_EXECUTABLE
         && reason != REASON_RELOCATED;
}

static struct cfi_code
judge_fde (struct cfi_walk *walk, const struct cfi_fde *fde)
{
  const struct cfi_source *source = walk->source;
  enum frame_reason reason = source->problem (source->context, fde);
  struct cfi_code code = { .fde = fde,
                           .address = fde->address,
                           .size = fde->size,
                           .is_code = reason_is_of_code (reason),
                           .reason = reason };
  if (!code.is_code)
    return code;
  if (reason == REASON_NONE && fde->address < walk->claimed_end)
    code.reason = REASON_OVERLAP;
  if (fde->address + fde->size > walk->claimed_end)
    walk->claimed_end = fde->address + fde->size;
  return code;
}

/* The next stub in front of LIMIT whose code nobody claims.  */
static bool
next_stub (struct cfi_walk *walk, uint64_t limit, struct cfi_code *code)
{
  const struct plt_list *plt = &walk->source->plt;
  while (walk->stub < plt->n_functions
         && plt->functions[walk->stub].address < limit)
    {
      const struct frame_function *stub = &plt->functions[walk->stub++];
      if (stub->address < walk->claimed_end)
        continue;
      *code = (struct cfi_code){ .address = stub->address,
                                 .size = stub->size,
                                 .is_code = true,
                                 .function = stub };
      walk->claimed_end = stub->address + stub->size;
      return true;
    }
  return false;
}

bool
cfi_walk_next (struct cfi_walk *walk, struct cfi_code *code)
{
  const struct cfi_section *cfi = &walk->source->cfi;
  bool more = walk->fde < cfi->n_fdes;
  if (next_stub (walk, more ? cfi->fdes[walk->fde].address : UINT64_MAX, code))
    return true;
  if (more)
    *code = judge_fde (walk, &cfi->fdes[walk->fde++]);
  return more;
}

bool
cfi_walk_rows (struct cfi_walk *walk, struct cfi_code *code, struct error *err)
{
  if (code->fde == NULL || code->reason != REASON_NONE)
    return true;
  err->status = CFI2SFRAME_OK;
  code->reason
      = cfa_machine_run (walk->machine, code->fde, &walk->function, err);
  if (err->status != CFI2SFRAME_OK)
    return false;
  if (code->reason == REASON_NONE)
    code->function = &walk->function;
  return true;
}
