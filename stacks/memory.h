/* Copies of a process's memory, which stay the same when the process goes on
   running.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_MEMORY_H
#define STACKS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_region; /* opaque */

struct memory
{
  /* Reads the process's memory, from ADDRESS on, at most SIZE bytes up to the
     first that cannot be read.  Returns how many.  NULL: no process.  */
  size_t (*fetch) (void *source, uint64_t address, void *to, size_t size);
  void *source;
  bool open;
  /* Set when a read failed for bytes that the process has but no copy.  */
  bool missed;
  /* Size of the pieces in which missing bytes are copied while OPEN, a power
     of two; 0: 16 KiB.  */
  size_t chunk;
  uint64_t limit;     /* limit on the bytes of all copies; 0: 1 GiB */
  uint64_t copied;    /* bytes of all copies */
  bool limit_reached; /* something was not copied because of the limit */
  struct memory_region *regions; /* owned; ascending, disjoint */
  size_t n_regions, capacity;
  size_t last_read; /* index of the region that was read last */
};

/* Copy SIZE bytes from ADDRESS on, up to the first that cannot be read.  Bytes
   that were copied before stay as they are.  */
void memory_copy (struct memory *memory, uint64_t address, size_t size);

/* Use the SIZE bytes at BYTES, which stay the caller's, as the memory from
   ADDRESS on.  False when memory ran out, or if part of the range has contents
   already.  */
bool memory_add (struct memory *memory, uint64_t address, const void *bytes,
                 size_t size);

/* Read SIZE bytes of the copies to TO.  While MEMORY is open, missing bytes
   are copied first.  False if bytes are missing.  */
bool memory_read (struct memory *memory, uint64_t address, void *to,
                  size_t size);

/* Read memory that does not change while the process runs, as its code: from
   the process as it is now or, if there is none, from the copies.  Read at
   most SIZE bytes, up to the first that is not there.  Return how many.  */
size_t memory_read_now (struct memory *memory, uint64_t address, void *to,
                        size_t size);

/* Drop all copies.  */
void memory_forget (struct memory *memory);

/* Drop all copies and release what MEMORY owns.  */
void memory_free (struct memory *memory);

#endif /* STACKS_MEMORY_H */
