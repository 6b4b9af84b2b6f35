/* Decoding A64 instructions: encodings, registers that are read and written,
   and control flow.
   SPDX-License-Identifier: LGPL-2.1-or-later

   This decoder is our own, because all instructions have one size, and only
   few of their fields matter for the stack and registers.  Capstone decodes 3
   million instructions per second, too few for an analysis that decodes all
   code of an image twice, and its releases 4 lack Armv8.1's atomics, which
   nearly every file has.

   An encoding that is not in the tables is refused, because it could change
   any register.  Vector and SVE instructions are listed by groups: few of them
   touch general registers, and every version of the architecture adds new
   ones.  */

#include <stddef.h>

#include "base/bytes.h"
#include "analysis/insn_aarch64.h"

enum
{
  SIZE = 4,
  NOP = 0xd503201f,
  BTI_C = 0xd503245f
};

/* How an instruction uses the registers in its fields D, N, M and A (bits 0,
   5, 16 and 10): it reads (R) or writes (W) them.  Number 31 is XZR, or SP in
   fields with S.  */
enum
{
  RD = 1 << 0,
  RN = 1 << 1,
  RM = 1 << 2,
  RA = 1 << 3,
  RSD = 1 << 4,
  RSN = 1 << 5,
  WD = 1 << 6,
  WN = 1 << 7,
  WM = 1 << 8,
  WA = 1 << 9,
  WSD = 1 << 10,
  F = 1 << 11, /* sets the flags */
  FS = 1 << 12 /* ... if bit 29 is set */
};

/* ---- Control flow, and hints, which are in the same group */

static void
set_target (struct a64 *t, enum insn_flow flow, unsigned low, unsigned n)
{
  t->insn->flow = (uint8_t)flow;
  t->insn->target = t->address + (uint64_t)a64_signed (t->word, low, n) * 4;
}

/* B, BL.  */
static void
branch (struct a64 *t)
{
  set_target (t, t->whole ? FLOW_CALL : FLOW_JUMP, 0, 26);
}

/* CBZ, CBNZ; TBZ, TBNZ, of a bit.  */
static void
branch_zero (struct a64 *t)
{
  bool of_bit = a64_bits (t->word, 25, 1);
  set_target (t, FLOW_BRANCH, 5, of_bit ? 14 : 19);
  if (of_bit || t->rd == REG_NONE)
    return;
  t->insn->from = t->rd;
  t->insn->condition
      = a64_bits (t->word, 24, 1) ? CONDITION_NOT_ZERO : CONDITION_ZERO;
}

/* B.cond; conditions 14 and 15 mean "always"; BC.cond has no meaning here.  */
static void
branch_if (struct a64 *t)
{
  static const uint8_t conditions[16] = {
    CONDITION_EQUAL, CONDITION_NOT_EQUAL, CONDITION_NOT_BELOW, CONDITION_BELOW,
    CONDITION_OTHER, CONDITION_OTHER,     CONDITION_OTHER,     CONDITION_OTHER,
    CONDITION_ABOVE, CONDITION_NOT_ABOVE,
  };
  unsigned condition = a64_bits (t->word, 0, 4);
  set_target (t, condition >= 14 ? FLOW_JUMP : FLOW_BRANCH, 5, 19);
  if (!a64_bits (t->word, 4, 1))
    t->insn->condition = conditions[condition];
}

/* BR, BLR, RET.  */
static void
branch_register (struct a64 *t)
{
  static const uint8_t flows[]
      = { FLOW_JUMP_INDIRECT, FLOW_CALL_INDIRECT, FLOW_RETURN };
  t->insn->flow = flows[a64_bits (t->word, 21, 2)];
  t->insn->from = t->rsn;
}

/* UDF.  */
static void
stop (struct a64 *t)
{
  t->insn->flow = FLOW_STOP;
}

/* ERET, ... */
static void
resume (struct a64 *t)
{
  t->insn->flow = FLOW_RESUME;
}

/* RETAA, RETAB.  */
static void
return_signed (struct a64 *t)
{
  t->insn->flow = FLOW_RETURN;
  a64_operate (t, OP_AUTHENTICATE, A64_RA, A64_RA);
  t->insn->immediate = a64_bits (t->word, 10, 1);
}

/* SVC, HVC and SMC go on with the results of a system call, or of a higher
   level.  The others stop.  */
