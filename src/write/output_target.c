/* Where an output goes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/output_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  LINKS_MAX = 40 /* that are followed, as the kernel has it */
};

/* A wrong target is not a property of the input, so the status is not
   CFI2SFRAME_REFUSED.  */
static bool
check_kind (const struct stat *status, bool *stream, struct error *err)
{
  *stream = S_ISCHR (status->st_mode) || S_ISFIFO (status->st_mode);
  if (S_ISREG (status->st_mode) || *stream)
    return true;
  if (S_ISDIR (status->st_mode))
    return error_set_word (err, CFI2SFRAME_IO, WORD_NO_FILE, "is a directory");
  return error_set (err, CFI2SFRAME_IO,
                    "is neither a regular file nor a pipe");
}

/* PATH names descriptor NUMBER: the bytes will go to a copy of it.  */
static bool
take_descriptor (struct output_target *target, const char *path, int number,
                 struct error *err)
{
  struct stat status = { 0 };
  if (number < 0 && stat (path, &status) == 0 && S_ISREG (status.st_mode))
    return error_set (err, CFI2SFRAME_IO,
                      "is another process's descriptor of a regular file");
  if (number >= 0)
    target->stream_fd = descriptor_duplicate_writable (number, err);
  return number < 0 || target->stream_fd >= 0;
}

/* Open DIRECTORY, seen from the open directory BASE.  One that cannot be read
   cannot be flushed either (flush_directory), but written to.  */
static bool
open_directory (struct output_target *target, int base, const char *directory,
                struct error *err)
{
  target->directory
      = openat (base, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (target->directory < 0 && errno == EACCES)
    target->directory
        = openat (base, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return target->directory >= 0
         || error_set_errno (err, errno == ENOENT
                                      ? "cannot find the directory"
                                      : "cannot open its directory");
}

/* TARGET is PATH, seen from the open directory BASE.  */
static bool
set_place (struct output_target *target, int base, const char *path,
           struct error *err)
{
  const char *slash = strrchr (path, '/');
  char *directory = slash == NULL   ? strdup (".")
                    : slash == path ? strdup ("/")
                                    : strndup (path, (size_t)(slash - path));
  free (target->name);
  target->name = strdup (slash == NULL ? path : slash + 1);
  bool opened = false;
  if (directory == NULL || target->name == NULL)
    error_set_no_memory (err);
  else
    opened = open_directory (target, base, directory, err);
  free (directory);
  return opened;
}

/* TARGET is where the last of the links is that begin with PATH, which may
   dangle.  */
static bool
follow_links (struct output_target *target, const char *path,
              struct error *err)
{
  char link[PATH_MAX];
  if (!set_place (target, AT_FDCWD, path, err))
    return false;
  for (int links = 0; links < LINKS_MAX; links++)
    {
      ssize_t size = readlinkat (target->directory, target->name, link,
                                 sizeof link - 1);
      if (size < 0)
        return errno == EINVAL || errno == ENOENT
               || error_set_errno (err, "readlink");
      link[size] = '\0';
      int base = target->directory;
      target->directory = -1;
      bool opened = set_place (target, base, link, err);
      close (base);
      if (!opened)
        return false;
    }
  errno = ELOOP;
  return error_set_errno (err, "readlink");
}

/* Whether PATH is a stream (target->stream), or may be a file's.  */
static bool
find_kind (struct output_target *target, const char *path, bool may_dangle,
           struct error *err)
{
  struct stat status;
  int number;
  target->stream = descriptor_path_parse (path, &number);
  if (target->stream)
    return take_descriptor (target, path, number, err);
  if (stat (path, &status) == 0)
    return check_kind (&status, &target->stream, err);
  if (errno != ENOENT)
    return error_set_errno (err, "stat");
  return may_dangle || lstat (path, &status) != 0
         || error_set (err, CFI2SFRAME_IO, "is a dangling symbolic link");
}

bool
output_target_find (struct output_target *target,
                    const struct file_location *location, bool may_dangle,
                    struct error *err)
{
  if (location->fixed)
    return output_target_take (target, location, err);
  *target = OUTPUT_TARGET_NONE;
  if (!find_kind (target, location->name, may_dangle, err))
    return false;
  if (!target->stream)
    return follow_links (target, location->name, err);
  target->name = strdup (location->name);
  return target->name != NULL || error_set_no_memory (err);
}

bool
output_target_take (struct output_target *target,
                    const struct file_location *location, struct error *err)
{
  *target = OUTPUT_TARGET_NONE;
  return set_place (target, location->directory, location->name, err);
}

void
output_target_release (struct output_target *target)
{
  if (target->directory >= 0)
    close (target->directory);
  if (target->stream_fd >= 0)
    close (target->stream_fd);
  free (target->name);
  *target = OUTPUT_TARGET_NONE;
}
