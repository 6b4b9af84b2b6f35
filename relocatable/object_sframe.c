/* Reading and checking the .sframe that a relocatable object has.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "relocatable/object_sframe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/bytes.h"
#include "sframe/format.h"

/* Fill in the start of every function in sframe->bytes, a copy of the section
   FOUND, as if it were at ADDRESS.  */
static bool
fill_in_starts (struct object_sframe *sframe,
                const struct sframe_decoder *found,
                const struct object_relocations *table, uint64_t address,
                struct error *err)
{
  struct sframe_variant variant = found->variant;
  const struct arch_relocations *known
      = &sframe->object.image->arch->relocations;
  uint32_t type = sframe_start_size (variant.version) == 8 ? known->pcrel64
                                                           : known->pcrel32;
  if (table->n > found->n_functions)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "more of .sframe than its functions is relocated");
  for (uint32_t i = 0; i < found->n_functions; i++)
    {
      uint64_t offset = found->fde_offset
                        + (uint64_t)i * sframe_fde_size (variant.version);
      const struct object_relocation *entry
          = object_find_relocation (table, offset);
      if (entry == NULL || entry->value == 0 || entry->type != type)
        return error_set_at (err, CFI2SFRAME_MALFORMED, offset,
                             "function %" PRIu32 " of .sframe has no place",
                             i);
      uint64_t value = entry->value - address - (variant.pcrel ? offset : 0);
      if (sframe_start_size (variant.version) == 8)
        store_u64 (sframe->bytes + offset, value, found->big_endian);
      else
        store_u32 (sframe->bytes + offset, (uint32_t)value, found->big_endian);
    }
  return true;
}

/* Make the copy of the section, and open the decoder on it.  */
static bool
resolve (struct object_sframe *sframe, const struct image *image,
         struct error *err)
{
  struct sframe_decoder found;
  struct object_relocations table = { .n = 0 };
  size_t section;
  if (!object_find_sframe (image, &section, err)
      || !sframe_decoder_open_image (&found, image, err))
    return false;
  /* The address is behind .eh_frame, within the reach of 32-bit distances.  */
  uint64_t address
      = sframe->object.eh_frame_address + sframe->object.eh_frame_size;
  address = align_up (address, 8);
  if (found.size > INT32_MAX - address)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
                           "more than 2 GiB in one object");
  sframe->bytes = malloc (found.size);
  if (sframe->bytes == NULL)
    return error_set_no_memory (err);
  memcpy (sframe->bytes, found.bytes, found.size);
  bool resolved
      = object_read_relocations (&sframe->object, section, &table, err)
        && fill_in_starts (sframe, &found, &table, address, err)
        && sframe_decoder_open (&sframe->decoder, sframe->bytes, found.size,
                                address, err);
  free (table.entries);
  return resolved;
}

bool
object_sframe_open (struct object_sframe *sframe, const struct image *image,
                    struct error *err)
{
  *sframe = (struct object_sframe){ .bytes = NULL };
  if (!object_open (&sframe->object, image, err))
    return false;
  if (resolve (sframe, image, err))
    return true;
  object_sframe_close (sframe);
  return false;
}

void
object_sframe_close (struct object_sframe *sframe)
{
  object_close (&sframe->object);
  free (sframe->bytes);
  *sframe = (struct object_sframe){ .bytes = NULL };
}

/* ---- Checking */

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
