/* The machines whose code can be analysed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/machine.h"

#include <stddef.h>

#include "code/insn.h"

static const char *const amd64_registers[]
    = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
        "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip" };

/* System V ABI, AMD64 supplement, section 3.2.1: rbx, rbp and r12 to r15
   belong to the caller.  */
static const struct code_machine amd64 = {
  .arch = &arch_amd64,
  .n_registers = 17,
  .first_argument = 5, /* rdi */
  .preserved = 1 << 3 | 1 << 6 | 0xf << 12,
  .clobbered = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 0xf << 8,
  .word = 8,
  .register_names = amd64_registers,
};

/* Go internal ABI specification (src/cmd/compile/abi-internal.md), "amd64
   architecture": only rbp, the frame pointer, survives a call, as do r14 and
   xmm15, which have fixed meanings.  */
static const struct code_machine amd64_go = {
  .arch = &arch_amd64,
  .n_registers = 17,
  .first_argument = 0, /* rax */
  .preserved = 1 << 6,
  .clobbered = 0x1f << 0 | 1 << 5 | 0xff << 8,
  .word = 8,
  .register_names = amd64_registers,
};

const struct code_machine *
code_machine_of (const struct arch *arch)
{
  return arch == &arch_amd64 && insn_decoder_exists (arch) ? &amd64 : NULL;
}

const struct code_machine *
code_machine_of_go (const struct arch *arch)
{
  return code_machine_of (arch) == &amd64 ? &amd64_go : NULL;
}
