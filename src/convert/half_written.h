/* Files whose headers a power cut has left contradicting each other.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_HALF_WRITTEN_H
#define CONVERT_HALF_WRITTEN_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"

/* Open INPUT, which image_open refused with ERR, for undoing: if it is because
   of its headers and the file ends in an undo record, which does not depend
   on them.  ERR stays as it is if not, and is cleared otherwise.  */
bool half_written_open (struct image *image, const struct file_location *input,
                        struct error *err);

/* INPUT could not be opened because of ERR.  Say what to do if it is such a
   file.  Returns false.  */
bool half_written_explain (const struct file_location *input,
                           struct error *err);

#endif /* CONVERT_HALF_WRITTEN_H */
