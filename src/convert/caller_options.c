/* Options of callers compiled with another version of the header.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/caller_options.h"

#include <string.h>

#include "convert/for_readers.h"
#include "sframe/formats.h"

enum
{
  SIZE_LEAST = offsetof (struct cfi2sframe_options, no_share)
};

/* Whether the caller's members behind ours are off.  */
static bool
rest_is_zero (const struct cfi2sframe_options *given)
{
  const unsigned char *bytes = (const unsigned char *)given;
  for (size_t i = sizeof *given; i < given->size; i++)
    if (bytes[i] != 0)
      return false;
  return true;
}

bool
options_take (struct cfi2sframe_options *own,
              const struct cfi2sframe_options *given, struct error *err)
{
  cfi2sframe_options_init (own);
  if (given->size < SIZE_LEAST || given->size > CALLER_SIZE_MOST)
    return error_set (err, CFI2SFRAME_INVALID, "options were not initialised");
  if (!rest_is_zero (given))
    return error_set (err, CFI2SFRAME_INVALID,
                      "an option that this version of the library lacks");
  memcpy (own, given, given->size < sizeof *own ? given->size : sizeof *own);
  own->size = sizeof *own;
  if ((unsigned)own->format >= N_FORMATS)
    return error_set (err, CFI2SFRAME_INVALID, "unknown format %u",
                      (unsigned)own->format);
  if (!for_readers_are_known (own->readers))
    return error_set (err, CFI2SFRAME_INVALID, "unknown readers 0x%x",
                      own->readers);
  if ((unsigned)own->debug_info > CFI2SFRAME_DEBUG_INFO_NONE)
    return error_set (err, CFI2SFRAME_INVALID, "unknown debug_info %u",
                      (unsigned)own->debug_info);
  if ((unsigned)own->sync > CFI2SFRAME_SYNC_NONE)
    return error_set (err, CFI2SFRAME_INVALID, "unknown sync %u",
                      (unsigned)own->sync);
  return true;
}
