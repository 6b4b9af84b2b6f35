/* The command line of cfi2sframe, parsed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "tool/options.h"

bool
tool_options_is_tree (const struct tool_options *options)
{
  return options->recursive || options->files_from != NULL;
}

bool
tool_options_change_files (const struct tool_options *options)
{
  return options->output == NULL
         && (options->mode == MODE_CONVERT || options->mode == MODE_REMOVE
             || options->mode == MODE_UNDO);
}
