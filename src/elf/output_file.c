/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "elf/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "elf/descriptor_path.h"
#include "elf/file_metadata.h"
#include "elf/uninterrupted.h"

/* A short name of its own length: the target's name plus a suffix might
   exceed NAME_MAX.  The leading dot hides it from ldconfig and from shell
   patterns.  */
#define TEMPORARY_NAME "/.cfi2sframe-XXXXXX"

/* The temporary files there are now, for output_file_discard_all.  Who takes
   a path out of the table with an exchange owns it, so that a handler never
   reads a path another thread frees.  Beyond the table's size files are
   written all the same, only unknown to the handler.  */
#define SLOTS 256
static _Atomic (char *) active[SLOTS];

/* Threads between making a file and entering it into the table.  */
static atomic_int creating;

/* Set once the process is about to end.  */
static atomic_bool closing;

static int
active_add (char *path)
{
  for (int i = 0; i < SLOTS; i++)
    {
      char *expected = NULL;
      if (atomic_compare_exchange_strong (&active[i], &expected, path))
        return i;
    }
  return -1;
}

/* True when the path is the caller's again, false when a signal handler has
   taken it for good.  */
static bool
active_remove (int slot)
{
  return slot < 0 || atomic_exchange (&active[slot], NULL) != NULL;
}

void
output_file_discard_all (void)
{
  int saved = errno;
  uninterrupted_wait ();
  atomic_store (&closing, true);
  /* A creating thread has its signals blocked, so it is never the one
     interrupted here, and it ends soon; a hanging file system must not make
     the handler hang for ever.  */
  const struct timespec pause = { 0, 1000000 };
  for (int i = 0; i < 1000 && atomic_load (&creating) != 0; i++)
    nanosleep (&pause, NULL);
  for (int i = 0; i < SLOTS; i++)
    {
      char *path = atomic_exchange (&active[i], NULL);
      if (path != NULL)
        unlink (path);
    }
  errno = saved;
}

/* Make the file and enter it into the table, out of reach of signals.  */
static bool
create_temporary (struct output_file *file, struct error *err)
{
  sigset_t all, old;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  atomic_fetch_add (&creating, 1);
  errno = EINTR;
  if (!atomic_load (&closing))
    file->fd = mkostemp (file->temporary, O_CLOEXEC);
  int saved = errno;
  if (file->fd >= 0)
    file->slot = active_add (file->temporary);
  atomic_fetch_sub (&creating, 1);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = saved;
  return file->fd >= 0
         || error_set_errno (err, "create a file in the same directory");
}

static bool
create_beside_target (struct output_file *file, struct error *err)
{
  const char *slash = strrchr (file->target, '/');
  size_t length = slash == NULL ? 1 : (size_t)(slash - file->target);
  file->temporary = malloc (length + sizeof TEMPORARY_NAME);
  if (file->temporary == NULL)
    return error_set_no_memory (err);
  memcpy (file->temporary, slash == NULL ? "." : file->target, length);
  memcpy (file->temporary + length, TEMPORARY_NAME, sizeof TEMPORARY_NAME);
  if (create_temporary (file, err))
    return true;
  free (file->temporary);
  file->temporary = NULL;
  return false;
}

/* Pipes get their bytes from a nameless file.  */
static bool
create_stream (struct output_file *file, struct error *err)
{
  const char *directory = secure_getenv ("TMPDIR");
  if (directory == NULL || *directory == '\0')
    directory = P_tmpdir;
  file->fd = open (directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file->fd >= 0)
    return true;
  FILE *nameless = tmpfile ();
  if (nameless != NULL)
    {
      file->fd = fcntl (fileno (nameless), F_DUPFD_CLOEXEC, 0);
      fclose (nameless);
    }
  return file->fd >= 0 || error_set_errno (err, "create a temporary file");
}

/* The path of TARGET, which does not exist, with its directory resolved.  */
static char *
resolve_new (const char *target)
{
  char *copy = strdup (target);
  const char *slash = strrchr (target, '/');
  const char *name = slash == NULL ? target : slash + 1;
  char *directory = copy == NULL ? NULL : realpath (dirname (copy), NULL);
  char *path = NULL;
  if (directory != NULL && asprintf (&path, "%s/%s", directory, name) < 0)
    path = NULL;
  int saved = errno;
  free (directory);
  free (copy);
  errno = saved;
  return path;
}

