/* Carrying a layout plan out.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The old file is cloned, or written from its mapping, all pages of which the
   undo record's digest needs as well; holes stay holes.  Then the few bytes
   that differ are written.  The new file starts out empty, so whatever is not
   written is zero.  */

#include <config.h>

#include "write/inject.h"

#include <errno.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

static bool
copy_bytes (const struct image *image, int fd,
            const struct layout_extent *extent, struct error *err)
{
  return io_write_at (fd, image->bytes + extent->old_offset,
                      (size_t)extent->size, extent->new_offset, err);
}

/* The part of EXTENT from SKIP on that starts with data: false if there is
   none, because the rest is a hole.  */
static bool
next_data (const struct image *image, const struct layout_extent *extent,
           uint64_t skip, struct layout_extent *data)
{
  uint64_t begin = extent->old_offset + skip;
  uint64_t end = extent->old_offset + extent->size;
  if (begin >= end)
    return false;
  if (image->fd >= 0)
    {
      off_t found = lseek (image->fd, (off_t)begin, SEEK_DATA);
      if (found < 0 && errno == ENXIO)
        return false;
      if (found >= 0)
        {
          off_t hole = lseek (image->fd, found, SEEK_HOLE);
          begin = (uint64_t)found;
          if (hole >= 0 && (uint64_t)hole < end)
            end = (uint64_t)hole;
        }
      if (begin >= end)
        return false;
    }
  skip = begin - extent->old_offset;
  *data = (struct layout_extent){ begin, extent->new_offset + skip,
                                  end - begin };
  return true;
}

static bool
copy_extent (const struct image *image, int fd,
             const struct layout_extent *extent, struct error *err)
{
  struct layout_extent data;
  for (uint64_t skip = 0; next_data (image, extent, skip, &data);
       skip = data.old_offset + data.size - extent->old_offset)
    if (!copy_bytes (image, fd, &data, err))
      return false;
  return true;
}

bool
inject_has_holes (const struct image *image)
{
  struct stat status;
  return image->fd < 0 || fstat (image->fd, &status) != 0
         || (uint64_t)status.st_blocks * 512 < image->size;
}

bool
inject_clone (const struct image *image, int out_fd)
{
  return image->fd >= 0 && ioctl (out_fd, FICLONE, image->fd) == 0;
}

/* Write zeros where PLAN has a gap, and the file has old bytes, because it was
   copied whole.  */
static bool
clear_gaps (const struct image *image, const struct layout_plan *plan, int fd,
            struct error *err)
{
  uint64_t at = 0;
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
      uint64_t end = extent->new_offset < image->size ? extent->new_offset
                                                      : image->size;
      if (at < end && !io_write_zeros_at (fd, end - at, at, err))
        return false;
      at = extent->new_offset + extent->size;
    }
  return at >= image->size
         || io_write_zeros_at (fd, image->size - at, at, err);
}

static bool
write_extent (const struct image *image, int fd, bool holes,
              const struct layout_extent *extent, struct error *err)
{
  return holes ? copy_extent (image, fd, extent, err)
               : copy_bytes (image, fd, extent, err);
}

/* Carry PLAN out.  COPIED: the file has the old bytes already.  */
static bool
write_plan (const struct image *image, const struct layout_plan *plan,
            const void *sframe, int out_fd, bool copied, struct error *err)
{
  /* On some file systems looking for holes page by page takes longer than
     copying.  A copy of the old file has other bytes of it where the hole of a
     part that moves is to be, so there the hole is written.  */
  bool holes = !copied && inject_has_holes (image);
  if (ftruncate (out_fd, (off_t)plan->new_size) != 0)
    return error_set_errno (err, "ftruncate");
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
      if (!(copied && extent->old_offset == extent->new_offset)
          && !write_extent (image, out_fd, holes, extent, err))
        return false;
    }
  for (size_t i = 0; i < plan->n_patches; i++)
    if (!io_write_at (out_fd, plan->patches[i].bytes, plan->patches[i].size,
                      plan->patches[i].offset, err))
      return false;
  return io_write_at (out_fd, sframe, plan->sframe_size, plan->sframe_offset,
                      err);
}

bool
inject_write_over (const struct image *image, const struct layout_plan *plan,
                   const void *sframe, int out_fd, struct error *err)
{
  bool keeps = plan->new_size >= image->size;
  /* The copy may be longer than the image: an outdated undo record at the end
     of the file is no part of that (existing_forget_record).  */
  if (ftruncate (out_fd, keeps ? (off_t)image->size : 0) != 0)
    return error_set_errno (err, "ftruncate");
  return (!keeps || clear_gaps (image, plan, out_fd, err))
         && write_plan (image, plan, sframe, out_fd, keeps, err);
}

bool
inject_write (const struct image *image, const struct layout_plan *plan,
              const void *sframe, int out_fd, struct error *err)
{
  if (inject_clone (image, out_fd))
    return inject_write_over (image, plan, sframe, out_fd, err);
  return write_plan (image, plan, sframe, out_fd, false, err);
}
