/* Which words are vector and floating-point instructions of A64.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Source: Arm Architecture Reference Manual for A-profile (DDI 0487), chapter
   C4, "Data Processing -- Scalar Floating-Point and Advanced SIMD".  Its
   classes of encodings have names of one word here: "Advanced SIMD three
   same" is THREE, "scalar x indexed element" SCALAR_ELEMENT.  A class has an
   opcode, and a table says for which sizes each opcode is an instruction.
   Features up to Armv8.7 are known.  */

#include <stddef.h>

#include "analysis/insn_aarch64.h"

/* Where a class has the size of elements.  */
enum size_field
{
  SIZE, /* bits 22 and 23, which are the type in classes of floating point */
  IMMH, /* the highest bit that is set in bits 19 to 22 */
  IMM5  /* the lowest bit that is set in bits 16 to 19 */
};

struct vectors
{
  uint32_t mask, bits;             /* of the class */
  uint8_t opcode_at, opcode_width; /* bits of the opcode */
  uint8_t size_field;
  /* The set of pairs of Q, bit 30, and size: Q * 4 + size.  */
  uint8_t sizes;
  /* The set of opcodes.  Bit 29 (U) or 31 (sf) is the highest bit of an
     opcode.  */
  uint64_t opcodes;
};

/* Mask and bits of each class, its opcode and its size.  */
/* clang-format off */
#define AES 0xff3e0c00, 0x4e280800, 12, 5, SIZE
#define SHA_THREE 0xff208c00, 0x5e000000, 12, 3, SIZE
#define SHA_TWO 0xff3e0c00, 0x5e280800, 12, 5, SIZE
#define SCALAR_COPY 0xdfe08400, 0x5e000400, 11, 4, IMM5
#define SCALAR_THREE_FP16 0xdf60c400, 0x5e400400, 11, 3, SIZE
#define SCALAR_TWO_FP16 0xdf7e0c00, 0x5e780800, 12, 5, SIZE
#define SCALAR_EXTRA 0xdf208400, 0x5e008400, 11, 4, SIZE
#define SCALAR_TWO 0xdf3e0c00, 0x5e200800, 12, 5, SIZE
#define SCALAR_PAIRWISE 0xdf3e0c00, 0x5e300800, 12, 5, SIZE
#define SCALAR_LONG 0xdf200c00, 0x5e200000, 12, 4, SIZE
#define SCALAR_THREE 0xdf200400, 0x5e200400, 11, 5, SIZE
#define SCALAR_SHIFT 0xdf800400, 0x5f000400, 11, 5, IMMH
#define SCALAR_ELEMENT 0xdf000400, 0x5f000000, 12, 4, SIZE
#define SCALAR_ELEMENT_D 0xdfe00400, 0x5fc00000, 12, 4, SIZE
#define TABLE 0xbf208c00, 0x0e000000, 12, 3, SIZE
#define PERMUTE 0xbf208c00, 0x0e000800, 12, 3, SIZE
#define EXTRACT 0xbf208400, 0x2e000000, 14, 1, SIZE
#define COPY 0x9fe08400, 0x0e000400, 11, 4, IMM5
#define THREE_FP16 0x9f60c400, 0x0e400400, 11, 3, SIZE
#define TWO_FP16 0x9f7e0c00, 0x0e780800, 12, 5, SIZE
#define EXTRA 0x9f208400, 0x0e008400, 11, 4, SIZE
#define TWO 0x9f3e0c00, 0x0e200800, 12, 5, SIZE
#define ACROSS 0x9f3e0c00, 0x0e300800, 12, 5, SIZE
#define LONG 0x9f200c00, 0x0e200000, 12, 4, SIZE
#define THREE 0x9f200400, 0x0e200400, 11, 5, SIZE
#define IMMEDIATE 0x9ff80400, 0x0f000400, 11, 5, SIZE
#define SHIFT 0x9f800400, 0x0f000400, 11, 5, IMMH
#define ELEMENT 0x9f000400, 0x0f000000, 11, 5, SIZE
#define ELEMENT_S_PAIR 0x9fe00400, 0x0f800000, 11, 5, SIZE
#define ELEMENT_D 0x9fe00400, 0x0fc00000, 11, 5, SIZE
#define SM3_ELEMENT 0xffe0c000, 0xce408000, 10, 2, SIZE
#define SHA512_THREE 0xffe0b000, 0xce608000, 10, 5, SIZE
#define FOUR 0xff808000, 0xce000000, 21, 2, SIZE
#define XAR 0xffe00000, 0xce800000, 0, 0, SIZE
#define SHA512_TWO 0xfffff000, 0xcec08000, 10, 2, SIZE
#define FP_FIXED64 0xff200000, 0x9e000000, 16, 5, SIZE
#define FP_FIXED32 0xff208000, 0x1e008000, 16, 5, SIZE
#define FP_INTEGER 0x7f20fc00, 0x1e200000, 16, 5, SIZE
#define FP_ONE 0xff207c00, 0x1e204000, 15, 6, SIZE
#define FP_IMMEDIATE 0xff201fe0, 0x1e201000, 0, 0, SIZE
#define FP_COMPARE 0xff20fc07, 0x1e202000, 0, 0, SIZE
#define FP_CCMP 0xff200c00, 0x1e200400, 0, 0, SIZE
#define FP_TWO 0xff200c00, 0x1e200800, 12, 4, SIZE
#define FP_SELECT 0xff200c00, 0x1e200c00, 0, 0, SIZE
#define FP_THREE 0xff000000, 0x1f000000, 0, 0, SIZE
/* clang-format on */

