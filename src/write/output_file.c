/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "elf/descriptor_path.h"
#include "write/file_metadata.h"
#include "write/flush.h"
#include "write/temporary.h"
#include "write/uninterrupted.h"

enum
{
  LINKS_MAX = 40 /* that are followed, as the kernel has it */
};

/* Create the temporary file, or link it to SOURCE.  */
static bool
create_temporary (struct output_file *file, const struct file_location *source,
                  struct error *err)
{
  file->temporary = temporary_new (file->directory, source, &file->fd, err);
  return file->temporary != NULL;
}

/* Make a file in memory.  */
static int
create_in_memory (struct error *err)
{
  int fd = memfd_create ("cfi2sframe output", MFD_CLOEXEC);
  if (fd < 0)
    error_set_errno (err, "memfd_create");
  return fd;
}

/* Pipes get their bytes from a nameless file.  It is in memory where no folder
   can have it.  */
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
  if (file->fd < 0)
    file->fd = create_in_memory (err);
  return file->fd >= 0;
}

/* A wrong target is not a property of the input, so the status is not
   CFI2SFRAME_REFUSED.  */
static bool
check_target_kind (const struct stat *status, bool *stream, struct error *err)
{
  *stream = S_ISCHR (status->st_mode) || S_ISFIFO (status->st_mode);
  if (S_ISREG (status->st_mode) || *stream)
    return true;
  if (S_ISDIR (status->st_mode))
    return error_set_word (err, CFI2SFRAME_IO, WORD_NO_FILE, "is a directory");
  return error_set (err, CFI2SFRAME_IO,
                    "is neither a regular file nor a pipe");
}

/* TARGET names a descriptor: the bytes will go to a copy of it.  */
static bool
resolve_descriptor (struct output_file *file, const char *target, int number,
                    struct error *err)
{
  struct stat status = { 0 };
  if (number < 0 && stat (target, &status) == 0 && S_ISREG (status.st_mode))
    return error_set (err, CFI2SFRAME_IO,
                      "is another process's descriptor of a regular file");
  if (number >= 0)
    file->stream_fd = descriptor_duplicate_writable (number, err);
  return number < 0 || file->stream_fd >= 0;
}

/* Open DIRECTORY, seen from the open directory BASE.  One that cannot be read
   cannot be flushed either (flush_directory), but written to.  */
