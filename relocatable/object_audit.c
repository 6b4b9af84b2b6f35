/* An audit of the .sframe of a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "relocatable/object_audit.h"

#include "cfi/source.h"
#include "relocatable/object_section.h"
#include "relocatable/object_sframe.h"
#include "relocatable/object_source.h"

bool
object_verify (const struct image *image,
               struct cfi2sframe_check_result *result, struct error *err)
{
  struct object_sframe sframe;
  struct cfi_source source;
  if (!object_sframe_open (&sframe, image, err))
    return false;
  bool compared = sframe.object.eh_frame_size > 0
                  || error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_CFI,
                                     "no .eh_frame to check .sframe against");
  if (compared)
    {
      compared = object_source_open (&source, &sframe.object, true, err)
                 && sframe_verify (&sframe.decoder, &source, result, err);
      cfi_source_close (&source);
    }
  object_sframe_close (&sframe);
  return compared;
}

bool
object_described (const struct image *image, uint64_t *bytes,
                  struct error *err)
{
  struct object object;
  struct cfi_source source = { .image = NULL };
  struct error why = { 0 };
  *bytes = 0;
  if (object_open (&object, image, &why)
      && object_source_open (&source, &object, false, &why))
    for (size_t i = 0; i < source.cfi.n_fdes; i++)
      *bytes += source.cfi.fdes[i].size;
  cfi_source_close (&source);
  object_close (&object);
  return why.status != CFI2SFRAME_NO_MEMORY || error_set_no_memory (err);
}

bool
object_coverable (const struct image *image,
                  const struct cfi2sframe_options *options, uint64_t *covered,
                  struct error *err)
{
  struct cfi2sframe_report report = { 0 };
  struct object object = { 0 };
  struct object_section section = { 0 };
  bool built
      = object_open (&object, image, err)
        && object_section_build (&section, &object, options, &report, err);
  *covered = report.bytes_covered;
  object_section_free (&section);
  object_close (&object);
  return built;
}
