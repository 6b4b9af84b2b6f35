/* Tables of the counters in the public results.  The code that prints or sums
   up results goes through these tables, so that each counter is named once.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_FIELDS_H
#define CONVERT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The reports that print a field.  */
enum field_use
{
  FIELD_OF_FILE = 1,     /* one file's */
  FIELD_OF_TOTAL = 2,    /* of the sum over files */
  FIELD_DEBUG_FRAME = 4, /* of one file that has a .debug_frame */
  FIELD_ANALYZE = 8,     /* of one file, with --analyze */
  FIELD_OF_ANY = FIELD_OF_FILE | FIELD_OF_TOTAL
};

struct field
{
  const char *name; /* its key in JSON; NULL ends the table */
  size_t offset;    /* of a uint64_t in the structure */
  unsigned uses;    /* bits of enum field_use */
};

extern const struct field report_fields[];  /* struct cfi2sframe_report */
extern const struct field check_fields[];   /* cfi2sframe_check_result */
extern const struct field lint_fields[];    /* cfi2sframe_lint_result */
extern const struct field compare_fields[]; /* cfi2sframe_compare_result */

/* Return the value of FIELD in STRUCTURE.  */
uint64_t field_value (const struct field *field, const void *structure);

/* Add the counters of REPORT, of an archive's member or a file, to SUM.  */
void report_sum_add (struct cfi2sframe_report *sum,
                     const struct cfi2sframe_report *report);

/* Add the counters of CHECK to SUM.  */
void check_sum_add (struct cfi2sframe_check_result *sum,
                    const struct cfi2sframe_check_result *check);

#endif /* CONVERT_FIELDS_H */
