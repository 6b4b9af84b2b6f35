/* living [OPTION]... -- PROGRAM [ARGUMENT]...: does SFrame alone walk the
   stack of a running program as well as its CFI does?
   SPDX-License-Identifier: LGPL-2.1-or-later

     --step=N        stop after every one of the first N instructions
     --shadow        compare only the topmost frame, with a shadow stack
                     (shadow.h); other threads run freely
     --sample=N      stop N times at random
     --entry=MODULE  begin at the entry point of the module whose path ends so
     --interval=US   mean time between random stops (default 100)
     --report=FILE   where the result goes, one JSON object (default stderr)
     --seed=N        of the random numbers
     --restart       start the program again until there were N random stops
     --reader=LIB    let another reader look the rows up (foreign.h)
     --bar=PERCENT   fail when fewer walks are as deep as the referee's
     --allow=CAUSE   causes of shorter walks that do not count for the bar,
                     separated by commas (as in the result); the vdso never
                     counts

   At each stop the stack is walked twice, with SFrame data read from the
   process's memory and with elfutils libdwfl, and every frame is compared.
   Threads and forked children are followed, until they execute a program
   without SFrame data.
   Exit status: 0 no wrong frame, 1 a wrong frame or below the bar, 2 nothing
   was compared, 77 this system does not allow tracing.  */

#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cause.h"
#include "foreign_rules.h"
#include "shadow.h"
#include "stacks/live.h"
#include "stacks/stack_walk.h"
#include "tests/clients/foreign.h"

enum
{
  EXIT_GOOD = 0,
  EXIT_WRONG = 1,
  EXIT_NOTHING = 2,
  EXIT_SKIP = 77,
  TRACEES_MAX = 256,
  REPORTS_MAX = 10,
  FRAMES_MAX = 2048,
  PLACES_MAX = 32
};

/* One process.  Its threads share it.  */
struct subject
{
  pid_t pid;
  struct process process;
  struct referee referee;
  struct code_files files;
  bool open, with_foreign;
};

struct tracee
{
  pid_t tid;
  struct subject *subject;
};

/* Where walks ended early, to name the causes.  */
struct place
{
  unsigned cause;
  uint64_t count;
  char module[64];
  uint64_t offset; /* in the file */
};

struct tally
{
  uint64_t stops, frames, wrong_frames, wrong_stops;
  uint64_t complete;   /* stops where the referee reached the end */
  uint64_t same_depth; /* ... and so did SFrame */
  uint64_t partial;    /* the referee had to give up */
  uint64_t longer;     /* ... and SFrame went further */
  uint64_t refused;    /* the referee could not even begin */
  uint64_t reached;    /* SFrame alone reached the end */
  uint64_t deepest;
  uint64_t shorter[CAUSES];
  struct place places[PLACES_MAX];
  size_t n_places;
};

struct session
{
  const char *entry, *allowed;
  double bar; /* percent */
  uint64_t steps, samples;
  unsigned interval;
  bool restart, with_foreign, with_shadow;
  FILE *report;
  uint64_t random;
  struct tally tally;
  struct shadow shadow;
  struct tracee tracees[TRACEES_MAX];
  size_t n_tracees;
  struct subject *subjects[TRACEES_MAX];
  size_t n_subjects;
  struct stack_walk sframe, cfi;
};

static uint64_t
next_random (struct session *session)
{
  session->random ^= session->random << 13;
  session->random ^= session->random >> 7;
  session->random ^= session->random << 17;
  return session->random;
}

/* Comparing.  */

static void
note_place (struct tally *tally, const struct process *process,
            const struct stack_walk *walk, unsigned cause)
{
  const struct frame *last = &walk->frames[walk->n - 1];
  uint64_t pc = last->pc - !last->at_pc;
  uint64_t offset = 0;
  const struct code_file *file = process_file_at (process, pc, &offset);
  const char *name = file ? code_file_name (file) : "(none)";
  size_t i = 0;
  while (i < tally->n_places
         && !(tally->places[i].cause == cause
              && tally->places[i].offset == offset
              && strncmp (tally->places[i].module, name,
                          sizeof tally->places[i].module - 1)
                     == 0))
    i++;
  if (i == PLACES_MAX)
    return;
  if (i == tally->n_places)
    {
      struct place *place = &tally->places[tally->n_places++];
      *place = (struct place){ .cause = cause, .offset = offset };
      snprintf (place->module, sizeof place->module, "%.63s", name);
    }
  tally->places[i].count++;
}

