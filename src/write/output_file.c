/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "write/file_metadata.h"
#include "write/flush.h"
#include "write/temporary.h"

enum
{
  LINKS_MAX = 40 /* symbolic links that are followed, as in the kernel */
};

/* ---- Finding the target */

#define OUTPUT_TARGET_NONE \
  ((struct output_target){ .directory = -1, .stream_fd = -1 })

/* Set *STREAM.  False if the target is no file and no stream.  A wrong target
   is not a property of the input, so the status is not CFI2SFRAME_REFUSED.  */
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

/* Let the stream TARGET be a copy of descriptor NUMBER, which PATH names.  A
   negative NUMBER means a descriptor of another process.  */
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

/* Open DIRECTORY, relative to the open directory BASE.  Without read
   permission it is opened as a path alone: files can be made there, but it
   cannot be flushed (flush_directory).  */
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

/* Let TARGET be PATH, relative to the open directory BASE, without following a
   symbolic link of that name.  */
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

/* Let TARGET be PATH, behind all symbolic links; the last may dangle.  */
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

/* Set target->stream, and for a descriptor stream_fd.  False if PATH is
   neither a stream nor a regular file, nor free for a new file.  */
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

/* Let TARGET, which is OUTPUT_TARGET_NONE, be the file that LOCATION names,
   behind all symbolic links if they are to be followed.  The file need not
   exist, but its directory must.  A dangling link is refused unless
   MAY_DANGLE.  The caller releases TARGET also after failure.  */
static bool
target_find (struct output_target *target,
             const struct file_location *location, bool may_dangle,
             struct error *err)
{
  if (location->fixed)
    return set_place (target, location->directory, location->name, err);
  if (!find_kind (target, location->name, may_dangle, err))
    return false;
  if (!target->stream)
    return follow_links (target, location->name, err);
  target->name = strdup (location->name);
  return target->name != NULL || error_set_no_memory (err);
}

/* Free TARGET, and let it be OUTPUT_TARGET_NONE.  */
static void
target_release (struct output_target *target)
{
  if (target->directory >= 0)
    close (target->directory);
  if (target->stream_fd >= 0)
    close (target->stream_fd);
  free (target->name);
  *target = OUTPUT_TARGET_NONE;
}

/* ---- Beginning a file */

/* Create the temporary file, or make it a hard link to SOURCE.  */
static bool
create_temporary (struct output_file *file, const struct file_location *source,
                  struct error *err)
{
  file->temporary
      = temporary_new (file->target.directory, source, &file->fd, err);
  return file->temporary != NULL;
}

/* Make a file in memory.  Returns its descriptor, or -1.  */
static int
create_in_memory (struct error *err)
{
  int fd = memfd_create ("cfi2sframe output", MFD_CLOEXEC);
  if (fd < 0)
    error_set_errno (err, "memfd_create");
  return fd;
}

/* Create a file without a name, from which a stream gets its bytes at the end.
   It is in memory if no directory can have it.  */
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

/* Free FILE, so that discarding it does nothing.  */
static void
output_file_release (struct output_file *file)
{
  if (file->fd >= 0)
    close (file->fd);
  if (file->target_fd >= 0)
    close (file->target_fd);
  file->fd = file->target_fd = -1;
  if (!temporary_release (file->temporary))
    file->target.directory = -1; /* a signal handler uses it */
  file->temporary = NULL;
  target_release (&file->target);
}

static const struct output_file nothing
    = { .fd = -1, .target_fd = -1, .target = OUTPUT_TARGET_NONE };