static void
exception (struct a64 *t)
{
  unsigned opc = a64_bits (t->word, 21, 3), level = a64_bits (t->word, 0, 2);
  t->insn->flow = opc == 0 ? FLOW_NEXT : FLOW_STOP;
  t->insn->writes = level == 1 ? 1 : 0x3ffff;
  t->insn->is_syscall = opc == 0 && level == 1;
}

/* Hints.  Those that sign and authenticate return addresses are NOPs for older
   processors.  Others do not matter for unwinding, or concern x16 and x17.  */
static void
hint (struct a64 *t)
{
  unsigned number = a64_bits (t->word, 5, 7);
  switch (number)
    {
    case 0:
      t->insn->is_nop = true;
      break;
    case 7: /* XPACLRI */
      a64_operate (t, OP_STRIP, A64_RA, A64_RA);
      break;
    case 8:  /* PACIA1716 */
    case 10: /* PACIB1716 */
    case 12: /* AUTIA1716 */
    case 14: /* AUTIB1716 */
      a64_writes (t, 17);
      break;
    case 24: /* PACIAZ, PACIBZ, AUTIAZ, AUTIBZ */
    case 26:
    case 28:
    case 30:
      a64_writes (t, A64_RA);
      break;
    case 40: /* CHKFEAT */
      a64_writes (t, 16);
      break;
    case 25: /* PACIASP, PACIBSP */
    case 27:
      a64_operate (t, OP_SIGN, A64_RA, A64_RA);
      t->insn->immediate = number == 27;
      break;
    case 29: /* AUTIASP, AUTIBSP */
    case 31:
      a64_operate (t, OP_AUTHENTICATE, A64_RA, A64_RA);
      t->insn->immediate = number == 31;
      break;
    default:
      break;
    }
}

/* ---- Encodings */

struct encoding
{
  uint32_t mask, bits;
  uint16_t fields;
  a64_translation *translate; /* sets the operation, or NULL */
};

static const struct encoding reserved[] = {
  { 0xffff0000, 0x00000000, 0, stop }, /* UDF */
};

static const struct encoding immediates[] = {
  { 0x1f800000, 0x11000000, RSN | FS, a64_add_immediate }, /* ADD, SUB */
  { 0x1f000000, 0x10000000, 0, a64_address },              /* ADR, ADRP */
  { 0xff800000, 0x92800000, 0, a64_move_wide },            /* MOVN */
  { 0xff800000, 0xd2800000, 0, a64_move_wide },            /* MOVZ */
  { 0xff800000, 0xf2800000, 0, a64_move_wide },            /* MOVK */
  { 0xffc00000, 0x12800000, 0, a64_move_wide },            /* ... of 4 bytes */
  { 0xffc00000, 0x52800000, 0, a64_move_wide },
  { 0xffc00000, 0x72800000, 0, a64_move_wide },
  { 0xff800000, 0xf2000000, RN | F, a64_logical_immediate }, /* ANDS */
  { 0xffc00000, 0x72000000, RN | F, a64_logical_immediate },
  { 0x9f800000, 0x92000000, RN, a64_logical_immediate }, /* AND, ORR, EOR */
  { 0x9fc00000, 0x12000000, RN, a64_logical_immediate },
  { 0xffc00000, 0x93400000, RN, a64_bit_field }, /* SBFM */
  { 0xffc00000, 0xb3400000, RN, a64_bit_field }, /* BFM */
  { 0xffc00000, 0xd3400000, RN, a64_bit_field }, /* UBFM */
  { 0xffe08000, 0x13000000, RN, a64_bit_field }, /* ... of 4 bytes */
  { 0xffe08000, 0x33000000, RN, a64_bit_field },
  { 0xffe08000, 0x53000000, RN, a64_bit_field },
  { 0xffe08000, 0x13800000, RN | RM | WD, NULL }, /* EXTR */
  { 0xffe00000, 0x93c00000, RN | RM | WD, NULL },
  { 0xbfc0c000, 0x91800000, RSN | WSD, NULL }, /* ADDG, SUBG */
  { 0x7ff00000, 0x11c00000, RN | WD, NULL },   /* SMAX to UMIN */
};

