/* Covered code: looking up FDEs, and finding those with a wrong first row.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/covered_code.h"

#include <stdlib.h>

#include "base/search.h"
#include "elf/symbols.h"

enum
{
  SIGNING_STEPS = 4 /* instructions up to the signing of the return address */
};

/* Whether ROW, a function's first one, describes the frame of a call.  */
static bool
is_row_of_call (const struct frame_row *row, const struct arch *arch)
{
  return row->start == 0 && row->cfa.kind == RULE_REG
         && row->cfa.reg == arch->sp
         && row->cfa.offset == -arch->fixed_ra_offset
         && row->ra.kind
                == (arch_tracks_ra (arch) ? RULE_SAME : RULE_DEREF_CFA)
         && !row->ra_signed;
}

/* Whether the code at ADDRESS begins by signing the return address, whatever
   its CFI says there: PACIASP, perhaps behind BTI and NOP.  */
static bool
begins_with_signing (const struct image_facts *facts, uint64_t address)
{
  struct insn insn;
  for (int i = 0; i < SIGNING_STEPS && facts_insn (facts, address, &insn);
       i++, address += insn.size)
    {
      if (insn.flow != FLOW_NEXT || insn.writes != 0
          || (insn.op != OP_NONE && insn.op != OP_SIGN))
        return false;
      if (insn.op == OP_SIGN)
        return true;
    }
  return false;
}

/* Whether a function starts at the FDE of FUNCTION.  */
static bool
starts_function (const struct frame_function *function,
                 const struct image_facts *facts)
{
  const struct arch *arch = facts->image->arch;
  struct insn_step step;
  if (function->n_rows == 0 || function->from_plt || function->signal
      || !facts_step (facts, function->address, &step))
    return false;
  /* Parts have a row for a leading NOP alone, because a landing pad cannot be
     at the very beginning of an FDE.  */
  bool leads_with_nop = step.is_nop && function->n_rows > 1
                        && function->rows[1].start == step.size;
  return (!leads_with_nop && is_row_of_call (&function->rows[0], arch))
         || (arch_tracks_ra (arch)
             && begins_with_signing (facts, function->address));
}

bool
covered_code_init (struct covered_code *covered,
                   const struct code_request *request,
                   const struct image_facts *facts)
{
  *covered = (struct covered_code){ .functions = request->covered,
                                    .n = request->n_covered };
  covered->parts = calloc (covered->n + 1, sizeof *covered->parts);
  if (!covered->parts)
    return false;
  for (size_t i = 0; i < covered->n; i++)
    {
      const struct frame_function *function = &covered->functions[i];
      if (address_list_has (&request->parts, function->address)
          || (!address_list_has (&request->entries, function->address)
              && !starts_function (function, facts)))
        covered->parts[covered->n_parts++]
            = (struct code_range){ function->address,
                                   function->address + function->size };
    }
  return true;
}

void
covered_code_free (struct covered_code *covered)
{
  free (covered->parts);
}

const struct frame_function *
covered_code_at (const struct covered_code *covered, uint64_t address)
{
  return frame_functions_find (covered->functions, covered->n, address);
}

bool
covered_code_is_boundary (const struct covered_code *covered, uint64_t address)
{
  size_t at
      = SEARCH_FIRST (covered->n, i, covered->functions[i].address >= address);
  return at < covered->n && covered->functions[at].address == address;
}

const struct code_range *
covered_code_part (const struct covered_code *covered, uint64_t address)
{
  const struct code_range *parts = covered->parts;
  size_t at = SEARCH_FIRST (covered->n_parts, i, parts[i].end > address);
  return at < covered->n_parts && parts[at].start <= address ? &parts[at]
                                                             : NULL;
}

/* ---- FDEs whose first row is wrong */

struct search
{
  struct fde_corrections *found;
  struct address_list named; /* parts with a symbol */
  const struct covered_code *covered;
  const struct functions *functions;
};

void
fde_corrections_free (struct fde_corrections *corrections)
{
  address_list_free (&corrections->parts);
  address_list_free (&corrections->entries);
}

/* Whether the FDE at ADDRESS was taken for a part, and its first row can be
   compared with the ABI.  */
static bool
is_taken_for_part (const struct covered_code *covered, uint64_t address)
{
  const struct code_range *part = covered_code_part (covered, address);
  const struct frame_function *function = covered_code_at (covered, address);
  return part && part->start == address && function && !function->from_plt
         && !function->signal && function->n_rows > 0
         && function->rows[0].cfa.kind == RULE_REG
         && function->rows[0].ra.kind != RULE_UNDEFINED
         && function->rows[0].ra.kind != RULE_UNSUPPORTED;
}

/* Record that a symbol says that a function starts at ADDRESS.  */
static bool
add_named (void *argument, uint64_t address, const char *name)
{
  struct search *search = argument;
  (void)name;
  return !address_list_has (&search->found->parts, address)
         || address_list_add (&search->named, address);
}

/* Remove parts that have a symbol: a function starts there.  */
static bool
leave_out_named (struct search *search, const struct code_request *request)
{
  struct address_list *parts = &search->found->parts;
  size_t n = 0;
  bool ok = function_symbols_walk (request->image, !request->no_symbols,
                                   add_named, search)
            && address_list_sort (&search->named);
  for (size_t i = 0; ok && i < parts->n; i++)
    if (!address_list_has (&search->named, parts->list[i]))
      parts->list[n++] = parts->list[i];
  parts->n = n;
  address_list_free (&search->named);
  return ok;
}

static bool
add_exported (void *argument, uint64_t address, const char *name)
{
  struct search *search = argument;
  (void)name;
  return !is_taken_for_part (search->covered, address)
         || address_list_add (&search->found->entries, address);
}

/* Add possible parts and entries, as far as code and data show.  A function
   that was seen to return by itself is no part.  */
static bool
add_candidates (struct search *search, const struct image_facts *facts)
{
  for (size_t i = 0; i < search->functions->n; i++)
    {
      const struct code_function *function = &search->functions->list[i];
      uint64_t entry = function->entry;
      bool is_entered
          = function->is_entered_with_frame
            || (function->is_dead_branch_target && function->fails);
      if (is_entered && function->has_fde && !function->is_called
          && !function->is_proven && !address_list_has (&facts->pointed, entry)
          && facts_next_reference (facts, entry - 1) != entry
          && !address_list_add (&search->found->parts, entry))
        return false;
      if (function->is_called && is_taken_for_part (search->covered, entry)
          && !address_list_add (&search->found->entries, entry))
        return false;
    }
  return true;
}

bool
fde_corrections_find (struct fde_corrections *corrections,
                      const struct code_request *request,
                      const struct covered_code *covered,
                      const struct functions *functions,
                      const struct image_facts *facts)
{
  struct search search
      = { .found = corrections, .covered = covered, .functions = functions };
  bool ok = add_candidates (&search, facts);
  ok = ok && address_list_sort (&corrections->parts)
       && function_symbols_walk (request->image, false, add_exported, &search)
       && (corrections->parts.n == 0 || leave_out_named (&search, request));
  return ok && address_list_sort (&corrections->entries);
}
