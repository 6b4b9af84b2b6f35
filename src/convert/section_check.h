/* Whether the .sframe that a file has is right, and of use to readers.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_SECTION_CHECK_H
#define CONVERT_SECTION_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
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

#endif /* CONVERT_SECTION_CHECK_H */
