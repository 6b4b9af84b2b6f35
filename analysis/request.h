/* What an analysis of code is asked for.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_REQUEST_H
#define ANALYSIS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/addresses.h"
#include "elf/image.h"
#include "frame/frame.h"

struct code_range
{
  uint64_t start, end;
};

/* Calls in [start, end) may end up at `pad' by an exception, with
   `args_size` bytes of arguments taken off the stack.  */
struct code_pad
{
  uint64_t start, end;
  uint64_t pad;
  uint64_t args_size;
};

struct analysis_observer;

struct code_request
{
  const struct image *image;
  /* Code with CFI: ascending, disjoint.  A function is analysed only if
     its first row is that of a call; the others are parts of functions.  */
  const struct frame_function *known;
  size_t n_known;
  /* Those of `known` that are parts of functions, or functions, whatever their
     first row says, by their addresses; sorted.  */
  struct address_list parts, entries;
  const struct code_pad *pads; /* ascending, disjoint */
  size_t n_pads;
  /* Rows from elsewhere, to be judged, ascending: functions or parts of them
     may start there.  A state can often be told by several rows.  Where one of
     these tells it that row is found, and no other.  */
  const struct frame_function *described;
  size_t n_described;
  bool beyond_cfi; /* look for functions outside of `known`, too */
  bool compares;   /* look for rows of `known` that the code contradicts */
  /* Rows are compared and none are made: so functions of `known` that fail
     because of their registers are analysed again without these
     (routine.h).
   */
  bool only_compares;
  bool no_symbols;  /* .symtab is not looked at */
  unsigned threads; /* that follow code, the caller's among them; 0 as 1 */
  const struct analysis_observer *observer; /* tests' (analyser.h), or NULL */
};

#endif /* ANALYSIS_REQUEST_H */
