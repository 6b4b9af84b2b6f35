/* Return places and padding: where a reader that looks up a return address
   would find a wrong row, or none.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc's backtrace () (2.43, sysdeps/generic/sframe.c) and the kernel's
   unwinder look up the return address itself, while DWARF readers look up the
   address before it.  Both find the same row, unless the call never returns
   (abort, exit, throw) and is therefore the last instruction of its code:

   - If padding is behind the call, at the function's end, the function's last
     row covers the padding, too.
   - If other code with other rules is behind the call, the first address of
     that code is a return place.  It needs the rules of the call when it is a
     return address, and the rules of the other code when that code is
     interrupted.  No row is right for both.  So the place has no row, for the
     bytes of the smallest instruction, and readers fall back or stop.  A row
     that leaves the RA in its register, as at the beginning of functions of
     aarch64 and s390x, is kept: readers know the value of that register in
     the topmost frame only, and stop in any other.  */

#ifndef CFI_RETURN_SITES_H
#define CFI_RETURN_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/walk.h"
#include "elf/image.h"
#include "elf/padding.h"
#include "elf/dynamic.h"
#include "frame/frame.h"

/* Finds calls in an image.  */
struct call_finder
{
  const struct image *image;           /* not owned */
  const struct cfi_section *functions; /* not owned; may be NULL */
  struct plt_sections plt;             /* of the image */
  /* The segment that was used last, SIZE bytes at ADDRESS; all 0 at first.  */
  const uint8_t *bytes;
  uint64_t address, size;
};

/* Whether a call ends at ADDRESS.  START, at or below it, is the address of an
   instruction.  If the bytes in front of ADDRESS look like a call,
   instructions are decoded one by one from START on, because the bytes may be
   an immediate of another instruction.  If decoding fails, the answer is yes:
   a row that is left out without need only makes readers fall back.  If the
   apparent call has the first byte of a function as its target, the answer is
   yes without decoding: an immediate would have to equal one of a few hundred
   thousand addresses among 4 billion.  */
bool call_finder_ends_at (struct call_finder *finder, uint64_t start,
                          uint64_t address);

/* The index of the first of N OFFSETS from BASE at which a call ends, or N.
   The offsets ascend and begin instructions.  The first one is not tested.  */
size_t call_finder_first (struct call_finder *finder, uint64_t base,
                          const uint32_t *offsets, size_t n);

/* The parts of a function's rows that determine its return places.  */
struct kept_rows
{
  /* A range of return_sites.starts: the start of the function's first row, and
     of each row that would be wrong for a return address at its start.  */
  size_t first_start, n_starts;
  bool plt_rule;      /* one of the rows has RULE_PLT */
  bool signal, b_key; /* as struct frame_function has them */
  struct frame_row first, last;
};

struct return_sites
{
  const struct cfi_source *source;
  struct padding_finder *padding;
  bool keep_all_rows;     /* find padding, but no return places */
  bool only_behind_calls; /* find padding behind calls only */
  struct call_finder calls;
  uint32_t smallest_call; /* bytes */

  /* The code of the last call.  */
  uint64_t end;                /* of the code; 0 if there is none */
  uint64_t boundary;           /* start of its last row, or of the code */
  bool has_last;               /* it has rows */
  struct frame_row last;       /* with HAS_LAST: its last row */
  bool signal, b_key;          /* with HAS_LAST: flags of its function */
  bool can_keep;               /* return_sites_keep is allowed */
  struct return_places places; /* its return places */

  struct kept_rows *kept; /* owned */
  size_t n_kept, kept_capacity;
  uint32_t *starts; /* owned */
  size_t n_starts, starts_capacity;
};

/* Prepare SITES for the code of SOURCE, a linked file, in the order of
   addresses.  SOURCE and PADDING must outlive SITES.  False when memory ran
   out; SITES is to be freed in any case.  */
bool return_sites_init (struct return_sites *sites,
                        const struct cfi_source *source,
                        struct padding_finder *padding, struct error *err);
void return_sites_free (struct return_sites *sites);

/* Set padding and return places of CODE, which WALK has returned.  CODE has
   rows, which all begin in it, or none.  False when memory ran out.  */
bool return_sites_apply (struct return_sites *sites,
                         const struct cfi_walk *walk, struct cfi_code *code,
                         struct error *err);

/* Keep the kept_rows of the last function of return_sites_apply, for functions
   with equal call-frame programs, which have equal rows.  Returns their
   number, counted from 0.  SITES->can_keep must be set: the function has rows,
   and none of them has RULE_PLT.  */
size_t return_sites_keep (struct return_sites *sites);

/* As return_sites_apply, for CODE that has the kept_rows number KEPT.  */
bool return_sites_repeat (struct return_sites *sites,
                          const struct cfi_walk *walk, struct cfi_code *code,
                          size_t kept, struct error *err);

#endif /* CFI_RETURN_SITES_H */
