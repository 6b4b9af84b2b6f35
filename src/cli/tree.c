/* The files to work on: operands, lists and what is found in directories.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Directories are read one after the other from a stack of paths, so that
   neither their depth nor the number of open files has to be bounded.  A
   regular file is opened and its first bytes are read: most files of a system
   are no ELF files, and nothing more is done for them.  */

#include <config.h>

#include "cli/tree.h"

#include <ar.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/progress.h"
#include "elf/checksum.h"
#include "write/temporary.h"

enum
{
  LOOKING_STEP = 1024 /* files between two calls of progress_looking */
};

struct directory_walk
{
  struct tree *tree;
  const struct tool_options *options;
  char **directories; /* directories still to be read; the paths are owned */
  size_t n_directories, room;
  const char *operand;
  int root; /* the operand, opened for its path only */
  struct file_identity root_identity;
  uint64_t n_looked_at;
};

static struct tree_entry *
add_entry (struct tree *tree, char *path)
{
  if (!ARRAY_ROOM (tree->entries, tree->n_entries + 1, &tree->room))
    {
      free (path);
      return NULL;
    }
  struct tree_entry *entry = &tree->entries[tree->n_entries++];
  *entry = (struct tree_entry){ .path = path };
  return entry;
}

static void
set_status (struct tree_entry *entry, const struct stat *status)
{
  entry->has_stat = true;
  entry->hard_links = status->st_nlink > 1;
  entry->identity = file_identity_of (status);
  entry->size = status->st_size > 0 ? (uint64_t)status->st_size : 0;
}

