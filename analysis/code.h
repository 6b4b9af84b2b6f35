/* The interface of the analysis of machine code.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The analysis interprets the functions of an image by their instructions
   alone.  Its results are rows for code, which may have no CFI, and rows of
   CFI that the code contradicts.  */

#ifndef ANALYSIS_CODE_H
#define ANALYSIS_CODE_H

#include "analysis/disproof.h"
#include "analysis/request.h"
#include "analysis/row_map.h"
#include "cfi2sframe.h"

/* Whether any build can analyse code of ARCH; whether this one can; and the
   same with an error if it cannot.  */
bool code_analysis_is_known (const struct arch *arch);
bool code_analysis_exists (const struct arch *arch);
bool code_analysis_expect (const struct arch *arch, struct error *err);

struct code_findings
{
  /* Merged rows.  Empty if the analysis took too many steps.  */
  struct row_map row_map;
  struct disproofs disproofs; /* of request->covered, if it compares */
  uint64_t functions;         /* number of functions that were analysed */
  uint64_t functions_trusted; /* those whose results are used */
  /* Functions for which the number of steps or the memory that the image's
     size allows did not suffice.  If the row map is empty for that reason: all
     functions.  */
  uint64_t functions_left;
};

/* Analyse the image of REQUEST.  FINDINGS is to be freed, also after
   failure.  */
bool code_analyse (const struct code_request *request,
                   struct code_findings *findings, struct error *err);
void code_findings_free (struct code_findings *findings);

/* Make functions of the rows of FINDINGS, for code that is not covered by CFI.
   Rows that SFrame readers cannot use safely are left out, unless they repeat
   rows from another source (request->described).  FOUND is ascending and
   disjoint; the caller frees it, also after failure.  */
bool code_found_functions (const struct code_findings *findings,
                           const struct code_request *request,
                           struct frame_functions *found, struct error *err);

/* Whether ROW reads the stack below the stack pointer, and outside of the
   words that the ABI of ARCH protects there.  False if the row does not say
   where the stack pointer is.  The analysis makes no such row;
   code_found_functions checks that again.  */
bool code_row_reads_below_sp (const struct frame_row *row,
                              const struct arch *arch);

/* Call FOUND for each disproof of FINDINGS, which is the result of REQUEST.
   The finding is valid only during the call.  False if memory ran out, before
   any call.  */
bool code_report (const struct code_findings *findings,
                  const struct code_request *request,
                  void (*found) (void *context,
                                 const struct cfi2sframe_finding *finding),
                  void *context, struct error *err);

#endif /* ANALYSIS_CODE_H */