static void
report_wrong (struct session *session, const struct process *process, size_t i)
{
  const struct frame *a = &session->cfi.frames[i];
  const struct frame *b = &session->sframe.frames[i];
  const struct frame *before = &session->cfi.frames[i - 1];
  uint64_t offset = 0;
  const struct code_file *file
      = process_file_at (process, before->pc, &offset);
  fprintf (stderr,
           "living: wrong frame %zu of %zu/%zu, from pc %#lx (%s+%#lx):"
           " pc %#lx / %#lx, cfa %#lx / %#lx, fp %#lx / %#lx\n",
           i, session->cfi.n, session->sframe.n, before->pc,
           file ? file->path : "?", offset, a->pc, b->pc, a->sp, b->sp, a->fp,
           b->fp);
}

/* Whether the referee goes wrong from frame I on: DWARF readers look up the
   address before a frame's PC, and no call ends at this one, as when libgcc's
   `ret' goes to a landing pad.  Where a signal came they do not.  */
static bool
referee_misled (const struct stack_walk *sframe, size_t i)
{
  const struct frame *frame = &sframe->frames[i];
  return frame->at_pc && !frame->interrupted
         && !(i + 1 < sframe->n && frame[1].interrupted);
}

/* Compare the frames that both walks have.  False when one differs.  */
static bool
compare_frames (struct session *session, const struct process *process)
{
  const struct stack_walk *cfi = &session->cfi, *sframe = &session->sframe;
  struct tally *tally = &session->tally;
  size_t both = cfi->n < sframe->n ? cfi->n : sframe->n;
  size_t same = stack_walk_same_frames (cfi, sframe);
  tally->frames += (same < both ? same + 1 : both) - 1;
  if (same == both)
    return true;
  if (same > 0 && referee_misled (sframe, same - 1))
    {
      tally->partial++;
      return false;
    }
  tally->wrong_frames++;
  if (tally->wrong_stops++ < REPORTS_MAX)
    report_wrong (session, process, same);
  return false;
}

static void
compare_depths (struct session *session, const struct subject *subject)
{
  const struct process *process = &subject->process;
  const struct stack_walk *cfi = &session->cfi, *sframe = &session->sframe;
  struct tally *tally = &session->tally;
  if (cfi->n > tally->deepest)
    tally->deepest = cfi->n;
  if (cfi->end != SFW_OUTERMOST
      || (sframe->n > cfi->n && referee_misled (sframe, cfi->n - 1)))
    {
      tally->partial++;
      tally->longer += sframe->n > cfi->n;
      return;
    }
  tally->complete++;
  if (sframe->n == cfi->n)
    tally->same_depth++;
  else if (sframe->n < cfi->n)
    {
      unsigned cause = cause_of (&subject->referee, sframe);
      tally->shorter[cause]++;
      if (cause != CAUSE_VDSO)
        note_place (tally, process, sframe, cause);
    }
  else
    {
      /* Frames behind the outermost one do not exist.  */
      tally->wrong_frames++;
      if (tally->wrong_stops++ < REPORTS_MAX)
        report_wrong (session, process, cfi->n - 1);
    }
}

/* TID is stopped: walk its stack both ways.  */
static void
compare_stop (struct session *session, struct subject *subject, pid_t tid)
{
  struct process *process = &subject->process;
  struct thread *thread = &process->threads[0];
  thread->tid = tid;
  thread->known = live_registers (tid, &thread->registers);
  if (!thread->known)
    return;
  memory_forget (&process->memory);
  session->tally.stops++;
  if (!referee_walk (&subject->referee, tid, &session->cfi))
    {
      session->tally.refused++;
      return;
    }
  stack_walk_by_sframe (process, &thread->registers, &session->sframe);
  session->tally.reached += session->sframe.end == SFW_OUTERMOST
                            || session->sframe.end == SFW_ZERO;
  if (compare_frames (session, process))
    compare_depths (session, subject);
}

