/* AArch64: registers and the PLT stubs of GNU ld, gold, lld and mold.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Register numbers: DWARF for the Arm 64-bit Architecture, table 1.  No stub
   changes x29 or x30, so the RA stays in its register; only the CFA moves.
   Instructions are little-endian whatever the byte order of the data.  */

#include <elf.h>

#include "arch/arch.h"
#include "base/bytes.h"

#define WORD(w)                                     \
  (uint8_t) ((w)&0xff), (uint8_t)((w) >> 8 & 0xff), \
      (uint8_t)((w) >> 16 & 0xff), (uint8_t)((w) >> 24)
#define ALL WORD (0xffffffff)

#define BTI_C WORD (0xd503245f)
#define NOP WORD (0xd503201f)
#define BRK WORD (0xd4207d00) /* brk #1000 */
#define AUTIA1716 WORD (0xd503219f)
#define BR_X17 WORD (0xd61f0220)
#define BR_X2 WORD (0xd61f0040)
#define STP_X16_X30 WORD (0xa9bf7bf0) /* stp x16, x30, [sp, #-16]! */
#define STP_X2_X3 WORD (0xa9bf0fe2)   /* stp x2, x3, [sp, #-16]! */
#define ADRP(reg) WORD (0x90000000 | (reg))
#define ADRP_M WORD (0x9f00001f)
#define LDR(to, base) WORD (0xf9400000 | (base) << 5 | (to))
#define LDR_M WORD (0xffc003ff)
#define ADD(reg) WORD (0x91000000 | (reg) << 5 | (reg))
#define ADD_M WORD (0xffc003ff)

/* Set x16 to the address of the GOT entry, and x17 to its contents.  */
#define LOAD_SLOT ADRP (16), LDR (17, 16), ADD (16)
#define LOAD_SLOT_M ADRP_M, LDR_M, ADD_M
/* The code for a GOT entry at the start of a page, as GNU ld writes it after
   2.47: an addition of 0 becomes a nop.  */
#define LOAD_SLOT_0 ADRP (16), LDR (17, 16), NOP
#define LOAD_SLOT_0_M ADRP_M, ALL, ALL
#define LOAD_DESC ADRP (2), ADRP (3), LDR (2, 2), ADD (3)
#define LOAD_DESC_M ADRP_M, ADRP_M, LDR_M, ADD_M

/* Rows of a stub that leaves the stack as it was at the call, and of a stub
   that has pushed 16 bytes from offset START on.  */
#define AS_CALLED \
  {               \
    0, 0          \
  }
#define PUSHED_FROM(start) \
  { 0, 0 }, { (start), 16 }

static const struct plt_stub headers[] = {
  PLT_STUB ("header", 32,
            PLT_BYTES (STP_X16_X30, LOAD_SLOT, BR_X17, NOP, NOP, NOP),
            PLT_BYTES (ALL, LOAD_SLOT_M, ALL, ALL, ALL, ALL), PUSHED_FROM (4)),
  PLT_STUB ("header-0", 32,
            PLT_BYTES (STP_X16_X30, LOAD_SLOT_0, BR_X17, NOP, NOP, NOP),
            PLT_BYTES (ALL, LOAD_SLOT_0_M, ALL, ALL, ALL, ALL),
            PUSHED_FROM (4)),
  PLT_STUB ("header-bti", 32,
            PLT_BYTES (BTI_C, STP_X16_X30, LOAD_SLOT, BR_X17, NOP, NOP),
            PLT_BYTES (ALL, ALL, LOAD_SLOT_M, ALL, ALL, ALL), PUSHED_FROM (8)),
  PLT_STUB ("header-bti-0", 32,
            PLT_BYTES (BTI_C, STP_X16_X30, LOAD_SLOT_0, BR_X17, NOP, NOP),
            PLT_BYTES (ALL, ALL, LOAD_SLOT_0_M, ALL, ALL, ALL),
            PUSHED_FROM (8)),
  PLT_STUB ("header-mold-2", 32,
            PLT_BYTES (STP_X16_X30, LOAD_SLOT, BR_X17, BRK, BRK, BRK),
            PLT_BYTES (ALL, LOAD_SLOT_M, ALL, ALL, ALL, ALL), PUSHED_FROM (4)),
  { .name = NULL }
};

