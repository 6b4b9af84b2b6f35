/* The canonical form of an SFrame section: code ranges with rules.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Internal to the comparison.  */

#ifndef SFRAME_COMPARE_SPANS_H
#define SFRAME_COMPARE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "frame/frame.h"
#include "sframe/decode.h"

struct span
{
  uint64_t begin, end;
  uint32_t function;    /* index in span_list.functions */
  bool no_rows;         /* the whole function, which has no rows */
  bool single_mask;     /* of a PCMASK function with one row */
  struct frame_row row; /* its `start` has no meaning */
};

/* What is known of a function besides its spans.  */
struct span_function
{
  uint64_t address;
  uint32_t size;
  bool signal, b_key;
};

struct span_list
{
  const struct sframe_decoder *decoder;
  struct span *spans; /* owned; ascending, disjoint */
  size_t n_spans, capacity;
  struct span_function *functions; /* owned; in the section's order */
  size_t n_functions;
  uint64_t merged_rows, rows_at_end;
  uint64_t rows_left; /* that may still be looked at */
  /* The function being read, and its first span.  */
  struct frame_function function;
  size_t first_span;
};

/* Bring the section behind DECODER into canonical form.  LIST is freed with
   span_list_free also after failure.  */
bool span_list_read (struct span_list *list,
                     const struct sframe_decoder *decoder, struct error *err);

void span_list_free (struct span_list *list);

#endif /* SFRAME_COMPARE_SPANS_H */
