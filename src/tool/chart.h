/* The bar chart of --compare-formats.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_CHART_H
#define TOOL_CHART_H

#include <stdbool.h>

#include "cfi2sframe.h"
#include "tool/measure_print.h"

/* Draw TOTALS, whose rows get sorted by path, as SVG to the file PATH.  */
bool chart_write (const char *path, struct formats_totals *totals,
                  struct cfi2sframe_error *err);

#endif /* TOOL_CHART_H */
