/* The walk over all descriptions of a file's code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/walk.h"

#include "base/search.h"

enum
{
  /* FDEs that overlap each other are an accident or an attack.  All FDEs of a
     larger group are left out, and none of them is executed.  */
  GROUP_MAX = 16
};

bool
cfi_walk_begin (struct cfi_walk *walk, const struct cfi_source *source,
                struct error *err)
{
  *walk = (struct cfi_walk){ .source = source,
                             .fdes_end = source->cfi.n_fdes,
                             .machine = cfa_machine_new (&source->cfi) };
  return walk->machine != NULL || error_set_no_memory (err);
}

void
cfi_walk_end (struct cfi_walk *walk)
{
  cfa_machine_free (walk->machine);
  frame_function_free (&walk->function);
  frame_function_free (&walk->other);
  *walk = (struct cfi_walk){ 0 };
}

/* The index of the first function of LIST at ADDRESS or above.  */
static size_t
first_from (const struct frame_functions *list, uint64_t address)
{
  return SEARCH_FIRST (list->n_functions, i,
                       list->functions[i].address >= address);
}

void
cfi_walk_restrict (struct cfi_walk *walk, size_t fde, size_t end)
{
  const struct cfi_source *source = walk->source;
  uint64_t address = fde > 0 ? source->cfi.fdes[fde].address : 0;
  walk->fde = walk->group = walk->group_end = fde;
  walk->fdes_end = end;
  walk->disproof = 0;
  walk->stub = first_from (&source->stubs, address);
  walk->found = first_from (&source->found, address);
  walk->claimed_end = address;
}

/* Whether an FDE with the problem REASON claims its code.  */
static bool
reason_claims_code (enum frame_reason reason)
{
  return reason != REASON_EMPTY_RANGE && reason != REASON_NOT_EXECUTABLE
         && reason != REASON_RELOCATED && reason != REASON_FP_UNKNOWN;
}

/* Why FDE cannot be used, or REASON_NONE.  */
static enum frame_reason
problem_of (const struct cfi_walk *walk, const struct cfi_fde *fde)
{
  const struct cfi_source *source = walk->source;
  return source->problem (source->context, fde);
}

/* Set the walk's group to the FDEs that overlap the next one, directly or
   through others.  The next FDE claims its code.  */
static void
find_group (struct cfi_walk *walk)
{
  const struct cfi_section *cfi = &walk->source->cfi;
  const struct cfi_fde *fde = &cfi->fdes[walk->fde];
  const struct cfi_fde *fdes_end = &cfi->fdes[cfi->n_fdes];
  uint64_t end = fde->address + fde->size;
  for (fde++; fde < fdes_end && fde->address < end; fde++)
    if (fde->address + fde->size > end
        && reason_claims_code (problem_of (walk, fde)))
      end = fde->address + fde->size;
  walk->group = walk->fde;
  walk->group_end = (size_t)(fde - cfi->fdes);
}

/* Whether the code contradicts a row of FDE, the next one.  */
static bool
is_disproved (struct cfi_walk *walk, const struct cfi_fde *fde)
{
  const struct disproofs *disproofs = walk->source->disproofs;
  if (disproofs == NULL)
    return false;
  while (walk->disproof < disproofs->n
         && disproofs->list[walk->disproof].end <= fde->address)
    walk->disproof++;
  return walk->disproof < disproofs->n
         && disproofs->list[walk->disproof].start < fde->address + fde->size;
}

/* Fill in CODE for FDE, the next one.  */
static void
fill_code (struct cfi_walk *walk, const struct cfi_fde *fde,
           struct cfi_code *code)
{
  enum frame_reason reason = problem_of (walk, fde);
  /* All members are named.  If one were not, compilers would clear the
     structure first, by an instruction that is slow for so few bytes.  */
  *code = (struct cfi_code){ .kind = CODE_OF_FDE,
                             .fde = fde,
                             .address = fde->address,
                             .size = fde->size,
                             .is_code = reason_claims_code (reason),
                             .executed = false,
                             .group = 0,
                             .group_end = 0,
                             .claimed_end = 0,
                             .front_disputed = false,
                             .disproved = is_disproved (walk, fde),
                             .reason = reason,
                             .function = NULL,
                             .places = NULL,
                             .program = NULL,
                             .padding = 0,
                             .call_at_end = false };
  if (!code->is_code)
    return;
  if (walk->fde >= walk->group_end)
    find_group (walk);
  code->group = walk->group;
  code->group_end = walk->ignores_overlaps ? walk->group : walk->group_end;
  code->claimed_end = walk->claimed_end;
  bool in_stub = walk->fde == code->group && fde->address < walk->claimed_end;
  if (reason == REASON_NONE
      && (in_stub || code->group_end - code->group > GROUP_MAX))
    code->reason = REASON_OVERLAP;
  if (fde->address + fde->size > walk->claimed_end)
    walk->claimed_end = fde->address + fde->size;
}

