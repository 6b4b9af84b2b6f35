/* The files that a command line names: operands and lists.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/operands.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/lines.h"
#include "cli/directory_walk.h"
#include "write/temporary.h"

/* How many bytes of PATH are its directory's.  */
static size_t
directory_length (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Read the directory of the last file, PATH, for the names of checksums.
   Where that fails they are not known.  */
static bool
read_checksums (struct file_list *list, const char *path)
{
  size_t start = list->checksums.size, length = directory_length (path);
  char *folder = length > 0 ? strndup (path, length) : strdup (".");
  DIR *directory = folder != NULL ? opendir (folder) : NULL;
  const struct dirent *item;
  free (folder);
  if (directory == NULL)
    return true;
  for (errno = 0; (item = readdir (directory)) != NULL; errno = 0)
    file_list_keep_checksum (list, item->d_name);
  bool ok = errno != 0
            || file_list_note_checksums (list, dirfd (directory), list->n - 1,
                                         start);
  closedir (directory);
  return ok;
}

/* If the last file, which was named, is in the same directory as the one
   before it, the names there are read for it and for all that follow, once:
   distributions name all programs of a package.  The file of a link has its
   checksum elsewhere.  */
static bool
share_checksums (struct file_list *list)
{
  struct listed_file *file = &list->files[list->n - 1];
  size_t length = directory_length (file->path);
  struct stat status;
  if (list->n < 2 || directory_length (file[-1].path) != length
      || memcmp (file[-1].path, file->path, length) != 0
      || lstat (file->path, &status) != 0 || !S_ISREG (status.st_mode))
    return true;
  file->checksums = file[-1].checksums;
  return file->checksums.known || read_checksums (list, file->path);
}

/* Add the operand or list element PATH.  */
static bool
add_named (struct file_list *list, const struct tool_options *options,
           const char *path, bool from_list)
{
  struct stat status;
  bool found = stat (path, &status) == 0;
  if (found && S_ISDIR (status.st_mode) && options->recursive)
    return directory_walk (list, options, path);
  if (from_list && temporary_is_name (path + directory_length (path)))
    return true;
  char *copy = strdup (path);
  struct listed_file *file = copy == NULL ? NULL : file_list_add (list, copy);
  if (file == NULL)
    return false;
  if (found && S_ISREG (status.st_mode))
    listed_file_set_status (file, &status);
  file->found = from_list && file->has_stat;
  return share_checksums (list);
}

/* What a list is added to, and how.  */
struct listing
{
  struct file_list *list;
  const struct tool_options *options;
};

static bool
add_listed (void *context, char *path)
{
  const struct listing *listing = context;
  return add_named (listing->list, listing->options, path, true);
}

static bool
add_names (struct file_list *list, const struct tool_options *options)
{
  bool standard_input = strcmp (options->files_from, "-") == 0;
  struct listing listing = { list, options };
  FILE *names = standard_input ? stdin : fopen (options->files_from, "re");
  return names != NULL && lines_take (names, '\0', add_listed, &listing);
}

bool
operands_collect (struct file_list *list, const struct tool_options *options)
{
  for (size_t i = 0; i < options->n_files; i++)
    if (!add_named (list, options, options->files[i], false))
      return false;
  return options->files_from == NULL || add_names (list, options);
}
