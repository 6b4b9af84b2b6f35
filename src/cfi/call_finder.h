/* Where calls end.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The address behind a call is its return address, and readers of SFrame look
   that up.  Behind a call that never returns there may be other code, with
   rows that do not hold for the call.  */

#ifndef CFI_CALL_FINDER_H
#define CFI_CALL_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"

/* Finds calls in an image.  */
struct call_finder
{
  const struct image *image; /* not owned */
  /* Whether a function starts at ADDRESS; NULL: that is not known.  */
  bool (*is_function) (const void *context, uint64_t address);
  const void *context;
  const uint8_t *bytes; /* of the segment used last, SIZE at ADDRESS; all 0 at
                           first */
  uint64_t address, size;
};

/* Whether a call ends at ADDRESS.  START, at or below it, is the address of an
   instruction: instructions are decoded from there on, one after the other, so
   that an immediate that looks like a call is none.  Where decoding fails,
   what looks like a call counts as one, because a place that is left out in
   vain only makes readers fall back.  What looks like the call of the very
   first byte of a function counts as one, too, and is not decoded: an
   immediate would have to meet one of the few hundred thousand first addresses
   among 4 billion.  */
bool call_finder_ends_at (struct call_finder *finder, uint64_t start,
                          uint64_t address);

/* The index of the first of N OFFSETS from BASE at which a call ends, or N.
   The offsets ascend and are those of instructions; the first one is not asked
   about.  */
size_t call_finder_first (struct call_finder *finder, uint64_t base,
                          const uint32_t *offsets, size_t n);

/* Have the processor fetch the SIZE bytes of code at START, which will be
   asked about soon.  */
void call_finder_expect (const struct call_finder *finder, uint64_t start,
                         uint64_t size);

#endif /* CFI_CALL_FINDER_H */
