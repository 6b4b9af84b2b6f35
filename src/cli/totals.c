/* Sums over many files.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/totals.h"

#include <inttypes.h>
#include <string.h>

#include "base/amounts.h"
#include "base/printable.h"
#include "sframe/formats.h"
#include "convert/fields.h"
#include "cli/events.h"
#include "cli/json_line.h"
#include "cli/measure_print.h"
#include "cli/messages.h"
#include "cli/report.h"

/* Count JOB, and keep its path and reason if the path is the first by name:
   what is printed must not depend on the order of the jobs.  */
static void
count_skipped (struct skipped_files *files, const struct job *job)
{
  if (files->count++ > 0 && strcmp (files->path, job->path) <= 0)
    return;
  files->path = job->path;
  memcpy (files->reason, job->err.reason, sizeof files->reason);
}

/* Count the code of JOB's reason.  The list is kept sorted, because what is
   printed must not depend on the order of the jobs.  */
static void
add_code (struct totals *totals, const struct job *job)
{
  const char *code = cfi2sframe_error_code (&job->err);
  unsigned i = 0;
  while (i < totals->n_codes && strcmp (totals->codes[i].code, code) < 0)
    i++;
  if (i == totals->n_codes || strcmp (totals->codes[i].code, code) != 0)
    {
      if (totals->n_codes == CODES_MAX)
        return;
      memmove (&totals->codes[i + 1], &totals->codes[i],
               (totals->n_codes - i) * sizeof totals->codes[0]);
      totals->codes[i] = (struct code_count){ code, 0 };
      totals->n_codes++;
    }
  totals->codes[i].count++;
}

void
totals_add (struct totals *totals, const struct job *job)
{
  if (job->outcome == JOB_SKIPPED || job->outcome == JOB_FAILED)
    add_code (totals, job);
  const struct cfi2sframe_report *report = &job->work.report;
  /* A skipped file has its executable_bytes set, but was not checked.  */
  if (job->outcome != JOB_SKIPPED)
    check_sum_add (&totals->checked, &job->check);
  switch (job->outcome)
    {
    case JOB_DONE:
      totals->done++;
      report_sum_add (&totals->sum, report);
      /* Sizes are compared for files with all rows from .eh_frame.  */
      if (conversion_is_of_eh_frame (report))
        {
          totals->n_of_eh_frame++;
          report_sum_add (&totals->of_eh_frame, report);
        }
      measure_add (&totals->measured, &job->measurement);
      break;
    case JOB_SKIPPED:
      totals->skipped++;
      count_skipped (&totals->skipped_by_reason[job->reason], job);
      break;
    case JOB_FOUND:
      totals->findings += job->findings.lint.findings;
      totals->different += job->options->mode == MODE_COMPARE;
      break;
    default:
      totals->failed++;
      break;
    }
}

/* Print the growth of the files.  A section made by --replace may be smaller
   than the old one.  */
static void
print_growth (const struct cfi2sframe_report *sum, FILE *out)
{
  bool grown = sum->output_bytes >= sum->input_bytes;
  uint64_t bytes = grown ? sum->output_bytes - sum->input_bytes
                         : sum->input_bytes - sum->output_bytes;
  fprintf (
      out,
      "  files: %" PRIu64 " -> %" PRIu64 " bytes, %" PRIu64 " %s (%.2f %%)\n",
      sum->input_bytes, sum->output_bytes, bytes, grown ? "added" : "removed",
      sum->input_bytes == 0 ? 0 : percent_of (bytes, sum->input_bytes));
}

static void
print_sections (const struct totals *totals, FILE *out)
{
  const struct cfi2sframe_report *sum = &totals->sum;
  uint64_t others = totals->done - totals->n_of_eh_frame;
  fprintf (out,
           "  functions: %" PRIu64 " of %" PRIu64 " (%.3f %%); code with CFI: "
           "%.3f %% of %" PRIu64 " bytes; all code: %.3f %% of %" PRIu64
           " bytes\n",
           sum->functions_covered, sum->cfi_functions,
           percent_of (sum->functions_covered, sum->cfi_functions),
           percent_of (sum->bytes_covered,
                       sum->bytes_covered + sum->bytes_left_out),
           sum->bytes_covered + sum->bytes_left_out,
           percent_of (sum->bytes_covered, sum->executable_bytes),
           sum->executable_bytes);
  conversion_print_left_out (sum, out);
  fprintf (out, "  .sframe: %" PRIu64 " bytes", sum->sframe_bytes);
  if (totals->n_of_eh_frame > 0)
    fprintf (out, ", %.3f of .eh_frame + .eh_frame_hdr",
             conversion_size_ratio (&totals->of_eh_frame));
  if (others > 0)
    fprintf (out,
             " (without %" PRIu64 " file%s with functions from .debug_frame)",
             others, plural_s (others));
  fputc ('\n', out);
}

