/* Converting a relocatable object (--relocatable).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_OBJECT_CONVERT_H
#define CONVERT_OBJECT_CONVERT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"
#include "write/output_file.h"

/* Convert IMAGE, an ET_REL file opened from output->input, to OUTPUT; as
   location_convert.  */
bool object_convert (const struct image *image,
                     const struct output_request *output,
                     const struct cfi2sframe_options *options,
                     struct cfi2sframe_report *report, struct error *err);

/* Convert IMAGE as object_convert does, and write to the empty file FD.  */
bool object_convert_to (const struct image *image,
                        const struct cfi2sframe_options *options,
                        struct cfi2sframe_report *report, int fd,
                        struct error *err);

/* Make the section alone, with the starts left to the linker.  SECTION is
   freed by the caller in any case.  */
bool object_convert_section (const struct image *image,
                             const struct cfi2sframe_options *options,
                             struct buffer *section,
                             struct cfi2sframe_report *report,
                             struct error *err);

#endif /* CONVERT_OBJECT_CONVERT_H */
