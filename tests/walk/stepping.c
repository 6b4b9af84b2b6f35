/* A library that walks its process's stack at every instruction, for
   stepping.sh.  SPDX-License-Identifier: LGPL-2.1-or-later

   LD_PRELOAD brings it in.  It sets the processor's trap flag, so that a
   signal comes behind every instruction; the handler walks by libsframewalk,
   and by libgcc, which goes by .eh_frame.  Both have the same frames, or the
   one by SFrame ends earlier.  STEPPING_STEPS says after how many instructions
   it ends; what was found is appended to STEPPING_REPORT.  x86-64 only.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "sframewalk.h"

enum
{
  FRAMES = 256,
  TRAP_FLAG = 0x100
};

static struct sfw_walker *walker;
static unsigned long limit, steps, frames, complete, shorter, different;
/* What the first difference was about.  */
static uint64_t different_pc;
static size_t different_at;
static struct
{
  uint64_t addresses[FRAMES];
  size_t n;
  uint64_t from; /* the frames of the handler are in front of this PC */
} referee;

static _Unwind_Reason_Code
take (struct _Unwind_Context *context, void *unused)
{
  int interrupted;
  uint64_t pc = _Unwind_GetIPInfo (context, &interrupted);
  (void)unused;
  if (referee.n == 0 && !(interrupted && pc == referee.from))
    return _URC_NO_REASON;
  /* Behind the outermost frame libgcc has one more.  */
  if (pc == 0)
    return _URC_END_OF_STACK;
  referee.addresses[referee.n++] = pc;
  return referee.n < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static void
handler (int number, siginfo_t *info, void *argument)
{
  uint64_t addresses[FRAMES];
  enum sfw_end end;
  ucontext_t *context = argument;
  (void)number;
  (void)info;
  size_t n = sfw_ucontext (walker, context, addresses, NULL, FRAMES, &end);
  referee.n = 0;
  referee.from = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
  _Unwind_Backtrace (take, NULL);
  size_t same = 0;
  while (same < n && same < referee.n
         && addresses[same] == referee.addresses[same])
    same++;
  steps++;
  frames += same;
  complete += end == SFW_OUTERMOST && same == n;
  shorter += same == n && n < referee.n;
  if (same < n && same < referee.n && different++ == 0)
    {
      different_pc = referee.from;
      different_at = same;
    }
  if (steps == limit)
    context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

__attribute__ ((constructor)) static void
begin (void)
{
  static struct sigaction action
      = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
  const char *wanted = getenv ("STEPPING_STEPS");
  struct sfw_modules *modules = sfw_modules_new ();
  void *memory = malloc (sfw_walker_size ());
  walker = sfw_walker_init (memory, sfw_walker_size (), modules);
  limit = wanted != NULL ? strtoul (wanted, NULL, 10) : 0;
  if (limit == 0 || walker == NULL || !sfw_modules_update (modules)
      || !sfw_walker_set_thread (walker)
      || sigaction (SIGTRAP, &action, NULL) != 0)
    return;
  /* What libgcc does only once.  */
  _Unwind_Backtrace (take, NULL);
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
}

__attribute__ ((destructor)) static void
end (void)
{
  char line[256];
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq"
                   :
                   :
                   : "memory", "cc");
  const char *name = getenv ("STEPPING_REPORT");
  int fd
      = name != NULL ? open (name, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
  int size = snprintf (line, sizeof line,
                       "steps %lu frames %lu complete %lu shorter %lu "
                       "different %lu first 0x%llx frame %zu\n",
                       steps, frames, complete, shorter, different,
                       (unsigned long long)different_pc, different_at);
  if (fd >= 0 && write (fd, line, (size_t)size) == size)
    close (fd);
}
