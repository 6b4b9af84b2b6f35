/* The command line of cfi2sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/command_line.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "convert/location.h"
#include "cli/number.h"
#include "cli/option_keys.h"
#include "cli/option_table.h"
#include "cli/option_values.h"
#include "cli/standard_options.h"
#include "cli/usage_check.h"
#include "sframe/formats.h"

/* Print the usual options.  Returns for --help=all, which argp prints.  */
static void
print_help (struct argp_state *state, const char *which)
{
  if (option_has_value (state, "--help", which, "all"))
    return;
  fputs (usual_options, state->out_stream);
  standard_output_end ();
}

/* Set the mode that the option KEY asks for, if it asks for one.  */
static bool
set_mode_of (struct argp_state *state, int key)
{
  struct tool_options *options = state->input;
  unsigned mode = MODE_CONVERT + 1;
  while (mode < N_MODES && mode_names[mode].key != key)
    mode++;
  if (mode == N_MODES)
    return false;
  if (options->mode != MODE_CONVERT && options->mode != mode)
    argp_error (state, "%s and %s exclude each other",
                mode_names[options->mode].option, mode_names[mode].option);
  options->mode = (enum tool_mode)mode;
  return true;
}

static void
set_output (struct argp_state *state, const char *output)
{
  struct tool_options *options = state->input;
  if (options->output != NULL)
    argp_error (state, "more than one output file");
  if (output[0] == '\0')
    argp_error (state, "the output file has no name");
  if (strcmp (output, "-") == 0)
    argp_error (state, "standard output is /dev/stdout; a file of this name "
                       "is ./-");
  options->output = output;
}

static void
set_files_from (struct argp_state *state, const char *list)
{
  struct tool_options *options = state->input;
  if (options->files_from != NULL)
    argp_error (state, "more than one list of files");
  options->files_from = list;
}

static void
set_debug_twin (struct argp_state *state, const char *debug)
{
  struct tool_options *options = state->input;
  options->debug_twin = true;
  options->debug_twin_file = debug;
}

static void
add_excluded (struct argp_state *state, const char *pattern)
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

/* The number of processors that this process may use; where there may be more
   than a cpu_set_t has room for, of all.  */
static unsigned
count_processors (void)
{
  cpu_set_t set;
  long count = sched_getaffinity (0, sizeof set, &set) == 0
                   ? CPU_COUNT (&set)
                   : sysconf (_SC_NPROCESSORS_ONLN);
  return count < 1                      ? 1
         : count < LOCATION_THREADS_MAX ? (unsigned)count
                                        : LOCATION_THREADS_MAX;
}

/* Read the configuration and do what it says about all files, where no option
   does; job.c has what it says about one.  A failure ends the program.  */
static void
read_configuration (struct argp_state *state, const char *none)
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
  if (coverage != NULL && !usage_is_given (options, OPTION_MIN_COVERAGE))
    number_percentage (coverage, &options->convert.min_coverage);
  if (format != NULL && !usage_is_given (options, OPTION_FORMAT))
    format_parse (format, &options->convert.format);
  if (checksummed != NULL
      && !usage_is_given (options, OPTION_CONVERT_CHECKSUMMED))
    options->convert.leave_checksummed = strcmp (checksummed, "yes") != 0;
}

static void
show_configuration (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  read_configuration (state, none);
  configuration_print (&options->configuration, state->out_stream);
  standard_output_end ();
}

/* Do what hooks of builds ask for, where no option does, wherever that stands;
   the manual, "Pipelines", says why.  */
static void
take_hook (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  if (!usage_is_given (options, OPTION_SKIP_UNCONVERTIBLE))
    options->skip_unconvertible = SKIP_ALL;
  if (!usage_is_given (options, OPTION_REPLACE))
    options->convert.replace_bad = true;
  if (!usage_is_given (options, OPTION_DEBUG_INFO))
    options->convert.debug_info = CFI2SFRAME_DEBUG_INFO_NONE;
  if (!usage_is_given (options, OPTION_MIN_COVERAGE))
    options->convert.min_coverage = 2;
  if (!usage_is_given (options, OPTION_SYNC))
    options->convert.sync = CFI2SFRAME_SYNC_END;
  read_configuration (state, none);
}

static void
convert_checksummed (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  (void)none;
  options->convert.leave_checksummed = false;
}

static void
raise_verbosity (struct argp_state *state, const char *none)
{
  struct tool_options *options = state->input;
  (void)none;
  options->verbose++;
}

static void
refuse_verify (struct argp_state *state, const char *none)
{
  (void)none;
  argp_error (state, "unrecognized option '--verify'; did you mean "
                     "'--check' or '--verify-code'?");
}

