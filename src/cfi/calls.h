/* Where calls end.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The address behind a call is its return address, and readers of SFrame look
   that up.  When the call never returns, what is there may have nothing to do
   with it.  */

#ifndef CFI_CALLS_H
#define CFI_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "code/insn.h"
#include "elf/image.h"

struct call_finder
{
  const struct image *image;
  /* Whether a function starts at ADDRESS; NULL: nobody knows.  */
  bool (*is_function) (const void *context, uint64_t address);
  const void *context;
  struct insn_decoder *decoder; /* owned; NULL where none is needed, or none
                                   is in this build */
  const uint8_t *bytes;         /* of the segment used last, SIZE at ADDRESS */
  uint64_t address, size;
};

/* Find calls in IMAGE, which must outlive FINDER.  Where this build cannot
   decode the machine's instructions, none is found.  False when memory ran
   out.  */
bool call_finder_init (struct call_finder *finder, const struct image *image,
                       struct error *err);
void call_finder_free (struct call_finder *finder);

/* Whether a call ends at ADDRESS.  START, at or below it, is the address of an
   instruction: from there on they are decoded one after the other, so an
   immediate that looks like a call is none.  Where that fails, what looks like
   a call counts as one; and so does, undecoded, what looks like the call of
   the very first byte of a function: an immediate would have to meet one of
   the few hundred thousand such addresses among 4 billion.  */
bool call_finder_ends_at (struct call_finder *finder, uint64_t start,
                          uint64_t address);

/* The same for N addresses: BASE plus each of OFFSETS but the first, which
   ascend and are those of instructions.  Returns the index of the first one
   where a call ends, or N.  */
size_t call_finder_first (struct call_finder *finder, uint64_t base,
                          const uint32_t *offsets, size_t n);

#endif /* CFI_CALLS_H */