/* TID did one instruction from BEFORE on, or went to the handler of a
   SIGNAL.  */
static void
compare_shadow (struct session *session, struct process *process, pid_t tid,
                const struct registers *before, bool signal)
{
  struct registers registers;
  struct frame expected, found;
  struct shadow *shadow = &session->shadow;
  memory_forget (&process->memory);
  if (!live_registers (tid, &registers))
    return;
  shadow_follow (shadow, process, before, &registers, signal);
  if (shadow_compare (shadow, process, &registers, &expected, &found)
      || shadow->wrong > REPORTS_MAX)
    return;
  uint64_t offset = 0;
  const struct code_file *file
      = process_file_at (process, registers.pc, &offset);
  fprintf (stderr,
           "living: wrong frame at pc %#lx (%s+%#lx): pc %#lx / %#lx, "
           "cfa %#lx / %#lx, fp %#lx / %#lx\n",
           registers.pc, file ? file->path : "?", offset, expected.pc,
           found.pc, expected.sp, found.sp, expected.fp, found.fp);
}

/* Subjects and tracees.  */

static void
subject_close (struct subject *subject)
{
  if (subject->open)
    {
      referee_close (&subject->referee);
      live_close (&subject->process);
    }
  code_files_free (&subject->files);
  foreign_forget ();
  subject->open = false;
}

/* A number that is another one where PROCESS has other code.  */
static uint64_t
code_digest (const struct process *process)
{
  uint64_t digest = 0;
  for (size_t i = 0; i < process->mappings.n; i++)
    {
      const struct mapping *mapping = &process->mappings.list[i];
      const uint64_t words[] = { mapping->start, mapping->end, mapping->offset,
                                 (uintptr_t)mapping->file };
      for (size_t j = 0;
           mapping->executable && j < sizeof words / sizeof *words; j++)
        digest = (digest ^ words[j]) * UINT64_C (0x100000001b3);
    }
  return digest;
}

/* Bring the modules up to date, for both walks.  */
static bool
subject_refresh (struct subject *subject)
{
  struct error err;
  uint64_t before = code_digest (&subject->process);
  return live_read_mappings (&subject->process, &err)
         && (code_digest (&subject->process) == before
             || referee_report (&subject->referee));
}

/* Whether any module has SFrame data.  */
static bool
has_sframe (struct process *process)
{
  struct sfw_section section;
  bool any = false;
  for (size_t i = 0; i < process->mappings.n; i++)
    any |= process_find_section (process, process->mappings.list[i].start,
                                 &section);
  return any;
}

/* Read everything about a process that just started or executed a program.
   False when it has no SFrame data at all.  */
static bool
subject_open (struct subject *subject, pid_t pid)
{
  struct process *process = &subject->process;
  struct error err;
  subject_close (subject);
  *process = (struct process){ .policy.only_sframe = true,
                               .files = &subject->files };
  process->find_rules = subject->with_foreign ? foreign_find_rules : NULL;
  subject->pid = pid;
  subject->open = live_open (process, pid, &err)
                  && process_add_thread (process, pid) != NULL
                  && has_sframe (process)
                  && referee_open_living (&subject->referee, process);
  process->memory.open = true;
  if (!subject->open)
    {
      referee_close (&subject->referee);
      live_close (process);
    }
  return subject->open;
}

static pid_t
thread_group_of (pid_t tid)
{
  static const char key[] = "Tgid:";
  char name[64], line[128];
  pid_t group = tid;
  snprintf (name, sizeof name, "/proc/%d/status", (int)tid);
  FILE *status = fopen (name, "re");
  if (!status)
    return tid;
  while (fgets (line, sizeof line, status))
    if (strncmp (line, key, sizeof key - 1) == 0)
      group = (pid_t)strtol (line + sizeof key - 1, NULL, 10);
  fclose (status);
  return group;
}

static struct tracee *
find_tracee (struct session *session, pid_t tid)
{
  for (size_t i = 0; i < session->n_tracees; i++)
    if (session->tracees[i].tid == tid)
      return &session->tracees[i];
  return NULL;
}

