/* x86-64: registers, PLT stubs, and the sizes of instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Register numbers: System V psABI for AMD64, figure 3.36.  Stub bytes: what
   GNU ld, gold, lld and mold write (tests/unit/test_arch.c has samples).  A
   stub without `push` leaves the stack as the caller's `call` made it: CFA =
   SP + 8.  Instructions: Intel SDM volume 2, chapter 2 (formats, VEX, EVEX)
   and appendix A (opcode maps).  A few bits per opcode say which operands
   follow it in 64-bit mode, so the size of an instruction can be found without
   knowing the instruction.  */

#include <elf.h>

#include "arch/arch.h"
#include "base/bytes.h"

/* ---- PLT stubs */

/* Instructions as they appear in stubs, with four zero bytes in the place of
   an immediate or displacement.  The names that end in _M are the masks.  */
#define IMM 0, 0, 0, 0
#define ENDBR64 0xf3, 0x0f, 0x1e, 0xfa
#define ENDBR64_M 0xff, 0xff, 0xff, 0xff
#define JMP_GOT 0xff, 0x25, IMM /* jmp *disp(%rip) */
#define JMP_GOT_M 0xff, 0xff, IMM
#define BND_JMP_GOT 0xf2, JMP_GOT
#define BND_JMP_GOT_M 0xff, JMP_GOT_M
#define PUSH_GOT 0xff, 0x35, IMM /* push disp(%rip) */
#define PUSH_GOT_M 0xff, 0xff, IMM
#define PUSH_IMM 0x68, IMM
#define PUSH_IMM_M 0xff, IMM
#define JMP 0xe9, IMM
#define JMP_M 0xff, IMM
#define BND_JMP 0xf2, JMP
#define BND_JMP_M 0xff, JMP_M
#define PUSH_R11 0x41, 0x53
#define MOV_R11D 0x41, 0xbb, IMM
#define MOV_R11D_M 0xff, 0xff, IMM
#define NOP1 0x90
#define NOP2 0x66, 0x90
#define NOP3 0x0f, 0x1f, 0x00
#define NOP4 0x0f, 0x1f, 0x40, 0x00
#define NOP5 0x0f, 0x1f, 0x44, 0x00, 0x00
#define NOP6 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00
#define TRAP2 0xcc, 0xcc
#define TRAP4 TRAP2, TRAP2
#define TRAP6 TRAP4, TRAP2
#define TRAP14 TRAP6, TRAP6, TRAP2
#define M1 0xff
#define M2 M1, M1
#define M3 M2, M1
#define M4 M2, M2
#define M5 M4, M1
#define M6 M4, M2
#define M14 M6, M6, M2

/* Other entries push the relocation's index and jump to entry 0 (GNU ld, gold,
   lld), so at entry 0 SP is one word lower than in a function.  */
static const struct plt_stub headers[] = {
  PLT_STUB ("header", 16, PLT_BYTES (PUSH_GOT, JMP_GOT, NOP4),
            PLT_BYTES (PUSH_GOT_M, JMP_GOT_M, M4), { 0, 16 }, { 6, 24 }),
  PLT_STUB ("header-gold", 16,
            PLT_BYTES (PUSH_GOT, JMP_GOT, NOP1, NOP1, NOP1, NOP1),
            PLT_BYTES (PUSH_GOT_M, JMP_GOT_M, M4), { 0, 16 }, { 6, 24 }),
  PLT_STUB ("header-bnd", 16, PLT_BYTES (PUSH_GOT, BND_JMP_GOT, NOP3),
            PLT_BYTES (PUSH_GOT_M, BND_JMP_GOT_M, M3), { 0, 16 }, { 6, 24 }),
  /* mold passes the index in r11 and pushes it here.  */
  PLT_STUB ("header-mold", 32,
            PLT_BYTES (ENDBR64, PUSH_R11, PUSH_GOT, JMP_GOT, TRAP14),
            PLT_BYTES (ENDBR64_M, M2, PUSH_GOT_M, JMP_GOT_M, M14), { 0, 8 },
            { 6, 16 }, { 12, 24 }),
  { .name = NULL },
};

