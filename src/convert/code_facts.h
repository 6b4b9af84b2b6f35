/* The facts that the analysis of code starts from: the CFI of an image.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_CODE_FACTS_H
#define CONVERT_CODE_FACTS_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/landing_pads.h"
#include "cfi/function_list.h"
#include "cfi/source.h"
#include "analysis/code.h"

struct code_facts
{
  struct frame_functions functions;
  struct landing_pads pads;
};

/* Read the functions and the landing pads of SOURCE, a linked file, and fill
   in REQUEST with them.  FACTS must outlive it.  */
bool code_facts_read (struct code_facts *facts,
                      const struct cfi_source *source,
                      struct code_request *request, struct error *err);
void code_facts_free (struct code_facts *facts);

#endif /* CONVERT_CODE_FACTS_H */
