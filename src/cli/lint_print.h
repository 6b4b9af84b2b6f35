/* --lint: where the code contradicts its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_LINT_PRINT_H
#define TOOL_LINT_PRINT_H

#include <stdio.h>

#include "cli/options.h"

/* Check all files that OPTIONS name and print the findings.  Returns the exit
   status: 3 when there is a finding.  */
int lint_run (const struct tool_options *options, FILE *out, FILE *errors);

#endif /* TOOL_LINT_PRINT_H */
