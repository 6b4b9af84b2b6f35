/* Sections for readers that are named (--for).
   SPDX-License-Identifier: LGPL-2.1-or-later

   A set of readers is a bit for each number of enum cfi2sframe_reader.  What
   readers take is in sframe/readers.h.  */

#ifndef CONVERT_FOR_READERS_H
#define CONVERT_FOR_READERS_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "sframe/decode.h"

/* The name of reader NUMBER, counted from 0; NULL behind the last one.  */
const char *for_readers_name (unsigned number);

/* Whether each bit of READERS is a reader's.  */
bool for_readers_are_known (unsigned readers);

/* The newest format that all READERS take; *FORMAT stays as it is without
   any.  False with CFI2SFRAME_INVALID when there is none.  */
bool for_readers_format (unsigned readers, enum cfi2sframe_format *format,
                         struct error *err);

/* Whether READERS would take a section for IMAGE, whatever is in it.  */
bool for_readers_check_file (unsigned readers, const struct image *image,
                             struct error *err);

/* Whether READERS take the section of SIZE bytes at ADDRESS.  */
bool for_readers_check_section (unsigned readers, const void *bytes,
                                uint64_t size, uint64_t address,
                                struct error *err);

/* What READERS would refuse, misread or not find in IMAGE and its section
   behind DECODER, a line for each in the SIZE bytes of TEXT.  LEFT_OUT: code
   with CFI has no rows.  False, and the first line as CFI2SFRAME_MISMATCH,
   when a reader would refuse or misread something.  */
bool for_readers_audit (unsigned readers, const struct image *image,
                        const struct sframe_decoder *decoder, bool left_out,
                        char *text, size_t size, struct error *err);

#endif /* CONVERT_FOR_READERS_H */