/* The next function of LIST, from *INDEX on, whose code no FDE covers.  NULL
   if there is none in front of LIMIT.  */
static const struct frame_function *
next_unclaimed (const struct cfi_walk *walk,
                const struct frame_functions *list, size_t *index,
                uint64_t limit)
{
  for (; *index < list->n_functions && list->functions[*index].address < limit;
       ++*index)
    if (list->functions[*index].address >= walk->claimed_end)
      return &list->functions[*index];
  return NULL;
}

/* The address of the next FDE, or UINT64_MAX if there is none.  */
static uint64_t
next_fde_address (const struct cfi_walk *walk)
{
  const struct cfi_section *cfi = &walk->source->cfi;
  return walk->fde < cfi->n_fdes ? cfi->fdes[walk->fde].address : UINT64_MAX;
}

/* Set CODE to the next stub or found function in front of the next FDE.  */
static bool
next_without_fde (struct cfi_walk *walk, struct cfi_code *code)
{
  const uint64_t limit = next_fde_address (walk);
  const struct cfi_source *source = walk->source;
  const struct frame_function *stub
      = next_unclaimed (walk, &source->stubs, &walk->stub, limit);
  const struct frame_function *found
      = next_unclaimed (walk, &source->found, &walk->found,
                        stub != NULL ? stub->address : limit);
  const struct frame_function *next = found != NULL ? found : stub;
  if (next == NULL)
    return false;
  *(found != NULL ? &walk->found : &walk->stub) += 1;
  *code = (struct cfi_code){ .kind = found != NULL ? CODE_FOUND : CODE_OF_STUB,
                             .address = next->address,
                             .size = next->size,
                             .is_code = true,
                             .function = next };
  walk->claimed_end = next->address + next->size;
  return true;
}

bool
cfi_walk_next (struct cfi_walk *walk, struct cfi_code *code)
{
  const struct cfi_section *cfi = &walk->source->cfi;
  if (next_without_fde (walk, code))
    return true;
  if (walk->fde >= walk->fdes_end)
    return false;
  fill_code (walk, &cfi->fdes[walk->fde], code);
  walk->fde++;
  return true;
}

/* Execute FDE into FUNCTION.  *REASON becomes why it has no rows, if so.  */
static bool
execute (struct cfi_walk *walk, const struct cfi_fde *fde,
         struct frame_function *function, enum frame_reason *reason,
         struct error *err)
{
  if (!cfa_machine_run (walk->machine, fde, function, reason, err))
    return false;
  /* CFI without rules for FP does not mean that FP keeps its value.  */
  if (walk->source->cfi.inputs[fde->input].fp_unknown)
    for (size_t i = 0; i < function->n_rows; i++)
      {
        function->rows[i].fp = frame_rule_unsupported (REASON_FP_UNKNOWN);
        function->rows[i].number = 0;
      }
  return true;
}

/* Leave out the current function's rows that OTHER contradicts.  */
static bool
compare_overlapping (struct cfi_walk *walk, const struct cfi_fde *other,
                     struct error *err)
{
  enum frame_reason reason = problem_of (walk, other);
  if (!reason_claims_code (reason))
    return true;
  if (reason == REASON_NONE
      && !execute (walk, other, &walk->other, &reason, err))
    return false;
  if (reason != REASON_NONE)
    frame_function_reset (&walk->other); /* without rows it contradicts all */
  walk->other.address = other->address;
  walk->other.size
      = other->size < UINT32_MAX ? (uint32_t)other->size : UINT32_MAX;
  return frame_function_dispute (&walk->function, &walk->other)
         || error_set_no_memory (err);
}

