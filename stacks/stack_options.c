/* The command line of sframe-stack.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/stack_options.h"

#include <stdint.h>

#include "stacks/walk_options.h"
#include "cli/number.h"

enum
{
  FRAMES_DEFAULT = 2048,
  FRAMES_MAX = 1 << 20,

  OPTION_DWARF = OPTION_OF_PROGRAM,
  OPTION_JSON,
  OPTION_GROUP
};

static const struct argp_option option_table[] = {
  { "source", 's', NULL, 0, "Show the lines of source, too", 1 },
  { "frames", 'n', "N", 0, "Show at most N frames of a thread (default 2048)",
    1 },
  { "thread", 't', "TID", 0, "Show this thread alone", 1 },
  WALK_OPTIONS,
  { "dwarf", OPTION_DWARF, NULL, 0,
    "Walk by DWARF as well (by CFI alone) and show where the two differ", 1 },
  { "group", OPTION_GROUP, NULL, 0,
    "Show threads with equal stacks once, the most frequent stack first", 1 },
  { "json", OPTION_JSON, NULL, 0, "Print the stacks as JSON", 1 },
  { "verbose", 'v', NULL, 0,
    "Tell what was converted, and how long the process was stopped", 1 },
  STANDARD_OPTIONS
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

static const struct option_member members[] = {
  OPTION_SWITCH (struct stack_options, 's', source),
  OPTION_SWITCH (struct stack_options, OPTION_DWARF, dwarf),
  OPTION_SWITCH (struct stack_options, OPTION_JSON, json),
  OPTION_SWITCH (struct stack_options, OPTION_GROUP, group),
  WALK_MEMBERS (struct stack_options),
  OPTION_SWITCH (struct stack_options, 'v', verbose),
};

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  struct stack_options *options = state->input;
  switch (key)
    {
    case 'n':
      options->frames = standard_option_number (state, argument, FRAMES_MAX);
      return 0;
    case 't':
      options->thread
          = (pid_t)standard_option_number (state, argument, INT32_MAX);
      return 0;
    case ARGP_KEY_ARG:
      take_argument (state, argument);
      return 0;
    case ARGP_KEY_END:
      if (options->dwarf && (options->json || options->group))
        argp_error (state, "--dwarf compares walks: without --json and "
                           "--group");
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error (state, "no process and no core file given");
      return 0;
    default:
      return walk_option_parse (key, argument, state, members,
                                sizeof members / sizeof *members);
    }
}

void
stack_options_parse (struct stack_options *options, int argc, char **argv)
{
  static const struct argp parser
      = { option_table,  parse_option, "PID\nCORE [EXECUTABLE]",
          documentation, NULL,         NULL,
          NULL };
  *options = (struct stack_options){ .frames = FRAMES_DEFAULT,
                                     .policy.detached = DETACHED_DEFAULT };
  standard_options_parse ("sframe-stack", &parser, 0, argc, argv, options);
}
