/* Walks by CFI with libdwfl, which walks by SFrame are compared with.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "referee.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "stacks/live.h"
#include "stacks/stack_walk.h"
#include "walk/apply.h"

/* libdwfl over the registers and the memory that a process has copies of.  */

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

static bool
attach (const struct referee *referee)
{
  return dwfl_attach_state (referee->dwfl, NULL, referee->process->pid,
                            &thread_callbacks, referee->process);
}

bool
referee_open_living (struct referee *referee, struct process *process)
{
  static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
  };
  *referee = (struct referee){ process, dwfl_begin (&callbacks) };
  return referee->dwfl != NULL && referee_report (referee) && attach (referee);
}

bool
referee_report (const struct referee *referee)
{
  pid_t thread = live_memory_thread (referee->process->pid);
  dwfl_report_begin (referee->dwfl);
  bool reported = dwfl_linux_proc_report (referee->dwfl, thread) == 0;
  return dwfl_report_end (referee->dwfl, NULL, NULL) == 0 && reported;
}

bool
referee_open_file (struct referee *referee, struct process *process,
                   const char *path)
{
  static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
  };
  *referee = (struct referee){ process, dwfl_begin (&callbacks) };
  if (referee->dwfl == NULL)
    return false;
  dwfl_report_begin (referee->dwfl);
  return dwfl_report_elf (referee->dwfl, "program", path, -1, 0, false) != NULL
         && dwfl_report_end (referee->dwfl, NULL, NULL) == 0
         && attach (referee);
}

void
referee_close (struct referee *referee)
{
  if (referee->dwfl != NULL)
    dwfl_end (referee->dwfl);
  referee->dwfl = NULL;
}

/* Walking.  */

struct dwfl_walk
{
  const struct referee *referee;
  struct stack_walk *walk;
};

Dwarf_Frame *
referee_cfi_at (const struct referee *referee, uint64_t pc)
{
  Dwfl_Module *module = dwfl_addrmodule (referee->dwfl, pc);
  for (unsigned debug_frame = 0; module != NULL && debug_frame < 2;
       debug_frame++)
    {
      Dwarf_Addr bias;
      Dwarf_Frame *frame;
      Dwarf_CFI *cfi = debug_frame ? dwfl_module_dwarf_cfi (module, &bias)
                                   : dwfl_module_eh_cfi (module, &bias);
      if (cfi != NULL && dwarf_cfi_addrframe (cfi, pc - bias, &frame) == 0)
        return frame;
    }
  return NULL;
}

/* What CFI says of the caller of PC: SFW_MORE, that there is
   one; SFW_OUTERMOST, that there is none; or
   SFW_NO_ROW.  */
static enum sfw_end
caller_by_cfi (const struct referee *referee, uint64_t pc)
{
  Dwarf_Op room[3], *operations = NULL;
  size_t n = 0;
  Dwarf_Frame *frame = referee_cfi_at (referee, pc);
  if (frame == NULL)
    return SFW_NO_ROW;
  int ra = dwarf_frame_info (frame, NULL, NULL, NULL);
  bool undefined = dwarf_frame_register (frame, ra, room, &operations, &n) == 0
                   && n == 0 && operations == room;
  free (frame);
  return undefined ? SFW_OUTERMOST : SFW_MORE;
}

static int
take_frame (Dwfl_Frame *state, void *argument)
{
  struct dwfl_walk *cfi = argument;
  struct stack_walk *walk = cfi->walk;
  const struct arch *arch = cfi->referee->process->arch;
  Dwarf_Word sp, fp;
  if (walk->n == walk->max)
    {
      walk->end = SFW_MORE;
      return DWARF_CB_ABORT;
    }
  struct frame *frame = &walk->frames[walk->n];
  *frame = (struct frame){ .way = WAY_ROW };
  if (!dwfl_frame_pc (state, &frame->pc, &frame->interrupted)
      || dwfl_frame_reg (state, arch->sp, &sp) != 0
      || dwfl_frame_reg (state, arch->fp, &fp) != 0)
    {
      walk->end = SFW_REGISTER;
      return DWARF_CB_ABORT;
    }
  frame->at_pc = frame->interrupted;
  frame->sp = sp;
  frame->fp = fp;
  walk->n++;
  walk->end = caller_by_cfi (cfi->referee, frame->pc - !frame->interrupted);
  return walk->end == SFW_MORE ? DWARF_CB_OK : DWARF_CB_ABORT;
}

bool
referee_walk (const struct referee *referee, pid_t tid,
              struct stack_walk *walk)
{
  struct dwfl_walk cfi = { referee, walk };
  walk->n = 0;
  walk->end = SFW_MORE;
  dwfl_getthread_frames (referee->dwfl, tid, take_frame, &cfi);
  /* libdwfl gave up for a reason of its own.  */
  if (walk->end == SFW_MORE && walk->n < walk->max)
    walk->end = SFW_MEMORY;
  return walk->n > 0;
}
