/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "write/file_metadata.h"
#include "write/flush.h"
#include "write/temporary.h"
#include "write/uninterrupted.h"

/* ---- The beginning.  */

/* Create the temporary file, or link it to SOURCE.  */
static bool
create_temporary (struct output_file *file, const struct file_location *source,
                  struct error *err)
{
  file->temporary
      = temporary_new (file->target.directory, source, &file->fd, err);
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

/* Clear FILE, so that discarding it does nothing.  */
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
  output_target_release (&file->target);
}

static const struct output_file nothing
    = { .fd = -1, .target_fd = -1, .target = OUTPUT_TARGET_NONE };

/* Open the target that is there.  True if there is none.  */
static bool
open_target (struct output_file *file, struct error *err)
{
  file->target_fd
      = openat (file->target.directory, file->target.name,
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
  bool found = output_target_find (&file->target, target, rewrite, err);
  bool stream = file->target.stream;
  if (found && (!rewrite || stream || open_target (file, err))
      && ((!stream && create_temporary (file, NULL, err))
          || ((stream || file->target_fd >= 0) && create_stream (file, err))))
    return true;
  output_file_release (file);
  return false;
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

void
output_file_discard (struct output_file *file)
{
  if (file->temporary != NULL)
    unlinkat (file->target.directory, file->temporary->name, 0);
  output_file_release (file);
}

/* ---- Ways to the target.  */

/* Write the bytes of FILE to the stream that its target is.  */
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

/* Whether the name of TARGET is that of the file SOURCE_FD.  */
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

/* Flush FD, which has the bytes of FILE, if that is to be done at once.  */
static bool
flush_bytes (const struct output_file *file, int fd, struct error *err)
{
  return file->sync != CFI2SFRAME_SYNC_FILE || fsync (fd) == 0
         || error_set_errno (err, "fsync");
}

/* Write over the target, which cannot be replaced.  */
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

/* Rename the temporary to the target.  */
static bool
rename_temporary (struct output_file *file, struct error *err)
{
  const struct output_target *target = &file->target;
  return renameat (target->directory, file->temporary->name, target->directory,
                   target->name)
             == 0
         || error_set_errno (err, "rename");
}

/* ---- A new file comes in place of the target.  */

/* Flush the new name of FILE, or note that this is to be done.  */
static bool
flush_name (const struct output_file *file, struct error *err)
{
  switch (file->sync)
    {
    case CFI2SFRAME_SYNC_END:
      return flush_later (file->target.directory, file->fd, err);
    case CFI2SFRAME_SYNC_NONE:
      return true;
    default:
      return flush_directory (file->target.directory, file->fd, err);
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
  if (target_is (&file->target, source_fd) == replaces)
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
  if (!flush_bytes (file, file->fd, err))
    return false;
  if (fstat (file->fd, &status) != 0)
    return error_set_errno (err, "fstat");
  if (!may_be_renamed (file, source_fd, replaces, err))
    return false;
  if (!rename_temporary (file, err))
    return file->target_fd >= 0 && write_over (file, err);
  file->made = file_identity_of (&status);
  bool flushed = flush_name (file, err);
  output_file_release (file);
  return flushed;
}

/* ---- The end, for each kind of target.  */

/* Give FILE what a replacement of the input keeps, or what a new file has.  */
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

/* Let FILE take the place of the target, of which only the contents shall
   change.  */
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

static bool
commit (struct output_file *file, const struct output_request *request,
        struct error *err)
{
  if (file->target.stream)
    return write_through (file, err);
  if (file->target_fd >= 0)
    return rewrite (file, err);
  return set_metadata (file, request, err)
         && put_in_place (file, request->input_fd, request->output == NULL,
                          err);
}

bool
output_file_finish (struct output_file *file,
                    const struct output_request *request, bool so_far,
                    struct error *err)
{
  file->sync = request->sync;
  bool done = so_far && commit (file, request, err);
  if (done && request->output == NULL && request->made != NULL)
    *request->made = file->made;
  output_file_discard (file);
  return done
         || (request->output != NULL && error_in_file (err, request->output));
}

/* ---- Questions about targets.  */

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

/* Whether A and B are one pipe with a name: who reads it takes the end of the
   first output for the end of all.  */
static bool
same_named_pipe (const struct output_target *a, const struct output_target *b)
{
  struct stat first, second;
  return a->stream && b->stream && a->stream_fd < 0 && b->stream_fd < 0
         && stat (a->name, &first) == 0 && stat (b->name, &second) == 0
         && S_ISFIFO (first.st_mode) && file_status_same (&first, &second);
}

bool
output_file_same_target (const struct output_file *a,
                         const struct output_file *b)
{
  if (a->target.stream || b->target.stream)
    return same_named_pipe (&a->target, &b->target);
  return same_open (a->target_fd, b->target_fd)
         || (strcmp (a->target.name, b->target.name) == 0
             && same_open (a->target.directory, b->target.directory));
}

/* ---- All of it in one step.  */

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

/* ---- Hard links.  */

/* Whether the temporary, which was linked to what has the name of SOURCE by
   now, is that very file.  */
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
  bool linked = output_target_take (&file.target, target, err)
                && create_temporary (&file, source, err)
                && check_linked (&file, source, err)
                && rename_temporary (&file, err);
  if (linked)
    flush_name_later (file.target.directory);
  output_file_discard (&file);
  uninterrupted_end (&mask);
  return linked;
}
