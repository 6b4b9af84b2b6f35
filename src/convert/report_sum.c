/* Summing up reports, of the members of an archive or of many files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/report_sum.h"

void
report_sum_add (struct cfi2sframe_report *sum,
                const struct cfi2sframe_report *report)
{
  sum->eh_frame_bytes += report->eh_frame_bytes;
  sum->eh_frame_hdr_bytes += report->eh_frame_hdr_bytes;
  sum->sframe_bytes += report->sframe_bytes;
  sum->cfi_functions += report->cfi_functions;
  sum->functions_covered += report->functions_covered;
  sum->sframe_fdes += report->sframe_fdes;
  sum->sframe_fres += report->sframe_fres;
  sum->bytes_covered += report->bytes_covered;
  sum->bytes_left_out += report->bytes_left_out;
  sum->executable_bytes += report->executable_bytes;
  sum->debug_frame_bytes += report->debug_frame_bytes;
  sum->debug_frame_functions += report->debug_frame_functions;
  sum->debug_file_functions += report->debug_file_functions;
  sum->set_aside += report->set_aside;
  sum->contradictions += report->contradictions;
  sum->return_addresses += report->return_addresses;
  for (unsigned i = 0; i < CFI2SFRAME_REASONS_MAX; i++)
    sum->left_out[i] += report->left_out[i];
}

void
check_sum_add (struct cfi2sframe_check_result *sum,
               const struct cfi2sframe_check_result *check)
{
  sum->functions += check->functions;
  sum->bytes_equal += check->bytes_equal;
  sum->bytes_wrong += check->bytes_wrong;
  sum->bytes_absent += check->bytes_absent;
  sum->bytes_extra += check->bytes_extra;
  sum->bytes_from_code += check->bytes_from_code;
  sum->bytes_return_address += check->bytes_return_address;
}
