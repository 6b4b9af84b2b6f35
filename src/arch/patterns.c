/* Finding the patterns of a machine.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"

#include <elf.h>

static const struct
{
  unsigned e_machine;
  const struct arch_patterns *patterns;
} machines[] = {
  { EM_X86_64, &amd64_patterns },
  { EM_AARCH64, &aarch64_patterns },
  { EM_S390, &s390x_patterns },
};

const struct arch_patterns *
arch_patterns_of (unsigned e_machine)
{
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (machines[i].e_machine == e_machine)
      return machines[i].patterns;
  return NULL;
}