static const struct plt_stub stubs[] = {
  /* Lazy binding: push the index and jump to entry 0.  */
  PLT_STUB ("lazy", 16, PLT_BYTES (JMP_GOT, PUSH_IMM, JMP),
            PLT_BYTES (JMP_GOT_M, PUSH_IMM_M, JMP_M), { 0, 8 }, { 11, 16 }),
  PLT_STUB ("lazy-ibt", 16, PLT_BYTES (ENDBR64, PUSH_IMM, JMP, NOP2),
            PLT_BYTES (ENDBR64_M, PUSH_IMM_M, JMP_M, M2), { 0, 8 }, { 9, 16 }),
  PLT_STUB ("lazy-ibt-bnd", 16, PLT_BYTES (ENDBR64, PUSH_IMM, BND_JMP, NOP1),
            PLT_BYTES (ENDBR64_M, PUSH_IMM_M, BND_JMP_M, M1), { 0, 8 },
            { 9, 16 }),
  PLT_STUB ("lazy-bnd", 16, PLT_BYTES (PUSH_IMM, BND_JMP, NOP5),
            PLT_BYTES (PUSH_IMM_M, BND_JMP_M, M5), { 0, 8 }, { 5, 16 }),
  PLT_STUB ("lazy-mold", 16, PLT_BYTES (ENDBR64, MOV_R11D, JMP_GOT),
            PLT_BYTES (ENDBR64_M, MOV_R11D_M, JMP_GOT_M), { 0, 8 }),
  PLT_STUB ("lazy-mold-2", 16, PLT_BYTES (MOV_R11D, JMP_GOT, TRAP4),
            PLT_BYTES (MOV_R11D_M, JMP_GOT_M, M4), { 0, 8 }),
  /* .plt.sec and .plt.got: only the jump.  */
  PLT_STUB ("ibt", 16, PLT_BYTES (ENDBR64, JMP_GOT, NOP6),
            PLT_BYTES (ENDBR64_M, JMP_GOT_M, M6), { 0, 8 }),
  PLT_STUB ("ibt-bnd", 16, PLT_BYTES (ENDBR64, BND_JMP_GOT, NOP5),
            PLT_BYTES (ENDBR64_M, BND_JMP_GOT_M, M5), { 0, 8 }),
  PLT_STUB ("ibt-mold", 16, PLT_BYTES (ENDBR64, JMP_GOT, TRAP6),
            PLT_BYTES (ENDBR64_M, JMP_GOT_M, M6), { 0, 8 }),
  PLT_STUB ("got", 8, PLT_BYTES (JMP_GOT, NOP2), PLT_BYTES (JMP_GOT_M, M2),
            { 0, 8 }),
  PLT_STUB ("got-mold-2", 8, PLT_BYTES (JMP_GOT, TRAP2),
            PLT_BYTES (JMP_GOT_M, M2), { 0, 8 }),
  PLT_STUB ("got-bnd", 8, PLT_BYTES (BND_JMP_GOT, NOP1),
            PLT_BYTES (BND_JMP_GOT_M, M1), { 0, 8 }),
  /* Lazy TLS descriptors have a header's bytes, but are called directly.  */
  PLT_STUB ("tlsdesc", 16, PLT_BYTES (PUSH_GOT, JMP_GOT, NOP4),
            PLT_BYTES (PUSH_GOT_M, JMP_GOT_M, M4), { 0, 8 }, { 6, 16 }),
  PLT_STUB ("tlsdesc-ibt", 16, PLT_BYTES (ENDBR64, PUSH_GOT, JMP_GOT),
            PLT_BYTES (ENDBR64_M, PUSH_GOT_M, JMP_GOT_M), { 0, 8 },
            { 10, 16 }),
  { .name = NULL }
};

/* ---- Sizes of instructions */

/* The bytes that follow an opcode.  */
enum
{
  N = 0,      /* nothing */
  M = 1 << 0, /* ModRM, and what ModRM asks for: SIB byte, displacement */
  B = 1 << 1, /* 8-bit immediate */
  W = 1 << 2, /* 16-bit immediate */
  Z = 1 << 3, /* 32-bit immediate, 16-bit with the prefix 66 */
  D = 1 << 4, /* 32-bit displacement of a branch */
  O = 1 << 5, /* address of a mov without ModRM */
  V = 1 << 6, /* as Z, and 64-bit with REX.W */
  G = 1 << 7, /* M; also B (opcode f6) or Z (f7) if ModRM.reg is 0 or 1 */
  X = 1 << 8  /* not an instruction, or unknown here */
};