static const struct encoding branches[] = {
  { 0x7c000000, 0x14000000, 0, branch },                 /* B, BL */
  { 0xff000000, 0x54000000, 0, branch_if },              /* B.cond, BC.cond */
  { 0x7c000000, 0x34000000, RD, branch_zero },           /* CBZ to TBNZ */
  { 0xfffffc1f, 0xd61f0000, RN, branch_register },       /* BR */
  { 0xfffffc1f, 0xd63f0000, RN, branch_register },       /* BLR */
  { 0xfffffc1f, 0xd65f0000, 0, branch_register },        /* RET */
  { 0xfffff81f, 0xd61f081f, RN, branch_register },       /* BRAAZ, BRABZ */
  { 0xfffff81f, 0xd63f081f, RN, branch_register },       /* BLRAAZ */
  { 0xfffff800, 0xd71f0800, RSD | RN, branch_register }, /* BRAA */
  { 0xfffff800, 0xd73f0800, RSD | RN, branch_register }, /* BLRAA */
  { 0xfffffbff, 0xd65f0bff, 0, return_signed },          /* RETAA, RETAB */
  { 0xffffffff, 0xd69f03e0, 0, resume },                 /* ERET */
  { 0xfffffbff, 0xd69f0bff, 0, resume },                 /* ERETAA, ERETAB */
  { 0xffffffff, 0xd6bf03e0, 0, resume },                 /* DRPS */
  { 0xffe0001f, 0xd4000001, 0, exception },              /* SVC */
  { 0xffe0001f, 0xd4000002, 0, exception },              /* HVC */
  { 0xffe0001f, 0xd4000003, 0, exception },              /* SMC */
  { 0xffe0001f, 0xd4200000, 0, exception },              /* BRK */
  { 0xffe0001f, 0xd4400000, 0, exception },              /* HLT */
  { 0xffe0001f, 0xd4a00001, 0, exception },              /* DCPS1, 2, 3 */
  { 0xffe0001f, 0xd4a00002, 0, exception },
  { 0xffe0001f, 0xd4a00003, 0, exception },
  { 0xfffff01f, 0xd503201f, F, hint },      /* NOP, PACIASP, ... */
  { 0xfffff01f, 0xd503301f, F, NULL },      /* CLREX, DSB, DMB, ISB, SB */
  { 0xffffffc0, 0xd5031000, RD | F, NULL }, /* WFET, WFIT */
  { 0xfffff0ff, 0xd50040bf, WSD, NULL },    /* MSR SPSel: another SP */
  { 0xfff8f01f, 0xd500401f, F, NULL },      /* MSR, of an immediate */
  { 0xfff80000, 0xd5080000, RD | F, NULL }, /* SYS */
  { 0xfff80000, 0xd5280000, WD, NULL },     /* SYSL */
  { 0xfff00000, 0xd5100000, RD | F, NULL }, /* MSR */
  { 0xfff00000, 0xd5300000, WD, NULL },     /* MRS */
  { 0xfffffee0, 0xd5233060, WD, NULL },     /* TSTART, TTEST */
};

