/* From an ELF image to the rows of its SFrame section.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/builder.h"

#include <string.h>

#include "base/background.h"
#include "cfi/plt.h"
#include "convert/stretch.h"

_Static_assert((int)REASON_COUNT <= CFI2SFRAME_REASONS_MAX,
               "reasons do not fit the public report");

enum
{
  /* The CFI takes more bytes of the file than the rows made of it; small files
     may have it otherwise.  */
  ROWS_FLOOR = 1 << 20
};

struct builder
{
  const struct image *image;
  const struct cfi2sframe_options *options;
  struct cfi2sframe_report *report;
  struct cfi_section cfi;
  struct plt_list plt;
  struct encode_options encode;
};

/* Half of the work, when it is done in two threads.  */
struct half
{
  struct stretch *stretch;
  struct sframe_encoder *encoder;
  struct cfi2sframe_report report; /* its counts */
  struct error err;
  bool built;
};

struct sframe_variant
builder_variant (enum cfi2sframe_format format)
{
  switch (format)
    {
    case CFI2SFRAME_V1:
      return (struct sframe_variant){ 1, false };
    case CFI2SFRAME_V2_0:
      return (struct sframe_variant){ 2, false };
    case CFI2SFRAME_V2:
      return (struct sframe_variant){ 2, true };
    default:
      return (struct sframe_variant){ 3, true };
    }
}

uint64_t
builder_rows_max (const struct image *image)
{
  return image->size + ROWS_FLOOR;
}

static void
report_cfi (struct builder *builder)
{
  struct cfi2sframe_report *report = builder->report;
  const struct cfi_section *cfi = &builder->cfi;
  report->cfi_functions = cfi->n_fdes + cfi->n_damaged;
  for (size_t i = 0; i < cfi->n_damages; i++)
    report->left_out[cfi->damages[i].reason]++;
  report->left_out[REASON_BAD_ENTRY] += cfi->n_damaged - cfi->n_damages;
  if (cfi->n_damages > 0)
    {
      report->first_damage = cfi->damages[0].offset;
      memcpy (report->damage, cfi->damages[0].text, sizeof report->damage);
    }
}

static bool
read_cfi (struct builder *builder, struct error *err)
{
  const struct image *image = builder->image;
  struct cfi2sframe_report *report = builder->report;
  struct image_eh_frame found;
  if (image->arch == NULL)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "machine %u: SFrame has no ABI for it",
                      image->header.e_machine);
  report->machine = image->arch->name;
  if (!image_find_eh_frame (image, &found, err))
    return false;
  if (found.size == 0)
    return error_set (err, CFI2SFRAME_NOTHING, "no .eh_frame");
  report->eh_frame_bytes = found.size;
  report->eh_frame_hdr_bytes = found.header_size;
  if (!cfi_section_read (&builder->cfi, image->arch, found.bytes, found.size,
                         found.address, err)
      || !plt_list_find (&builder->plt, image, &builder->cfi, err))
    return false;
  report_cfi (builder);
  return true;
}

static bool
prepare (struct builder *builder, struct error *err)
{
  const struct cfi2sframe_options *options = builder->options;
  const struct arch *arch = builder->image->arch;
  struct sframe_variant variant = builder_variant (options->format);
  if (arch->sframe_abi == SFRAME_ABI_S390X_BE && !variant.pcrel)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "this SFrame version does not know s390x");
  builder->encode = (struct encode_options){
    .arch = arch,
    .variant = variant,
    .sorted = true,
    /* libsframe's byte-swapping reader would swap shared rows twice.  */
    .share = !options->no_share && !arch->big_endian && !options->gnu,
    .gnu_widths = options->gnu,
    .rows_max = builder_rows_max (builder->image),
  };
  if (!options->compact)
    {
      builder->encode.n_expected
          = builder->cfi.n_fdes + builder->plt.n_functions;
      /* Nearly always enough.  What is not used is never touched.  */
      builder->encode.rows_expected = builder->cfi.size / 2;
    }
  return true;
}

/* One half, or all there is.  */

