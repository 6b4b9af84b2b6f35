/* What functions of a machine may rely on: the ABI's part of the analysis.
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
  uint8_t syscall_result;   /* register with what it returns */
  uint8_t rt_sigreturn;     /* such numbers, of Linux */
  uint8_t exit, exit_group;
  uint16_t clone, clone3;
  uint8_t clone_stack;  /* register with the child's stack, or 0: its parent's
                           has been copied */
  uint32_t preserved;   /* mask: a function leaves these as they were */
  uint32_t clobbered;   /* mask: a call may change these */
  uint32_t results;     /* mask: of a call; or the exception, for a landing
                           pad */
  uint8_t probed;       /* register with the size of a frame when its pages are
                           probed; REG_NONE: no compiler calls a function for that */
  uint8_t word;         /* bytes of a register */
  uint8_t kept_below;   /* bytes below SP that callees leave alone */
  uint8_t call_aligned; /* SP is a multiple of that at a call, and 8 bytes
                           below one at an entry; 0: it is one there, too */
  uint8_t table_widths; /* mask of 1, 2, 4, 8: bytes of a jump table entry */
  /* Functions move SP once, so that it is the better base for a CFA.  */
  bool keeps_sp;
};

/* What functions rely on depends on who compiled them.  */
enum code_conventions
{
  CONVENTIONS_C,
  CONVENTIONS_GO, /* Go has an ABI of its own */
  /* Of functions of which only SP and the return address are known to be
     preserved.  */
  CONVENTIONS_BARE,
  CONVENTIONS_COUNT
};

/* What is known of ARCH, also where this build has no decoder, by conventions;
   NULL where no build has one.  */
const struct code_machine *code_machines (const struct arch *arch);

/* The CONVENTIONS on ARCH; code_machine_of has those of C.  NULL when this
   build cannot analyse the code of ARCH.  */
const struct code_machine *
code_machine_with (const struct arch *arch, enum code_conventions conventions);
const struct code_machine *code_machine_of (const struct arch *arch);

#endif /* ANALYSIS_MACHINE_H */
