/* One step of a walk that keeps all registers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdw reads CFI and gives the rule of each register as operations of a stack
   machine (DWARF 5, section 2.5), those of plain rules as well.  The machine
   is here, because libdwfl's goes on with guesses of its own where CFI does
   not lead on.  Operations that no CFI is known to have (branches among them)
   are left out: where they are, nothing is known.  */

#include <config.h>

#include "stacks/full_step.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "stacks/known_code.h"

enum
{
  DEPTH_MAX = 64 /* operations of an expression, and so values on the stack */
};

const char *
frame_way_name (enum frame_way way)
{
  static const char *const names[] = { [WAY_ROW] = "row",
                                       [WAY_CFI] = "CFI",
                                       [WAY_SIGNAL] = "signal frame",
                                       [WAY_FP] = "frame pointer",
                                       [WAY_GUESS] = "guessed" };
  return names[way];
}

struct machine
{
  struct process *process;
  const struct registers *registers;
  uint64_t shift; /* addresses in the process minus those in the file */
  uint64_t cfa;
  bool has_cfa;
  bool is_value; /* the result is the value itself, not where it is */
};

static enum sfw_end
read_word (const struct machine *machine, uint64_t address, unsigned size,
           uint64_t *value)
{
  bool big_endian = machine->process->arch->big_endian;
  uint8_t bytes[8] = { 0 };
  if (size == 0 || size > sizeof bytes)
    return SFW_NO_ROW;
  if (!memory_read (&machine->process->memory, address,
                    bytes + (big_endian ? sizeof bytes - size : 0), size))
    return SFW_MEMORY;
  *value = load_u64 (bytes, big_endian);
  return SFW_MORE;
}

static enum sfw_end
register_value (const struct machine *machine, uint64_t number,
                uint64_t *value)
{
  const struct registers *registers = machine->registers;
  if (number >= registers->n || registers->values[number] == UNKNOWN_REGISTER)
    return SFW_REGISTER;
  *value = registers->values[number];
  return SFW_MORE;
}

/* Set *VALUE to register NUMBER plus OFFSET.  */
static enum sfw_end
based_value (const struct machine *machine, uint64_t number, uint64_t offset,
             uint64_t *value)
{
  enum sfw_end step = register_value (machine, number, value);
  *value += offset;
  return step;
}

/* Set *VALUE to what OPERATION pushes; SFW_NO_ROW if it takes
   something from the stack.  */
static enum sfw_end
pushed_value (struct machine *machine, const Dwarf_Op *operation,
              uint64_t *value)
{
  unsigned code = operation->atom;
  *value = operation->number;
  if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
    *value = code - DW_OP_lit0;
  else if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
    return based_value (machine, code - DW_OP_breg0, *value, value);
  else if (code == DW_OP_bregx)
    return based_value (machine, *value, operation->number2, value);
  else if (code == DW_OP_addr)
    *value += machine->shift;
  else if (code >= DW_OP_reg0 && code <= DW_OP_reg31)
    {
      machine->is_value = true;
      return register_value (machine, code - DW_OP_reg0, value);
    }
  else if (code == DW_OP_regx)
    {
      machine->is_value = true;
      return register_value (machine, *value, value);
    }
  else if (code == DW_OP_call_frame_cfa && machine->has_cfa)
    *value = machine->cfa;
  else if (code < DW_OP_const1u || code > DW_OP_consts)
    return SFW_NO_ROW;
  return SFW_MORE;
}

/* Set *A to what the operation CODE makes of *A and B, the top of the stack.
   False if it does not take two operands.  */
static bool
combine (unsigned code, uint64_t *a, uint64_t b)
{
  int64_t x = (int64_t)*a, y = (int64_t)b;
  switch (code)
    {
    case DW_OP_and:
      *a &= b;
      return true;
    case DW_OP_or:
      *a |= b;
      return true;
    case DW_OP_xor:
      *a ^= b;
      return true;
    case DW_OP_plus:
      *a += b;
      return true;
    case DW_OP_minus:
      *a -= b;
      return true;
    case DW_OP_mul:
      *a *= b;
      return true;
    case DW_OP_shl:
      *a = b < 64 ? *a << b : 0;
      return true;
    case DW_OP_shr:
      *a = b < 64 ? *a >> b : 0;
      return true;
    case DW_OP_eq:
      *a = x == y;
      return true;
    case DW_OP_ne:
      *a = x != y;
      return true;
    case DW_OP_ge:
      *a = x >= y;
      return true;
    case DW_OP_gt:
      *a = x > y;
      return true;
    case DW_OP_le:
      *a = x <= y;
      return true;
    case DW_OP_lt:
      *a = x < y;
      return true;
    default:
      return false;
    }
}

/* Execute OPERATION, which changes the value on TOP of the stack.  */
static enum sfw_end
change (struct machine *machine, const Dwarf_Op *operation, uint64_t *top)
{
  switch (operation->atom)
    {
    case DW_OP_deref:
      return read_word (machine, *top, 8, top);
    case DW_OP_deref_size:
      return read_word (machine, *top, (unsigned)operation->number, top);
    case DW_OP_plus_uconst:
      *top += operation->number;
      return SFW_MORE;
    case DW_OP_stack_value:
      machine->is_value = true;
      return SFW_MORE;
    default:
      return SFW_NO_ROW;
    }
}

/* Execute OPERATION on STACK, of *DEPTH values.  */
static enum sfw_end
execute (struct machine *machine, const Dwarf_Op *operation, uint64_t *stack,
         unsigned *depth)
{
  enum sfw_end step = pushed_value (machine, operation, &stack[*depth]);
  *depth += step == SFW_MORE;
  if (step != SFW_NO_ROW || *depth == 0)
    return step;
  if (*depth > 1
      && combine (operation->atom, &stack[*depth - 2], stack[*depth - 1]))
    {
      --*depth;
      return SFW_MORE;
    }
  return change (machine, operation, &stack[*depth - 1]);
}