static const struct encoding registers[] = {
  { 0xff000000, 0xea000000, F, a64_logical }, /* ANDS, BICS */
  { 0xff008000, 0x6a000000, F, a64_logical },
  { 0x9f000000, 0x8a000000, 0, a64_logical }, /* AND, MOV, ... */
  { 0x9f008000, 0x0a000000, 0, a64_logical },
  { 0x9fa08000, 0x0b000000, FS, a64_add_shifted }, /* ADD, SUB */
  { 0x9fe08000, 0x0b800000, FS, a64_add_shifted },
  { 0x9fa00000, 0x8b000000, FS, a64_add_shifted },
  { 0x9fe00000, 0x8b800000, FS, a64_add_shifted },
  { 0x1fe01000, 0x0b200000, FS, a64_add_extended },
  { 0x1fe01c00, 0x0b201000, FS, a64_add_extended },
  { 0x3fe00800, 0x1a800000, RN | RM | WD, NULL },         /* CSEL, ... */
  { 0x7fe08000, 0x1b000000, RN | RM | RA, a64_multiply }, /* MADD */
  { 0x7fe08000, 0x1b008000, RN | RM | RA | WD, NULL },    /* MSUB */
  { 0xff600000, 0x9b200000, RN | RM | RA | WD, NULL },    /* SMADDL, ... */
  { 0xff608000, 0x9b400000, RN | RM | RA | WD, NULL },    /* SMULH, ... */
  { 0x7fe0f800, 0x1ac00800, RN | RM | WD, NULL },         /* UDIV, SDIV */
  { 0x7fe0f000, 0x1ac02000, RN | RM | WD, NULL },         /* LSLV, ... */
  { 0x7fe0f000, 0x1ac06000, RN | RM | WD, NULL },         /* SMAX, ... */
  { 0x3fe00c10, 0x3a400000, RN | RM | F, NULL },          /* CCMN, CCMP */
  { 0x3fe00c10, 0x3a400800, RN | F, NULL },               /* ... immediate */
  { 0x1fe0fc00, 0x1a000000, RN | RM | WD | FS, NULL },    /* ADC, SBC */
  { 0x7ffff800, 0x5ac00000, RN | WD, NULL },              /* RBIT, REV16 */
  { 0x7ffffc00, 0x5ac00800, RN | WD, NULL },              /* REV */
  { 0xfffffc00, 0xdac00c00, RN | WD, NULL },              /* REV64 */
  { 0x7ffff000, 0x5ac01000, RN | WD, NULL },              /* CLZ to CNT */
  { 0x7ffffc00, 0x5ac02000, RN | WD, NULL },              /* ABS */
  { 0xffe0e800, 0x1ac04000, RN | RM | WD, NULL },         /* CRC32B, H */
  { 0xffe0ec00, 0x1ac04800, RN | RM | WD, NULL },         /* CRC32W */
  { 0xffe0ec00, 0x9ac04c00, RN | RM | WD, NULL },         /* CRC32X */
  { 0xffe0fc00, 0x9ac00000, RN | RM | WD, NULL },         /* SUBP */
  { 0xffe0fc00, 0xbac00000, RN | RM | WD | F, NULL },     /* SUBPS */
  { 0xffe0fc00, 0x9ac01000, RN | RM | WSD, NULL },        /* IRG */
  { 0xffe0fc00, 0x9ac01400, RN | RM | WD, NULL },         /* GMI */
  { 0xffe0fc00, 0x9ac03000, RN | RM | WD, NULL },         /* PACGA */
  { 0xffffe000, 0xdac10000, RN | WD, NULL },              /* PACIA to AUTDB */
  { 0xffffe3e0, 0xdac123e0, WD, NULL },                   /* PACIZA, ... */
  { 0xfffffbe0, 0xdac143e0, WD, NULL },                   /* XPACI, XPACD */
  { 0xffe07c10, 0xba000400, RN | F, NULL },               /* RMIF */
  { 0xffffbc1f, 0x3a00080d, RN | F, NULL },               /* SETF8, SETF16 */
};

