/* Bytes that look like the end of a call.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ELF_CALL_BYTES_H
#define ELF_CALL_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/image.h"

/* Whether the SIZE bytes of CODE, which are IMAGE's at ADDRESS, may end in a
   call (arch.h).  The target of a relative call must be code: by this most
   displacements and immediates that have the byte of a call are told apart.
   *TARGET is that target, or 0 where the bytes do not tell one.  */
static inline bool
image_may_end_call (const struct image *image, const uint8_t *code,
                    uint64_t size, uint64_t address, uint64_t *target)
{
  int32_t distance;
  if (!image->arch->may_end_call (code, size, &distance))
    return false;
  *target = distance ? address + size + (uint64_t)(int64_t)distance : 0;
  return distance == 0 || image_is_executable (image, *target, 1);
}

#endif /* ELF_CALL_BYTES_H */
