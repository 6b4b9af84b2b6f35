/* System calls on descriptors, repeated where necessary.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mapped_file.h"

/* Write all SIZE BYTES at OFFSET of FD or, if TO_STREAM, at its position.  */
static bool
write_all (int fd, const void *bytes, size_t size, uint64_t offset,
           bool to_stream, struct error *err)
{
  const uint8_t *at = bytes;
  while (size > 0)
    {
      ssize_t done = to_stream ? write (fd, at, size)
                               : pwrite (fd, at, size, (off_t)offset);
      /* EFAULT: the bytes are in a mapped file that was cut off meanwhile.  */
      if (done < 0
          && (errno == EINTR || (errno == EFAULT && mapped_file_patch (at))))
        continue;
      if (done < 0)
        return error_set_errno (err, "write");
      at += done;
      offset += (uint64_t)done;
      size -= (size_t)done;
    }
  return true;
}

bool
io_write_at (int fd, const void *bytes, size_t size, uint64_t offset,
             struct error *err)
{
  return write_all (fd, bytes, size, offset, false, err);
}

bool
io_write_zeros_at (int fd, uint64_t size, uint64_t offset, struct error *err)
{
  static const uint8_t zeros[1 << 16];
  while (size > 0)
    {
      size_t part = size < sizeof zeros ? (size_t)size : sizeof zeros;
      if (!io_write_at (fd, zeros, part, offset, err))
        return false;
      offset += part;
      size -= part;
    }
  return true;
}

/* Copy what FROM has from OFFSET on by reading and writing.  */
static bool
copy_buffered (int from, int to, uint64_t offset, bool to_stream,
               struct error *err)
{
  char bytes[65536];
  for (;;)
    {
      ssize_t got = pread (from, bytes, sizeof bytes, (off_t)offset);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return error_set_errno (err, "read");
      if (got == 0)
        return true;
      if (!write_all (to, bytes, (size_t)got, offset, to_stream, err))
        return false;
      offset += (uint64_t)got;
    }
}

bool
io_copy (int from, int to, struct error *err)
{
  const size_t chunk = (size_t)1 << 30;
  off_t in = 0, out = 0;
  while (copy_file_range (from, &in, to, &out, chunk, 0) > 0)
    continue;
  /* Either the kernel has copied everything, or it cannot copy between these
     file systems, or there was an error, which the next calls meet again.  */
  return copy_buffered (from, to, (uint64_t)in, false, err);
}

bool
io_copy_to_stream (int from, int to, struct error *err)
{
  return copy_buffered (from, to, 0, true, err);
}

bool
io_close (int fd, bool so_far, struct error *err)
{
  if (close (fd) != 0 && so_far)
    return error_set_errno (err, "close");
  return so_far;
}

/* glibc's fclose returns 0 even where it could not reallocate the text to its
   final size.  It sets *TEXT to NULL then.  */
bool
io_close_text (FILE *stream, char *const *text)
{
  bool whole = !ferror (stream);
  return fclose (stream) == 0 && whole && *text != NULL;
}

int
io_open_regular (const char *path)
{
  struct stat status;
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)))
    return fd;
  close (fd);
  errno = EINVAL;
  return -1;
}

void
io_occupy_standard (void)
{
  /* open returns the lowest free number.  O_PATH allows neither reading nor
     writing, and "/" always exists, unlike /dev/null in a chroot.  */
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) == -1
        && open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC) == -1)
      return;
}

void
io_raise_limit (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
}