/* Compare CODE with overlapping FDEs, and drop what came with earlier ones. */
static bool
resolve_overlaps (struct cfi_walk *walk, struct cfi_code *code,
                  struct error *err)
{
  const struct cfi_fde *fdes = walk->source->cfi.fdes;
  struct frame_function *function = &walk->function;
  for (size_t i = code->group; i < code->group_end; i++)
    if (&fdes[i] != code->fde && !compare_overlapping (walk, &fdes[i], err))
      return false;
  if (code->claimed_end <= code->address)
    return true;
  uint64_t front = code->claimed_end - code->address;
  if (front > code->size)
    front = code->size;
  code->front_disputed = frame_function_is_disputed (function, front);
  frame_function_drop_front (function, (uint32_t)front);
  code->address += front;
  code->size -= front;
  return true;
}

/* Whether the code contradicts the row at PC.  The search begins at *NEXT of
   DISPROOFS and advances it.  *END is lowered to where the answer changes.  */
static bool
is_disproved_at (const struct disproofs *disproofs, size_t *next, uint64_t pc,
                 uint64_t *end)
{
  while (*next < disproofs->n && disproofs->list[*next].end <= pc)
    ++*next;
  if (*next == disproofs->n)
    return false;
  bool disproved = disproofs->list[*next].start <= pc;
  uint64_t change
      = disproved ? disproofs->list[*next].end : disproofs->list[*next].start;
  if (change < *end)
    *end = change;
  return disproved;
}

/* Leave out the current function's rows that the code contradicts.  */
static bool
leave_out_disproved (struct cfi_walk *walk)
{
  struct frame_function *function = &walk->function, left = { .n_rows = 0 };
  size_t row = 0, next = walk->disproof;
  uint64_t offset, end;
  for (offset = 0; offset < function->size; offset = end)
    {
      end = function->size;
      const struct frame_row *own
          = frame_function_row_at (function, offset, &row, &end);
      end += function->address;
      bool disproved = is_disproved_at (walk->source->disproofs, &next,
                                        function->address + offset, &end);
      end -= function->address;
      if (own == NULL)
        continue;
      struct frame_row kept = *own;
      kept.start = (uint32_t)offset;
      if (disproved)
        frame_row_leave_out (&kept, REASON_CODE_DISAGREES);
      if (!frame_function_append (&left, &kept))
        break;
    }
  if (offset < function->size)
    frame_function_free (&left);
  else
    frame_function_take_rows (function, &left);
  return offset >= function->size;
}

/* The address of function INDEX of LIST, or UINT64_MAX if there is none.  */
static uint64_t
function_address (const struct frame_functions *list, size_t index)
{
  return index < list->n_functions ? list->functions[index].address
                                   : UINT64_MAX;
}

/* The address of the next code, or UINT64_MAX if there is none.  */
static uint64_t
next_address (const struct cfi_walk *walk)
{
  const struct cfi_source *source = walk->source;
  uint64_t stub = function_address (&source->stubs, walk->stub);
  uint64_t found = function_address (&source->found, walk->found);
  uint64_t next = next_fde_address (walk);
  next = stub < next ? stub : next;
  return found < next ? found : next;
}

uint32_t
cfi_walk_padding (const struct cfi_walk *walk, const struct cfi_code *code,
                  struct padding_finder *finder)
{
  uint64_t end = code->address + code->size, next = next_address (walk);
  /* A damaged entry may describe a function that begins with nops.  */
  if (code->size == 0 || end < walk->claimed_end || end >= next
      || code->size > UINT32_MAX - PADDING_MAX
      || walk->source->cfi.n_damaged > 0)
    return 0;
  return (uint32_t)padding_finder_behind (finder, end, next);
}

uint32_t
cfi_walk_padding_at_most (const struct cfi_walk *walk,
                          const struct cfi_code *code,
                          struct padding_finder *finder)
{
  uint64_t end = code->address + code->size, next = next_address (walk);
  uint32_t now = cfi_walk_padding (walk, code, finder);
  if (end < walk->claimed_end || end >= next)
    return now;
  uint32_t run = (uint32_t)padding_finder_run (finder, end, next);
  return run > now ? run : now;
}

bool
cfi_walk_rows (struct cfi_walk *walk, struct cfi_code *code, struct error *err)
{
  if (code->kind != CODE_OF_FDE || code->reason != REASON_NONE)
    return true;
  code->executed = true;
  if (!execute (walk, code->fde, &walk->function, &code->reason, err)
      || (code->reason == REASON_NONE && cfi_code_is_disputed (code)
          && !resolve_overlaps (walk, code, err)))
    return false;
  if (code->reason == REASON_NONE && code->disproved
      && !leave_out_disproved (walk))
    return error_set_no_memory (err);
  if (code->reason == REASON_NONE)
    code->function = &walk->function;
  return true;
}
