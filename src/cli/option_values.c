/* The options of cfi2sframe that take one of some values, or a number.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/option_values.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/number.h"
#include "cli/option_keys.h"
#include "cli/options.h"
#include "convert/for_readers.h"
#include "convert/location.h"
#include "sframe/formats.h"

enum
{
  READERS_MAX = 16
};

/* Report that OPTION does not take VALUE but one of VALUES, which NULL ends,
   and end.  */
static void
refuse_value (const struct argp_state *state, const char *option,
              const char *value, const char *const *values)
{
  char list[128] = "";
  size_t at = 0;
  for (size_t i = 0; values[i] != NULL && at < sizeof list; i++)
    at += (size_t)snprintf (list + at, sizeof list - at, "%s%s",
                            i == 0 ? "" : ", ", values[i]);
  argp_error (state, "unknown value '%s' of %s; it takes: %s", value, option,
              list);
}

bool
option_has_value (const struct argp_state *state, const char *option,
                  const char *argument, const char *value)
{
  if (argument != NULL && strcmp (argument, value) != 0)
    refuse_value (state, option, argument,
                  (const char *const[]){ value, NULL });
  return argument != NULL;
}

/* Which of VALUES, which end with NULL, ARGUMENT of OPTION is.  */
static unsigned
parse_choice (struct argp_state *state, const char *option,
              const char *argument, const char *const *values)
{
  unsigned i = 0;
  while (values[i] != NULL && strcmp (values[i], argument) != 0)
    i++;
  if (values[i] == NULL)
    refuse_value (state, option, argument, values);
  return i;
}

static void
refuse_format (struct argp_state *state, const char *name)
{
  static const char *const values[] = { "3",
                                        "2",
                                        "2.0",
                                        "1",
                                        "compact-unwind",
                                        "compact-unwind:amd64",
                                        "compact-unwind:aarch64",
                                        NULL };
  refuse_value (state, "--format", name, values);
}

/* Parse what follows "compact-unwind": nothing, or a colon and a machine.  */
static void
parse_compact_unwind (struct argp_state *state, const char *rest)
{
  static const char *const machines[] = { "", ":amd64", ":aarch64" };
  struct tool_options *options = state->input;
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
    if (strcmp (machines[i], rest) == 0)
      {
        options->compact_unwind = true;
        options->compact_unwind_machine = i > 0 ? rest + 1 : NULL;
        return;
      }
  refuse_format (state, rest - strlen ("compact-unwind"));
}

void
parse_format (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  if (format_parse (argument, &options->convert.format))
    {
      options->compact_unwind = false;
      options->compact_unwind_machine = NULL;
    }
  else if (strncmp (argument, "compact-unwind", strlen ("compact-unwind"))
           == 0)
    parse_compact_unwind (state, argument + strlen ("compact-unwind"));
  else
    refuse_format (state, argument);
}

/* Parse one name of --for, of LENGTH letters.  */
static unsigned
reader_of_name (struct argp_state *state, const char *name, size_t length)
{
  const char *values[READERS_MAX + 1] = { NULL };
  char copy[40];
  unsigned i;
  for (i = 0; i < READERS_MAX && for_readers_name (i) != NULL; i++)
    {
      values[i] = for_readers_name (i);
      if (strlen (values[i]) == length
          && memcmp (values[i], name, length) == 0)
        return 1u << i;
    }
  snprintf (copy, sizeof copy, "%.*s", (int)(length < 39 ? length : 39), name);
  refuse_value (state, "--for", copy, values);
  return 0;
}

void
parse_for (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  for (const char *at = argument; at != NULL;)
    {
      const char *comma = strchr (at, ',');
      size_t length = comma != NULL ? (size_t)(comma - at) : strlen (at);
      options->convert.readers |= reader_of_name (state, at, length);
      at = comma != NULL ? comma + 1 : NULL;
    }
}

void
parse_jobs (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  size_t jobs = 0;
  if (!number_parse (argument, 1, SIZE_MAX, &jobs))
    argp_error (state, "'%s' is no number of jobs", argument);
  options->jobs
      = jobs < LOCATION_THREADS_MAX ? (unsigned)jobs : LOCATION_THREADS_MAX;
}

void
parse_replace (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { "yes", "no", "auto", NULL };
  struct tool_options *options = state->input;
  unsigned choice = argument == NULL
                        ? 0
                        : parse_choice (state, "--replace", argument, values);
  options->convert.replace = choice == 0;
  options->convert.replace_bad = choice == 2;
}

void
parse_debug_info (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { [CFI2SFRAME_DEBUG_INFO_OWN] = "own",
                                        [CFI2SFRAME_DEBUG_INFO_AUTO] = "auto",
                                        [CFI2SFRAME_DEBUG_INFO_NONE] = "none",
                                        NULL };
  struct tool_options *options = state->input;
  options->convert.debug_info = (enum cfi2sframe_debug_info)parse_choice (
      state, "--debug-info", argument, values);
}

void
parse_sync (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { [CFI2SFRAME_SYNC_FILE] = "file",
                                        [CFI2SFRAME_SYNC_END] = "end",
                                        [CFI2SFRAME_SYNC_NONE] = "none",
                                        NULL };
  struct tool_options *options = state->input;
  options->convert.sync
      = (enum cfi2sframe_sync)parse_choice (state, "--sync", argument, values);
}

void
parse_min_coverage (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  if (!number_percentage (argument, &options->convert.min_coverage))
    argp_error (state, "--min-coverage takes a percentage, not '%s'",
                argument);
}

void
parse_stats (struct argp_state *state, const char *argument)
{
  static const char *const forms[]
      = { "json", "junit", "sarif", "github", NULL };
  struct tool_options *options = state->input;
  options->stats
      = argument == NULL
            ? STATS_TEXT
            : STATS_JSON + parse_choice (state, "--stats", argument, forms);
}

void
parse_return_addresses (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { "yes", "no", NULL };
  struct tool_options *options = state->input;
  options->convert.keep_return_addresses
      = parse_choice (state, "--return-addresses", argument, values) == 1;
}

void
parse_gnu (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  options->convert.gnu = true;
  options->convert.gnu_bugs
      = option_has_value (state, "--gnu", argument, "bugs");
}

void
parse_skip_unconvertible (struct argp_state *state, const char *argument)
{
  struct tool_options *options = state->input;
  bool no = option_has_value (state, "--skip-unconvertible", argument, "no");
  options->skip_unconvertible = no ? SKIP_NONE : SKIP_ALL;
}
