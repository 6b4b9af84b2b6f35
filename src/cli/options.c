/* What the modes of cfi2sframe are called, and which of them do what.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/options.h"

#include "cli/option_keys.h"

const struct mode_names mode_names[N_MODES] = {
  [MODE_CONVERT]
  = { "conversion", 0, "converted", "converted", "could be converted" },
  [MODE_SECTION_ONLY] = { "--section-only", OPTION_SECTION_ONLY, "converted",
                          "converted", "could be converted" },
  [MODE_CHECK] = { "--check", OPTION_CHECK, "checked", "checked", "checked" },
  [MODE_DUMP] = { "--dump", OPTION_DUMP, "printed", "printed", "printed" },
  [MODE_COMPARE]
  = { "--compare", OPTION_COMPARE, "compared", "compared", "compared" },
  [MODE_COMPARE_FORMATS] = { "--compare-formats", OPTION_COMPARE_FORMATS,
                             "compared", "compared", "compared" },
  [MODE_LINT] = { "--lint", OPTION_LINT, "checked", "checked", "checked" },
  [MODE_DETACH] = { "--detached", OPTION_DETACHED, "converted",
                    "described beside them", "could be described" },
  [MODE_REMOVE] = { "--remove", OPTION_REMOVE, "removed",
                    "without .sframe now", "could be without .sframe" },
  [MODE_UNDO]
  = { "--undo", OPTION_UNDO, "restored", "restored", "could be restored" },
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
