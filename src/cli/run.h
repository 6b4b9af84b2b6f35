/* A run of cfi2sframe over all files, from the operands to the sums.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/options.h"

/* Do to each file what OPTIONS say, print the results and the sums.  Returns
   the exit status.  */
int run_over_files (const struct tool_options *options);

#endif /* CLI_RUN_H */
