/* Finding the patterns of a machine.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/patterns.h"

#include <stddef.h>

#define ADDRESS(name) &name##_patterns,
static const struct arch_patterns *const machines[]
    = { FOR_EACH_PATTERNS (ADDRESS) };

const struct arch_patterns *
arch_patterns_of (unsigned e_machine)
{
  for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
    if (machines[i]->e_machine == e_machine)
      return machines[i];
  return NULL;
}
