/* What the code of a frame is called, and where it is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/frame_name.h"

#include "stacks/code_symbols.h"

void
frame_name_find (struct process *process, const struct stack_walk *walk,
                 size_t index, unsigned wanted, struct frame_name *name)
{
  const struct frame *frame = &walk->frames[index];
  /* The address is that of the call, because the instruction after it may
     belong to another function.  */
  uint64_t offset, before = !frame->at_pc, address = frame->pc - before;
  struct code_file *file = process_code_at (process, address, &offset);
  *name = (struct frame_name){ .address = frame->pc };
  name->handler = index + 1 < walk->n && frame[1].interrupted;
  if (file == NULL)
    return;
  code_file_symbol (file, offset, wanted, &name->symbol);
  if (name->handler && name->symbol.of_rows)
    name->symbol.name[0] = '\0';
  name->symbol.offset += before;
  name->jit = file->is_jit && name->symbol.name[0] != '\0';
  if (file->is_jit)
    return;
  name->file = file;
  name->address = code_file_address (file, offset) + before;
}
