/* Files that have an .sframe: reading, replacing and removing it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: an ELF file and a byte of options, as for a conversion.  */

#include <config.h>

#include "fuzz.h"

#include <stdlib.h>
#include <unistd.h>

#include "sframe/decode.h"
#include "write/existing.h"
#include "write/inject_check.h"

static void
check_contents (const struct image *image)
{
  struct sframe_decoder decoder;
  struct error err = { 0 };
  if (sframe_decoder_open_image (&decoder, image, &err))
    {
      fuzz_read_section (&decoder, false);
      fuzz_verify (&decoder, image, false);
    }
}

/* Taking it away leaves a file without one.  */
static void
check_removal (const struct existing *existing, const struct image *image)
{
  struct plan plan = { 0 };
  struct error err = { 0 };
  if (existing_plan_removal (&plan, existing, image, &err))
    {
      fuzz_check_plan (&plan, image);
      if (plan.new_size <= FUZZ_FILE_MAX)
        {
          uint8_t *made = fuzz_make_file (&plan, image, NULL);
          /* It may refuse: the headers of a damaged file can lie in each
             other.  */
          inject_check_removed (image, made, plan.new_size, &err);
          free (made);
        }
    }
  plan_free (&plan);
}

static void
check_replacement (const struct existing *existing, const struct image *image,
                   uint64_t sframe_size)
{
  struct plan plan = { 0 };
  struct plan_request request = { .sframe_size = sframe_size,
                                  .section_type = SHT_GNU_SFRAME,
                                  .replaced = &existing->place };
  struct error err = { 0 };
  if (existing->place.size == 0
      || !existing_check_replaceable (existing, image, &err))
    return;
  uint8_t *sframe = calloc (1, sframe_size);
  FUZZ_CHECK (sframe != NULL);
  if (choose_strategy (&plan, image, &request, &err))
    {
      fuzz_check_plan (&plan, image);
      fuzz_check_file (&plan, image, sframe);
    }
  plan_free (&plan);
  free (sframe);
}

void
fuzz_existing (const uint8_t *bytes, size_t size)
{
  struct image image;
  struct error err = { 0 };
  if (size == 0)
    return;
  uint8_t choice = bytes[--size];
  if (!image_open_memory (&image, bytes, size, &err))
    return;
  struct existing existing = existing_find (&image);
  check_contents (&image);
  check_removal (&existing, &image);
  check_replacement (&existing, &image, 1 + (uint64_t)choice * 16);
  if (existing.has_record)
    {
      existing_forget_record (&existing, &image);
      check_removal (&existing, &image);
    }
  image_close (&image);
}
