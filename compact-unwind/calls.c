/* Whether a piece of code makes calls.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/calls.h"

/* Whether the SIZE bytes of CODE are instructions, up to the last byte, and
   none of them a call.  */
static bool
decodes_without_call (const struct arch *arch, const uint8_t *code,
                      uint64_t size)
{
  for (uint64_t i = 0; i < size;)
    {
      bool is_call;
      unsigned step = arch->instruction_size (code + i, size - i, &is_call);
      if (step == 0 || is_call)
        return false;
      i += step;
    }
  return true;
}

/* Whether the SIZE bytes of CODE at ADDRESS may end in a call.  Where
   instructions differ in size, the target of a relative call must be code; by
   this most displacements and immediates that have the byte of a call are told
   apart.  */
static bool
may_end_in_call (const struct image *image, const uint8_t *code, uint64_t size,
                 uint64_t address)
{
  const struct arch *arch = image->arch;
  int32_t distance;
  if (!arch->may_end_call (code, size, &distance))
    return false;
  uint64_t target = address + size + (uint64_t)(int64_t)distance;
  return arch->instruction_size == NULL || distance == 0
         || image_is_executable (image, target, 1);
}

bool
calls_none (const struct image *image, uint64_t address, uint64_t size)
{
  const struct arch *arch = image->arch;
  const uint64_t step = arch->smallest_instruction;
  const uint8_t *code = image_bytes_at (image, address, size);
  if (code == NULL || size % step != 0)
    return false;
  if (arch->instruction_size != NULL
      && decodes_without_call (arch, code, size))
    return true;
  for (uint64_t end = step; end <= size; end += step)
    if (may_end_in_call (image, code, end, address))
      return false;
  return true;
}
