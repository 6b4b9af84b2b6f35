/* Walking a stack with libdwfl, the referee.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dwarf.h>
#include <stdlib.h>

#include "walk.h"

/* Separate debug files would only cost time: .eh_frame is in the file
   itself.  */
static int
find_no_debuginfo (Dwfl_Module *module __attribute__ ((unused)),
                   void **userdata __attribute__ ((unused)),
                   const char *name __attribute__ ((unused)),
                   Dwarf_Addr base __attribute__ ((unused)),
                   const char *file __attribute__ ((unused)),
                   const char *link __attribute__ ((unused)),
                   GElf_Word crc __attribute__ ((unused)),
                   char **found __attribute__ ((unused)))
{
  return -1;
}

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_linux_proc_find_elf,
  .find_debuginfo = find_no_debuginfo,
};

/* The one thread that is stopped.  */
static pid_t
next_thread (Dwfl *dwfl __attribute__ ((unused)), void *argument,
             void **thread_argument)
{
  struct dwfl_walker *walker = argument;
  pid_t next = *thread_argument ? 0 : walker->target->pid;
  *thread_argument = walker;
  return next;
}

static bool
get_thread (Dwfl *dwfl __attribute__ ((unused)),
            pid_t tid __attribute__ ((unused)), void *argument,
            void **thread_argument)
{
  *thread_argument = argument;
  return true;
}

static bool
memory_read (Dwfl *dwfl __attribute__ ((unused)), Dwarf_Addr address,
             Dwarf_Word *result, void *argument)
{
  struct dwfl_walker *walker = argument;
  return walker->target->read_word (walker->target, address, result);
}

static bool
set_initial_registers (Dwfl_Thread *thread, void *argument)
{
  struct dwfl_walker *walker = argument;
  const struct target *target = walker->target;
  if (!dwfl_thread_state_registers (thread, 0, target->n_registers,
                                    walker->registers))
    return false;
  /* Where the PC is no DWARF register it is told apart.  */
  if (target->abi->pc_register < 0)
    dwfl_thread_state_register_pc (thread, walker->registers[REGISTER_PC]);
  return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
  .next_thread = next_thread,
  .get_thread = get_thread,
  .memory_read = memory_read,
  .set_initial_registers = set_initial_registers,
};

static bool
report_modules (struct dwfl_walker *walker)
{
  dwfl_report_begin (walker->dwfl);
  bool ok = walker->target->report (walker->target, walker->dwfl);
  ok &= dwfl_report_end (walker->dwfl, NULL, NULL) == 0;
  walker->generation = walker->target->generation;
  return ok;
}

bool
dwfl_walker_open (struct dwfl_walker *walker, struct target *target)
{
  *walker = (struct dwfl_walker){ .target = target };
  walker->dwfl = dwfl_begin (&callbacks);
  return walker->dwfl && report_modules (walker)
         && dwfl_attach_state (walker->dwfl, NULL, target->pid,
                               &thread_callbacks, walker);
}

void
dwfl_walker_close (struct dwfl_walker *walker)
{
  if (walker->dwfl)
    dwfl_end (walker->dwfl);
}

/* What the CFI says at PC, to be freed; NULL: nothing.  */
static Dwarf_Frame *
rules_at (const struct dwfl_walker *walker, uint64_t pc)
{
  Dwarf_Addr bias;
  Dwarf_Frame *frame;
  Dwfl_Module *module = dwfl_addrmodule (walker->dwfl, pc);
  Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi (module, &bias) : NULL;
  return cfi && dwarf_cfi_addrframe (cfi, pc - bias, &frame) == 0 ? frame
                                                                  : NULL;
}

/* Whether CFI leads on from PC.  */
static bool
has_cfi (struct dwfl_walker *walker, uint64_t pc)
{
  Dwarf_Frame *frame = rules_at (walker, pc);
  free (frame);
  return frame != NULL;
}

bool
dwfl_walker_has_sp_rule (const struct dwfl_walker *walker, uint64_t pc)
{
  Dwarf_Op memory[3], *ops;
  size_t n_ops;
  Dwarf_Frame *frame = rules_at (walker, pc);
  if (!frame)
    return false;
  bool known = dwarf_frame_register (frame, walker->target->abi->sp, memory,
                                     &ops, &n_ops)
               == 0;
  free (frame);
  /* Without one libdw says that it is the CFA.  */
  return known
         && !(n_ops == 2 && ops[0].atom == DW_OP_call_frame_cfa
              && ops[1].atom == DW_OP_stack_value);
}

static int
take_frame (Dwfl_Frame *state, void *argument)
{
  struct dwfl_walker *walker = argument;
  struct walk *walk = walker->walk;
  const struct referee_abi *abi = walker->target->abi;
  struct frame *frame = &walk->frames[walk->n_frames];
  Dwarf_Word sp, fp;
  if (walk->n_frames == FRAMES_MAX)
    {
      walk->end = WALK_LIMIT;
      return DWARF_CB_ABORT;
    }
  if (!dwfl_frame_pc (state, &frame->pc, &frame->exact)
      || dwfl_frame_reg (state, (unsigned)abi->sp, &sp) != 0
      || dwfl_frame_reg (state, (unsigned)abi->fp, &fp) != 0)
    {
      walk->end = WALK_BROKEN;
      return DWARF_CB_ABORT;
    }
  frame->sp = sp;
  frame->fp = fp;
  walk->n_frames++;
  if (!has_cfi (walker, frame->pc - !frame->exact))
    {
      walk->end = WALK_NO_ROW;
      return DWARF_CB_ABORT;
    }
  return DWARF_CB_OK;
}

bool
dwfl_walker_walk (struct dwfl_walker *walker, const uint64_t *registers,
                  struct walk *walk)
{
  if (walker->generation != walker->target->generation
      && !report_modules (walker))
    return false;
  for (size_t i = 0; i < REGISTERS; i++)
    walker->registers[i] = registers[i];
  walker->walk = walk;
  walk->n_frames = 0;
  walk->end = WALK_OUTERMOST;
  int result = dwfl_getthread_frames (walker->dwfl, walker->target->pid,
                                      take_frame, walker);
  if (result == -1 && walk->end == WALK_OUTERMOST)
    walk->end = WALK_MEMORY; /* it gave up for a reason of its own */
  return walk->n_frames > 0;
}
