/* One machine instruction, as far as it matters for unwinding.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The decoders (insn_amd64.c, insn_aarch64.c) translate instructions into
   these structures, which are the same for all machines: where execution goes
   on, and how an instruction moves addresses of the stack and saved registers.
   All other effects are reduced to a mask of the registers that the
   instruction changes.  Registers are DWARF numbers of the machine.  */

#ifndef ANALYSIS_INSN_H
#define ANALYSIS_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Where execution goes on.  */
enum insn_flow
{
  FLOW_NEXT,
  FLOW_BRANCH, /* to `target', or on, by a condition */
  FLOW_JUMP,   /* to `target' */
  FLOW_JUMP_INDIRECT,
  FLOW_CALL, /* of `target' */
  FLOW_CALL_INDIRECT,
  FLOW_RETURN,
  FLOW_RESUME, /* back from an interrupt or the kernel */
  FLOW_STOP    /* a trap: it does not go on */
};

struct insn_step
{
  uint8_t size; /* bytes */
  uint8_t flow; /* enum insn_flow */
  /* Target of a direct jump or call.  */
  uint64_t target;
  /* A constant address that the instruction computes or reads; an indirect
     call or jump gets its target there.  0: none.  */
  uint64_t place;
  bool computes_address;
  bool is_nop;
};

enum
{
  REG_COUNT = 32, /* registers have lower numbers; masks have a bit for each */
  REG_NONE = 0xff
};

/* The operation of an instruction.  */
enum insn_op
{
  OP_NONE,           /* only `writes' tells what changes */
  OP_MOVE,           /* to = from */
  OP_ADD,            /* to = from + immediate */
  OP_SUM,            /* to = from + index */
  OP_SUM_SCALED,     /* to = from + (width bytes of index) * scale */
  OP_SCALE,          /* to = from * immediate, a small number */
  OP_SET,            /* to = immediate */
  OP_INSERT,         /* the 16 bits of `to' from bit `scale' on = immediate */
  OP_CALCULATE,      /* the lowest `width' bytes of `to' = from `calculation'
                        index, or (REG_NONE) immediate; a width of 4 clears
                        the rest.  For constants only.  */
  OP_ALIGN,          /* to = from & immediate, which is -2^n */
  OP_LOAD,           /* to = memory */
  OP_STORE,          /* memory = from; or (REG_NONE) unknown, or immediate */
  OP_PUSH,           /* the same, to a new word on the stack */
  OP_POP,            /* to = the topmost word of the stack, which is removed */
  OP_LEAVE,          /* SP = FP; pop FP, which is `to' */
  OP_ENTER,          /* push FP; FP, `to', = SP; SP = SP + immediate */
  OP_SWAP,           /* to <-> from; a width of 4 clears the upper halves */
  OP_COMPARE,        /* flags = from - immediate */
  OP_COMPARE_MEMORY, /* flags = memory - immediate */
  OP_COMPARE_BOTH,   /* flags = from - index */
  OP_TEST,           /* flags = from & from */
  OP_SUBTRACT, /* to = from - index, or - an unknown number other than 0 */
  /* On a return address, with SP as modifier and key `immediate':  */
  OP_SIGN,         /* to = from with an authentication code added */
  OP_AUTHENTICATE, /* to = from with the code removed, if the code is right */
  OP_STRIP,        /* to = from with the code removed */
};

enum insn_calculation
{
  CALCULATE_MOVE, /* the result is the second operand */
  CALCULATE_ADD,
  CALCULATE_SUBTRACT,
  CALCULATE_SUBTRACT_FROM, /* second operand - first */
  CALCULATE_AND,
  CALCULATE_OR,
  CALCULATE_XOR,
  CALCULATE_MULTIPLY,
  CALCULATE_SHIFT_LEFT, /* this and all that follow are shifts */
  CALCULATE_SHIFT_RIGHT,
  CALCULATE_SHIFT_SIGNED, /* right, with the sign */
  CALCULATE_ROTATE_LEFT,
  CALCULATE_ROTATE_RIGHT,
};

/* Conditions of branches that say something about a value.  */
enum insn_condition
{
  CONDITION_OTHER,
  CONDITION_ABOVE,
  CONDITION_NOT_ABOVE,
  CONDITION_BELOW,
  CONDITION_NOT_BELOW,
  CONDITION_EQUAL,
  CONDITION_NOT_EQUAL,
  CONDITION_ZERO, /* `from' is 0; the flags do not matter */
  CONDITION_NOT_ZERO,
};

/* A fully decoded instruction.  Its memory operand is at base + index * scale
   + offset, where base or index can be REG_NONE.  */
