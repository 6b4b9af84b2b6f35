/* What a conversion has made, as text and JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/conversion_print.h"

#include <inttypes.h>

#include "base/percent.h"
#include "base/plural.h"
#include "base/printable.h"
#include "sframe/formats.h"
#include "cli/json_line.h"
#include "cli/messages.h"

bool
conversion_is_of_eh_frame (const struct cfi2sframe_report *report)
{
  return report->debug_frame_functions == 0
         && report->debug_file_functions == 0;
}

double
conversion_size_ratio (const struct cfi2sframe_report *report)
{
  uint64_t cfi = report->eh_frame_bytes + report->eh_frame_hdr_bytes;
  if (!conversion_is_of_eh_frame (report))
    cfi += report->debug_frame_bytes;
  return cfi == 0 ? 0 : (double)report->sframe_bytes / (double)cfi;
}

static void
print_summary (const struct job *job, FILE *out)
{
  const struct cfi2sframe_report *report = &job->work.report;
  message_name (job->path, out);
  fprintf (out,
           "SFrame V%s for %s: %" PRIu64 " bytes (%.2f of %s), %" PRIu64
           " of %" PRIu64 " function%s, %.1f %% of the code, %s, %.0f ms\n",
           format_name (job->options->convert.format), report->machine,
           report->sframe_bytes, conversion_size_ratio (report),
           conversion_is_of_eh_frame (report) ? ".eh_frame + .eh_frame_hdr"
                                              : "its CFI",
           report->functions_covered, report->cfi_functions,
           plural_s (report->cfi_functions),
           percent_of (report->bytes_covered, report->executable_bytes),
           report->strategy, job->seconds * 1e3);
}

void
conversion_print_left_out (const struct cfi2sframe_report *report, FILE *out)
{
  for (unsigned i = 1; i < CFI2SFRAME_REASONS_MAX; i++)
    if (report->left_out[i] > 0)
      fprintf (out, "  left out: %" PRIu64 " (%s)\n", report->left_out[i],
               cfi2sframe_reason_text (i));
  if (report->return_addresses > 0)
    fprintf (out, "  left out: %" PRIu64 " place%s (return-address)\n",
             report->return_addresses, plural_s (report->return_addresses));
}

static void
print_left_out (const struct job *job, FILE *out)
{
  const struct cfi2sframe_report *report = &job->work.report;
  conversion_print_left_out (report, out);
  if (report->damage[0] != '\0')
    fprintf (out, "  first damage: %s (%s+0x%" PRIx64 ")\n", report->damage,
             report->debug_damage ? ".debug_frame" : ".eh_frame",
             report->first_damage);
}

/* Print TEXT, which may hold names of files, unless it is empty.  */
static void
print_line (const char *what, const char *text, FILE *out)
{
  char shown[4 * sizeof ((struct cfi2sframe_report *)0)->debug_file];
  printable_copy (shown, sizeof shown, text);
  if (text[0] != '\0')
    fprintf (out, "  %s: %s\n", what, shown);
}

/* Print which CFI was found besides .eh_frame, if any.  */
static void
print_debug (const struct cfi2sframe_report *report, FILE *out)
{
  uint64_t own = report->debug_frame_functions;
  uint64_t outside = report->debug_file_functions;
  if (report->debug_frame_bytes > 0)
    fprintf (out,
             "  functions from .eh_frame %" PRIu64
             ", from .debug_frame %" PRIu64 ", from a debug file %" PRIu64
             "; .debug_frame %" PRIu64 " bytes\n",
             report->cfi_functions - own - outside, own, outside,
             report->debug_frame_bytes);
  if (report->set_aside > 0)
    fprintf (out,
             "  %" PRIu64 " FDEs of .debug_frame are for code that is "
             "described already, %" PRIu64 " of them contradict that\n",
             report->set_aside, report->contradictions);
  print_line ("debug file", report->debug_file, out);
  print_line ("note", report->cfi_note, out);
}

/* With --analyze: print where the rows come from.  */
static void
print_from_code (const struct tool_options *options,
                 const struct cfi2sframe_report *report, FILE *out)
{
  uint64_t from_cfi = report->bytes_covered - report->bytes_from_code;
  if (options->convert.analyze)
    fprintf (out,
             "  from CFI %" PRIu64 " bytes, from code %" PRIu64
             " bytes (%" PRIu64 " function%s); rows for %.2f %% of the code "
             "instead of %.2f %%\n",
             from_cfi, report->bytes_from_code, report->functions_from_code,
             plural_s (report->functions_from_code),
             percent_of (report->bytes_covered, report->executable_bytes),
             percent_of (from_cfi, report->executable_bytes));
}

static void
print_stats_text (const struct job *job, FILE *out)
{
  const struct cfi2sframe_report *report = &job->work.report;
  print_summary (job, out);
  fprintf (out,
           "  .eh_frame %" PRIu64 ", .eh_frame_hdr %" PRIu64
           ", .sframe %" PRIu64,
           report->eh_frame_bytes, report->eh_frame_hdr_bytes,
           report->sframe_bytes);
  if (report->output_bytes > 0)
    fprintf (out, ", file %" PRIu64 " -> %" PRIu64, report->input_bytes,
             report->output_bytes);
  fputs (" bytes\n", out);
  fprintf (out,
           "  %" PRIu64 " FDEs, %" PRIu64 " FREs; code covered %" PRIu64
           ", left out %" PRIu64 " bytes\n",
           report->sframe_fdes, report->sframe_fres, report->bytes_covered,
           report->bytes_left_out);
  print_debug (report, out);
  print_from_code (job->options, report, out);
  print_left_out (job, out);
}

void
conversion_print_json (const struct job *job, FILE *out)
{
  const struct tool_options *options = job->options;
  const struct cfi2sframe_report *report = &job->work.report;
  json_object *object = job_json (job);
  unsigned uses = FIELD_OF_FILE
                  | (options->convert.analyze ? FIELD_ANALYZE : 0)
                  | (report->debug_frame_bytes > 0 ? FIELD_DEBUG_FRAME : 0);
  json_add_string (object, "machine", report->machine);
  json_add_string (object, "format", format_name (options->convert.format));
  json_add_string (object, "strategy", report->strategy);
  json_add_fields (object, report_fields, uses, report);
  if (report->debug_file[0] != '\0')
    json_add_string (object, "debug_file", report->debug_file);
  if (report->cfi_note[0] != '\0')
    json_add_string (object, "cfi_note", report->cfi_note);
  json_add_counts (object, "left_out", report->left_out,
                   CFI2SFRAME_REASONS_MAX, cfi2sframe_reason_name);
  json_add_seconds (object, job->seconds);
  json_print_line (object, out);
}

void
conversion_print (const struct job *job, FILE *out)
{
  const struct tool_options *options = job->options;
  if (options->stats == STATS_TEXT)
    print_stats_text (job, out);
  else if (options->talkative)
    {
      print_summary (job, out);
      print_debug (&job->work.report, out);
      print_from_code (options, &job->work.report, out);
      if (options->verbose > 1)
        print_left_out (job, out);
    }
}
