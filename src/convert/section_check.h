/* Whether the .sframe that a file has is right and of use to readers, and
   whether it is to be replaced.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_SECTION_CHECK_H
#define CONVERT_SECTION_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
#include "convert/input.h"
#include "elf/image.h"
#include "sframe/decode.h"

/* Why readers, which look for PT_GNU_SFRAME and search in a sorted table,
   cannot use the .sframe of IMAGE, a linked file, behind DECODER; NULL if they
   can.  */
const char *section_why_useless (const struct image *image,
                                 const struct sframe_decoder *decoder);

/* Whether IMAGE, a linked file, has an .sframe that readers use.  Where it has
   none, readers look for a detached section.  */
bool section_is_of_use (const struct image *image);

/* Compare the .sframe of IMAGE, a linked file or an object, with the CFI that
   CFI_OPTIONS choose; RESULT is zero at first.  *USELESS is what
   section_why_useless returns, and NULL for an object.  Status
   CFI2SFRAME_NOTHING without CFI.  */
bool section_compare (const struct image *image,
                      const struct cfi_options *cfi_options,
                      const char **useless,
                      struct cfi2sframe_check_result *result,
                      struct error *err);

/* Whether READERS, if any are named, take the .sframe of IMAGE; TEXT gets what
   for_readers_audit says.  Objects have none that readers see.  */
bool section_check_readers (const struct image *image, unsigned readers,
                            bool left_out, char *text, size_t size,
                            struct error *err);

/* Whether the .sframe of INPUT, which has one, is to be replaced according to
   its options.  Linkers that glue the sections of their inputs together, or
   that find some in a crt file only, leave sections that no reader can use or
   that describe next to nothing.  It does not matter which program made the
   section, because it may have been damaged since.  Status CFI2SFRAME_NOTHING
   if it stays; then the report's `existing' says what is wrong with it, if
   anything is.  */
bool section_check_replacing (const struct input *input, struct error *err);

#endif /* CONVERT_SECTION_CHECK_H */