/* Bit 28 is clear.  */
static const struct vectors vectors[] = {
  { AES, 0x10, 0xf0 },          /* AESE, AESD, AESMC, AESIMC */
  { TABLE, 0x11, 0xff },        /* TBL, TBX */
  { PERMUTE, 0xf7, 0xee },      /* UZP1, TRN1, ZIP1 */
  { EXTRACT, 0x10, 0x8 },       /* EXT */
  { EXTRACT, 0x11, 0x4 },       /* EXT */
  { COPY, 0x73, 0x20 },         /* SMOV */
  { COPY, 0x87, 0x80 },         /* UMOV */
  { COPY, 0xf0, 0xffff0008 },   /* INS */
  { COPY, 0xf7, 0x3 },          /* DUP */
  { THREE_FP16, 0x22, 0x8818 }, /* FMULX, FCMEQ, FMUL, FDIV */
  { THREE_FP16, 0xaa, 0x75c7 }, /* FMAXNM, FMINNM, FMLA, FMLS, FADD, ... */
  { TWO_FP16, 0x22, 0x1100000010000000 }, /* FCVTAS, FRINTA, FCVTAU */
  { TWO_FP16, 0x88, 0x8000b0000000f000 }, /* FCMGT, FCMEQ, FCMLT, FABS, ... */
  { TWO_FP16, 0xaa, 0x2e0000002f000000 }, /* FRINTN, FRINTP, FRINTM, ... */
  { EXTRA, 0x20, 0x20000000 },            /* BFMMLA */
  { EXTRA, 0x40, 0x100030 },              /* SMMLA, USMMLA, UMMLA */
  { EXTRA, 0x44, 0x4000c },               /* SDOT, USDOT, UDOT */
  { EXTRA, 0x66, 0x30000 },               /* SQRDMLAH, SQRDMLSH */
  { EXTRA, 0xaa, 0x80000000 },            /* BFDOT, BFMLALB, BFMLALT */
  { EXTRA, 0xe6, 0x5f000000 },            /* FCMLA, FCADD */
  { TWO, 0x11, 0x22 },                    /* REV16, CNT */
  { TWO, 0x22, 0x40000000000000 },        /* FCVTXN */
  { TWO, 0x31, 0x41000000c0000000 }, /* FRINT32Z, FRINT64Z, FRINTA, FRINT32X */
  { TWO, 0x33, 0x2100800000 },       /* FCVTL, NOT, RBIT */
  { TWO, 0x75, 0x1000000010000000 }, /* FCVTAS, URECPE, FCVTAU, URSQRTE */
  { TWO, 0x77, 0x1c005400540055 },   /* REV64, SADDLP, CLS, SADALP, XTN, ... */
  { TWO, 0xc4, 0xb0000000f000 }, /* FCMGT, FCMEQ, FCMLT, FABS, FCMGE, ... */
  { TWO, 0xf5, 0xae0000002f000000 }, /* FRINTN, FRINTP, FRINTM, FRINTZ, ... */
  { TWO, 0xf7, 0xb8800000f88 }, /* SUQADD, SQABS, CMGT, CMEQ, CMLT, ABS, ... */
  { ACROSS, 0x50, 0x900000000000 },    /* FMAXNMV, FMINNMV, FMAXV, FMINV */
  { ACROSS, 0x55, 0x9000 },            /* FMAXNMV, FMINNMV, FMAXV, FMINV */
  { ACROSS, 0x73, 0x40004080c000408 }, /* SADDLV, SMAXV, SMINV, ADDV, ... */
  { LONG, 0x66, 0x2a00 },              /* SQDMLAL, SQDMLSL, SQDMULL */
  { LONG, 0x77, 0x15ff15ff }, /* SADDL, SADDW, SSUBL, SSUBW, ADDHN, ... */
  { LONG, 0x99, 0x4000 },     /* PMULL */
  { THREE, 0x11, 0x8000000000000 },    /* PMUL */
  { THREE, 0x31, 0x8800000018000000 }, /* FMULX, FCMEQ, FMUL, FDIV */
  { THREE, 0x55, 0x200000020000000 },  /* FMLAL, FMLSL */
  { THREE, 0x66, 0x40000000400000 },   /* SQDMULH, SQRDMULH */
  { THREE, 0x77, 0x34f015003cf015 },   /* SHADD, SRHADD, SHSUB, SMAX, ... */
  { THREE, 0xf5, 0x75000000c7000000 }, /* FMAXNM, FMINNM, FMLA, FMLS, ... */
  { THREE, 0xf7, 0x30fe200830fe2 }, /* SQADD, SQSUB, CMGT, CMGE, SSHL, ... */
  { THREE, 0xff, 0x800000008 }, /* AND, BIC, ORR, ORN, EOR, BSL, BIT, BIF */
  { IMMEDIATE, 0x10, 0x4000000000000000 }, /* FMOV */
  { IMMEDIATE, 0x11, 0x15555555d5555555 }, /* MOVI, ORR, FMOV, MVNI, BIC */
  { SHIFT, 0x77, 0x1f0000001f0000 },   /* SHRN, RSHRN, SQSHRN, SQRSHRN, ... */
  { SHIFT, 0xe6, 0x9000000090000000 }, /* SCVTF, FCVTZS, UCVTF, FCVTZU */
  { SHIFT, 0xf7, 0x555500004455 },     /* SSHR, SSRA, SRSHR, SRSRA, SHL, ... */
  { ELEMENT, 0x44, 0x3303000030000303 }, /* FMLAL, FMLSL, SDOT, UDOT */
  { ELEMENT, 0x20, 0x888800000000 },     /* FCMLA */
  { ELEMENT, 0x22, 0x444400000000 },     /* FCMLA */
  { ELEMENT, 0x66, 0xcc3033330ff3f0f0 }, /* SMLAL, SQDMLAL, SMLSL, ... */
  { ELEMENT, 0x55, 0xc0000000c0c0c },    /* FMLA, FMLS, FMUL, FMULX */
  { ELEMENT, 0xff, 0xc0000000 }, /* SUDOT, BFDOT, USDOT, BFMLALB, BFMLALT */
  { ELEMENT_S_PAIR, 0x40, 0xcccc00000000 }, /* FCMLA */
  { ELEMENT_D, 0x80, 0xc0000000c0c0c },     /* FMLA, FMLS, FMUL, FMULX */
  { SM3_ELEMENT, 0x20, 0xf0 }, /* SM3TT1A, SM3TT1B, SM3TT2A, SM3TT2B */
  { SHA512_THREE, 0x20, 0x7000f00000000 }, /* SHA512H, SHA512H2, ... */
  { FOUR, 0x10, 0x30 },                    /* EOR3, BCAX */
  { FOUR, 0x20, 0x40 },                    /* SM3SS1 */
  { XAR, 0x40, 0x2 },                      /* XAR */
  { SHA512_TWO, 0x80, 0x30 },              /* SHA512SU0, SM4E */
};

