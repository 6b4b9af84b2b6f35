/* One machine instruction, as far as unwinding is concerned.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The decoders (insn_amd64.c, insn_aarch64.c) translate what a machine's
   instruction does into these few words, which are the same for all machines:
   where execution goes on, and how it moves addresses of the stack and saved
   registers about.  What has no part in that is only known by the registers it
   changes.  Registers are DWARF numbers of the machine.  */

#ifndef ANALYSIS_INSN_H
#define ANALYSIS_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Where execution goes on.  */
enum insn_flow
{
  FLOW_NEXT,
  FLOW_BRANCH, /* to `target` or on, by a condition */
  FLOW_JUMP,   /* to `target` */
  FLOW_JUMP_INDIRECT,
  FLOW_CALL, /* of `target` */
  FLOW_CALL_INDIRECT,
  FLOW_RETURN,
  FLOW_RESUME, /* what was interrupted, or a program of less privilege */
  FLOW_STOP    /* a trap: nowhere */
};

struct insn_step
{
  uint8_t size; /* bytes */
  uint8_t flow; /* enum insn_flow */
  /* Of a direct jump or call.  */
  uint64_t target;
  /* The address of a constant place that the instruction reads (an indirect
     call or jump goes where it points), or that it computes.  0: none.  */
  uint64_t place;
  bool computes_place;
  bool is_nop;
};

enum
{
  REG_COUNT = 32, /* registers are numbers below; masks have a bit for each */
  REG_NONE = 0xff
};

/* What an instruction does with values.  */
enum insn_op
{
  OP_NONE,           /* nothing but `writes` */
  OP_MOVE,           /* to = from */
  OP_ADD,            /* to = from + immediate */
  OP_SUM,            /* to = from + index */
  OP_SUM_SCALED,     /* to = from + (width bytes of index) * scale */
  OP_SCALE,          /* to = from * immediate, which is small */
  OP_SET,            /* to = immediate */
  OP_INSERT,         /* 16 bits of `to' from bit `scale' on = immediate */
  OP_CALCULATE,      /* the lowest `width' bytes of `to' = from `calculation'
                        index, or (REG_NONE) immediate: told of constants alone.
                        4 bytes clear the rest.  */
  OP_ALIGN,          /* to = from & immediate, which is -2^n */
  OP_LOAD,           /* to = memory */
  OP_STORE,          /* memory = from, or (REG_NONE) something unknown or,
                        with `has_constant', immediate */
  OP_PUSH,           /* the same, to a new place on the stack */
  OP_POP,            /* to = the newest place of the stack, which goes */
  OP_LEAVE,          /* SP = FP; pop FP, which is `to' */
  OP_ENTER,          /* push FP; FP, `to', = SP; SP = SP + immediate */
  OP_SWAP,           /* to <-> from; 4 bytes clear the rest of both */
  OP_COMPARE,        /* flags = from - immediate */
  OP_COMPARE_MEMORY, /* flags = memory - immediate */
  OP_COMPARE_BOTH,   /* flags = from - index */
  OP_TEST,           /* flags = from & from */
  OP_SUBTRACT,       /* to = from - index, or - something unknown, not 0 */
  /* Of a return address, with SP as modifier and key `immediate'.  */
  OP_SIGN,         /* to = from with an authentication code */
  OP_AUTHENTICATE, /* to = from without it, if it was right */
  OP_STRIP,        /* to = from without it */
};

enum insn_calculation
{
  CALCULATE_MOVE, /* from the second operand */
  CALCULATE_ADD,
  CALCULATE_SUBTRACT,
  CALCULATE_SUBTRACT_FROM, /* the second operand */
  CALCULATE_AND,
  CALCULATE_OR,
  CALCULATE_XOR,
  CALCULATE_MULTIPLY,
  CALCULATE_SHIFT_LEFT, /* this and what follows shift */
  CALCULATE_SHIFT_RIGHT,
  CALCULATE_SHIFT_SIGNED, /* right, with the sign */
  CALCULATE_ROTATE_LEFT,
  CALCULATE_ROTATE_RIGHT,
};

/* Conditions of branches that tell something of a value.  */
enum insn_condition
{
  CONDITION_OTHER,
  CONDITION_ABOVE,
  CONDITION_NOT_ABOVE,
  CONDITION_BELOW,
  CONDITION_NOT_BELOW,
  CONDITION_EQUAL,
  CONDITION_NOT_EQUAL,
  CONDITION_ZERO, /* `from' is; flags do not matter */
  CONDITION_NOT_ZERO,
};

/* An instruction in full.  Memory is at base + index * scale + offset, where
   base or index can be REG_NONE.  */