void
totals_print_skipped (const struct totals *totals,
                      const struct tool_options *options, FILE *errors)
{
  /* Files left alone because of a checksum were reported one by one.  */
  static const struct
  {
    enum job_reason reason;
    const char *one, *several;
  } notes[] = {
    { JOB_REASON_EXCLUDED, "not to be converted", "are not to be converted" },
    { JOB_REASON_UNSUPPORTED, "not for SFrame", "are not for SFrame" },
    { JOB_REASON_SFRAME_STAYS, "with an .sframe that stays",
      "have an .sframe that stays" },
    { JOB_REASON_OBJECT_SFRAME, "with an .sframe that may be an assembler's",
      "have an .sframe that may be an assembler's" },
    { JOB_REASON_NO_RECORD, "with an .sframe that may be a linker's",
      "have an .sframe that may be a linker's" },
    { JOB_REASON_REFUSED, "refused", "are refused" },
    { JOB_REASON_MALFORMED, "damaged", "are damaged" },
    { JOB_REASON_UNREADABLE, "not readable", "are not readable" },
  };
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    {
      const struct skipped_files *files
          = &totals->skipped_by_reason[notes[i].reason];
      if (files->count == 0
          || (options->skip_unconvertible != SKIP_ALL
              && notes[i].reason != JOB_REASON_OBJECT_SFRAME))
        continue;
      message_begin (NULL, errors);
      fputs ("note: ", errors);
      if (files->count > 1)
        fprintf (errors,
                 "%" PRIu64 " files %s, left as they are; the first is ",
                 files->count, notes[i].several);
      printable_put (files->path, errors);
      if (files->count == 1)
        fprintf (errors, ": %s, left as it is", notes[i].one);
      fprintf (errors, ": %s\n", files->reason);
    }
}

/* Whether the mode makes sections and has sums: not --section-only.  */
static bool
makes_sections (const struct tool_options *options)
{
  return options->mode == MODE_CONVERT || options->mode == MODE_DETACH;
}

static void
print_files (const struct totals *totals, const struct tool_options *options,
             FILE *out)
{
  const struct mode_names *names = &mode_names[options->mode];
  fprintf (out,
           "%" PRIu64 " file%s %s, %" PRIu64 " skipped, %" PRIu64 " failed",
           totals->done, plural_s (totals->done),
           options->convert.dry_run ? names->could_be : names->done,
           totals->skipped, totals->failed);
  if (totals->not_elf > 0)
    fprintf (out, "; %" PRIu64 " %s not ELF", totals->not_elf,
             totals->not_elf == 1 ? "file is" : "files are");
  fprintf (out, " (%.1f s)\n", totals->seconds);
  for (unsigned i = 0; i < totals->n_codes; i++)
    fprintf (out, "%s%s %" PRIu64, i == 0 ? "  skipped or failed: " : ", ",
             totals->codes[i].code, totals->codes[i].count);
  if (totals->n_codes > 0)
    fputc ('\n', out);
  if (makes_sections (options) && totals->done > 0)
    print_sections (totals, out);
  if (options->mode == MODE_CONVERT && totals->done > 0)
    print_growth (&totals->sum, out);
  if (options->mode == MODE_CHECK)
    {
      fputs ("  ", out);
      check_print_counts (&totals->checked, out);
    }
}

static void
print_json (const struct totals *totals, const struct tool_options *options,
            FILE *out)
{
  json_object *total = json_new_object ();
  json_object *line = json_line_new (), *reasons = json_new_object ();
  if (makes_sections (options))
    json_add_string (total, "format", format_name (options->convert.format));
  json_add_number (total, mode_names[options->mode].status, totals->done);
  json_add_number (total, "skipped", totals->skipped);
  json_add_number (total, "failed", totals->failed);
  json_add_number (total, "not_elf", totals->not_elf);
  for (unsigned i = 0; i < totals->n_codes; i++)
    json_add_number (reasons, totals->codes[i].code, totals->codes[i].count);
  json_add (total, "reasons", reasons);
  if (makes_sections (options))
    {
      json_add_fields (total, report_fields, FIELD_OF_TOTAL, &totals->sum);
      json_add_counts (total, "left_out", totals->sum.left_out,
                       CFI2SFRAME_REASONS_MAX, cfi2sframe_reason_name);
    }
  if (options->mode == MODE_COMPARE_FORMATS)
    measure_add_json (total, &totals->measured);
  if (options->mode == MODE_CHECK)
    check_add_json (total, &totals->checked);
  json_add_seconds (total, totals->seconds);
  json_add (line, "total", total);
  json_print_line (line, out);
}

void
totals_print (const struct totals *totals, const struct tool_options *options,
              FILE *out)
{
  bool tree = tool_options_is_tree (options);
  bool several = totals->done + totals->skipped + totals->failed > 1;
  /* Trees have sums, and several files of --compare-formats.  */
  bool summed = options->mode == MODE_COMPARE_FORMATS
                    ? tree || several
                    : tree && options->mode != MODE_LINT;
  if (!summed || events_wanted (options->stats))
    return;
  if (options->stats == STATS_JSON)
    {
      print_json (totals, options, out);
      return;
    }
  if (options->quiet)
    return;
  if (options->mode == MODE_COMPARE_FORMATS)
    {
      char name[64];
      snprintf (name, sizeof name, "Sum of %" PRIu64 " file%s (%.2f s)",
                totals->done, plural_s (totals->done), totals->seconds);
      measure_print_table (name, &totals->measured, out);
    }
  if (tree)
    print_files (totals, options, out);
}