/* clang-format off */
static const uint16_t one_byte[256] = {
  M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X, /* 00 */
  M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X, /* 10 */
  M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X, /* 20 */
  M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X, /* 30 */
  X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, /* 40: REX */
  N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, /* 50 */
  X, X, X, M, X, X, X, X, Z, M | Z, B, M | B, N, N, N, N, /* 60 */
  B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, /* 70 */
  M | B, M | Z, X, M | B, M, M, M, M, M, M, M, M, M, M, M, M, /* 80 */
  N, N, N, N, N, N, N, N, N, N, X, N, N, N, N, N, /* 90 */
  O, O, O, O, N, N, N, N, B, Z, N, N, N, N, N, N, /* a0 */
  B, B, B, B, B, B, B, B, V, V, V, V, V, V, V, V, /* b0 */
  M | B, M | B, W, N, X, X, M | B, M | Z, W | B, N, W, N, N, B, X, N, /* c0 */
  M, M, M, M, X, X, X, N, M, M, M, M, M, M, M, M, /* d0 */
  B, B, B, B, B, B, B, B, D, D, X, B, N, N, N, N, /* e0 */
  X, N, X, X, N, N, G, G, N, N, N, N, N, N, M, M, /* f0 */
};

/* Opcodes after 0f.  No SIB byte or displacement follows the ModRM byte of the
   moves to and from control and debug registers (20 to 23).  */
static const uint16_t two_bytes[256] = {
  M, M, M, M, X, N, N, N, N, N, X, N, X, M, N, X, /* 00 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 10 */
  B, B, B, B, X, X, X, X, M, M, M, M, M, M, M, M, /* 20 */
  N, N, N, N, N, N, X, N, X, X, X, X, X, X, X, X, /* 30 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 40 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 50 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 60 */
  M | B, M | B, M | B, M | B, M, M, M, N, X, X, X, X, M, M, M, M, /* 70 */
  D, D, D, D, D, D, D, D, D, D, D, D, D, D, D, D, /* 80 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 90 */
  N, N, N, M, M | B, M, X, X, N, N, N, M, M | B, M, M, M, /* a0 */
  M, M, M, M, M, M, M, M, M, M, M | B, M, M, M, M, M, /* b0 */
  M, M, M | B, M, M | B, M | B, M | B, M, N, N, N, N, N, N, N, N, /* c0 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* d0 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* e0 */
  M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, X, /* f0 */
};
/* clang-format on */

/* CALL (Intel SDM volume 2).  */
enum
{
  CALL_RELATIVE = 0xe8, /* a 32-bit distance follows */
  CALL_RELATIVE_SIZE = 5,
  GROUP_5 = 0xff,        /* with /2 a near call, with /3 a far one */
  CALL_INDIRECT_MIN = 2, /* bytes without prefixes ... */
  CALL_INDIRECT_MAX = 7  /* ... with SIB byte and a 32-bit displacement */
};

/* Return whether the opcode GROUP_5 with MODRM is an instruction: /7 is not
   defined, and a far pointer must be in memory.  */
static bool
is_group_5 (uint8_t modrm)
{
  unsigned reg = modrm >> 3 & 7;
  return reg != 7 && (modrm < 0xc0 || (reg != 3 && reg != 5));
}

/* An instruction, as far as it was read.  */
struct amd64_instruction
{
  struct cursor cursor;
  bool operand_16, address_32, wide; /* 66, 67, REX.W */
  uint8_t opcode, reg;               /* reg: of ModRM, 0 without */
  uint16_t follows;
};

/* Read the prefixes, and return the byte after them.  */
static uint8_t
read_prefixes (struct amd64_instruction *instruction)
{
  for (;;)
    {
      uint8_t byte = cursor_u8 (&instruction->cursor);
      /* Segments (26, 2e, 36, 3e, 64, 65), sizes (66, 67), lock, rep (f0, f2,
         f3).  */
      bool is_legacy = (byte & 0xe7) == 0x26 || (byte & 0xfc) == 0x64
                       || byte == 0xf0 || (byte & 0xfe) == 0xf2;
      if ((byte & 0xf0) == 0x40)
        instruction->wide = (byte & 8) != 0;
      else if (is_legacy && !instruction->cursor.failed)
        {
          instruction->operand_16 |= byte == 0x66;
          instruction->address_32 |= byte == 0x67;
          instruction->wide = false; /* REX must be the last prefix */
        }
      else
        return byte;
    }
}

/* Return what follows OPCODE in opcode map MAP: 1 for 0f, 2 for 0f 38, 3 for
   0f 3a.  Instructions of maps 5 and 6 have no immediates.  */
static uint16_t
follows_in_map (unsigned map, uint8_t opcode)
{
  switch (map)
    {
    case 1:
      return two_bytes[opcode];
    case 2:
    case 5:
    case 6:
      return M;
    case 3:
      return M | B;
    default:
      return X;
    }
}

