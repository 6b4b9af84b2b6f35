/* The process itself: its modules, and its memory.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef WALK_SELF_H
#define WALK_SELF_H

#include <link.h>
#include <stdbool.h>

#include "sframewalk.h"

/* The program header of the section among the N HEADERS of a file, or NULL.
   Of several, which the kernel and the C library choose from in two ways, it
   is the first one that is not empty, here and in the converter.  */
const ElfW (Phdr)
    * walk_sframe_header (const ElfW (Phdr) * headers, unsigned n);

/* Set *SECTION to the section of the module that the dynamic linker tells of
   by INFO.  False if the module has none in its memory that can be opened:
   tools that take sections out of files may leave the program header.  */
bool walk_listed_section (const struct dl_phdr_info *info,
                          struct sfw_section *section);

/* The memory of this process at ADDRESS.  */
static inline const void *
walk_memory_at (uint64_t address)
{
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): it has no other name */
  return (const void *)(uintptr_t)address;
}

#endif /* WALK_SELF_H */
