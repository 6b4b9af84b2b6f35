/* Where a file is: a path, or a name in an open directory.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "elf/file_location.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct file_location
file_location_of_path (const char *path)
{
  return (struct file_location){ .path = path,
                                 .directory = AT_FDCWD,
                                 .name = path };
}

struct file_identity
file_identity_of (const struct stat *status)
{
  return (struct file_identity){ status->st_dev, status->st_ino };
}

bool
file_identity_equal (const struct file_identity *a,
                     const struct file_identity *b)
{
  return a->device == b->device && a->inode == b->inode;
}

bool
file_identity_is (const struct file_identity *identity,
                  const struct stat *status)
{
  const struct file_identity found = file_identity_of (status);
  return file_identity_equal (identity, &found);
}

bool
file_status_same (const struct stat *a, const struct stat *b)
{
  const struct file_identity identity = file_identity_of (a);
  return file_identity_is (&identity, b);
}

int
file_location_open (const struct file_location *location, int flags,
                    struct error *err)
{
  struct stat status;
  int fd = openat (location->directory, location->name,
                   flags | O_CLOEXEC | (location->fixed ? O_NOFOLLOW : 0));
  if (fd < 0 && location->fixed && errno == ELOOP)
    error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                    "the file was replaced meanwhile");
  else if (fd < 0)
    {
      bool unreadable = errno == EACCES;
      error_set_errno (err, "cannot open");
      if (unreadable)
        error_name (err, WORD_UNREADABLE);
    }
  if (fd < 0 || !(location->fixed || location->same))
    return fd;
  if (fstat (fd, &status) == 0
      && file_identity_is (&location->identity, &status))
    return fd;
  error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                  "the file was replaced meanwhile");
  close (fd);
  return -1;
}
