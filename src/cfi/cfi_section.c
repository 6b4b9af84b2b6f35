/* What CFI holds: CIEs, FDEs, and what could not be read.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cfi_section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

void
cfi_section_free (struct cfi_section *section)
{
  free (section->cies);
  free (section->fdes);
  free (section->damages);
  free (section->set_aside);
  section->set_aside = NULL;
  section->n_set_aside = 0;
  section->cies = NULL;
  section->fdes = NULL;
  section->damages = NULL;
  section->n_cies = section->n_fdes = section->n_damages = 0;
  section->cies_capacity = section->fdes_capacity = 0;
}

uint64_t
cfi_section_size (const struct cfi_section *section)
{
  uint64_t size = 0;
  for (uint32_t i = 0; i < section->n_inputs; i++)
    size += section->inputs[i].size;
  return size;
}

/* Whether CIE comes before the one at OFFSET of INPUT.  */
static bool
is_before (const struct cfi_cie *cie, uint32_t input, uint64_t offset)
{
  return cie->input < input || (cie->input == input && cie->offset < offset);
}

size_t
cfi_section_find_cie (const struct cfi_section *section, uint64_t offset,
                      size_t guess)
{
  const struct cfi_cie *cies = section->cies;
  uint32_t input = section->n_inputs - 1;
  if (guess < section->n_cies && cies[guess].offset == offset
      && cies[guess].input == input)
    return guess;
  size_t at = SEARCH_FIRST (section->n_cies, i,
                            !is_before (&cies[i], input, offset));
  return at < section->n_cies && cies[at].offset == offset
                 && cies[at].input == input
             ? at
             : section->n_cies;
}

bool
cfi_section_note_damage (struct cfi_section *section, uint64_t offset,
                         enum frame_reason reason, const char *text,
                         struct error *err)
{
  section->n_damaged++;
  if (section->n_damages == CFI_DAMAGES_MAX)
    return true;
  if (section->damages == NULL)
    section->damages = calloc (CFI_DAMAGES_MAX, sizeof *section->damages);
  if (section->damages == NULL)
    return error_set_no_memory (err);
  struct cfi_damage *damage = &section->damages[section->n_damages++];
  damage->offset = offset;
  damage->input = section->n_inputs - 1;
  damage->reason = reason;
  snprintf (damage->text, sizeof damage->text, "%s", text);
  return true;
}

bool
cfi_section_leave_out (struct cfi_section *section, uint64_t offset,
                       enum frame_reason reason, const char *text,
                       struct error *err)
{
  section->left_out[reason]++;
  return cfi_section_note_damage (section, offset, reason, text, err);
}

uint64_t
cfi_section_functions (const struct cfi_section *section)
{
  uint64_t n = section->n_fdes;
  for (size_t i = 0; i < REASON_COUNT; i++)
    n += section->left_out[i];
  return n;
}

_Static_assert((int)REASON_COUNT <= CFI2SFRAME_REASONS_MAX,
               "reasons do not fit the public report");

void
cfi_report (const struct cfi_section *cfi, struct cfi2sframe_report *report)
{
  report->cfi_functions = cfi_section_functions (cfi);
  for (size_t i = 0; i < REASON_COUNT; i++)
    report->left_out[i] += cfi->left_out[i];
  if (cfi->n_damages == 0)
    return;
  report->first_damage = cfi->damages[0].offset;
  report->debug_damage
      = cfi->inputs[cfi->damages[0].input].kind == CFI_DEBUG_FRAME;
  memcpy (report->damage, cfi->damages[0].text, sizeof report->damage);
}
