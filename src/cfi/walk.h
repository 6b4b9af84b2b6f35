/* The one walk over what is known of a file's code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   FDEs, PLT stubs and functions found in the code, in address order, each
   ending in frame rows or in the reason why there are none.  Converting,
   measuring, checking and objects all go through it, so that they agree
   which FDE's rows hold where:

   - An FDE that is empty or lies outside of code says nothing about any code.
     Nor does one without the rules that its code would need.
   - Where FDEs overlap, their rows hold as far as all of them say the same.
     Where they contradict each other, or one of them cannot be executed,
     there are no rows: unwinders that search a table find another FDE than
     those that go through the section.  Code that several FDEs describe comes
     with the first one (lowest address, then lowest offset).
   - Where the code is known to contradict an FDE there are no rows.
   - A PLT stub, or a function found in the code, counts where no FDE claims
     the code.  */

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
  struct frame_function rival;    /* of one that overlaps it; owned */
  size_t fde, stub, found;        /* the next ones */
  size_t fdes_end;                /* the walk goes up to this FDE */
  size_t disproof;                /* the first that may still apply */
  size_t group, group_end;        /* FDEs that overlap, `fde' among them */
  uint64_t claimed_end;           /* code below has an owner */
  bool ignores_overlaps; /* FDEs keep their rows whatever others say of the
                            same code */
};

enum cfi_code_kind
{
  CODE_OF_FDE,
  CODE_OF_STUB, /* of a PLT; its instructions are known */
  CODE_FOUND    /* by analysis of code that has neither */
};

/* What the walk meets.  */
struct cfi_code
{
  enum cfi_code_kind kind;
  const struct cfi_fde *fde; /* CODE_OF_FDE only */
  uint64_t address, size;    /* less what came with earlier ones */
  bool is_code;              /* false: the range says nothing of any code */
  bool executed;             /* the FDE was */
  /* Indexes of FDEs that may overlap this one, if there are more than one.  */
  size_t group, group_end;
  uint64_t claimed_end;     /* code below came with earlier ones */
  bool front_disputed;      /* and some of that has no rows */
  bool disproved;           /* the code contradicts some of the rows */
  enum frame_reason reason; /* why there are no rows, or REASON_NONE */
  const struct frame_function *function; /* the rows; see cfi_walk_rows */
  const struct return_places *places;    /* of these rows; NULL: none */
  struct program_result *program; /* that has these rows; NULL: none known */
  /* Bytes behind the code that its last row may cover, too, and whether a call
     may end in front of them; 0 until return_sites sets both.  */
  uint32_t padding;
  bool call_at_end;
};

/* Start a walk over SOURCE, which must outlive it.  False when memory ran
   out; cfi_walk_end is allowed then, too.  */
bool cfi_walk_begin (struct cfi_walk *walk, const struct cfi_source *source,
                     struct error *err);
void cfi_walk_end (struct cfi_walk *walk);

/* Go to the FDE with the index FDE, which no code in front of it overlaps:
   what comes next is the code from there on, or all code for 0, up to that of
   the FDE with the index END, which no code in front of it overlaps either. */
void cfi_walk_go (struct cfi_walk *walk, size_t fde, size_t end);

/* The next code in address order; false at the end.  An FDE has not been
   executed yet.  */
bool cfi_walk_next (struct cfi_walk *walk, struct cfi_code *code);

/* Whether other FDEs overlap that of CODE.  */
static inline bool
cfi_code_is_disputed (const struct cfi_code *code)
{
  return code->group_end - code->group > 1;
}

/* How many bytes behind CODE, the latest one, are alignment that its last row
   may cover, too.  */
uint32_t cfi_walk_padding (const struct cfi_walk *walk,
                           const struct cfi_code *code,
                           struct padding_finder *finder);

/* How many bytes behind CODE, the latest one, are alignment like that or may
   have been taken for it when the file had other symbols.  */
uint32_t cfi_walk_padding_at_most (const struct cfi_walk *walk,
                                   const struct cfi_code *code,
                                   struct padding_finder *finder);

/* Execute the FDE of CODE, unless it has a reason not to be: its rows are in
   code->function, until the next call, or code->reason says why there are
   none.  The rows of other code are always there.  Of an FDE that overlaps
   others only the part counts that did not come with earlier ones.  Its size
   may be 0 then.  False when memory ran out.  */
bool cfi_walk_rows (struct cfi_walk *walk, struct cfi_code *code,
                    struct error *err);

#endif /* CFI_WALK_H */
