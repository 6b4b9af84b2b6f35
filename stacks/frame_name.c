/* What the code of a frame is called, and where it is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/frame_name.h"

#include <stdio.h>

void
frame_name_find (struct process *process, const struct walk *walk,
                 size_t index, unsigned wanted, struct frame_name *name)
{
  const struct frame *frame = &walk->frames[index];
  /* The address is that of the call, because the instruction after it may
     belong to another function.  */
  uint64_t offset, before = !frame->at_pc, address = frame->pc - before;
  struct code_file *file = process_file_at (process, address, &offset);
  *name = (struct frame_name){ .file = file, .address = frame->pc };
  name->handler = index + 1 < walk->n && frame[1].interrupted;
  if (file != NULL)
    {
      code_file_symbol (file, offset, wanted, &name->symbol);
      if (name->handler && name->symbol.of_rows)
        name->symbol.name[0] = '\0';
      name->symbol.offset += before;
      name->address = code_file_address (file, offset) + before;
      return;
    }
  const struct jit_name *jit = jit_names_at (&process->jit_names, address);
  if (jit == NULL)
    return;
  name->jit = true;
  name->symbol.offset = frame->pc - jit->start;
  snprintf (name->symbol.name, sizeof name->symbol.name, "%s", jit->name);
}
