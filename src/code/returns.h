/* Which functions return.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What follows a call is code of the caller only if the callee returns.  A
   function returns if some path through it does, where a path goes on behind
   a call only if that callee returns: the least solution is wanted, so what
   follows a call waits until the callee has been seen to return.  That a call
   is the last instruction of a function says nothing.

   This is a sweep of its own that follows the flow and nothing else.  Jump
   tables are not read; a function that has one counts as returning.  Starts of
   functions that direct calls give away, and addresses that code computes, are
   collected on the way.  */

#ifndef CODE_RETURNS_H
#define CODE_RETURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "code/address_map.h"
#include "code/insn.h"
#include "code/places.h"

struct code_function
{
  uint64_t entry;
  bool returns;
  /* Its entry is a border: other functions get there by calls and tail calls
     only, with the frame of a call.  */
  bool is_start;
  bool is_known;         /* CFI says that a function starts there */
  bool is_called;        /* directly, by code that is certain to be code */
  bool is_pointer;       /* a start only because a pointer leads there */
  bool is_told;          /* a start because claims were made for it before */
  bool no_claims;        /* entered with another frame than that of a call */
  uint32_t first_waiter; /* or UINT32_MAX */
};

struct returns; /* opaque */

/* PLACES and DECODER must outlive it.  NULL when memory ran out.  */
struct returns *returns_new (struct places *places,
                             const struct insn_decoder *decoder);
void returns_free (struct returns *returns);

/* Make the function that starts at ENTRY known, if it is not.  Returns its
   index, or UINT32_MAX without memory.  */
uint32_t returns_add (struct returns *returns, uint64_t entry, bool is_start);

/* Follow all functions that were added.  */
bool returns_run (struct returns *returns, struct error *err);

/* Whether a call of ADDRESS comes back; true where nothing is known.  */
bool returns_at (const struct returns *returns, uint64_t address);

/* Whether a call of TARGET, with the instruction at NEXT behind it, is only a
   way to push that address: how position-independent code finds out where it
   is.  */
bool returns_is_push (const struct returns *returns, uint64_t target,
                      uint64_t next);

/* The same of what the word at PLACE, filled in at run time, points to.  With
   ARGUMENT_IS_SET, the first argument is known not to be 0.  */
bool returns_through (const struct places *places, uint64_t place,
                      bool argument_is_set);

/* A call of CALLEE, its address or the place of the GOT that leads to it, was
   seen to come back.  */
void returns_note_back (struct returns *returns, uint64_t callee);
bool returns_comes_back (const struct returns *returns, uint64_t callee);

size_t returns_count (const struct returns *returns);
struct code_function *returns_function (struct returns *returns,
                                        uint32_t index);

/* Whether there is anything to know of ADDRESS: a start, or what returns_mark
   was told.  For quick denials.  */
void returns_mark (struct returns *returns, uint64_t address);
bool returns_is_marked (const struct returns *returns, uint64_t address);

/* The function that starts at ADDRESS, or UINT32_MAX.  */
uint32_t returns_find (const struct returns *returns, uint64_t address);

#endif /* CODE_RETURNS_H */
