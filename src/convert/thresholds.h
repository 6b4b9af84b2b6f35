/* What --strict and --min-coverage demand, of a conversion and of a check.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_THRESHOLDS_H
#define CONVERT_THRESHOLDS_H

#include "base/error.h"

/* Whether the conversion that REPORT is about gives what OPTIONS demand: with
   `strict' all rows of every function, with `min_coverage' rows for so much of
   the code.  MADE tells whether there is a section.  If not, ERR has the
   reason, and the result is false; "nothing to do" becomes a failure where
   something is demanded.  */
bool thresholds_check (const struct cfi2sframe_options *options,
                       const struct cfi2sframe_report *report, bool made,
                       struct error *err);

/* The same of a section that is there; status CFI2SFRAME_MISMATCH.  Code that
   SFrame cannot describe counts as missing, too.  */
bool thresholds_check_section (const struct cfi2sframe_options *options,
                               const struct cfi2sframe_check_result *check,
                               struct error *err);

#endif /* CONVERT_THRESHOLDS_H */
