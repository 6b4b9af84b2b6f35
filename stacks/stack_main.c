/* sframe-stack: main (), options, and showing the stacks of a living process
   or of a core file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/printable.h"
#include "cli/number.h"
#include "cli/signals.h"
#include "stacks/process.h"
#include "stacks/live.h"
#include "stacks/stack_print.h"
#include "stacks/shortage.h"
#include "stacks/stack_walk.h"
#include "stacks/walk_options.h"

/* ---- The command line */

struct stack_options
{
  pid_t pid;        /* or 0 */
  const char *core; /* or NULL */
  const char *executable;
  size_t frames; /* limit for each thread */
  pid_t thread;  /* the only thread to show, or 0 */
  bool source, mangled, dwarf, verbose;
  bool json, group; /* show equal stacks once */
  struct section_policy policy;
};

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

static const struct argp parser
    = { option_table,  parse_option, "PID\nCORE [EXECUTABLE]",
        documentation, NULL,         NULL,
        NULL };

/* ---- The stacks */

enum
{
  /* Bytes of each stack that are copied when the process is stopped.  A deeper
     walk needs another stop.  */
  STACK_COPIED = 8 << 20,
  OTHER_COPIED = 1 << 20 /* bytes of other stacks that a walk reaches */
};

struct session
{
  struct stack_options options;
  struct process process;
  struct code_files files;
  struct stack_walk sframe, dwarf;
  struct stack_groups groups; /* for --group */
  struct live_copy copy;
};

/* Walk from REGISTERS as the options ask for.  CONTEXT is the session.  */
static void
walk_thread (void *context, struct process *process,
             const struct registers *registers)
{
  struct session *session = context;
  stack_walk_by_sframe (process, registers, &session->sframe);
  if (session->options.dwarf)
    stack_walk_by_cfi (process, registers, &session->dwarf);
}

static bool
open_living (struct session *session, struct error *err)
{
  struct process *process = &session->process;
  struct live_copy *copy = &session->copy;
  *copy = (struct live_copy){ .stack_max = STACK_COPIED,
                              .walk = walk_thread,
                              .context = session };
  process->memory.chunk = OTHER_COPIED;
  if (!live_open (process, session->options.pid, err)
      || !live_copy (process, copy, err))
    return false;
  if (copy->incomplete > 0)
    fprintf (
        stderr,
        "sframe-stack: %zu stack%s not copied whole: all together are too "
        "large\n",
        copy->incomplete, copy->incomplete == 1 ? " was" : "s were");
  live_read_names (process);
  return true;
}

/* Print the stack of N threads.  WALK is NULL if nothing is known.  */
static void
print_stack (const struct session *session, struct stack_printer *printer,
             const struct thread *const *threads, size_t n,
             const struct stack_walk *walk)
{
  (session->options.json ? stack_json_print : stack_print) (printer, threads,
                                                            n, walk);
  printer->first = false;
}

/* Print THREAD or add it to a group.  False if the walk by DWARF differs.  */
static bool
show_thread (struct session *session, struct stack_printer *printer,
             const struct thread *thread)
{
  const struct stack_options *options = &session->options;
  struct stack_walk *walk = thread->known ? &session->sframe : NULL;
  if (walk != NULL)
    walk_thread (session, &session->process, &thread->registers);
  if (walk != NULL && options->group
      && stack_groups_add (&session->groups, thread, walk))
    return true;
  if (walk != NULL && options->dwarf)
    return stack_print_both (printer, thread, walk, &session->dwarf);
  print_stack (session, printer, &thread, 1, walk);
  return true;
}

static void
show_groups (struct session *session, struct stack_printer *printer)
{
  struct stack_groups *groups = &session->groups;
  stack_groups_sort (groups);
  for (size_t i = 0; i < groups->n; i++)
    print_stack (session, printer, groups->groups[i].threads,
                 groups->groups[i].n, &groups->groups[i].walk);
  stack_groups_free (groups);
}