/* Read the other SIZE bytes of a VEX or EVEX prefix, and the opcode.  */
static void
read_vex (struct amd64_instruction *instruction, unsigned size,
          uint8_t map_mask)
{
  const uint8_t *bytes = cursor_take (&instruction->cursor, size);
  unsigned map = bytes == NULL ? 0 : size == 1 ? 1 : bytes[0] & map_mask;
  uint8_t opcode = cursor_u8 (&instruction->cursor);
  instruction->follows = follows_in_map (map, opcode);
  /* ModRM and at most an 8-bit immediate follow an opcode of VEX or EVEX.  */
  if (instruction->follows & ~(M | B))
    instruction->follows = X;
}

static void
read_opcode (struct amd64_instruction *instruction)
{
  uint8_t byte = read_prefixes (instruction);
  struct cursor *cursor = &instruction->cursor;
  if (byte == 0xc5)
    read_vex (instruction, 1, 0);
  else if (byte == 0xc4)
    read_vex (instruction, 2, 0x1f);
  else if (byte == 0x62)
    read_vex (instruction, 3, 0x07);
  else if (byte == 0x0f)
    {
      byte = cursor_u8 (cursor);
      unsigned map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1;
      if (map != 1)
        byte = cursor_u8 (cursor);
      instruction->follows = follows_in_map (map, byte);
    }
  else
    {
      instruction->opcode = byte;
      instruction->follows = one_byte[byte];
    }
}

static void
read_modrm (struct amd64_instruction *instruction)
{
  struct cursor *cursor = &instruction->cursor;
  uint8_t modrm = cursor_u8 (cursor);
  unsigned mode = modrm >> 6, base = modrm & 7;
  instruction->reg = modrm >> 3 & 7;
  /* 8f is the prefix of AMD's XOP instructions if ModRM.reg is not 0.  */
  if ((instruction->opcode == 0x8f && instruction->reg != 0)
      || (instruction->opcode == GROUP_5 && !is_group_5 (modrm)))
    instruction->follows = X;
  if (mode == 3)
    return;
  if (base == 4)
    base = cursor_u8 (cursor) & 7;
  if (mode == 1)
    cursor_take (cursor, 1);
  else if (mode == 2 || base == 5)
    cursor_take (cursor, 4);
}

static void
read_immediate (struct amd64_instruction *instruction)
{
  struct cursor *cursor = &instruction->cursor;
  uint16_t follows = instruction->follows;
  bool is_16 = instruction->operand_16 && !instruction->wide;
  if (follows & G && instruction->reg < 2)
    follows = instruction->opcode == 0xf6 ? B : Z;
  if (follows & W)
    cursor_take (cursor, 2);
  if (follows & B)
    cursor_take (cursor, 1);
  if (follows & (Z | V))
    cursor_take (cursor, follows & V && instruction->wide ? 8 : is_16 ? 2 : 4);
  if (follows & D)
    cursor_take (cursor, 4);
  if (follows & O)
    cursor_take (cursor, instruction->address_32 ? 4 : 8);
}

static unsigned
instruction_size (const uint8_t *code, size_t left, bool *is_call)
{
  enum
  {
    LONGEST = 15
  };
  struct amd64_instruction instruction
      = { .cursor
          = cursor_over (code, left < LONGEST ? left : LONGEST, false) };
  read_opcode (&instruction);
  if (instruction.follows & (M | G))
    read_modrm (&instruction);
  read_immediate (&instruction);
  *is_call = instruction.opcode == CALL_RELATIVE
             || (instruction.opcode == GROUP_5 && (instruction.reg & 6) == 2);
  if (instruction.follows & X || instruction.cursor.failed)
    return 0;
  return (unsigned)(instruction.cursor.at - code);
}

/* ---- Calls, recognised by the bytes before a return address */

/* Return whether one of the eight bytes before END may be GROUP_5 with a ModRM
   byte of /2 or /3 after it.  One operation tests all eight bytes: subtracting
   1 from each byte of ~WORD borrows where that byte is 0, which sets bit 7 of
   the byte; bytes below 0x80 get bit 7 in no other way.  The ModRM byte is
   tested as well, because distances of backward calls often contain the byte
   ff.  */
static inline bool
may_have_group_5 (const uint8_t *end)
{
  const uint64_t ones = UINT64_C (0x0101010101010101);
  const uint64_t word = load_u64 (end - sizeof word, false);
  const uint64_t group_5 = (~word - ones) & word & ones * 0x80;
  const uint64_t not_2_or_3 = (word >> 8 ^ ones * 0x10) & ones * 0x30;
  return group_5 != 0 && (group_5 & (ones * 0x80 - not_2_or_3)) != 0;
}

/* Return whether the SIZE bytes at MODRM are a ModRM byte with its SIB byte
   and displacement (Intel SDM volume 2, tables 2-2 and 2-3).  instruction_size
   would tell, too, but makes a conversion execute 3 % more instructions.  */
