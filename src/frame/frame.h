/* The version-neutral model: what the CFI says of a function, row by row.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Readers (src/cfi) fill a frame_function; lowering (src/sframe/lower) turns
   it into SFrame; decoding turns SFrame back into it, so that any two sources
   can be compared.  No file format is in it.  */

#ifndef FRAME_FRAME_H
#define FRAME_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* Why a PC range has no SFrame data.  Each reason has its word (REASON_word),
   its identifier in reports, which stays, and a line for people.  */
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
     return address of the code in front of it.  */                           \
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
  RULE_UNDEFINED, /* no value; for the RA: end of stack */
  RULE_SAME,      /* unchanged: the register still holds it */
  RULE_REG,       /* register + offset */
  RULE_DEREF_REG, /* *(register + offset) */
  RULE_CFA,       /* CFA + offset; not for the CFA itself */
  RULE_DEREF_CFA, /* *(CFA + offset); not for the CFA itself */
  RULE_PLT, /* CFA = SP + 8 + 8 * ((pc & 15) >= offset), lazy amd64 PLT */
  RULE_UNSUPPORTED /* anything else; `reason` says what */
};

enum
{
  FRAME_PLT_BLOCK = 16 /* bytes after which RULE_PLT repeats */
};

/* How one tracked value is recovered.  Unused members are 0, so that rules
   compare as plain data.  Registers are DWARF numbers of the machine.  */
struct frame_rule
{
  uint8_t kind;   /* enum frame_rule_kind */
  uint8_t reason; /* enum frame_reason, for RULE_UNSUPPORTED */
  uint16_t reg;
  int32_t offset; /* bytes */
};

/* The rules from `start` to the next row's start (or the function's end).  */
struct frame_row
{
  uint32_t start;     /* bytes from the function's address */
  bool ra_signed : 1; /* aarch64: RA carries a pointer authentication code */
  /* What the row says, as a number: among rows that were numbered together
     (frame/numbers.h) those with one number have the same rules.  0: the row
     has none.  Whoever changes a rule takes the number away.  */
  uint32_t number : 31;
  struct frame_rule cfa, ra, fp;
};

enum
{
  /* Of a function.  Those who read rows go from the first one to the one they
     look for, so more are refused wherever they come from.  A row takes two
     bytes of CFI, or 32 of memory.  The longest function of Debian has some
     thousand rows.  */
  FRAME_ROWS_MAX = 1 << 18
};

/* A range of code and its rows: of an FDE, of a PLT stub, or of code that was
   analysed.  */
struct frame_function
{
  uint64_t address;
  uint32_t size;
  bool signal;   /* augmentation S */
  bool b_key;    /* aarch64: RA signed with key B */
  bool from_plt; /* rows come from recognised stub instructions */
  /* The code is a sequence of equal blocks of so many bytes (PLT entries), and
     starts of rows count from the start of each block; 0: from the
     address.  */
  uint8_t repeat;
  struct frame_row *rows; /* owned; ascending start, the first one at 0
                             unless the beginning has no rules */
  size_t n_rows;
  size_t rows_capacity; /* 0 though there are rows: they are another
                           function's, in the same list */
  /* The rules of other callee-saved registers, when they were asked for:
     n_saved of them for each row.  */
  struct frame_rule *saved; /* owned */
  size_t n_saved;
  size_t saved_capacity; /* in rules */
};

/* Offsets in a function, ascending, where rows start that are left out for the
   length of an instruction (REASON_RETURN_ADDRESS).  */
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

/* The one with ADDRESS in it, of N FUNCTIONS in such an order, or NULL.  */
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
  /* All bits of a rule in one number: rows are compared more often than
     anything else is done with them.  */
  uint64_t left, right;
  _Static_assert(sizeof a == sizeof left, "a rule has no padding");
  memcpy (&left, &a, sizeof left);
  memcpy (&right, &b, sizeof right);
  return left == right;
}

/* Whether the rules of two rows are equal.  Their starts do not matter.  */
static inline bool
frame_row_same_rules (const struct frame_row *a, const struct frame_row *b)
{
  return frame_rule_equal (a->cfa, b->cfa) && frame_rule_equal (a->ra, b->ra)
         && frame_rule_equal (a->fp, b->fp) && a->ra_signed == b->ra_signed;
}

