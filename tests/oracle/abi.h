/* What the oracle has to know about each machine.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ORACLE_ABI_H
#define ORACLE_ABI_H

#include <stdbool.h>
#include <stdint.h>

/* The registers that matter, by machine.  Numbers of the psABIs' DWARF
   register tables, on purpose not taken from src/arch.  */
struct referee_abi
{
  unsigned e_machine;
  int sp, fp, ra;
  int pc_register;       /* DWARF register that reads as the PC, or -1 */
  int64_t caller_sp;     /* caller's SP = CFA + this */
  bool sp_by_convention; /* a saved SP is taken to be what the ABI says */
  bool signs_ra;         /* opcodes 0x2c and 0x2d are about RA signing */
};

const struct referee_abi *referee_abi_of (unsigned e_machine);

#endif /* ORACLE_ABI_H */
