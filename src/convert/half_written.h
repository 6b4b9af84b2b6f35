/* Files whose headers a power cut has left contradicting each other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_HALF_WRITTEN_H
#define CONVERT_HALF_WRITTEN_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"

/* Open INPUT for undoing after image_open refused it with ERR.  This can be
   done if the headers were the reason and the file ends in an undo record,
   which does not depend on headers.  ERR is cleared then, and stays as it is
   otherwise.  */
bool half_written_open (struct image *image, const struct file_location *input,
                        struct error *err);

/* INPUT could not be opened because of ERR.  If its headers are half-written,
   add to ERR that --undo restores it.  Returns false.  */
bool half_written_explain (const struct file_location *input,
                           struct error *err);

#endif /* CONVERT_HALF_WRITTEN_H */