static bool
check_target_kind (const struct stat *status, bool *stream, struct error *err)
{
  *stream = S_ISCHR (status->st_mode) || S_ISFIFO (status->st_mode);
  if (S_ISREG (status->st_mode) || *stream)
    return true;
  return error_set (err, CFI2SFRAME_REFUSED, "%s",
                    S_ISDIR (status->st_mode)
                        ? "is a directory"
                        : "is neither a regular file nor a pipe");
}

/* The bytes of TARGET's open file go to a copy of its descriptor.  */
static bool
resolve_descriptor (struct output_file *file, const char *target, int number,
                    struct error *err)
{
  struct stat status;
  if (number < 0 && stat (target, &status) == 0 && S_ISREG (status.st_mode))
    return error_set (err, CFI2SFRAME_REFUSED,
                      "is another process's descriptor of a regular file");
  if (number >= 0)
    file->stream_fd = descriptor_duplicate_writable (number, err);
  return number < 0 || file->stream_fd >= 0;
}

static bool
resolve_target (struct output_file *file, const char *target,
                struct error *err)
{
  struct stat status;
  int number;
  if (descriptor_path_parse (target, &number))
    {
      file->stream = true;
      if (!resolve_descriptor (file, target, number, err))
        return false;
      file->target = strdup (target);
    }
  else if (stat (target, &status) == 0)
    {
      if (!check_target_kind (&status, &file->stream, err))
        return false;
      file->target = file->stream ? strdup (target) : realpath (target, NULL);
    }
  else if (errno != ENOENT)
    return error_set_errno (err, "stat");
  else if (lstat (target, &status) == 0)
    return error_set (err, CFI2SFRAME_REFUSED, "is a dangling symbolic link");
  else
    file->target = resolve_new (target);
  return file->target != NULL || error_set_errno (err, "resolve the path");
}

/* Forget everything but the fact that nothing is left to do.  */
static void
output_file_release (struct output_file *file)
{
  if (file->fd >= 0)
    close (file->fd);
  if (file->stream_fd >= 0)
    close (file->stream_fd);
  file->fd = file->stream_fd = -1;
  /* A path a signal handler took must stay readable for it.  */
  if (active_remove (file->slot))
    free (file->temporary);
  file->slot = -1;
  file->temporary = NULL;
  free (file->target);
  file->target = NULL;
}

bool
output_file_create (struct output_file *file, const char *target,
                    struct error *err)
{
  *file = (struct output_file){ .fd = -1, .stream_fd = -1, .slot = -1 };
  if (resolve_target (file, target, err)
      && (file->stream ? create_stream (file, err)
                       : create_beside_target (file, err)))
    return true;
  output_file_release (file);
  return false;
}

void
output_file_discard (struct output_file *file)
{
  if (file->temporary != NULL)
    unlink (file->temporary);
  output_file_release (file);
}

static bool
write_fully (int fd, const uint8_t *bytes, size_t size, struct error *err)
{
  while (size > 0)
    {
      ssize_t written = write (fd, bytes, size);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return error_set_errno (err, "write");
      bytes += written;
      size -= (size_t)written;
    }
  return true;
}

static bool
copy_all (int from, int to, struct error *err)
{
  enum
  {
    chunk = 1 << 17
  };
  uint8_t *bytes = malloc (chunk);
  if (bytes == NULL)
    return error_set_no_memory (err);
  bool ok = true;
  off_t offset = 0;
  while (ok)
    {
      ssize_t got = pread (from, bytes, chunk, offset);
      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        ok = error_set_errno (err, "read");
      if (got <= 0)
        break;
      offset += got;
      ok = write_fully (to, bytes, (size_t)got, err);
    }
  free (bytes);
  return ok;
}

static bool
commit_stream (struct output_file *file, struct error *err)
{
  if (file->stream_fd < 0)
    file->stream_fd = open (file->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file->stream_fd < 0)
    return error_set_errno (err, "open for writing");
  bool ok = copy_all (file->fd, file->stream_fd, err);
  ok = io_close (file->stream_fd, ok, err);
  file->stream_fd = -1;
  if (ok)
    output_file_release (file);
  return ok;
}