static bool
half_prepare (struct half *half, const struct builder *builder,
              const struct stretch_range *range,
              const struct encode_options *encode, struct error *err)
{
  const struct stretch_source source
      = { builder->image, &builder->cfi, &builder->plt };
  half->encoder = sframe_encoder_new (encode);
  if (half->encoder == NULL)
    return error_set_no_memory (err);
  half->stretch = stretch_new (&source, range, builder->options, encode,
                               half->encoder, &half->report, err);
  return half->stretch != NULL;
}

static void
half_build (void *argument)
{
  struct half *half = argument;
  half->built = stretch_build (half->stretch, &half->err);
}

static void
half_free (struct half *half)
{
  stretch_free (half->stretch);
  sframe_encoder_free (half->encoder);
}

static void
add_counts (struct cfi2sframe_report *report,
            const struct cfi2sframe_report *counts)
{
  report->functions_covered += counts->functions_covered;
  report->bytes_covered += counts->bytes_covered;
  report->bytes_left_out += counts->bytes_left_out;
  for (size_t i = 0; i < CFI2SFRAME_REASONS_MAX; i++)
    report->left_out[i] += counts->left_out[i];
}

/* Take over what HALF has built.  */
static bool
finish_half (struct builder *builder, struct half *half, struct error *err)
{
  if (!half->built)
    *err = half->err;
  add_counts (builder->report, &half->report);
  return half->built;
}

static bool
build_at_once (struct builder *builder, struct half *half, struct error *err)
{
  const struct stretch_range all
      = { 0, builder->cfi.n_fdes, 0, builder->plt.n_functions };
  if (!half_prepare (half, builder, &all, &builder->encode, err))
    return false;
  half_build (half);
  return finish_half (builder, half, err);
}

/* The second half's equal rows are found when it is appended to the FIRST.  */
static bool
build_in_two (struct builder *builder, struct half *first,
              const struct stretch_range ranges[2], struct error *err)
{
  struct half second = { 0 };
  struct background background = { 0 };
  struct encode_options encode = builder->encode;
  encode.share = false;
  encode.n_expected /= 2;
  encode.rows_expected /= 2;
  bool built = half_prepare (first, builder, &ranges[0], &builder->encode, err)
               && half_prepare (&second, builder, &ranges[1], &encode, err);
  if (built)
    {
      background_start (&background, half_build, &second);
      half_build (first);
      background_wait (&background);
      built = finish_half (builder, first, err)
              && finish_half (builder, &second, err)
              && sframe_encoder_append (first->encoder, second.encoder, err);
    }
  half_free (&second);
  return built;
}

/* Build all functions.  The encoder is in FIRST in the end.  */
static bool
build_functions (struct builder *builder, struct half *first,
                 struct error *err)
{
  const struct stretch_source source
      = { builder->image, &builder->cfi, &builder->plt };
  struct stretch_range ranges[2];
  if (builder->encode.share && !builder->options->compact
      && stretch_cut (&source, &ranges[0], &ranges[1]))
    return build_in_two (builder, first, ranges, err);
  return build_at_once (builder, first, err);
}

static bool
finish (struct builder *builder, struct sframe_encoder *encoder,
        struct error *err)
{
  struct cfi2sframe_report *report = builder->report;
  sframe_encoder_finish (encoder);
  report->sframe_fdes = sframe_encoder_n_functions (encoder);
  report->sframe_fres = sframe_encoder_n_rows (encoder);
  report->sframe_bytes = sframe_encoder_size (encoder);
  /* The kernel refuses a section without functions or rows.  */
  return (report->sframe_fdes > 0 && report->sframe_fres > 0)
         || error_set (err, CFI2SFRAME_NOTHING,
                       "no function that SFrame can describe");
}

struct sframe_encoder *
builder_build (const struct image *image,
               const struct cfi2sframe_options *options,
               struct cfi2sframe_report *report, struct error *err)
{
  struct builder builder
      = { .image = image, .options = options, .report = report };
  struct half whole = { 0 };
  struct sframe_encoder *encoder = NULL;
  if (read_cfi (&builder, err) && prepare (&builder, err)
      && build_functions (&builder, &whole, err)
      && finish (&builder, whole.encoder, err))
    {
      encoder = whole.encoder;
      whole.encoder = NULL;
    }
  half_free (&whole);
  plt_list_free (&builder.plt);
  cfi_section_free (&builder.cfi);
  return encoder;
}
