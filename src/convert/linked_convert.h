/* Converting a linked file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_LINKED_CONVERT_H
#define CONVERT_LINKED_CONVERT_H

#include "base/buffer.h"
#include "convert/input.h"

/* Convert INPUT to OUTPUT.  On failure all files are as they were.  */
bool linked_convert (const struct input *input,
                     const struct output_request *output, struct error *err);

/* Make *SECTION, the .sframe alone that linked_convert would put into the
   file, and set *ADDRESS to where it would be loaded.  SECTION is to be freed
   unless this fails.  */
bool linked_make_section (const struct input *input, struct buffer *section,
                          uint64_t *address, struct error *err);

#endif /* CONVERT_LINKED_CONVERT_H */