static char *
join (const char *directory, const char *name)
{
  size_t length = strlen (directory), name_length = strlen (name);
  bool slash = length > 0 && directory[length - 1] != '/';
  char *path = malloc (length + slash + name_length + 1);
  if (path == NULL)
    return NULL;
  memcpy (path, directory, length);
  path[length] = '/';
  memcpy (path + length + slash, name, name_length + 1);
  return path;
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
      if (fnmatch (pattern, strchr (pattern, '/') != NULL ? path : name,
                   FNM_NOESCAPE)
          == 0)
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

/* Open the directory of LENGTH bytes at RELATIVE, below ROOT, part by part.
   Symbolic links are not followed, because others may have put them there
   since. -1 with errno.  */
static int
open_beneath (int root, const char *relative, size_t length)
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

/* Add an entry that says that PATH, which is taken over, could not be
   read.  */
static bool
add_problem (struct directory_walk *walk, char *path, int problem)
{
  struct tree_entry *entry = add_entry (walk->tree, path);
  if (entry == NULL)
    return false;
  entry->found = true;
  entry->problem = problem;
  return true;
}

/* Whether the file of FD starts like an ELF file or, if archives are wanted,
   like an archive.  Files that are too small are not read at all, which keeps
   those of /proc alone.  */
static bool
is_wanted (int fd, const struct stat *status, bool archives)
{
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
  if (fd < 0 && errno != ENOENT && errno != ELOOP)
    return add_problem (walk, path, errno);
  if (fd < 0 || fstat (fd, &status) != 0 || !S_ISREG (status.st_mode)
      || (walk->options->one_file_system
          && status.st_dev != walk->root_identity.device))
    free (path);
  else if (!is_wanted (fd, &status, walk->options->convert.relocatable))
    {
      walk->tree->not_elf++;
      free (path);
    }
  else
    {
      struct tree_entry *entry = add_entry (walk->tree, path);
      ok = entry != NULL;
      if (ok)
        {
          set_status (entry, &status);
          entry->found = true;
          entry->root_length = strlen (walk->operand);
          entry->root = walk->root_identity;
        }
    }
  if (fd >= 0)
    close (fd);
  return ok;
}

/* The kind of file ITEM is, without following symbolic links.  */
static unsigned char
item_type (int directory, const struct dirent *item)
{
  struct stat status;
  if (item->d_type != DT_UNKNOWN)
    return item->d_type;
  if (fstatat (directory, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return DT_UNKNOWN;
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

/* Keep NAME, of a file, if that may be a checksum.  */
static void
keep_checksum (struct tree *tree, const char *name)
{
  if (checksum_may_be (name))
    buffer_append (&tree->checksums, name, strlen (name) + 1);
}

/* Note in the entries from FIRST on, which are of the open DIRECTORY, that its
   names of checksums begin at START.  False with errno when memory for the
   names ran out.  */
static bool
note_checksums (struct tree *tree, int directory, size_t first, size_t start)
{
  struct tree_checksums known = { .known = true, .names = start };
  buffer_u8 (&tree->checksums, '\0');
  known.no_folders
      = first < tree->n_entries && !checksum_has_folders (directory);
  for (size_t i = first; i < tree->n_entries; i++)
    tree->entries[i].checksums = known;
  if (tree->checksums.failed)
    errno = ENOMEM;
  return !tree->checksums.failed;
}

/* Read the open DIRECTORY.  */
static bool
read_items (struct directory_walk *walk, DIR *directory, const char *path)
{
  struct tree *tree = walk->tree;
  size_t first = tree->n_entries, checksums = tree->checksums.size;
  for (;;)
    {
      errno = 0;
      const struct dirent *item = readdir (directory);
      if (item == NULL && errno != 0)
        {
          int problem = errno;
          char *copy = strdup (path);
          return copy != NULL && add_problem (walk, copy, problem);
        }
      if (item == NULL)
        return note_checksums (tree, dirfd (directory), first, checksums);
      keep_checksum (tree, item->d_name);
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
  int place = open_beneath (walk->root, relative, strlen (relative));
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
    return add_problem (walk, path, errno);
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
  const struct tree_entry *left = a, *right = b;
  return strcmp (left->path, right->path);
}

static bool
walk_directory (struct tree *tree, const struct tool_options *options,
                const char *operand)
{
  struct directory_walk walk
      = { .tree = tree, .options = options, .operand = operand, .root = -1 };
  size_t first = tree->n_entries;
  char *path = strdup (operand);
  bool ok = path != NULL
            && (open_root (&walk) ? read_directory (&walk, path)
                                  : add_problem (&walk, path, errno));
  while (ok && walk.n_directories > 0)
    ok = read_directory (&walk, walk.directories[--walk.n_directories]);
  while (walk.n_directories > 0)
    free (walk.directories[--walk.n_directories]);
  free (walk.directories);
  if (walk.root >= 0)
    close (walk.root);
  if (tree->n_entries > first)
    qsort (tree->entries + first, tree->n_entries - first,
           sizeof tree->entries[0], compare_paths);
  return ok;
}

/* How many bytes of PATH are its directory's.  */
static size_t
directory_length (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Read the directory of the last entry, PATH, for the names of checksums.
   Where that fails they are not known.  */
static bool
read_checksums (struct tree *tree, const char *path)
{
  size_t start = tree->checksums.size, length = directory_length (path);
  char *folder = length > 0 ? strndup (path, length) : strdup (".");
  DIR *directory = folder != NULL ? opendir (folder) : NULL;
  const struct dirent *item;
  free (folder);
  if (directory == NULL)
    return true;
  for (errno = 0; (item = readdir (directory)) != NULL; errno = 0)
    keep_checksum (tree, item->d_name);
  bool ok = errno != 0
            || note_checksums (tree, dirfd (directory), tree->n_entries - 1,
                               start);
  closedir (directory);
  return ok;
}

/* If the last entry, which was named, is in the same directory as the one
   before it, the names there are read for it and for all that follow, once:
   distributions name all programs of a package.  The file of a link has its
   checksum elsewhere.  */
static bool
share_checksums (struct tree *tree)
{
  struct tree_entry *entry = &tree->entries[tree->n_entries - 1];
  size_t length = directory_length (entry->path);
  struct stat status;
  if (tree->n_entries < 2 || directory_length (entry[-1].path) != length
      || memcmp (entry[-1].path, entry->path, length) != 0
      || lstat (entry->path, &status) != 0 || !S_ISREG (status.st_mode))
    return true;
  entry->checksums = entry[-1].checksums;
  return entry->checksums.known || read_checksums (tree, entry->path);
}

/* Add the operand or list element PATH.  */
static bool
add_named (struct tree *tree, const struct tool_options *options,
           const char *path, bool from_list)
{
  struct stat status;
  bool found = stat (path, &status) == 0;
  if (found && S_ISDIR (status.st_mode) && options->recursive)
    return walk_directory (tree, options, path);
  if (from_list && temporary_is_name (path + directory_length (path)))
    return true;
  char *copy = strdup (path);
  struct tree_entry *entry = copy == NULL ? NULL : add_entry (tree, copy);
  if (entry == NULL)
    return false;
  if (found && S_ISREG (status.st_mode))
    set_status (entry, &status);
  entry->found = from_list && entry->has_stat;
  return share_checksums (tree);
}

static bool
add_list (struct tree *tree, const struct tool_options *options)
{
  bool standard_input = strcmp (options->files_from, "-") == 0;
  FILE *list = standard_input ? stdin : fopen (options->files_from, "re");
  if (list == NULL)
    return false;
  char *path = NULL;
  size_t room = 0;
  bool ok = true;
  while (ok && getdelim (&path, &room, '\0', list) >= 0)
    ok = add_named (tree, options, path, true);
  ok = ok && !ferror (list);
  int problem = errno;
  free (path);
  if (!standard_input)
    fclose (list);
  errno = problem;
  return ok;
}

bool
tree_collect (struct tree *tree, const struct tool_options *options)
{
  for (size_t i = 0; i < options->n_files; i++)
    if (!add_named (tree, options, options->files[i], false))
      return false;
  return options->files_from == NULL || add_list (tree, options);
}

void
tree_free (struct tree *tree)
{
  for (size_t i = 0; i < tree->n_entries; i++)
    free (tree->entries[i].path);
  free (tree->entries);
  buffer_free (&tree->checksums);
  tree->entries = NULL;
  tree->n_entries = tree->room = 0;
}

/* Open the directory that LOCATION->name is in, from the operand on.  False
   with errno.  */
static bool
enter (const struct tree_entry *entry, struct file_location *location)
{
  struct stat status;
  char *operand = strndup (entry->path, entry->root_length);
  if (operand == NULL)
    return false;
  int root = open (operand, O_PATH | O_DIRECTORY | O_CLOEXEC);
  free (operand);
  if (root < 0)
    return false;
  if (fstat (root, &status) != 0)
    status = (struct stat){ 0 };
  const char *relative = entry->path + entry->root_length;
  if (file_identity_is (&entry->root, &status))
    location->directory
        = open_beneath (root, relative, (size_t)(location->name - relative));
  else
    errno = ENOTDIR;
  int problem = errno;
  close (root);
  errno = problem;
  return location->directory >= 0;
}

bool
tree_entry_locate (const struct tree *tree, const struct tree_entry *entry,
                   struct file_location *location,
                   struct cfi2sframe_error *err)
{
  *location = file_location_of_path (entry->path);
  location->identity = entry->identity;
  location->no_checksum_folders = entry->checksums.no_folders;
  if (entry->checksums.known)
    location->checksums
        = (const char *)tree->checksums.bytes + entry->checksums.names;
  if (entry->root_length == 0)
    return true;
  location->fixed = true;
  location->directory = -1;
  location->name = strrchr (entry->path, '/') + 1;
  if (enter (entry, location))
    return true;
  bool moved = errno == ELOOP || errno == ENOTDIR || errno == ENOENT;
  if (moved)
    return error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                           "its directory was replaced meanwhile");
  return error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
}

void
tree_entry_leave (struct file_location *location)
{
  if (location->fixed && location->directory >= 0)
    close (location->directory);
}
