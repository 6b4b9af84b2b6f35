/* What the keys of a profile's nodes stand for: profile makes them,
   profile_names reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PROFILE_KEYS_H
#define STACKS_PROFILE_KEYS_H

#include <stdint.h>

#include "sframewalk.h"

/* Keys of nodes: an address in the kernel, without its two highest bits, which
   are equal to the next one, if KEY_KERNEL is set and no higher bit; otherwise
   the number of a file (from 1 on; 0: not known) or a kind, and in the lower
   bits the offset of a call or what else tells it apart.  */
#define KEY_KERNEL (UINT64_C (1) << 62)
enum
{
  KEY_OFFSET_BITS = 48,
  KEY_FILES_MAX = (1 << 14) - 1,
  KEY_OF_THREAD = 1 << 15, /* the number of a thread */
  KEY_OF_PROCESS,          /* that of a process's name */
  KEY_OF_END,              /* why a walk ended, or one of the next */
  KEY_NO_CODE
  = SFW_INVALID + 1, /* a frame that is none: its caller is a guess */
  KEY_PREEMPTED      /* what is not on a processor, for want of one */
};

static inline uint64_t
profile_key (unsigned kind, uint64_t offset)
{
  const uint64_t most = (UINT64_C (1) << KEY_OFFSET_BITS) - 1;
  return (uint64_t)kind << KEY_OFFSET_BITS | (offset & most);
}

#endif /* STACKS_PROFILE_KEYS_H */
