/* One step of a walk by CFI, with all registers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The converter's own reader interprets the CFI (cfi/register_rules.h).
   Expressions are programs of a stack machine (DWARF 5, section 2.5).
   Operations that no known CFI uses, such as branches, are not implemented; an
   expression with one has no value.  */

#include <config.h>

#include "stacks/steps.h"

#include <dwarf.h>

#include "base/bytes.h"

enum
{
  DEPTH_MAX = 64 /* values on the stack */
};

const char *
frame_way_name (enum frame_way way)
{
  static const char *const names[] = { [WAY_ROW] = "row",
                                       [WAY_CFI] = "CFI",
                                       [WAY_UNSURE] = "CFI, guessed",
                                       [WAY_SIGNAL] = "signal frame",
                                       [WAY_SYSCALL] = "system call",
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
  bool unsure; /* the value of a register in registers->unsure was used */
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
register_value (struct machine *machine, uint64_t number, uint64_t *value)
{
  const struct registers *registers = machine->registers;
  if (number >= registers->n || registers->values[number] == UNKNOWN_REGISTER)
    return SFW_REGISTER;
  machine->unsure |= registers->unsure >> number & 1;
  *value = registers->values[number];
  return SFW_MORE;
}

static enum sfw_end
based_value (struct machine *machine, uint64_t number, uint64_t offset,
             uint64_t *value)
{
  enum sfw_end step = register_value (machine, number, value);
  *value += offset;
  return step;
}

/* Set *VALUE to the constant that the operation CODE pushes.  False if CODE
   does not push a constant.  */
static bool
constant_value (unsigned code, struct cursor *operations, uint64_t *value)
{
  /* DW_OP_const1u to DW_OP_const8s: each size without and with a sign.  */
  unsigned kind = code - DW_OP_const1u, bits = 8U << (kind / 2 & 3);
  if (code == DW_OP_constu)
    *value = cursor_uleb (operations);
  else if (code == DW_OP_consts)
    *value = (uint64_t)cursor_sleb (operations);
  else if (kind > DW_OP_const8s - DW_OP_const1u)
    return false;
  else
    {
      *value = bits == 8    ? cursor_u8 (operations)
               : bits == 16 ? cursor_u16 (operations)
               : bits == 32 ? cursor_u32 (operations)
                            : cursor_u64 (operations);
      if (kind % 2 != 0)
        *value = (uint64_t)((int64_t)(*value << (64 - bits)) >> (64 - bits));
    }
  return true;
}

/* Set *VALUE to the result of the operation CODE, which pushes a value without
   taking any from the stack.  OPERATIONS continues with its operands.
   SFW_NO_ROW for any other operation.  */
static enum sfw_end
pushed_value (struct machine *machine, unsigned code,
              struct cursor *operations, uint64_t *value)
{
  if (code >= DW_OP_lit0 && code <= DW_OP_lit31)
    *value = code - DW_OP_lit0;
  else if (code >= DW_OP_breg0 && code <= DW_OP_breg31)
    return based_value (machine, code - DW_OP_breg0,
                        (uint64_t)cursor_sleb (operations), value);
  else if (code == DW_OP_bregx)
    {
      uint64_t number = cursor_uleb (operations);
      return based_value (machine, number, (uint64_t)cursor_sleb (operations),
                          value);
    }
  else if (code == DW_OP_addr)
    *value = cursor_u64 (operations) + machine->shift;
  else
    return constant_value (code, operations, value) ? SFW_MORE : SFW_NO_ROW;
  return SFW_MORE;
}

/* Set *A to the result of the operation CODE on *A and B, the top of the
   stack.  False if CODE is not an operation on two values.  */
static bool
binary_result (unsigned code, uint64_t *a, uint64_t b)
{
  const int64_t x = (int64_t)*a, y = (int64_t)b;
  const struct
  {
    unsigned code;
    uint64_t result;
  } all[] = {
    { DW_OP_and, *a & b },
    { DW_OP_or, *a | b },
    { DW_OP_xor, *a ^ b },
    { DW_OP_plus, *a + b },
    { DW_OP_minus, *a - b },
    { DW_OP_mul, *a * b },
    { DW_OP_shl, b < 64 ? *a << b : 0 },
    { DW_OP_shr, b < 64 ? *a >> b : 0 },
    { DW_OP_eq, x == y },
    { DW_OP_ne, x != y },
    { DW_OP_ge, x >= y },
    { DW_OP_gt, x > y },
    { DW_OP_le, x <= y },
    { DW_OP_lt, x < y },
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].code == code)
      {
        *a = all[i].result;
        return true;
      }
  return false;
}

static enum sfw_end
execute (struct machine *machine, struct cursor *operations, uint64_t *stack,
         unsigned *depth)
{
  unsigned code = cursor_u8 (operations);
  enum sfw_end step = pushed_value (machine, code, operations, &stack[*depth]);
  *depth += step == SFW_MORE;
  if (step != SFW_NO_ROW || *depth == 0)
    return step;
  if (*depth > 1
      && binary_result (code, &stack[*depth - 2], stack[*depth - 1]))
    {
      --*depth;
      return SFW_MORE;
    }
  uint64_t *top = &stack[*depth - 1];
  switch (code)
    {
    case DW_OP_deref:
      return read_word (machine, *top, 8, top);
    case DW_OP_deref_size:
      return read_word (machine, *top, cursor_u8 (operations), top);
    case DW_OP_plus_uconst:
      *top += cursor_uleb (operations);
      return SFW_MORE;
    default:
      return SFW_NO_ROW;
    }
}

/* Set *VALUE to the result of the expression of RULE.  The stack begins with
   the CFA, except for the CFA itself (DWARF 5, section 6.4.2.3).  */
static enum sfw_end
evaluate (struct machine *machine, const struct register_rule *rule,
          uint64_t *value)
{
  uint64_t stack[DEPTH_MAX] = { machine->cfa };
  unsigned depth = machine->has_cfa;
  struct cursor operations = cursor_over (rule->expression, rule->size,
                                          machine->process->arch->big_endian);
  while (cursor_left (&operations) > 0)
    {
      enum sfw_end step = depth < DEPTH_MAX
                              ? execute (machine, &operations, stack, &depth)
                              : SFW_NO_ROW;
      if (step != SFW_MORE || operations.failed)
        return operations.failed ? SFW_NO_ROW : step;
    }
  if (depth == 0)
    return SFW_NO_ROW;
  *value = stack[depth - 1];
  return SFW_MORE;
}

/* Set *VALUE to the result of RULE for register NUMBER.  */
static enum sfw_end
value_by (struct machine *machine, const struct register_rule *rule,
          unsigned number, uint64_t *value)
{
  enum sfw_end step = SFW_MORE;
  switch (rule->kind)
    {
    case REGISTER_SAME:
      return register_value (machine, number, value);
    case REGISTER_SUM:
      return based_value (machine, rule->number, rule->offset, value);
    case REGISTER_CFA:
    case REGISTER_AT_CFA:
      *value = machine->cfa + rule->offset;
      break;
    case REGISTER_VALUE:
    case REGISTER_AT_EXPRESSION:
      step = evaluate (machine, rule, value);
      break;
    default:
      return SFW_REGISTER;
    }
  if (step != SFW_MORE || rule->kind == REGISTER_CFA
      || rule->kind == REGISTER_VALUE)
    return step;
  return read_word (machine, *value, 8, value);
}

/* Whether register NUMBER is callee-saved.  */
static bool
is_callee_saved (const struct arch *arch, unsigned number)
{
  for (unsigned i = 0; i < arch->n_saved_registers; i++)
    if (arch->saved_registers[i] == number)
      return true;
  return number == arch->fp;
}

/* Set *VALUE to the caller's value of register NUMBER, which is not RA.
   Registers without a rule follow the ABI.  *KEPT: the register is not
   callee-saved and has no rule, so the value is the caller's only if the
   function has not changed it.  */
static enum sfw_end
caller_value (struct machine *machine, const struct register_rules *rules,
              unsigned number, uint64_t *value, bool *kept)
{
  const struct arch *arch = machine->process->arch;
  const struct register_rule *rule = &rules->registers[number];
  if (rule->kind != REGISTER_NO_RULE)
    return value_by (machine, rule, number, value);
  if (number == arch->sp)
    {
      *value = machine->cfa + (uint64_t)(int64_t)arch->caller_sp_offset;
      return SFW_MORE;
    }
  *kept = !is_callee_saved (arch, number);
  return register_value (machine, number, value);
}

/* Set *PC to the return address.  If the return address register has no rule,
   it still has the value of the call.  */
static enum sfw_end
caller_pc (struct machine *machine, const struct register_rules *rules,
           uint64_t *pc)
{
  if (rules->ra >= REGISTERS_MAX)
    return SFW_NO_ROW;
  const struct register_rule *rule = &rules->registers[rules->ra];
  if (rule->kind == REGISTER_UNDEFINED)
    return SFW_OUTERMOST;
  return rule->kind == REGISTER_NO_RULE
             ? register_value (machine, rules->ra, pc)
             : value_by (machine, rule, rules->ra, pc);
}

/* Set CALLER's registers.  A register that is not callee-saved is lost in a
   call.  But functions in assembler may call others that leave it alone:
   libcrypto's AES-GCM has its CFA in rax meanwhile.  If the function was
   INTERRUPTED and has called nothing, the register still has its value.  */
static void
set_values (struct machine *machine, const struct register_rules *rules,
            bool interrupted, struct registers *caller)
{
  for (unsigned i = 0; i < caller->n; i++)
    {
      bool kept = false;
      machine->unsure = false;
      if (caller_value (machine, rules, i, &caller->values[i], &kept)
              != SFW_MORE
          || (kept && !interrupted))
        caller->values[i] = UNKNOWN_REGISTER;
      caller->unsure |= (uint64_t)(kept || machine->unsure) << i;
    }
}

/* Set CALLER to the caller's registers, by RULES.  If an unsure register was
   used, a call must end at the return address; *WAY becomes WAY_UNSURE.  */
static enum sfw_end
step_by_rules (struct machine *machine, const struct register_rules *rules,
               bool interrupted, struct registers *caller, enum frame_way *way)
{
  const struct arch *arch = machine->process->arch;
  enum sfw_end step = rules->cfa.kind != REGISTER_NO_RULE
                          ? value_by (machine, &rules->cfa, 0, &machine->cfa)
                          : SFW_NO_ROW;
  machine->has_cfa = true;
  if (step == SFW_MORE)
    step = caller_pc (machine, rules, &caller->pc);
  if (step != SFW_MORE)
    return step;
  if (arch->ra_signing)
    caller->pc &= ~PAC_BITS;
  if (machine->unsure)
    {
      if (!process_may_return_to (machine->process, caller->pc))
        return SFW_REGISTER;
      *way = WAY_UNSURE;
    }
  set_values (machine, rules, interrupted, caller);
  /* The call has overwritten the caller's own return address register.  */
  if (arch->ra < caller->n)
    caller->values[arch->ra]
        = arch_tracks_ra (arch) ? UNKNOWN_REGISTER : caller->pc;
  return caller->values[arch->sp] != UNKNOWN_REGISTER ? SFW_MORE
                                                      : SFW_REGISTER;
}

/* Set RULES to the CFI for PC, and *SHIFT to addresses in PROCESS minus those
   in the file.  False if there is no CFI.  */
static bool
find_rules (const struct process *process, uint64_t pc, uint64_t *shift,
            struct register_rules *rules)
{
  uint64_t offset;
  struct code_file *file = process_file_at (process, pc, &offset);
  if (file == NULL)
    return false;
  uint64_t address = code_file_address (file, offset);
  const struct cfi_source *cfi = row_source_cfi (&file->rows, &file->image);
  *shift = pc - address;
  return cfi != NULL && register_rules_find (cfi, address, rules);
}

enum sfw_end
cfi_step (struct process *process, struct registers *registers, bool at_pc,
          struct cfi_caller *found)
{
  struct machine machine = { .process = process, .registers = registers };
  struct registers caller = { .n = registers->n };
  struct register_rules rules;
  *found = (struct cfi_caller){ .way = WAY_SIGNAL, .interrupted = true };
  if (syscall_code_step (process, registers))
    return SFW_MORE;
  bool has_cfi
      = find_rules (process, registers->pc - !at_pc, &machine.shift, &rules);
  if (!has_cfi && !(at_pc && syscall_code_rules (process, registers, &rules)))
    return SFW_NO_ROW;
  *found
      = (struct cfi_caller){ has_cfi ? WAY_CFI : WAY_SYSCALL, rules.signal };
  enum sfw_end step
      = step_by_rules (&machine, &rules, at_pc, &caller, &found->way);
  if (step == SFW_MORE && !has_cfi
      && !process_may_return_to (process, caller.pc))
    return SFW_NO_ROW;
  if (step == SFW_MORE)
    *registers = caller;
  return step;
}
