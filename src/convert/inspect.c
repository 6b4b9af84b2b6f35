/* Looking at an .sframe that is there: checking and printing it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <stdio.h>
#include <string.h>

#include "cfi/plt.h"
#include "convert/find_sframe.h"
#include "convert/object_sframe.h"
#include "frame/frame.h"
#include "sframe/dump.h"
#include "sframe/verify.h"

/* Check the .sframe behind DECODER against the CFI of IMAGE.  */
static bool
check_image (const struct image *image, const struct sframe_decoder *decoder,
             struct verify_result *result, struct error *err)
{
  struct image_eh_frame found;
  struct cfi_section cfi;
  struct plt_list plt = { 0 };
  struct padding_finder padding = { 0 };
  struct verify_sources sources
      = { .cfi = &cfi, .plt = &plt, .padding = &padding };
  if (decoder->arch != image->arch)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "its .sframe is for another machine");
  if (!image_find_eh_frame (image, &found, err))
    return false;
  if (found.size == 0)
    return error_set (err, CFI2SFRAME_NOTHING,
                      "no .eh_frame to check .sframe against");
  if (!cfi_section_read (&cfi, image->arch, found.bytes, found.size,
                         found.address, err))
    return false;
  cfi_section_keep_code (&cfi, image);
  bool checked = plt_list_find (&plt, image, &cfi, err)
                 && padding_finder_init (&padding, image, err)
                 && sframe_verify (decoder, &sources, result, err);
  padding_finder_free (&padding);
  plt_list_free (&plt);
  cfi_section_free (&cfi);
  return checked;
}

/* The same for an object.  It has no PLT, and no padding is covered.  */
static bool
check_object (const struct image *image, struct verify_result *result,
              struct error *err)
{
  struct object_sframe sframe;
  struct cfi_section cfi;
  struct plt_list plt = { 0 };
  struct padding_finder padding = { .image = image };
  const struct verify_sources sources
      = { .cfi = &cfi, .plt = &plt, .padding = &padding };
  if (!object_sframe_open (&sframe, image, err))
    return false;
  const struct relocatable *object = &sframe.object;
  bool checked = object->eh_frame_size > 0
                 || error_set (err, CFI2SFRAME_NOTHING,
                               "no .eh_frame to check .sframe against");
  if (checked)
    {
      checked = cfi_section_read (&cfi, image->arch, object->eh_frame,
                                  object->eh_frame_size,
                                  object->eh_frame_address, err)
                && sframe_verify (&sframe.decoder, &sources, result, err);
      cfi_section_free (&cfi);
    }
  object_sframe_close (&sframe);
  return checked;
}

static void
copy_result (const struct verify_result *from,
             struct cfi2sframe_check_result *to)
{
  *to = (struct cfi2sframe_check_result){ .functions = from->functions,
                                          .bytes_equal = from->bytes_equal,
                                          .bytes_wrong = from->bytes_wrong,
                                          .bytes_absent = from->bytes_absent,
                                          .bytes_extra = from->bytes_extra,
                                          .first_wrong = from->first_wrong };
  _Static_assert(sizeof to->difference == sizeof from->difference,
                 "the public structure has another size");
  memcpy (to->difference, from->difference, sizeof to->difference);
}

bool
cfi2sframe_check (const char *input, struct cfi2sframe_check_result *result,
                  struct cfi2sframe_error *err)
{
  struct image image;
  struct sframe_decoder decoder;
  struct verify_result found = { 0 };
  error_clear (err);
  *result = (struct cfi2sframe_check_result){ 0 };
  if (!image_open (&image, input, err))
    return false;
  bool checked = image.header.e_type == ET_REL
                     ? check_object (&image, &found, err)
                     : find_sframe (&image, &decoder, err)
                           && check_image (&image, &decoder, &found, err);
  image_close (&image);
  copy_result (&found, result);
  if (checked && found.bytes_wrong + found.bytes_extra > 0)
    return error_set (err, CFI2SFRAME_MISMATCH, "%s", found.difference);
  return checked;
}

bool
cfi2sframe_dump (const char *input, FILE *out, struct cfi2sframe_error *err)
{
  struct image image;
  struct sframe_decoder decoder;
  error_clear (err);
  if (!image_open (&image, input, err))
    return false;
  bool dumped = find_sframe (&image, &decoder, err)
                && sframe_dump (&decoder, out, err);
  image_close (&image);
  return dumped;
}

const char *
cfi2sframe_version (void)
{
  return PACKAGE_VERSION;
}

const char *
cfi2sframe_reason_name (unsigned reason)
{
  return reason < REASON_COUNT ? frame_reason_name (reason) : NULL;
}

const char *
cfi2sframe_reason_text (unsigned reason)
{
  return reason < REASON_COUNT ? frame_reason_text (reason) : NULL;
}