static int
show_threads (struct session *session)
{
  struct process *process = &session->process;
  const struct stack_options *options = &session->options;
  struct stack_printer printer
      = { process,
          (options->source ? SYMBOL_SOURCE : 0)
              | (options->mangled ? SYMBOL_MANGLED : 0),
          stdout, true };
  pid_t wanted = options->thread;
  size_t shown = 0;
  bool agree = true;
  if (options->json)
    stack_json_begin (&printer, process->pid, options->core);
  for (size_t i = 0; i < process->n_threads; i++)
    {
      const struct thread *thread = &process->threads[i];
      if (!(thread->known || thread->waits || thread->tracer != 0)
          || (wanted != 0 && thread->tid != wanted))
        continue;
      agree &= show_thread (session, &printer, thread);
      shown++;
    }
  show_groups (session, &printer);
  if (options->json)
    stack_json_end (&printer);
  if (shown == 0)
    fprintf (stderr, "sframe-stack: no such thread\n");
  return agree && shown > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void
tell_details (const struct session *session)
{
  static const char *const origins[] = { [SECTION_OWN] = "its own",
                                         [SECTION_DETACHED] = "detached",
                                         [SECTION_CONVERTED] = "converted",
                                         [SECTION_KEPT] = "kept" };
  if (session->options.pid != 0)
    fprintf (stderr, "stopped for %.2f ms\n",
             (double)session->copy.stopped * 1e-6);
  for (size_t i = 0; i < session->files.n; i++)
    {
      const struct code_file *file = session->files.files[i];
      const struct row_source *rows = &file->rows;
      if (rows->origin == SECTION_UNKNOWN)
        continue;
      printable_put (file->path, stderr);
      if (rows->origin == SECTION_NONE)
        fprintf (stderr, ": %s\n", rows->reason ? rows->reason : "");
      else
        fprintf (stderr, ": %" PRIu64 " bytes of SFrame data, %s\n",
                 row_source_size (rows), origins[rows->origin]);
    }
}

static void
print_error (const struct stack_options *options, const struct error *err)
{
  fputs ("sframe-stack: ", stderr);
  if (options->core != NULL)
    printable_put (options->core, stderr);
  else
    fprintf (stderr, "process %d", (int)options->pid);
  fprintf (stderr, ": %s\n", err->reason);
}

static int
run (struct session *session)
{
  const struct stack_options *options = &session->options;
  struct error err;
  struct core *core = NULL;
  int status = EXIT_FAILURE;
  error_clear (&err);
  bool opened = false;
  if (!stack_walk_init (&session->sframe, options->frames)
      || !stack_walk_init (&session->dwarf, options->frames))
    error_set_no_memory (&err);
  else if (options->core != NULL)
    opened = (core = core_open (&session->process, options->core,
                                options->executable, &err))
             != NULL;
  else
    opened = open_living (session, &err);
  if (opened && core != NULL && core_missing (core) > 0)
    fprintf (stderr,
             "sframe-stack: the core was cut off: %" PRIu64
             " bytes are missing\n",
             core_missing (core));
  if (opened)
    status = show_threads (session);
  else
    print_error (options, &err);
  if (opened && options->verbose)
    tell_details (session);
  code_files_free (&session->files);
  if (options->core != NULL)
    core_close (core, &session->process);
  else
    live_close (&session->process);
  stack_walk_free (&session->sframe);
  stack_walk_free (&session->dwarf);
  return status;
}

int
main (int argc, char **argv)
{
  struct session session
      = { .options = { .frames = FRAMES_DEFAULT,
                       .policy.detached = DETACHED_DEFAULT } };
  io_occupy_standard ();
  signals_install (NULL, shortage_tell_lost_file);
  standard_options_parse ("sframe-stack", &parser, 0, argc, argv,
                          &session.options);
  session.process.files = &session.files;
  session.process.policy = session.options.policy;
  session.process.policy.analyze_on_demand
      = !session.options.policy.only_sframe;
  int status = run (&session);
  if (!shortage_is_none ("sframe-stack"))
    status = EXIT_FAILURE;
  return standard_output_flush (status);
}