/* Whether ROW, which is not its function's first one, says the same as the row
   before it.  */
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

/* Take ROW's CFA away, for REASON, and with it all rules that need it.  A row
   that says that the stack ends says that still.  */
static inline void
frame_row_leave_out (struct frame_row *row, enum frame_reason reason)
{
  row->cfa = frame_rule_unsupported (reason);
  row->number = 0;
}

/* Empty FUNCTION, keeping the memory of its rows for the next one.  A
   zero-initialised structure is a valid empty function.  */
void frame_function_reset (struct frame_function *function);
void frame_function_free (struct frame_function *function);

void frame_functions_free (struct frame_functions *list);

/* Free the memory that FUNCTION has for rows beyond those it has.  */
void frame_function_trim (struct frame_function *function);

/* Where the next row of FUNCTION can be written, or NULL when memory ran out.
   The row counts once function->n_rows does.  */
static inline struct frame_row *
frame_function_next (struct frame_function *function)
{
  return ARRAY_ROOM (function->rows, function->n_rows + 1,
                     &function->rows_capacity)
             ? &function->rows[function->n_rows]
             : NULL;
}

/* Whether ROW finds the caller's FP by FP, register number REG, but not the
   CFA.  In functions that realign their stack GCC records FP as saved where FP
   points, and does not take that back when pop or leave has ended the frame:
   up to the return, FP is the caller's and points to some frame further out
   (analysis/cfi-errors.md).  While the frame is there, the CFA is found by FP
   as well.  */
static inline bool
frame_row_fp_may_be_stale (const struct frame_row *row, uint16_t reg)
{
  return row->fp.kind == RULE_DEREF_REG && row->fp.reg == reg
         && row->cfa.reg != reg;
}

/* The offset up to which row INDEX of FUNCTION, where FP (register number REG)
   may be stale, is right all the same.  The row would hold up to END.
   Instructions have SMALLEST bytes or more.  */
uint32_t frame_function_fp_sure_end (const struct frame_function *function,
                                     size_t index, uint32_t end, uint16_t reg,
                                     uint32_t smallest);

/* Append ROW to FUNCTION, which has no rules of saved registers.  ROW takes
   the place of rows that start where it does or later, and is merged into a
   row in front of it with equal rules.  False when memory ran out.  */
bool frame_function_append (struct frame_function *function,
                            const struct frame_row *row);

/* Append ROW, with function->n_saved rules in SAVED, in the same way.  */
bool frame_function_append_saved (struct frame_function *function,
                                  const struct frame_row *row,
                                  const struct frame_rule *saved);

/* Replace the rows of FUNCTION by rows with no rule but REASON_OVERLAP
   wherever RIVAL, which describes the same code, says anything else or
   nothing.  Rules of saved registers go.  False when memory ran out.  */
bool frame_function_dispute (struct frame_function *function,
                             const struct frame_function *rival);

/* Whether a row for one of the first SIZE bytes of FUNCTION was left out by
   frame_function_dispute.  */
bool frame_function_is_disputed (const struct frame_function *function,
                                 uint64_t size);

/* The row of FUNCTION at OFFSET from its address, in whichever block that is,
   or NULL.  *END, an offset too, is lowered to where the answer changes.
   *INDEX, 0 at first, tells where to search from; from call to call OFFSET
   must not become smaller.  */
const struct frame_row *
frame_function_row_at (const struct frame_function *function, uint64_t offset,
                       size_t *index, uint64_t *end);

/* Drop what FUNCTION says of its first SIZE bytes, at most as many as it
   has.  */
void frame_function_drop_front (struct frame_function *function,
                                uint32_t size);

/* The saved registers' rules of row INDEX.  */
static inline const struct frame_rule *
frame_function_saved (const struct frame_function *function, size_t index)
{
  return function->saved + index * function->n_saved;
}

/* Replace the rows of FUNCTION by those of OTHER, which has none then.  Rules
   of saved registers are dropped.  */
void frame_function_take_rows (struct frame_function *function,
                               struct frame_function *other);

/* The identifier of REASON, like "cfa-expression", and its explanation.  */
const char *frame_reason_name (enum frame_reason reason);
const char *frame_reason_text (enum frame_reason reason);

#endif /* FRAME_FRAME_H */
