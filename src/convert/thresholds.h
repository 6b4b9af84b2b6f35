/* What --strict and --min-coverage demand of a conversion.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_THRESHOLDS_H
#define CONVERT_THRESHOLDS_H

#include "base/error.h"

/* With OPTIONS->strict: whether every function of REPORT has all of its
   rows.  */
bool thresholds_check_complete (const struct cfi2sframe_options *options,
                                const struct cfi2sframe_report *report,
                                struct error *err);

/* With OPTIONS->min_coverage: whether so much of the code has rows.  REPORT
   is that of a whole file.  */
bool thresholds_check_coverage (const struct cfi2sframe_options *options,
                                const struct cfi2sframe_report *report,
                                struct error *err);

/* The same of a section that is there; status CFI2SFRAME_MISMATCH.  Code that
   SFrame cannot describe counts as missing, too.  */
bool thresholds_check_section (const struct cfi2sframe_options *options,
                               const struct cfi2sframe_check_result *check,
                               struct error *err);

#endif /* CONVERT_THRESHOLDS_H */
