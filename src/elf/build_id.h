/* The build-id of a file: the note that tells which code is in it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_BUILD_ID_H
#define ELF_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  BUILD_ID_SIZE_MAX = 64, /* linkers write 8 to 32 bytes */
  BUILD_ID_DIGITS_SIZE = 2 * BUILD_ID_SIZE_MAX + 1
};

struct build_id
{
  const uint8_t *bytes; /* in the image's bytes */
  size_t size;          /* 0 without a build-id */
};

/* The build-id of IMAGE, from its sections or, in a file without sections,
   its segments.  */
struct build_id build_id_find (const struct image *image);

/* Whether A and B are one build-id; also when both are none.  */
bool build_id_equal (const struct build_id *a, const struct build_id *b);

/* Write ID to DIGITS in hexadecimal digits, by which files are found.  */
void build_id_digits (const struct build_id *id,
                      char digits[BUILD_ID_DIGITS_SIZE]);

#endif /* ELF_BUILD_ID_H */
