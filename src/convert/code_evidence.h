/* Analysing the code of a linked file: functions that its CFI lacks, and rows
   of the CFI that the code contradicts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_CODE_EVIDENCE_H
#define CONVERT_CODE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "analysis/code.h"
#include "cfi/finished_rows.h"
#include "cfi/landing_pads.h"
#include "cfi/source.h"
#include "frame/frame.h"

struct code_evidence
{
  struct disproofs disproofs; /* rows of the CFI that the code contradicts */
  uint64_t functions; /* that were found in the code and added to the source */
  uint64_t functions_left; /* see struct code_findings */
};

/* Open the CFI of IMAGE as cfi_source_open does; succeed also without CFI.  */
bool code_evidence_open_source (struct cfi_source *source,
                                const struct image *image,
                                const struct cfi_options *cfi_options,
                                struct error *err);

/* The facts that an analysis starts from, read from the CFI.  */
struct code_facts
{
  struct frame_functions functions;
  struct landing_pads pads;
};

/* Read the functions and the landing pads of SOURCE, a linked file, and fill
   in REQUEST with them.  REQUEST borrows them from FACTS.  */
bool code_facts_read (struct code_facts *facts,
                      const struct cfi_source *source,
                      struct code_request *request, struct error *err);
void code_facts_free (struct code_facts *facts);

/* The purpose of an analysis.  */
struct code_evidence_request
{
  bool add;    /* set the source's `found' to functions without CFI */
  bool verify; /* collect rows that the code contradicts */
  /* With ADD: as in struct code_request.  */
  const struct frame_functions *described;
  unsigned threads; /* as in struct code_request */
};

/* Analyse the code of the linked SOURCE.  Free EVIDENCE also after
   failure.  */
bool code_evidence_make (struct code_evidence *evidence,
                         struct cfi_source *source,
                         const struct code_evidence_request *wanted,
                         struct error *err);
void code_evidence_free (struct code_evidence *evidence);

#endif /* CONVERT_CODE_EVIDENCE_H */
