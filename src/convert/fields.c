/* The counters in the public results, and sums of them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/fields.h"

#define REPORT(name, uses)                                  \
  {                                                         \
#    name, offsetof(struct cfi2sframe_report, name), (uses) \
  }
#define NUMBER(of, name)                                                 \
  {                                                                      \
#    name, offsetof(struct cfi2sframe_##of##_result, name), FIELD_OF_ANY \
  }

const struct field report_fields[] = {
  REPORT (input_bytes, FIELD_OF_ANY),
  REPORT (output_bytes, FIELD_OF_ANY),
  REPORT (eh_frame_bytes, FIELD_OF_ANY),
  REPORT (eh_frame_hdr_bytes, FIELD_OF_ANY),
  REPORT (sframe_bytes, FIELD_OF_ANY),
  REPORT (cfi_functions, FIELD_OF_ANY),
  REPORT (functions_covered, FIELD_OF_ANY),
  REPORT (debug_frame_bytes, FIELD_DEBUG_FRAME),
  REPORT (debug_frame_functions, FIELD_DEBUG_FRAME),
  REPORT (debug_file_functions, FIELD_DEBUG_FRAME),
  REPORT (set_aside, FIELD_DEBUG_FRAME),
  REPORT (contradictions, FIELD_DEBUG_FRAME),
  REPORT (sframe_fdes, FIELD_OF_ANY),
  REPORT (sframe_fres, FIELD_OF_ANY),
  REPORT (bytes_covered, FIELD_OF_ANY),
  REPORT (bytes_left_out, FIELD_OF_ANY),
  REPORT (executable_bytes, FIELD_OF_ANY),
  REPORT (return_addresses, FIELD_OF_ANY),
  REPORT (functions_from_code, FIELD_ANALYZE),
  REPORT (bytes_from_code, FIELD_ANALYZE),
  { NULL, 0, 0 },
};

const struct field check_fields[] = {
  NUMBER (check, functions),
  NUMBER (check, bytes_equal),
  NUMBER (check, bytes_wrong),
  NUMBER (check, bytes_absent),
  NUMBER (check, bytes_extra),
  NUMBER (check, bytes_from_code),
  NUMBER (check, bytes_return_address),
  NUMBER (check, executable_bytes),
  { NULL, 0, 0 },
};

const struct field lint_fields[] = {
  NUMBER (lint, functions),
  NUMBER (lint, functions_trusted),
  NUMBER (lint, functions_left),
  { "bytes_wrong", offsetof (struct cfi2sframe_lint_result, bytes),
    FIELD_OF_ANY },
  { NULL, 0, 0 },
};

const struct field compare_fields[] = {
  NUMBER (compare, functions_a),
  NUMBER (compare, functions_b),
  NUMBER (compare, equal),
  NUMBER (compare, different),
  NUMBER (compare, only_a),
  NUMBER (compare, only_b),
  NUMBER (compare, bytes_equal),
  NUMBER (compare, bytes_different),
  NUMBER (compare, bytes_only_a),
  NUMBER (compare, bytes_only_b),
  NUMBER (compare, merged_rows_a),
  NUMBER (compare, merged_rows_b),
  NUMBER (compare, rows_at_end_a),
  NUMBER (compare, rows_at_end_b),
  { NULL, 0, 0 },
};

uint64_t
field_value (const struct field *field, const void *structure)
{
  return *(const uint64_t *)((const char *)structure + field->offset);
}

static void
add (const struct field *table, void *sum, const void *part)
{
  for (; table->name != NULL; table++)
    *(uint64_t *)((char *)sum + table->offset) += field_value (table, part);
}

void
report_sum_add (struct cfi2sframe_report *sum,
                const struct cfi2sframe_report *report)
{
  add (report_fields, sum, report);
  for (unsigned i = 0; i < CFI2SFRAME_REASONS_MAX; i++)
    sum->left_out[i] += report->left_out[i];
}

void
check_sum_add (struct cfi2sframe_check_result *sum,
               const struct cfi2sframe_check_result *check)
{
  add (check_fields, sum, check);
}
