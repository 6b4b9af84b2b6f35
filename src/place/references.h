/* Whether code or data knows where something is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef PLACE_REFERENCES_H
#define PLACE_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  REFERENCES_MAX = 8192 /* found in code and data, to sections that may move */
};

/* The addresses in a range that code or data may have.  */
struct references
{
  uint64_t begin, end; /* the range that was looked for */
  uint64_t targets[REFERENCES_MAX];
  size_t n_targets;
  bool unknown; /* there are more than fit, or in a form that is not read */
};

/* Look for everything that may hold or form an address in [BEGIN, END), which
   are bytes that IMAGE loads: instructions that address data relative to the
   PC, words of programs at a fixed address, dynamic relocations and dynamic
   symbols.  Errs on the side of finding too much.
   What headers and dynamic entries say does not count.  */
void references_find (struct references *found, const struct image *image,
                      uint64_t begin, uint64_t end);

/* Whether FOUND has an address in [BEGIN, END), or may lack some.  */
bool references_meet (const struct references *found, uint64_t begin,
                      uint64_t end);

#endif /* PLACE_REFERENCES_H */