static const struct plt_stub stubs[] = {
  PLT_STUB ("bti", 24, PLT_BYTES (BTI_C, LOAD_SLOT, BR_X17, NOP),
            PLT_BYTES (ALL, LOAD_SLOT_M, ALL, ALL), AS_CALLED),
  PLT_STUB ("bti-0", 24, PLT_BYTES (BTI_C, LOAD_SLOT_0, BR_X17, NOP),
            PLT_BYTES (ALL, LOAD_SLOT_0_M, ALL, ALL), AS_CALLED),
  PLT_STUB ("bti-pac", 24, PLT_BYTES (BTI_C, LOAD_SLOT, AUTIA1716, BR_X17),
            PLT_BYTES (ALL, LOAD_SLOT_M, ALL, ALL), AS_CALLED),
  PLT_STUB ("bti-pac-0", 24, PLT_BYTES (BTI_C, LOAD_SLOT_0, AUTIA1716, BR_X17),
            PLT_BYTES (ALL, LOAD_SLOT_0_M, ALL, ALL), AS_CALLED),
  PLT_STUB ("pac", 24, PLT_BYTES (LOAD_SLOT, AUTIA1716, BR_X17, NOP),
            PLT_BYTES (LOAD_SLOT_M, ALL, ALL, ALL), AS_CALLED),
  PLT_STUB ("pac-0", 24, PLT_BYTES (LOAD_SLOT_0, AUTIA1716, BR_X17, NOP),
            PLT_BYTES (LOAD_SLOT_0_M, ALL, ALL, ALL), AS_CALLED),
  /* lld with BTI, for stubs that are not the target of an indirect branch.  */
  PLT_STUB ("padded", 24, PLT_BYTES (LOAD_SLOT, BR_X17, NOP, NOP),
            PLT_BYTES (LOAD_SLOT_M, ALL, ALL, ALL), AS_CALLED),
  PLT_STUB ("plain", 16, PLT_BYTES (LOAD_SLOT, BR_X17),
            PLT_BYTES (LOAD_SLOT_M, ALL), AS_CALLED),
  PLT_STUB ("plain-0", 16, PLT_BYTES (LOAD_SLOT_0, BR_X17),
            PLT_BYTES (LOAD_SLOT_0_M, ALL), AS_CALLED),
  /* mold's .plt.got.  */
  PLT_STUB ("got", 16, PLT_BYTES (ADRP (16), LDR (17, 16), BR_X17, NOP),
            PLT_BYTES (ADRP_M, LDR_M, ALL, ALL), AS_CALLED),
  PLT_STUB ("got-mold-2", 16, PLT_BYTES (ADRP (16), LDR (17, 16), BR_X17, BRK),
            PLT_BYTES (ADRP_M, LDR_M, ALL, ALL), AS_CALLED),
  PLT_STUB ("got-bti", 16, PLT_BYTES (BTI_C, ADRP (16), LDR (17, 16), BR_X17),
            PLT_BYTES (ALL, ADRP_M, LDR_M, ALL), AS_CALLED),
  /* Lazy TLS descriptors.  */
  PLT_STUB ("tlsdesc", 32, PLT_BYTES (STP_X2_X3, LOAD_DESC, BR_X2, NOP, NOP),
            PLT_BYTES (ALL, LOAD_DESC_M, ALL, ALL, ALL), PUSHED_FROM (4)),
  PLT_STUB ("tlsdesc-bti", 32,
            PLT_BYTES (BTI_C, STP_X2_X3, LOAD_DESC, BR_X2, NOP),
            PLT_BYTES (ALL, ALL, LOAD_DESC_M, ALL, ALL), PUSHED_FROM (8)),
  { .name = NULL }
};

/* x19 to x28, and d8 to d15, the low halves of v8 to v15 (AAPCS64, sections
   6.1.1, 6.1.2; DWARF for AArch64, section 4.1); x29 is the frame pointer.  */
static const uint16_t saved_registers[] = {
  19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 72, 73, 74, 75, 76, 77, 78, 79
};

/* bl, blr and blr with pointer authentication (Arm ARM, C4.1.65).  */
static bool
may_end_call (const uint8_t *code, size_t size, int32_t *distance)
{
  *distance = 0;
  if (size < 4)
    return false;
  uint32_t word = load_u32 (code + size - 4, false);
  return (word & 0xfc000000) == 0x94000000
         || (word & 0xfefff000) == 0xd63f0000;
}

