/* What the oracle has to know about each machine.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <elf.h>
#include <stddef.h>

#include "abi.h"

static const struct referee_abi abis[] = {
  { EM_X86_64, 7, 6, 16, 16, 0, false, false },
  { EM_AARCH64, 31, 29, 30, -1, 0, false, true },
  /* CFA = caller's SP + 160.  The CFI states r15 as a saved register, which
     says nothing about its relation to the CFA.  */
  { EM_S390, 15, 11, 14, -1, -160, true, false },
};

const struct referee_abi *
referee_abi_of (unsigned e_machine)
{
  for (size_t i = 0; i < sizeof abis / sizeof *abis; i++)
    if (abis[i].e_machine == e_machine)
      return &abis[i];
  return NULL;
}
