/* --compare A B.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_COMPARE_PRINT_H
#define CLI_COMPARE_PRINT_H

#include <stdio.h>

#include "cli/options.h"

/* Compare the two files of OPTIONS and print the differences to OUT.  The exit
   status: 0 equal, 1 not equal or not comparable.  */
int compare_run (const struct tool_options *options, FILE *out, FILE *errors);

#endif /* CLI_COMPARE_PRINT_H */
