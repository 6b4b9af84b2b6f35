/* The sums over many files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "tool/totals.h"

#include <inttypes.h>
#include <json-c/json.h>

#include "tool/report.h"

static void
add_report (struct cfi2sframe_report *sum,
            const struct cfi2sframe_report *report)
{
  sum->eh_frame_bytes += report->eh_frame_bytes;
  sum->eh_frame_hdr_bytes += report->eh_frame_hdr_bytes;
  sum->sframe_bytes += report->sframe_bytes;
  sum->input_bytes += report->input_bytes;
  sum->output_bytes += report->output_bytes;
  sum->cfi_functions += report->cfi_functions;
  sum->functions_covered += report->functions_covered;
  sum->sframe_fdes += report->sframe_fdes;
  sum->sframe_fres += report->sframe_fres;
  sum->bytes_covered += report->bytes_covered;
  sum->bytes_left_out += report->bytes_left_out;
  for (unsigned i = 0; i < CFI2SFRAME_REASONS_MAX; i++)
    sum->left_out[i] += report->left_out[i];
}

static void
add_check (struct cfi2sframe_check_result *sum,
           const struct cfi2sframe_check_result *check)
{
  sum->functions += check->functions;
  sum->bytes_equal += check->bytes_equal;
  sum->bytes_wrong += check->bytes_wrong;
  sum->bytes_absent += check->bytes_absent;
  sum->bytes_extra += check->bytes_extra;
}

void
totals_add (struct totals *totals, const struct job *job)
{
  add_check (&totals->checked, &job->check);
  switch (job->outcome)
    {
    case JOB_DONE:
      totals->done++;
      add_report (&totals->sum, &job->report);
      if (job->comparison.machine != NULL)
        formats_add (&totals->formats, job);
      break;
    case JOB_SKIPPED:
      totals->skipped++;
      break;
    default:
      totals->failed++;
      break;
    }
}

static const char *
done_name (const struct tool_options *options)
{
  switch (options->mode)
    {
    case MODE_CHECK:
      return "checked";
    case MODE_COMPARE_FORMATS:
      return "compared";
    case MODE_DUMP:
      return "printed";
    case MODE_REMOVE:
      return "without .sframe now";
    case MODE_UNDO:
      return "restored";
    default:
      return options->convert.dry_run ? "could be converted" : "converted";
    }
}

static double
percent (uint64_t part, uint64_t whole)
{
  return whole == 0 ? 100 : 100 * (double)part / (double)whole;
}

static void
print_conversion (const struct totals *totals, FILE *out)
{
  const struct cfi2sframe_report *sum = &totals->sum;
  uint64_t added = sum->output_bytes - sum->input_bytes;
  fprintf (
      out,
      "  functions: %" PRIu64 " of %" PRIu64 " (%.3f %%); code: %.3f %% "
      "of %" PRIu64 " bytes\n",
      sum->functions_covered, sum->cfi_functions,
      percent (sum->functions_covered, sum->cfi_functions),
      percent (sum->bytes_covered, sum->bytes_covered + sum->bytes_left_out),
      sum->bytes_covered + sum->bytes_left_out);
  report_print_left_out (sum, out);
  fprintf (out,
           "  .sframe: %" PRIu64 " bytes, %.3f of .eh_frame + "
           ".eh_frame_hdr\n",
           sum->sframe_bytes, report_size_ratio (sum));
  fprintf (out,
           "  files: %" PRIu64 " -> %" PRIu64 " bytes, %" PRIu64
           " added (%.2f %%)\n",
           sum->input_bytes, sum->output_bytes, added,
           sum->input_bytes == 0 ? 0 : percent (added, sum->input_bytes));
}

void
totals_print (const struct totals *totals, const struct tool_options *options,
              FILE *out)
{
  fprintf (out,
           "%" PRIu64 " files %s, %" PRIu64 " skipped, %" PRIu64 " failed",
           totals->done, done_name (options), totals->skipped, totals->failed);
  if (totals->not_elf > 0)
    fprintf (out, "; %" PRIu64 " files are not ELF", totals->not_elf);
  fprintf (out, " (%.1f s)\n", totals->seconds);
  if (options->mode == MODE_CONVERT && totals->done > 0)
    print_conversion (totals, out);
  if (options->mode == MODE_CHECK)
    fprintf (out,
             "  %" PRIu64 " functions: %" PRIu64
             " bytes of code equal, %" PRIu64 " wrong, %" PRIu64
             " without SFrame data, %" PRIu64 " without CFI\n",
             totals->checked.functions, totals->checked.bytes_equal,
             totals->checked.bytes_wrong, totals->checked.bytes_absent,
             totals->checked.bytes_extra);
}

void
totals_print_json (const struct totals *totals,
                   const struct tool_options *options, FILE *out)
{
  const struct cfi2sframe_report *sum = &totals->sum;
  const struct
  {
    const char *name;
    uint64_t value;
  } numbers[] = { { "converted", totals->done },
                  { "skipped", totals->skipped },
                  { "failed", totals->failed },
                  { "not_elf", totals->not_elf },
                  { "input_bytes", sum->input_bytes },
                  { "output_bytes", sum->output_bytes },
                  { "eh_frame_bytes", sum->eh_frame_bytes },
                  { "eh_frame_hdr_bytes", sum->eh_frame_hdr_bytes },
                  { "sframe_bytes", sum->sframe_bytes },
                  { "cfi_functions", sum->cfi_functions },
                  { "functions_covered", sum->functions_covered },
                  { "sframe_fdes", sum->sframe_fdes },
                  { "sframe_fres", sum->sframe_fres },
                  { "bytes_covered", sum->bytes_covered },
                  { "bytes_left_out", sum->bytes_left_out } };
  json_object *total = json_object_new_object ();
  json_object *line = json_object_new_object ();
  json_object_object_add (
      total, "format",
      json_object_new_string (tool_format_name (options->convert.format)));
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    json_object_object_add (total, numbers[i].name,
                            json_object_new_uint64 (numbers[i].value));
  json_object_object_add (total, "left_out", report_left_out_json (sum));
  json_object_object_add (total, "seconds",
                          json_object_new_double (totals->seconds));
  json_object_object_add (line, "total", total);
  report_print_json (line, out);
}