/* Bit 28 is set.  */
static const struct vectors scalars[] = {
  { SHA_THREE, 0x10, 0x7f },  /* SHA1C, SHA1P, SHA1M, SHA1SU0, SHA256H, ... */
  { SHA_TWO, 0x10, 0x7 },     /* SHA1H, SHA1SU1, SHA256SU0 */
  { SCALAR_COPY, 0xf0, 0x1 }, /* DUP */
  { SCALAR_THREE_FP16, 0x20, 0x18 },   /* FMULX, FCMEQ */
  { SCALAR_THREE_FP16, 0x80, 0x400 },  /* FABD */
  { SCALAR_THREE_FP16, 0xa0, 0x3080 }, /* FRECPS, FRSQRTS, FCMGE, FCMGT, ... */
  { SCALAR_TWO_FP16, 0x20, 0x1000000010000000 }, /* FCVTAS, FCVTAU */
  { SCALAR_TWO_FP16, 0x80, 0x300080007000 },     /* FCMGT, FCMEQ, FCMLT, ... */
  { SCALAR_TWO_FP16, 0xa0, 0x2c0000002c000000 }, /* FCVTNS, FCVTPS, ... */
  { SCALAR_EXTRA, 0x60, 0x30000 },               /* SQRDMLAH, SQRDMLSH */
  { SCALAR_TWO, 0x20, 0x40000000000000 },        /* FCVTXN */
  { SCALAR_TWO, 0x30, 0x1000000010000000 },      /* FCVTAS, FCVTAU */
  { SCALAR_TWO, 0x70, 0x14000000100000 },        /* SQXTN, SQXTUN, UQXTN */
  { SCALAR_TWO, 0x80, 0xb0000000f00 },  /* CMGT, CMEQ, CMLT, ABS, CMGE, ... */
  { SCALAR_TWO, 0xc0, 0x300080007000 }, /* FCMGT, FCMEQ, FCMLT, FRECPX, ... */
  { SCALAR_TWO, 0xf0, 0x2c0000882c000088 },  /* SUQADD, SQABS, FCVTNS, ... */
  { SCALAR_PAIRWISE, 0x10, 0x2000 },         /* FADDP */
  { SCALAR_PAIRWISE, 0x30, 0x200000000000 }, /* FADDP */
  { SCALAR_PAIRWISE, 0x50, 0x9000 },    /* FMAXNMP, FMINNMP, FMAXP, FMINP */
  { SCALAR_PAIRWISE, 0x80, 0x8000000 }, /* ADDP */
  { SCALAR_PAIRWISE, 0xf0, 0x900000000000 }, /* FMAXNMP, FMINNMP, FMAXP, ... */
  { SCALAR_LONG, 0x60, 0x2a00 },             /* SQDMLAL, SQDMLSL, SQDMULL */
  { SCALAR_THREE, 0x30, 0x18000000 },        /* FMULX, FCMEQ */
  { SCALAR_THREE, 0x60, 0x40000000400000 },  /* SQDMULH, SQRDMULH */
  { SCALAR_THREE, 0x80, 0x305c0000305c0 },   /* CMGT, CMGE, SSHL, SRSHL, ... */
  { SCALAR_THREE, 0xc0, 0x400000000000000 }, /* FABD */
  { SCALAR_THREE, 0xf0, 0x30000a2280000a22 }, /* SQADD, SQSUB, SQSHL, ... */
  { SCALAR_SHIFT, 0x70, 0xf0000000c0000 }, /* SQSHRN, SQRSHRN, SQSHRUN, ... */
  { SCALAR_SHIFT, 0x80, 0x55500000455 },   /* SSHR, SSRA, SRSHR, SRSRA, ... */
  { SCALAR_SHIFT, 0xe0, 0x9000000090000000 }, /* SCVTF, FCVTZS, UCVTF, ... */
  { SCALAR_SHIFT, 0xf0, 0x500000004000 },     /* SQSHL, SQSHLU, UQSHL */
  { SCALAR_ELEMENT, 0x60, 0xa0003888 },    /* SQDMLAL, SQDMLSL, SQDMULL, ... */
  { SCALAR_ELEMENT, 0x50, 0x2000222 },     /* FMLA, FMLS, FMUL, FMULX */
  { SCALAR_ELEMENT_D, 0x80, 0x2000222 },   /* FMLA, FMLS, FMUL, FMULX */
  { FP_FIXED64, 0x0b, 0x300000c00000000 }, /* SCVTF, UCVTF, FCVTZS, FCVTZU */
  { FP_FIXED32, 0x0b, 0x300000c },         /* SCVTF, UCVTF, FCVTZS, FCVTZU */
  { FP_INTEGER, 0x02, 0x40000000 },        /* FJCVTZS */
  { FP_INTEGER, 0x04, 0xc00000000000 },    /* FMOV */
  { FP_INTEGER, 0x09, 0xc0 },              /* FMOV */
  { FP_INTEGER, 0x0a, 0xc000000000 },      /* FMOV */
  { FP_INTEGER, 0x0b, 0x303033f0303033f }, /* FCVTNS, FCVTNU, SCVTF, ... */
  { FP_ONE, 0x02, 0x40 },                  /* BFCVT */
  { FP_ONE, 0x03, 0xf0080 }, /* FCVT, FRINT32Z, FRINT32X, FRINT64Z, FRINT64X */
  { FP_ONE, 0x09, 0x20 },    /* FCVT */
  { FP_ONE, 0x0a, 0x10 },    /* FCVT */
  { FP_ONE, 0x0b, 0xdf0f },  /* FMOV, FABS, FNEG, FSQRT, FRINTN, FRINTP, ... */
  { FP_IMMEDIATE, 0x0b, 0x1 }, /* FMOV */
  { FP_COMPARE, 0x0b, 0x1 },   /* FCMP, FCMPE */
  { FP_CCMP, 0x0b, 0x1 },      /* FCCMP, FCCMPE */
  { FP_TWO, 0x0b, 0x1ff },     /* FMUL, FDIV, FADD, FSUB, FMAX, FMIN, ... */
  { FP_SELECT, 0x0b, 0x1 },    /* FCSEL */
  { FP_THREE, 0x0b, 0x1 },     /* FMADD, FMSUB, FNMADD, FNMSUB */
};