/* Open the directory of PATH for fsync; -1 when that is not permitted.  */
static int
open_directory_of (const char *path)
{
  char *copy = strdup (path);
  if (copy == NULL)
    return -1;
  int fd = open (dirname (copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free (copy);
  return fd;
}

/* Make the rename last.  A directory without read permission cannot be
   opened, but its file system can be flushed through the file; file systems
   that cannot flush directories say EINVAL.  */
static bool
flush_directory (int directory, int file, struct error *err)
{
  int result = directory >= 0 ? fsync (directory) : syncfs (file);
  if (result == 0 || errno == EINVAL || errno == ENOSYS)
    return true;
  return error_set (err, CFI2SFRAME_IO,
                    "written, but flushing its directory failed: %s",
                    strerror (errno));
}

/* Flush and rename.  The file has its final metadata.  */
static bool
put_in_place (struct output_file *file, struct error *err)
{
  if (fsync (file->fd) != 0)
    return error_set_errno (err, "fsync");
  int directory = open_directory_of (file->target);
  bool ok = rename (file->temporary, file->target) == 0;
  if (!ok)
    error_set_errno (err, "rename");
  else
    {
      ok = flush_directory (directory, file->fd, err);
      output_file_release (file);
    }
  if (directory >= 0)
    close (directory);
  return ok;
}

/* Like create_temporary, but a new name for the file SOURCE.  */
static bool
link_temporary (struct output_file *file, const char *source,
                struct error *err)
{
  /* mkostemp finds a name that is not taken; linkat will not take one that is
     there.  The time between the two is in the hands of who can write to the
     directory, and they can only make linkat fail.  */
  if (!create_beside_target (file, err))
    return false;
  close (file->fd);
  file->fd = -1;
  return (unlink (file->temporary) == 0
          && linkat (AT_FDCWD, source, AT_FDCWD, file->temporary,
                     AT_SYMLINK_FOLLOW)
                 == 0)
         || error_set_errno (err, "make a hard link");
}

bool
output_file_link (const char *target, const char *source, struct error *err)
{
  struct output_file file = { .fd = -1, .stream_fd = -1, .slot = -1 };
  file.target = strdup (target);
  if (file.target == NULL)
    return error_set_no_memory (err);
  sigset_t mask;
  uninterrupted_begin (&mask);
  bool linked = link_temporary (&file, source, err);
  if (linked && rename (file.temporary, file.target) != 0)
    linked = error_set_errno (err, "rename");
  output_file_discard (&file);
  uninterrupted_end (&mask);
  return linked;
}

static bool
is_same_file (const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether the target still is the file that was read.  A build may have put
   a newer one there meanwhile, which must not be lost.  */
static bool
target_is (const struct output_file *file, int source_fd)
{
  struct stat source, target;
  return fstat (source_fd, &source) == 0 && stat (file->target, &target) == 0
         && is_same_file (&source, &target);
}

bool
output_file_check_other (const char *target, const char *input,
                         struct error *err)
{
  struct stat a, b;
  return stat (target, &a) != 0 || stat (input, &b) != 0
         || !is_same_file (&a, &b)
         || error_set (err, CFI2SFRAME_REFUSED,
                       "the output is the input itself");
}

bool
output_file_commit (struct output_file *file, int source_fd,
                    bool preserve_times, struct error *err)
{
  if (file->stream)
    return commit_stream (file, err);
  if (!target_is (file, source_fd))
    return error_set (err, CFI2SFRAME_IO, "the file was replaced meanwhile");
  return file_copy_metadata (source_fd, file->fd, preserve_times, err)
         && put_in_place (file, err);
}

bool
output_file_commit_new (struct output_file *file, int source_fd,
                        bool preserve_times, struct error *err)
{
  if (file->stream)
    return commit_stream (file, err);
  struct stat source;
  if (fstat (source_fd, &source) != 0)
    return error_set_errno (err, "fstat");
  if (target_is (file, source_fd))
    return error_set (err, CFI2SFRAME_REFUSED,
                      "the output is the input itself");
  return file_set_new_mode (file->fd, source.st_mode, err)
         && (!preserve_times || file_set_times (file->fd, &source, err))
         && put_in_place (file, err);
}

bool
output_file_write (const char *target, const struct buffer *bytes, int like_fd,
                   struct error *err)
{
  struct output_file file;
  if (!output_file_create (&file, target, err))
    return error_in_file (err, target);
  bool written = io_write_at (file.fd, bytes->bytes, bytes->size, 0, err)
                 && output_file_commit_new (&file, like_fd, false, err);
  output_file_discard (&file);
  return written || error_in_file (err, target);
}
