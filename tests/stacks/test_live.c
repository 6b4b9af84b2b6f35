/* Unit tests of stops of living processes, whose threads come, go and wait
   meanwhile.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stacks/live.h"
#include "stacks/process.h"
#include "stacks/profile.h"
#include "stacks/sampling.h"
#include "tests/stacks/process_files.h"
#include "tests/unit_test.h"

/* The kernel prints it as it is, in front of the state.  */
TEST (a_thread_may_have_any_name)
{
  char name[16];
  assert_int_equal (prctl (PR_GET_NAME, name), 0);
  assert_int_equal (prctl (PR_SET_NAME, "a) Z\nb) T"), 0);
  assert_int_equal (live_thread_state (getpid (), getpid ()), 'R');
  assert_int_equal (prctl (PR_SET_NAME, name), 0);
}

/* What happens to the child between two requests.  */
static bool killed_when_asked;
static int forks_when_seized = -1; /* a byte here has it wait for a vfork */
static int grows_when_seized = -1; /* a byte here has it make a thread */
static int ends_when_asked = -1;   /* a byte here ends the thread */

static void
await_state (pid_t pid, char state)
{
  while (live_thread_state (pid, pid) != state)
    usleep (1000);
}

static size_t
count_threads (pid_t pid)
{
  size_t n = 0;
  DIR *threads = live_threads (pid);
  while (live_next_thread (threads) != 0)
    n++;
  closedir (threads);
  return n;
}

long __wrap_ptrace (enum __ptrace_request request, pid_t tid, void *address,
                    void *data);
long __real_ptrace (enum __ptrace_request request, pid_t tid, void *address,
                    void *data);
long
__wrap_ptrace (enum __ptrace_request request, pid_t tid, void *address,
               void *data)
{
  if (killed_when_asked && request == PTRACE_INTERRUPT)
    kill (tid, SIGKILL);
  if (forks_when_seized >= 0 && request == PTRACE_INTERRUPT)
    {
      assert_int_equal (write (forks_when_seized, "", 1), 1);
      await_state (tid, 'D');
    }
  if (grows_when_seized >= 0 && request == PTRACE_INTERRUPT)
    {
      size_t n = count_threads (tid);
      assert_int_equal (write (grows_when_seized, "", 1), 1);
      while (count_threads (tid) == n)
        usleep (100);
    }
  if (ends_when_asked >= 0 && request == PTRACE_SEIZE)
    {
      assert_int_equal (write (ends_when_asked, "", 1), 1);
      while (live_thread_state (tid, tid) != '\0')
        usleep (100);
    }
  return __real_ptrace (request, tid, address, data);
}

static bool registers_unknown; /* of threads that wait */

bool __wrap_live_waiting_registers (pid_t pid, pid_t tid,
                                    struct registers *registers);
bool __real_live_waiting_registers (pid_t pid, pid_t tid,
                                    struct registers *registers);
bool
__wrap_live_waiting_registers (pid_t pid, pid_t tid,
                               struct registers *registers)
{
  return !registers_unknown
         && __real_live_waiting_registers (pid, tid, registers);
}

/* A process that waits, or does what RUN does.  */
static pid_t
child_start (void *(*run) (void *), void *argument)
{
  pid_t child = fork ();
  assert_true (child >= 0);
  if (child > 0)
    return child;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (run != NULL)
    run (argument);
  for (;;)
    pause ();
}

static void
child_end (pid_t child)
{
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
}

/* No thread was stopped, so that nothing is known of any registers.  */
TEST (a_process_may_end_before_it_stops)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  pid_t child = child_start (NULL, NULL);
  assert_true (live_open (&process, child, &err));
  killed_when_asked = true;
  assert_false (live_stop (&process, false, &err));
  killed_when_asked = false;
  live_close (&process);
  child_end (child);
  /* Where nothing may be traced.  */
  if (strstr (err.reason, "ptrace") != NULL)
    skip ();
  assert_string_equal (err.reason, "it ended meanwhile");
}

/* How many stacks of a process with one thread are cut if copies have MOST
   bytes in sum; -1 if it cannot be stopped.  */
static int
stacks_cut (pid_t pid, uint64_t most)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  assert_true (live_open (&process, pid, &err));
  process.memory.limit = most;
  int cut = -1;
  if (live_stop (&process, false, &err))
    {
      cut = (int)live_copy_stacks (&process, 1 << 20);
      live_resume (&process);
    }
  live_close (&process);
  return cut;
}

TEST (stacks_that_are_not_copied_whole_are_counted)
{
  pid_t child = child_start (NULL, NULL);
  int little = stacks_cut (child, 64), enough = stacks_cut (child, 2 << 20);
  child_end (child);
  if (little < 0 || enough < 0)
    skip ();
  assert_int_equal (little, 1);
  assert_int_equal (enough, 0);
}

/* A process that is busy until GO has a byte, waits in the kernel for a vfork
   until END is closed, and then writes to ON.  */
struct forker
{
  pid_t pid;
  int go, end, on;
};

static _Noreturn void
forker_run (int go, int end, int on)
{
  char byte;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  while (read (go, &byte, 1) != 1)
    ;
  if (vfork () == 0)
    {
      (void)!read (end, &byte, 1);
      _exit (0);
    }
  (void)!write (on, "", 1);
  for (;;)
    pause ();
}

