/* What the code of an image does, function by function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Starts of functions are taken from what is certain: CFI, symbols, direct
   calls from code that is known.  Addresses that code or data mention are
   tried afterwards, where no other function has got to, and must prove
   themselves like all others (routine.h); so are those that have rows from
   elsewhere.  Nothing is guessed in the gaps between.  */

#ifndef CODE_ANALYSIS_H
#define CODE_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "code/row_map.h"
#include "code/parts.h"
#include "code/request.h"
#include "code/routine.h"

/* What the states of a function can be held against.  */
enum analysis_trust
{
  TRUST_CFI_ALONE, /* only its CFI says that it begins with a call's frame */
  TRUST_STACK,     /* it was seen to leave, or to be called */
  TRUST_ALL        /* and it keeps the registers of the ABI */
};

/* For callers that need more than the row_map.  */
struct analysis_observer
{
  /* Called for every instruction of the functions that can be trusted, or
     NULL.  ENTRY is the function's.  */
  void (*see) (void *argument, uint64_t entry, enum analysis_trust trust,
               uint64_t address, const struct insn *insn,
               const struct state *state);
  /* Called when the function at ENTRY, which was seen before, is to be seen
     again, or not to be trusted after all; or NULL.  */
  void (*retract) (void *argument, uint64_t entry);
  /* Called for the others, or NULL.  */
  void (*reject) (void *argument, uint64_t entry, enum routine_failure failure,
                  uint64_t failed_at);
  void *argument;
};

struct analysis_summary
{
  uint64_t functions; /* followed */
  uint64_t
      failures[ROUTINE_FAILURE_COUNT]; /* of which [ROUTINE_SOUND] are used */
};

/* Analyse the image.  ROW_MAP is initialised and settled; it is empty when the
   code is too entangled to be followed in reasonable time.  PARTS, which is
   initialised, gets what seems to be no function; NULL: it is not asked
   for.  */
bool analysis_run (const struct code_request *request,
                   const struct analysis_observer *observer,
                   struct row_map *row_map, struct analysis_summary *summary,
                   struct parts *parts, struct error *err);

#endif /* CODE_ANALYSIS_H */
