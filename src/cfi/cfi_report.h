/* What CFI holds, in the report of a conversion.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CFI_CFI_REPORT_H
#define CFI_CFI_REPORT_H

#include "cfi/cfi_section.h"

/* Count the functions of CFI in REPORT, and those that cannot be read also as
   left out; the first damage is told.  */
void cfi_report (const struct cfi_section *cfi,
                 struct cfi2sframe_report *report);

#endif /* CFI_CFI_REPORT_H */
