/* The input of an analysis of code.
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

/* Where exceptions of calls in [start, end) land: the landing pad `pad', with
   `args_size' bytes of arguments removed from the stack.  */
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
  /* Code with CFI, ascending and disjoint.  A function of the list is analysed
     only if its first row is that of a call.  All others are parts of
     functions.  */
  const struct frame_function *covered;
  size_t n_covered;
  /* Exceptions from that rule: addresses of functions in `covered' that are
     parts, and of those that are entries, whatever their first row says.  Both
     are sorted.  */
  struct address_list parts, entries;
  const struct code_pad *pads; /* ascending, disjoint */
  size_t n_pads;
  /* Rows from another source, ascending.  Functions, or parts of functions,
     may start where these do.  Several rows can describe one state; if one of
     these does, the analysis uses it.  */
  const struct frame_function *described;
  size_t n_described;
  bool beyond_cfi; /* also analyse functions outside of `covered' */
  bool compares;   /* find rows of `covered' that the code contradicts */
  /* Only compare rows, and make none.  Functions of `covered' that fail
     because of their registers are then analysed again without callee-saved
     registers (routine.h).  */
  bool only_compares;
  bool no_symbols;  /* ignore .symtab */
  unsigned threads; /* including the caller's; 0 means 1 */
  const struct analysis_observer *observer; /* for tests, or NULL */
};

#endif /* ANALYSIS_REQUEST_H */
