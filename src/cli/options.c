/* What the modes of cfi2sframe are called, and which of them do what.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/options.h"

const struct mode_names mode_names[N_MODES] = {
  [MODE_CONVERT]
  = { "conversion", "converted", "converted", "could be converted" },
  [MODE_SECTION_ONLY]
  = { "--section-only", "converted", "converted", "could be converted" },
  [MODE_CHECK] = { "--check", "checked", "checked", "checked" },
  [MODE_DUMP] = { "--dump", "printed", "printed", "printed" },
  [MODE_COMPARE] = { "--compare", "compared", "compared", "compared" },
  [MODE_COMPARE_FORMATS]
  = { "--compare-formats", "compared", "compared", "compared" },
  [MODE_LINT] = { "--lint", "checked", "checked", "checked" },
  [MODE_DETACH] = { "--detached", "converted", "described beside them",
                    "could be described" },
  [MODE_REMOVE] = { "--remove", "removed", "without .sframe now",
                    "could be without .sframe" },
  [MODE_UNDO] = { "--undo", "restored", "restored", "could be restored" },
};

bool
tool_options_is_tree (const struct tool_options *options)
{
  return options->recursive || options->files_from != NULL;
}

bool
tool_options_change_files (const struct tool_options *options)
{
  return options->output == NULL && tool_options_are (options, MODES_CHANGING);
}
