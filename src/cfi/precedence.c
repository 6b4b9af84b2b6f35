/* Whose word counts where several sections describe the same code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/precedence.h"

#include <stdlib.h>

#include "cfi/cfa_program.h"
#include "frame/frame.h"

enum
{
  /* An FDE that was set aside is compared with so many FDEs in front of it
     that may reach into it, and with so many that start in it.  More than one
     are an accident.  */
  NEIGHBOURS_MAX = 16,
  /* Programs are executed for comparisons until their bytes are so many times
     those of all inputs.  A large program that stands in for many small ones
     is executed for each of these; in an honest file, each is executed about
     once.  */
  EXECUTED_MAX = 4
};

struct settling
{
  struct cfi_section *section;
  bool (*is_of_code) (const void *context, const struct cfi_fde *fde);
  const void *context;
  bool *outranked; /* owned; one per FDE */
};

/* Whether an FDE of an input below LIMIT reaches beyond ADDRESS; ENDS has one
   end for each.  */
static bool
reaches (const uint64_t *ends, unsigned limit, uint64_t address)
{
  for (unsigned i = 0; i < limit; i++)
    if (ends[i] > address)
      return true;
  return false;
}

/* Find the FDEs into which those of earlier inputs reach from in front.  */
static void
look_back (struct settling *settling)
{
  const struct cfi_section *section = settling->section;
  uint64_t ends[CFI_INPUTS_MAX] = { 0 };
  for (size_t i = 0; i < section->n_fdes; i++)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      uint64_t end = fde->address + fde->size;
      if (!settling->is_of_code (settling->context, fde))
        continue;
      settling->outranked[i] = reaches (ends, fde->input, fde->address);
      if (end > ends[fde->input])
        ends[fde->input] = end;
    }
}

/* Find the FDEs in which one of earlier inputs starts.  */
static void
look_ahead (struct settling *settling)
{
  const struct cfi_section *section = settling->section;
  uint64_t below[CFI_INPUTS_MAX] = { 0 }; /* ~ the latest start */
  for (size_t i = section->n_fdes; i-- > 0;)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      if (!settling->is_of_code (settling->context, fde))
        continue;
      settling->outranked[i]
          |= reaches (below, fde->input, ~(fde->address + fde->size));
      below[fde->input] = ~fde->address;
    }
}

/* Move what is outranked out of the list.  */
static bool
set_aside (struct settling *settling, struct error *err)
{
  struct cfi_section *section = settling->section;
  size_t n = 0, kept = 0;
  for (size_t i = 0; i < section->n_fdes; i++)
    n += settling->outranked[i];
  section->set_aside = calloc (n + 1, sizeof *section->set_aside);
  if (section->set_aside == NULL)
    return error_set_no_memory (err);
  for (size_t i = 0; i < section->n_fdes; i++)
    if (settling->outranked[i])
      section->set_aside[section->n_set_aside++] = section->fdes[i];
    else
      section->fdes[kept++] = section->fdes[i];
  section->n_fdes = kept;
  return true;
}

/* Contradictions.  */

struct contradictions
{
  struct cfi_section *section;
  struct cfa_machine *machine;         /* owned */
  struct frame_function aside, chosen; /* owned */
  size_t next;     /* the first FDE behind the start of the one set aside */
  uint64_t budget; /* bytes of programs that may still be executed */
  struct error *err;
};

/* Execute FDE.  *SAYS tells whether it has rows.  */
static bool
execute (struct contradictions *comparison, const struct cfi_fde *fde,
         struct frame_function *function, bool *says)
{
  enum frame_reason reason;
  bool done = cfa_machine_run (comparison->machine, fde, function, &reason,
                               comparison->err);
  *says = reason == REASON_NONE;
  return done;
}

/* Compare FDE, which counts, with the one set aside.  */
static bool
compare_with (struct contradictions *comparison, const struct cfi_fde *fde)
{
  bool says;
  if (fde->instructions_size > comparison->budget)
    return true;
  comparison->budget -= fde->instructions_size;
  if (!execute (comparison, fde, &comparison->chosen, &says))
    return false;
  return !says
         || frame_function_dispute (&comparison->aside, &comparison->chosen,
                                    REASON_OVERLAP)
         || error_set_no_memory (comparison->err);
}

static bool
compare (struct contradictions *comparison, const struct cfi_fde *fde)
{
  struct cfi_section *section = comparison->section;
  const struct cfi_fde *fdes = section->fdes;
  size_t *next = &comparison->next;
  bool says;
  while (*next < section->n_fdes && fdes[*next].address <= fde->address)
    ++*next;
  if (!execute (comparison, fde, &comparison->aside, &says))
    return false;
  size_t first = *next > NEIGHBOURS_MAX ? *next - NEIGHBOURS_MAX : 0;
  for (size_t i = first;
       says && i < section->n_fdes && i < *next + NEIGHBOURS_MAX
       && fdes[i].address < fde->address + fde->size;
       i++)
    if (fdes[i].input < fde->input
        && fdes[i].address + fdes[i].size > fde->address
        && !compare_with (comparison, &fdes[i]))
      return false;
  section->n_contradictions
      += says
         && frame_function_is_left_out (&comparison->aside, UINT64_MAX,
                                        REASON_OVERLAP);
  return true;
}

static bool
count_contradictions (struct cfi_section *section, struct error *err)
{
  struct contradictions comparison
      = { .section = section,
          .budget = EXECUTED_MAX * cfi_section_size (section),
          .err = err };
  if (section->n_set_aside == 0)
    return true;
  comparison.machine = cfa_machine_new (section);
  bool done = comparison.machine != NULL || error_set_no_memory (err);
  for (size_t i = 0; done && i < section->n_set_aside; i++)
    done = compare (&comparison, &section->set_aside[i]);
  frame_function_free (&comparison.aside);
  frame_function_free (&comparison.chosen);
  cfa_machine_free (comparison.machine);
  return done;
}

bool
precedence_settle (struct cfi_section *section,
                   bool (*is_of_code) (const void *context,
                                       const struct cfi_fde *fde),
                   const void *context, struct error *err)
{
  struct settling settling = { section, is_of_code, context, NULL };
  if (section->n_inputs < 2)
    return true;
  settling.outranked
      = calloc (section->n_fdes + 1, sizeof *settling.outranked);
  if (settling.outranked == NULL)
    return error_set_no_memory (err);
  look_back (&settling);
  look_ahead (&settling);
  bool settled
      = set_aside (&settling, err) && count_contradictions (section, err);
  free (settling.outranked);
  return settled;
}