/* stp x29, x30, [sp, #-N]! pushes the caller's FP, mov x29, sp completes the
   frame, and ret runs when the frame has ended.  */
static enum arch_fp_frame
fp_frame (const uint8_t code[FP_FRAME_CODE])
{
  const uint32_t stp = 0xa9807bfd, stp_mask = 0xffc07fff, mov = 0x910003fd,
                 ret = 0xd65f03c0;
  uint32_t last = load_u32 (code, false);
  uint32_t word = load_u32 (code + FP_FRAME_BEFORE, false);
  if ((word & stp_mask) == stp || word == ret)
    return FP_FRAME_NONE;
  return word == mov && (last & stp_mask) == stp ? FP_FRAME_PUSHED
                                                 : FP_FRAME_MADE;
}

/* Return whether WORD may write x30: whether x30 is in bits 0 to 4, or is any
   register of a load or store.  */
static bool
may_write_x30 (uint32_t word)
{
  bool of_memory = (word & 0x0a000000) == 0x08000000;
  return (word & 31) == 30
         || (of_memory
             && ((word >> 5 & 31) == 30 || (word >> 10 & 31) == 30
                 || (word >> 16 & 31) == 30));
}

/* Encodings: Arm ARM, C4.1.65, "Branches, Exception Generating and System
   instructions".  udf and reserved encodings do not continue.  */
static enum arch_ra_use
ra_use (const uint8_t *instruction)
{
  uint32_t word = load_u32 (instruction, false);
  const uint32_t ret = 0xd65f03c0, retaa = 0xd65f0bff, retab = 0xd65f0fff;
  bool by_condition
      = (word & 0xff000000) == 0x54000000 || (word & 0x7c000000) == 0x34000000;
  bool leaves = (word & 0x7c000000) == 0x14000000
                || (word & 0xfe000000) == 0xd6000000
                || ((word & 0xff000000) == 0xd4000000
                    && (word & 0xffe0001f) != 0xd4000001)
                || (word & 0x1e000000) == 0;
  if (word == ret || word == retaa || word == retab)
    return RA_RETURN;
  return by_condition || !(leaves || may_write_x30 (word)) ? RA_KEPT
                                                           : RA_UNKNOWN;
}

static const char register_names[][4]
    = { "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
        "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
        "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp" };

/* The two byte orders differ in the order and the ABI identifier only.  */
#define AARCH64(name_, big_endian_, abi_)                                     \
  {                                                                           \
    .name = (name_), .e_machine = EM_AARCH64, .big_endian = (big_endian_),    \
    .sframe_abi = (abi_), .sp = 31, .fp = 29, .ra = 30, .fixed_ra_offset = 0, \
    .register_names = register_names,                                         \
    .n_register_names = sizeof register_names / sizeof *register_names,       \
    .smallest_instruction = 4, .smallest_call = 4,                            \
    .may_end_call = may_end_call, .fp_frame = fp_frame, .ra_use = ra_use,     \
    .cfa_scale = 1, .saved_registers = saved_registers,                       \
    .n_saved_registers = sizeof saved_registers / sizeof saved_registers[0],  \
    .ra_signing = true, .rows_max_across = 40, .max_page_size = 65536,        \
    .relocations = { .pcrel32 = R_AARCH64_PREL32,                             \
                     .pcrel64 = R_AARCH64_PREL64,                             \
                     .absolute64 = R_AARCH64_ABS64,                           \
                     .glob_dat = R_AARCH64_GLOB_DAT,                          \
                     .jump_slot = R_AARCH64_JUMP_SLOT,                        \
                     .relative = R_AARCH64_RELATIVE,                          \
                     .tls = { R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL,     \
                              R_AARCH64_TLS_TPREL, R_AARCH64_TLSDESC } },     \
    .plt_headers = headers, .plt_stubs = stubs                                \
  }

const struct arch arch_aarch64
    = AARCH64 ("aarch64", false, SFRAME_ABI_AARCH64_LE);
const struct arch arch_aarch64_be
    = AARCH64 ("aarch64_be", true, SFRAME_ABI_AARCH64_BE);
