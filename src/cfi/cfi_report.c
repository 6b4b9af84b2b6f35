/* What CFI holds, in the report of a conversion.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/cfi_report.h"

#include <string.h>

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