static const struct encoding memory[] = {
  { 0x3b000000, 0x39000000, 0, a64_offset },        /* LDR, STR, PRFM */
  { 0xfe000000, 0x28000000, 0, a64_pair_of_words }, /* LDP, STP, ... */
  { 0xfe000000, 0xa8000000, 0, a64_pair },
  { 0xbe000000, 0x2c000000, 0, a64_pair_of_vectors },
  { 0xfe000000, 0xac000000, 0, a64_pair_of_vectors },
  { 0xffc00000, 0x68c00000, 0, a64_pair_of_words }, /* LDPSW */
  { 0xff400000, 0x69400000, 0, a64_pair_of_words },
  { 0xffc00000, 0x68800000, 0, a64_pair }, /* STGP */
  { 0xff400000, 0x69000000, 0, a64_pair },
  { 0x3f200000, 0x38000000, 0, a64_unscaled }, /* LDUR, LDR, LDTR, ... */
  { 0x3f200c00, 0x3c000000, 0, a64_unscaled }, /* of vector registers */
  { 0x3f200400, 0x3c000400, 0, a64_unscaled },
  { 0x3b204c00, 0x38204800, RM, a64_indexed },
  { 0x3f208c00, 0x38200000, RM | WD, a64_atomic },  /* LDADD to LDUMIN */
  { 0x3f20fc00, 0x38208000, RM | WD, a64_atomic },  /* SWP */
  { 0x3ffffc00, 0x38bfc000, 0, a64_load_ordered },  /* LDAPR */
  { 0xff200400, 0xf8200400, 0, a64_authenticated }, /* LDRAA, LDRAB */
  { 0xbf000000, 0x18000000, WD, NULL }, /* LDR from an address in the code */
  { 0xff000000, 0x98000000, WD, NULL }, /* LDRSW */
  { 0xff000000, 0xd8000000, 0, NULL },  /* PRFM */
  { 0xbf000000, 0x1c000000, 0, NULL },  /* LDR of a vector register */
  { 0xff000000, 0x9c000000, 0, NULL },
  { 0x3fa00c00, 0x19000000, 0, a64_unscaled }, /* LDAPUR, STLUR */
  { 0xbfa00c00, 0x19800000, 0, a64_unscaled },
  { 0xffe00c00, 0x99800000, 0, a64_unscaled },
  { 0x3fe07c00, 0x08007c00, RD | WM, a64_store_exclusive },          /* STXR */
  { 0xbfe00000, 0x88200000, RD | RA | WM, a64_store_exclusive },     /* STXP */
  { 0x3fff7c00, 0x089f7c00, RD, a64_store_exclusive },               /* STLR */
  { 0x3fff7c00, 0x085f7c00, RSN | WD, NULL },                        /* LDXR */
  { 0xbfff0000, 0x887f0000, RSN | WD | WA, NULL },                   /* LDXP */
  { 0x3fff7c00, 0x08df7c00, RSN | WD, NULL },                        /* LDAR */
  { 0x3fa07c00, 0x08a07c00, RD | RM | WM, a64_atomic },              /* CAS */
  { 0xbfa17c01, 0x08207c00, RD | RM | WM, a64_swap_pair },           /* CASP */
  { 0xfba00c00, 0x19000400, RD | RN | RM | WD | WN | WM | F, NULL }, /* CPYP */
  { 0xfbe00c00, 0x19800400, RD | RN | RM | WD | WN | WM | F, NULL }, /* CPYE */
  { 0xfbe08c00, 0x19c00400, RD | RN | RM | WD | WN | F,
    NULL }, /* SETP, SETM */
  { 0xfbe0cc00, 0x19c08400, RD | RN | RM | WD | WN | F, NULL }, /* SETE */
  { 0xffe00c00, 0xd9600000, RSN | WD, NULL },                   /* LDG */
  { 0xfffffc00, 0xd9200000, RSN, NULL },                        /* STZGM */
  { 0xfffffc00, 0xd9a00000, RSN, NULL },                        /* STGM */
  { 0xfffffc00, 0xd9e00000, RSN | WD, NULL },                   /* LDGM */
  { 0xff200400, 0xd9200400, 0, a64_tag }, /* STG, STZG, ... */
  { 0xff200c00, 0xd9200800, 0, a64_tag },
  { 0xbfbf0000, 0x0c000000, 0, a64_structures }, /* LD1, ST1, ... */
  { 0xbfa00000, 0x0c800000, 0, a64_structures },
  { 0xbf9f0000, 0x0d000000, 0, a64_structures },
  { 0xbf800000, 0x0d800000, 0, a64_structures },
};

/* Only the general registers and the flags that these instructions use are
   listed.  None of the groups writes SP.  */
static const struct encoding vectors[] = {
  { 0x7f26fc00, 0x1e220000, RN, NULL }, /* SCVTF, UCVTF */
  { 0x7f27fc00, 0x1e270000, RN, NULL }, /* FMOV */
  { 0x7f20fc00, 0x1e200000, WD, NULL }, /* FMOV, FCVTZS, ... */
  { 0x7f260000, 0x1e020000, RN, NULL }, /* SCVTF of fixed point, ... */
  { 0x7f270000, 0x1e070000, RN, NULL },
  { 0x7f200000, 0x1e000000, WD, NULL }, /* FCVTZS of fixed point, ... */
  { 0xff200c00, 0x1e200400, F, NULL },  /* FCCMP */
  { 0xff203c00, 0x1e202000, F, NULL },  /* FCMP */
  { 0xbfe0ec00, 0x0e002c00, WD, NULL }, /* UMOV, SMOV */
  { 0x9fe0fc00, 0x0e000c00, RN, NULL }, /* DUP */
  { 0xffe0fc00, 0x4e001c00, RN, NULL }, /* INS */
  { 0x9e000000, 0x0e000000, 0, NULL },  /* Advanced SIMD */
  { 0xff000000, 0xce000000, 0, NULL },  /* Cryptographic */
  { 0xde000000, 0x5e000000, 0, NULL },  /* Advanced SIMD scalar */
  { 0xfe000000, 0x1e000000, 0, NULL },  /* Floating-point ... */
  { 0xff000000, 0x9e000000, 0, NULL },  /* ... with registers of 8 bytes */
};