/* Q * 4 + size of WORD, or 8 if no bit says what the size is.  */
static unsigned
pair_of_sizes (uint32_t word, uint8_t field)
{
  unsigned size = a64_bits (word, 22, 2);
  unsigned immh = a64_bits (word, 19, 4), imm5 = a64_bits (word, 16, 4);
  if ((field == IMMH && immh == 0) || (field == IMM5 && imm5 == 0))
    return 8;
  if (field == IMMH)
    size = 31 - (unsigned)__builtin_clz (immh);
  else if (field == IMM5)
    size = (unsigned)__builtin_ctz (imm5);
  return a64_bits (word, 30, 1) * 4 + size;
}

static bool
is_among (uint32_t word, const struct vectors *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if ((word & list[i].mask) == list[i].bits)
      {
        unsigned opcode
            = a64_bits (word, list[i].opcode_at, list[i].opcode_width)
              | (a64_bits (word, 29, 1) | word >> 31) << list[i].opcode_width;
        unsigned sizes = pair_of_sizes (word, list[i].size_field);
        if (list[i].opcodes >> opcode & 1 && list[i].sizes >> sizes & 1)
          return true;
      }
  return false;
}

bool
a64_vector (struct a64 *t)
{
  return a64_bits (t->word, 28, 1)
             ? is_among (t->word, scalars, sizeof scalars / sizeof *scalars)
             : is_among (t->word, vectors, sizeof vectors / sizeof *vectors);
}
