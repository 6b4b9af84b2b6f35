/* The model of CFI: a function is a range of addresses, and rows.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A row has the rules by which CFA, RA and FP are found.  Nothing in the model
   belongs to one file format.  src/cfi makes it from CFI, src/sframe/lower
   turns it into SFrame, and decoding turns SFrame back into it, so that rows
   from any two sources can be compared.  */

#ifndef FRAME_FRAME_H
#define FRAME_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* Why a range of code has no SFrame rows.  Each reason has a constant
   (REASON_word), an identifier in reports, which later versions keep, and a
   text for people.  */
#define FRAME_REASONS(REASON)                                                 \
  REASON (NONE, "none", "nothing")                                            \
  /* A rule that no row, or no row of the chosen version, can express.  */    \
  REASON (CFA_REGISTER, "cfa-register",                                       \
          "CFA based on a register other than SP and FP")                     \
  REASON (CFA_EXPRESSION, "cfa-expression",                                   \
          "CFA by a DWARF expression without SFrame form")                    \
  REASON (CFA_UNDEFINED, "cfa-undefined", "no CFA rule")                      \
  REASON (FP_REGISTER, "fp-register", "FP kept in another register")          \
  REASON (FP_EXPRESSION, "fp-expression",                                     \
          "FP by a DWARF expression without SFrame form")                     \
  REASON (FP_STALE, "fp-stale", "FP found by FP, whose frame may have ended") \
  REASON (FP_VALUE, "fp-value", "FP is the CFA plus an offset")               \
  REASON (FP_UNDEFINED, "fp-undefined", "FP declared undefined")              \
  REASON (FP_UNKNOWN, "fp-unknown",                                           \
          "the compiler gives no rules for the frame pointer")                \
  REASON (FP_WITHOUT_RA, "fp-without-ra",                                     \
          "FP saved on the stack, RA not") /* of aarch64 alone */             \
  REASON (RA_REGISTER, "ra-register", "RA kept in another register")          \
  REASON (RA_EXPRESSION, "ra-expression",                                     \
          "RA by a DWARF expression without SFrame form")                     \
  REASON (RA_VALUE, "ra-value", "RA is the CFA plus an offset")               \
  REASON (RA_OFFSET, "ra-offset",                                             \
          "RA in a slot of its own") /* another than the ABI's */             \
  REASON (RA_UNDEFINED, "ra-undefined",                                       \
          "outermost frame (RA undefined)") /* not expressible before V3 */   \
  REASON (RA_SAME, "ra-same", "RA declared unchanged") /* of amd64 alone */   \
  REASON (SP_RULE, "sp-rule", "caller's SP is not the one of the ABI")        \
  REASON (RA_COLUMN, "ra-column",                                             \
          "return address column is not the one of the ABI")                  \
  REASON (RA_SIGNING, "ra-signing", "RA signing without SFrame form")         \
  REASON (SIGNAL_FRAME, "signal-frame",                                       \
          "signal trampoline") /* not expressible before V3 */                \
  REASON (OFFSET_RANGE, "offset-range",                                       \
          "offset without SFrame form") /* beyond 32 bits or its alignment */ \
  REASON (REGISTER_RANGE, "register-range", "register number too large")      \
  REASON (GNU_DIFFERS, "gnu-differs",                                         \
          "GNU as would say something else than the CFI") /* of --gnu */      \
  /* Nothing is wrong with the rule.  Readers would take the place for a      \
     return address of the code before it.  */                                \
  REASON (RETURN_ADDRESS, "return-address",                                   \
          "return address of a call with other rules")                        \
  /* The FDE itself is unusable.  */                                          \
  REASON (BAD_INSTRUCTION, "bad-instruction",                                 \
          "unknown or truncated CFA instruction")                             \
  /* As restore_state without remember_state.  */                             \
  REASON (BAD_STATE, "bad-state",                                             \
          "CFA instruction without the state it needs")                       \
  REASON (BAD_ENTRY, "bad-entry", "damaged CIE or FDE")                       \
  REASON (AUGMENTATION, "augmentation", "unknown CIE augmentation")           \
  REASON (POINTER_ENCODING, "pointer-encoding",                               \
          "pointer encoding not understood") /* of pc_begin */                \
  REASON (RELOCATED, "relocated",                                             \
          "the FDE is filled in by relocations at load time")                 \
  REASON (NOT_EXECUTABLE, "not-executable",                                   \
          "range outside the executable segments")                            \
  REASON (EMPTY_RANGE, "empty-range", "FDE of zero size")                     \
  REASON (OVERLAP, "overlap",                                                 \
          "another FDE for the same code says something else")                \
  REASON (CODE_DISAGREES, "code-disagrees", "the code does something else")   \
  REASON (FUNCTION_SIZE, "function-size", "range of 4 GiB or more")