struct insn
{
  uint64_t address;
  uint8_t size;
  uint8_t flow;      /* enum insn_flow */
  uint8_t condition; /* enum insn_condition, of FLOW_BRANCH */
  uint8_t op;        /* enum insn_op */
  uint8_t to, from;
  uint8_t second; /* is_pair: register of the second word */
  uint8_t base, index, scale;
  uint8_t calculation;    /* enum insn_calculation, of OP_CALCULATE */
  uint16_t width;         /* bytes of the operand; 0: unknown */
  bool sign_extended : 1; /* a narrow load, extended by its sign */
  bool sets_flags : 1;    /* changes flags that conditions depend on */
  bool is_nop : 1;
  bool is_syscall : 1;
  bool has_constant : 1;     /* OP_STORE, OP_PUSH: stores `immediate' */
  bool computes_address : 1; /* OP_SET, OP_ADD: the result is an address */
  bool is_address_part : 1;  /* OP_SET: a part of an address (ADRP) */
  bool is_pair : 1;          /* OP_LOAD, OP_STORE: two words and registers */
  bool adjusts_base : 1; /* OP_LOAD, OP_STORE: base += immediate afterwards */
  bool memory : 1;       /* has base, index, scale, offset and width */
  uint32_t writes;       /* mask: set to a value that `op' does not give */
  uint32_t reads;        /* mask: used other than by being copied or saved */
  int64_t offset;        /* of the memory operand */
  int64_t immediate;     /* of `op' */
  uint64_t target;       /* of FLOW_JUMP, FLOW_BRANCH, FLOW_CALL */
  /* Indirect jumps and calls: `from', or else memory, has the target.  */
};

static inline bool
insn_is_call (const struct insn *insn)
{
  return insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
}

/* Return the mask of REG, which can be REG_NONE.  */
static inline uint32_t
reg_mask (unsigned reg)
{
  return reg < REG_COUNT ? UINT32_C (1) << reg : 0;
}

/* Loop over the registers of MASK, in ascending order.  The declared name
   cannot be in parentheses: NOLINTBEGIN(bugprone-macro-parentheses)  */
#define FOR_EACH_REGISTER(reg, mask)                                       \
  for (unsigned reg, reg##_left = (mask);                                  \
       reg##_left && ((reg = (unsigned)__builtin_ctz (reg##_left)), true); \
       reg##_left &= reg##_left - 1)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Return the mask of the registers that INSN writes, without SP if INSN pushes
   or pops (OP_PUSH to OP_ENTER).  */
uint32_t insn_written (const struct insn *insn);

/* Whether INSN sets SP to a value that does not depend on SP's old one.  */
bool insn_resets (const struct insn *insn, unsigned sp);

/* Return the result of CALCULATION on the lowest WIDTH bytes, 1 to 8, of A and
   B, without a sign.  Shifts and rotations use the remainder of B by the
   number of bits, as both machines do for registers of 4 or 8 bytes.  */
uint64_t insn_calculate (enum insn_calculation calculation, uint64_t a,
                         uint64_t b, unsigned width);

struct insn_decoder; /* opaque */

/* Whether this build has a decoder for the instructions of ARCH.  */
bool insn_decoder_exists (const struct arch *arch);

/* Return a decoder for ARCH.  NULL if there is none, or no memory.  */
struct insn_decoder *insn_decoder_new (const struct arch *arch);
void insn_decoder_free (struct insn_decoder *decoder);

/* Decode the instruction at the beginning of the SIZE BYTES, which are loaded
   at ADDRESS.  False: none, or cut off.  insn_decode_step only decodes the
   control flow, and is twice as fast.  */
bool insn_decode_step (const struct insn_decoder *decoder,
                       const uint8_t *bytes, uint64_t size, uint64_t address,
                       struct insn_step *step);
bool insn_decode (const struct insn_decoder *decoder, const uint8_t *bytes,
                  uint64_t size, uint64_t address, struct insn *insn);

/* Whether the SIZE BYTES at ADDRESS look like an instruction, or the first of
   two, that computes the address *REFERENCED or reads an array there.  Bytes
   from the middle of an instruction may look so, too.  */
bool insn_may_reference (const struct insn_decoder *decoder,
                         const uint8_t *bytes, uint64_t size, uint64_t address,
                         uint64_t *referenced);

enum
{
  INSN_TEXT_MAX = 96 /* of an instruction as text, with the final NUL */
};

/* Write the instruction of insn_decode to TEXT in assembler syntax.  False:
   this build has no disassembler for the machine, or there is no
   instruction.  */
bool insn_show (const struct insn_decoder *decoder, const uint8_t *bytes,
                uint64_t size, uint64_t address, char text[INSN_TEXT_MAX]);

/* ---- For insn.c and the decoders only */

/* The decoder of a machine, which does the work of the functions above.  */
struct insn_machine
{
  /* Return the decoder's own data, which is STATE below, and is freed by free;
     NULL without memory.  A machine without such data has no state_new.  */
  void *(*state_new) (void);
  /* The caller has initialised the result to "no operation".  */
  bool (*decode_step) (const void *state, const uint8_t *bytes, uint64_t size,
                       uint64_t address, struct insn_step *step);
  bool (*decode) (const void *state, const uint8_t *bytes, uint64_t size,
                  uint64_t address, struct insn *insn);
  bool (*may_reference) (const uint8_t *bytes, uint64_t size, uint64_t address,
                         uint64_t *referenced);
  /* NULL: no disassembler  */
  bool (*show) (const void *state, const uint8_t *bytes, uint64_t size,
                uint64_t address, char text[INSN_TEXT_MAX]);
};

extern const struct insn_machine insn_amd64;
extern const struct insn_machine insn_aarch64;

#endif /* ANALYSIS_INSN_H */
