/* s390x: registers, offsets and PLT stubs of GNU ld, lld and mold.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Register numbers and the 160-byte register save area: ELF Application Binary
   Interface s390x Supplement, sections 1.2 and 1.9.  No stub changes the stack
   pointer: the header stores into the caller's save area.  */

#include <elf.h>

#include "arch/arch.h"

#define IMM 0, 0, 0, 0
#define LARL_R1 0xc0, 0x10, IMM /* larl %r1,... */
#define LARL_R1_M 0xff, 0xff, IMM
#define LGFI_R0 0xc0, 0x01, IMM /* lgfi %r0,... */
#define LGFI_R0_M 0xff, 0xff, IMM
#define JG 0xc0, 0xf4, IMM /* jg ... */
#define JG_M 0xff, 0xff, IMM
#define LG_R1 0xe3, 0x10, 0x10, 0x00, 0x00, 0x04 /* lg %r1,0(%r1) */
#define LG_R1_16 0xe3, 0x10, 0x10, 0x10, 0x00, 0x04
#define BR_R1 0x07, 0xf1
#define BASR_R1 0x0d, 0x10
#define BASR_R0_R1 0x0d, 0x01
/* Compute the relocation's offset from the return address of BASR_R0_R1.  */
#define INDEX_R0                                                          \
  0xb9, 0x09, 0x00, 0x01,                            /* sgr %r0,%r1 */    \
      0xa7, 0x0b, 0xff, 0xc2,                        /* aghi %r0,-62 */   \
      0xeb, 0x10, 0x00, 0x01, 0x00, 0x0c,            /* srlg %r1,%r0,1 */ \
      0xb9, 0x08, 0x00, 0x01                         /* agr %r0,%r1 */
#define LGF_R1_12 0xe3, 0x10, 0x10, 0x0c, 0x00, 0x14 /* lgf %r1,12(%r1) */
#define STG_R1_56 0xe3, 0x10, 0xf0, 0x38, 0x00, 0x24 /* stg %r1,56(%r15) */
#define STG_R0_56 0xe3, 0x00, 0xf0, 0x38, 0x00, 0x24
#define MVC_48 0xd2, 0x07, 0xf0, 0x30, 0x10, 0x08 /* mvc 48(8,%r15),8(%r1) */
#define NOPR 0x07, 0x00
#define M2 0xff, 0xff
#define M4 M2, M2
#define M6 M4, M2

#define HEADER(store) \
  PLT_BYTES (store, LARL_R1, MVC_48, LG_R1_16, BR_R1, NOPR, NOPR, NOPR)
#define HEADER_M PLT_BYTES (M6, LARL_R1_M, M6, M6, M2, M2, M2, M2)

static const struct plt_stub headers[] = {
  PLT_STUB ("header", 32, HEADER (STG_R1_56), HEADER_M, { 0, 160 }),
  PLT_STUB ("header-mold", 32, HEADER (STG_R0_56), HEADER_M, { 0, 160 }),
  /* The last four bytes are not executed: nopr in mold 2, zeros in mold 3.  */
  PLT_STUB ("header-mold-2", 48,
            PLT_BYTES (INDEX_R0, STG_R0_56, LARL_R1, MVC_48, LG_R1_16, BR_R1),
            PLT_BYTES (M6, M6, M6, M6, LARL_R1_M, M6, M6, M2), { 0, 160 }),
  { .name = NULL }
};

static const struct plt_stub stubs[] = {
  /* The last four bytes are data: the offset of the relocation.  */
  PLT_STUB ("lazy", 32,
            PLT_BYTES (LARL_R1, LG_R1, BR_R1, BASR_R1, LGF_R1_12, JG, IMM),
            PLT_BYTES (LARL_R1_M, M6, M2, M2, M6, JG_M, IMM), { 0, 160 }),
  PLT_STUB ("lazy-mold", 32,
            PLT_BYTES (LARL_R1, LG_R1, LGFI_R0, BR_R1, NOPR, NOPR, NOPR, NOPR,
                       NOPR, NOPR),
            PLT_BYTES (LARL_R1_M, M6, LGFI_R0_M, M2, M6, M6), { 0, 160 }),
  PLT_STUB ("lazy-mold-2", 16, PLT_BYTES (LARL_R1, LG_R1, BASR_R0_R1),
            PLT_BYTES (LARL_R1_M, M6, M2), { 0, 160 }),
  PLT_STUB ("got", 16, PLT_BYTES (LARL_R1, LG_R1, BR_R1),
            PLT_BYTES (LARL_R1_M, M6, M2), { 0, 160 }),
  { .name = NULL }
};

/* Return the size of the instruction with this FIRST byte, by its first two
   bits (Principles of Operation, "Instruction Formats").  */
static unsigned
size_of (uint8_t first)
{
  return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

/* The calls: balr, bassm and basr, unless the second register is 0; bal and
   bas; bras; brasl.  */
static bool
is_call (const uint8_t *code)
{
  switch (code[0])
    {
    case 0x05:
    case 0x0c:
    case 0x0d:
      return (code[1] & 15) != 0;
    case 0x45:
    case 0x4d:
      return true;
    case 0xa7:
    case 0xc0:
      return (code[1] & 15) == 5;
    default:
      return false;
    }
}

static unsigned
instruction_size (const uint8_t *code, size_t left, bool *call)
{
  if (left < 2 || left < size_of (code[0]))
    return 0;
  *call = is_call (code);
  return size_of (code[0]);
}

static bool
may_end_call (const uint8_t *code, size_t size, int32_t *distance)
{
  *distance = 0;
  for (size_t n = 2; n <= 6 && n <= size; n += 2)
    if (size_of (code[size - n]) == n && is_call (code + size - n))
      return true;
  return false;
}

static const char register_names[][4]
    = { "r0", "r1", "r2",  "r3",  "r4",  "r5",  "r6",  "r7",
        "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

const struct arch arch_s390x = {
  .name = "s390x",
  .e_machine = EM_S390,
  .big_endian = true,
  .sframe_abi = SFRAME_ABI_S390X_BE,
  .register_names = register_names,
  .n_register_names = sizeof register_names / sizeof *register_names,
  .sp = 15,
  .fp = 11,
  .ra = 14,
  .fixed_ra_offset = 0,
  .caller_sp_offset = -160,
  .cfa_bias = 160,
  .smallest_instruction = 2,
  .smallest_call = 2,
  .instruction_size = instruction_size,
  .may_end_call = may_end_call,
  .cfa_scale = 8,
  .flexible_fdes = true,
  .needs_pcrel = true,
  .register_words = true,
  .ra_padding = true,
  .rows_max_across = 40,
  .max_page_size = 4096,
  .relocations
  = { .pcrel32 = R_390_PC32,
      .pcrel64 = R_390_PC64,
      .absolute64 = R_390_64,
      .glob_dat = R_390_GLOB_DAT,
      .jump_slot = R_390_JMP_SLOT,
      .relative = R_390_RELATIVE,
      .tls = { R_390_TLS_DTPMOD, R_390_TLS_DTPOFF, R_390_TLS_TPOFF } },
  .plt_headers = headers,
  .plt_stubs = stubs,
};
