/* Reading call-frame information by elfutils' libdw, as spans of addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A rule of the form register + offset, or of memory at that address, is kept;
   any other rule is PLACE_UNKNOWN.  Expressions that depend on the PC, as
   those of lazy PLTs do, are evaluated at each PC.

   DWARF leaves the meaning of a missing rule to the ABI (DWARF 5, section
   6.4.1): a callee-saved register is unchanged.  All unwinders take .eh_frame
   so.  But some compilers (Go's, GraalVM) save FP and never give a rule for it
   in .debug_frame.  Such a section moves the CFA many times and has no rule
   for FP anywhere; then a missing rule has no meaning.  The converter makes
   the same distinction (src/cfi/source.c), and takes its rows from
   elsewhere.  */

#include "prove.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

struct cfi
{
  const struct abi *abi;
  Dwarf *dwarf;
  Dwarf_CFI *eh_frame, *debug_frame; /* NULL: there is none */
  struct signatures *in_eh_frame, *in_debug_frame;
  bool fp_unspecified; /* .debug_frame has no rule for FP anywhere */
  bool no_memory;      /* memory ran out: rows are missing */
  const char *problem; /* or NULL */
  /* The row that find_row found last, and its end; 0: none.  */
  Dwarf_Frame *row;
  uint64_t row_end;
  bool row_signal, row_from_other;
};

/* libdw's functions fail both if there is no row and if memory ran out.
   errno, which malloc sets, distinguishes the two: callers set errno to 0
   before a call, and call note_memory after it.  */
static void
note_memory (struct cfi *cfi)
{
  cfi->no_memory |= errno == ENOMEM;
}

const char *
cfi_problem (const struct cfi *cfi)
{
  return cfi->no_memory ? "out of memory" : cfi->problem;
}

void
cfi_close (struct cfi *cfi)
{
  if (cfi == NULL)
    return;
  free (cfi->row);
  signatures_close (cfi->in_eh_frame);
  signatures_close (cfi->in_debug_frame);
  if (cfi->eh_frame != NULL)
    dwarf_cfi_end (cfi->eh_frame);
  dwarf_end (cfi->dwarf);
  free (cfi);
}

/* ---- Evaluating expressions */

/* A value on the stack of an expression: a number, a register or the CFA plus
   a number, or the contents of memory at that address.  */
struct value
{
  bool has_register, in_memory, has_cfa;
  unsigned reg;
  int64_t offset;
};

enum
{
  STACK_MAX = 16,
  OPS_MAX = 256,        /* a limit: expressions are evaluated at each PC */
  REGISTER_MAX = 0xffff /* or truncation would name another register */
};

struct evaluation
{
  uint64_t pc;
  unsigned pc_register; /* the RA's column, which denotes the PC */
  bool uses_pc;
  struct value stack[STACK_MAX];
  unsigned depth;
};

static bool
push (struct evaluation *evaluation, struct value value)
{
  if (evaluation->depth == STACK_MAX)
    return false;
  evaluation->stack[evaluation->depth++] = value;
  return true;
}

