/* Reading numbers of this machine's byte order.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_PERFDATA_NATIVE_H
#define STACKS_PERFDATA_NATIVE_H

#include "base/bytes.h"

static inline struct cursor
perf_cursor (const uint8_t *bytes, size_t size)
{
  return cursor_over (bytes, size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

#endif /* STACKS_PERFDATA_NATIVE_H */