static bool
is_operand (const uint8_t *modrm, size_t size)
{
  unsigned mode = *modrm >> 6, base = *modrm & 7;
  bool has_sib = mode != 3 && base == 4;
  if (has_sib && size < 2)
    return false;
  if (has_sib)
    base = modrm[1] & 7;
  bool is_long = mode == 2 || (mode == 0 && base == 5);
  return size == 1u + has_sib + (mode == 1 ? 1 : is_long ? 4 : 0);
}

static bool
may_end_indirect_call (const uint8_t *end, size_t size)
{
  for (size_t n = CALL_INDIRECT_MIN; n <= CALL_INDIRECT_MAX && n <= size; n++)
    {
      const uint8_t *modrm = end - n + 1;
      if (modrm[-1] == GROUP_5 && (*modrm >> 3 & 6) == 2 && is_group_5 (*modrm)
          && is_operand (modrm, n - 1))
        return true;
    }
  return false;
}

static bool
may_end_call (const uint8_t *code, size_t size, int32_t *distance)
{
  const uint8_t *end = code + size;
  *distance = 0;
  if ((size < sizeof (uint64_t) || may_have_group_5 (end))
      && may_end_indirect_call (end, size))
    return true;
  if (size < CALL_RELATIVE_SIZE || end[-CALL_RELATIVE_SIZE] != CALL_RELATIVE)
    return false;
  *distance = (int32_t)load_u32 (end - 4, false);
  return true;
}

/* pop, and leave.  An instruction that saves FP below SP ends in a negative
   displacement, a multiple of 8, so its last byte is none of these.  */
static bool
may_pop (uint8_t last)
{
  return (last & 0xf8) == 0x58 || last == 0xc9;
}

/* push %rbp pushes the caller's FP, mov %rsp,%rbp (in either encoding)
   completes the frame, and ret runs when the frame has ended.  */
static enum arch_fp_frame
fp_frame (const uint8_t code[FP_FRAME_CODE])
{
  static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa },
                       mov[] = { 0x48, 0x89, 0xe5 },
                       other_mov[] = { 0x48, 0x8b, 0xec };
  const uint8_t *at = code + FP_FRAME_BEFORE;
  if (at[0] == 0x55 || at[0] == 0xc3 || at[0] == 0xc2
      || (at[0] == 0xf3 && at[1] == 0xc3)
      || memcmp (at, endbr64, sizeof endbr64) == 0)
    return FP_FRAME_NONE;
  return at[-1] == 0x55
                 && (memcmp (at, mov, sizeof mov) == 0
                     || memcmp (at, other_mov, sizeof other_mov) == 0)
             ? FP_FRAME_PUSHED
             : FP_FRAME_MADE;
}

/* ---- The machine */

/* rbx and r12 to r15 (psABI, figure 3.4); rbp is the frame pointer.  */
static const uint16_t saved_registers[] = { 3, 12, 13, 14, 15 };

/* System V ABI, AMD64 supplement, figure 3.36.  */
static const char register_names[][4]
    = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
        "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip" };

const struct arch arch_amd64 = {
  .name = "amd64",
  .e_machine = EM_X86_64,
  .sframe_abi = SFRAME_ABI_AMD64_LE,
  .register_names = register_names,
  .n_register_names = sizeof register_names / sizeof *register_names,
  .sp = 7,
  .fp = 6,
  .ra = 16,
  .fixed_ra_offset = -8,
  .smallest_instruction = 1,
  .smallest_call = 2,
  .instruction_size = instruction_size,
  .may_end_call = may_end_call,
  .may_pop = may_pop,
  .fp_frame = fp_frame,
  .cfa_scale = 1,
  .saved_registers = saved_registers,
  .n_saved_registers = sizeof saved_registers / sizeof saved_registers[0],
  .flexible_fdes = true,
  .plt_expressions = true,
  .plt_got_defect = true,
  .rows_max_across = 28,
  .max_page_size = 4096,
  .relocations = { .pcrel32 = R_X86_64_PC32,
                   .pcrel64 = R_X86_64_PC64,
                   .absolute64 = R_X86_64_64,
                   .glob_dat = R_X86_64_GLOB_DAT,
                   .jump_slot = R_X86_64_JUMP_SLOT,
                   .relative = R_X86_64_RELATIVE,
                   .tls = { R_X86_64_DTPMOD64, R_X86_64_DTPOFF64,
                            R_X86_64_TPOFF64, R_X86_64_TLSDESC } },
  .plt_headers = headers,
  .plt_stubs = stubs,
};
