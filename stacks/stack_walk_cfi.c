/* Walking a thread's stack by CFI, with libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdlib.h>

#include "stacks/code_files.h"
#include "stacks/stack_walk.h"

struct dwfl_walk
{
  struct process *process;
  struct walk *walk;
};

Dwarf_Frame *
walk_cfi_at (Dwfl *dwfl, uint64_t pc)
{
  return code_module_cfi (dwfl_addrmodule (dwfl, pc), pc);
}

/* What CFI says of the caller of PC: SFW_MORE, that there is
   one; SFW_OUTERMOST, that there is none; or
   SFW_NO_ROW.  */
static enum sfw_end
caller_by_cfi (Dwfl *dwfl, uint64_t pc)
{
  Dwarf_Op room[3], *operations = NULL;
  size_t n = 0;
  Dwarf_Frame *frame = walk_cfi_at (dwfl, pc);
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
  struct walk *walk = cfi->walk;
  const struct arch *arch = cfi->process->arch;
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
  walk->end
      = caller_by_cfi (cfi->process->dwfl, frame->pc - !frame->interrupted);
  return walk->end == SFW_MORE ? DWARF_CB_OK : DWARF_CB_ABORT;
}

bool
walk_by_cfi (struct process *process, pid_t tid, struct walk *walk)
{
  struct dwfl_walk cfi = { process, walk };
  walk->n = 0;
  walk->end = SFW_MORE;
  dwfl_getthread_frames (process->dwfl, tid, take_frame, &cfi);
  /* libdwfl gave up for a reason of its own.  */
  if (walk->end == SFW_MORE && walk->n < walk->max)
    walk->end = SFW_MEMORY;
  return walk->n > 0;
}
