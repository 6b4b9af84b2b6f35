/* Copies of a program's memory, which stay as they were when it runs on.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_MEMORY_H
#define STACKS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_region; /* opaque */

struct memory
{
  /* The function that reads the program as long as `open' is set: at most SIZE
     bytes from ADDRESS on, up to the first that cannot be read.  Returns how
     many.  */
  size_t (*fetch) (void *source, uint64_t address, void *to, size_t size);
  void *source;
  bool open;
  /* Set when something was asked for that was not copied, although the program
     has it.  */
  bool missed;
  /* Missing bytes are copied in pieces of this size, a power of two; 0: 16
     KiB.  */
  size_t chunk;
  uint64_t most;   /* bytes of all copies; 0: 1 GiB */
  uint64_t copied; /* so many they are */
  bool full;       /* something was not copied, because there are so many */
  struct memory_region *regions; /* owned; ascending, disjoint */
  size_t n_regions, capacity;
  size_t latest; /* number of the region that was read last */
};

/* Copy SIZE bytes from ADDRESS on, or as many of them as there are; what was
   copied before stays.  */
void memory_copy (struct memory *memory, uint64_t address, size_t size);

/* Make the SIZE bytes at BYTES, which stay the caller's, the memory from
   ADDRESS on.  False when memory ran out, or a part of that range has
   contents already.  */
bool memory_add (struct memory *memory, uint64_t address, const void *bytes,
                 size_t size);

/* Read SIZE bytes of the copies.  While MEMORY is open, missing bytes are
   copied first.  */
bool memory_read (struct memory *memory, uint64_t address, void *to,
                  size_t size);

/* Read what does not change while the program runs, as its code: from the
   program as it is now, or else from the copies.  At most SIZE bytes, up to
   the first that is not there.  Returns how many.  */
size_t memory_read_now (struct memory *memory, uint64_t address, void *to,
                        size_t size);

/* Drop all copies.  */
void memory_forget (struct memory *memory);

/* Drop all copies and release what MEMORY owns.  */
void memory_free (struct memory *memory);

#endif /* STACKS_MEMORY_H */
