/* What following functions depends on.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_ROUTINE_CONTEXT_H
#define ANALYSIS_ROUTINE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/addresses.h"
#include "analysis/gopclntab.h"
#include "analysis/functions.h"
#include "analysis/decoder.h"
#include "analysis/known_code.h"
#include "analysis/machine.h"
#include "analysis/image_facts.h"
#include "analysis/request.h"

struct routine_context
{
  const struct code_request *request;
  const struct code_machine *machine;
  /* Go's tables, and what its functions may rely on; NULL: there are none.  */
  const struct go_table *go;
  const struct code_machine *go_machine;
  /* What functions may rely on that fail because of their registers.  */
  const struct code_machine *bare_machine;
  const struct insn_decoder *decoder;
  const struct image_facts *facts;
  const struct functions *functions;
  const struct known_code *known;
  uint64_t program_entry; /* or 0 */
  bool has_hints;         /* addresses in code are not relocated (starts.h) */
};

#endif /* ANALYSIS_ROUTINE_CONTEXT_H */
