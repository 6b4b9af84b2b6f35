/* Checking an existing .sframe, and deciding whether it is to be replaced.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_SECTION_CHECK_H
#define CONVERT_SECTION_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "cfi/source.h"
#include "convert/input.h"
#include "elf/image.h"
#include "sframe/decode.h"

/* Return why readers cannot use the .sframe of IMAGE, a linked file, that
   DECODER reads; NULL if they can.  Readers find the section by PT_GNU_SFRAME
   and search its sorted table.  */
const char *section_why_useless (const struct image *image,
                                 const struct sframe_decoder *decoder);

/* Whether IMAGE, a linked file, has an .sframe that readers use.  Otherwise
   they look for a detached section.  */
bool section_is_usable (const struct image *image);

/* Compare the .sframe of IMAGE, a linked file or an object, with the CFI that
   CFI_OPTIONS choose.  RESULT must be zero at first.  Set *USELESS to the
   result of section_why_useless; NULL for an object.  Status
   CFI2SFRAME_NOTHING without CFI.  */
bool section_compare (const struct image *image,
                      const struct cfi_options *cfi_options,
                      const char **useless,
                      struct cfi2sframe_check_result *result,
                      struct error *err);

/* Check whether the .sframe of IMAGE suits READERS, and write the text of
   for_readers_audit to the SIZE bytes of TEXT.  LEFT_OUT as there.  True
   without READERS, and for objects: no reader sees theirs.  */
bool section_check_readers (const struct image *image, unsigned readers,
                            bool left_out, char *text, size_t size,
                            struct error *err);

/* Check whether the options of INPUT, which has an .sframe, ask for a new one
   in its place.  Some linkers leave sections that no reader can use or that
   describe next to nothing, because they concatenate the sections of their
   inputs, or find some in a crt file only.  Sections of this program are
   checked as well, because they may have been damaged since.  Status
   CFI2SFRAME_NOTHING if the section stays; then the report's `existing' names
   its fault, if it has one.  */
bool section_check_replacing (const struct input *input, struct error *err);

#endif /* CONVERT_SECTION_CHECK_H */
