/* Walking a thread's stack by CFI, with libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdlib.h>

#include "stacks/stack_walk.h"

struct dwfl_walk
{
  struct process *process;
  struct walk *walk;
};

Dwarf_Frame *
walk_cfi_at (Dwfl *dwfl, uint64_t pc)
{
  Dwfl_Module *module = dwfl_addrmodule (dwfl, pc);
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

/* Whether CFI leads on from PC.  */
static bool
has_cfi (Dwfl *dwfl, uint64_t pc)
{
  Dwarf_Frame *frame = walk_cfi_at (dwfl, pc);
  free (frame);
  return frame != NULL;
}

static int
take_frame (Dwfl_Frame *state, void *argument)
{
  struct dwfl_walk *cfi = argument;
  struct walk *walk = cfi->walk;
  const struct arch *arch = cfi->process->arch;
  Dwarf_Word sp, fp;
  if (walk->n == walk->max)
    {
      walk->end = CFI2SFRAME_STEP_CALLER;
      return DWARF_CB_ABORT;
    }
  struct frame *frame = &walk->frames[walk->n];
  if (!dwfl_frame_pc (state, &frame->pc, &frame->interrupted)
      || dwfl_frame_reg (state, arch->sp, &sp) != 0
      || dwfl_frame_reg (state, arch->fp, &fp) != 0)
    {
      walk->end = CFI2SFRAME_STEP_REGISTER;
      return DWARF_CB_ABORT;
    }
  frame->at_pc = frame->interrupted;
  frame->sp = sp;
  frame->fp = fp;
  walk->n++;
  if (!has_cfi (cfi->process->dwfl, frame->pc - !frame->interrupted))
    {
      walk->end = CFI2SFRAME_STEP_NO_ROW;
      return DWARF_CB_ABORT;
    }
  return DWARF_CB_OK;
}

bool
walk_by_cfi (struct process *process, pid_t tid, struct walk *walk)
{
  struct dwfl_walk cfi = { process, walk };
  walk->n = 0;
  walk->end = CFI2SFRAME_STEP_OUTERMOST;
  int result = dwfl_getthread_frames (process->dwfl, tid, take_frame, &cfi);
  if (result == -1 && walk->end == CFI2SFRAME_STEP_OUTERMOST)
    walk->end
        = CFI2SFRAME_STEP_MEMORY; /* libdwfl gave up for a reason of its own */
  return walk->n > 0;
}