static struct subject *
subject_of (struct session *session, pid_t pid)
{
  for (size_t i = 0; i < session->n_subjects; i++)
    if (session->subjects[i]->pid == pid)
      return session->subjects[i];
  if (session->n_subjects == TRACEES_MAX)
    return NULL;
  struct subject *subject = calloc (1, sizeof *subject);
  if (!subject)
    return NULL;
  session->subjects[session->n_subjects++] = subject;
  subject->with_foreign = session->with_foreign;
  if (!subject_open (subject, pid))
    fprintf (stderr, "living: process %d has no SFrame data\n", (int)pid);
  return subject;
}

static struct tracee *
add_tracee (struct session *session, pid_t tid)
{
  if (session->n_tracees == TRACEES_MAX)
    return NULL;
  struct subject *subject = subject_of (session, thread_group_of (tid));
  if (!subject)
    return NULL;
  struct tracee *tracee = &session->tracees[session->n_tracees++];
  *tracee = (struct tracee){ tid, subject };
  return tracee;
}

static void
remove_tracee (struct session *session, struct tracee *tracee)
{
  struct subject *subject = tracee->subject;
  *tracee = session->tracees[--session->n_tracees];
  for (size_t i = 0; i < session->n_tracees; i++)
    if (session->tracees[i].subject == subject)
      return;
  for (size_t i = 0; i < session->n_subjects; i++)
    if (session->subjects[i] == subject)
      session->subjects[i] = session->subjects[--session->n_subjects];
  subject_close (subject);
  free (subject);
}

/* Starting.  */

