/* What the conversion of a large file can do while its section is made.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/copy_ahead.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "write/inject.h"

#ifndef MADV_POPULATE_READ
#  define MADV_POPULATE_READ 22 /* Linux 5.14; glibc has it since 2.35 */
#endif

enum
{
  /* Bytes that are read or written at a time; in between the work can be
     cancelled.  */
  CHUNK = 1 << 20
};

/* How many bytes of the image the chunk at OFFSET has: 0 at the end, and after
   copy_ahead_cancel.  */
static size_t
chunk_size (struct copy_ahead *ahead, uint64_t offset)
{
  uint64_t left = ahead->image->size - offset;
  return atomic_load (&ahead->cancelled) ? 0 : left < CHUNK ? left : CHUNK;
}

/* Have all bytes of the image read and mapped.  Older kernels cannot (EINVAL):
   then that happens while the bytes are digested.  */
static bool
map_all (struct copy_ahead *ahead)
{
  uint64_t at = 0;
  for (size_t size; (size = chunk_size (ahead, at)) > 0; at += size)
    if (madvise ((void *)(ahead->image->bytes + at), size, MADV_POPULATE_READ)
            != 0
        && errno != EINVAL)
      return false;
  return at == ahead->image->size;
}

static bool
copy_all (struct copy_ahead *ahead)
{
  struct error ignored = { 0 };
  uint64_t at = 0;
  for (size_t size; (size = chunk_size (ahead, at)) > 0; at += size)
    if (!io_write_at (ahead->file.fd, ahead->image->bytes + at, size, at,
                      &ignored))
      return false;
  return at == ahead->image->size;
}

void
copy_ahead_prepare (struct copy_ahead *ahead, const struct image *image,
                    const struct output_request *target)
{
  struct image_eh_frame found;
  struct error ignored = { 0 };
  /* Without CFI there will be no conversion.  */
  if (image->fd < 0 || image->arch == NULL
      || !image_find_eh_frame (image, &found, &ignored) || found.size == 0)
    return;
  ahead->image = image;
  ahead->has_file = output_file_begin (&ahead->file, target, &ignored);
}

void
copy_ahead_run (struct copy_ahead *ahead)
{
  const struct image *image = ahead->image;
  if (image == NULL)
    return;
  ahead->copied = ahead->has_file && inject_clone (image, ahead->file.fd);
  if (!map_all (ahead))
    return;
  ahead->digest = hash_digest (image->bytes, image->size);
  ahead->digested = true;
  /* Holes would be filled; inject_write knows how to keep them.  */
  if (ahead->has_file && !ahead->copied && !inject_has_holes (image))
    ahead->copied = copy_all (ahead);
}

void
copy_ahead_cancel (struct copy_ahead *ahead)
{
  atomic_store (&ahead->cancelled, true);
}

bool
copy_ahead_digest (const struct copy_ahead *ahead, uint64_t *digest)
{
  if (ahead->digested)
    *digest = ahead->digest;
  return ahead->digested;
}

bool
copy_ahead_take_file (struct copy_ahead *ahead, struct output_file *file,
                      bool *copy)
{
  if (!ahead->has_file)
    return false;
  ahead->has_file = false;
  *file = ahead->file;
  *copy = ahead->copied;
  /* The file may have a part of the copy.  */
  if (*copy || ftruncate (file->fd, 0) == 0)
    return true;
  output_file_discard (file);
  return false;
}

void
copy_ahead_end (struct copy_ahead *ahead)
{
  if (ahead->has_file)
    output_file_discard (&ahead->file);
  ahead->has_file = false;
}
