/* Checks whether the readers that --for names accept a section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A set of readers has a bit for each number of enum cfi2sframe_reader.
   sframe/readers.h has the rules of each reader.  */

#ifndef CONVERT_FOR_READERS_H
#define CONVERT_FOR_READERS_H

#include <stdbool.h>

#include "base/error.h"
#include "elf/image.h"
#include "sframe/decode.h"

/* Return the name of reader NUMBER, from 0 on; NULL for other numbers.  */
const char *for_readers_name (unsigned number);

/* Whether each bit of READERS stands for a reader.  */
bool for_readers_are_known (unsigned readers);

/* Set *FORMAT to the newest format that all READERS accept; without READERS it
   stays.  False with CFI2SFRAME_INVALID if there is no such format.  */
bool for_readers_format (unsigned readers, enum cfi2sframe_format *format,
                         struct error *err);

/* Check whether READERS can use any section of IMAGE.  */
bool for_readers_check_file (unsigned readers, const struct image *image,
                             struct error *err);

/* Check whether READERS accept the section of SIZE BYTES at ADDRESS.  */
bool for_readers_check_section (unsigned readers, const void *bytes,
                                uint64_t size, uint64_t address,
                                struct error *err);

/* Write to the SIZE bytes of TEXT a line for each property of IMAGE and its
   section, which DECODER reads, that READERS would refuse, misread or not
   find.  LEFT_OUT says that some code with CFI has no rows.  If a reader would
   refuse or misread something, return false with the first such line as
   CFI2SFRAME_MISMATCH.  */
bool for_readers_audit (unsigned readers, const struct image *image,
                        const struct sframe_decoder *decoder, bool left_out,
                        char *text, size_t size, struct error *err);

#endif /* CONVERT_FOR_READERS_H */
