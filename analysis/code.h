/* What machine code does to the stack, for other folders.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An image's code is analysed function by function, by its instructions
   alone. Two things come of it: rows for code, where there may be no CFI, and
   CFI that the code contradicts.  */

#ifndef ANALYSIS_CODE_H
#define ANALYSIS_CODE_H

#include "analysis/disproof.h"
#include "analysis/request.h"
#include "analysis/row_map.h"
#include "cfi2sframe.h"

/* Whether code of ARCH can be analysed by any build, and by this one; the last
   with an error if not.  */
bool code_analysis_is_known (const struct arch *arch);
bool code_analysis_exists (const struct arch *arch);
bool code_analysis_expect (const struct arch *arch, struct error *err);

struct code_findings
{
  /* Settled; empty when the code is too entangled to be analysed in
     reasonable time.  */
  struct row_map row_map;
  struct disproofs disproofs; /* rows of request->known, if it compares */
  uint64_t functions;         /* analysed */
  uint64_t functions_trusted; /* of which these are used */
  /* Those for which the steps or the memory that the image's size allows did
     not suffice; all, when the row map is empty for that.  */
  uint64_t functions_left;
};

/* Analyse the image of REQUEST.  FINDINGS is to be freed also after
   failure.  */
bool code_analyse (const struct code_request *request,
                   struct code_findings *findings, struct error *err);
void code_findings_free (struct code_findings *findings);

/* Make functions of the rows of FINDINGS, but for code that REQUEST knows.
   What cannot be written is left out, unless REQUEST says that others wrote
   it.  FOUND, ascending and disjoint, is to be freed also after failure.  */
bool code_found_functions (const struct code_findings *findings,
                           const struct code_request *request,
                           struct frame_functions *found, struct error *err);

/* Whether ROW reads the stack below the stack pointer, as far as it tells
   where that is, and not in what the ABI of ARCH keeps there.  No row of
   findings->row_map does; what is written is asked again.  */
bool code_row_reads_below_sp (const struct frame_row *row,
                              const struct arch *arch);

/* Call FOUND for each of the disproofs of FINDINGS, which are about what
   REQUEST has.  What it gets is valid during the call.  False when memory ran
   out, before any call.  */
bool code_report (const struct code_findings *findings,
                  const struct code_request *request,
                  void (*found) (void *context,
                                 const struct cfi2sframe_finding *finding),
                  void *context, struct error *err);

#endif /* ANALYSIS_CODE_H */
