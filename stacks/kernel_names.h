/* The names of the kernel's functions.
   SPDX-License-Identifier: LGPL-2.1-or-later

   /proc/kallsyms has a line for each symbol: ADDRESS TYPE NAME, and the module
   in brackets.  Without permission all addresses are 0 (kptr_restrict in
   Documentation/admin-guide/sysctl/kernel.rst of Linux).  */

#ifndef STACKS_KERNEL_NAMES_H
#define STACKS_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_name; /* opaque */

struct kernel_names
{
  struct kernel_name *names; /* owned; ascending */
  size_t n, capacity;
  bool read;
  /* Addresses are of a recording: they are named only if the symbol REFERENCE
     is at REFERENCE_ADDRESS now, too.  A kernel that was started again has
     other addresses.  */
  bool recorded;
  char reference[32];
  uint64_t reference_address;
};

/* The function that ADDRESS is in, or NULL; the names are read at the first
   call.  */
const char *kernel_names_at (struct kernel_names *names, uint64_t address);

void kernel_names_free (struct kernel_names *names);

#endif /* STACKS_KERNEL_NAMES_H */
