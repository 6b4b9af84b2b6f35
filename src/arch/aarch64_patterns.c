/* AArch64: padding, and the addresses that instructions refer to.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Encodings: Arm ARM, C4.1.  Instructions are always little-endian.  */

#include "arch/patterns.h"

#include <elf.h>

#include "base/bytes.h"

/* Padding is nop, and udf #0, whose bytes are zeros (Arm ARM, C6.2).  */
static size_t
padding (const uint8_t *at, size_t left)
{
  uint32_t word = left >= 4 ? load_u32 (at, false) : 1;
  return word == 0xd503201f || word == 0 ? 4 : 0;
}

/* ---- The addresses that an ADRP helps to form

   ADRP sets a register, called the base here, to the address of a page.  ADD,
   or the offset of a load or store, adds the offset in the page.  One ADRP may
   serve several such instructions.  Jumps may lie between them: GNU ld and lld
   move the second instruction after a jump for erratum 843419.  */

enum
{
  INSTRUCTIONS_MAX = 512, /* instructions that are followed after one ADRP */
  FOLLOWED = 4,           /* instructions followed in all, per byte of code */
  PATHS_MAX = 32,         /* paths after one ADRP, with its branches */

  /* The uses of the registers that an instruction names, by the place of the
     register's field.  */
  D = 1,           /* reads the register in bits 0 to 4 */
  N = 2,           /* reads the register in bits 5 to 9 */
  A = 4,           /* reads the register in bits 10 to 14 */
  M = 8,           /* reads the register in bits 16 to 20 */
  WRITES = 16,     /* writes the register in bits 0 to 4 */
  WRITES_TWO = 32, /* also writes the register in bits 10 to 14 */
  ADDS = 64,       /* adds a 12-bit offset to the register in bits 5 to 9 */
  ANY = D | N | A | M
};

/* Instructions WORD with (WORD & MASK) == VALUE.  */
struct form
{
  uint32_t mask, value;
  unsigned registers;
};

/* The first form that matches applies.  An instruction that matches none may
   read any register that it could name.  */
static const struct form forms[] = {
  /* Immediate operands.  */
  { 0x1f000000, 0x10000000, WRITES },         /* ADR, ADRP */
  { 0x7f800000, 0x11000000, ADDS | WRITES },  /* ADD */
  { 0x1f800000, 0x11000000, N | WRITES },     /* SUB, ADDS, SUBS */
  { 0x1f800000, 0x12000000, N | WRITES },     /* AND, ORR, EOR, ANDS */
  { 0x7f800000, 0x72800000, D },              /* MOVK */
  { 0x1f800000, 0x12800000, WRITES },         /* MOVN, MOVZ */
  { 0x7f800000, 0x33000000, N | D },          /* BFM */
  { 0x1f800000, 0x13000000, N | WRITES },     /* SBFM, UBFM */
  { 0x1f800000, 0x13800000, N | M | WRITES }, /* EXTR */
  /* Registers.  */
  { 0x1e000000, 0x0a000000, N | M | WRITES },     /* AND to ANDS, ADD, SUB */
  { 0x1f000000, 0x1b000000, N | M | A | WRITES }, /* MADD, UMULH, ... */
  { 0x1fe00000, 0x1a800000, N | M | WRITES },     /* CSEL, CSINC, ... */
  { 0x5fff0000, 0x5ac00000, N | WRITES },         /* RBIT, REV, CLZ, ... */
  { 0x5fe00000, 0x1ac00000, N | M | WRITES },     /* UDIV, LSLV, ... */
  { 0x1fe00800, 0x1a400800, N },                  /* CCMP, of a number */
  { 0x1fe00800, 0x1a400000, N | M },              /* CCMP */
  /* Loads and stores; bit 26: of SIMD registers.  */
  { 0xff000000, 0xd8000000, 0 },             /* PRFM, of a label */
  { 0x3f000000, 0x18000000, WRITES },        /* LDR, of a label */
  { 0x3f000000, 0x1c000000, 0 },             /* the same, SIMD */
  { 0x3f000000, 0x3d000000, ADDS },          /* LDR, STR, SIMD */
  { 0xffc00000, 0xf9800000, ADDS },          /* PRFM */
  { 0x3fc00000, 0x39000000, ADDS | D },      /* STR */
  { 0x3f000000, 0x39000000, ADDS | WRITES }, /* LDR */
  { 0x3f200000, 0x3c000000, N },             /* LDUR, STUR, ..., SIMD */
  { 0x3f200c00, 0x3c200800, N | M },         /* [N, M], SIMD */
  { 0xffc00000, 0xf8800000, N | M },      /* PRFUM, PRFM [N, M], LDADDA, ... */
  { 0x3fe00000, 0x38000000, N | D },      /* STUR, STR with writeback */
  { 0x3f200000, 0x38000000, N | WRITES }, /* LDUR, LDR */
  { 0x3fe00c00, 0x38200800, N | M | D },  /* STR [N, M] */
  { 0x3f200c00, 0x38200800, N | M | WRITES },          /* LDR [N, M] */
  { 0x3e000000, 0x2c000000, N },                       /* LDP, STP, SIMD */
  { 0x3e400000, 0x28000000, N | D | A },               /* STP */
  { 0x3e400000, 0x28400000, N | WRITES | WRITES_TWO }, /* LDP */
  { 0x3e000000, 0x0c000000, N | M },                   /* LD1, ST1, ... */
  /* Branches.  */
  { 0x7c000000, 0x14000000, 0 },      /* B, BL */
  { 0xff000000, 0x54000000, 0 },      /* B.cond, BC.cond */
  { 0x7c000000, 0x34000000, D },      /* CBZ, CBNZ, TBZ, TBNZ */
  { 0xfe000000, 0xd6000000, N },      /* BR, BLR, RET */
  { 0xff000000, 0xd4000000, 0 },      /* SVC, BRK, ... */
  { 0xffe00000, 0xd5000000, D },      /* NOP, barriers, MSR, ... */
  { 0xffe00000, 0xd5200000, WRITES }, /* MRS */
  /* SIMD: some of these read or write a general register.  */
  { 0x5f260000, 0x1e020000, N },      /* SCVTF, UCVTF, fixed-point */
  { 0x5f200000, 0x1e000000, WRITES }, /* FCVTZS, FCVTZU, fixed-point */
  { 0x5f26fc00, 0x1e220000, N },      /* SCVTF, UCVTF */
  { 0x5f27fc00, 0x1e270000, N },      /* FMOV, from a general register */
  { 0x5f20fc00, 0x1e200000, WRITES }, /* FMOV to one, FCVTZS, ... */
  { 0x9fe0fc00, 0x0e000c00, N },      /* DUP */
  { 0xffe0fc00, 0x4e001c00, N },      /* INS */
  { 0x0e000000, 0x0e000000, 0 },
};

