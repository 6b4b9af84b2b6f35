/* Parsing and checking the command line of cfi2sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/options.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "convert/for_readers.h"
#include "convert/location.h"
#include "cli/events.h"
#include "cli/option_table.h"
#include "cli/standard_options.h"

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

/* ---- Checking which options can be combined */

/* Refuse options that insert a section: compact unwind is never inserted.  */
static void
check_compact_unwind (const struct argp_state *state)
{
  const struct tool_options *options = state->input;
  if (options->compact_unwind && options->mode != MODE_SECTION_ONLY
      && options->mode != MODE_DUMP)
    argp_error (state, "--format=compact-unwind goes with --section-only or "
                       "--dump only");
  if (options->compact_unwind_machine != NULL && options->mode != MODE_DUMP)
    argp_error (state, "a machine is for --dump of a bare section only");
  if (options->compact_unwind
      && (options->convert.relocatable || options->convert.gnu))
    argp_error (state, "this option is for SFrame only");
}

/* Refuse options that have no effect, because the user expects one.  */
static void
check_effects (const struct argp_state *state)
{
  const struct tool_options *options = state->input;
  for (size_t i = 0; options->given >> i != 0; i++)
    {
      const struct tool_option *option = &option_table[i];
      if (!(options->given >> i & 1) || option->modes == 0)
        continue;
      if (!tool_mode_is_in (options, option->modes))
        argp_error (state, "--%s has no effect with %s", option->name,
                    mode_names[options->mode].option);
      if ((option->modes & FOR_LINKED) && options->convert.relocatable)
        argp_error (state, "--%s is for linked files, not with --relocatable",
                    option->name);
    }
  if (options->one_file_system && !options->recursive)
    argp_error (state, "--one-file-system has no effect without -r");
  if (options->n_excluded > 0 && !options->recursive)
    argp_error (state, "--exclude has no effect without -r");
}

/* Refuse --for together with --format, because the readers determine the
   version.  With --require, they determine it for the section that a
   conversion would make.  */
static void
check_readers (const struct argp_state *state)
{
  struct tool_options *options = state->input;
  struct cfi2sframe_options *convert = &options->convert;
  struct error err;
  error_clear (&err);
  if (convert->readers == 0)
    return;
  if (option_is_given (state, "format"))
    argp_error (state, "--for chooses the version; --format does, too");
  if ((options->mode != MODE_CHECK || options->require)
      && !for_readers_format (convert->readers, &convert->format, &err))
    argp_error (state, "--for: %s", err.reason);
}

/* Check the options for debug files, of which MANY files cannot share one.  */
static void
check_debug_file (const struct argp_state *state, bool many)
{
  const struct tool_options *options = state->input;
  const struct cfi2sframe_options *convert = &options->convert;
  if (options->debug_twin_file != NULL && many)
    argp_error (state, "--debug-twin=DEBUG goes with one input file");
  if (options->debug_twin && options->debug_twin_file == NULL
      && options->output != NULL)
    argp_error (state, "with an output file, name the debug file: "
                       "--debug-twin=DEBUG");
  if (convert->debug_file == NULL)
    return;
  if (many)
    argp_error (state, "--debug-file goes with one input file");
  if (convert->debug_info == CFI2SFRAME_DEBUG_INFO_NONE)
    argp_error (state, "--debug-file contradicts --debug-info=none");
}

/* Check the whole command line, which is parsed.  If parts of it contradict
   each other or have no effect, end with a message.  */
static void
check_usage (const struct argp_state *state)
{
  struct tool_options *options = state->input;
  bool many = options->n_files > 1 || tool_options_is_tree (options);
  if (options->n_files == 0 && options->files_from == NULL)
    argp_error (state, "no file given");
  if (options->output != NULL && many)
    argp_error (state, "an output file goes with one input file");
  check_compact_unwind (state);
  check_effects (state);
  check_readers (state);
  if (events_wanted (options->stats)
      && tool_mode_is_in (options, MODE_BIT (MODE_COMPARE)
                                       | MODE_BIT (MODE_COMPARE_FORMATS)))
    argp_error (state, "%s has --stats and --stats=json only",
                mode_names[options->mode].option);
  if (options->mode == MODE_COMPARE)
    {
      if (options->n_files != 2)
        argp_error (state, "--compare takes two files");
      options->compared = options->files[--options->n_files];
    }
  check_debug_file (state, many);
  if ((options->root != NULL || options->package != NULL)
      && !option_is_given (state, "config")
      && !option_is_given (state, "hook"))
    argp_error (state, "--%s has no effect without --config",
                options->root != NULL ? "root" : "package");
}

/* ---- Parsing */

/* Apply OPTION with ARGUMENT.  */
static void
take_option (struct argp_state *state, const struct tool_option *option,
             const char *argument)
{
  struct tool_options *options = state->input;
  if (argument != NULL && argument[0] == '\0' && !option->may_be_empty)
    argp_error (state, "--%s with an empty value", option->name);
  options->given |= UINT64_C (1) << (option - option_table);
  if (option->mode != MODE_CONVERT)
    {
      if (options->mode != MODE_CONVERT && options->mode != option->mode)
        argp_error (state, "%s and %s exclude each other",
                    mode_names[options->mode].option,
                    mode_names[option->mode].option);
      options->mode = option->mode;
    }
  if (option->turns_on != 0)
    *(bool *)((char *)options + option->turns_on) = true;
  if (option->keeps != 0)
    *(const char **)((char *)options + option->keeps) = argument;
  if (option->parse != NULL)
    option->parse (state, argument);
}

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  struct tool_options *options = state->input;
  const struct tool_option *option = option_of_key (key);
  if (key == ARGP_KEY_ARGS || key == ARGP_KEY_NO_ARGS)
    {
      options->files = state->argv + state->next;
      options->n_files = (size_t)(state->argc - state->next);
      check_usage (state);
      return 0;
    }
  /* Print the usual options; for --help=all, argp prints all of them.  */
  if (key == 'h' && !option_has_value (state, "--help", argument, "all"))
    {
      fputs (usual_options, state->out_stream);
      standard_output_end ();
    }
  if (option == NULL)
    return standard_option_take (key, argument, state, NULL, 0);
  take_option (state, option, argument);
  return 0;
}

/* Return the number of processors that this process may use.  On machines with
   more than a cpu_set_t can hold, count all of them.  */
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

void
tool_options_parse (struct tool_options *options, int argc, char **argv)
{
  const struct argp parser = { .options = option_table_for_argp (),
                               .parser = parse_option,
                               .args_doc = "[FILE...]",
                               .doc = option_documentation };
  *options = (struct tool_options){ 0 };
  cfi2sframe_options_init (&options->convert);
  options->convert.leave_checksummed = true;
  standard_options_parse ("cfi2sframe", &parser, 0, argc, argv, options);
  if (options->jobs == 0)
    options->jobs = count_processors ();
  options->prints_each_file
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
