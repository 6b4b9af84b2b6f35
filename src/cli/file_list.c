/* The list of input files: operands, elements of a list, and the ELF files in
   directories; and finding each file again when it is worked on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A stack of paths has the directories that are still to be read.  They are
   read one after the other, so neither their depth nor the number of open
   files needs a limit.  Regular files are opened and their first bytes read;
   most files of a system are not ELF files, and nothing more is done with
   these.  */

#include <config.h>

#include "cli/file_list.h"

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
#include "base/lines.h"
#include "cli/progress.h"
#include "elf/checksum.h"
#include "write/temporary.h"

enum
{
  LOOKING_STEP = 1024 /* files between two calls of progress_looking */
};

/* ---- The list */

/* Add the file PATH and take PATH over.  NULL when memory ran out.  */
static struct listed_file *
list_add (struct file_list *list, char *path)
{
  if (!ARRAY_ROOM (list->files, list->n + 1, &list->capacity))
    {
      free (path);
      return NULL;
    }
  struct listed_file *file = &list->files[list->n++];
  *file = (struct listed_file){ .path = path };
  return file;
}

/* Add the file PATH, which could not be examined because of PROBLEM, an errno.
   Take PATH over.  False when memory ran out.  */
static bool
list_add_problem (struct file_list *list, char *path, int problem)
{
  struct listed_file *file = list_add (list, path);
  if (file == NULL)
    return false;
  file->in_tree = true;
  file->problem = problem;
  return true;
}

/* Set the identity, size and link count of FILE from STATUS.  */
static void
set_status (struct listed_file *file, const struct stat *status)
{
  file->has_stat = true;
  file->hard_links = status->st_nlink > 1;
  file->identity = file_identity_of (status);
  file->size = status->st_size > 0 ? (uint64_t)status->st_size : 0;
}

/* Note the file NAME if it may be a checksum.  */
static void
keep_checksum (struct file_list *list, const char *name)
{
  if (checksum_may_be (name))
    buffer_append (&list->checksums, name, strlen (name) + 1);
}

/* Set the checksums of the files from FIRST on, which are those in the open
   DIRECTORY, to the names noted since START.  False with errno when memory ran
   out for the names.  */
static bool
note_checksums (struct file_list *list, int directory, size_t first,
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

/* ---- Directories */

/* Open, for its path only, the directory at the LENGTH bytes of RELATIVE,
   below ROOT.  Symbolic links are not followed, because other users may have
   put them there since.  Each part of the path is opened by itself, because
   O_NOFOLLOW applies to the last part only.  -1 with errno.  */
static int
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

struct directory_walk
{
  struct file_list *list;
  char **directories; /* still to be read; with the paths, owned */
  size_t n_directories, capacity;
  const char *operand;
  int root; /* the operand, opened for its path only */
  struct file_identity root_identity;
  uint64_t n_looked_at;
};

/* Whether a pattern of --exclude matches.  Patterns with a slash are compared
   with PATH, others with NAME, the last part of PATH.  */
static bool
is_excluded (const struct directory_walk *walk, const char *path,
             const char *name)
{
  const struct tool_options *options = walk->list->options;
  for (size_t i = 0; i < options->n_excluded; i++)
    {
      const char *pattern = options->excluded[i];
      if (configuration_pattern_matches (
              pattern, strchr (pattern, '/') != NULL ? path : name))
        return true;
    }
  return false;
}

static bool
push_directory (struct directory_walk *walk, char *path)
{
  if (!ARRAY_ROOM (walk->directories, walk->n_directories + 1,
                   &walk->capacity))
    {
      free (path);
      return false;
    }
  walk->directories[walk->n_directories++] = path;
  return true;
}

/* Whether the file open as FD starts like an ELF file, or like an archive if
   the mode can work on archives.  Files that are too small are not read at
   all, which leaves those of /proc alone.  */
static bool
is_wanted (int fd, const struct stat *status,
           const struct tool_options *options)
{
  bool archives
      = options->convert.relocatable
        || tool_mode_is_in (options, MODES_READING_SECTION | MODES_REMOVING);
  char magic[SARMAG];
  return status->st_size >= (off_t)sizeof (Elf32_Ehdr)
         && pread (fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic
         && (memcmp (magic, ELFMAG, SELFMAG) == 0
             || (archives && memcmp (magic, ARMAG, SARMAG) == 0));
}

/* Add the file NAME in DIRECTORY if it is a regular file of a wanted type, or
   if it cannot be opened.  Take PATH over.  False when memory ran out.  */
static bool
add_file (struct directory_walk *walk, int directory, const char *name,
          char *path)
{
  struct file_list *list = walk->list;
  struct listed_file *file = NULL;
  struct stat status;
  if (++walk->n_looked_at % LOOKING_STEP == 0)
    progress_looking (walk->n_looked_at);
  int fd = openat (directory, name,
                   O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  bool forbidden = fd < 0 && errno == EACCES;
  if (fd < 0 && !forbidden && errno != ENOENT && errno != ELOOP)
    return list_add_problem (list, path, errno);
  bool regular = fd >= 0 && fstat (fd, &status) == 0
                 && S_ISREG (status.st_mode)
                 && (!list->options->one_file_system
                     || status.st_dev == walk->root_identity.device);
  bool wanted = regular && is_wanted (fd, &status, list->options);
  bool listed = wanted || forbidden;
  list->not_elf += regular && !wanted;
  if (!listed)
    free (path);
  else if ((file = list_add (list, path)) != NULL)
    {
      file->in_tree = true;
      file->root_length = strlen (walk->operand);
      file->root = walk->root_identity;
      if (wanted)
        set_status (file, &status);
    }
  if (fd >= 0)
    close (fd);
  return !listed || file != NULL;
}

/* Return the type of ITEM, without following symbolic links.  If it is
   unknown, return that of a regular file; opening it gives the reason.  */
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
  const struct tool_options *options = walk->list->options;
  unsigned char type = item_type (directory, item);
  size_t length = strlen (directory_path);
  bool slash = length > 0 && directory_path[length - 1] != '/';
  char *path;
  if (strcmp (item->d_name, ".") == 0 || strcmp (item->d_name, "..") == 0
      || (type != DT_DIR && type != DT_REG))
    return true;
  if (asprintf (&path, "%s%s%s", directory_path, slash ? "/" : "",
                item->d_name)
      < 0)
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
  if (tool_options_change_files (options) && !options->convert.dry_run)
    temporary_remove_left (directory, item->d_name);
  free (path);
  return true;
}

/* Read the open DIRECTORY at PATH, and add its files and directories.  */
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
          return copy != NULL && list_add_problem (walk->list, copy, problem);
        }
      if (item == NULL)
        return note_checksums (list, dirfd (directory), first, checksums);
      keep_checksum (list, item->d_name);
      if (!add_item (walk, dirfd (directory), path, item))
        return false;
    }
}

