/* What following functions depends on.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ROUTINE_CONTEXT_H
#define ANALYSIS_ROUTINE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/addresses.h"
#include "analysis/gopclntab.h"
#include "analysis/functions.h"
#include "analysis/insn.h"
#include "analysis/known_code.h"
#include "analysis/machine.h"
#include "analysis/image_facts.h"
#include "analysis/request.h"

struct routine_context
{
  const struct code_machine *machine;
  /* Go's tables, and what its functions may rely on; NULL: there are none.  */
  const struct go_table *go;
  const struct code_machine *go_machine;
  /* What functions may rely on that fail because of their registers.  */
  const struct code_machine *bare_machine;
  const struct insn_decoder *decoder;
  const struct image_facts *facts;
  /* Where tables end at the latest (borders.h); empty if only what has CFI is
     followed.  */
  const struct address_list *borders;
  const struct functions *functions;
  const struct code_pad *pads; /* ascending start, disjoint */
  size_t n_pads;
  const struct known_code *known;
  /* Functions without CFI are followed.  Where such a function ends is known
     only from calls that do not return, so these must be known.  */
  bool ends_unknown;
};

#endif /* ANALYSIS_ROUTINE_CONTEXT_H */
