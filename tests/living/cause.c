/* Why walks end, in the words of the reports.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "sframe/decode.h"
#include "tests/sframe_lookup.h"
#include "walk/apply.h"

const char *
cause_name (unsigned cause)
{
  static const char *const names[]
      = { "no-module", "vdso", "return-address", "sp-rule", "limit" };
  return cause < CAUSE_NO_MODULE ? unwind_end_name ((enum sfw_end)cause)
                                 : names[cause - CAUSE_NO_MODULE];
}

/* Whether PC, which has no row, is a place that was left out because it is a
   return address, too: the smallest instruction in front of a function.  */
static bool
is_return_address (const struct process *process,
                   const struct sfw_section *section, uint64_t pc)
{
  struct sframe_decoder decoder;
  struct sframe_fde function;
  struct sframe_row row;
  uint64_t next = pc + process->arch->smallest_instruction;
  return sframe_decoder_open (&decoder, section->bytes, section->size,
                              section->address, NULL)
         && sframe_decoder_lookup (&decoder, next, &function, &row, NULL) > 0
         && function.address == next;
}

/* Whether the CFI has a rule of its own for the caller's SP at PC.  */
static bool
has_sp_rule (const struct referee *referee, uint64_t pc)
{
  Dwarf_Op memory[3], *ops;
  size_t n_ops;
  Dwarf_Frame *frame = referee_cfi_at (referee, pc);
  if (!frame)
    return false;
  bool known = dwarf_frame_register (frame, referee->process->arch->sp, memory,
                                     &ops, &n_ops)
               == 0;
  free (frame);
  /* Without one libdw says that it is the CFA.  */
  return known
         && !(n_ops == 2 && ops[0].atom == DW_OP_call_frame_cfa
              && ops[1].atom == DW_OP_stack_value);
}

/* Code without a row: why?  */
static unsigned
cause_of_gap (const struct referee *referee, uint64_t pc)
{
  const struct process *process = referee->process;
  struct sfw_section section;
  if (process_find_section (process, pc, &section)
      && is_return_address (process, &section, pc))
    return CAUSE_RETURN_ADDRESS;
  return has_sp_rule (referee, pc) ? CAUSE_SP_RULE : SFW_NO_ROW;
}

unsigned
cause_of (const struct referee *referee, const struct stack_walk *walk)
{
  const struct process *process = referee->process;
  const struct frame *last = &walk->frames[walk->n - 1];
  uint64_t pc = last->pc - !last->at_pc;
  uint64_t offset;
  const struct code_file *file = process_file_at (process, pc, &offset);
  switch (walk->end)
    {
    case SFW_MORE:
      return CAUSE_LIMIT;
    case SFW_NO_SECTION:
      return file == NULL                         ? CAUSE_NO_MODULE
             : strcmp (file->path, "[vdso]") == 0 ? CAUSE_VDSO
                                                  : walk->end;
    case SFW_NO_ROW:
      return cause_of_gap (referee, pc);
    default:
      return walk->end;
    }
}
