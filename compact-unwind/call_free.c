/* Code that makes no calls.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/call_free.h"

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

bool
code_has_no_call (const struct image *image, uint64_t address, uint64_t size)
{
  const struct arch *arch = image->arch;
  const uint64_t step = arch->smallest_instruction;
  const uint8_t *code = image_bytes_at (image, address, size);
  if (code == NULL || size % step != 0)
    return false;
  if (arch->instruction_size != NULL
      && decodes_without_call (arch, code, size))
    return true;
  uint64_t target;
  for (uint64_t end = step; end <= size; end += step)
    if (image_may_end_call (image, code, end, address, &target))
      return false;
  return true;
}
