/* The ABI of a machine, as far as the analysis needs it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_MACHINE_H
#define ANALYSIS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

struct code_machine
{
  const struct arch *arch;
  uint8_t n_registers;
  uint8_t first_argument;   /* register */
  uint8_t syscall_register; /* register with the number of a system call */
  uint8_t syscall_result;   /* register with the result of a system call */
  uint8_t rt_sigreturn;     /* numbers of system calls, of Linux */
  uint8_t exit, exit_group;
  uint16_t clone, clone3;
  uint8_t clone_stack;  /* register with the child's stack; its value is 0
                           if the child gets a copy */
  uint32_t preserved;   /* mask of callee-saved registers */
  uint32_t clobbered;   /* mask of registers that a call may change */
  uint32_t results;     /* mask: a call's results, or a pad's exception */
  uint8_t probed;       /* register with the frame's size for a function that
                           probes pages; or REG_NONE */
  uint8_t word;         /* bytes of a register */
  uint8_t kept_below;   /* bytes below SP that callees preserve */
  uint8_t call_aligned; /* SP is a multiple of this at a call, and 8 bytes
                           below one at an entry; 0: at both alike */
  uint8_t table_widths; /* mask of 1, 2, 4, 8: bytes of a jump table entry */
  /* Functions move SP only once, so that SP is the better base for a CFA.  */
  bool keeps_sp;
};

/* Calling conventions, which depend on the compiler of a function.  */
enum code_conventions
{
  CONVENTIONS_C,
  CONVENTIONS_GO, /* Go's own ABI */
  /* Only SP and the return address are preserved.  */
  CONVENTIONS_BARE,
  CONVENTIONS_COUNT
};

/* Return the ABIs of ARCH, by conventions, whether or not this build has a
   decoder; NULL where no build has one.  */
const struct code_machine *code_machines (const struct arch *arch);

/* Return the ABI of CONVENTIONS on ARCH; code_machine_of returns that of C.
   NULL if this build cannot analyse code of ARCH.  */
const struct code_machine *
code_machine_with (const struct arch *arch, enum code_conventions conventions);
const struct code_machine *code_machine_of (const struct arch *arch);

#endif /* ANALYSIS_MACHINE_H */
