/* The command line of sframe-profile.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/sframe_profile.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "stacks/walk_options.h"

enum
{
  HZ_DEFAULT = 99,
  HZ_MAX = 10000,
  SECONDS_DEFAULT = 10, /* for a process that was running already */
  SECONDS_MAX = 1000000,
  TOP_DEFAULT = 20,
  TOP_MAX = 1000000,

  OPTION_PTRACE = OPTION_OF_PROGRAM,
  OPTION_NO_INHERIT,
  OPTION_INPUT,
  OPTION_PERF_DATA,
  OPTION_ICICLE,
  OPTION_THREADS,
  OPTION_EVENT,
  OPTION_OFF_CPU,
  OPTION_INLINES,
  OPTION_TOP,
  OPTION_DIFF
};

static const struct argp_option option_table[] = {
  { "frequency", 'F', "HZ", 0, "Samples per second (default 99)", 1 },
  { "duration", 'd', "SECONDS", 0,
    "How long (default: 10, or until COMMAND ends)", 1 },
  { "pid", 'p', "PID", 0, "Sample this process", 1 },
  { "output", 'o', "FILE", 0,
    "Write a flame graph if FILE ends in .svg or .html, a profile for pprof "
    "if it ends in .pb.gz, one for the Firefox profiler if it ends in .json, "
    "otherwise folded stacks; may be given several times (default: on "
    "standard output folded stacks, or the table of --top if that is a "
    "terminal)",
    1 },
  { "top", OPTION_TOP, "N", OPTION_ARG_OPTIONAL,
    "Print a table of the N functions that take most (default 20)", 1 },
  { "diff", OPTION_DIFF, "FOLDED", 0,
    "Compare with the folded stacks that another run wrote: in colours, and "
    "in "
    "a column of the table",
    1 },
  { "input", OPTION_INPUT, "FILE", 0,
    "Instead of a process: what perf record --call-graph dwarf wrote", 1 },
  { "perf-data", OPTION_PERF_DATA, "FILE", 0,
    "With --input: write it again for perf, with call chains instead of "
    "copies of stacks",
    1 },
  { "icicle", OPTION_ICICLE, NULL, 0,
    "Flame graphs have callers above what they call", 1 },
  { "threads", OPTION_THREADS, NULL, 0,
    "Count each thread by itself, below its process", 1 },
  { "event", OPTION_EVENT, "N", 0,
    "With --input: count the samples of event N (1: the first one) alone", 1 },
  { "off-cpu", OPTION_OFF_CPU, NULL, 0,
    "Count the time that threads wait off the processor, in nanoseconds, "
    "instead of samples of what runs",
    1 },
  { "inlines", OPTION_INLINES, NULL, 0,
    "Show functions that were inlined, where there is debug information", 1 },
  { "no-inherit", OPTION_NO_INHERIT, NULL, 0,
    "Leave out the processes that it starts", 1 },
  { "ptrace", OPTION_PTRACE, NULL, 0,
    "Stop the process for every sample, even where the kernel could take them",
    1 },
  WALK_OPTIONS,
  { "quiet", 'q', NULL, 0, "No progress and no summary", 1 },
  STANDARD_OPTIONS
};

static const char documentation[]
    = "Sample the stacks of a process while it runs, walked by SFrame."
      "\vExit status: 0 there is a profile, 1 there is none, 2 wrong usage.";

static double
take_seconds (struct argp_state *state, const char *text)
{
  char *end;
  double seconds = strtod (text, &end);
  if (end == text || *end != '\0' || !isfinite (seconds) || seconds <= 0
      || seconds > SECONDS_MAX)
    argp_error (state, "'%s' is not a time in seconds", text);
  return seconds;
}

