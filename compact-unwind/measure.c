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

struct measuring
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
open_source (struct measuring *measuring, struct error *err)
{
  const struct image *image = measuring->image;
  struct measurement *result = measuring->result;
  struct cfi_source *source = &measuring->source;
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
      || !finished_rows_open (&measuring->rows, source, &rows, err))
    return false;
  result->eh_frame_bytes = source->eh_frame.size;
  result->eh_frame_hdr_bytes = source->eh_frame.header_size;
  result->cfi_functions = cfi_section_functions (&source->cfi);
  return true;
}

static bool
open_emitter (struct measuring *measuring, unsigned index, struct error *err)
{
  const struct emitter_options options = {
    .image = measuring->image,
    .variant = format_variant (formats[index].format),
    .sorted = true,
    .share = !formats[index].no_share,
    .compact = formats[index].compact,
    .cut = true,
    .report = &measuring->reports[index],
  };
  measuring->emitters[index] = emitter_new (&options, err);
  bool available = measuring->emitters[index] != NULL;
  measuring->result->formats[index].available = available;
  return available || err->status == CFI2SFRAME_UNSUPPORTED;
}

static bool
open_formats (struct measuring *measuring, unsigned wanted, struct error *err)
{
  for (unsigned i = 0; i < N_EMITTERS; i++)
    if (wanted & MEASURE_BIT (i) && !open_emitter (measuring, i, err))
      return false;
  error_clear (err);
  measuring->with_compact_unwind
      = (wanted & MEASURE_BIT (MEASURED_COMPACT_UNWIND)) != 0
        && cunwind_supports (measuring->image->arch);
  if (!measuring->with_compact_unwind)
    return true;
  if (!cfa_machine_track_saved (measuring->rows.walk.machine))
    return error_set_no_memory (err);
  return cunwind_section_init (&measuring->compact_unwind, measuring->image,
                               &measuring->source.cfi,
                               &measuring->rows.padding, err);
}

static void
measuring_close (struct measuring *measuring)
{
  for (unsigned i = 0; i < N_EMITTERS; i++)
    emitter_free (measuring->emitters[i]);
  cunwind_section_free (&measuring->compact_unwind);
  finished_rows_close (&measuring->rows);
  cfi_source_close (&measuring->source);
}

/* ---- Functions */

static bool
add_to_compact_unwind (struct measuring *measuring, struct cfi_code *code,
                       struct error *err)
{
  if (!measuring->with_compact_unwind || code->kind != CODE_OF_FDE)
    return true;
  if (!finished_rows_execute (&measuring->rows, code, err))
    return false;
  /* The FDE was not executed, or other FDEs contradict it.  */
  if (!code->executed || cfi_code_is_disputed (code))
    {
      measuring->compact_unwind.by_reason[CUNWIND_RANGE]++;
      return true;
    }
  return cunwind_section_add (&measuring->compact_unwind, code->fde,
                              code->function, err);
}

static bool
add_functions (struct measuring *measuring, struct error *err)
{
  struct cfi_code code;
  int more;
  while ((more = finished_rows_next (&measuring->rows, &code, err)) > 0)
    {
      if (!add_to_compact_unwind (measuring, &code, err))
        return false;
      for (unsigned i = 0; i < N_EMITTERS; i++)
        if (measuring->emitters[i] != NULL
            && !emitter_add (measuring->emitters[i], &measuring->rows, &code,
                             err))
          return false;
    }
  return more == 0;
}

/* ---- Results */

static bool
finish_emitter (struct measuring *measuring, unsigned index, struct error *err)
{
  struct emitter *emitter = measuring->emitters[index];
  struct measured *measured = &measuring->result->formats[index];
  if (emitter == NULL)
    return true;
  if (!emitter_finish (emitter, err))
    return false;
  const struct cfi2sframe_report *report = &measuring->reports[index];
  measured->bytes = sframe_encoder_size (emitter_encoder (emitter));
  measured->synchronous = measured->asynchronous = report->functions_covered;
  for (unsigned i = 0; i < REASON_COUNT; i++)
    measured->left_out[i]
        = report->left_out[i] + measuring->source.cfi.left_out[i];
  return true;
}

static bool
finish_compact_unwind (struct measuring *measuring, struct buffer *out,
                       struct error *err)
{
  struct cunwind_section *section = &measuring->compact_unwind;
  struct measurement *result = measuring->result;
  struct measured *measured = &result->formats[MEASURED_COMPACT_UNWIND];
  struct buffer own;
  if (!measuring->with_compact_unwind)
    return true;
  section->by_reason[CUNWIND_UNREADABLE]
      += cfi_section_functions (&measuring->source.cfi)
         - measuring->source.cfi.n_fdes;
  buffer_init (&own, false);
  if (out == NULL)
    out = &own;
  size_t before = out->size;
  bool written = cunwind_info_write (&section->info, out, err);
  measured->available = true;
  measured->bytes = out->size - before;
  measured->synchronous = section->by_reason[CUNWIND_EXPRESSED];
  measured->asynchronous = section->n_asynchronous;
  for (unsigned i = CUNWIND_EXPRESSED + 1; i < CUNWIND_REASON_COUNT; i++)
    measured->left_out[i] = section->by_reason[i];
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
  struct measuring measuring = { .image = image, .result = result };
  *result = (struct measurement){ 0 };
  bool made = open_source (&measuring, err)
              && open_formats (&measuring, wanted, err)
              && add_functions (&measuring, err);
  for (unsigned i = 0; made && i < N_EMITTERS; i++)
    made = finish_emitter (&measuring, i, err);
  made = made && finish_compact_unwind (&measuring, compact_unwind, err);
  measuring_close (&measuring);
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
