/* This machine, and the registers of a stopped thread.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "base/lines.h"
#include "stacks/live.h"

const struct arch *
live_arch (void)
{
  enum
  {
#if defined __x86_64__
    MACHINE = EM_X86_64
#elif defined __aarch64__
    MACHINE = EM_AARCH64
#else
    MACHINE = EM_S390
#endif
  };
  return arch_of_machine (MACHINE, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

bool
live_registers (pid_t tid, struct registers *registers)
{
  struct user_regs_struct user;
  struct iovec area = { &user, sizeof user };
  *registers = (struct registers){ 0 };
  /* A 32-bit program has a smaller set of registers.  */
  if (ptrace (PTRACE_GETREGSET, tid, NT_PRSTATUS, &area) != 0
      || area.iov_len != sizeof user)
    return false;
  registers_take (live_arch (), ORDER_THREAD, (const uint8_t *)&user,
                  UINT64_MAX, registers);
  return true;
}

/* Read what the kernel tells of a system call of thread TID of PID: its
   arguments, SP and PC (proc(5), "syscall").  Returns how many numbers there
   are.  A thread that waits outside of a system call has SP and PC alone.  */
static unsigned
read_call (pid_t pid, pid_t tid, uint64_t call[8])
{
  char name[64], line[256], *end = line;
  snprintf (name, sizeof name, "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
  /* The line begins with the number of the system call, or -1; that of a
     thread that runs has no number.  */
  if (!lines_first (name, line, sizeof line)
      || (strtol (line, &end, 10) == 0 && end == line))
    return 0;
  unsigned n = 0;
  for (char *at = end; n < 8; at = end, n++)
    {
      call[n] = strtoull (at, &end, 16);
      if (end == at)
        break;
    }
  return n;
}

bool
live_waiting_registers (pid_t pid, pid_t tid, struct registers *registers)
{
#if defined __x86_64__
  /* DWARF numbers of rdi, rsi, rdx, r10, r8, r9, rsp and rip.  */
  static const uint8_t numbers[] = { 5, 4, 1, 10, 8, 9, 7, 16 };
  uint64_t call[8];
  unsigned n = read_call (pid, tid, call);
  if (n != 2 && n != 8)
    return false;
  memset (registers, 0, sizeof *registers);
  registers->n = 17;
  for (unsigned i = 0; i < registers->n; i++)
    registers->values[i] = UNKNOWN_REGISTER;
  for (unsigned i = 0; i < n; i++)
    registers->values[numbers[8 - n + i]] = call[i];
  registers->pc = registers->values[16];
  return true;
#else
  /* The return address of a function that has not saved it is in a register
     that the kernel does not tell.  */
  (void)read_call;
  (void)pid;
  (void)tid;
  (void)registers;
  return false;
#endif
}
