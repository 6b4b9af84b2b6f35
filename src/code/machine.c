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
  .kernel_call = 0,    /* rax */
  .rt_sigreturn = 15,
  .clone = 56,
  .clone3 = 435,
  .clone_stack = 4, /* rsi */
  .probed = 0,      /* rax */
  .preserved = 1 << 3 | 1 << 6 | 0xf << 12,
  .clobbered = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 0xf << 8,
  .word = 8,
  .table_widths = 4 | 8,
  .register_names = amd64_registers,
};

/* The same for functions with conventions of their own, between which nothing
   is preserved but SP: OCaml's, GHC's, Prolog's.  */
static const struct code_machine amd64_bare = {
  .arch = &arch_amd64,
  .n_registers = 17,
  .first_argument = 5, /* rdi */
  .kernel_call = 0,
  .rt_sigreturn = 15,
  .clone = 56,
  .clone3 = 435,
  .clone_stack = 4, /* rsi */
  .probed = 0,      /* rax */
  .preserved = 0,
  .clobbered = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 0xf << 8,
  .word = 8,
  .table_widths = 4 | 8,
  .register_names = amd64_registers,
};

/* Go internal ABI specification (src/cmd/compile/abi-internal.md), "amd64
   architecture": only rbp, the frame pointer, survives a call, as do r14 and
   xmm15, which have fixed meanings.  */
static const struct code_machine amd64_go = {
  .arch = &arch_amd64,
  .n_registers = 17,
  .first_argument = 0, /* rax */
  .kernel_call = 0,
  .rt_sigreturn = 15,
  .clone = 56,
  .clone3 = 435,
  .clone_stack = 4, /* rsi */
  .probed = REG_NONE,
  .preserved = 1 << 6,
  .clobbered = 0x1f << 0 | 1 << 5 | 0xff << 8,
  .word = 8,
  .table_widths = 4 | 8,
  .register_names = amd64_registers,
};

static const char *const aarch64_registers[]
    = { "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
        "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
        "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp" };

/* AAPCS64, section 6.1.1: x19 to x29 belong to the caller.  A call leaves its
   return address in x30.  */
static const struct code_machine aarch64 = {
  .arch = &arch_aarch64,
  .n_registers = 32,
  .first_argument = 0,
  .kernel_call = 8,
  .rt_sigreturn = 139,
  .clone = 220,
  .clone3 = 435,
  .clone_stack = 1,
  .probed = REG_NONE,
  .preserved = 0x7ffU << 19,
  .clobbered = 0x7ffffU | 1U << 30,
  .word = 8,
  .table_widths = 1 | 2 | 4 | 8,
  .keeps_sp = true,
  .register_names = aarch64_registers,
};

static const struct code_machine aarch64_bare = {
  .arch = &arch_aarch64,
  .n_registers = 32,
  .first_argument = 0,
  .kernel_call = 8,
  .rt_sigreturn = 139,
  .clone = 220,
  .clone3 = 435,
  .clone_stack = 1,
  .probed = REG_NONE,
  .preserved = 0,
  .clobbered = 0x7ffffU | 1U << 30,
  .word = 8,
  .table_widths = 1 | 2 | 4 | 8,
  .keeps_sp = true,
  .register_names = aarch64_registers,
};

/* Also where this build has no decoder.  */
static const struct code_machine *
find_machine (const struct arch *arch)
{
  static const struct code_machine *const machines[] = { &amd64, &aarch64 };
  for (size_t i = 0; i < 2; i++)
    if (machines[i]->arch->e_machine == arch->e_machine)
      return machines[i];
  return NULL;
}

/* The same document, "arm64 architecture": x29, the frame pointer, is kept one
   word below SP; x28 and x18 have fixed meanings.  */
static const struct code_machine aarch64_go = {
  .arch = &arch_aarch64,
  .n_registers = 32,
  .first_argument = 0,
  .kernel_call = 8,
  .rt_sigreturn = 139,
  .clone = 220,
  .clone3 = 435,
  .clone_stack = 1,
  .probed = REG_NONE,
  .preserved = 1U << 29,
  .clobbered = ~(1U << 18 | 1U << 28 | 1U << 29 | 1U << 31),
  .word = 8,
  .kept_below = 8,
  .table_widths = 1 | 2 | 4 | 8,
  .keeps_sp = true,
  .register_names = aarch64_registers,
};

const struct code_machine *
code_machine_of (const struct arch *arch)
{
  return insn_decoder_exists (arch) ? find_machine (arch) : NULL;
}

bool
code_machine_is_known (const struct arch *arch)
{
  return find_machine (arch) != NULL;
}

const struct code_machine *
code_machine_of_go (const struct arch *arch)
{
  const struct code_machine *machine = code_machine_of (arch);
  return machine == &amd64     ? &amd64_go
         : machine == &aarch64 ? &aarch64_go
                               : NULL;
}

const struct code_machine *
code_machine_bare (const struct arch *arch)
{
  return code_machine_of (arch) == &amd64     ? &amd64_bare
         : code_machine_of (arch) == &aarch64 ? &aarch64_bare
                                              : NULL;
}
