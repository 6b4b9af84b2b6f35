/* Whether a piece of code makes calls.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "compact-unwind/calls.h"

#include "base/bytes.h"

enum
{
  CALL_RELATIVE = 0xe8, /* Intel SDM volume 2, CALL; a 32-bit displacement */
  CALL_RELATIVE_SIZE = 5,
  GROUP_5 = 0xff /* with /2 a near call, with /3 a far one */
};

/* Whether a call may begin at byte I of the SIZE bytes CODE at ADDRESS.  The
   target of a relative call must be code; by this most displacements and
   immediates that have the byte of a call are told apart.  */
static bool
amd64_may_call (const struct image *image, const uint8_t *code, uint64_t size,
                uint64_t address, uint64_t i)
{
  if (code[i] == GROUP_5 && size - i >= 2)
    return (code[i + 1] >> 3 & 6) == 2;
  if (code[i] != CALL_RELATIVE || size - i < CALL_RELATIVE_SIZE)
    return false;
  int32_t displacement = (int32_t)load_u32 (code + i + 1, false);
  uint64_t target
      = address + i + CALL_RELATIVE_SIZE + (uint64_t)(int64_t)displacement;
  return image_is_executable (image, target, 1);
}

/* Whether the SIZE bytes of CODE are instructions, up to the last byte, and
   none of them a call.  */
static bool
amd64_decodes_without_call (const uint8_t *code, uint64_t size)
{
  for (uint64_t i = 0; i < size;)
    {
      bool is_call;
      unsigned step
          = arch_amd64.instruction_size (code + i, size - i, &is_call);
      if (step == 0 || is_call)
        return false;
      i += step;
    }
  return true;
}

static bool
amd64_calls_none (const struct image *image, const uint8_t *code,
                  uint64_t size, uint64_t address)
{
  if (amd64_decodes_without_call (code, size))
    return true;
  for (uint64_t i = 0; i < size; i++)
    if (amd64_may_call (image, code, size, address, i))
      return false;
  return true;
}

bool
calls_none (const struct image *image, uint64_t address, uint64_t size)
{
  int32_t distance;
  const uint8_t *code = image_bytes_at (image, address, size);
  if (code == NULL)
    return false;
  if (image->arch == &arch_amd64)
    return amd64_calls_none (image, code, size, address);
  if (size % 4 != 0)
    return false;
  for (uint64_t i = 0; i < size; i += 4)
    if (image->arch->may_end_call (code + i, 4, &distance))
      return false;
  return true;
}
