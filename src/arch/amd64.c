/* x86-64: registers, offsets and the PLT stubs of GNU ld, gold, lld and mold.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Register numbers: System V psABI for AMD64, figure 3.36.  Stub bytes: what
   the linkers write (tests/unit/test_arch.c has samples).  A stub without
   `push` leaves the stack as the caller's `call` made it: CFA = SP + 8.  */

#include <elf.h>

#include "arch/amd64_instruction.h"
#include "arch/arch.h"

/* Instructions as they appear in stubs, with four zero bytes in the place of
   an immediate or displacement; *_M are the masks.  */
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

/* Entry 0 is reached by a jump from another entry that has pushed the
   relocation's index (GNU ld, gold, lld), so SP is one word lower already.  */
static const struct plt_stub headers[]
    = { { "header",
          16,
          { PUSH_GOT, JMP_GOT, NOP4 },
          { PUSH_GOT_M, JMP_GOT_M, M4 },
          2,
          { { 0, 16 }, { 6, 24 } } },
        { "header-gold",
          16,
          { PUSH_GOT, JMP_GOT, NOP1, NOP1, NOP1, NOP1 },
          { PUSH_GOT_M, JMP_GOT_M, M4 },
          2,
          { { 0, 16 }, { 6, 24 } } },
        { "header-bnd",
          16,
          { PUSH_GOT, BND_JMP_GOT, NOP3 },
          { PUSH_GOT_M, BND_JMP_GOT_M, M3 },
          2,
          { { 0, 16 }, { 6, 24 } } },
        /* mold passes the index in r11 and pushes it here.  */
        { "header-mold",
          32,
          { ENDBR64, PUSH_R11, PUSH_GOT, JMP_GOT, TRAP14 },
          { ENDBR64_M, M2, PUSH_GOT_M, JMP_GOT_M, M14 },
          3,
          { { 0, 8 }, { 6, 16 }, { 12, 24 } } },
        { .name = NULL } };

static const struct plt_stub stubs[] = {
  /* Lazy binding: push the index, go to entry 0.  */
  { "lazy",
    16,
    { JMP_GOT, PUSH_IMM, JMP },
    { JMP_GOT_M, PUSH_IMM_M, JMP_M },
    2,
    { { 0, 8 }, { 11, 16 } } },
  { "lazy-ibt",
    16,
    { ENDBR64, PUSH_IMM, JMP, NOP2 },
    { ENDBR64_M, PUSH_IMM_M, JMP_M, M2 },
    2,
    { { 0, 8 }, { 9, 16 } } },
  { "lazy-ibt-bnd",
    16,
    { ENDBR64, PUSH_IMM, BND_JMP, NOP1 },
    { ENDBR64_M, PUSH_IMM_M, BND_JMP_M, M1 },
    2,
    { { 0, 8 }, { 9, 16 } } },
  { "lazy-bnd",
    16,
    { PUSH_IMM, BND_JMP, NOP5 },
    { PUSH_IMM_M, BND_JMP_M, M5 },
    2,
    { { 0, 8 }, { 5, 16 } } },
  { "lazy-mold",
    16,
    { ENDBR64, MOV_R11D, JMP_GOT },
    { ENDBR64_M, MOV_R11D_M, JMP_GOT_M },
    1,
    { { 0, 8 } } },
  { "lazy-mold-2",
    16,
    { MOV_R11D, JMP_GOT, TRAP4 },
    { MOV_R11D_M, JMP_GOT_M, M4 },
    1,
    { { 0, 8 } } },
  /* .plt.sec and .plt.got: nothing but the jump.  */
  { "ibt",
    16,
    { ENDBR64, JMP_GOT, NOP6 },
    { ENDBR64_M, JMP_GOT_M, M6 },
    1,
    { { 0, 8 } } },
  { "ibt-bnd",
    16,
    { ENDBR64, BND_JMP_GOT, NOP5 },
    { ENDBR64_M, BND_JMP_GOT_M, M5 },
    1,
    { { 0, 8 } } },
  { "ibt-mold",
    16,
    { ENDBR64, JMP_GOT, TRAP6 },
    { ENDBR64_M, JMP_GOT_M, M6 },
    1,
    { { 0, 8 } } },
  { "got", 8, { JMP_GOT, NOP2 }, { JMP_GOT_M, M2 }, 1, { { 0, 8 } } },
  { "got-mold-2", 8, { JMP_GOT, TRAP2 }, { JMP_GOT_M, M2 }, 1, { { 0, 8 } } },
  { "got-bnd",
    8,
    { BND_JMP_GOT, NOP1 },
    { BND_JMP_GOT_M, M1 },
    1,
    { { 0, 8 } } },
  /* Lazy TLS descriptors: same bytes as a header, but called directly.  */
  { "tlsdesc",
    16,
    { PUSH_GOT, JMP_GOT, NOP4 },
    { PUSH_GOT_M, JMP_GOT_M, M4 },
    2,
    { { 0, 8 }, { 6, 16 } } },
  { "tlsdesc-ibt",
    16,
    { ENDBR64, PUSH_GOT, JMP_GOT },
    { ENDBR64_M, PUSH_GOT_M, JMP_GOT_M },
    2,
    { { 0, 8 }, { 10, 16 } } },
  { .name = NULL }
};

/* rbx and r12 to r15 (psABI, figure 3.4); rbp is the frame pointer.  */
static const uint16_t saved_registers[] = { 3, 12, 13, 14, 15 };

/* System V ABI, AMD64 supplement, figure 3.36.  */
static const char register_names[][4]
    = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
        "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip" };

const struct arch arch_amd64 = {
  .name = "amd64",
  .e_machine = EM_X86_64,
  .big_endian = false,
  .sframe_abi = SFRAME_ABI_AMD64_LE,
  .register_names = register_names,
  .n_register_names = sizeof register_names / sizeof *register_names,
  .sp = 7,
  .fp = 6,
  .ra = 16,
  .fixed_ra_offset = -8,
  .caller_sp_offset = 0,
  .cfa_bias = 0,
  .smallest_instruction = 1,
  .smallest_call = 2,
  .instruction_size = amd64_instruction_size,
  .may_end_call = amd64_may_end_call,
  .may_pop = amd64_may_pop,
  .fp_frame = amd64_fp_frame,
  .cfa_scale = 1,
  .saved_registers = saved_registers,
  .n_saved_registers = sizeof saved_registers / sizeof saved_registers[0],
  .flexible_fdes = true,
  .ra_signing = false,
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
