/* Finding the table of a machine, and matching PLT stubs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/arch.h"

#include <string.h>

#define ADDRESS(name) &arch_##name,
static const struct arch *const machines[] = { FOR_EACH_ARCH (ADDRESS) };

enum
{
  N_MACHINES = sizeof machines / sizeof *machines
};

const struct arch *
arch_of_machine (unsigned e_machine, bool big_endian)
{
  for (size_t i = 0; i < N_MACHINES; i++)
    if (machines[i]->e_machine == e_machine
        && machines[i]->big_endian == big_endian)
      return machines[i];
  return NULL;
}

const struct arch *
arch_of_sframe_abi (unsigned abi)
{
  for (size_t i = 0; i < N_MACHINES; i++)
    if (machines[i]->sframe_abi == abi)
      return machines[i];
  return NULL;
}

const struct arch *
arch_of_name (const char *name)
{
  for (size_t i = 0; i < N_MACHINES; i++)
    if (strcmp (machines[i]->name, name) == 0)
      return machines[i];
  return NULL;
}

bool
arch_relocation_is_tls (const struct arch *arch, uint32_t type)
{
  const uint16_t *tls = arch == NULL ? NULL : arch->relocations.tls;
  for (; tls != NULL && *tls != 0; tls++)
    if (*tls == type)
      return true;
  return false;
}

static bool
plt_stub_matches (const struct plt_stub *stub, const uint8_t *bytes)
{
  for (size_t i = 0; i < stub->size; i++)
    if ((bytes[i] & stub->mask[i]) != stub->bytes[i])
      return false;
  return true;
}

const struct plt_stub *
plt_stub_find (const struct plt_stub *table, const uint8_t *bytes,
               uint64_t size)
{
  for (const struct plt_stub *stub = table; stub->name; stub++)
    if (stub->size <= size && plt_stub_matches (stub, bytes))
      return stub;
  return NULL;
}
