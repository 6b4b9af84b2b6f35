/* Memory between pages that nobody may read or write.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What goes beyond either end of it ends the test.  */

#ifndef GUARDED_H
#define GUARDED_H

#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit_test.h"

struct guarded
{
  uint8_t *begin, *end;
};

/* SIZE bytes or more, whole pages, all 0.  */
static inline struct guarded
guarded_memory (size_t size)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  size_t room = (size + page - 1) / page * page;
  uint8_t *pages = mmap (NULL, room + 2 * page, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (pages != MAP_FAILED);
  assert_int_equal (mprotect (pages + page, room, PROT_READ | PROT_WRITE), 0);
  return (struct guarded){ pages + page, pages + page + room };
}

static inline void
guarded_free (struct guarded memory)
{
  size_t page = (size_t)sysconf (_SC_PAGESIZE);
  munmap (memory.begin - page, (size_t)(memory.end - memory.begin) + 2 * page);
}

#endif
