/* The ABIs of the machines whose code can be analysed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/machine.h"

#include <stddef.h>

#include "analysis/insn.h"

/* Facts that do not depend on the calling conventions.  */
#define AMD64                                                              \
  .arch = &arch_amd64, .n_registers = 17, .syscall_register = 0 /* rax */, \
  .rt_sigreturn = 15, .exit = 60, .exit_group = 231, .clone = 56,          \
  .clone3 = 435, .clone_stack = 4 /* rsi */, .results = 1 << 0 | 1 << 1,   \
  .word = 8, .table_widths = 4 | 8

#define AARCH64                                                              \
  .arch = &arch_aarch64, .n_registers = 32, .first_argument = 0,             \
  .syscall_register = 8, .rt_sigreturn = 139, .exit = 93, .exit_group = 94,  \
  .clone = 220, .clone3 = 435, .clone_stack = 1, .results = 1 << 0 | 1 << 1, \
  .probed = REG_NONE, .word = 8, .table_widths = 1 | 2 | 4 | 8,              \
  .keeps_sp = true

/* System V ABI, AMD64 supplement, 3.2.1: rbx, rbp, r12 to r15 are
   callee-saved.  */
#define AMD64_C                                                \
  AMD64, .first_argument = 5 /* rdi */, .probed = 0 /* rax */, \
         .clobbered = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 0xf << 8

/* AAPCS64, section 6.1.1: x19 to x29 are callee-saved.  A call leaves its
   return address in x30.  */
#define AARCH64_C AARCH64, .clobbered = 0x7ffffU | 1U << 30

/* Go internal ABI specification (src/cmd/compile/abi-internal.md).  "amd64
   architecture": a call preserves only rbp, the frame pointer, and r14 and
   xmm15, which have fixed meanings.  "arm64 architecture": x29, the frame
   pointer, is stored one word below SP; x28 and x18 have fixed meanings.  Bare
   conventions are those between functions of OCaml, of GHC, and of Prolog.  */
static const struct code_machine machines[][CONVENTIONS_COUNT] = {
  { [CONVENTIONS_C] = { AMD64_C, .preserved = 1 << 3 | 1 << 6 | 0xf << 12,
                        .call_aligned = 16 },
    [CONVENTIONS_BARE] = { AMD64_C, .preserved = 0 },
    [CONVENTIONS_GO]
    = { AMD64, .first_argument = 0 /* rax */, .probed = REG_NONE,
        .preserved = 1 << 6, .clobbered = 0x1f << 0 | 1 << 5 | 0xff << 8 } },
  { [CONVENTIONS_C] = { AARCH64_C, .preserved = 0x7ffU << 19 },
    [CONVENTIONS_BARE] = { AARCH64_C, .preserved = 0 },
    [CONVENTIONS_GO]
    = { AARCH64, .preserved = 1U << 29,
        .clobbered = ~(1U << 18 | 1U << 28 | 1U << 29 | 1U << 31),
        .kept_below = 8 } },
};

const struct code_machine *
code_machines (const struct arch *arch)
{
  for (size_t i = 0; arch && i < sizeof machines / sizeof *machines; i++)
    if (machines[i]->arch->e_machine == arch->e_machine)
      return machines[i];
  return NULL;
}

const struct code_machine *
code_machine_with (const struct arch *arch, enum code_conventions conventions)
{
  const struct code_machine *all = code_machines (arch);
  return all && insn_decoder_exists (arch) ? &all[conventions] : NULL;
}

const struct code_machine *
code_machine_of (const struct arch *arch)
{
  return code_machine_with (arch, CONVENTIONS_C);
}