static unsigned
registers_of (uint32_t word)
{
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if ((word & forms[i].mask) == forms[i].value)
      return forms[i].registers;
  return ANY;
}

static bool
reads (uint32_t word, unsigned registers, uint32_t base)
{
  return ((registers & D) && (word & 31) == base)
         || ((registers & N) && (word >> 5 & 31) == base)
         || ((registers & A) && (word >> 10 & 31) == base)
         || ((registers & M) && (word >> 16 & 31) == base);
}

static bool
writes (uint32_t word, unsigned registers, uint32_t base)
{
  return ((registers & WRITES) && (word & 31) == base)
         || ((registers & WRITES_TWO) && (word >> 10 & 31) == base);
}

/* Return the offset that WORD, an instruction that ADDS, adds.  */
static uint64_t
added_offset (uint32_t word)
{
  uint64_t offset = word >> 10 & 0xfff;
  if ((word & 0x1f000000) == 0x11000000)
    return word & 1u << 22 ? offset << 12 : offset;
  bool wide = (word & 1u << 26) && (word & 1u << 23);
  return offset << (wide ? 4 : word >> 30);
}

/* Return the signed number in BITS bits of WORD, from bit AT on.  */
static int64_t
signed_field (uint32_t word, unsigned at, unsigned bits)
{
  return (int32_t)(word << (32 - at - bits)) >> (32 - bits);
}

struct adrp
{
  struct address_search *search;
  const struct loaded_bytes *code;
  uint64_t page;
  uint32_t base;
  bool used;                 /* an instruction has formed an address */
  uint64_t paths[PATHS_MAX]; /* offsets in the code at which paths begin */
  size_t n_paths;
  uint64_t left; /* instructions that may still be followed */
};

/* Return whether a call may change the base (AAPCS64, 6.1.1), so that no
   instruction after the call can use it.  */
static bool
is_lost_in_calls (const struct adrp *adrp)
{
  return adrp->base <= 18 || adrp->base == 30;
}

/* Add the path that a branch by OFFSET bytes at AT begins.  Returns false if
   there are too many paths, or the path cannot be followed.  A branch out of
   the section is a call, because a function lies in one section.  */
static bool
adrp_branch (struct adrp *adrp, uint64_t at, int64_t offset)
{
  uint64_t target = at + (uint64_t)offset;
  if (target >= adrp->code->size)
    return is_lost_in_calls (adrp);
  for (size_t i = 0; i < adrp->n_paths; i++)
    if (adrp->paths[i] == target)
      return true;
  if (adrp->n_paths == PATHS_MAX)
    return false;
  adrp->paths[adrp->n_paths++] = target;
  return true;
}

