/* The options of cfi2sframe that are more than a switch or a text.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/option_values.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/number.h"
#include "cli/options.h"
#include "cli/standard_options.h"
#include "convert/for_readers.h"
#include "convert/location.h"
#include "sframe/formats.h"

enum
{
  READERS_MAX = 16
};

/* Which of VALUES, which end with NULL, ARGUMENT of OPTION is.  Another one
   ends the program.  */
static unsigned
parse_choice (const struct argp_state *state, const char *option,
              const char *argument, const char *const *values)
{
  char list[128] = "";
  size_t at = 0;
  for (unsigned i = 0; values[i] != NULL; i++)
    if (strcmp (values[i], argument) == 0)
      return i;
  for (size_t i = 0; values[i] != NULL && at < sizeof list; i++)
    at += (size_t)snprintf (list + at, sizeof list - at, "%s%s",
                            i == 0 ? "" : ", ", values[i]);
  argp_error (state, "unknown value '%s' of %s; it takes: %s", argument,
              option, list);
  return 0;
}

bool
option_has_value (const struct argp_state *state, const char *option,
                  const char *argument, const char *value)
{
  return argument != NULL
         && parse_choice (state, option, argument,
                          (const char *const[]){ value, NULL })
                == 0;
}

bool
option_is_given (const struct argp_state *state, const char *name)
{
  const struct tool_options *options = state->input;
  const struct argp_option *option = state->root_argp->options;
  while (option->name == NULL || strcmp (option->name, name) != 0)
    option++;
  return options->given >> (option - state->root_argp->options) & 1;
}

void
parse_format (struct argp_state *state, const char *argument)
{
  static const char *const values[] = { "3",
                                        "2",
                                        "2.0",
                                        "1",
                                        "compact-unwind",
                                        "compact-unwind:amd64",
                                        "compact-unwind:aarch64",
                                        NULL };
  struct tool_options *options = state->input;
  const char *value
      = values[parse_choice (state, "--format", argument, values)];
  const char *colon = strchr (value, ':');
  options->compact_unwind = !format_parse (value, &options->convert.format);
  options->compact_unwind_machine = colon != NULL ? colon + 1 : NULL;
}

/* Parse one name of --for, of LENGTH letters.  */
static unsigned
reader_of_name (struct argp_state *state, const char *name, size_t length)
{
  const char *values[READERS_MAX + 1] = { NULL };
  char copy[40];
  for (unsigned i = 0; i < READERS_MAX && for_readers_name (i) != NULL; i++)
    values[i] = for_readers_name (i);
  snprintf (copy, sizeof copy, "%.*s", (int)(length < 39 ? length : 39), name);
  return 1u << parse_choice (state, "--for", copy, values);
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
    argp_error (state, "'%s' is not a number of jobs", argument);
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

void
parse_output (struct argp_state *state, const char *output)
{
  struct tool_options *options = state->input;
  if (options->output != NULL)
    argp_error (state, "more than one output file");
  if (strcmp (output, "-") == 0)
    argp_error (state, "standard output is /dev/stdout; a file of this name "
                       "is ./-");
  options->output = output;
}

void
parse_files_from (struct argp_state *state, const char *list)
{
  struct tool_options *options = state->input;
  if (options->files_from != NULL)
    argp_error (state, "more than one list of files");
  options->files_from = list;
}

void
parse_excluded (struct argp_state *state, const char *pattern)
{
  struct tool_options *options = state->input;
  const char **grown = reallocarray (
      options->excluded, options->n_excluded + 1, sizeof options->excluded[0]);
  if (grown == NULL)
    {
      argp_failure (state, EXIT_FAILURE, ENOMEM, "--exclude");
      return;
    }
  options->excluded = grown;
  options->excluded[options->n_excluded++] = pattern;
}

/* Read the configuration and do what it says about all files, where no option
   does; job.c has what it says about one.  A failure ends the program.  */
void
parse_configuration (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  struct configuration *configuration = &options->configuration;
  struct cfi2sframe_error err;
  (void)none;
  if (!configuration_read (configuration, &err))
    argp_failure (state, EXIT_FAILURE, 0, "%s: %s", err.file, err.reason);
  const char *coverage
      = configuration_value (configuration, SETTING_MIN_COVERAGE);
  const char *format = configuration_value (configuration, SETTING_FORMAT);
  const char *checksummed
      = configuration_value (configuration, SETTING_CHECKSUMMED);
  if (coverage != NULL && !option_is_given (state, "min-coverage"))
    number_percentage (coverage, &options->convert.min_coverage);
  if (format != NULL && !option_is_given (state, "format"))
    format_parse (format, &options->convert.format);
  if (checksummed != NULL && !option_is_given (state, "convert-checksummed"))
    options->convert.leave_checksummed = strcmp (checksummed, "yes") != 0;
}

void
parse_show_configuration (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  parse_configuration (state, none);
  configuration_print (&options->configuration, state->out_stream);
  standard_output_end ();
}

/* Do what hooks of builds ask for, where no option does, wherever that stands;
   the manual, "Pipelines", says why.  */
void
parse_hook (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  if (!option_is_given (state, "skip-unconvertible"))
    options->skip_unconvertible = SKIP_ALL;
  if (!option_is_given (state, "replace"))
    options->convert.replace_bad = true;
  if (!option_is_given (state, "debug-info"))
    options->convert.debug_info = CFI2SFRAME_DEBUG_INFO_NONE;
  if (!option_is_given (state, "min-coverage"))
    options->convert.min_coverage = 2;
  if (!option_is_given (state, "sync"))
    options->convert.sync = CFI2SFRAME_SYNC_END;
  parse_configuration (state, none);
}

void
parse_convert_checksummed (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  (void)none;
  options->convert.leave_checksummed = false;
}

void
parse_verbose (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  (void)none;
  options->verbose++;
}

void
parse_verify (struct argp_state *state, const char *none)
{
  (void)none;
  argp_error (state, "unrecognized option '--verify'; did you mean "
                     "'--check' or '--verify-code'?");
}
