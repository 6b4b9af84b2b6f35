/* A sweep over all addresses, to compare two descriptions of a program's code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each description is a side.  A side returns its rules for an address, and
   the next address where they may change.  The sweep cuts the address space
   where one of the sides changes, and passes each stretch between two cuts to
   the caller, so every byte is compared and counted.  Sides are read in the
   order of addresses, and no list of rows is kept.  */

#ifndef SFRAME_SWEEP_H
#define SFRAME_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "frame/frame.h"
#include "sframe/decode.h"

/* A side's description of an address.  */
struct sweep_view
{
  /* The function of the address, or NULL.  Valid until the next call.  */
  const struct frame_function *function;
  bool covered; /* there are rules for the address */
  struct frame_row rules;
  uint64_t until; /* the next address where the rules may change */
  uint64_t end;   /* the next address where the function may change */
  /* These fields are set by the side of a section only.  */
  uint32_t index;                   /* of the function */
  uint64_t begin;                   /* where the range of equal rules begins */
  const struct frame_row *previous; /* the rules in front of it, or NULL */
};

/* One of the two descriptions.  VIEW is called for ascending addresses.  */
struct sweep_side
{
  bool (*view) (struct sweep_side *side, uint64_t at, struct sweep_view *view,
                struct error *err);
};

/* Receives the stretch from AT to END, where neither A nor B changes.  */
typedef bool sweep_visit (void *context, const struct sweep_view *a,
                          const struct sweep_view *b, uint64_t at,
                          uint64_t end, struct error *err);

/* Call VISIT for each stretch of the address space.  Where one side has no
   rules, the stretch goes on without SINGLE_ROWS until the other side's
   function changes, because a damaged FDE can have a row for every few bytes
   of a gigabyte.  More than STEPS stretches are an error; the caller chooses a
   number that only hostile files exceed.  */
bool sweep (struct sweep_side *a, struct sweep_side *b, bool single_rows,
            uint64_t steps, sweep_visit *visit, void *context,
            struct error *err);

/* An SFrame section as a side.  The function of an address is the last one
   that starts at or below it, as in readers.  */
struct sweep_section
{
  struct sweep_side side;
  const struct sframe_decoder *decoder;
  uint32_t *order; /* owned; functions by start, or NULL if they are sorted */
  uint32_t next;   /* the first function in order behind the address */
  struct frame_function function; /* the function before that one */
  uint64_t rows_left;             /* as in sframe_decoder_walk */
  size_t row;                     /* index of the address's row */
  /* The range of equal RULES that has the address, if IN_RANGE.  RANGE_ROW is
     its first row's index; it may go on behind RANGE_END.  With HAS_PREVIOUS
     the rules in front of it are PREVIOUS.  */
  bool in_range, has_previous;
  bool in_first_block; /* it begins in the first of a function's blocks */
  struct frame_row rules, previous;
  uint64_t range_begin, range_end;
  size_t range_row;
  /* Counts of rows without effect: those that have the same rules or the same
     start as a neighbour, and those at the end of their function.  */
  uint64_t merged_rows, rows_at_end;
};

/* Open SECTION, to be closed in any case.  False when memory ran out.  */
bool sweep_section_open (struct sweep_section *section,
                         const struct sframe_decoder *decoder,
                         struct error *err);
void sweep_section_close (struct sweep_section *section);

/* Whether an earlier row of the function has the current rules, too.  */
bool sweep_section_had_rules (const struct sweep_section *section);

/* The index of function number POSITION in the order of addresses.  */
uint32_t sweep_section_index (const struct sweep_section *section,
                              uint32_t position);

#endif /* SFRAME_SWEEP_H */
