/* Converting a relocatable object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OBJECT_CONVERT_H
#define CONVERT_OBJECT_CONVERT_H

#include "base/buffer.h"
#include "convert/input.h"

/* Convert INPUT, an object, to OUTPUT.  */
bool object_convert (const struct input *input,
                     const struct output_request *output, struct error *err);

/* The same, to the empty file FD.  */
bool object_convert_to (const struct input *input, int fd, struct error *err);

/* Make the .sframe of INPUT alone, before relocation.  SECTION is to be freed
   unless this fails.  */
bool object_make_section (const struct input *input, struct buffer *section,
                          struct error *err);

#endif /* CONVERT_OBJECT_CONVERT_H */
