/* Files whose headers a power cut has left contradicting each other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/half_written.h"

#include "write/undo.h"

bool
half_written_open (struct image *image, const struct file_location *input,
                   struct error *err)
{
  struct error ignored;
  struct undo_record record;
  if (err->status != CFI2SFRAME_MALFORMED
      || !image_open_bytes (image, input, &ignored))
    return false;
  if (undo_record_find (&record, image))
    {
      error_clear (err);
      return true;
    }
  image_close (image);
  return false;
}

bool
half_written_explain (const struct file_location *input, struct error *err)
{
  struct image image;
  if (!half_written_open (&image, input, err))
    return false;
  image_close (&image);
  return error_set (err, CFI2SFRAME_REFUSED,
                    "an interrupted conversion; --undo restores the file");
}