static void
check_usage (struct argp_state *state)
{
  struct profile_options *options = state->input;
  unsigned sources = (options->pid != 0) + (options->command != NULL)
                     + (options->input != NULL);
  if (sources != 1)
    argp_error (state, "one of -p PID, --input and a command is needed");
  if (options->perf_data != NULL && options->input == NULL)
    argp_error (state, "--perf-data needs --input");
  if (options->event != 0
      && (options->input == NULL || options->perf_data != NULL))
    argp_error (state, "--event needs --input, and no --perf-data");
  if (options->input != NULL
      && (options->hz != 0 || options->seconds != 0 || options->ptrace
          || options->no_inherit))
    argp_error (state, "--input is of samples that were taken already");
  if (options->off_cpu
      && (options->hz != 0 || options->ptrace || options->perf_data != NULL))
    argp_error (state, "--off-cpu counts each wait as the kernel tells of it: "
                       "without --frequency, --ptrace and --perf-data");
  if (options->hz == 0 && options->input == NULL)
    options->hz = HZ_DEFAULT;
  if (options->diff != NULL && options->threads)
    argp_error (state, "--diff compares functions, and other threads are "
                       "others: without --threads");
  if (options->top == 0 && options->n_outputs == 0
      && (options->diff != NULL
          || (options->perf_data == NULL && isatty (STDOUT_FILENO))))
    options->top = TOP_DEFAULT;
  if (options->pid != 0 && options->seconds == 0)
    options->seconds = SECONDS_DEFAULT;
}

static const struct option_member members[] = {
  OPTION_TEXT (struct profile_options, OPTION_DIFF, diff),
  OPTION_TEXT (struct profile_options, OPTION_INPUT, input),
  OPTION_TEXT (struct profile_options, OPTION_PERF_DATA, perf_data),
  OPTION_SWITCH (struct profile_options, OPTION_ICICLE, icicle),
  OPTION_SWITCH (struct profile_options, OPTION_THREADS, threads),
  OPTION_SWITCH (struct profile_options, OPTION_OFF_CPU, off_cpu),
  OPTION_SWITCH (struct profile_options, OPTION_INLINES, inlines),
  OPTION_SWITCH (struct profile_options, OPTION_NO_INHERIT, no_inherit),
  OPTION_SWITCH (struct profile_options, OPTION_PTRACE, ptrace),
  WALK_MEMBERS (struct profile_options),
  OPTION_SWITCH (struct profile_options, 'q', quiet),
};

static error_t
parse_option (int key, char *argument, struct argp_state *state)
{
  struct profile_options *options = state->input;
  switch (key)
    {
    case 'F':
      options->hz = (unsigned)standard_option_number (state, argument, HZ_MAX);
      return 0;
    case 'd':
      options->seconds = take_seconds (state, argument);
      return 0;
    case 'p':
      options->pid
          = (pid_t)standard_option_number (state, argument, INT32_MAX);
      return 0;
    case 'o':
      if (options->n_outputs == PROFILE_OUTPUTS_MAX)
        argp_error (state, "too many output files");
      options->outputs[options->n_outputs++] = argument;
      return 0;
    case OPTION_TOP:
      options->top = argument != NULL
                         ? standard_option_number (state, argument, TOP_MAX)
                         : TOP_DEFAULT;
      return 0;
    case OPTION_EVENT:
      options->event
          = (unsigned)standard_option_number (state, argument, INT32_MAX);
      return 0;
    case ARGP_KEY_ARGS:
      options->command = state->argv + state->next;
      state->next = state->argc;
      return 0;
    case ARGP_KEY_END:
      check_usage (state);
      return 0;
    default:
      return walk_option_parse (key, argument, state, members,
                                sizeof members / sizeof *members);
    }
}

void
profile_options_parse (struct profile_options *options, int argc, char **argv)
{
  static const struct argp parser
      = { option_table,
          parse_option,
          "-p PID\n-- COMMAND [ARGUMENT...]\n--input=FILE",
          documentation,
          NULL,
          NULL,
          NULL };
  *options = (struct profile_options){ .policy.detached = DETACHED_DEFAULT };
  /* ARGP_IN_ORDER: options after the command are the command's own.  */
  standard_options_parse ("sframe-profile", &parser, ARGP_IN_ORDER, argc, argv,
                          options);
}
