/* --lint: where the code contradicts its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TOOL_LINT_PRINT_H
#define TOOL_LINT_PRINT_H

#include <stdio.h>

#include "tool/options.h"

/* Look at all files that OPTIONS name and print what is found.  Returns the
   exit status: 3 when something was found.  */
int lint_print (const struct tool_options *options, FILE *out, FILE *errors);

#endif /* TOOL_LINT_PRINT_H */
