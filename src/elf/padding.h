/* Bytes between functions that nothing executes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   --compact describes neighbouring functions by one FDE, which then covers
   the alignment between them.  That is harmless only where the bytes are
   padding instructions without a name; here it is decided.  */

#ifndef ELF_PADDING_H
#define ELF_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/image.h"

enum
{
  PADDING_MAX = 15 /* bytes; functions are aligned to 16 at most */
};

struct padding_finder
{
  const struct image *image;
  uint64_t *symbols; /* owned; ascending values of all symbols with a place */
  size_t n_symbols;
};

/* Collect the symbols of IMAGE, which must outlive FINDER.  */
bool padding_finder_init (struct padding_finder *finder,
                          const struct image *image, struct error *err);
void padding_finder_free (struct padding_finder *finder);

/* Whether the SIZE bytes at ADDRESS are at most PADDING_MAX bytes of no-ops,
   traps or zeros that no symbol points into.  True for SIZE 0.  */
bool padding_finder_is_padding (const struct padding_finder *finder,
                                uint64_t address, uint64_t size);

#endif /* ELF_PADDING_H */
