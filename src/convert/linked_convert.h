/* Converting a linked file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_LINKED_CONVERT_H
#define CONVERT_LINKED_CONVERT_H

#include "base/buffer.h"
#include "elf/image.h"
#include "write/output_file.h"

struct linked_request
{
  struct image
      *input; /* stays the caller's, but loses pages that are mapped */
  const struct file_location *location; /* the input's; path "" in memory */
  const struct output_request *output;  /* NULL: a section alone is wanted */
  const struct cfi2sframe_options *options;
  struct cfi2sframe_report *report;
};

/* Convert as REQUEST says.  *SECTION, unless it is NULL, becomes the new
   .sframe, to be freed, and *ADDRESS where it is loaded.  On failure neither
   is set, and all files are as they were.  */
bool linked_convert (const struct linked_request *request,
                     struct buffer *section, uint64_t *address,
                     struct error *err);

#endif /* CONVERT_LINKED_CONVERT_H */
