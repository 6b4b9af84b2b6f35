/* What the code of an image does, function by function.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Starts of functions are taken from what is certain: CFI, symbols, direct
   calls from code that is known.  Addresses that code or data mention are
   tried afterwards, where nothing else has got to, and must prove themselves
   like all others (unit.h); so are those that the caller was told.  Nothing is
   guessed in the gaps between.  */

#ifndef CODE_ANALYSIS_H
#define CODE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "code/claims.h"
#include "code/unit.h"
#include "elf/image.h"
#include "frame/frame.h"

struct code_request
{
  const struct image *image;
  /* Code with CFI: ascending, disjoint.  A function is followed only if its
     first row is that of a call; the others are parts of functions.  */
  const struct frame_function *known;
  size_t n_known;
  const struct code_pad *pads; /* ascending, disjoint */
  size_t n_pads;
  /* Code that somebody else describes, ascending: functions or parts of them
     may start there.  */
  const struct code_range *told;
  size_t n_told;
  bool elsewhere;  /* look for functions outside of `known`, too */
  bool no_symbols; /* .symtab is not looked at */
  /* Called for every instruction of the functions that can be trusted.
     ENTRY is the function's; that it begins with the frame of a call is
     CERTAIN if it was seen to leave, or to be called, and not only said by
     CFI.  */
  void (*see) (void *argument, uint64_t entry, bool certain, uint64_t address,
               const struct insn *insn, const struct state *state);
  /* Called for the others, or NULL.  */
  void (*distrust) (void *argument, uint64_t entry, enum unit_failure failure,
                    uint64_t failed_at);
  void *argument;
};

struct code_summary
{
  uint64_t functions;                    /* followed */
  uint64_t failures[UNIT_FAILURE_COUNT]; /* of which [UNIT_SOUND] are used */
};

/* Whether code of ARCH can be analysed by this build.  */
bool code_analysis_exists (const struct arch *arch);

/* Analyse the image.  CLAIMS is initialised and settled; it is empty when the
   code is too entangled to be followed in reasonable time.  */
bool code_analyse (const struct code_request *request, struct claims *claims,
                   struct code_summary *summary, struct error *err);

#endif /* CODE_ANALYSIS_H */
