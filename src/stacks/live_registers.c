/* The registers of a stopped thread of this machine.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What the kernel gives for NT_PRSTATUS (its arch/.../ptrace.h), in the order
   of DWARF numbers.  */

#include <config.h>

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "stacks/live.h"

#if defined __x86_64__

static void
translate (const struct user_regs_struct *user, struct registers *registers)
{
  const uint64_t values[]
      = { user->rax, user->rdx, user->rcx, user->rbx, user->rsi, user->rdi,
          user->rbp, user->rsp, user->r8,  user->r9,  user->r10, user->r11,
          user->r12, user->r13, user->r14, user->r15, user->rip };
  memcpy (registers->values, values, sizeof values);
  registers->n = sizeof values / sizeof *values;
  registers->pc = user->rip;
}

#elif defined __aarch64__

static void
translate (const struct user_regs_struct *user, struct registers *registers)
{
  memcpy (registers->values, user->regs, sizeof user->regs);
  registers->values[31] = user->sp;
  registers->n = 32;
  registers->pc = user->pc;
}

#elif defined __s390x__

static void
translate (const struct user_regs_struct *user, struct registers *registers)
{
  memcpy (registers->values, user->gprs, sizeof user->gprs);
  registers->n = 16;
  registers->pc = user->psw.addr;
}

#else
#  error "configure builds this for the machines that have SFrame only"
#endif

bool
live_registers (pid_t tid, struct registers *registers)
{
  struct user_regs_struct user;
  struct iovec area = { &user, sizeof user };
  memset (registers, 0, sizeof *registers);
  /* A 32-bit program has a smaller set of registers.  */
  if (ptrace (PTRACE_GETREGSET, tid, NT_PRSTATUS, &area) != 0
      || area.iov_len != sizeof user)
    return false;
  translate (&user, registers);
  return true;
}
