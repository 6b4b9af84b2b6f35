/* What the conversion of a large file can do while its section is made.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/early.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "elf/inject.h"

enum
{
  /* Below, a thread costs more than it gains.  */
  SIZE_MIN = 4 << 20,
  /* Bytes under way at once: they stay in the processor's cache.  */
  CHUNK = 128 << 10
};

/* Read up to CHUNK bytes at OFFSET.  0 at the end, after a failure, and when
   nobody is interested any more.  */
static size_t
read_chunk (struct early *early, uint8_t *bytes, uint64_t offset)
{
  ssize_t got = -1;
  while (got < 0 && !atomic_load (&early->cancelled))
    {
      got = pread (early->image->fd, bytes, CHUNK, (off_t)offset);
      if (got < 0 && errno != EINTR)
        return 0;
    }
  return got < 0 ? 0 : (size_t)got;
}

/* Digest the file and, if COPIES, write what was read to the new one.  */
static void
read_all (struct early *early, bool copies, uint8_t *bytes)
{
  struct error ignored = { 0 };
  uint64_t at = 0;
  for (size_t got; (got = read_chunk (early, bytes, at)) > 0; at += got)
    {
      hash_add (&early->hash, bytes, got);
      copies
          = copies && io_write_at (early->file.fd, bytes, got, at, &ignored);
    }
  early->digested = at == early->image->size;
  early->copied |= copies && early->digested;
}

static void
work (void *argument)
{
  struct early *early = argument;
  uint8_t *bytes = malloc (CHUNK);
  if (bytes == NULL)
    return;
  hash_init (&early->hash);
  early->copied
      = early->has_file && inject_clone (early->image, early->file.fd);
  /* Holes would be filled; inject_write knows how to keep them.  */
  read_all (early,
            early->has_file && !early->copied
                && !inject_has_holes (early->image),
            bytes);
  free (bytes);
}

void
early_start (struct early *early, const struct image *image,
             const char *target)
{
  struct image_eh_frame found;
  struct error ignored = { 0 };
  /* Without CFI there will be no conversion.  */
  if (image->size < SIZE_MIN || image->fd < 0 || image->arch == NULL
      || !image_find_eh_frame (image, &found, &ignored) || found.size == 0)
    return;
  early->image = image;
  early->has_file
      = target != NULL && output_file_create (&early->file, target, &ignored);
  background_start (&early->background, work, early);
}

bool
early_digest (struct early *early, uint64_t *digest)
{
  background_wait (&early->background);
  if (early->digested)
    *digest = hash_value (&early->hash);
  return early->digested;
}

bool
early_take_file (struct early *early, struct output_file *file, bool *copy)
{
  background_wait (&early->background);
  if (!early->has_file)
    return false;
  early->has_file = false;
  *file = early->file;
  *copy = early->copied;
  /* A part of the copy may be there.  */
  if (*copy || ftruncate (file->fd, 0) == 0)
    return true;
  output_file_discard (file);
  return false;
}

void
early_end (struct early *early)
{
  atomic_store (&early->cancelled, true);
  background_wait (&early->background);
  if (early->has_file)
    output_file_discard (&early->file);
  early->has_file = false;
}
