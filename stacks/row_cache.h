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

#include "base/hash.h"
#include "elf/detached_file.h"
#include "sframewalk.h"

/* What the section of ELF is kept under: a digest of its bytes and of this
   program.  Files that have changed before are of no account.  */
XXH128_hash_t row_cache_digest (const struct image *elf);

/* Find the section that row_cache_keep got for ELF, which has DIGEST.  If
   true, the caller closes found->image.  */
bool row_cache_find (const struct image *elf, XXH128_hash_t digest,
                     struct detached_file *found);

/* Keep SECTION, which was made of ELF when that had DIGEST; not if ELF has
   changed since.  The oldest sections go when there are too many.  */
void row_cache_keep (const struct image *elf, XXH128_hash_t digest,
                     const struct sfw_section *section);

#endif /* STACKS_ROW_CACHE_H */
