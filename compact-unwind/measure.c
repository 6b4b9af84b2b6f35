/* Measuring a file's unwind data in several formats, in one pass over its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each SFrame format has an emitter.  The loop over the functions of the file
   executes each FDE once and passes its rows to all emitters and to the
   compact unwind section.  */

#include "compact-unwind/measure.h"

#include "cfi/finished_rows.h"
#include "sframe/emitter.h"
#include "sframe/formats.h"
#include "compact-unwind/info.h"
#include "compact-unwind/section_builder.h"

_Static_assert((int)CUNWIND_REASON_COUNT <= CFI2SFRAME_REASONS_MAX,
               "reasons do not fit the result");

enum
{
  N_EMITTERS = MEASURED_COMPACT_UNWIND
};

/* The names and options of the formats.  */
static const struct
{
  const char *name, *text;
  enum cfi2sframe_format format; /* of SFrame */
  bool no_share, compact;
} formats[MEASURED_COUNT] = {
  [MEASURED_V1] = { "v1", "SFrame V1", CFI2SFRAME_V1, false, false },
  [MEASURED_V2] = { "v2", "SFrame V2", CFI2SFRAME_V2, false, false },
  [MEASURED_V3_NO_SHARE]
  = { "v3-no-share", "SFrame V3 --no-share", CFI2SFRAME_V3, true, false },
  [MEASURED_V3] = { "v3", "SFrame V3", CFI2SFRAME_V3, false, false },
  [MEASURED_V3_COMPACT]
  = { "v3-compact", "SFrame V3 --compact", CFI2SFRAME_V3, false, true },
  [MEASURED_COMPACT_UNWIND]
  = { "compact-unwind", "compact unwind", CFI2SFRAME_V3, false, false },
};

struct measure_run
{
  const struct image *image;
  struct measurement *result;
  struct cfi_source source;
  struct finished_rows rows;
  struct emitter *emitters[N_EMITTERS]; /* NULL: not wanted */
  struct cfi2sframe_report reports[N_EMITTERS];
  bool with_compact_unwind;
  struct cunwind_section compact_unwind;
};

const char *
measured_format_name (enum measured_format format)
{
  return formats[format].name;
}

const char *
measured_format_text (enum measured_format format)
{
  return formats[format].text;
}

const char *
measured_reason_name (enum measured_format format, unsigned reason)
{
  if (format != MEASURED_COMPACT_UNWIND)
    return cfi2sframe_reason_name (reason);
  return reason < CUNWIND_REASON_COUNT ? cunwind_reason_name (reason) : NULL;
}

const char *
measured_reason_text (enum measured_format format, unsigned reason)
{
  if (format != MEASURED_COMPACT_UNWIND)
    return cfi2sframe_reason_text (reason);
  return reason < CUNWIND_REASON_COUNT ? cunwind_reason_text (reason) : NULL;
}

/* ---- Opening */

static bool
open_source (struct measure_run *run, struct error *err)
{
  const struct image *image = run->image;
  struct measurement *result = run->result;
  struct cfi_source *source = &run->source;
  if (!image_expect_linked (image, err))
    return false;
  if (image->arch != NULL && image->debug_only)
    return error_set (err, CFI2SFRAME_NOTHING,
                      "debug file: the code is not in it");
  if (image->arch != NULL)
    result->machine = image->arch->name;
  /* The results are compared with .eh_frame, so only its CFI is used.  */
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_NONE };
  const struct rows_options rows = { .at_sites = true };
  if (!cfi_source_open (source, image, &cfi_options, err)
      || !finished_rows_open (&run->rows, source, &rows, err))
    return false;
  result->eh_frame_bytes = source->eh_frame.size;
  result->eh_frame_hdr_bytes = source->eh_frame.header_size;
  result->cfi_functions = cfi_section_functions (&source->cfi);
  return true;
}

static bool
open_emitter (struct measure_run *run, unsigned index, struct error *err)
{
  const struct emitter_options options = {
    .image = run->image,
    .variant = format_variant (formats[index].format),
    .sorted = true,
    .share = !formats[index].no_share,
    .compact = formats[index].compact,
    .cut = true,
    .report = &run->reports[index],
  };
  run->emitters[index] = emitter_new (&options, err);
  bool available = run->emitters[index] != NULL;
  run->result->formats[index].available = available;
  return available || err->status == CFI2SFRAME_UNSUPPORTED;
}

