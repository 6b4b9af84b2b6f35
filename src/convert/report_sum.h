/* Summing up reports, of the members of an archive or of many files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_REPORT_SUM_H
#define CONVERT_REPORT_SUM_H

#include "base/error.h"

/* Add what REPORT counts to SUM: all but the sizes of files.  */
void report_sum_add (struct cfi2sframe_report *sum,
                     const struct cfi2sframe_report *report);

/* Add what CHECK counts to SUM.  */
void check_sum_add (struct cfi2sframe_check_result *sum,
                    const struct cfi2sframe_check_result *check);

#endif /* CONVERT_REPORT_SUM_H */