/* Set *VALUE to the result of the N OPERATIONS.  */
static enum sfw_end
evaluate (struct machine *machine, const Dwarf_Op *operations, size_t n,
          uint64_t *value)
{
  uint64_t stack[DEPTH_MAX];
  unsigned depth = 0;
  machine->is_value = false;
  if (n == 0 || n > DEPTH_MAX)
    return SFW_NO_ROW;
  for (size_t i = 0; i < n; i++)
    {
      enum sfw_end step = execute (machine, &operations[i], stack, &depth);
      if (step != SFW_MORE)
        return step;
    }
  *value = stack[depth - 1];
  return SFW_MORE;
}

static enum sfw_end
find_cfa (struct machine *machine, Dwarf_Frame *rules)
{
  Dwarf_Op *operations;
  size_t n;
  if (dwarf_frame_cfa (rules, &operations, &n) != 0)
    return SFW_NO_ROW;
  enum sfw_end step = evaluate (machine, operations, n, &machine->cfa);
  machine->has_cfa = step == SFW_MORE;
  return step;
}

/* Whether functions must preserve register NUMBER.  */
static bool
is_saved (const struct arch *arch, int number)
{
  for (unsigned i = 0; i < arch->n_saved_registers; i++)
    if (arch->saved_registers[i] == number)
      return true;
  return number == arch->fp;
}

/* Set *VALUE to the caller's register NUMBER, by the N OPERATIONS.  */
static enum sfw_end
value_by (struct machine *machine, const Dwarf_Op *operations, size_t n,
          uint64_t *value)
{
  enum sfw_end step = evaluate (machine, operations, n, value);
  if (step != SFW_MORE || machine->is_value)
    return step;
  return read_word (machine, *value, 8, value);
}

/* Set *VALUE to the caller's register NUMBER, other than RA.  What CFI does
   not mention is the ABI's matter: libdw takes rax for rbx there (elfutils,
   backends/x86_64_cfi.c).  */
static enum sfw_end
caller_value (struct machine *machine, Dwarf_Frame *rules, int number,
              uint64_t *value)
{
  Dwarf_Op room[3], *operations;
  size_t n;
  if (dwarf_frame_register (rules, number, room, &operations, &n) == 0
      && n > 0)
    return value_by (machine, operations, n, value);
  return is_saved (machine->process->arch, number)
             ? register_value (machine, (uint64_t)number, value)
             : SFW_REGISTER;
}

static enum sfw_end
caller_pc (struct machine *machine, Dwarf_Frame *rules, int number,
           uint64_t *pc)
{
  Dwarf_Op room[3], *operations;
  size_t n;
  if (dwarf_frame_register (rules, number, room, &operations, &n) != 0)
    return SFW_NO_ROW;
  if (n > 0)
    return value_by (machine, operations, n, pc);
  /* libdw says "undefined" by operations that are none, and "the same" by
     none.  */
  return operations == NULL ? register_value (machine, (uint64_t)number, pc)
                            : SFW_OUTERMOST;
}

static enum sfw_end
step_by_rules (struct machine *machine, Dwarf_Frame *rules,
               struct registers *caller, bool *interrupted)
{
  const struct arch *arch = machine->process->arch;
  int ra = dwarf_frame_info (rules, NULL, NULL, interrupted);
  enum sfw_end step = find_cfa (machine, rules);
  if (step == SFW_MORE)
    step = caller_pc (machine, rules, ra, &caller->pc);
  if (step != SFW_MORE)
    return step;
  for (unsigned i = 0; i < caller->n; i++)
    if (caller_value (machine, rules, (int)i, &caller->values[i]) != SFW_MORE)
      caller->values[i] = UNKNOWN_REGISTER;
  if (arch->ra_signing)
    caller->pc &= ~PAC_BITS;
  /* What was the caller's before its call is not known: the call changed
     it.  */
  if (arch->ra < caller->n)
    caller->values[arch->ra]
        = arch_tracks_ra (arch) ? UNKNOWN_REGISTER : caller->pc;
  return caller->values[arch->sp] != UNKNOWN_REGISTER ? SFW_MORE
                                                      : SFW_REGISTER;
}

/* What CFI says of the code at PC; to be freed.  NULL: nothing.  *SHIFT:
   addresses in PROCESS minus those in the file.  */
static Dwarf_Frame *
find_rules (const struct process *process, uint64_t pc, uint64_t *shift)
{
  uint64_t offset;
  struct code_file *file = process_file_at (process, pc, &offset);
  if (file == NULL)
    return NULL;
  uint64_t address = code_file_address (file, offset);
  *shift = pc - address;
  return code_file_cfi (file, address);
}

enum sfw_end
full_step (struct process *process, struct registers *registers, bool at_pc,
           struct full_caller *found)
{
  struct machine machine = { .process = process, .registers = registers };
  struct registers caller = { .n = registers->n };
  *found = (struct full_caller){ .way = WAY_SIGNAL, .interrupted = true };
  if (known_code_step (process, registers))
    return SFW_MORE;
  Dwarf_Frame *rules
      = find_rules (process, registers->pc - !at_pc, &machine.shift);
  if (rules == NULL)
    return SFW_NO_ROW;
  enum sfw_end step
      = step_by_rules (&machine, rules, &caller, &found->interrupted);
  found->way = WAY_CFI;
  free (rules);
  if (step == SFW_MORE)
    *registers = caller;
  return step;
}
