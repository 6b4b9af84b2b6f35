/* What the conversion of a large file can do while its section is made.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/early.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "elf/inject.h"

enum
{
  /* Below, a thread costs more than it gains.  */
  SIZE_MIN = 4 << 20,
  /* Bytes between two looks at `cancelled`.  */
  STEP = 4 << 20
};

/* Map the pages of a range at once: cheaper than a page fault for every few
   of them.  Older kernels do not know how.  */
static void
populate (const uint8_t *bytes, uint64_t size)
{
#ifdef MADV_POPULATE_READ
  uintptr_t page = (uintptr_t)sysconf (_SC_PAGESIZE);
  uintptr_t skip = (uintptr_t)bytes & (page - 1);
  madvise ((void *)(bytes - skip), size + skip, MADV_POPULATE_READ);
#else
  (void)bytes;
  (void)size;
#endif
}

static void
make_digest (void *argument)
{
  struct early *early = argument;
  const struct image *image = early->image;
  struct hash hash;
  hash_init (&hash);
  for (uint64_t at = 0; at < image->size && !atomic_load (&early->cancelled);)
    {
      uint64_t size = image->size - at < STEP ? image->size - at : STEP;
      populate (image->bytes + at, size);
      hash_add (&hash, image->bytes + at, (size_t)size);
      at += size;
    }
  early->digest = hash_value (&hash);
}

static void
make_copy (void *argument)
{
  struct early *early = argument;
  struct error ignored = { 0 };
  early->copied = inject_copy (early->image, early->file.fd, STEP,
                               &early->cancelled, &ignored);
}

void
early_start (struct early *early, const struct image *image,
             const char *target)
{
  struct image_eh_frame found;
  struct error ignored = { 0 };
  /* Without CFI there will be no conversion.  */
  if (image->size < SIZE_MIN || image->arch == NULL
      || !image_find_eh_frame (image, &found, &ignored) || found.size == 0)
    return;
  early->image = image;
  background_start (&early->digesting, make_digest, early);
  if (target == NULL || !output_file_create (&early->file, target, &ignored))
    return;
  early->has_file = true;
  background_start (&early->copying, make_copy, early);
}

bool
early_digest (struct early *early, uint64_t *digest)
{
  background_wait (&early->digesting);
  *digest = early->digest;
  return early->image != NULL;
}

bool
early_take_file (struct early *early, struct output_file *file, bool *copy)
{
  background_wait (&early->copying);
  if (!early->has_file)
    return false;
  early->has_file = false;
  *file = early->file;
  *copy = early->copied;
  if (*copy)
    return true;
  /* A part of the copy may be there.  */
  if (ftruncate (file->fd, 0) == 0)
    return true;
  output_file_discard (file);
  return false;
}

void
early_end (struct early *early)
{
  atomic_store (&early->cancelled, true);
  background_wait (&early->digesting);
  background_wait (&early->copying);
  if (early->has_file)
    output_file_discard (&early->file);
  early->has_file = false;
  early->image = NULL;
}
