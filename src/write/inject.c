/* Carrying a plan out.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The old file is cloned, or written from its mapping: the undo record's
   digest needs all pages of that anyway.  Holes stay holes.  Then the few
   bytes that differ are written.  The new file starts out empty, so whatever
   is not written is zero.  */

#include <config.h>

#include "write/inject.h"

#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"

struct writing
{
  const struct image *image;
  int fd;
  bool copied; /* the file has all old bytes already */
  bool holes;  /* those of the old file are to stay holes */
  struct error *err;
};

static bool
write_bytes (const struct writing *to, const uint8_t *bytes, uint64_t size,
             uint64_t offset)
{
  return io_write_at (to->fd, bytes, (size_t)size, offset, to->err);
}

/* The first bytes [*BEGIN, *END) of the old file in that range that are no
   hole; false if all of it is one.  */
static bool
next_data (const struct image *image, uint64_t *begin, uint64_t *end)
{
  if (*begin >= *end || image->fd < 0)
    return *begin < *end;
  off_t found = lseek (image->fd, (off_t)*begin, SEEK_DATA);
  if (found < 0)
    return errno != ENXIO;
  off_t hole = lseek (image->fd, found, SEEK_HOLE);
  *begin = (uint64_t)found;
  if (hole >= 0 && (uint64_t)hole < *end)
    *end = (uint64_t)hole;
  return *begin < *end;
}

/* Write the bytes [BEGIN, END) of the old file, which should be a hole.  A
   file system may take bytes for a hole that are not on disk yet (OpenZFS
   before 2.1.14 and 2.2.2); the mapping has them.  */
static bool
copy_hole (const struct writing *to, const struct plan_piece *piece,
           uint64_t begin, uint64_t end)
{
  const uint8_t *bytes = to->image->bytes + begin;
  return bytes_are_zero (bytes, (size_t)(end - begin))
         || write_bytes (to, bytes, end - begin,
                         piece->offset + (uint64_t)(bytes - piece->old));
}

static bool
copy_data (const struct writing *to, const struct plan_piece *piece)
{
  uint64_t first = (uint64_t)(piece->old - to->image->bytes);
  uint64_t last = first + piece->size, done = first;
  uint64_t begin = first, end = last;
  for (; next_data (to->image, &begin, &end); done = begin = end, end = last)
    if (!copy_hole (to, piece, done, begin)
        || !write_bytes (to, to->image->bytes + begin, end - begin,
                         piece->offset + (begin - first)))
      return false;
  return copy_hole (to, piece, done, last);
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

static bool
write_piece (const struct writing *to, const struct plan_piece *piece)
{
  if (piece->bytes == NULL)
    {
      /* Where the file begins with the old bytes, zeros must be written over
         them.  */
      uint64_t old_size = to->copied ? to->image->size : 0;
      if (piece->offset >= old_size)
        return true;
      uint64_t left = old_size - piece->offset;
      return io_write_zeros_at (to->fd,
                                piece->size < left ? piece->size : left,
                                piece->offset, to->err);
    }
  if (piece->bytes != piece->old)
    return write_bytes (to, piece->bytes, piece->size, piece->offset);
  if (to->copied && piece->old == to->image->bytes + piece->offset)
    return true;
  return to->holes
             ? copy_data (to, piece)
             : write_bytes (to, piece->bytes, piece->size, piece->offset);
}

/* Carry PLAN out.  COPIED: the file has all old bytes already.  */
static bool
write_plan (const struct image *image, const struct plan *plan,
            const void *sframe, int out_fd, bool copied, struct error *err)
{
  /* On some file systems looking for holes page by page takes longer than
     copying.  A copy of the old file has other bytes of it where the hole of a
     part that moves is to be, so there the hole is written.  */
  bool holes = !copied && inject_has_holes (image);
  struct writing to = { image, out_fd, copied, holes, err };
  size_t n;
  if (ftruncate (out_fd, (off_t)plan->new_size) != 0)
    return error_set_errno (err, "ftruncate");
  struct plan_piece *pieces = plan_cut (plan, image->bytes, sframe, &n);
  if (pieces == NULL)
    return error_set_no_memory (err);
  bool done = true;
  for (size_t i = 0; done && i < n; i++)
    done = write_piece (&to, &pieces[i]);
  free (pieces);
  return done;
}

bool
inject_write_over (const struct image *image, const struct plan *plan,
                   const void *sframe, int out_fd, struct error *err)
{
  /* The copy may be longer than the image, which ends in front of an outdated
     undo record (existing_forget_record).  */
  if (ftruncate (out_fd, (off_t)image->size) != 0)
    return error_set_errno (err, "ftruncate");
  return write_plan (image, plan, sframe, out_fd, true, err);
}

bool
inject_write (const struct image *image, const struct plan *plan,
              const void *sframe, int out_fd, struct error *err)
{
  if (inject_clone (image, out_fd))
    return inject_write_over (image, plan, sframe, out_fd, err);
  return write_plan (image, plan, sframe, out_fd, false, err);
}
