/* Whether two readings of one .eh_frame came to the same.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_COMPARE_SECTIONS_H
#define TESTS_COMPARE_SECTIONS_H

#include <string.h>

#include "cfi/cfi_section.h"

static inline bool
fdes_are_equal (const struct cfi_fde *a, const struct cfi_fde *b)
{
  return a->address == b->address && a->size == b->size
         && a->offset == b->offset && a->head_size == b->head_size
         && a->instructions_size == b->instructions_size && a->cie == b->cie
         && a->input == b->input;
}

static inline bool
damages_are_equal (const struct cfi_damage *a, const struct cfi_damage *b)
{
  return a->offset == b->offset && a->reason == b->reason
         && strcmp (a->text, b->text) == 0;
}

static inline bool
cies_are_equal (const struct cfi_cie *a, const struct cfi_cie *b)
{
  return a->offset == b->offset && a->instructions == b->instructions
         && a->instructions_size == b->instructions_size
         && a->ra_column == b->ra_column && a->unusable == b->unusable;
}

/* NULL, or what differs between A and B.  */
static inline const char *
sections_compare (const struct cfi_section *a, const struct cfi_section *b)
{
  if (a->n_cies != b->n_cies || a->n_fdes != b->n_fdes
      || a->n_damaged != b->n_damaged || a->n_damages != b->n_damages)
    return "numbers of entries";
  for (size_t i = 0; i < a->n_cies; i++)
    if (!cies_are_equal (&a->cies[i], &b->cies[i]))
      return "a CIE";
  for (size_t i = 0; i < a->n_fdes; i++)
    if (!fdes_are_equal (&a->fdes[i], &b->fdes[i]))
      return "an FDE";
  for (size_t i = 0; i < a->n_damages; i++)
    if (!damages_are_equal (&a->damages[i], &b->damages[i]))
      return "a damage";
  return NULL;
}

#endif /* TESTS_COMPARE_SECTIONS_H */