static struct forker
forker_start (void)
{
  int go[2], end[2], on[2];
  assert_true (pipe2 (go, O_NONBLOCK) == 0 && pipe (end) == 0
               && pipe (on) == 0);
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0)
    {
      close (end[1]);
      forker_run (go[0], end[0], on[1]);
    }
  close (go[0]);
  close (end[0]);
  close (on[1]);
  return (struct forker){ pid, go[1], end[1], on[0] };
}

/* Whether FORKER runs on when its child has ended.  */
static bool
forker_runs_on (struct forker *forker)
{
  enum
  {
    SECONDS = 20
  };
  struct pollfd answer = { .fd = forker->on, .events = POLLIN };
  close (forker->end);
  forker->end = -1;
  return poll (&answer, 1, SECONDS * 1000) == 1;
}

static void
forker_end (struct forker *forker)
{
  if (forker->end >= 0)
    close (forker->end);
  close (forker->go);
  close (forker->on);
  child_end (forker->pid);
}

static bool threads_refused;

int __wrap_pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*start) (void *), void *argument);
int __real_pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*start) (void *), void *argument);
int
__wrap_pthread_create (pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*start) (void *), void *argument)
{
  return threads_refused
             ? EAGAIN
             : __real_pthread_create (thread, attributes, start, argument);
}

/* Where the tracer would be this program itself, a late thread would be let go
   by its end alone.  */
TEST (without_a_thread_for_it_no_process_is_stopped)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  struct forker forker = forker_start ();
  assert_true (live_open (&process, forker.pid, &err));
  threads_refused = true;
  bool stopped = live_stop (&process, false, &err);
  threads_refused = false;
  char state = live_thread_state (forker.pid, forker.pid);
  live_close (&process);
  forker_end (&forker);
  assert_false (stopped);
  assert_string_equal (err.reason, "no thread can be started");
  assert_int_equal (state, 'R');
}

TEST (a_thread_that_stops_too_late_runs_on)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  struct forker forker = forker_start ();
  assert_true (live_open (&process, forker.pid, &err));
  forks_when_seized = forker.go;
  bool stopped = live_stop (&process, false, &err);
  forks_when_seized = -1;
  if (stopped)
    live_resume (&process);
  /* Where nothing may be traced it was not asked.  */
  bool asked = stopped || strstr (err.reason, "ptrace") == NULL;
  bool runs_on = asked && forker_runs_on (&forker);
  forker_end (&forker);
  live_close (&process);
  if (!asked)
    skip ();
  assert_true (runs_on);
}

/* Each thread of the process makes another one when it gets a byte.  */
static void *
make_another (void *from)
{
  char byte;
  pthread_t other;
  if (read (*(int *)from, &byte, 1) == 1)
    pthread_create (&other, NULL, make_another, from);
  while (from != NULL)
    pause ();
  return from;
}

TEST (a_process_that_makes_threads_without_end_is_stopped_as_it_is)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  int go[2];
  assert_int_equal (pipe (go), 0);
  pid_t child = child_start (make_another, &go[0]);
  assert_true (live_open (&process, child, &err));
  grows_when_seized = go[1];
  alarm (60);
  bool stopped = live_stop (&process, false, &err);
  alarm (0);
  grows_when_seized = -1;
  size_t n = process.n_threads;
  if (stopped)
    live_resume (&process);
  live_close (&process);
  child_end (child);
  close (go[0]);
  close (go[1]);
  /* Where nothing may be traced.  */
  if (!stopped && strstr (err.reason, "ptrace") != NULL)
    skip ();
  assert_true (stopped);
  assert_in_range (n, 10, 100);
}

/* Run until there is a byte.  */
static void *
run_until (void *from)
{
  struct pollfd byte = { .fd = *(int *)from, .events = POLLIN };
  while (poll (&byte, 1, 0) == 0)
    continue;
  return from;
}

static void *
start_runner (void *from)
{
  pthread_t other;
  pthread_create (&other, NULL, run_until, from);
  return from;
}

/* The process was said to have ended, or not to be there: a profile ended at
   its first sample, and every other such sample was lost.  */
TEST (threads_that_run_may_end_before_they_stop)
{
  struct process process = { .files = &files };
  struct error err = { 0 };
  int go[2];
  assert_int_equal (pipe (go), 0);
  pid_t child = child_start (start_runner, &go[0]);
  while (count_threads (child) < 2)
    usleep (100);
  await_state (child, 'S');
  assert_true (live_open (&process, child, &err));
  ends_when_asked = go[1];
  bool stopped = live_stop (&process, true, &err);
  ends_when_asked = -1;
  size_t n = process.n_threads;
  live_close (&process);
  child_end (child);
  close (go[0]);
  close (go[1]);
  assert_false (stopped);
  assert_int_equal (err.status, CFI2SFRAME_NOTHING);
  assert_int_equal (n, 0);
}

TEST (while_a_process_waits_in_the_kernel_its_samples_are_missed_alone)
{
  struct profile profile;
  struct error err = { 0 };
  struct forker forker = forker_start ();
  assert_true (profile_init (&profile));
  assert_non_null (family_add (&profile.family, forker.pid, &err));
  forks_when_seized = forker.go;
  registers_unknown = true;
  bool there = trace_sampler_take (&profile, forker.pid, false, &err);
  registers_unknown = false;
  forks_when_seized = -1;
  bool asked = there || strstr (err.reason, "ptrace") == NULL;
  bool runs_on = asked && forker_runs_on (&forker);
  uint64_t samples = profile.samples;
  forker_end (&forker);
  profile_free (&profile);
  if (!asked)
    skip ();
  assert_true (there);
  assert_true (runs_on);
  assert_int_equal (samples, 0);
}

TEST_GROUP (NULL, forget_files)