static bool
open_formats (struct measure_run *run, unsigned wanted, struct error *err)
{
  for (unsigned i = 0; i < N_EMITTERS; i++)
    if (wanted & MEASURE_BIT (i) && !open_emitter (run, i, err))
      return false;
  error_clear (err);
  run->with_compact_unwind
      = (wanted & MEASURE_BIT (MEASURED_COMPACT_UNWIND)) != 0
        && cunwind_supports (run->image->arch);
  if (!run->with_compact_unwind)
    return true;
  if (!cfa_machine_track_saved (run->rows.walk.machine))
    return error_set_no_memory (err);
  return cunwind_section_init (&run->compact_unwind, run->image,
                               &run->source.cfi, &run->rows.padding, err);
}

static void
close_run (struct measure_run *run)
{
  for (unsigned i = 0; i < N_EMITTERS; i++)
    emitter_free (run->emitters[i]);
  cunwind_section_free (&run->compact_unwind);
  finished_rows_close (&run->rows);
  cfi_source_close (&run->source);
}

/* ---- Functions */

static bool
add_to_compact_unwind (struct measure_run *run, struct cfi_code *code,
                       struct error *err)
{
  if (!run->with_compact_unwind || code->kind != CODE_OF_FDE)
    return true;
  if (!finished_rows_execute (&run->rows, code, err))
    return false;
  /* The FDE was not executed, or other FDEs contradict it.  */
  if (!code->executed || cfi_code_is_disputed (code))
    {
      run->compact_unwind.by_reason[CUNWIND_RANGE]++;
      return true;
    }
  return cunwind_section_add (&run->compact_unwind, code->fde, code->function,
                              err);
}

static bool
add_functions (struct measure_run *run, struct error *err)
{
  struct cfi_code code;
  int more;
  while ((more = finished_rows_next (&run->rows, &code, err)) > 0)
    {
      if (!add_to_compact_unwind (run, &code, err))
        return false;
      for (unsigned i = 0; i < N_EMITTERS; i++)
        if (run->emitters[i] != NULL
            && !emitter_add (run->emitters[i], &run->rows, &code, err))
          return false;
    }
  return more == 0;
}

/* ---- Results */

static bool
finish_emitter (struct measure_run *run, unsigned index, struct error *err)
{
  struct emitter *emitter = run->emitters[index];
  struct format_figures *figures = &run->result->formats[index];
  if (emitter == NULL)
    return true;
  if (!emitter_finish (emitter, err))
    return false;
  const struct cfi2sframe_report *report = &run->reports[index];
  figures->bytes = sframe_encoder_size (emitter_encoder (emitter));
  figures->synchronous = figures->asynchronous = report->functions_covered;
  for (unsigned i = 0; i < REASON_COUNT; i++)
    figures->left_out[i] = report->left_out[i] + run->source.cfi.left_out[i];
  return true;
}

static bool
finish_compact_unwind (struct measure_run *run, struct buffer *out,
                       struct error *err)
{
  struct cunwind_section *section = &run->compact_unwind;
  struct measurement *result = run->result;
  struct format_figures *figures = &result->formats[MEASURED_COMPACT_UNWIND];
  struct buffer own;
  if (!run->with_compact_unwind)
    return true;
  section->by_reason[CUNWIND_UNREADABLE]
      += cfi_section_functions (&run->source.cfi) - run->source.cfi.n_fdes;
  buffer_init (&own, false);
  if (out == NULL)
    out = &own;
  size_t before = out->size;
  bool written = cunwind_info_write (&section->info, out, err);
  figures->available = true;
  figures->bytes = out->size - before;
  figures->synchronous = section->by_reason[CUNWIND_EXPRESSED];
  figures->asynchronous = section->n_asynchronous;
  for (unsigned i = CUNWIND_EXPRESSED + 1; i < CUNWIND_REASON_COUNT; i++)
    figures->left_out[i] = section->by_reason[i];
  result->compact_unwind_lsda_bytes
      = CUNWIND_LSDA_ENTRY_SIZE * (uint64_t)section->info.n_lsdas;
  result->compact_unwind_eh_frame_bytes = section->bytes_kept;
  buffer_free (&own);
  return written;
}

bool
measure_image (const struct image *image, unsigned wanted,
               struct measurement *result, struct buffer *compact_unwind,
               struct error *err)
{
  struct measure_run run = { .image = image, .result = result };
  *result = (struct measurement){ 0 };
  bool made = open_source (&run, err) && open_formats (&run, wanted, err)
              && add_functions (&run, err);
  for (unsigned i = 0; made && i < N_EMITTERS; i++)
    made = finish_emitter (&run, i, err);
  made = made && finish_compact_unwind (&run, compact_unwind, err);
  close_run (&run);
  return made;
}

bool
measure_file (const struct file_location *input, struct measurement *result,
              struct error *err)
{
  struct image image;
  if (!image_open_at (&image, input, err))
    return false;
  bool made = measure_image (&image, MEASURE_ALL, result, NULL, err);
  image_close (&image);
  return made;
}
