/* Sums over many files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_TOTALS_H
#define CLI_TOTALS_H

#include <stdint.h>
#include <stdio.h>

#include "cli/job.h"
#include "cli/options.h"

/* The skipped files of one kind of reason.  */
struct skipped_files
{
  uint64_t count;
  const char *path; /* the first file by name; borrowed from the list */
  char reason[256]; /* of that file */
};

enum
{
  CODES_MAX = 64 /* more than there are codes */
};

/* The number of files with a reason (cfi2sframe_error_code).  */
struct code_count
{
  const char *code;
  uint64_t count;
};

struct totals
{
  uint64_t done, skipped, failed; /* files */
  uint64_t findings;              /* of --lint, in all files */
  uint64_t different;             /* pairs of files, of --compare */
  uint64_t problems;              /* failures of the run itself */
  uint64_t not_elf;               /* files in directories that are not ELF */
  struct code_count codes[CODES_MAX]; /* of files skipped or failed */
  unsigned n_codes;
  struct skipped_files skipped_by_reason[N_JOB_REASONS];
  struct cfi2sframe_report sum; /* of files done */
  /* Of files done with all CFI in .eh_frame; and their number.  */
  struct cfi2sframe_report of_eh_frame;
  uint64_t n_of_eh_frame;
  struct cfi2sframe_check_result checked; /* --check */
  struct measurement measured; /* --compare-formats; `available' in any file */
  double seconds;              /* elapsed time */
  bool lost_texts;             /* memory ran out for a part of the results */
};

/* Add JOB, which is finished.  The order of calls does not matter.  */
void totals_add (struct totals *totals, const struct job *job);

/* Print the number of skipped files, one line for each kind of reason.
   Without --skip-unconvertible, only the kinds that are always noted.  */
void totals_print_skipped (const struct totals *totals,
                           const struct tool_options *options, FILE *errors);

/* Print the sums that OPTIONS ask for, as text or as a JSON object.  */
void totals_print (const struct totals *totals,
                   const struct tool_options *options, FILE *out);

#endif /* CLI_TOTALS_H */
