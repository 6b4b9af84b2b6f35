/* The files to work on, and what is known of each before it is opened.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/file_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "elf/checksum.h"

struct listed_file *
file_list_add (struct file_list *list, char *path)
{
  if (!ARRAY_ROOM (list->files, list->n + 1, &list->room))
    {
      free (path);
      return NULL;
    }
  struct listed_file *file = &list->files[list->n++];
  *file = (struct listed_file){ .path = path };
  return file;
}

bool
file_list_add_problem (struct file_list *list, char *path, int problem)
{
  struct listed_file *file = file_list_add (list, path);
  if (file == NULL)
    return false;
  file->found = true;
  file->problem = problem;
  return true;
}

void
listed_file_set_status (struct listed_file *file, const struct stat *status)
{
  file->has_stat = true;
  file->hard_links = status->st_nlink > 1;
  file->identity = file_identity_of (status);
  file->size = status->st_size > 0 ? (uint64_t)status->st_size : 0;
}

void
file_list_keep_checksum (struct file_list *list, const char *name)
{
  if (checksum_may_be (name))
    buffer_append (&list->checksums, name, strlen (name) + 1);
}

bool
file_list_note_checksums (struct file_list *list, int directory, size_t first,
                          size_t start)
{
  struct folder_checksums known = { .known = true, .names = start };
  buffer_u8 (&list->checksums, '\0');
  known.no_checksum_folders
      = first < list->n && !checksum_has_folders (directory);
  for (size_t i = first; i < list->n; i++)
    list->files[i].checksums = known;
  if (list->checksums.failed)
    errno = ENOMEM;
  return !list->checksums.failed;
}

void
file_list_free (struct file_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    free (list->files[i].path);
  free (list->files);
  buffer_free (&list->checksums);
  list->files = NULL;
  list->n = list->room = 0;
}

/* The path is entered part by part: O_NOFOLLOW is for the last part alone.  */
int
beneath_open (int root, const char *relative, size_t length)
{
  const char *end = relative + length;
  int fd = fcntl (root, F_DUPFD_CLOEXEC, 0);
  while (fd >= 0)
    {
      while (relative < end && *relative == '/')
        relative++;
      if (relative == end)
        break;
      const char *slash = memchr (relative, '/', (size_t)(end - relative));
      const char *part_end = slash != NULL ? slash : end;
      char *part = strndup (relative, (size_t)(part_end - relative));
      int next = part == NULL
                     ? -1
                     : openat (fd, part,
                               O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      int problem = part == NULL ? ENOMEM : errno;
      free (part);
      close (fd);
      errno = problem;
      fd = next;
      relative = part_end;
    }
  return fd;
}

/* Open the directory that LOCATION->name is in, from the operand on.  False
   with errno.  */
static bool
enter (const struct listed_file *file, struct file_location *location)
{
  struct stat status;
  char *operand = strndup (file->path, file->root_length);
  if (operand == NULL)
    return false;
  int root = open (operand, O_PATH | O_DIRECTORY | O_CLOEXEC);
  free (operand);
  if (root < 0)
    return false;
  if (fstat (root, &status) != 0)
    status = (struct stat){ 0 };
  const char *relative = file->path + file->root_length;
  if (file_identity_is (&file->root, &status))
    location->directory
        = beneath_open (root, relative, (size_t)(location->name - relative));
  else
    errno = ENOTDIR;
  int problem = errno;
  close (root);
  errno = problem;
  return location->directory >= 0;
}

bool
listed_file_locate (const struct file_list *list,
                    const struct listed_file *file,
                    struct file_location *location,
                    struct cfi2sframe_error *err)
{
  *location = file_location_of_path (file->path);
  location->identity = file->identity;
  location->no_checksum_folders = file->checksums.no_checksum_folders;
  if (file->checksums.known)
    location->checksums
        = (const char *)list->checksums.bytes + file->checksums.names;
  if (file->root_length == 0)
    return true;
  location->fixed = true;
  location->directory = -1;
  location->name = strrchr (file->path, '/') + 1;
  if (enter (file, location))
    return true;
  bool moved = errno == ELOOP || errno == ENOTDIR || errno == ENOENT;
  if (moved)
    return error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                           "its directory was replaced meanwhile");
  return error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
}

void
listed_file_leave (struct file_location *location)
{
  if (location->fixed && location->directory >= 0)
    close (location->directory);
}
