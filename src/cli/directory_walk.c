/* The files in a directory, at any depth.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Directories are read one after the other from a stack of paths, so that
   neither their depth nor the number of open files has to be bounded.  A
   regular file is opened and its first bytes are read: most files of a system
   are not ELF files, and nothing more is done for them.  */

#include <config.h>

#include "cli/directory_walk.h"

#include <ar.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/pattern.h"
#include "cli/progress.h"
#include "write/temporary.h"

enum
{
  LOOKING_STEP = 1024 /* files between two calls of progress_looking */
};

struct directory_walk
{
  struct file_list *list;
  const struct tool_options *options;
  char **directories; /* directories still to be read; the paths are owned */
  size_t n_directories, room;
  const char *operand;
  int root; /* the operand, opened for its path only */
  struct file_identity root_identity;
  uint64_t n_looked_at;
};

static char *
join (const char *directory, const char *name)
{
  size_t length = strlen (directory);
  bool slash = length > 0 && directory[length - 1] != '/';
  char *path;
  return asprintf (&path, "%s%s%s", directory, slash ? "/" : "", name) < 0
             ? NULL
             : path;
}

/* Whether --exclude has a pattern that matches: one with a slash is compared
   with PATH, one without with NAME, the last part of PATH.  */
static bool
is_excluded (const struct directory_walk *walk, const char *path,
             const char *name)
{
  const struct tool_options *options = walk->options;
  for (size_t i = 0; i < options->n_excluded; i++)
    {
      const char *pattern = options->excluded[i];
      if (pattern_fits (pattern, strchr (pattern, '/') != NULL ? path : name))
        return true;
    }
  return false;
}

static bool
push_directory (struct directory_walk *walk, char *path)
{
  if (!ARRAY_ROOM (walk->directories, walk->n_directories + 1, &walk->room))
    {
      free (path);
      return false;
    }
  walk->directories[walk->n_directories++] = path;
  return true;
}

/* Whether the file of FD starts like an ELF file or, if objects are wanted or
   the .sframe of any file, like an archive of them.  Files that are too small
   are not read at all, which keeps those of /proc alone.  */