/* The size of SVE's vectors is unknown, and so is what general registers, SP
   and the flags get from them.  */
static const struct encoding scalables[] = {
  { 0xfe000000, 0xe4000000, F, a64_store_scalable }, /* ST1B, ... */
  { 0xffa0f000, 0x04205000, WSD | F, NULL }, /* ADDVL, ADDPL, ADDSVL, ... */
  { 0xff20f000, 0x0420f000, WD | F, NULL },  /* SQINCB, ...: they saturate */
  { 0xff20f000, 0x0420e000, WD | F, NULL },  /* CNTB, INCB, DECB, ... */
  { 0xffbff000, 0x04bf5000, WD | F, NULL },  /* RDVL, RDSVL */
  { 0xff3ee000, 0x0520a000, WD | F, NULL },  /* LASTA, LASTB */
  { 0xff3ee000, 0x0530a000, WD | F, NULL },  /* CLASTA, CLASTB */
  { 0xff38c000, 0x25208000, WD | F, NULL },  /* CNTP */
  { 0xff38f800, 0x25288800, WD | F, NULL },  /* INCP, SQINCP, ... */
  { 0x1e000000, 0x04000000, F, NULL },       /* all others */
};

/* "Top-level encodings for A64", by bits 25 to 28.  SME is not decoded.  */
#define GROUP(list)                      \
  {                                      \
    list, sizeof (list) / sizeof *(list) \
  }
static const struct
{
  const struct encoding *list;
  size_t n;
} groups[16] = {
  [0] = GROUP (reserved),   [2] = GROUP (scalables),  [8] = GROUP (immediates),
  [9] = GROUP (immediates), [10] = GROUP (branches),  [11] = GROUP (branches),
  [5] = GROUP (registers),  [13] = GROUP (registers), [4] = GROUP (memory),
  [6] = GROUP (memory),     [12] = GROUP (memory),    [14] = GROUP (memory),
  [7] = GROUP (vectors),    [15] = GROUP (vectors),
};

static const struct encoding *
find_encoding (uint32_t word)
{
  unsigned group = a64_bits (word, 25, 4);
  for (size_t i = 0; i < groups[group].n; i++)
    if ((word & groups[group].list[i].mask) == groups[group].list[i].bits)
      return &groups[group].list[i];
  return NULL;
}

/* Set the registers that T reads and writes, by FIELDS.  */
static void
use_registers (struct a64 *t, unsigned fields)
{
  const struct
  {
    unsigned reads, writes;
    uint32_t mask;
  } uses[]
      = { { RD, WD, reg_mask (t->rd) },    { RN, WN, reg_mask (t->rn) },
          { RM, WM, reg_mask (t->rm) },    { RA, WA, reg_mask (t->ra) },
          { RSD, WSD, reg_mask (t->rsd) }, { RSN, 0, reg_mask (t->rsn) } };
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
    {
      t->insn->reads |= fields & uses[i].reads ? uses[i].mask : 0;
      t->insn->writes |= fields & uses[i].writes ? uses[i].mask : 0;
    }
  t->insn->sets_flags
      = (fields & F) || (fields & FS && a64_bits (t->word, 29, 1));
}

static bool
decode (const void *state, const uint8_t *bytes, uint64_t size,
        uint64_t address, struct insn *insn)
{
  (void)state;
  if (size < SIZE)
    return false;
  uint32_t word = load_u32 (bytes, false);
  const struct encoding *encoding = find_encoding (word);
  if (!encoding)
    return false;
  struct a64 t = { .word = word,
                   .address = address,
                   .insn = insn,
                   .rd = a64_or_zero (a64_bits (word, 0, 5)),
                   .rn = a64_or_zero (a64_bits (word, 5, 5)),
                   .rm = a64_or_zero (a64_bits (word, 16, 5)),
                   .ra = a64_or_zero (a64_bits (word, 10, 5)),
                   .rsd = (uint8_t)a64_bits (word, 0, 5),
                   .rsn = (uint8_t)a64_bits (word, 5, 5),
                   .whole = word >> 31,
                   .exists = true };
  insn->size = SIZE;
  use_registers (&t, encoding->fields);
  if (encoding->translate)
    encoding->translate (&t);
  return t.exists;
}