struct insn
{
  uint64_t address;
  uint8_t size;
  uint8_t flow;      /* enum insn_flow */
  uint8_t condition; /* enum insn_condition, of FLOW_BRANCH */
  uint8_t op;        /* enum insn_op */
  uint8_t to, from;
  uint8_t second; /* is_pair: the register of the second word */
  uint8_t base, index, scale;
  uint8_t calculation;    /* enum insn_calculation, of OP_CALCULATE */
  uint16_t width;         /* bytes of memory; 0: unknown */
  bool sign_extended : 1; /* of a width less than a register's */
  bool sets_flags : 1;    /* that conditions depend on */
  bool is_nop : 1;
  bool is_syscall : 1;
  bool has_constant : 1;     /* OP_STORE, OP_PUSH: of `immediate' */
  bool computes_address : 1; /* OP_SET, OP_ADD: what it computes is an address
                              */
  bool is_part : 1;          /* OP_SET: something is added to get an address */
  bool is_pair : 1;      /* OP_LOAD, OP_STORE: of two words and registers */
  bool adjusts_base : 1; /* OP_LOAD, OP_STORE: base += immediate afterwards */
  bool memory : 1;       /* base, index, scale, offset and width are set */
  uint32_t writes;       /* mask: get a value that `op` does not tell */
  uint32_t reads;        /* mask: used other than by being moved about */
  int64_t offset;        /* of memory */
  int64_t immediate;     /* of `op` */
  uint64_t target;       /* of FLOW_JUMP, FLOW_BRANCH, FLOW_CALL */
  /* Indirect jumps and calls go to what `from`, or else memory, holds.  */
};

static inline bool
insn_is_call (const struct insn *insn)
{
  return insn->flow == FLOW_CALL || insn->flow == FLOW_CALL_INDIRECT;
}

/* The mask of REG, which can be REG_NONE.  */
static inline uint32_t
reg_mask (unsigned reg)
{
  return reg < REG_COUNT ? UINT32_C (1) << reg : 0;
}

/* A mask of the registers that INSN gives a value, but for SP where it moves
   the stack (OP_PUSH to OP_ENTER).  */
uint32_t insn_written (const struct insn *insn);

/* Whether INSN gives SP a value that does not depend on the one it had.  */
bool insn_resets (const struct insn *insn, unsigned sp);

/* What CALCULATION makes of the lowest WIDTH bytes, 1 to 8, of A and B, as so
   many bytes without a sign.  Shifts and rotations by more than a register has
   go by the remainder, as both machines do where registers have 4 or 8 bytes.
 */
uint64_t insn_calculate (enum insn_calculation calculation, uint64_t a,
                         uint64_t b, unsigned width);

struct insn_decoder; /* opaque */

/* Whether this build has a decoder for the instructions of ARCH.  */
bool insn_decoder_exists (const struct arch *arch);

/* A decoder for the instructions of ARCH.  NULL when there is none in this
   build, or memory ran out.  */
struct insn_decoder *insn_decoder_new (const struct arch *arch);
void insn_decoder_free (struct insn_decoder *decoder);

/* Decode the instruction that the SIZE BYTES, loaded at ADDRESS, begin with.
   False when there is none, or it is cut off.  The first form is for sweeps
   that only follow the flow, and twice as fast.  */
bool insn_decode_step (const struct insn_decoder *decoder,
                       const uint8_t *bytes, uint64_t size, uint64_t address,
                       struct insn_step *step);
bool insn_decode (const struct insn_decoder *decoder, const uint8_t *bytes,
                  uint64_t size, uint64_t address, struct insn *insn);

/* Whether the SIZE BYTES at ADDRESS look like an instruction, or the first of
   two, that computes the address *NAMED, or reads an entry of an array there.
   Bytes that begin in the middle of an instruction may do so, too.  */
bool insn_may_reference (const struct insn_decoder *decoder,
                         const uint8_t *bytes, uint64_t size, uint64_t address,
                         uint64_t *referenced);

enum
{
  INSN_TEXT_MAX = 96 /* of an instruction in words, with the final NUL */
};

/* The instruction of insn_decode for people, as an assembler takes it.  False:
   this build has no disassembler for the machine, or there is no instruction.
 */
bool insn_show (const struct insn_decoder *decoder, const uint8_t *bytes,
                uint64_t size, uint64_t address, char text[INSN_TEXT_MAX]);

/* ---- Between insn.c and the decoders, and for no other file */

/* What the decoder of a machine does for the functions above.  */
struct insn_machine
{
  /* The result, which is STATE below, is to be freed with free; NULL: no
     memory.  A machine can do without.  */
  void *(*state_new) (void);
  /* The result is initialised to "nothing" before.  */
  bool (*decode_step) (const void *state, const uint8_t *bytes, uint64_t size,
                       uint64_t address, struct insn_step *step);
  bool (*decode) (const void *state, const uint8_t *bytes, uint64_t size,
                  uint64_t address, struct insn *insn);
  bool (*may_reference) (const uint8_t *bytes, uint64_t size, uint64_t address,
                         uint64_t *referenced);
  /* NULL: the machine has no words for its instructions.  */
  bool (*show) (const void *state, const uint8_t *bytes, uint64_t size,
                uint64_t address, char text[INSN_TEXT_MAX]);
};

extern const struct insn_machine insn_amd64;
extern const struct insn_machine insn_aarch64;

#endif /* ANALYSIS_INSN_H */