/* ptrace takes the tracee's addresses for pointers.  */
static void *
as_pointer (uint64_t address)
{
  return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static pid_t
start_program (const struct session *session, char **arguments)
{
  pid_t pid = fork ();
  if (pid == 0)
    {
      raise (SIGSTOP);
      execvp (arguments[0], arguments);
      fprintf (stderr, "living: %s: %s\n", arguments[0], strerror (errno));
      _exit (127);
    }
  int status;
  long options
      = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  if (!session->with_shadow)
    options |= PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
  if (pid < 0 || waitpid (pid, &status, WUNTRACED) != pid
      || ptrace (PTRACE_SEIZE, pid, NULL, options) != 0)
    return -1;
  kill (pid, SIGCONT);
  /* Up to the stop behind execve.  */
  while (waitpid (pid, &status, __WALL) == pid && WIFSTOPPED (status))
    {
      if (status >> 16 == PTRACE_EVENT_EXEC)
        return pid;
      ptrace (PTRACE_CONT, pid, NULL, NULL);
    }
  return -1;
}

/* The address of the entry point of the module whose path ends in SUFFIX, 0
   while it is not mapped.  */
static uint64_t
entry_of (struct process *process, const char *suffix)
{
  size_t length = strlen (suffix);
  for (size_t i = 0; i < process->mappings.n; i++)
    {
      const struct mapping *mapping = &process->mappings.list[i];
      const char *path = mapping->file != NULL ? mapping->file->path : "";
      size_t n = strlen (path);
      Elf64_Ehdr header;
      if (n >= length && strcmp (path + n - length, suffix) == 0
          && mapping->offset == 0
          && memory_read (&process->memory, mapping->start, &header,
                          sizeof header))
        {
          /* ET_EXEC files have absolute addresses.  */
          return header.e_type == ET_DYN ? mapping->start + header.e_entry
                                         : header.e_entry;
        }
    }
  return 0;
}

/* Go from system call to system call until the module is there, then run to
   its entry point.  */
static bool
run_to_entry (struct session *session, struct subject *subject, pid_t pid)
{
  uint64_t entry = 0;
  int status;
  /* Its last segment is mapped a few calls after the first one.  */
  for (int more = 24; more > 0; more -= entry != 0)
    {
      if (ptrace (PTRACE_SYSCALL, pid, NULL, NULL) != 0
          || waitpid (pid, &status, __WALL) != pid || !WIFSTOPPED (status)
          || !subject_refresh (subject))
        return false;
      entry = entry_of (&subject->process, session->entry);
    }
  errno = 0;
  long old = ptrace (PTRACE_PEEKTEXT, pid, as_pointer (entry), NULL);
  if (errno != 0
      || ptrace (PTRACE_POKETEXT, pid, as_pointer (entry),
                 (old & ~0xffL) | 0xcc)
             != 0
      || ptrace (PTRACE_CONT, pid, NULL, NULL) != 0
      || waitpid (pid, &status, __WALL) != pid || !WIFSTOPPED (status)
      || WSTOPSIG (status) != SIGTRAP)
    return false;
  struct user_regs_struct registers;
  ptrace (PTRACE_POKETEXT, pid, as_pointer (entry), old);
  ptrace (PTRACE_GETREGS, pid, NULL, &registers);
  registers.rip = entry;
  ptrace (PTRACE_SETREGS, pid, NULL, &registers);
  return subject_refresh (subject);
}

/* Stepping.  */

/* Whether the instruction at PC is a system call that may change the
   mappings.  */
static bool
changes_mappings (struct process *process, const struct registers *registers)
{
  uint16_t instruction;
  enum
  {
    SYSCALL = 0x050f
  };
  memory_forget (&process->memory);
  if (!memory_read (&process->memory, registers->pc, &instruction,
                    sizeof instruction)
      || instruction != SYSCALL)
    return false;
  uint64_t number = registers->values[0];
  return number == 9 || number == 10 || number == 11 || number == 25
         || number == 59; /* mmap, mprotect, munmap, mremap, execve */
}

static void
step_through (struct session *session, pid_t pid)
{
  struct subject *subject = find_tracee (session, pid)->subject;
  int signal_to_pass = 0, status;
  for (uint64_t i = 0; i < session->steps; i++)
    {
      struct registers registers;
      if (!live_registers (pid, &registers))
        return;
      int passed = signal_to_pass;
      bool changes = changes_mappings (&subject->process, &registers);
      if (ptrace (PTRACE_SINGLESTEP, pid, NULL, (long)signal_to_pass) != 0
          || waitpid (pid, &status, __WALL) != pid || !WIFSTOPPED (status))
        return;
      int stop = WSTOPSIG (status);
      signal_to_pass = stop == SIGTRAP || status >> 16 ? 0 : stop;
      if (status >> 16 == PTRACE_EVENT_EXEC)
        return;
      if (changes)
        subject_refresh (subject);
      if (session->with_shadow)
        compare_shadow (session, &subject->process, pid, &registers,
                        passed != 0);
      else
        compare_stop (session, subject, pid);
    }
}

/* Sampling.  */

/* Deal with a stop of TRACEE that was not asked for.  Children and threads
   report by themselves once they run.  */
static void
handle_event (struct session *session, struct tracee *tracee, int status)
{
  int event = status >> 16, stop = WSTOPSIG (status), pass = 0;
  pid_t tid = tracee->tid;
  if (event == PTRACE_EVENT_EXEC)
    {
      if (!subject_open (tracee->subject, tid))
        {
          ptrace (PTRACE_DETACH, tid, NULL, NULL);
          remove_tracee (session, tracee);
          return;
        }
    }
  else if (event == PTRACE_EVENT_STOP && stop != SIGTRAP)
    {
      ptrace (PTRACE_LISTEN, tid, NULL, NULL);
      return;
    }
  else if (event == 0 && stop != (SIGTRAP | 0x80))
    pass = stop;
  ptrace (PTRACE_CONT, tid, NULL, (long)pass);
}

static void
handle_status (struct session *session, pid_t tid, int status, bool compare)
{
  struct tracee *tracee = find_tracee (session, tid);
  if (WIFEXITED (status) || WIFSIGNALED (status))
    {
      if (tracee)
        remove_tracee (session, tracee);
      return;
    }
  if (!WIFSTOPPED (status))
    return;
  if (!tracee)
    tracee = add_tracee (session, tid);
  if (!tracee)
    {
      ptrace (PTRACE_DETACH, tid, NULL, NULL);
      return;
    }
  /* A vfork child runs in its parent's memory and is not known yet.  */
  bool plain = status >> 16 == PTRACE_EVENT_STOP || status >> 16 == 0;
  if (compare && plain && tracee->subject->open
      && subject_refresh (tracee->subject))
    compare_stop (session, tracee->subject, tid);
  handle_event (session, tracee, status);
}

static void
pause_for (struct session *session)
{
  uint64_t nanoseconds
      = next_random (session) % (2000ul * session->interval + 1);
  struct timespec time = { 0, (long)(nanoseconds % 999999999) };
  nanosleep (&time, NULL);
}

/* Stop CHOSEN and compare there.  Others have to be served meanwhile: it may
   be waiting for a vfork child that waits for us.  */
static void
sample_one (struct session *session, pid_t chosen)
{
  int status;
  pid_t tid;
  uint64_t stops = session->tally.stops;
  if (ptrace (PTRACE_INTERRUPT, chosen, NULL, NULL) != 0)
    return;
  while (stops == session->tally.stops && find_tracee (session, chosen)
         && (tid = waitpid (-1, &status, __WALL)) > 0)
    {
      handle_status (session, tid, status, tid == chosen);
      if (tid == chosen)
        return;
    }
}

static void
sample (struct session *session)
{
  int status;
  pid_t tid;
  while (session->n_tracees > 0 && session->tally.stops < session->samples)
    {
      pause_for (session);
      while ((tid = waitpid (-1, &status, __WALL | WNOHANG)) > 0)
        handle_status (session, tid, status, false);
      if (session->n_tracees == 0)
        break;
      size_t chosen = next_random (session) % session->n_tracees;
      sample_one (session, session->tracees[chosen].tid);
    }
  for (size_t i = 0; i < session->n_tracees; i++)
    kill (session->tracees[i].tid, SIGKILL);
}

/* Reporting.  */

/* The share of walks that are as deep as the referee's, in percent.  */
static double
completeness (const struct session *session)
{
  const struct tally *tally = &session->tally;
  uint64_t counted = tally->complete;
  for (unsigned i = 0; i < CAUSES; i++)
    if (i == CAUSE_VDSO
        || (session->allowed && strstr (session->allowed, cause_name (i))))
      counted -= tally->shorter[i];
  return counted ? 100.0 * (double)tally->same_depth / (double)counted : 100;
}

static void
print_shadow_report (const struct session *session, const char *program)
{
  const struct shadow *shadow = &session->shadow;
  fprintf (session->report,
           "{\"program\":\"%s\",\"steps\":%lu,\"compared\":%lu,"
           "\"pcs\":%zu,\"wrong_frames\":%lu,\"no_row\":%lu,"
           "\"unknown\":%lu}\n",
           program, shadow->steps, shadow->compared, shadow->n_pcs,
           shadow->wrong, shadow->no_row, shadow->unknown);
  fflush (session->report);
}

static void
print_report (const struct session *session, const char *program)
{
  const struct tally *t = &session->tally;
  FILE *out = session->report;
  fprintf (out,
           "{\"program\":\"%s\",\"stops\":%lu,\"frames\":%lu,"
           "\"wrong_frames\":%lu,\"complete\":%lu,\"same_depth\":%lu,"
           "\"referee_partial\":%lu,\"longer\":%lu,\"referee_refused\":%lu,"
           "\"reached\":%lu,\"deepest\":%lu,\"percent\":%.3f,\"shorter\":{",
           program, t->stops, t->frames, t->wrong_frames, t->complete,
           t->same_depth, t->partial, t->longer, t->refused, t->reached,
           t->deepest, completeness (session));
  const char *separator = "";
  for (unsigned i = 0; i < CAUSES; i++)
    if (t->shorter[i])
      {
        fprintf (out, "%s\"%s\":%lu", separator, cause_name (i),
                 t->shorter[i]);
        separator = ",";
      }
  fprintf (out, "},\"places\":[");
  for (size_t i = 0; i < t->n_places; i++)
    fprintf (out, "%s\"%s %s+%#lx %lu\"", i ? "," : "",
             cause_name (t->places[i].cause), t->places[i].module,
             t->places[i].offset, t->places[i].count);
  fprintf (out, "]}\n");
  fflush (out);
}

static bool
parse_options (struct session *session, int argc, char **argv)
{
  static const struct option options[]
      = { { "step", required_argument, NULL, 's' },
          { "sample", required_argument, NULL, 'r' },
          { "entry", required_argument, NULL, 'e' },
          { "interval", required_argument, NULL, 'i' },
          { "report", required_argument, NULL, 'o' },
          { "seed", required_argument, NULL, 'n' },
          { "bar", required_argument, NULL, 'b' },
          { "allow", required_argument, NULL, 'a' },
          { "shadow", no_argument, NULL, 'S' },
          { "restart", no_argument, NULL, 'R' },
          { "reader", required_argument, NULL, 'l' },
          { NULL, 0, NULL, 0 } };
  int option;
  while ((option = getopt_long (argc, argv, "+", options, NULL)) != -1)
    switch (option)
      {
      case 's':
        session->steps = strtoull (optarg, NULL, 0);
        break;
      case 'r':
        session->samples = strtoull (optarg, NULL, 0);
        break;
      case 'e':
        session->entry = optarg;
        break;
      case 'i':
        session->interval = (unsigned)strtoul (optarg, NULL, 10);
        break;
      case 'n':
        session->random = strtoull (optarg, NULL, 0) | 1;
        break;
      case 'l':
        session->with_foreign = foreign_load (optarg);
        if (!session->with_foreign)
          return false;
        break;
      case 'S':
        session->with_shadow = true;
        break;
      case 'R':
        session->restart = true;
        break;
      case 'b':
        session->bar = strtod (optarg, NULL);
        break;
      case 'a':
        session->allowed = optarg;
        break;
      case 'o':
        session->report = fopen (optarg, "ae");
        if (!session->report)
          return false;
        break;
      default:
        return false;
      }
  return optind < argc;
}

/* Start the program and trace it until enough was seen or it ends.  */
static int
trace (struct session *session, char **arguments)
{
  pid_t pid = start_program (session, arguments);
  if (pid < 0 && errno == EPERM)
    {
      fprintf (stderr, "living: tracing is not permitted here\n");
      return EXIT_SKIP;
    }
  struct tracee *tracee = pid > 0 ? add_tracee (session, pid) : NULL;
  if (!tracee || !tracee->subject->open)
    {
      fprintf (stderr, "living: %s: cannot be traced\n", arguments[0]);
      return EXIT_NOTHING;
    }
  if (session->entry && !run_to_entry (session, tracee->subject, pid))
    {
      fprintf (stderr, "living: %s: no entry point there\n", session->entry);
      return EXIT_NOTHING;
    }
  if (session->steps > 0)
    step_through (session, pid);
  if (session->samples > 0)
    {
      ptrace (PTRACE_CONT, pid, NULL, NULL);
      sample (session);
    }
  else
    kill (pid, SIGKILL);
  return EXIT_GOOD;
}

static int
judge (const struct session *session)
{
  const struct tally *tally = &session->tally;
  if (session->with_shadow)
    return session->shadow.wrong > 0      ? EXIT_WRONG
           : session->shadow.compared > 0 ? EXIT_GOOD
                                          : EXIT_NOTHING;
  if (tally->wrong_frames > 0 || completeness (session) < session->bar)
    return EXIT_WRONG;
  if (tally->frames > 0 && tally->stops >= session->samples)
    return EXIT_GOOD;
  fprintf (stderr, "living: the program ended after %lu stops\n",
           tally->stops);
  return EXIT_NOTHING;
}

int
main (int argc, char **argv)
{
  static struct session session
      = { .interval = 100, .random = 0x2545f4914f6cdd1d };
  session.report = stderr;
  if (!parse_options (&session, argc, argv)
      || !stack_walk_init (&session.sframe, FRAMES_MAX)
      || !stack_walk_init (&session.cfi, FRAMES_MAX)
      || !shadow_init (&session.shadow))
    {
      fprintf (stderr, "usage: living [OPTION]... -- PROGRAM [ARG]...\n");
      return EXIT_NOTHING;
    }
  int status;
  uint64_t stops;
  do
    {
      stops = session.tally.stops;
      status = trace (&session, argv + optind);
      if (status != EXIT_GOOD)
        return status;
    }
  while (session.restart && session.tally.stops < session.samples
         && session.tally.stops > stops);
  if (session.with_shadow)
    print_shadow_report (&session, argv[optind]);
  else
    print_report (&session, argv[optind]);
  status = judge (&session);
  shadow_free (&session.shadow);
  return status;
}
