/* The files in a directory, at any depth.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_DIRECTORY_WALK_H
#define CLI_DIRECTORY_WALK_H

#include <stdbool.h>

#include "cli/file_list.h"
#include "cli/options.h"

/* Add to LIST the ELF files in and below the directory OPERAND, which may be a
   symbolic link, sorted by path.  Problems with single files or directories
   become entries.  What killed runs have left there is taken away, if OPTIONS
   are to change files.  False with errno when memory ran out.  */
bool directory_walk (struct file_list *list,
                     const struct tool_options *options, const char *operand);

#endif /* CLI_DIRECTORY_WALK_H */
