/* What --strict and --min-coverage demand, of a conversion and of a check.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/thresholds.h"

#include <stdio.h>

#include "base/percent.h"

static bool
check_complete (const struct cfi2sframe_options *options,
                const struct cfi2sframe_report *report, struct error *err)
{
  if (!options->strict || report->functions_covered == report->cfi_functions)
    return true;
  return error_set_word (
      err, CFI2SFRAME_REFUSED, WORD_STRICT,
      "%llu of %llu functions cannot be described completely",
      (unsigned long long)(report->cfi_functions - report->functions_covered),
      (unsigned long long)report->cfi_functions);
}

/* Whether COVERED bytes of EXECUTABLE are enough.  */
static bool
check_coverage (double least, uint64_t covered, uint64_t executable,
                enum cfi2sframe_status status, struct error *err)
{
  double percent = percent_of (covered, executable);
  if (percent >= least)
    return true;
  /* Cut off, not rounded: 99.996 is less than 100.  */
  unsigned hundredths = (unsigned)(percent * 100);
  char figure[16];
  snprintf (figure, sizeof figure, "%u.%02u", hundredths / 100,
            hundredths % 100);
  return error_set_word (err, status, WORD_MIN_COVERAGE,
                         "only %s percent of the code has rows", figure);
}

bool
thresholds_check (const struct cfi2sframe_options *options,
                  const struct cfi2sframe_report *report, bool made,
                  struct error *err)
{
  if (!made && err->status != CFI2SFRAME_NOTHING)
    return false;
  return check_complete (options, report, err)
         && check_coverage (options->min_coverage, report->bytes_covered,
                            report->executable_bytes, CFI2SFRAME_REFUSED, err)
         && made;
}

bool
thresholds_check_section (const struct cfi2sframe_options *options,
                          const struct cfi2sframe_check_result *check,
                          struct error *err)
{
  if (options->strict && check->bytes_absent > 0)
    return error_set_word (
        err, CFI2SFRAME_MISMATCH, WORD_STRICT,
        "%llu bytes of code with call-frame information have "
        "no rows",
        (unsigned long long)check->bytes_absent);
  return check_coverage (options->min_coverage,
                         check->bytes_equal + check->bytes_wrong
                             + check->bytes_extra,
                         check->executable_bytes, CFI2SFRAME_MISMATCH, err);
}
