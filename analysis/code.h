/* What machine code does to the stack, for other folders.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image's code is followed function by function, by its instructions alone.
   Two things come of it: rows for code, where there may be no CFI, and CFI
   that the code contradicts.  */

#ifndef ANALYSIS_CODE_H
#define ANALYSIS_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "analysis/disproof.h"
#include "analysis/request.h"
#include "analysis/row_map.h"
#include "frame/frame.h"

struct code_findings
{
  /* Settled; empty when the code is too entangled to be followed in reasonable
     time.  */
  struct row_map row_map;
  struct disproofs disproofs; /* rows of request->known, if it compares */
  uint64_t functions;         /* followed */
  uint64_t functions_trusted; /* of which these are used */
  /* Those for which the steps or the memory that the image's size allows did
     not suffice; all, when the row map is empty for that.  */
  uint64_t functions_left;
};

/* Whether code of ARCH can be analysed by this build.  */
bool code_analysis_exists (const struct arch *arch);

/* The same, with an error if not.  */
bool code_analysis_expect (const struct arch *arch, struct error *err);

/* Whether code of ARCH can be analysed by any build.  */
bool code_analysis_is_known (const struct arch *arch);

/* Analyse the image of REQUEST.  FINDINGS is to be freed also after
   failure.  */
bool code_analyse (const struct code_request *request,
                   struct code_findings *findings, struct error *err);
void code_findings_free (struct code_findings *findings);

#endif /* ANALYSIS_CODE_H */
