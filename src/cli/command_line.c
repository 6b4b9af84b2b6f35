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

/* Print the usual options for --help.  Returns for --help=all, which argp
   prints.  */
static void
print_help (struct argp_state *state, const char *which)
{
  if (option_has_value (state, "--help", which, "all"))
    return;
  fputs (usual_options, state->out_stream);
  standard_output_end ();
}

static void
set_mode (struct argp_state *state, enum tool_mode mode)
{
  struct tool_options *options = state->input;
  if (options->mode != MODE_CONVERT && options->mode != mode)
    argp_error (state, "%s and %s exclude each other",
                mode_names[options->mode].option, mode_names[mode].option);
  options->mode = mode;
}

/* Set the mode that the option KEY asks for, if it asks for one.  */
static bool
set_mode_of (struct argp_state *state, int key)
{
  for (unsigned mode = MODE_CONVERT + 1; mode < N_MODES; mode++)
    if (mode_names[mode].key == key)
      {
        set_mode (state, (enum tool_mode)mode);
        return true;
      }
  return false;
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

static const struct option_switch switches[] = {
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
};

/* Options with a text that is used as it is: where it goes.  */
static const struct
{
  int key;
  size_t offset;
} texts[] = {
  { OPTION_DETACHED, offsetof (struct tool_options, detached) },
  { OPTION_DEBUG_FILE, offsetof (struct tool_options, convert.debug_file) },
  { OPTION_DEBUG_TWIN, offsetof (struct tool_options, debug_twin_file) },
  { OPTION_ROOT, offsetof (struct tool_options, root) },
  { OPTION_PACKAGE, offsetof (struct tool_options, package) },
};

/* Set the text of the option KEY, if it is one of these.  */
static bool
set_text (struct tool_options *options, int key, const char *argument)
{
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (texts[i].key == key)
      {
        *(const char **)((char *)options + texts[i].offset) = argument;
        return true;
      }
  return false;
}

/* Read the configuration; a failure ends the program.  */
static void
read_configuration (struct argp_state *state)
{
  struct tool_options *options = state->input;
  struct cfi2sframe_error err;
  if (!configuration_read (&options->configuration, &err))
    argp_failure (state, EXIT_FAILURE, 0, "%s: %s", err.file, err.reason);
}

/* What it says about all files; job.c has what it says about one.  */
static void
apply_configuration (struct tool_options *options)
{
  const struct configuration *configuration = &options->configuration;
  const char *coverage
      = configuration_value (configuration, SETTING_MIN_COVERAGE);
  const char *format = configuration_value (configuration, SETTING_FORMAT);
  const char *checksummed
      = configuration_value (configuration, SETTING_CHECKSUMMED);
  if (coverage != NULL)
    number_percentage (coverage, &options->convert.min_coverage);
  if (format != NULL)
    format_parse (format, &options->convert.format);
  if (checksummed != NULL)
    options->convert.leave_checksummed = strcmp (checksummed, "yes") != 0;
}

/* What hooks of builds ask for; the manual, "Pipelines", says why.  */
static void
apply_hook (struct tool_options *options)
{
  options->skip_unconvertible = SKIP_ALL;
  options->convert.replace = false;
  options->convert.replace_bad = true;
  options->convert.debug_info = CFI2SFRAME_DEBUG_INFO_NONE;
  options->convert.min_coverage = 2;
  options->convert.sync = CFI2SFRAME_SYNC_END;
}

/* Options: the configuration.  */
static error_t
parse_configuration_option (int key, struct argp_state *state)
{
  struct tool_options *options = state->input;
  switch (key)
    {
    case OPTION_HOOK:
      apply_hook (options);
      read_configuration (state);
      apply_configuration (options);
      return 0;
    case OPTION_CONFIG:
      read_configuration (state);
      apply_configuration (options);
      return 0;
    case OPTION_SHOW_CONFIG:
      read_configuration (state);
      configuration_print (&options->configuration, state->out_stream);
      standard_output_end ();
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

/* Options: many files, and those of all programs.  */
static error_t
parse_tree_option (int key, char *argument, struct argp_state *state)
{
  struct tool_options *options = state->input;
  switch (key)
    {
    case OPTION_FILES0_FROM:
      if (options->files_from != NULL)
        argp_error (state, "more than one list of files");
      options->files_from = argument;
      return 0;
    case OPTION_EXCLUDE:
      add_excluded (state, argument);
      return 0;
    default:
      return standard_option_take (key, state, switches,
                                   sizeof switches / sizeof *switches);
    }
}

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  struct tool_options *options = state->input;
  usage_note_given (options, key);
  bool known = set_mode_of (state, key);
  known = set_text (options, key, argument) || known;
  known = option_value_parse (state, key, argument) || known;
  switch (key)
    {
    case 'o':
    case OPTION_SECTION_ONLY:
      set_output (state, argument);
      return 0;
    case OPTION_DEBUG_TWIN:
      options->debug_twin = true;
      return 0;
    case OPTION_VERIFY:
      argp_error (state, "unrecognized option '--verify'; did you mean "
                         "'--check' or '--verify-code'?");
      return 0;
    case OPTION_CONVERT_CHECKSUMMED:
      options->convert.leave_checksummed = false;
      return 0;
    case 'v':
      options->verbose++;
      return 0;
    case 'h':
      print_help (state, argument);
      return standard_option_take (key, state, NULL, 0);
    case ARGP_KEY_ARGS:
    case ARGP_KEY_NO_ARGS:
      options->files = state->argv + state->next;
      options->n_files = (size_t)(state->argc - state->next);
      usage_check (state);
      return 0;
    default:
      return known || parse_configuration_option (key, state) == 0
                 ? 0
                 : parse_tree_option (key, argument, state);
    }
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
