/* Rows that were made from code, kept for the next time in the user's cache
   folder: $XDG_CACHE_HOME/cfi2sframe, or .cache/cfi2sframe in $HOME.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A file there is a detached section (elf/detached_file.h).  Its name is a
   digest of all bytes that it was made from and of the program that made it:
   another build of either finds nothing.  Only what belongs to the user is
   read or written, and everything that fails here is as if there were no
   cache.  */

#ifndef STACKS_ROW_CACHE_H
#define STACKS_ROW_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Find the section that row_cache_keep got for the SIZE bytes of an ELF file.
   *SECTION is to be freed by the caller, *ADDRESS is what it counts its
   addresses from.  */
bool row_cache_find (const void *elf, size_t size, void **section,
                     size_t *section_size, uint64_t *address);

/* Keep a section for the SIZE bytes of an ELF file.  The oldest sections go
   when there are too many.  */
void row_cache_keep (const void *elf, size_t size, const void *section,
                     size_t section_size, uint64_t address);

#endif /* STACKS_ROW_CACHE_H */
