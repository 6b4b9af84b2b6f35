/* The command line of sframe-stack.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "tool/stack_options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfi2sframe.h"
#include "tool/number.h"

enum
{
  EXIT_USAGE = 2,
  FRAMES_DEFAULT = 2048,
  FRAMES_MAX = 1 << 20,

  OPTION_DWARF = 256,
  OPTION_ONLY_SFRAME,
  OPTION_ANALYZE,
  OPTION_USAGE
};

static const struct argp_option option_table[] = {
  { "source", 's', NULL, 0, "Show the lines of source, too", 1 },
  { "frames", 'n', "N", 0, "Show at most N frames of a thread (default 2048)",
    1 },
  { "thread", 't', "TID", 0, "Show this thread alone", 1 },
  { "only-sframe", OPTION_ONLY_SFRAME, NULL, 0,
    "Stop where a module has no SFrame data of its own, instead of converting "
    "it in memory",
    1 },
  { "analyze", OPTION_ANALYZE, NULL, 0,
    "Modules that are converted get rows for code without CFI, too", 1 },
  { "dwarf", OPTION_DWARF, NULL, 0,
    "Walk by DWARF as well (with libdwfl) and show where the two differ", 1 },
  { "verbose", 'v', NULL, 0,
    "Tell what was converted, and how long the process was stopped", 1 },
  { "help", 'h', NULL, 0, "Give this help list", -1 },
  { "usage", OPTION_USAGE, NULL, 0, "Give a short usage message", -1 },
  { "version", 'V', NULL, 0, "Print the version", -1 },
  { 0 }
};

static const char documentation[]
    = "Show the stacks of a living process or a core file, found by SFrame."
      "\vExit status: 0 the stacks were shown, 1 they were not, or --dwarf "
      "found "
      "a difference, 2 wrong usage.";

static void
take_argument (struct argp_state *state, const char *argument)
{
  struct stack_options *options = state->input;
  size_t pid;
  if (options->pid == 0 && options->core == NULL)
    {
      if (number_parse (argument, 1, INT32_MAX, &pid))
        options->pid = (pid_t)pid;
      else
        options->core = argument;
    }
  else if (options->core != NULL && options->executable == NULL)
    options->executable = argument;
  else
    argp_error (state, "too many arguments");
}

static size_t
take_number (struct argp_state *state, const char *text, size_t most)
{
  size_t number = 0;
  if (!number_parse (text, 1, most, &number))
    argp_error (state, "'%s' is no number from 1 to %zu", text, most);
  return number;
}

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  struct stack_options *options = state->input;
  switch (key)
    {
    case 's':
      options->source = true;
      return 0;
    case 'n':
      options->frames = take_number (state, argument, FRAMES_MAX);
      return 0;
    case 't':
      options->thread = (pid_t)take_number (state, argument, INT32_MAX);
      return 0;
    case OPTION_DWARF:
      options->dwarf = true;
      return 0;
    case OPTION_ONLY_SFRAME:
      options->only_sframe = true;
      return 0;
    case OPTION_ANALYZE:
      options->analyze = true;
      return 0;
    case 'v':
      options->verbose = true;
      return 0;
    case 'V':
      fprintf (state->out_stream, "sframe-stack %s\n", cfi2sframe_version ());
      exit (EXIT_SUCCESS);
    case 'h':
      argp_state_help (state, state->out_stream, ARGP_HELP_STD_HELP);
      return 0;
    case OPTION_USAGE:
      argp_state_help (state, state->out_stream,
                       ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
      return 0;
    case ARGP_KEY_ARG:
      take_argument (state, argument);
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error (state, "no process and no core file given");
      return 0;
    case ARGP_KEY_INIT:
      state->name = program_invocation_short_name; /* argp does so later */
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
    }
}

void
stack_options_parse (struct stack_options *options, int argc, char **argv)
{
  static const struct argp parser
      = { option_table,  parse_option, "PID\nCORE [EXECUTABLE]",
          documentation, NULL,         NULL,
          NULL };
  *options = (struct stack_options){ .frames = FRAMES_DEFAULT };
  argp_err_exit_status = EXIT_USAGE;
  if (argp_parse (&parser, argc, argv, ARGP_NO_HELP, NULL, options) != 0)
    exit (EXIT_USAGE);
}
