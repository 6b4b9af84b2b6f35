/* What a plan makes of a file: in its place, or in memory.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/replace.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "write/inject.h"
#include "write/output_file.h"
#include "write/undo.h"

/* Whether the new file ends in RECORD.  */
static bool
check_record (const uint8_t *bytes, size_t size, const struct buffer *record,
              struct error *err)
{
  return (record->size <= size
          && memcmp (bytes + size - record->size, record->bytes, record->size)
                 == 0)
         || error_set_word (
             err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
             "self-check of the new file failed: its undo record is "
             "damaged");
}

static bool
check_file (const struct replacement *replacement, int fd,
            const struct buffer *record, struct error *err)
{
  size_t size;
  const void *bytes = mapped_file_open (fd, &size, err);
  if (bytes == NULL)
    return false;
  bool good
      = replacement->check (replacement, bytes, size, err)
        && (record->size == 0 || check_record (bytes, size, record, err));
  mapped_file_close (bytes, size);
  return good;
}

/* What a new file is filled with.  */
struct filling
{
  const struct replacement *replacement;
  const struct buffer *record;
  bool copied; /* the file has the old bytes already */
};

/* Write the new file to FD and read it back.  */
static bool
fill (void *context, int fd, struct error *err)
{
  const struct filling *filling = context;
  const struct replacement *replacement = filling->replacement;
  const struct buffer *record = filling->record;
  const void *section
      = replacement->section != NULL ? replacement->section->bytes : NULL;
  return (filling->copied ? inject_write_over : inject_write) (
             replacement->image, replacement->plan, section, fd, err)
         && io_write_at (fd, record->bytes, record->size,
                         replacement->plan->new_size, err)
         && check_file (replacement, fd, record, err);
}

/* Write a new file, which may have been begun, and put it in place of its
   target.  */
static bool
write_new_file (const struct replacement *replacement,
                const struct buffer *record, struct error *err)
{
  struct output_file file;
  struct filling filling = { replacement, record, false };
  if (replacement->copy_ahead != NULL
      && copy_ahead_take_file (replacement->copy_ahead, &file,
                               &filling.copied))
    return output_file_finish (&file, &replacement->output,
                               fill (&filling, file.fd, err), err);
  return output_file_make (&replacement->output, fill, &filling, err);
}

static bool
build_record (const struct replacement *replacement, struct buffer *record,
              struct error *err)
{
  uint64_t digest;
  if (replacement->copy_ahead != NULL
      && copy_ahead_digest (replacement->copy_ahead, &digest))
    return undo_record_build_digested (record, replacement->image,
                                       replacement->plan, digest, err);
  return undo_record_build (record, replacement->image, replacement->plan,
                            err);
}

bool
replacement_carry_out (struct replacement *replacement, struct error *err)
{
  struct buffer record;
  buffer_init (&record, false);
  bool done
      = (!replacement->with_record || build_record (replacement, &record, err))
        && write_new_file (replacement, &record, err);
  replacement->record_size = record.size;
  buffer_free (&record);
  return done;
}

static bool
copy_unchanged (void *context, int fd, struct error *err)
{
  return io_copy (*(const int *)context, fd, err);
}

static bool
expect_regular (int fd, struct error *err)
{
  struct stat status;
  return (fstat (fd, &status) == 0 && S_ISREG (status.st_mode))
         || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_NO_FILE,
                            "is not a regular file");
}

bool
replacement_copy_unchanged (const struct output_request *request,
                            struct error *err)
{
  struct error failure = { 0 };
  struct output_request copy = *request;
  if (request->dry_run)
    return true;
  if (request->input_fd < 0)
    copy.input_fd = file_location_open (request->input,
                                        O_RDONLY | O_NONBLOCK | O_NOCTTY, err);
  if (copy.input_fd < 0)
    return false;
  bool done
      = expect_regular (copy.input_fd, &failure)
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
