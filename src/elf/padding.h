/* Bytes between functions that are never executed.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Rows may cover the padding behind a function: the return address of a call
   that ends a function lies in it, and --compact describes neighbouring
   functions by one FDE.  That is harmless only where the bytes are padding
   instructions and no symbol names them.  This module decides whether they
   are.  */

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
  PADDING_MAX = 15 /* bytes; functions are aligned to 16 at most */
};

struct padding_finder
{
  const struct image *image;
  const struct arch_patterns *patterns; /* NULL: padding is not recognised */
  uint64_t *names; /* owned; ascending: where symbols and sections are */
  size_t n_names, capacity;
  size_t next; /* of the names, as of the latest question */
};

/* Collect the symbols and sections of IMAGE, which must outlive FINDER.  */
bool padding_finder_init (struct padding_finder *finder,
                          const struct image *image, struct error *err);
void padding_finder_free (struct padding_finder *finder);

/* How many bytes from ADDRESS on, the end of a function, are padding that
   belongs to it; LIMIT (at or above ADDRESS) is where the next code begins
   that has a name or CFI.  The result is all bytes up to LIMIT if these are at
   most PADDING_MAX, otherwise the first instruction only.  0 where the padding
   ends neither at LIMIT, at a symbol or section, nor at an address that
   functions are aligned to: then it may be the first instruction of code that
   no symbol names.  */
uint64_t padding_finder_behind (struct padding_finder *finder,
                                uint64_t address, uint64_t limit);

/* The bytes of padding from ADDRESS on, up to LIMIT or the next address that
   functions are aligned to: what padding_finder_behind may have answered when
   the file had more symbols, before it was stripped.  */
uint64_t padding_finder_run (const struct padding_finder *finder,
                             uint64_t address, uint64_t limit);

/* Whether the SIZE bytes at ADDRESS are at most PADDING_MAX bytes of no-ops,
   traps or zeros that no symbol points into.  True for SIZE 0.  */
bool padding_finder_is_padding (const struct padding_finder *finder,
                                uint64_t address, uint64_t size);

#endif /* ELF_PADDING_H */
