/* What --strict and --min-coverage demand of a conversion.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/thresholds.h"

#include <stdio.h>

bool
thresholds_check_complete (const struct cfi2sframe_options *options,
                           const struct cfi2sframe_report *report,
                           struct error *err)
{
  if (!options->strict || report->functions_covered == report->cfi_functions)
    return true;
  return error_set (
      err, CFI2SFRAME_REFUSED,
      "%llu of %llu functions cannot be described completely",
      (unsigned long long)(report->cfi_functions - report->functions_covered),
      (unsigned long long)report->cfi_functions);
}

bool
thresholds_check_coverage (const struct cfi2sframe_options *options,
                           const struct cfi2sframe_report *report,
                           struct error *err)
{
  double covered = report->executable_bytes == 0
                       ? 100
                       : 100 * (double)report->bytes_covered
                             / (double)report->executable_bytes;
  if (covered >= options->min_coverage)
    return true;
  /* Cut off, not rounded: 99.996 is less than 100.  */
  unsigned hundredths = (unsigned)(covered * 100);
  char figure[16];
  snprintf (figure, sizeof figure, "%u.%02u", hundredths / 100,
            hundredths % 100);
  return error_set (err, CFI2SFRAME_REFUSED,
                    "only %s percent of the code has rows", figure);
}
