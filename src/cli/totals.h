/* The sums over many files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_TOTALS_H
#define CLI_TOTALS_H

#include <stdint.h>
#include <stdio.h>

#include "cli/job.h"
#include "cli/options.h"

/* Files that were left as they are for one kind of reason.  */
struct left_alone
{
  uint64_t count;
  const char *path; /* the first by name; borrowed from the list */
  char reason[256]; /* that file's */
};

enum
{
  CODES_MAX = 64 /* more than there are words for reasons */
};

/* How many files have a reason (cfi2sframe_error_code).  */
struct code_count
{
  const char *code;
  uint64_t count;
};

struct totals
{
  uint64_t done, skipped, failed; /* files */
  uint64_t findings;              /* of --lint */
  uint64_t different;             /* pairs of --compare */
  uint64_t problems;              /* failures that are not a file's */
  uint64_t not_elf;               /* files found in trees that are not ELF */
  struct code_count codes[CODES_MAX]; /* of files that are not done */
  unsigned n_codes;
  struct left_alone left_alone[N_JOB_REASONS]; /* by enum job_reason */
  struct cfi2sframe_report sum;                /* of all files done */
  /* Of the files done with all CFI in .eh_frame, and their number.  */
  struct cfi2sframe_report of_eh_frame;
  uint64_t n_of_eh_frame;
  struct cfi2sframe_check_result checked; /* --check */
  struct measurement measured; /* --compare-formats; `available': in a file */
  double seconds;              /* elapsed time */
  bool lost_texts; /* memory ran out for what was to be printed of files */
};

/* Add JOB, which is finished.  The order of the calls makes no difference.  */
void totals_add (struct totals *totals, const struct job *job);

/* Print how many files were left alone, one line per kind of reason.  Unless
   OPTIONS have --skip-unconvertible, only those that are noted without it,
   too.  */
void totals_print_left_alone (const struct totals *totals,
                              const struct tool_options *options,
                              FILE *errors);

/* Print the sums that OPTIONS ask for, for people or as one JSON object
   {"total": ...}.  */
void totals_print (const struct totals *totals,
                   const struct tool_options *options, FILE *out);

#endif /* CLI_TOTALS_H */
