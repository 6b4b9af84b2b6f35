/* Where a file is: a path, a name in an open directory, or a descriptor.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "elf/file_location.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/prefix.h"

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

/* ---- Paths that name a descriptor */

enum
{
  LINKS_MAX = 40 /* as in the kernel (path_resolution(7)) */
};

static bool
is_same_directory (const char *directory, const char *name)
{
  char *resolved = realpath (name, NULL);
  bool same = resolved != NULL && strcmp (directory, resolved) == 0;
  free (resolved);
  return same;
}

/* Return whether DIRECTORY, a path without links, contains the descriptors of
   a process or thread (/proc/N/fd).  *OWN says whether it is this process.  */
static bool
is_descriptor_directory (const char *directory, bool *own)
{
  *own = is_same_directory (directory, "/proc/self/fd")
         || is_same_directory (directory, "/proc/thread-self/fd");
  return *own
         || (has_prefix (directory, "/proc/")
             && has_suffix (directory, "/fd"));
}

static bool
parse_number (const char *name, int *number)
{
  char *end;
  errno = 0;
  long value = strtol (name, &end, 10);
  if (*name < '0' || *name > '9' || *end != '\0' || errno != 0
      || value > INT_MAX)
    return false;
  *number = (int)value;
  return true;
}

/* Return the target of the symbolic link NAME in DIRECTORY, as a path that
   does not depend on the link's directory, or NULL if NAME is not a symbolic
   link.  The caller frees the result.  */
static char *
follow_link (const char *directory, const char *name)
{
  char target[PATH_MAX], *link, *next = NULL;
  if (asprintf (&link, "%s/%s", directory, name) < 0)
    return NULL;
  ssize_t length = readlink (link, target, sizeof target - 1);
  free (link);
  if (length <= 0)
    return NULL;
  target[length] = '\0';
  if (target[0] == '/')
    return strdup (target);
  return asprintf (&next, "%s/%s", directory, target) < 0 ? NULL : next;
}

/* Follow one link of PATH.  Returns the path that the link leads to, which the
   caller frees, or NULL at the end; then *FOUND says whether PATH is a
   descriptor, and *NUMBER which.  */
static char *
step (const char *path, bool *found, int *number)
{
  const char *slash = strrchr (path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  char *copy = strdup (path), *next = NULL;
  char *directory = copy == NULL ? NULL : realpath (dirname (copy), NULL);
  bool own;
  free (copy);
  if (directory != NULL && is_descriptor_directory (directory, &own)
      && parse_number (name, number))
    {
      *found = true;
      *number = own ? *number : -1;
    }
  else if (directory != NULL)
    next = follow_link (directory, name);
  free (directory);
  return next;
}

bool
descriptor_path_parse (const char *path, int *number)
{
  bool found = false;
  char *at = step (path, &found, number);
  for (int i = 0; i < LINKS_MAX && at != NULL; i++)
    {
      char *next = step (at, &found, number);
      free (at);
      at = next;
    }
  free (at);
  return found;
}

int
descriptor_duplicate_writable (int number, struct error *err)
{
  int flags = fcntl (number, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY)
    {
      error_set (err, CFI2SFRAME_IO, "is not open for writing");
      return -1;
    }
  int fd = fcntl (number, F_DUPFD_CLOEXEC, 3);
  if (fd < 0)
    error_set_errno (err, "cannot use the descriptor");
  return fd;
}