/* Options with a parser of their own.  */
static const struct
{
  int key;
  option_parser *parse;
} parsers[] = {
  { 'h', print_help },
  { 'j', parse_jobs },
  { 'o', set_output },
  { 'v', raise_verbosity },
  { OPTION_SECTION_ONLY, set_output },
  { OPTION_FORMAT, parse_format },
  { OPTION_FOR, parse_for },
  { OPTION_MIN_COVERAGE, parse_min_coverage },
  { OPTION_SKIP_UNCONVERTIBLE, parse_skip_unconvertible },
  { OPTION_RETURN_ADDRESSES, parse_return_addresses },
  { OPTION_VERIFY, refuse_verify },
  { OPTION_DEBUG_INFO, parse_debug_info },
  { OPTION_DEBUG_TWIN, set_debug_twin },
  { OPTION_SYNC, parse_sync },
  { OPTION_GNU, parse_gnu },
  { OPTION_CONVERT_CHECKSUMMED, convert_checksummed },
  { OPTION_REPLACE, parse_replace },
  { OPTION_FILES0_FROM, set_files_from },
  { OPTION_EXCLUDE, add_excluded },
  { OPTION_HOOK, take_hook },
  { OPTION_CONFIG, read_configuration },
  { OPTION_SHOW_CONFIG, show_configuration },
  { OPTION_STATS, parse_stats },
};

/* Options that are taken as they are: switches and texts.  */
static const struct option_member members[] = {
  OPTION_SWITCH (struct tool_options, 'q', quiet),
  OPTION_SWITCH (struct tool_options, 'r', recursive),
  OPTION_SWITCH (struct tool_options, 'x', one_file_system),
  OPTION_SWITCH (struct tool_options, 'n', convert.dry_run),
  OPTION_SWITCH (struct tool_options, 'p', convert.preserve_times),
  OPTION_SWITCH (struct tool_options, OPTION_STRICT, convert.strict),
  OPTION_SWITCH (struct tool_options, OPTION_REQUIRE, require),
  OPTION_SWITCH (struct tool_options, OPTION_VERIFY_CODE, convert.verify_code),
  OPTION_SWITCH (struct tool_options, OPTION_ANALYZE, convert.analyze),
  OPTION_SWITCH (struct tool_options, OPTION_NO_SHARE, convert.no_share),
  OPTION_SWITCH (struct tool_options, OPTION_NO_SPLIT, convert.no_split),
  OPTION_SWITCH (struct tool_options, OPTION_COMPACT, convert.compact),
  OPTION_SWITCH (struct tool_options, OPTION_RELOCATABLE, convert.relocatable),
  OPTION_TEXT (struct tool_options, OPTION_DETACHED, detached),
  OPTION_TEXT (struct tool_options, OPTION_DEBUG_FILE, convert.debug_file),
  OPTION_TEXT (struct tool_options, OPTION_ROOT, root),
  OPTION_TEXT (struct tool_options, OPTION_PACKAGE, package),
};

/* Parse the option KEY if there is a parser for it.  */
static bool
parse_argument (struct argp_state *state, int key, const char *argument)
{
  for (size_t i = 0; i < sizeof parsers / sizeof *parsers; i++)
    if (parsers[i].key == key)
      {
        parsers[i].parse (state, argument);
        return true;
      }
  return false;
}

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  struct tool_options *options = state->input;
  if (key == ARGP_KEY_ARGS || key == ARGP_KEY_NO_ARGS)
    {
      options->files = state->argv + state->next;
      options->n_files = (size_t)(state->argc - state->next);
      usage_check (state);
      return 0;
    }
  usage_note_given (options, key);
  /* An option may ask for a mode and have an argument, too.  */
  bool known = set_mode_of (state, key);
  known = parse_argument (state, key, argument) || known;
  error_t standard = standard_option_take (key, argument, state, members,
                                           sizeof members / sizeof *members);
  return known ? 0 : standard;
}

void
tool_options_parse (struct tool_options *options, int argc, char **argv)
{
  static const struct argp parser
      = { option_table, parse_option, "[FILE...]", option_documentation,
          NULL,         NULL,         NULL };
  *options = (struct tool_options){ 0 };
  cfi2sframe_options_init (&options->convert);
  options->convert.leave_checksummed = true;
  standard_options_parse ("cfi2sframe", &parser, 0, argc, argv, options);
  if (options->jobs == 0)
    options->jobs = count_processors ();
  options->talkative
      = options->verbose > 0
        || (!tool_options_is_tree (options) && isatty (STDOUT_FILENO));
}

void
tool_options_free (struct tool_options *options)
{
  free (options->excluded);
  options->excluded = NULL;
  configuration_free (&options->configuration);
}