bool
output_file_begin (struct output_file *file,
                   const struct output_request *request, struct error *err)
{
  /* The request has an output or an input.  */
  const struct file_location location
      = request->output != NULL || request->input == NULL
            ? file_location_of_path (request->output)
            : *request->input;
  *file = nothing;
  const struct output_target *target = &file->target;
  bool found = target_find (&file->target, &location, request->rewrite, err);
  if (found && request->rewrite && !target->stream)
    {
      /* The target need not exist.  */
      file->target_fd
          = openat (target->directory, target->name,
                    O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
      found = file->target_fd >= 0 || errno == ENOENT
              || error_set_errno (err, "cannot open for writing");
    }
  /* Make a temporary file in the target's directory or, where this fails, a
     nameless file to be written over the target.  A stream needs a nameless
     file.  */
  if (found
      && ((!target->stream && create_temporary (file, NULL, err))
          || ((target->stream || file->target_fd >= 0)
              && create_stream (file, err))))
    return true;
  output_file_release (file);
  return request->output != NULL && error_in_file (err, request->output);
}

void
output_file_discard (struct output_file *file)
{
  if (file->temporary != NULL)
    unlinkat (file->target.directory, file->temporary->name, 0);
  output_file_release (file);
}

/* ---- Ways to the target */

/* Write the bytes of FILE to its target, a stream.  */
static bool
write_through (struct output_file *file, struct error *err)
{
  struct output_target *target = &file->target;
  if (!mapped_files_check (err))
    return false;
  if (target->stream_fd < 0)
    target->stream_fd = open (target->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (target->stream_fd < 0)
    return error_set_errno (err, "cannot open for writing");
  bool ok = io_copy_to_stream (file->fd, target->stream_fd, err);
  ok = io_close (target->stream_fd, ok, err);
  target->stream_fd = -1;
  return ok;
}

/* Whether the name of TARGET is one of the file SOURCE_FD.  */
static bool
target_is (const struct output_target *target, int source_fd)
{
  struct stat source, found;
  return fstat (source_fd, &source) == 0
         && fstatat (target->directory, target->name, &found,
                     AT_SYMLINK_NOFOLLOW)
                == 0
         && file_status_same (&source, &found);
}

/* Let the filesystem set space for SIZE bytes of FD aside, so that a full disk
   is noticed before FD is changed.  Not all filesystems can.  */
static bool
reserve (int fd, off_t size, struct error *err)
{
  struct stat status;
  if (fallocate (fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0
      || (errno != ENOSPC && errno != EDQUOT))
    return true;
  error_set_errno (err, "fallocate");
  /* Give back space that was set aside, which is behind the end of FD.  */
  if (fstat (fd, &status) == 0 && ftruncate (fd, status.st_size) != 0)
    error_set_errno (err, "ftruncate");
  return false;
}

/* Flush FD, which has the bytes of FILE, if files are flushed at once.  */
static bool
flush_bytes (const struct output_file *file, int fd, struct error *err)
{
  return file->sync != CFI2SFRAME_SYNC_FILE || fsync (fd) == 0
         || error_set_errno (err, "fsync");
}

/* Write the bytes of FILE over its target, which cannot be replaced.  */
static bool
write_over (struct output_file *file, struct error *err)
{
  struct stat made;
  if (!mapped_files_check (err))
    return false;
  if (!target_is (&file->target, file->target_fd))
    return error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                           "the file was replaced meanwhile");
  if (fstat (file->fd, &made) != 0)
    return error_set_errno (err, "fstat");
  if (!reserve (file->target_fd, made.st_size, err))
    return false;
  bool ok = io_copy (file->fd, file->target_fd, err);
  if (ok && ftruncate (file->target_fd, made.st_size) != 0)
    ok = error_set_errno (err, "ftruncate");
  ok = ok && flush_bytes (file, file->target_fd, err);
  ok = io_close (file->target_fd, ok, err);
  file->target_fd = -1;
  return ok;
}

/* Rename the temporary file to the target.  */
static bool
rename_temporary (struct output_file *file, struct error *err)
{
  const struct output_target *target = &file->target;
  return renameat (target->directory, file->temporary->name, target->directory,
                   target->name)
             == 0
         || error_set_errno (err, "rename");
}

/* ---- Replacing the target */

/* Whether FILE may take its name.  If FILE REPLACES the file SOURCE_FD, the
   name must still be one of that file, because a newer file, made by a build
   meanwhile, must not be lost.  Otherwise it must not be.  No mapped file may
   have changed.  */
static bool
may_be_renamed (const struct output_file *file, int source_fd, bool replaces,
                struct error *err)
{
  if (!mapped_files_check (err))
    return false;
  if (target_is (&file->target, source_fd) == replaces)
    return true;
  return replaces ? error_set_word (err, CFI2SFRAME_IO, WORD_CHANGED_MEANWHILE,
                                    "the file was replaced meanwhile")
                  : error_set (err, CFI2SFRAME_INVALID,
                               "the output is the input itself");
}

/* Flush FILE, which has its final metadata, and rename it; the parameters are
   those of may_be_renamed.  Flushing may take seconds, so it comes first.  */
static bool
put_in_place (struct output_file *file, int source_fd, bool replaces,
              struct error *err)
{
  struct stat status;
  if (!flush_bytes (file, file->fd, err))
    return false;
  if (fstat (file->fd, &status) != 0)
    return error_set_errno (err, "fstat");
  if (!may_be_renamed (file, source_fd, replaces, err))
    return false;
  if (!rename_temporary (file, err))
    return file->target_fd >= 0 && write_over (file, err);
  file->made = file_identity_of (&status);
  int directory = file->target.directory;
  bool flushed = true;
  if (file->sync == CFI2SFRAME_SYNC_END)
    flushed = flush_later (directory, file->fd, err);
  else if (file->sync != CFI2SFRAME_SYNC_NONE)
    flushed = flush_directory (directory, file->fd, err);
  output_file_release (file);
  return flushed;
}

/* ---- Finishing a file */

/* Give FILE the metadata of the input that it replaces, or of a new file.  */
static bool
set_metadata (const struct output_file *file,
              const struct output_request *request, struct error *err)
{
  int source_fd = request->input_fd;
  struct stat source = { .st_mode = 0666 };
  if (request->output == NULL)
    return file_copy_metadata (source_fd, file->fd, request->preserve_times,
                               err);
  if (source_fd >= 0 && fstat (source_fd, &source) != 0)
    return error_set_errno (err, "fstat");
  return file_set_new_mode (file->fd, source.st_mode, err)
         && (!request->preserve_times || source_fd < 0
             || file_set_times (file->fd, &source, err));
}

/* Put the contents of FILE into the target, whose metadata must not change:
   replace the target, or write over it.  */
static bool
rewrite (struct output_file *file, struct error *err)
{
  struct error unlike;
  return file->temporary != NULL
                 && file_copy_metadata (file->target_fd, file->fd, false,
                                        &unlike)
             ? put_in_place (file, -1, false, err)
             : write_over (file, err);
}

bool
output_file_finish (struct output_file *file,
                    const struct output_request *request, bool so_far,
                    struct error *err)
{
  file->sync = request->sync;
  bool done = so_far;
  if (done && file->target.stream)
    done = write_through (file, err);
  else if (done && file->target_fd >= 0)
    done = rewrite (file, err);
  else if (done)
    done = set_metadata (file, request, err)
           && put_in_place (file, request->input_fd, request->output == NULL,
                            err);
  if (done && request->output == NULL && request->made != NULL)
    *request->made = file->made;
  output_file_discard (file);
  return done
         || (request->output != NULL && error_in_file (err, request->output));
}

/* ---- Questions about targets */

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
  const struct output_target *one = &a->target, *other = &b->target;
  struct stat first, second;
  if (!one->stream && !other->stream)
    return same_open (a->target_fd, b->target_fd)
           || (strcmp (one->name, other->name) == 0
               && same_open (one->directory, other->directory));
  /* A named pipe's reader takes the end of one output for that of both.  */
  return one->stream && other->stream && one->stream_fd < 0
         && other->stream_fd < 0 && stat (one->name, &first) == 0
         && stat (other->name, &second) == 0 && S_ISFIFO (first.st_mode)
         && file_status_same (&first, &second);
}

/* ---- All of it in one step */

bool
output_file_make (const struct output_request *request,
                  bool (*write) (void *context, int fd, struct error *err),
                  void *context, struct error *err)
{
  struct output_file file;
  if (request->dry_run)
    {
      int fd = create_in_memory (err);
      bool written = fd >= 0 && write (context, fd, err);
      if (fd >= 0)
        close (fd);
      return written;
    }
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

/* ---- Hard links */

/* Whether the temporary name, a hard link to the file that is called SOURCE
   now, is one of the file source->identity.  */
static bool
check_linked (const struct output_file *file,
              const struct file_location *source, struct error *err)
{
  struct stat status;
  if (fstatat (file->target.directory, file->temporary->name, &status,
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
  bool linked = set_place (&file.target, target->directory, target->name, err)
                && create_temporary (&file, source, err)
                && check_linked (&file, source, err)
                && rename_temporary (&file, err);
  if (linked)
    flush_name_later (file.target.directory);
  output_file_discard (&file);
  uninterrupted_end (&mask);
  return linked;
}
