/* Two descriptions of a program's code, side by side.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each side tells what it says of an address and up to where that holds, so
   that only the places where one of them changes are looked at, and every
   byte between is accounted for.  Sides are read as the sweep comes along:
   nothing is collected.  */

#ifndef SFRAME_SWEEP_H
#define SFRAME_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "frame/frame.h"
#include "sframe/decode.h"

/* What a side says of an address.  */
struct sweep_view
{
  /* What has the address, or NULL.  Valid until the side is asked again.  */
  const struct frame_function *function;
  bool covered; /* it has rules there */
  struct frame_row rules;
  uint64_t until; /* behind the address: where the rules may change */
  uint64_t end;   /* ... where another function, or none, may begin */
  /* Of a section: */
  uint32_t index;                   /* of the function */
  uint64_t begin;                   /* where equal rules begin */
  const struct frame_row *previous; /* the rules in front of these, or NULL */
};

/* A side is asked for ascending addresses.  */
struct sweep_side
{
  bool (*view) (struct sweep_side *side, uint64_t at, struct sweep_view *view,
                struct error *err);
};

/* Where A and B say one thing each, from AT to END.  */
typedef bool sweep_visit (void *context, const struct sweep_view *a,
                          const struct sweep_view *b, uint64_t at,
                          uint64_t end, struct error *err);

/* Have VISIT called for each stretch of all addresses.  Without SINGLE_ROWS,
   where one side has no rules the other side's do not end a stretch: a
   damaged FDE can have a row for every few bytes of a gigabyte.  An error
   after STEPS stretches, which are more than files have that are no attack. */
bool sweep (struct sweep_side *a, struct sweep_side *b, bool single_rows,
            uint64_t steps, sweep_visit *visit, void *context,
            struct error *err);

/* A section as a side.  An address has the last function that starts at or
   below it, as for readers.  */
struct sweep_section
{
  struct sweep_side side;
  const struct sframe_decoder *decoder;
  uint32_t *order; /* owned; functions by start, or NULL if they are sorted */
  uint32_t next;   /* the first function, in order, behind the address */
  struct frame_function function; /* the one before it */
  uint64_t rows_left;
  size_t row; /* that of the latest address */
  /* The stretch of equal rules at hand, and what is in front of it.  */
  bool in_run, has_previous, in_first_block;
  struct frame_row run, previous;
  uint64_t run_begin, run_end; /* run_end: where it is known to end */
  size_t run_row;              /* its first row */
  /* Rows that say nothing: equal to the one in front, or at the end.  */
  uint64_t merged_rows, rows_at_end;
};

/* SECTION is closed also after failure.  */
bool sweep_section_open (struct sweep_section *section,
                         const struct sframe_decoder *decoder,
                         struct error *err);
void sweep_section_close (struct sweep_section *section);

/* Whether a row of the function in front of the stretch at hand has its
   rules.  */
bool sweep_section_was_there (const struct sweep_section *section);

/* The number of the function that is POSITION-th by address.  */
uint32_t sweep_section_index (const struct sweep_section *section,
                              uint32_t position);

#endif /* SFRAME_SWEEP_H */
