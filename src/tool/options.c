/* The command line of cfi2sframe, parsed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "tool/options.h"

#include <string.h>

static const struct
{
  const char *name;
  enum cfi2sframe_format format;
} formats[] = { { "3", CFI2SFRAME_V3 },
                { "2", CFI2SFRAME_V2 },
                { "2.0", CFI2SFRAME_V2_0 },
                { "1", CFI2SFRAME_V1 } };

const char *
tool_format_name (enum cfi2sframe_format format)
{
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (formats[i].format == format)
      return formats[i].name;
  return "?";
}

bool
tool_format_parse (const char *name, enum cfi2sframe_format *format)
{
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp (formats[i].name, name) == 0)
      {
        *format = formats[i].format;
        return true;
      }
  return false;
}

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