#define FRAME_REASON_NUMBER(word, name, text) REASON_##word,
enum frame_reason
{
  FRAME_REASONS (FRAME_REASON_NUMBER) REASON_COUNT
};

enum frame_rule_kind
{
  RULE_UNDEFINED, /* no value; an RA without value ends the stack */
  RULE_SAME,      /* the register still has the caller's value */
  RULE_REG,       /* register + offset */
  RULE_DEREF_REG, /* *(register + offset) */
  RULE_CFA,       /* CFA + offset; not for the CFA itself */
  RULE_DEREF_CFA, /* *(CFA + offset); not for the CFA itself */
  RULE_PLT, /* CFA = SP + 8 + 8 * ((pc & 15) >= offset), lazy amd64 PLT */
  RULE_UNSUPPORTED /* anything else, as `reason` says */
};

enum
{
  FRAME_PLT_BLOCK = 16 /* bytes of one stub; RULE_PLT repeats after them */
};

/* How the CFA or the value of a register is found.  Unused members are 0, so
   that rules can be compared as plain data.  Registers are DWARF numbers.  */
struct frame_rule
{
  uint8_t kind;   /* enum frame_rule_kind */
  uint8_t reason; /* enum frame_reason, for RULE_UNSUPPORTED */
  uint16_t reg;
  int32_t offset; /* bytes */
};

/* The rules from `start` to the next row's start or the function's end.  */
struct frame_row
{
  uint32_t start;     /* offset from the function's address */
  bool ra_signed : 1; /* aarch64: RA carries a pointer authentication code */
  /* A number that stands for the rules of the row (frame/numbers.h): rows that
     were numbered together have equal rules if they have equal numbers.  0:
     the row has no number.  Code that changes a rule sets the number to 0.  */
  uint32_t number : 31;
  struct frame_rule cfa, ra, fp;
};

enum
{
  /* The largest number of rows of a function.  Readers search rows from the
     first one on, so functions with more rows are refused, whatever their
     source.  A row takes two bytes of CFI, or 32 bytes of memory.  The longest
     function of Debian has some thousand rows.  */
  FRAME_ROWS_MAX = 1 << 18
};

/* The code of an FDE or PLT stub, or a function that analysis/ has found.  */
struct frame_function
{
  uint64_t address;
  uint32_t size;
  bool signal;   /* augmentation S */
  bool b_key;    /* aarch64: RA signed with key B */
  bool from_plt; /* the rows are those of a recognised PLT stub */
  /* If not 0, the code consists of blocks of this many bytes (PLT entries),
     and starts of rows are offsets in each block.  */
  uint8_t repeat;
  struct frame_row *rows; /* owned; `start' ascends from 0, or from a later
                             offset if the beginning has no rules */
  size_t n_rows;
  size_t rows_capacity; /* 0 with n_rows above 0: another function of the same
                           list owns the rows */
  /* The rules of the other callee-saved registers, n_saved for each row; only
     if the reader was asked for them.  */
  struct frame_rule *saved; /* owned */
  size_t n_saved;
  size_t saved_capacity; /* in rules */
};

/* Ascending offsets in a function.  At each of them a row begins that is left
   out for the length of one instruction (REASON_RETURN_ADDRESS).  */
struct return_places
{
  uint32_t *offsets; /* owned */
  size_t n, capacity;
};

/* Functions in ascending order that do not overlap.  */
struct frame_functions
{
  struct frame_function *functions; /* owned */
  size_t n_functions, capacity;
};

/* Return the one of N ascending FUNCTIONS that contains ADDRESS, or NULL.  */
static inline const struct frame_function *
frame_functions_find (const struct frame_function *functions, size_t n,
                      uint64_t address)
{
  size_t at = SEARCH_FIRST (
      n, i, functions[i].address + functions[i].size > address);
  return at < n && functions[at].address <= address ? &functions[at] : NULL;
}

static inline bool
frame_rule_equal (struct frame_rule a, struct frame_rule b)
{
  /* All bits of a rule are compared as one number, because no operation on
     rows is more frequent.  */
  uint64_t left, right;
  _Static_assert(sizeof a == sizeof left, "a rule has no padding");
  memcpy (&left, &a, sizeof left);
  memcpy (&right, &b, sizeof right);
  return left == right;
}

/* Return whether two rows have equal rules, whatever their starts.  */
static inline bool
frame_row_same_rules (const struct frame_row *a, const struct frame_row *b)
{
  return frame_rule_equal (a->cfa, b->cfa) && frame_rule_equal (a->ra, b->ra)
         && frame_rule_equal (a->fp, b->fp) && a->ra_signed == b->ra_signed;
}

/* Return whether ROW, which is not the first of its function, has the rules of
   the row before it.  */
