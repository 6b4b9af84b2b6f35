/* The numbers of the public results, each named once: what prints, sums up or
   describes them goes by these tables.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_FIELDS_H
#define CONVERT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Reports that a number is told in.  */
enum field_use
{
  FIELD_OF_FILE = 1,     /* one file's */
  FIELD_OF_TOTAL = 2,    /* the sum over files */
  FIELD_DEBUG_FRAME = 4, /* one file's, if it has a .debug_frame */
  FIELD_ANALYZE = 8,     /* one file's, with --analyze */
  FIELD_OF_ANY = FIELD_OF_FILE | FIELD_OF_TOTAL
};

struct field
{
  const char *name; /* in JSON; ends the table where it is NULL */
  size_t offset;    /* of a uint64_t in the structure */
  unsigned uses;    /* bits of enum field_use */
};

extern const struct field report_fields[];  /* struct cfi2sframe_report */
extern const struct field check_fields[];   /* cfi2sframe_check_result */
extern const struct field lint_fields[];    /* cfi2sframe_lint_result */
extern const struct field compare_fields[]; /* cfi2sframe_compare_result */

/* The number of FIELD in STRUCTURE.  */
uint64_t field_value (const struct field *field, const void *structure);

/* Add what REPORT counts to SUM: of the members of an archive, or of many
   files.  */
void report_sum_add (struct cfi2sframe_report *sum,
                     const struct cfi2sframe_report *report);

/* Add what CHECK counts to SUM.  */
void check_sum_add (struct cfi2sframe_check_result *sum,
                    const struct cfi2sframe_check_result *check);

#endif /* CONVERT_FIELDS_H */
