/* The walk over all descriptions of a file's code: FDEs, PLT stubs, and
   functions that the analysis has found.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The descriptions come in the order of addresses, each with its frame rows or
   with the reason why it has none.  Conversion, measuring and checking all use
   this walk, so that they agree on the rows of each address:

   - An FDE that is empty, outside of code, or changed by relocations at run
     time describes no code.  Nor does an FDE of CFI that lacks rules for FP.
   - Where FDEs overlap, rows that are equal in all of them are kept.  Where
     they contradict each other, or one of them cannot be executed, there are
     no rows, because unwinders that search a table find another FDE than
     unwinders that read the section from its beginning.  The overlapping part
     comes with the first FDE (lowest address, then lowest offset).
   - There are no rows where the code is known to contradict its FDE.
   - A PLT stub, or a function that the analysis has found, is used where no
     FDE claims the code.  */

#ifndef CFI_WALK_H
#define CFI_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/cfa_program.h"
#include "cfi/source.h"
#include "elf/padding.h"
#include "frame/frame.h"

struct cfi_walk
{
  const struct cfi_source *source;
  struct cfa_machine *machine;    /* owned */
  struct frame_function function; /* of the FDE executed last; owned */
  struct frame_function other;    /* of an FDE that overlaps it; owned */
  size_t fde, stub, found;        /* indices of the next ones */
  size_t fdes_end;                /* the walk ends in front of this FDE */
  size_t disproof;                /* the first that may still apply */
  size_t group, group_end;        /* the overlapping FDEs around `fde' */
  uint64_t claimed_end;  /* code below this address has been returned */
  bool ignores_overlaps; /* FDEs keep their rows even if they overlap */
};

enum cfi_code_kind
{
  CODE_OF_FDE,
  CODE_OF_STUB, /* of a PLT; its instructions are known */
  CODE_FOUND    /* by analysis of code that has neither */
};

/* The code of one description.  */
struct cfi_code
{
  enum cfi_code_kind kind;
  const struct cfi_fde *fde; /* CODE_OF_FDE only */
  uint64_t address, size;    /* without the part that came with earlier FDEs */
  bool is_code;              /* the range is code, and the FDE claims it */
  bool executed;             /* the FDE was executed */
  /* FDE's group of overlapping FDEs, empty if overlaps are ignored.  */
  size_t group, group_end;
  uint64_t claimed_end; /* code below this address came with earlier FDEs */
  bool front_disputed;  /* a part of that code has no rows */
  bool disproved;       /* the code contradicts some of the rows */
  enum frame_reason reason; /* why there are no rows, or REASON_NONE */
  const struct frame_function *function; /* its rows; see cfi_walk_rows */
  const struct return_places *places;    /* set by return_sites, or NULL */
  struct program_result *program;        /* set by finished_rows, or NULL */
  /* The number of bytes behind the code that its last row may cover, too, and
     whether a call may end in front of them (return_sites).  */
  uint32_t padding;
  bool call_at_end;
};

/* Start a walk over SOURCE, which must outlive it.  False when memory ran out;
   the walk is to be ended in any case.  */
bool cfi_walk_begin (struct cfi_walk *walk, const struct cfi_source *source,
                     struct error *err);
void cfi_walk_end (struct cfi_walk *walk);

/* Restrict the walk to the code from FDE number FDE, or for 0 from the start,
   up to FDE number END.  No code in front of either may overlap it.  */
void cfi_walk_restrict (struct cfi_walk *walk, size_t fde, size_t end);

/* Set CODE to the next code, not executed yet.  False at the end.  */
bool cfi_walk_next (struct cfi_walk *walk, struct cfi_code *code);

/* Whether other FDEs overlap that of CODE.  */
static inline bool
cfi_code_is_disputed (const struct cfi_code *code)
{
  return code->group_end - code->group > 1;
}

/* The number of bytes behind CODE that are alignment, so that its last row may
   cover them.  CODE is that of the last cfi_walk_next.  */
uint32_t cfi_walk_padding (const struct cfi_walk *walk,
                           const struct cfi_code *code,
                           struct padding_finder *finder);

/* Do the same for the file as it may have been before it lost symbols.  */
uint32_t cfi_walk_padding_at_most (const struct cfi_walk *walk,
                                   const struct cfi_code *code,
                                   struct padding_finder *finder);

/* Execute the FDE of CODE, unless code->reason is set.  code->function becomes
   its rows, which are valid until the next call, or code->reason why there are
   none.  Code without an FDE has its rows already.  If the FDE overlaps
   earlier ones, CODE becomes the rest that did not come with them, and its
   size may be 0.  False when memory ran out.  */
bool cfi_walk_rows (struct cfi_walk *walk, struct cfi_code *code,
                    struct error *err);

#endif /* CFI_WALK_H */