/* Decode a PLT stub, which jumps to the address in a word of the GOT.  Sweeps
   take it as one instruction, with a BTI C that is in front of it: ADRP x16;
   LDR x17, [x16, #n]; ADD x16, x16, #n (NOP, when n is 0); BR x17, perhaps
   with AUTIA1716 in between (arch/aarch64.c).  */
static bool
decode_stub (const uint8_t *bytes, uint64_t size, uint64_t address,
             struct insn_step *step)
{
  uint32_t words[5] = { 0 };
  unsigned n = 0;
  for (; n < 5 && (n + 1) * SIZE <= size; n++)
    words[n] = load_u32 (bytes + n * SIZE, false);
  unsigned at = words[3] == 0xd503219f /* AUTIA1716 */ ? 4 : 3;
  if ((words[0] & 0x9f00001f) != 0x90000010
      || (words[1] & 0xffc003ff) != 0xf9400211
      || ((words[2] & 0xffc003ff) != 0x91000210 && words[2] != NOP)
      || words[at] != 0xd61f0220)
    return false;
  int64_t page
      = a64_signed (words[0], 5, 19) * 4 + (int64_t)a64_bits (words[0], 29, 2);
  step->size = (uint8_t)((at + 1) * SIZE);
  step->flow = FLOW_JUMP_INDIRECT;
  step->place = (address & ~UINT64_C (0xfff)) + (uint64_t)page * 4096
                + a64_bits (words[1], 10, 12) * 8;
  return true;
}

/* Decode control flow only: one group of encodings, and UDF.  */
static bool
decode_step (const void *state, const uint8_t *bytes, uint64_t size,
             uint64_t address, struct insn_step *step)
{
  if (size < SIZE)
    return false;
  uint32_t word = load_u32 (bytes, false);
  uint8_t head = word == BTI_C ? SIZE : 0;
  if ((head != 0 || (word & 0x9f000000) == 0x90000000)
      && decode_stub (bytes + head, size - head, address + head, step))
    {
      step->size += head;
      return true;
    }
  struct insn insn = { .flow = word >> 16 == 0 ? FLOW_STOP : FLOW_NEXT };
  if (a64_bits (word, 26, 3) == 5
      && !decode (state, bytes, size, address, &insn))
    return false;
  step->size = SIZE;
  step->flow = insn.flow;
  step->target = insn.target;
  step->is_nop = word == NOP;
  return true;
}

/* ADR; or ADRP and, within the next instructions, the ADD of the rest.  Arm
   Architecture Reference Manual for A-profile, C6.2, ADR, ADRP and ADD
   (immediate).  */
static bool
may_reference (const uint8_t *bytes, uint64_t size, uint64_t address,
               uint64_t *referenced)
{
  enum
  {
    NEAR = 16 * SIZE,
    PAGE = 4096,
    ADD = 0x244 /* of 64 bits, not shifted */
  };
  if (address % SIZE != 0 || size < SIZE)
    return false;
  uint32_t word = load_u32 (bytes, false);
  unsigned rd = a64_bits (word, 0, 5);
  int64_t immediate = a64_signed (word, 5, 19) * 4 + a64_bits (word, 29, 2);
  if (a64_bits (word, 24, 5) != 16)
    return false;
  *referenced = address + (uint64_t)immediate;
  if (a64_bits (word, 31, 1) == 0)
    return true;
  *referenced = (address & -(uint64_t)PAGE) + (uint64_t)immediate * PAGE;
  for (uint64_t i = SIZE; i < NEAR && i + SIZE <= size; i += SIZE)
    {
      word = load_u32 (bytes + i, false);
      if (a64_bits (word, 22, 10) == ADD && a64_bits (word, 5, 5) == rd)
        {
          *referenced += a64_bits (word, 10, 12);
          return true;
        }
    }
  return false;
}

const struct insn_machine insn_aarch64
    = { NULL, decode_step, decode, may_reference, NULL };
