/* What the conversion of a large file can do while its section is made.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/copy_ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "write/inject.h"

enum
{
  /* Bytes that are read, digested and written at a time: so many stay in the
     processor's cache.  */
  CHUNK = 128 << 10
};

/* Read up to CHUNK bytes at OFFSET.  0 at the end, after a failure, and after
   copy_ahead_end.  */
static size_t
read_chunk (struct copy_ahead *ahead, uint8_t *bytes, uint64_t offset)
{
  ssize_t got = -1;
  while (got < 0 && !atomic_load (&ahead->cancelled))
    {
      got = pread (ahead->image->fd, bytes, CHUNK, (off_t)offset);
      if (got < 0 && errno != EINTR)
        return 0;
    }
  return got < 0 ? 0 : (size_t)got;
}

/* Digest the file and, if COPIES, write what was read to the new one.  */
static void
read_all (struct copy_ahead *ahead, bool copies, uint8_t *bytes,
          XXH64_state_t *state)
{
  struct error ignored = { 0 };
  uint64_t at = 0;
  XXH64_reset (state, 0);
  for (size_t got; (got = read_chunk (ahead, bytes, at)) > 0; at += got)
    {
      XXH64_update (state, bytes, got);
      copies
          = copies && io_write_at (ahead->file.fd, bytes, got, at, &ignored);
    }
  ahead->digested = at == ahead->image->size;
  ahead->digest = XXH64_digest (state);
  ahead->copied |= copies && ahead->digested;
}

static void
digest_and_copy (void *argument)
{
  struct copy_ahead *ahead = argument;
  uint8_t *bytes = malloc (CHUNK);
  XXH64_state_t *state = XXH64_createState ();
  if (bytes != NULL && state != NULL)
    {
      ahead->copied
          = ahead->has_file && inject_clone (ahead->image, ahead->file.fd);
      /* Holes would be filled; inject_write knows how to keep them.  */
      read_all (ahead,
                ahead->has_file && !ahead->copied
                    && !inject_has_holes (ahead->image),
                bytes, state);
    }
  XXH64_freeState (state);
  free (bytes);
}

void
copy_ahead_start (struct copy_ahead *ahead, const struct image *image,
                  const struct file_location *target)
{
  struct image_eh_frame found;
  struct error ignored = { 0 };
  /* Without CFI there will be no conversion.  */
  if (image->size < AHEAD_SIZE_MIN || image->fd < 0 || image->arch == NULL
      || !image_find_eh_frame (image, &found, &ignored) || found.size == 0)
    return;
  ahead->image = image;
  ahead->has_file
      = target != NULL && output_file_create (&ahead->file, target, &ignored);
  background_start (&ahead->background, digest_and_copy, ahead);
}

bool
copy_ahead_digest (struct copy_ahead *ahead, uint64_t *digest)
{
  background_wait (&ahead->background);
  if (ahead->digested)
    *digest = ahead->digest;
  return ahead->digested;
}

bool
copy_ahead_take_file (struct copy_ahead *ahead, struct output_file *file,
                      bool *copy)
{
  background_wait (&ahead->background);
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
  atomic_store (&ahead->cancelled, true);
  background_wait (&ahead->background);
  if (ahead->has_file)
    output_file_discard (&ahead->file);
  ahead->has_file = false;
}
