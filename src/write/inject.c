/* Writing the new file that a plan describes.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The new file begins as a clone of the old one, or empty.  Then the pieces of
   the plan are written that it does not have yet: in a clone the few bytes
   that differ, and else all but holes and zeros.  Old bytes are written from
   the mapping, all of which the undo record's digest reads anyway.  */

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

/* A new file that is written.  */
struct writer
{
  const struct image *image;
  int fd;
  bool copied; /* the new file begins as a copy of the old one */
  bool holes;  /* holes of the old file stay holes */
  struct error *err;
};

static bool
write_bytes (const struct writer *to, const uint8_t *bytes, uint64_t size,
             uint64_t offset)
{
  return io_write_at (to->fd, bytes, (size_t)size, offset, to->err);
}

/* Reduce the range [*BEGIN, *END) of the old file to its first part that is no
   hole.  False if all of it is a hole.  */
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

/* Write the bytes [BEGIN, END) of the old file, which its file system says are
   a hole, unless they are zero.  A file system may say so of bytes that are
   not on disk yet (OpenZFS before 2.1.14 and 2.2.2).  */
static bool
copy_hole (const struct writer *to, const struct plan_piece *piece,
           uint64_t begin, uint64_t end)
{
  const uint8_t *bytes = to->image->bytes + begin;
  return bytes_are_zero (bytes, (size_t)(end - begin))
         || write_bytes (to, bytes, end - begin,
                         piece->offset + (uint64_t)(bytes - piece->old));
}

/* Write the old bytes of PIECE, but for holes.  */
static bool
copy_data (const struct writer *to, const struct plan_piece *piece)
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

/* Write PIECE, unless the file has its bytes already.  */
static bool
write_piece (const struct writer *to, const struct plan_piece *piece)
{
  if (piece->bytes == NULL)
    {
      /* Zeros must be written over the bytes of a copy.  */
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

/* Write all pieces of PLAN.  COPIED: the file begins as a copy of IMAGE.  */
static bool
write_plan (const struct image *image, const struct plan *plan,
            const void *sframe, int out_fd, bool copied, struct error *err)
{
  /* Holes are looked for only if there are any: on some file systems the
     search, page by page, takes longer than copying.  In a copy there are old
     bytes where a hole moves to, so its zeros are written.  */
  bool holes = !copied && inject_has_holes (image);
  struct writer to = { image, out_fd, copied, holes, err };
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
