/* libdwfl over the registers and the memory that a process has copies of.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/dwfl_state.h"

#include "base/bytes.h"
#include "walk/apply.h"

static pid_t
next_thread (Dwfl *dwfl __attribute__ ((unused)), void *argument,
             void **thread_argument)
{
  struct process *process = argument;
  struct thread *thread = *thread_argument;
  thread = thread == NULL ? process->threads : thread + 1;
  if (thread == process->threads + process->n_threads)
    return 0;
  *thread_argument = thread;
  return thread->tid;
}

static bool
get_thread (Dwfl *dwfl __attribute__ ((unused)), pid_t tid, void *argument,
            void **thread_argument)
{
  struct process *process = argument;
  for (size_t i = 0; i < process->n_threads; i++)
    if (process->threads[i].tid == tid)
      {
        *thread_argument = &process->threads[i];
        return process->threads[i].known;
      }
  return false;
}

static bool
read_word (Dwfl *dwfl __attribute__ ((unused)), Dwarf_Addr address,
           Dwarf_Word *result, void *argument)
{
  struct process *process = argument;
  uint8_t bytes[8];
  if (!memory_read (&process->memory, address, bytes, sizeof bytes))
    return false;
  *result = load_u64 (bytes, process->arch->big_endian);
  return true;
}

static bool
set_initial_registers (Dwfl_Thread *dwfl_thread, void *argument)
{
  const struct thread *thread = argument;
  const struct registers *registers = &thread->registers;
  if (!dwfl_thread_state_registers (dwfl_thread, 0, registers->n,
                                    registers->values))
    return false;
  /* On amd64 the PC has a DWARF number, too.  */
  if (registers->n != 17)
    dwfl_thread_state_register_pc (dwfl_thread, registers->pc);
  /* For aarch64, elfutils takes the bits that hold signatures as register -2;
     releases before 0.192 have no such register.  */
  static const Dwarf_Word signatures = PAC_BITS;
  if (registers->n == 32)
    dwfl_thread_state_registers (dwfl_thread, -2, 1, &signatures);
  return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
  .next_thread = next_thread,
  .get_thread = get_thread,
  .memory_read = read_word,
  .set_initial_registers = set_initial_registers,
};

bool
process_attach_dwfl (struct process *process)
{
  return dwfl_attach_state (process->dwfl, NULL, process->pid,
                            &thread_callbacks, process);
}
