/* Deciding which bytes between functions are padding, which is never executed.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rows may cover the padding after a function.  There are two reasons: the
   return address of a call that ends a function lies in the padding, and
   --compact describes neighbouring functions by one FDE.  This is harmless
   only if the bytes are padding instructions, and no symbol names them.  */

#ifndef ELF_PADDING_H
#define ELF_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/patterns.h"
#include "base/error.h"
#include "elf/image.h"

enum
{
  PADDING_MAX = 15 /* bytes; most functions are aligned to 16 */
};

struct padding_finder
{
  const struct image *image;
  const struct arch_patterns *patterns; /* NULL: padding is not recognised */
  uint64_t *starts; /* owned; ascending: addresses of symbols and sections */
  size_t n_starts, capacity;
  size_t next; /* index of the start that was found last */
};

/* Collect the symbols and sections of IMAGE, which must outlive FINDER.  */
bool padding_finder_init (struct padding_finder *finder,
                          const struct image *image, struct error *err);
void padding_finder_free (struct padding_finder *finder);

/* Return how many bytes from ADDRESS on, the end of a function, are padding of
   that function.  LIMIT, ADDRESS or above, is the start of the next code with
   a name or CFI.  The result is all bytes up to LIMIT if they are PADDING_MAX
   at most, and otherwise only the first instruction.  It is 0 if the padding
   does not end at LIMIT, at a symbol or section, or at an address to which
   functions are aligned: then the bytes may be the first instruction of code
   without a symbol.  */
uint64_t padding_finder_behind (struct padding_finder *finder,
                                uint64_t address, uint64_t limit);

/* Return how many bytes from ADDRESS on are padding, up to LIMIT or the next
   address to which functions are aligned.  padding_finder_behind may have
   returned as many before the file was stripped of symbols.  */
uint64_t padding_finder_run (const struct padding_finder *finder,
                             uint64_t address, uint64_t limit);

/* Return whether the SIZE bytes at ADDRESS are at most PADDING_MAX bytes of
   no-ops, traps or zeros to which no symbol points.  True for SIZE 0.  */
bool padding_finder_is_padding (const struct padding_finder *finder,
                                uint64_t address, uint64_t size);

#endif /* ELF_PADDING_H */
