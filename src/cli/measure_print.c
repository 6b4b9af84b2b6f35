/* Printing the figures of --compare-formats, as text and JSON.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cli/measure_print.h"

#include <inttypes.h>

#include "base/amounts.h"
#include "cli/messages.h"
#include "cli/json_line.h"

/* ---- Sums */

static void
add_format (struct format_figures *sum, const struct format_figures *format)
{
  sum->available |= format->available;
  sum->bytes += format->bytes;
  sum->synchronous += format->synchronous;
  sum->asynchronous += format->asynchronous;
  for (unsigned i = 0; i < CFI2SFRAME_REASONS_MAX; i++)
    sum->left_out[i] += format->left_out[i];
}

void
measure_add (struct measurement *sum, const struct measurement *measurement)
{
  sum->cfi_functions += measurement->cfi_functions;
  sum->eh_frame_bytes += measurement->eh_frame_bytes;
  sum->eh_frame_hdr_bytes += measurement->eh_frame_hdr_bytes;
  sum->compact_unwind_lsda_bytes += measurement->compact_unwind_lsda_bytes;
  sum->compact_unwind_eh_frame_bytes
      += measurement->compact_unwind_eh_frame_bytes;
  for (unsigned i = 0; i < MEASURED_COUNT; i++)
    add_format (&sum->formats[i], &measurement->formats[i]);
}

/* ---- Text */

/* Return BYTES divided by the size of .eh_frame and .eh_frame_hdr, or 0.  */
static double
cfi_ratio (const struct measurement *measurement, uint64_t bytes)
{
  uint64_t cfi = measurement->eh_frame_bytes + measurement->eh_frame_hdr_bytes;
  return cfi == 0 ? 0 : (double)bytes / (double)cfi;
}

static void
print_format (const struct measurement *measurement,
              enum measured_format index, FILE *out)
{
  const struct format_figures *format = &measurement->formats[index];
  uint64_t all = measurement->cfi_functions;
  fprintf (out,
           "  %-21s %11" PRIu64 " %6.3f  %9" PRIu64 " %7.3f %%  %9" PRIu64
           " %7.3f %%\n",
           measured_format_text (index), format->bytes,
           cfi_ratio (measurement, format->bytes), format->synchronous,
           percent_of (format->synchronous, all), format->asynchronous,
           percent_of (format->asynchronous, all));
}

static void
print_reasons (const struct measurement *measurement,
               enum measured_format index, FILE *out)
{
  const struct format_figures *format = &measurement->formats[index];
  for (unsigned i = 1; i < CFI2SFRAME_REASONS_MAX; i++)
    if (format->left_out[i] > 0)
      fprintf (out, "  not in %s: %" PRIu64 " (%s)\n",
               measured_format_text (index), format->left_out[i],
               measured_reason_text (index, i));
}

void
measure_print_table (const char *name, const struct measurement *measurement,
                     FILE *out)
{
  const struct format_figures *compact_unwind
      = &measurement->formats[MEASURED_COMPACT_UNWIND];
  message_name (name, out);
  fprintf (out,
           "%" PRIu64 " function%s, .eh_frame %" PRIu64
           " + .eh_frame_hdr %" PRIu64 " bytes\n",
           measurement->cfi_functions, plural_s (measurement->cfi_functions),
           measurement->eh_frame_bytes, measurement->eh_frame_hdr_bytes);
  fprintf (out, "  %-21s %11s %6s  %19s  %19s\n", "format", "bytes", "ratio",
           "exact at calls", "at every PC");
  for (unsigned i = 0; i < MEASURED_COUNT; i++)
    if (measurement->formats[i].available)
      print_format (measurement, i, out);
  /* With compact unwind, a part of .eh_frame must be kept.  */
  if (compact_unwind->available)
    {
      uint64_t kept = measurement->compact_unwind_eh_frame_bytes;
      uint64_t bytes = compact_unwind->bytes + kept;
      fprintf (out, "  %-21s %11" PRIu64 " %6.3f\n", "  + .eh_frame kept",
               kept, cfi_ratio (measurement, kept));
      fprintf (out, "  %-21s %11" PRIu64 " %6.3f  (LSDA index: %" PRIu64 ")\n",
               "  = together", bytes, cfi_ratio (measurement, bytes),
               measurement->compact_unwind_lsda_bytes);
    }
  for (unsigned i = 0; i < MEASURED_COUNT; i++)
    if (measurement->formats[i].available
        /* These two formats leave out the same functions as plain V3 does, for
           the same reasons.  */
        && i != MEASURED_V3_NO_SHARE && i != MEASURED_V3_COMPACT)
      print_reasons (measurement, i, out);
}

/* Print one line for a section that was written.  */
static void
print_section (const struct job *job, FILE *out)
{
  const struct measurement *measurement = &job->measurement;
  const struct format_figures *format
      = &measurement->formats[MEASURED_COMPACT_UNWIND];
  message_name (job->path, out);
  fprintf (out,
           "compact unwind for %s: %" PRIu64 " bytes (%.2f of .eh_frame + "
           ".eh_frame_hdr, of which it needs %.2f more), %" PRIu64
           " of %" PRIu64 " function%s, %.0f ms\n",
           measurement->machine, format->bytes,
           cfi_ratio (measurement, format->bytes),
           cfi_ratio (measurement, measurement->compact_unwind_eh_frame_bytes),
           format->synchronous, measurement->cfi_functions,
           plural_s (measurement->cfi_functions), job->seconds * 1e3);
}

void
measure_print (const struct job *job, FILE *out)
{
  const struct tool_options *options = job->options;
  if (options->mode == MODE_COMPARE_FORMATS)
    {
      measure_print_table (job->path, &job->measurement, out);
      return;
    }
  if (options->prints_each_file || options->stats == STATS_TEXT)
    print_section (job, out);
  if (options->verbose > 1 || options->stats == STATS_TEXT)
    print_reasons (&job->measurement, MEASURED_COMPACT_UNWIND, out);
}

/* ---- JSON */

static json_object *
format_json (const struct measurement *measurement, enum measured_format index)
{
  const struct format_figures *format = &measurement->formats[index];
  json_object *object = json_new_object ();
  json_object *left_out = json_new_object ();
  json_add_number (object, "bytes", format->bytes);
  if (index == MEASURED_COMPACT_UNWIND)
    {
      json_add_number (object, "lsda_bytes",
                       measurement->compact_unwind_lsda_bytes);
      json_add_number (object, "eh_frame_bytes",
                       measurement->compact_unwind_eh_frame_bytes);
    }
  json_add_number (object, "synchronous", format->synchronous);
  json_add_number (object, "asynchronous", format->asynchronous);
  for (unsigned i = 1; i < CFI2SFRAME_REASONS_MAX; i++)
    if (format->left_out[i] > 0)
      json_add_number (left_out, measured_reason_name (index, i),
                       format->left_out[i]);
  json_add (object, "left_out", left_out);
  return object;
}

void
measure_add_json (json_object *object, const struct measurement *measurement)
{
  json_object *formats = json_new_object ();
  json_add_number (object, "cfi_functions", measurement->cfi_functions);
  json_add_number (object, "eh_frame_bytes", measurement->eh_frame_bytes);
  json_add_number (object, "eh_frame_hdr_bytes",
                   measurement->eh_frame_hdr_bytes);
  for (unsigned i = 0; i < MEASURED_COUNT; i++)
    if (measurement->formats[i].available)
      json_add (formats, measured_format_name (i),
                format_json (measurement, i));
  json_add (object, "formats", formats);
}