/* Add A and B with wraparound, as addresses are added.  */
static int64_t
sum (int64_t a, int64_t b)
{
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static bool
push_register (struct evaluation *evaluation, uint64_t reg, int64_t offset)
{
  if (reg > REGISTER_MAX)
    return false;
  if (reg != evaluation->pc_register)
    return push (evaluation, (struct value){ .has_register = true,
                                             .reg = (unsigned)reg,
                                             .offset = offset });
  evaluation->uses_pc = true;
  return push (
      evaluation,
      (struct value){ .offset = sum ((int64_t)evaluation->pc, offset) });
}

/* Set *RESULT to A ATOM B, both numbers.  False for other operations.  */
static bool
combine_numbers (unsigned atom, int64_t a, int64_t b, int64_t *result)
{
  switch (atom)
    {
    case DW_OP_and:
      *result = a & b;
      return true;
    case DW_OP_or:
      *result = a | b;
      return true;
    case DW_OP_shl:
      *result = b >= 0 && b < 64 ? (int64_t)((uint64_t)a << b) : 0;
      return true;
    case DW_OP_mul:
      *result = (int64_t)((uint64_t)a * (uint64_t)b);
      return true;
    case DW_OP_ge:
      *result = a >= b;
      return true;
    case DW_OP_gt:
      *result = a > b;
      return true;
    case DW_OP_le:
      *result = a <= b;
      return true;
    case DW_OP_lt:
      *result = a < b;
      return true;
    case DW_OP_eq:
      *result = a == b;
      return true;
    case DW_OP_ne:
      *result = a != b;
      return true;
    default:
      return false;
    }
}

static bool
combine (struct evaluation *evaluation, unsigned atom)
{
  if (evaluation->depth < 2)
    return false;
  struct value b = evaluation->stack[--evaluation->depth];
  struct value *a = &evaluation->stack[evaluation->depth - 1];
  bool a_number = !a->has_register && !a->has_cfa && !a->in_memory;
  bool b_number = !b.has_register && !b.has_cfa && !b.in_memory;
  if (a_number && b_number
      && combine_numbers (atom, a->offset, b.offset, &a->offset))
    return true;
  if (a->in_memory || b.in_memory
      || !(b_number || (a_number && atom == DW_OP_plus)))
    return false;
  if (atom == DW_OP_minus)
    {
      a->offset = sum (a->offset, (int64_t)(0 - (uint64_t)b.offset));
      return true;
    }
  int64_t offset = sum (a->offset, b.offset);
  *a = b_number ? *a : b;
  a->offset = offset;
  return atom == DW_OP_plus;
}

static bool
dereference (struct evaluation *evaluation)
{
  if (evaluation->depth == 0)
    return false;
  struct value *top = &evaluation->stack[evaluation->depth - 1];
  if (top->in_memory || !(top->has_register || top->has_cfa))
    return false;
  top->in_memory = true;
  return true;
}

static bool
evaluate_one (struct evaluation *evaluation, const Dwarf_Op *op)
{
  if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
    return push_register (evaluation, op->atom - DW_OP_breg0,
                          (int64_t)op->number);
  if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
    return push (evaluation,
                 (struct value){ .offset = op->atom - DW_OP_lit0 });
  switch (op->atom)
    {
    case DW_OP_bregx:
      return push_register (evaluation, op->number, (int64_t)op->number2);
    case DW_OP_call_frame_cfa:
      return push (evaluation, (struct value){ .has_cfa = true });
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
      return push (evaluation,
                   (struct value){ .offset = (int64_t)op->number });
    case DW_OP_plus_uconst:
      return push (evaluation, (struct value){ .offset = (int64_t)op->number })
             && combine (evaluation, DW_OP_plus);
    case DW_OP_deref:
      return dereference (evaluation);
    case DW_OP_stack_value:
    case DW_OP_nop:
      return true;
    default:
      return combine (evaluation, op->atom);
    }
}

/* Evaluate the N OPS as a place.  LOCATION says that they compute the address
   of the value, unless they end in DW_OP_stack_value.  *USES_PC is set if the
   place depends on the PC.  */
static struct place
evaluate (const struct abi *abi, const Dwarf_Op *ops, size_t n, uint64_t pc,
          bool location, bool *uses_pc)
{
  struct evaluation evaluation = { .pc = pc, .pc_register = abi->ra };
  const struct place unknown = { .kind = PLACE_UNKNOWN };
  /* Where the RA is in an ordinary register, a rule may refer to that one.  */
  if (abi->fixed_ra == 0)
    evaluation.pc_register = UINT32_MAX;
  for (size_t i = 0; i < n; i++)
    if (n > OPS_MAX || !evaluate_one (&evaluation, &ops[i]))
      return unknown;
  if (evaluation.depth == 0)
    return unknown;
  struct value value = evaluation.stack[evaluation.depth - 1];
  location &= ops[n - 1].atom != DW_OP_stack_value;
  if ((location && value.in_memory) || !(value.has_register || value.has_cfa))
    return unknown;
  *uses_pc |= evaluation.uses_pc;
  return (struct place){ location || value.in_memory ? PLACE_MEMORY
                                                     : PLACE_VALUE,
                         value.has_cfa, value.reg, value.offset };
}

/* ---- Rows and their rules */

/* Return the rule of register REG in FRAME.  *UNDEFINED: the value is
   lost.  */
static struct place
register_place (const struct abi *abi, Dwarf_Frame *frame, unsigned reg,
                uint64_t pc, bool *undefined, bool *uses_pc)
{
  Dwarf_Op memory[3], *ops = NULL;
  size_t n = 0;
  *undefined = false;
  if (dwarf_frame_register (frame, (int)reg, memory, &ops, &n) != 0)
    return (struct place){ .kind = PLACE_UNKNOWN };
  if (n == 0)
    {
      *undefined = ops != NULL;
      return (struct place){ .kind = PLACE_SAME };
    }
  if (n == 1
      && (ops[0].atom == DW_OP_regx
          || (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)))
    {
      uint64_t other = ops[0].atom == DW_OP_regx
                           ? ops[0].number
                           : ops[0].atom - (unsigned)DW_OP_reg0;
      return (struct place){ other > REGISTER_MAX ? PLACE_UNKNOWN
                                                  : PLACE_VALUE,
                             false, (unsigned)other, 0 };
    }
  return evaluate (abi, ops, n, pc, true, uses_pc);
}

/* Whether CFI has the caller's SP where SFrame has it, at a fixed distance
   from the CFA.  That is so if CFI has no rule for SP, or if it loads SP and
   the CFA from the same place, as signal frames do.  On s390x, leaf functions
   state which register or slot keeps r15, while the CFA is r15 + 160 all the
   same: the ABI defines one by the other.  A CFA that is set back to r15 + 160
   before r15 is restored is not noticed, because one row does not show it.  */
static bool
sp_is_usual (const struct abi *abi, Dwarf_Frame *frame, uint64_t pc,
             const struct place *cfa, bool *uses_pc)
{
  bool undefined;
  struct place sp
      = register_place (abi, frame, abi->sp, pc, &undefined, uses_pc);
  if (undefined || sp.kind == PLACE_SAME)
    return true;
  if (sp.kind == PLACE_VALUE && sp.from_cfa)
    return sp.offset == abi->sp_offset;
  if (abi->e_machine == EM_S390)
    return sp.kind != PLACE_UNKNOWN;
  return sp.kind == cfa->kind && sp.reg == cfa->reg
         && sp.offset == cfa->offset;
}

static void
rule_at (const struct abi *abi, Dwarf_Frame *frame, uint64_t pc,
         struct rule *rule, bool *uses_pc)
{
  Dwarf_Op *ops = NULL;
  size_t n = 0;
  bool undefined;
  rule->cfa.kind = PLACE_UNKNOWN;
  if (dwarf_frame_cfa (frame, &ops, &n) == 0 && n > 0)
    rule->cfa = evaluate (abi, ops, n, pc, false, uses_pc);
  if (rule->cfa.from_cfa || !sp_is_usual (abi, frame, pc, &rule->cfa, uses_pc))
    rule->cfa.kind = PLACE_UNKNOWN;
  rule->ra
      = register_place (abi, frame, abi->ra, pc, &rule->outermost, uses_pc);
  rule->fp = register_place (abi, frame, abi->fp, pc, &undefined, uses_pc);
  if (undefined)
    rule->fp.kind = PLACE_UNKNOWN;
}

/* Return the row of TABLE, which may be NULL, for PC; or NULL.  */
static Dwarf_Frame *
row_at (struct cfi *cfi, Dwarf_CFI *table, uint64_t pc)
{
  Dwarf_Frame *frame = NULL;
  errno = 0;
  if (table != NULL && dwarf_cfi_addrframe (table, pc, &frame) == 0)
    return frame;
  note_memory (cfi);
  return NULL;
}

/* Whether PC belongs to the row of TABLE that begins at START.  */
static bool
is_in_row (struct cfi *cfi, Dwarf_CFI *table, uint64_t pc, uint64_t start)
{
  Dwarf_Addr row_start = start + 1, row_end;
  bool signal;
  Dwarf_Frame *frame = row_at (cfi, table, pc);
  if (frame != NULL)
    dwarf_frame_info (frame, &row_start, &row_end, &signal);
  free (frame);
  return row_start == start;
}

/* Return the end of the row of TABLE that begins at START and contains AT.
   libdw gives END for it, but the instructions of an FDE may advance past the
   end of the FDE.  After its end, libdw has no row or another one, so a binary
   search finds it.  */
static uint64_t
end_of_row (struct cfi *cfi, Dwarf_CFI *table, uint64_t start, uint64_t at,
            uint64_t end)
{
  if (end <= at + 1)
    return at + 1;
  if (is_in_row (cfi, table, end - 1, start))
    return end;
  uint64_t low = at + 1, high = end - 1;
  while (low < high)
    {
      uint64_t middle = low + (high - low) / 2;
      if (is_in_row (cfi, table, middle, start))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Move *AT to the next row of TABLE, or else of OTHER, before END.  */
static bool
find_row (struct cfi *cfi, Dwarf_CFI *table, Dwarf_CFI *other, uint64_t *at,
          uint64_t end)
{
  free (cfi->row);
  cfi->row = NULL;
  cfi->row_end = 0;
  for (; *at < end; ++*at)
    {
      cfi->row = row_at (cfi, table, *at);
      cfi->row_from_other = cfi->row == NULL;
      if (cfi->row != NULL || (cfi->row = row_at (cfi, other, *at)) != NULL)
        break;
    }
  if (cfi->row == NULL)
    return false;
  Dwarf_Addr row_start = *at, row_end = *at + 1;
  dwarf_frame_info (cfi->row, &row_start, &row_end, &cfi->row_signal);
  cfi->row_end = end_of_row (cfi, cfi->row_from_other ? other : table,
                             row_start, *at, row_end);
  return true;
}

/* Find the next span of TABLE, or else of OTHER, from *AT up to END, and move
   *AT to its end.  A row is looked up once, also if its rule depends on the
   PC.  */
static bool
next_span (struct cfi *cfi, Dwarf_CFI *table, Dwarf_CFI *other, uint64_t *at,
           uint64_t end, struct span *span)
{
  bool uses_pc = false;
  if (*at >= cfi->row_end && !find_row (cfi, table, other, at, end))
    return false;
  span->rule = (struct rule){ .signal = cfi->row_signal };
  errno = 0;
  rule_at (cfi->abi, cfi->row, *at, &span->rule, &uses_pc);
  note_memory (cfi);
  span->start = *at;
  span->end = uses_pc ? *at + 1 : cfi->row_end;
  *at = span->end;
  return true;
}

/* Whether .debug_frame moves the CFA many times and has no rule for FP
   anywhere, so that a missing rule has no meaning.  */
static bool
lacks_fp_rules (struct cfi *cfi, const struct file *file)
{
  enum
  {
    MOVED_MIN = 32
  };
  unsigned moved = 0;
  for (size_t i = 0; i < file->n_loads; i++)
    {
      struct span span;
      uint64_t pc = file->loads[i].address, end = pc + file->loads[i].size;
      while (file->loads[i].code
             && next_span (cfi, cfi->debug_frame, NULL, &pc, end, &span))
        {
          if (!span.rule.outermost && span.rule.fp.kind != PLACE_SAME)
            return false;
          /* At a function's first instruction, the CFA is this.  */
          const struct place *cfa = &span.rule.cfa;
          bool is_of_entry
              = cfa->kind == PLACE_VALUE && cfa->reg == cfi->abi->sp
                && cfa->offset == cfi->abi->cfa_bias - cfi->abi->fixed_ra;
          moved += !is_of_entry;
        }
    }
  return moved >= MOVED_MIN;
}

struct cfi *
cfi_open (const struct file *file)
{
  struct cfi *cfi = calloc (1, sizeof *cfi);
  if (cfi == NULL)
    return NULL;
  cfi->abi = file->abi;
  errno = 0;
  cfi->eh_frame = dwarf_getcfi_elf (file->elf);
  cfi->dwarf = dwarf_begin_elf (file->elf, DWARF_C_READ, NULL);
  if (cfi->dwarf != NULL)
    cfi->debug_frame = dwarf_getcfi (cfi->dwarf);
  cfi->in_eh_frame = signatures_open (file, true);
  cfi->in_debug_frame = signatures_open (file, false);
  cfi->no_memory = cfi->in_eh_frame == NULL || cfi->in_debug_frame == NULL;
  cfi->problem = file_cfi_problem (file);
  note_memory (cfi);
  if (cfi->eh_frame == NULL && cfi->debug_frame == NULL)
    cfi->problem = "no call-frame information";
  cfi->fp_unspecified = cfi_problem (cfi) == NULL && cfi->debug_frame != NULL
                        && lacks_fp_rules (cfi, file);
  /* Forget the last row, which was looked up in .debug_frame only.  */
  cfi->row_end = 0;
  return cfi;
}

bool
cfi_next (struct cfi *cfi, uint64_t *at, uint64_t end, struct span *span)
{
  if (!next_span (cfi, cfi->eh_frame, cfi->debug_frame, at, end, span))
    return false;
  span->rule.fp_unspecified = cfi->row_from_other && cfi->fp_unspecified;
  if (span->rule.fp_unspecified)
    span->rule.fp.kind = PLACE_UNKNOWN;
  /* The signature is the same in the whole row, because libdw begins a row at
     each advance of the location.  */
  span->rule.signature = signature_at (
      cfi->row_from_other ? cfi->in_debug_frame : cfi->in_eh_frame,
      span->start);
  return true;
}