static bool
open_directory (struct output_file *file, int base, const char *directory,
                struct error *err)
{
  file->directory
      = openat (base, directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file->directory < 0 && errno == EACCES)
    file->directory
        = openat (base, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return file->directory >= 0
         || error_set_errno (err, errno == ENOENT
                                      ? "cannot find the directory"
                                      : "cannot open its directory");
}

/* FILE goes to PATH, seen from the open directory BASE.  */
static bool
set_place (struct output_file *file, int base, const char *path,
           struct error *err)
{
  const char *slash = strrchr (path, '/');
  char *directory = slash == NULL   ? strdup (".")
                    : slash == path ? strdup ("/")
                                    : strndup (path, (size_t)(slash - path));
  free (file->name);
  file->name = strdup (slash == NULL ? path : slash + 1);
  bool opened = false;
  if (directory == NULL || file->name == NULL)
    error_set_no_memory (err);
  else
    opened = open_directory (file, base, directory, err);
  free (directory);
  return opened;
}

/* FILE goes to where the last of the links is that begin with TARGET, which
   may dangle.  */
static bool
follow_links (struct output_file *file, const char *target, struct error *err)
{
  char link[PATH_MAX];
  if (!set_place (file, AT_FDCWD, target, err))
    return false;
  for (int links = 0; links < LINKS_MAX; links++)
    {
      ssize_t size
          = readlinkat (file->directory, file->name, link, sizeof link - 1);
      if (size < 0)
        return errno == EINVAL || errno == ENOENT
               || error_set_errno (err, "readlink");
      link[size] = '\0';
      int base = file->directory;
      file->directory = -1;
      bool opened = set_place (file, base, link, err);
      close (base);
      if (!opened)
        return false;
    }
  errno = ELOOP;
  return error_set_errno (err, "readlink");
}

static bool
resolve_path (struct output_file *file, const char *target, bool rewrite,
              struct error *err)
{
  struct stat status;
  int number;
  file->stream = descriptor_path_parse (target, &number);
  if (file->stream && !resolve_descriptor (file, target, number, err))
    return false;
  if (!file->stream && stat (target, &status) == 0)
    {
      if (!check_target_kind (&status, &file->stream, err))
        return false;
    }
  else if (!file->stream && errno != ENOENT)
    return error_set_errno (err, "stat");
  else if (!file->stream && !rewrite && lstat (target, &status) == 0)
    return error_set (err, CFI2SFRAME_IO, "is a dangling symbolic link");
  if (!file->stream)
    return follow_links (file, target, err);
  file->name = strdup (target);
  return file->name != NULL || error_set_no_memory (err);
}

/* The directory is that of TARGET, and no link is followed.  */
static bool
take_place (struct output_file *file, const struct file_location *target,
            struct error *err)
{
  file->name = strdup (target->name);
  return file->name != NULL
             ? open_directory (file, target->directory, ".", err)
             : error_set_no_memory (err);
}

/* Clear FILE, so that discarding it does nothing.  */
static void
output_file_release (struct output_file *file)
{
  if (file->fd >= 0)
    close (file->fd);
  if (file->stream_fd >= 0)
    close (file->stream_fd);
  if (file->target_fd >= 0)
    close (file->target_fd);
  file->fd = file->stream_fd = file->target_fd = -1;
  if (temporary_release (file->temporary) && file->directory >= 0)
    close (file->directory);
  file->directory = -1;
  file->temporary = NULL;
  free (file->name);
  file->name = NULL;
}

static const struct output_file nothing
    = { .fd = -1, .directory = -1, .stream_fd = -1, .target_fd = -1 };

/* Open the target that is there.  True if there is none.  */
static bool
open_target (struct output_file *file, struct error *err)
{
  file->target_fd
      = openat (file->directory, file->name,
                O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
  return file->target_fd >= 0 || errno == ENOENT
         || error_set_errno (err, "cannot open for writing");
}

/* Make a temporary file for TARGET, or what goes through a stream, or over the
   target.  */
static bool
create_file (struct output_file *file, const struct file_location *target,
             bool rewrite, struct error *err)
{
  *file = nothing;
  if ((target->fixed ? take_place (file, target, err)
                     : resolve_path (file, target->name, rewrite, err))
      && (!rewrite || file->stream || open_target (file, err))
      && ((!file->stream && create_temporary (file, NULL, err))
          || ((file->stream || file->target_fd >= 0)
              && create_stream (file, err))))
    return true;
  output_file_release (file);
  return false;
}

void
output_file_discard (struct output_file *file)
{
  if (file->temporary != NULL)
    unlinkat (file->directory, file->temporary->name, 0);
  output_file_release (file);
}

static bool
commit_stream (struct output_file *file, struct error *err)
{
  if (!mapped_files_check (err))
    return false;
  if (file->stream_fd < 0)
    file->stream_fd = open (file->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (file->stream_fd < 0)
    return error_set_errno (err, "cannot open for writing");
  bool ok = io_copy_to_stream (file->fd, file->stream_fd, err);
  ok = io_close (file->stream_fd, ok, err);
  file->stream_fd = -1;
  return ok;
}

/* Whether FILE's name is that of the file SOURCE_FD.  */
static bool
target_is (const struct output_file *file, int source_fd)
{
  struct stat source, target;
  return file->name != NULL && fstat (source_fd, &source) == 0
         && fstatat (file->directory, file->name, &target, AT_SYMLINK_NOFOLLOW)
                == 0
         && file_status_same (&source, &target);
}

/* Have the filesystem set space for SIZE bytes of FD aside, so that a disk is
   known to be full while FD still has what it had.  Some filesystems cannot do
   that.  */
static bool
reserve (int fd, off_t size, struct error *err)
{
  struct stat status;
  if (fallocate (fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0
      || (errno != ENOSPC && errno != EDQUOT))
    return true;
  error_set_errno (err, "fallocate");
  /* Space that was set aside is behind the end of FD.  */
  if (fstat (fd, &status) == 0 && ftruncate (fd, status.st_size) != 0)
    error_set_errno (err, "ftruncate");
  return false;
}

/* Write over the target, which cannot be replaced.  */
static bool
write_over (struct output_file *file, struct error *err)
{
  struct stat made;
  if (!mapped_files_check (err))
    return false;
  if (!target_is (file, file->target_fd))
    return error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                           "the file was replaced meanwhile");
  if (fstat (file->fd, &made) != 0)
    return error_set_errno (err, "fstat");
  if (!reserve (file->target_fd, made.st_size, err))
    return false;
  bool ok = io_copy (file->fd, file->target_fd, err);
  if (ok && ftruncate (file->target_fd, made.st_size) != 0)
    ok = error_set_errno (err, "ftruncate");
  ok = io_close (file->target_fd, ok, err);
  file->target_fd = -1;
  return ok;
}

/* Rename the temporary to the target.  */
static bool
rename_temporary (struct output_file *file, struct error *err)
{
  return renameat (file->directory, file->temporary->name, file->directory,
                   file->name)
             == 0
         || error_set_errno (err, "rename");
}

/* What is to be flushed before FILE is renamed, and afterwards.  */

static bool
flush_before (const struct output_file *file, struct error *err)
{
  return file->sync != CFI2SFRAME_SYNC_FILE || fsync (file->fd) == 0
         || error_set_errno (err, "fsync");
}

static bool
flush_after (const struct output_file *file, struct error *err)
{
  switch (file->sync)
    {
    case CFI2SFRAME_SYNC_END:
      return flush_later (file->directory, file->fd, err);
    case CFI2SFRAME_SYNC_NONE:
      return true;
    default:
      return flush_directory (file->directory, file->fd, err);
    }
}

/* Whether FILE may take its name: that is one of the file SOURCE_FD if FILE
   REPLACES that file, and not if it does not; and what was read is as it was.
   A build may have put a newer file there meanwhile, which must not be
   lost.  */
static bool
may_be_renamed (const struct output_file *file, int source_fd, bool replaces,
                struct error *err)
{
  if (!mapped_files_check (err))
    return false;
  if (target_is (file, source_fd) == replaces)
    return true;
  return replaces ? error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                                    "the file was replaced meanwhile")
                  : error_set (err, CFI2SFRAME_INVALID,
                               "the output is the input itself");
}

/* Flush and rename; the parameters are those of may_be_renamed.  FILE has its
   final metadata.  Flushing takes seconds at times, so nothing comes between
   the look at what is there and the rename.  */
static bool
put_in_place (struct output_file *file, int source_fd, bool replaces,
              struct error *err)
{
  struct stat status;
  if (!flush_before (file, err))
    return false;
  if (fstat (file->fd, &status) != 0)
    return error_set_errno (err, "fstat");
  if (!may_be_renamed (file, source_fd, replaces, err))
    return false;
  if (!rename_temporary (file, err))
    return file->target_fd >= 0 && write_over (file, err);
  file->made = file_identity_of (&status);
  bool flushed = flush_after (file, err);
  output_file_release (file);
  return flushed;
}

/* Whether the temporary, which was linked to what has the name of SOURCE by
   now, is that very file.  */
static bool
check_linked (const struct output_file *file,
              const struct file_location *source, struct error *err)
{
  struct stat status;
  if (fstatat (file->directory, file->temporary->name, &status,
               AT_SYMLINK_NOFOLLOW)
      != 0)
    return error_set_errno (err, "fstatat");
  return file_identity_is (&source->identity, &status)
         || error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                            "the file was replaced meanwhile");
}

bool
output_file_link (const struct file_location *target,
                  const struct file_location *source, struct error *err)
{
  struct output_file file = nothing;
  sigset_t mask;
  if (!uninterrupted_begin (&mask))
    return error_set_errno (err, "make a hard link");
  bool linked
      = (target->fixed ? take_place (&file, target, err)
                       : set_place (&file, AT_FDCWD, target->name, err))
        && create_temporary (&file, source, err)
        && check_linked (&file, source, err) && rename_temporary (&file, err);
  if (linked)
    flush_name_later (file.directory);
  output_file_discard (&file);
  uninterrupted_end (&mask);
  return linked;
}

bool
output_file_check_other (const char *target, const char *input,
                         struct error *err)
{
  struct stat a, b;
  return target == NULL || stat (target, &a) != 0 || stat (input, &b) != 0
         || !file_status_same (&a, &b)
         || error_set (err, CFI2SFRAME_INVALID,
                       "the output is the input itself");
}

/* Let FILE take the place of the source that it was made from.  */
static bool
commit (struct output_file *file, int source_fd, bool preserve_times,
        struct error *err)
{
  if (file->stream)
    return commit_stream (file, err);
  return file_copy_metadata (source_fd, file->fd, preserve_times, err)
         && put_in_place (file, source_fd, true, err);
}

/* Let FILE take the place of the target, of which only the contents shall
   change.  */
static bool
commit_like_target (struct output_file *file, struct error *err)
{
  struct error unlike;
  return file->temporary != NULL
                 && file_copy_metadata (file->target_fd, file->fd, false,
                                        &unlike)
             ? put_in_place (file, -1, false, err)
             : write_over (file, err);
}

/* Let FILE take the place of any other file.  */
static bool
commit_new (struct output_file *file, int source_fd, bool preserve_times,
            struct error *err)
{
  struct stat source = { .st_mode = 0666 };
  if (file->stream)
    return commit_stream (file, err);
  if (file->target_fd >= 0)
    return commit_like_target (file, err);
  if (source_fd >= 0 && fstat (source_fd, &source) != 0)
    return error_set_errno (err, "fstat");
  return file_set_new_mode (file->fd, source.st_mode, err)
         && (!preserve_times || source_fd < 0
             || file_set_times (file->fd, &source, err))
         && put_in_place (file, source_fd, false, err);
}

bool
output_file_finish (struct output_file *file,
                    const struct output_request *request, bool so_far,
                    struct error *err)
{
  bool times = request->preserve_times;
  file->sync = request->sync;
  bool done = so_far
              && (request->output != NULL
                      ? commit_new (file, request->input_fd, times, err)
                      : commit (file, request->input_fd, times, err));
  if (done && request->output == NULL && request->made != NULL)
    *request->made = file->made;
  output_file_discard (file);
  return done
         || (request->output != NULL && error_in_file (err, request->output));
}

bool
output_file_begin (struct output_file *file,
                   const struct output_request *request, struct error *err)
{
  /* One of the two is there.  */
  const struct file_location target
      = request->output != NULL || request->input == NULL
            ? file_location_of_path (request->output)
            : *request->input;
  return create_file (file, &target, request->rewrite, err)
         || (request->output != NULL && error_in_file (err, request->output));
}

/* Whether A and B are open on one file or folder.  */
static bool
same_open (int a, int b)
{
  struct stat first, second;
  return fstat (a, &first) == 0 && fstat (b, &second) == 0
         && file_status_same (&first, &second);
}

bool
output_file_same_target (const struct output_file *a,
                         const struct output_file *b)
{
  return !a->stream && !b->stream
         && (same_open (a->target_fd, b->target_fd)
             || (strcmp (a->name, b->name) == 0
                 && same_open (a->directory, b->directory)));
}

/* Have WRITE fill a file in memory: nothing else is missing then.  */
static bool
try_to_make (bool (*write) (void *context, int fd, struct error *err),
             void *context, struct error *err)
{
  int fd = create_in_memory (err);
  if (fd < 0)
    return false;
  bool written = write (context, fd, err);
  close (fd);
  return written;
}

bool
output_file_make (const struct output_request *request,
                  bool (*write) (void *context, int fd, struct error *err),
                  void *context, struct error *err)
{
  struct output_file file;
  if (request->dry_run)
    return try_to_make (write, context, err);
  return output_file_begin (&file, request, err)
         && output_file_finish (&file, request, write (context, file.fd, err),
                                err);
}

static bool
write_buffer (void *context, int fd, struct error *err)
{
  const struct buffer *bytes = context;
  return io_write_at (fd, bytes->bytes, bytes->size, 0, err);
}

bool
output_file_write (const char *target, const struct buffer *bytes, int like_fd,
                   enum cfi2sframe_sync sync, struct error *err)
{
  const struct output_request request
      = { .output = target, .input_fd = like_fd, .sync = sync };
  return output_file_make (&request, write_buffer, (void *)bytes, err);
}
