/* sframe-profile: main (), and the loop that takes samples.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The samples are of a process, of a command that this program starts, or of a
   recording of perf.  The kernel takes them if it can; otherwise each sample
   is a stop by ptrace.  */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/amounts.h"
#include "base/clock.h"
#include "base/io.h"
#include "cli/signals.h"
#include "stacks/live.h"
#include "stacks/profile.h"
#include "stacks/sampling.h"
#include "stacks/sframe_profile.h"
#include "stacks/shortage.h"

struct session
{
  struct profile_options options;
  struct command command;
  struct profile profile;
  struct named_profile old; /* the profile to compare with */
  pid_t pid;
  struct perf_sampler *sampler; /* NULL: samples are taken by ptrace */
  bool failed; /* the process cannot be sampled; a message was printed */
  bool ended;  /* the command has ended with exit status STATUS */
  int status;
  double started;
};

static volatile sig_atomic_t sampling, interrupted;
static volatile pid_t running; /* PID of the command, or 0 */

/* A signal ends this program: end the command, too.  */
static void
end_running (int number)
{
  (void)number;
  if (running <= 0)
    return;
  kill (running, SIGTERM);
  kill (running, SIGCONT);
}

/* Handle an interrupt.  During sampling, the first one ends the sampling.  Any
   other one ends the program, unless it comes within half a second after the
   first one: timeout(1) sends the same signal twice.  */
static void
take_interrupt (int number)
{
  static uint64_t first;
  const uint64_t twice = 500000000;
  uint64_t now = clock_nanoseconds ();
  if (interrupted ? now - first > twice : !sampling)
    signals_end (number);
  if (!interrupted)
    first = now;
  interrupted = 1;
}

/* Read the name of the process, which may change: a command may be a script
   that executes the program.  */
static void
read_name (struct session *session)
{
  live_thread_name (session->pid, session->pid, session->profile.name,
                    sizeof session->profile.name);
}

/* Open the kernel's sampler, unless ptrace is wanted.  If the kernel refuses,
   ptrace is used instead, but for time off the processor this fails.  */
static bool
open_sampler (struct session *session)
{
  const struct profile_options *options = &session->options;
  struct error err;
  if (options->ptrace)
    return true;
  session->sampler = perf_sampler_open (&session->profile, session->pid,
                                        options->hz, options->command != NULL,
                                        !options->no_inherit, &err);
  if (session->sampler == NULL && options->off_cpu)
    return profile_fail ("--off-cpu", err.reason);
  if (session->sampler == NULL && !options->quiet)
    fprintf (stderr,
             "sframe-profile: %s; the process is stopped for every sample\n",
             err.reason);
  return true;
}

/* Start the command.  It becomes a member before it executes the program,
   because it may end soon afterwards.  */
static bool
open_command (struct session *session)
{
  char **arguments = session->options.command;
  struct family *family = &session->profile.family;
  struct error err;
  if (!command_prepare (&session->command, arguments))
    return profile_fail (arguments[0], strerror (errno));
  session->pid = running = session->command.pid;
  struct member *member = family_add (family, session->pid, &err);
  if (member == NULL)
    return profile_fail (arguments[0], err.reason);
  if (!open_sampler (session))
    return false;
  if (interrupted)
    return profile_fail (arguments[0], "interrupted before it was started");
  if (!command_start (&session->command))
    return profile_fail (arguments[0], strerror (errno));
  family_execute (family, session->pid);
  live_read_mappings (&member->process, &err);
  member_read_name (member);
  read_name (session);
  return true;
}

static bool
open_target (struct session *session)
{
  const struct profile_options *options = &session->options;
  struct family *family = &session->profile.family;
  struct error err;
  char what[32];
  session->pid = options->pid;
  if (options->command != NULL)
    return open_command (session);
  snprintf (what, sizeof what, "process %d", (int)session->pid);
  snprintf (session->profile.name, sizeof session->profile.name, "%d",
            (int)session->pid);
  struct member *member = family_add (family, session->pid, &err);
  if (member == NULL)
    return profile_fail (what, err.reason);
  read_name (session);
  if (!open_sampler (session))
    return false;
  if (!options->no_inherit)
    family_add_children (family);
  if (family->n > 1 && !options->quiet)
    fprintf (stderr,
             "sframe-profile: with %zu process%s that it has started "
             "(--no-inherit: without)\n",
             family->n - 1, family->n == 2 ? "" : "es");
  /* The sampler reports new mappings from now on.  Read those that were made
     after family_add has read them.  */
  family_read_mappings (family);
  return true;
}

static void
show_progress (const struct session *session)
{
  static double shown;
  double now = clock_now ();
  if (session->options.quiet || now - shown < 0.2 || !isatty (STDERR_FILENO))
    return;
  shown = now;
  fprintf (stderr, "\r%.0f s, %" PRIu64 " sample%s ", now - session->started,
           session->profile.samples, plural_s (session->profile.samples));
}

/* Whether the command, if any, has ended.  Keep its exit status, as a shell
   would report it.  Until its status is read, the command is a zombie.  */
static bool
command_ended (struct session *session)
{
  int status;
  if (session->command.pid > 0
      && waitpid (session->command.pid, &status, WNOHANG)
             == session->command.pid)
    {
      session->command.pid = running = 0;
      session->ended = true;
      session->status = WIFEXITED (status) ? WEXITSTATUS (status)
                                           : 128 + WTERMSIG (status);
    }
  return session->ended;
}

