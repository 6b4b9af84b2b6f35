/* Disproofs as users of the library see them: findings, with the instructions
   around each.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_FINDING_H
#define ANALYSIS_FINDING_H

#include "analysis/code.h"
#include "cfi2sframe.h"

/* Call FOUND for each of the disproofs of FINDINGS, which are about what
   REQUEST has.  What it gets is valid during the call.  False when memory ran
   out, before any call.  */
bool code_report (const struct code_findings *findings,
                  const struct code_request *request,
                  void (*found) (void *context,
                                 const struct cfi2sframe_finding *finding),
                  void *context, struct error *err);

#endif /* ANALYSIS_FINDING_H */
