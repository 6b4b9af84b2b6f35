/* Walking a stack: with SFrame alone, and with libdwfl.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef LIVING_WALK_H
#define LIVING_WALK_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target.h"

enum
{
  FRAMES_MAX = 2048
};

struct frame
{
  uint64_t pc, sp, fp;
  bool exact; /* PC is the next instruction to run, not a return address */
};

/* Why a walk ended.  */
enum walk_end
{
  WALK_OUTERMOST,      /* stated by the data */
  WALK_ZERO_PC,        /* a return address of 0 */
  WALK_NO_MODULE,      /* code of no file */
  WALK_VDSO,           /* the vdso has no SFrame data */
  WALK_NO_SECTION,     /* a module without SFrame data */
  WALK_NO_ROW,         /* code without a row */
  WALK_SP_RULE,        /* ... whose CFI gives the caller another SP than the
                          ABI's, which no row can */
  WALK_RETURN_ADDRESS, /* left out as the return address of another row's
                          call */
  WALK_REGISTER,       /* needs a register that only the topmost frame has */
  WALK_MEMORY,         /* unreadable stack */
  WALK_BROKEN,         /* data that no reader could make sense of */
  WALK_LIMIT,
  WALK_ENDS
};

const char *walk_end_name (enum walk_end end);

struct walk
{
  struct frame frames[FRAMES_MAX];
  size_t n_frames;
  enum walk_end end;
};

/* Whether PC, which has no row, is a place that was left out because it is a
   return address, too: the smallest instruction in front of a function.  */
bool walk_is_return_address (const struct sframe_decoder *decoder,
                             uint64_t pc);

/* Walk from REGISTERS with SFrame alone.  */
void walk_sframe (struct target *target, const uint64_t *registers,
                  struct walk *walk);

/* The referee.  */
struct dwfl_walker
{
  Dwfl *dwfl;
  struct target *target;
  unsigned generation; /* of the modules reported to libdwfl */
  uint64_t registers[REGISTERS];
  struct walk *walk;
};

bool dwfl_walker_open (struct dwfl_walker *walker, struct target *target);
void dwfl_walker_close (struct dwfl_walker *walker);

/* Walk from REGISTERS with libdwfl, as far as CFI leads: its heuristics for
   code without CFI are not taken into account.  False when it cannot.  */
bool dwfl_walker_walk (struct dwfl_walker *walker, const uint64_t *registers,
                       struct walk *walk);

/* Whether the CFI has a rule of its own for the caller's SP at PC.  */
bool dwfl_walker_has_sp_rule (const struct dwfl_walker *walker, uint64_t pc);

#endif /* LIVING_WALK_H */