/* Read the directory PATH, the operand or below it.  Take PATH over.  */
static bool
read_directory (struct directory_walk *walk, char *path)
{
  struct stat status;
  const char *relative = path + strlen (walk->operand);
  int place = beneath_open (walk->root, relative, strlen (relative));
  int fd = place < 0 ? -1
                     : openat (place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = fd < 0 || fstat (fd, &status) != 0 ? NULL : fdopendir (fd);
  int problem = errno;
  if (fd >= 0 && directory == NULL)
    close (fd);
  if (place >= 0)
    close (place);
  if (directory == NULL)
    return list_add_problem (walk->list, path, problem);
  bool entered = !walk->list->options->one_file_system
                 || status.st_dev == walk->root_identity.device;
  bool ok = !entered || read_items (walk, directory, path);
  closedir (directory);
  free (path);
  return ok;
}

static int
compare_paths (const void *a, const void *b)
{
  const struct listed_file *left = a, *right = b;
  return strcmp (left->path, right->path);
}

/* Add the ELF files in and below the directory OPERAND, which may be a
   symbolic link, sorted by path.  Files and directories that cannot be read
   become entries with a problem.  If files are to be changed, remove temporary
   files of killed runs.  False with errno when memory ran out.  */
static bool
add_directory (struct file_list *list, const char *operand)
{
  struct directory_walk walk = { .list = list, .operand = operand };
  struct stat status;
  size_t first = list->n;
  char *path = strdup (operand);
  if (path == NULL)
    return false;
  walk.root = open (operand, O_PATH | O_DIRECTORY | O_CLOEXEC);
  bool opened = walk.root >= 0 && fstat (walk.root, &status) == 0;
  if (opened)
    walk.root_identity = file_identity_of (&status);
  bool ok = opened ? read_directory (&walk, path)
                   : list_add_problem (list, path, errno);
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

/* ---- Operands and elements of lists */

/* Return the length of PATH's directory, the last slash included.  */
static size_t
directory_length (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Read the names of checksum files in the directory of PATH, the last file of
   the list.  If the directory cannot be read, they stay unknown.  */
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
    keep_checksum (list, item->d_name);
  bool ok = errno != 0
            || note_checksums (list, dirfd (directory), list->n - 1, start);
  closedir (directory);
  return ok;
}

/* Set the names of checksum files for the last file of the list, an operand,
   if it is in the same directory as the operand before it: distributions name
   all programs of a package.  Then the directory is read once for all of them.
   Not for symbolic links: the checksum is beside the file that they point
   to.  */
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
add_named (struct file_list *list, const char *path, bool from_list)
{
  struct stat status;
  bool found = stat (path, &status) == 0;
  if (found && S_ISDIR (status.st_mode) && list->options->recursive)
    return add_directory (list, path);
  if (from_list && temporary_is_name (path + directory_length (path)))
    return true;
  char *copy = strdup (path);
  struct listed_file *file = copy == NULL ? NULL : list_add (list, copy);
  if (file == NULL)
    return false;
  if (found && S_ISREG (status.st_mode))
    set_status (file, &status);
  file->in_tree = from_list && file->has_stat;
  return share_checksums (list);
}

static bool
add_listed (void *list, char *path)
{
  return add_named (list, path, true);
}

bool
file_list_collect (struct file_list *list, const struct tool_options *options)
{
  const char *names = options->files_from;
  *list = (struct file_list){ .options = options };
  for (size_t i = 0; i < options->n_files; i++)
    if (!add_named (list, options->files[i], false))
      return false;
  if (names == NULL)
    return true;
  FILE *in = strcmp (names, "-") == 0 ? stdin : fopen (names, "re");
  return in != NULL && lines_take (in, '\0', add_listed, list);
}

void
file_list_free (struct file_list *list)
{
  for (size_t i = 0; i < list->n; i++)
    free (list->files[i].path);
  free (list->files);
  buffer_free (&list->checksums);
  list->files = NULL;
  list->n = list->capacity = 0;
}

/* ---- Finding a listed file again */

/* Open LOCATION->directory, from the operand on.  False with errno.  */
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