enum step
{
  CONTINUES,
  ENDS,
  UNKNOWN /* the path, or the use of the base, cannot be followed */
};

/* Return whether the path continues after the instruction WORD at AT.  If WORD
   is a branch, add the path that it begins.  */
static enum step
adrp_flow (struct adrp *adrp, uint64_t at, uint32_t word)
{
  bool known = true;
  if ((word & 0xfc000000) == 0x94000000) /* BL */
    return is_lost_in_calls (adrp) ? ENDS : CONTINUES;
  if ((word & 0xfc000000) == 0x14000000) /* B */
    return adrp_branch (adrp, at, 4 * signed_field (word, 0, 26)) ? ENDS
                                                                  : UNKNOWN;
  if ((word & 0xfe000000) == 0xd6000000)
    switch (word >> 21 & 7)
      {
      case 1: /* BLR */
        return is_lost_in_calls (adrp) ? ENDS : CONTINUES;
      case 2: /* RET */
        return ENDS;
      default: /* BR, ERET */
        return UNKNOWN;
      }
  if (word <= UINT16_MAX || (word & 0xffe0001f) == 0xd4200000) /* UDF, BRK */
    return ENDS;
  if ((word & 0xff000000) == 0x54000000     /* B.cond, BC.cond */
      || (word & 0x7e000000) == 0x34000000) /* CBZ, CBNZ */
    known = adrp_branch (adrp, at, 4 * signed_field (word, 5, 19));
  else if ((word & 0x7e000000) == 0x36000000) /* TBZ, TBNZ */
    known = adrp_branch (adrp, at, 4 * signed_field (word, 5, 14));
  return known ? CONTINUES : UNKNOWN;
}

static enum step
adrp_step (struct adrp *adrp, uint64_t at)
{
  if (at + 4 > adrp->code->size)
    return ENDS;
  if (adrp->left == 0)
    return UNKNOWN;
  adrp->left--;
  uint32_t word = load_u32 (adrp->code->bytes + at, false);
  unsigned registers = registers_of (word);
  if (word > UINT16_MAX && reads (word, registers, adrp->base))
    return UNKNOWN;
  if ((registers & ADDS) && (word >> 5 & 31) == adrp->base)
    {
      adrp->used = true;
      address_search_report (adrp->search, adrp->page + added_offset (word));
    }
  return writes (word, registers, adrp->base) ? ENDS
                                              : adrp_flow (adrp, at, word);
}

/* Follow all paths from the ADRP at offset AT of CODE, which sets a register
   to the address PAGE, and report each address that an instruction forms from
   that register.  Sets search->unknown if the register is used in any other
   way, or if a path cannot be followed.  *BUDGET is the number of instructions
   that may still be followed.  */
static void
adrp_follow (struct address_search *search, const struct loaded_bytes *code,
             uint64_t at, uint64_t page, uint64_t *budget)
{
  uint64_t most = *budget < INSTRUCTIONS_MAX ? *budget : INSTRUCTIONS_MAX;
  struct adrp adrp = { .search = search,
                       .code = code,
                       .page = page,
                       .base = load_u32 (code->bytes + at, false) & 31,
                       .paths = { at + 4 },
                       .n_paths = 1,
                       .left = most };
  bool known = true;
  for (size_t i = 0; i < adrp.n_paths && known; i++)
    {
      uint64_t place = adrp.paths[i];
      enum step step;
      while ((step = adrp_step (&adrp, place)) == CONTINUES)
        place += 4;
      known = step == ENDS;
    }
  *budget -= most - adrp.left;
  if (!known || !adrp.used)
    search->unknown = true;
}

/* ---- All addresses */

static void
find_addresses (struct address_search *search, const struct loaded_bytes *code)
{
  uint64_t budget = FOLLOWED * code->size;
  for (uint64_t at = -code->address & 3; at + 4 <= code->size; at += 4)
    {
      uint32_t word = load_u32 (code->bytes + at, false);
      uint64_t pc = code->address + at;
      int64_t words = signed_field (word, 5, 19);
      int64_t distance = 4 * words + (word >> 29 & 3);
      uint64_t page = (pc & ~0xfffull) + ((uint64_t)distance << 12);
      if ((word & 0x9f000000) == 0x90000000)
        {
          if (page < search->end && page + 0xfff >= search->begin)
            adrp_follow (search, code, at, page, &budget);
        }
      else if ((word & 0x9f000000) == 0x10000000)
        address_search_report (search, pc + (uint64_t)distance);
      else if ((word & 0x3b000000) == 0x18000000)
        address_search_report (search, pc + 4 * (uint64_t)words);
    }
}

const struct arch_patterns aarch64_patterns = {
  .e_machine = EM_AARCH64,
  .padding = padding,
  .find_addresses = find_addresses,
};