/* Whether the command, which cannot be sampled any more, has ended.  The
   kernel releases the memory of a process that ends before it notifies the
   parent, so wait a moment for the status.  */
static bool
command_is_over (struct session *session)
{
  const struct timespec moment = { 0, 5000000 };
  /* Two tenths of a second.  */
  for (int tries = 0; session->command.pid > 0 && tries < 40; tries++)
    {
      if (command_ended (session))
        return true;
      nanosleep (&moment, NULL);
    }
  return session->ended;
}

/* Whether any thread of the sampled process is alive.  */
static bool
is_alive (const struct session *session)
{
  return !live_thread_ended (session->pid, live_memory_thread (session->pid));
}

/* Wait until the next sample is due, and take it by ptrace.  If that fails for
   a process that was sampled before, another tracer may have it for a while,
   or no thread may be left to stop: count the sample as lost.  False when the
   sampling ends.  */
static bool
trace_once (struct session *session)
{
  struct error err;
  struct timespec pause = { 0, 1000000000 / session->options.hz };
  if (session->options.hz == 1)
    pause = (struct timespec){ 1, 0 };
  nanosleep (&pause, NULL);
  if (trace_sampler_take (&session->profile, session->pid,
                          !session->options.no_inherit, &err))
    return true;
  if (command_is_over (session) || !is_alive (session))
    return false;
  if (session->profile.samples == 0)
    {
      session->failed = !profile_fail (session->profile.name, err.reason);
      return false;
    }
  session->profile.lost++;
  return true;
}

static void
sample (struct session *session)
{
  double limit = session->options.seconds;
  session->started = clock_now ();
  bool more = true;
  while (more && !interrupted)
    {
      if (session->sampler == NULL)
        more = trace_once (session);
      else
        {
          perf_sampler_read (session->sampler);
          /* The status says when a command has ended.  */
          more = session->command.pid > 0 || is_alive (session);
        }
      session->profile.seconds = clock_now () - session->started;
      read_name (session);
      if (command_ended (session)
          || (limit > 0 && session->profile.seconds >= limit))
        more = false;
      show_progress (session);
    }
  if (session->sampler != NULL)
    perf_sampler_finish (session->sampler);
  if (!session->options.quiet && isatty (STDERR_FILENO))
    fputs ("\r\033[K", stderr);
}

static bool
take_recording (struct session *session)
{
  const struct profile_options *options = &session->options;
  const char *slash = strrchr (options->input, '/'), *at_fault;
  struct error err;
  snprintf (session->profile.name, sizeof session->profile.name, "%s",
            slash != NULL ? slash + 1 : options->input);
  if (!perf_input_take (&session->profile, options->input, options->event,
                        options->perf_data, &at_fault, &err))
    return profile_fail (at_fault, err.reason);
  return session->profile.samples > 0
         || profile_fail (options->input, "it has no sample with a stack");
}

static bool
take_samples (struct session *session)
{
  struct sigaction action
      = { .sa_handler = take_interrupt, .sa_flags = SA_RESTART };
  /* Interrupts end the sampling even if the caller ignores them: shells let
     background commands of scripts ignore SIGINT, and scripts end perf record
     by SIGINT.  With SA_RESTART, an interrupt that comes twice does not abort
     the opening of an output that is a pipe.  */
  sigfillset (&action.sa_mask);
  sampling = 1;
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  if (!open_target (session))
    return false;
  sample (session);
  sampling = 0;
  if (session->failed)
    return false;
  return session->profile.samples > 0 || session->ended
         || profile_fail (
             session->profile.name,
             session->profile.of_32_bit > 0
                 ? "its registers are not those of a 64-bit program"
                 : "it did not run while it was sampled");
}

static bool
run (struct session *session)
{
  const struct profile_options *options = &session->options;
  struct profile *profile = &session->profile;
  if (!profile_open_outputs (options, &session->old))
    return false;
  if (!profile_init (profile))
    return profile_fail ("profile", "out of memory");
  profile->family.policy = options->policy;
  profile->by_thread = options->threads;
  profile->off_cpu = options->off_cpu;
  profile->hz = options->off_cpu ? 0 : options->hz;
  if (!(options->input != NULL ? take_recording (session)
                               : take_samples (session)))
    return false;
  /* Folded stacks are printed unless another output is wanted.  */
  if ((options->n_outputs > 0 || options->top > 0
       || options->perf_data == NULL)
      && !profile_write_outputs (profile, options, &session->old))
    return false;
  if (!options->quiet)
    profile_print_summary (profile);
  return true;
}

int
main (int argc, char **argv)
{
  struct session session = { .command = { .go = -1, .result = -1 } };
  io_occupy_standard ();
  command_remember_signals ();
  signals_install (end_running, shortage_tell_lost_file);
  profile_options_parse (&session.options, argc, argv);
  bool done = run (&session) && shortage_is_none ("sframe-profile");
  command_end (&session.command);
  running = 0;
  if (session.sampler != NULL)
    perf_sampler_close (session.sampler);
  profile_free (&session.profile);
  named_profile_free (&session.old);
  return done ? session.status : EXIT_FAILURE;
}
