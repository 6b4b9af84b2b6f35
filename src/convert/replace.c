/* Carrying out a plan: writing the new file in place of the old one, or in
   memory; and, for large files, digesting and copying ahead.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/mapped_file.h"
#include "write/inject.h"
#include "write/undo.h"

#ifndef MADV_POPULATE_READ
#  define MADV_POPULATE_READ 22 /* Linux 5.14; glibc has it since 2.35 */
#endif

enum
{
  /* Bytes to read or write at a time.  The work can be cancelled in
     between.  */
  CHUNK = 1 << 20
};

/* ---- Digesting and copying ahead */

/* Return the size of the image's chunk at OFFSET: 0 at the end, and after
   copy_ahead_cancel.  */
static size_t
chunk_size (struct copy_ahead *ahead, uint64_t offset)
{
  uint64_t left = ahead->image->size - offset;
  return atomic_load (&ahead->cancelled) ? 0 : left < CHUNK ? left : CHUNK;
}

/* Read and map all bytes of the image.  Kernels before 5.14 cannot do that at
   once (EINVAL); there the digest reads them.  */
static bool
map_all (struct copy_ahead *ahead)
{
  uint64_t at = 0;
  for (size_t size; (size = chunk_size (ahead, at)) > 0; at += size)
    if (madvise ((void *)(ahead->image->bytes + at), size, MADV_POPULATE_READ)
            != 0
        && errno != EINVAL)
      return false;
  return at == ahead->image->size;
}

static bool
copy_all (struct copy_ahead *ahead)
{
  struct error ignored = { 0 };
  uint64_t at = 0;
  for (size_t size; (size = chunk_size (ahead, at)) > 0; at += size)
    if (!io_write_at (ahead->file.fd, ahead->image->bytes + at, size, at,
                      &ignored))
      return false;
  return at == ahead->image->size;
}

void
copy_ahead_prepare (struct copy_ahead *ahead, const struct image *image,
                    const struct output_request *target)
{
  struct image_eh_frame found;
  struct error ignored = { 0 };
  /* Files without CFI are not converted.  */
  if (image->fd < 0 || image->arch == NULL
      || !image_find_eh_frame (image, &found, &ignored) || found.size == 0)
    return;
  ahead->image = image;
  ahead->has_file = output_file_begin (&ahead->file, target, &ignored);
}

void
copy_ahead_run (struct copy_ahead *ahead)
{
  const struct image *image = ahead->image;
  if (image == NULL)
    return;
  ahead->copied = ahead->has_file && inject_clone (image, ahead->file.fd);
  if (!map_all (ahead))
    return;
  ahead->digest = hash_digest (image->bytes, image->size);
  ahead->digested = true;
  /* Copying would fill holes of the file; inject_write keeps them.  */
  if (ahead->has_file && !ahead->copied && !inject_has_holes (image))
    ahead->copied = copy_all (ahead);
}

void
copy_ahead_cancel (struct copy_ahead *ahead)
{
  atomic_store (&ahead->cancelled, true);
}

/* Take over the new file as *FILE.  Set *COPY to whether it is a copy of the
   image; otherwise it is empty.  False if there is none.  */
static bool
take_file (struct copy_ahead *ahead, struct output_file *file, bool *copy)
{
  if (!ahead->has_file)
    return false;
  ahead->has_file = false;
  *file = ahead->file;
  *copy = ahead->copied;
  /* The thread may have been cancelled half-way.  */
  if (*copy || ftruncate (file->fd, 0) == 0)
    return true;
  output_file_discard (file);
  return false;
}

void
copy_ahead_end (struct copy_ahead *ahead)
{
  if (ahead->has_file)
    output_file_discard (&ahead->file);
  ahead->has_file = false;
}

/* ---- Carrying a plan out */

static bool
check_file (const struct replacement *replacement, int fd, struct error *err)
{
  const struct buffer *record = &replacement->record;
  size_t size;
  const void *bytes = mapped_file_open (fd, &size, err);
  if (bytes == NULL)
    return false;
  bool ends_in_record
      = record->size == 0
        || (record->size <= size
            && memcmp ((const char *)bytes + size - record->size,
                       record->bytes, record->size)
                   == 0);
  bool good = replacement->check (replacement, bytes, size, err)
              && (ends_in_record
                  || error_set_word (err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
                                     "self-check of the new file failed: its "
                                     "undo record is damaged"));
  mapped_file_close (bytes, size);
  return good;
}

/* Write the new file to FD and read it back.  */
static bool
write_and_check (void *context, int fd, struct error *err)
{
  const struct replacement *replacement = context;
  const struct buffer *record = &replacement->record;
  const void *section
      = replacement->section != NULL ? replacement->section->bytes : NULL;
  return (replacement->copied ? inject_write_over : inject_write) (
             replacement->image, replacement->plan, section, fd, err)
         && io_write_at (fd, record->bytes, record->size,
                         replacement->plan->new_size, err)
         && check_file (replacement, fd, err);
}

bool
replacement_carry_out (struct replacement *replacement, struct error *err)
{
  struct copy_ahead *ahead = replacement->copy_ahead;
  struct buffer *record = &replacement->record;
  struct output_file file;
  bool done = true;
  buffer_init (record, false);
  if (replacement->with_record && ahead != NULL && ahead->digested)
    done = undo_record_build_digested (record, replacement->image,
                                       replacement->plan, ahead->digest, err);
  else if (replacement->with_record)
    done = undo_record_build (record, replacement->image, replacement->plan,
                              err);
  if (done && ahead != NULL && take_file (ahead, &file, &replacement->copied))
    done = output_file_finish (&file, &replacement->output,
                               write_and_check (replacement, file.fd, err),
                               err);
  else if (done)
    done = output_file_make (&replacement->output, write_and_check,
                             replacement, err);
  replacement->record_size = record->size;
  buffer_free (record);
  return done;
}

static bool
copy_unchanged (void *context, int fd, struct error *err)
{
  return io_copy (*(const int *)context, fd, err);
}

bool
replacement_copy_unchanged (const struct output_request *request,
                            struct error *err)
{
  struct error failure = { 0 };
  struct output_request copy = *request;
  struct stat status;
  if (request->dry_run)
    return true;
  if (request->input_fd < 0)
    copy.input_fd = file_location_open (request->input,
                                        O_RDONLY | O_NONBLOCK | O_NOCTTY, err);
  if (copy.input_fd < 0)
    return false;
  bool done
      = ((fstat (copy.input_fd, &status) == 0 && S_ISREG (status.st_mode))
         || error_set_word (&failure, CFI2SFRAME_UNSUPPORTED, WORD_NO_FILE,
                            "is not a regular file"))
        && output_file_make (&copy, copy_unchanged, &copy.input_fd, &failure);
  if (!done)
    *err = failure;
  if (request->input_fd < 0)
    close (copy.input_fd);
  return done;
}

bool
original_restore (struct image *original, const struct image *image,
                  struct error *err)
{
  struct plan plan;
  int fd = -1;
  bool restored = undo_plan (&plan, image, err);
  if (restored)
    {
      fd = memfd_create ("cfi2sframe original", MFD_CLOEXEC);
      restored = fd >= 0 || error_set_errno (err, "memfd_create");
    }
  restored = restored && inject_write (image, &plan, NULL, fd, err)
             && image_open_fd (original, fd, err);
  if (restored)
    original->made_from = image;
  else if (fd >= 0)
    close (fd);
  plan_free (&plan);
  return restored;
}
