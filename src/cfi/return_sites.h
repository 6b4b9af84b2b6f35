/* What readers find at return addresses.
   SPDX-License-Identifier: LGPL-2.1-or-later

   glibc's backtrace () (2.43, sysdeps/generic/sframe.c) and the kernel's
   unwinder look up the return address itself, where DWARF readers look up the
   address before it.  Both find the same row, unless the call never returns
   (abort, exit, throw) and is therefore the last instruction of its code:

   - If padding is behind the call, at the function's end, the function's last
     row covers the padding, too.
   - If other code with other rules is behind the call, the place belongs to
     the call as a return address, and to the other code as the address of an
     interrupted instruction.  No row is right for both, so there is none for
     as many bytes as the smallest instruction has, and readers fall back or
     stop.  Where the row leaves the RA in its register, as rows at the
     beginning of functions of aarch64 and s390x do, readers stop by
     themselves: what is in that register is known of the topmost frame
     only.  */

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
  const struct cfi_section *functions; /* not owned; NULL: none is known */
  struct plt_sections plt;             /* of the image */
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

/* What decides about the return sites of a function, taken from its rows.  */
struct kept_rows
{
  /* A part of return_sites.starts: the start of the function's first row, and
     of each row that a reader could take for the row of a call.  */
  size_t first_start, n_starts;
  bool plt_rule;      /* one of the rows has RULE_PLT */
  bool signal, b_key; /* as struct frame_function has them */
  struct frame_row first, last;
};

struct return_sites
{
  const struct cfi_source *source;
  struct padding_finder *padding;
  bool keep_all_rows;     /* no place is left out; only padding is added */
  bool only_behind_calls; /* no padding is added to other code */
  struct call_finder calls;
  uint32_t smallest_call; /* bytes */

  /* The latest code.  */
  uint64_t end;                /* 0: none */
  uint64_t boundary;           /* where its last row starts: an instruction */
  bool has_last;               /* it has rows ... */
  struct frame_row last;       /* ... this is the last one */
  bool signal, b_key;          /* ... and of a function with these */
  bool can_keep;               /* return_sites_keep is allowed */
  struct return_places places; /* of it that may have no row */

  struct kept_rows *kept; /* owned */
  size_t n_kept, kept_capacity;
  uint32_t *starts; /* owned */
  size_t n_starts, starts_capacity;
};

/* For the code of SOURCE, a linked file's, in address order.  SOURCE and
   PADDING must outlive SITES.  False when memory ran out; return_sites_free is
   allowed then, too.  */
bool return_sites_init (struct return_sites *sites,
                        const struct cfi_source *source,
                        struct padding_finder *padding, struct error *err);
void return_sites_free (struct return_sites *sites);

/* CODE comes from WALK and has rows, which all begin in it, or a reason why it
   has none.  Set its padding, and its places.  False when memory ran
   out.  */
bool return_sites_apply (struct return_sites *sites,
                         const struct cfi_walk *walk, struct cfi_code *code,
                         struct error *err);

/* Functions with equal call-frame programs have equal rows.  Keep the
   kept_rows of the function that return_sites_apply saw last, and return their
   number, counted from 0.  Only where SITES->can_keep is set: the function has
   rows, and none has RULE_PLT.  */
size_t return_sites_keep (struct return_sites *sites);

/* As return_sites_apply for CODE that has the rows with number KEPT.  */
bool return_sites_repeat (struct return_sites *sites,
                          const struct cfi_walk *walk, struct cfi_code *code,
                          size_t kept, struct error *err);

#endif /* CFI_RETURN_SITES_H */
