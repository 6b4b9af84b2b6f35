/* The files that a command line names: operands and lists.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_OPERANDS_H
#define CLI_OPERANDS_H

#include <stdbool.h>

#include "cli/file_list.h"
#include "cli/options.h"

/* Add to LIST the files that OPTIONS name.  False with errno: the list of
   --files0-from cannot be read, or memory ran out.  */
bool operands_collect (struct file_list *list,
                       const struct tool_options *options);

#endif /* CLI_OPERANDS_H */
