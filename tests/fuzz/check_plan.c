/* What every layout plan must keep to, and carrying one out by its definition.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "tests/inject_file_check.h"
#include "write/inject.h"
#include "write/undo.h"

struct part
{
  uint64_t begin, end;
};

static int
compare_parts (const void *a, const void *b)
{
  const struct part *left = a, *right = b;
  return (left->begin > right->begin) - (left->begin < right->begin);
}

/* No byte of the old file in two places.  */
static void
check_old_parts (const struct plan *plan)
{
  struct part *parts = calloc (plan->n_extents + 1, sizeof *parts);
  FUZZ_CHECK (parts != NULL);
  for (size_t i = 0; i < plan->n_extents; i++)
    parts[i]
        = (struct part){ plan->extents[i].old_offset,
                         plan->extents[i].old_offset + plan->extents[i].size };
  qsort (parts, plan->n_extents, sizeof *parts, compare_parts);
  for (size_t i = 1; i < plan->n_extents; i++)
    FUZZ_CHECK (parts[i].begin >= parts[i - 1].end);
  free (parts);
}

static bool
touches_sframe (const struct plan *plan, uint64_t offset, uint64_t size)
{
  return size > 0 && plan->sframe_size > 0
         && offset < plan->sframe_offset + plan->sframe_size
         && offset + size > plan->sframe_offset;
}

void
fuzz_check_plan (const struct plan *plan, const struct image *image)
{
  uint64_t at = 0;
  FUZZ_CHECK (plan->new_size <= INT64_MAX);
  FUZZ_CHECK (plan->sframe_size <= plan->new_size
              && plan->sframe_offset <= plan->new_size - plan->sframe_size);
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct plan_extent *extent = &plan->extents[i];
      FUZZ_CHECK (extent->size > 0 && extent->new_offset >= at
                  && extent->size <= plan->new_size
                  && extent->new_offset <= plan->new_size - extent->size);
      FUZZ_CHECK (extent->size <= image->size
                  && extent->old_offset <= image->size - extent->size);
      FUZZ_CHECK (!touches_sframe (plan, extent->new_offset, extent->size));
      at = extent->new_offset + extent->size;
    }
  if (plan->sframe_size > 0)
    check_old_parts (plan); /* a record may say otherwise */
  for (size_t i = 0; i < plan->n_patches; i++)
    {
      const struct plan_patch *patch = &plan->patches[i];
      FUZZ_CHECK (patch->size <= plan->new_size
                  && patch->offset <= plan->new_size - patch->size);
      FUZZ_CHECK (!touches_sframe (plan, patch->offset, patch->size));
    }
}

uint8_t *
fuzz_make_file (const struct plan *plan, const struct image *image,
                const void *sframe)
{
  uint8_t *bytes = calloc (1, plan->new_size + 1);
  FUZZ_CHECK (bytes != NULL);
  for (size_t i = 0; i < plan->n_extents; i++)
    memcpy (bytes + plan->extents[i].new_offset,
            image->bytes + plan->extents[i].old_offset, plan->extents[i].size);
  for (size_t i = 0; i < plan->n_patches; i++)
    memcpy (bytes + plan->patches[i].offset, plan->patches[i].bytes,
            plan->patches[i].size);
  if (plan->sframe_size > 0)
    memcpy (bytes + plan->sframe_offset, sframe, plan->sframe_size);
  return bytes;
}

int
fuzz_write_file (const struct plan *plan, const struct image *image,
                 const void *sframe)
{
  struct error err = { 0 };
  if (plan->new_size > FUZZ_FILE_MAX)
    return -1;
  int fd = memfd_create ("fuzz", MFD_CLOEXEC);
  FUZZ_CHECK (fd >= 0);
  FUZZ_DONE (inject_write (image, plan, sframe, fd, &err), &err);
  FUZZ_CHECK (lseek (fd, 0, SEEK_END) == (off_t)plan->new_size);
  uint8_t *expected = fuzz_make_file (plan, image, sframe);
  if (plan->new_size > 0)
    {
      void *written
          = mmap (NULL, plan->new_size, PROT_READ, MAP_SHARED, fd, 0);
      FUZZ_CHECK (written != MAP_FAILED);
      FUZZ_CHECK (memcmp (written, expected, plan->new_size) == 0);
      munmap (written, plan->new_size);
    }
  free (expected);
  return fd;
}

static void
check_undo (const struct plan *plan, const struct image *image,
            const void *sframe)
{
  struct error err = { 0 };
  struct buffer file;
  struct image converted;
  struct plan back;
  uint8_t *made = fuzz_make_file (plan, image, sframe);
  buffer_init (&file, false);
  buffer_append (&file, made, plan->new_size);
  free (made);
  if (undo_record_build (&file, image, plan, &err))
    {
      FUZZ_DONE (image_open_memory (&converted, file.bytes, file.size, &err),
                 &err);
      FUZZ_DONE (undo_plan (&back, &converted, &err), &err);
      fuzz_check_plan (&back, &converted);
      FUZZ_CHECK (back.new_size == image->size);
      uint8_t *original = fuzz_make_file (&back, &converted, NULL);
      FUZZ_CHECK (memcmp (original, image->bytes, image->size) == 0);
      free (original);
      plan_free (&back);
      image_close (&converted);
    }
  buffer_free (&file);
}

void
fuzz_check_file (const struct plan *plan, const struct image *image,
                 const void *sframe)
{
  struct error err = { 0 };
  int fd = fuzz_write_file (plan, image, sframe);
  if (fd < 0)
    return;
  bool accepted = inject_check_file (image, plan, sframe, fd, &err);
  close (fd);
  FUZZ_DONE (accepted || err.status == CFI2SFRAME_REFUSED
                 || err.status == CFI2SFRAME_MALFORMED,
             &err);
  if (accepted)
    check_undo (plan, image, sframe);
}
