/* What following functions depends on, and how it can fail.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CODE_UNIT_CONTEXT_H
#define CODE_UNIT_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "code/gopclntab.h"
#include "code/functions.h"
#include "code/insn.h"
#include "code/known_code.h"
#include "code/machine.h"
#include "code/places.h"
#include "code/request.h"

/* Why a unit says nothing.  */
enum unit_failure
{
  UNIT_SOUND,
  UNIT_DECODE,     /* bytes that are no instruction, or no code */
  UNIT_RETURN,     /* returns with another stack pointer or registers */
  UNIT_TAIL_CALL,  /* leaves for another function in such a way */
  UNIT_RUNS_INTO,  /* gets into another function that way without a jump */
  UNIT_SAVED_USED, /* uses registers that belong to the caller */
  UNIT_UNWINDS,    /* goes on with an exception that it did not get */
  UNIT_SIGNAL,     /* is where the handler of a signal returns to */
  UNIT_UNRESOLVED, /* jumps to an address that is not known */
  UNIT_GO_DIFFERS, /* Go's table says otherwise, or nothing */
  UNIT_UNPROVEN,   /* nothing shows that a function starts there */
  UNIT_DOUBTFUL,   /* nothing shows yet that its calls come back */
  UNIT_TOO_MUCH,   /* takes too long, or too much memory */
  UNIT_FAILURE_COUNT
};

struct unit_context
{
  const struct code_machine *machine;
  /* Go's tables, and what its functions may rely on; NULL: there are none.  */
  const struct go_table *go;
  const struct code_machine *go_machine;
  const struct insn_decoder *decoder;
  const struct places *places;
  struct functions *functions;
  const struct code_pad *pads; /* ascending start, disjoint */
  size_t n_pads;
  const struct known_code *known;
  /* Functions without CFI are followed: nothing tells where they end but that
     calls come back.  */
  bool ends_unknown;
};

#endif /* CODE_UNIT_CONTEXT_H */