static bool
is_wanted (int fd, const struct stat *status,
           const struct tool_options *options)
{
  bool archives
      = options->convert.relocatable
        || tool_options_are (options, MODES_LOOKING | MODES_TAKING_BACK);
  char magic[SARMAG];
  return status->st_size >= (off_t)sizeof (Elf32_Ehdr)
         && pread (fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic
         && (memcmp (magic, ELFMAG, SELFMAG) == 0
             || (archives && memcmp (magic, ARMAG, SARMAG) == 0));
}

static void
count_file (struct directory_walk *walk)
{
  if (++walk->n_looked_at % LOOKING_STEP == 0)
    progress_looking (walk->n_looked_at);
}

/* Add the file PATH, which is taken over.  NULL when memory ran out.  */
static struct listed_file *
add_found (struct directory_walk *walk, char *path)
{
  struct listed_file *file = file_list_add (walk->list, path);
  if (file == NULL)
    return NULL;
  file->found = true;
  file->root_length = strlen (walk->operand);
  file->root = walk->root_identity;
  return file;
}

/* Look at NAME in DIRECTORY, probably a regular file.  PATH is taken over.  */
static bool
add_file (struct directory_walk *walk, int directory, const char *name,
          char *path)
{
  count_file (walk);
  int fd = openat (directory, name,
                   O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  bool ok = true;
  /* A file that may not be read is in the list.  */
  if (fd < 0 && errno == EACCES)
    return add_found (walk, path) != NULL;
  if (fd < 0 && errno != ENOENT && errno != ELOOP)
    return file_list_add_problem (walk->list, path, errno);
  if (fd < 0 || fstat (fd, &status) != 0 || !S_ISREG (status.st_mode)
      || (walk->options->one_file_system
          && status.st_dev != walk->root_identity.device))
    free (path);
  else if (!is_wanted (fd, &status, walk->options))
    {
      walk->list->not_elf++;
      free (path);
    }
  else
    {
      struct listed_file *file = add_found (walk, path);
      ok = file != NULL;
      if (ok)
        listed_file_set_status (file, &status);
    }
  if (fd >= 0)
    close (fd);
  return ok;
}

/* The kind of file ITEM is, without following symbolic links.  Where that
   cannot be told it is taken for a file: opening that says why.  */
static unsigned char
item_type (int directory, const struct dirent *item)
{
  struct stat status;
  if (item->d_type != DT_UNKNOWN)
    return item->d_type;
  if (fstatat (directory, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return DT_REG;
  return (unsigned char)IFTODT (status.st_mode);
}

static bool
add_item (struct directory_walk *walk, int directory,
          const char *directory_path, const struct dirent *item)
{
  unsigned char type = item_type (directory, item);
  if (strcmp (item->d_name, ".") == 0 || strcmp (item->d_name, "..") == 0
      || (type != DT_DIR && type != DT_REG))
    return true;
  char *path = join (directory_path, item->d_name);
  if (path == NULL)
    return false;
  if (is_excluded (walk, path, item->d_name))
    {
      free (path);
      return true;
    }
  if (type == DT_DIR)
    return push_directory (walk, path);
  if (!temporary_is_name (item->d_name))
    return add_file (walk, directory, item->d_name, path);
  if (tool_options_change_files (walk->options)
      && !walk->options->convert.dry_run)
    temporary_remove_left (directory, item->d_name);
  free (path);
  return true;
}

/* Read the open DIRECTORY.  */
static bool
read_items (struct directory_walk *walk, DIR *directory, const char *path)
{
  struct file_list *list = walk->list;
  size_t first = list->n, checksums = list->checksums.size;
  for (;;)
    {
      errno = 0;
      const struct dirent *item = readdir (directory);
      if (item == NULL && errno != 0)
        {
          int problem = errno;
          char *copy = strdup (path);
          return copy != NULL
                 && file_list_add_problem (walk->list, copy, problem);
        }
      if (item == NULL)
        return file_list_note_checksums (list, dirfd (directory), first,
                                         checksums);
      file_list_keep_checksum (list, item->d_name);
      if (!add_item (walk, dirfd (directory), path, item))
        return false;
    }
}

/* Open the directory PATH, in or below the operand, for reading.  NULL with
   errno.  */
static DIR *
open_directory (const struct directory_walk *walk, const char *path,
                struct stat *status)
{
  const char *relative = path + strlen (walk->operand);
  int place = beneath_open (walk->root, relative, strlen (relative));
  if (place < 0)
    return NULL;
  int fd = openat (place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd < 0 || fstat (fd, status) != 0 ? NULL : fdopendir (fd);
  int problem = errno;
  if (fd >= 0 && directory == NULL)
    close (fd);
  close (place);
  errno = problem;
  return directory;
}

/* Read the directory PATH, which is taken over.  */
static bool
read_directory (struct directory_walk *walk, char *path)
{
  struct stat status;
  DIR *directory = open_directory (walk, path, &status);
  if (directory == NULL)
    return file_list_add_problem (walk->list, path, errno);
  bool entered = !walk->options->one_file_system
                 || status.st_dev == walk->root_identity.device;
  bool ok = !entered || read_items (walk, directory, path);
  closedir (directory);
  free (path);
  return ok;
}

/* Open the operand, which may be a symbolic link.  False with errno.  */
static bool
open_root (struct directory_walk *walk)
{
  struct stat status;
  walk->root = open (walk->operand, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (walk->root < 0 || fstat (walk->root, &status) != 0)
    return false;
  walk->root_identity = file_identity_of (&status);
  return true;
}

static int
compare_paths (const void *a, const void *b)
{
  const struct listed_file *left = a, *right = b;
  return strcmp (left->path, right->path);
}

bool
directory_walk (struct file_list *list, const struct tool_options *options,
                const char *operand)
{
  struct directory_walk walk
      = { .list = list, .options = options, .operand = operand, .root = -1 };
  size_t first = list->n;
  char *path = strdup (operand);
  bool ok = path != NULL
            && (open_root (&walk) ? read_directory (&walk, path)
                                  : file_list_add_problem (list, path, errno));
  while (ok && walk.n_directories > 0)
    ok = read_directory (&walk, walk.directories[--walk.n_directories]);
  while (walk.n_directories > 0)
    free (walk.directories[--walk.n_directories]);
  free (walk.directories);
  if (walk.root >= 0)
    close (walk.root);
  if (list->n > first)
    qsort (list->files + first, list->n - first, sizeof list->files[0],
           compare_paths);
  return ok;
}
