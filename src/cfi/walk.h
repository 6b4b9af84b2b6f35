/* The one walk over what is known of a file's code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FDEs and PLT stubs in address order, each ending in frame rows or in the
   reason why there are none.  Converting, measuring, checking and objects all
   go through it, so that they agree on whose rows hold where:

   - An FDE that is empty or lies outside of code says nothing about any code.
   - Of FDEs that overlap, the first one (lowest address, then lowest offset)
     counts; the others are left out as a whole, and so is the code behind the
     first one that only they describe: what one of two contradicting FDEs
     says is no better than a guess.  It makes no difference whether the first
     one's instructions could be executed.
   - A PLT stub counts where no FDE claims the code.  */

#ifndef CFI_WALK_H
#define CFI_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/cfa_program.h"
#include "cfi/source.h"
#include "frame/frame.h"

struct cfi_walk
{
  const struct cfi_source *source;
  struct cfa_machine *machine;    /* owned */
  struct frame_function function; /* of the FDE executed last; owned */
  size_t fde, stub;               /* the next ones */
  uint64_t claimed_end;           /* code below has an owner */
};

/* The code of one FDE or PLT stub.  */
struct cfi_code
{
  const struct cfi_fde *fde; /* NULL: a PLT stub */
  uint64_t address, size;
  bool is_code;             /* false: the range says nothing of any code */
  enum frame_reason reason; /* why there are no rows, or REASON_NONE */
  const struct frame_function *function; /* the rows; see cfi_walk_rows */
};

/* Start a walk over SOURCE, which must outlive it.  False when memory ran
   out; cfi_walk_end is allowed then, too.  */
bool cfi_walk_begin (struct cfi_walk *walk, const struct cfi_source *source,
                     struct error *err);
void cfi_walk_end (struct cfi_walk *walk);

/* The next code in address order; false at the end.  An FDE has not been
   executed yet.  */
bool cfi_walk_next (struct cfi_walk *walk, struct cfi_code *code);

/* Execute the FDE of CODE, unless it has a reason not to be: its rows are in
   code->function, until the next call, or code->reason says why there are
   none.  The rows of a stub are always there.  False when memory ran out.  */
bool cfi_walk_rows (struct cfi_walk *walk, struct cfi_code *code,
                    struct error *err);

#endif /* CFI_WALK_H */