static inline bool
frame_row_continues (const struct frame_row *row)
{
  return row->number != 0 && row[-1].number != 0
             ? row->number == row[-1].number
             : frame_row_same_rules (row - 1, row);
}

static inline struct frame_rule
frame_rule_unsupported (enum frame_reason reason)
{
  return (struct frame_rule){ .kind = RULE_UNSUPPORTED,
                              .reason = (uint8_t)reason };
}

/* Remove the CFA rule of ROW, for REASON.  Rules that need the CFA have no
   effect then, but an undefined RA still ends the stack.  */
static inline void
frame_row_leave_out (struct frame_row *row, enum frame_reason reason)
{
  row->cfa = frame_rule_unsupported (reason);
  row->number = 0;
}

/* Empty FUNCTION, but keep its memory for the rows of the next one.  A
   zero-initialised structure is a valid empty function.  */
void frame_function_reset (struct frame_function *function);
void frame_function_free (struct frame_function *function);

void frame_functions_free (struct frame_functions *list);

/* Free the memory of FUNCTION for more rows than it has.  */
void frame_function_trim (struct frame_function *function);

/* Return where the next row of FUNCTION can be written, or NULL when memory
   ran out.  The caller increases function->n_rows afterwards.  */
static inline struct frame_row *
frame_function_next (struct frame_function *function)
{
  return ARRAY_ROOM (function->rows, function->n_rows + 1,
                     &function->rows_capacity)
             ? &function->rows[function->n_rows]
             : NULL;
}

/* Return whether ROW finds the caller's FP from FP (register number REG), but
   the CFA from another register.  Such a rule may be wrong: in functions that
   realign the stack, GCC records FP as saved at the address in FP, and does
   not cancel this when pop or leave ends the frame.  From there to the return,
   FP is the caller's and points to an outer frame (analysis/cfi-errors.md).
   While the frame exists, the CFA is found from FP as well.  */
static inline bool
frame_row_fp_may_be_stale (const struct frame_row *row, uint16_t reg)
{
  return row->fp.kind == RULE_DEREF_REG && row->fp.reg == reg
         && row->cfa.reg != reg;
}

/* Return the offset up to which row INDEX of FUNCTION is right although its FP
   rule may be stale.  The row would otherwise end at END.  FP is register
   number REG, and instructions have SMALLEST bytes or more.  */
uint32_t frame_function_fp_sure_end (const struct frame_function *function,
                                     size_t index, uint32_t end, uint16_t reg,
                                     uint32_t smallest);

/* Append ROW to FUNCTION, which has no rules of saved registers.  Rows that
   start where ROW does or later are dropped first.  ROW is not stored if the
   row before it has equal rules.  Returns false when memory ran out.  */
bool frame_function_append (struct frame_function *function,
                            const struct frame_row *row);

/* Append ROW in the same way, with its function->n_saved rules SAVED.  */
bool frame_function_append_saved (struct frame_function *function,
                                  const struct frame_row *row,
                                  const struct frame_rule *saved);

/* Compare the rows of FUNCTION with those of RIVAL, which describes some of
   the same code.  Where RIVAL has other rules or none, replace the row of
   FUNCTION by one without rules, for REASON_OVERLAP.  Rules of saved registers
   are dropped.  Returns false when memory ran out.  */
bool frame_function_dispute (struct frame_function *function,
                             const struct frame_function *rival);

/* Return whether frame_function_dispute has replaced a row for one of the
   first SIZE bytes of FUNCTION.  */
bool frame_function_is_disputed (const struct frame_function *function,
                                 uint64_t size);

/* Return the row of FUNCTION at OFFSET from its address, or NULL.  *END, also
   an offset, is lowered to where the next answer begins.  *INDEX, 0 at first,
   remembers where the search ended: OFFSET must not decrease.  */
const struct frame_row *
frame_function_row_at (const struct frame_function *function, uint64_t offset,
                       size_t *index, uint64_t *end);

/* Drop the first SIZE bytes of FUNCTION, at most all, and their rows.  */
void frame_function_drop_front (struct frame_function *function,
                                uint32_t size);

/* Return the rules of saved registers of row INDEX.  */
static inline const struct frame_rule *
frame_function_saved (const struct frame_function *function, size_t index)
{
  return function->saved + index * function->n_saved;
}

/* Replace the rows of FUNCTION by those of OTHER, which becomes empty.  Rules
   of saved registers are dropped.  */
void frame_function_take_rows (struct frame_function *function,
                               struct frame_function *other);

/* Return the identifier of REASON ("cfa-expression"), or its explanation.  */
const char *frame_reason_name (enum frame_reason reason);
const char *frame_reason_text (enum frame_reason reason);

#endif /* FRAME_FRAME_H */
