/* Changing a file without replacing it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/in_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/align.h"
#include "base/array.h"
#include "base/io.h"
#include "write/file_metadata.h"
#include "write/undo.h"
#include "write/uninterrupted.h"

enum
{
  /* The head, which has the headers: written last, in one piece.  */
  HEAD_SIZE = 4096,
  SECTOR_SIZE = 512 /* bytes that a disk writes as a whole, at least */
};

/* New bytes for [offset, offset + size), all in one region.  */
struct overwrite
{
  uint64_t offset;
  size_t size;
  const uint8_t *bytes; /* NULL: zeros */
};

/* The three parts of a file, in the order of writing.  */
enum region
{
  REGION_TAIL, /* bytes behind the old end */
  REGION_BODY,
  REGION_HEAD,
  N_REGIONS
};

struct in_place_job
{
  const struct image *image;
  uint64_t old_size; /* of the file */
  uint64_t head_size;
  int fd;
  struct error *err;
  struct overwrite *overwrites; /* in the order of application */
  size_t n_overwrites, room;
  uint8_t *moved; /* the bytes of moved extents, read before any write */
  uint8_t *head;  /* new contents of the first HEAD_SIZE bytes */
  /* Old contents of the head and of what changes in the body, one after
     another.  */
  uint8_t *saved;
  struct buffer guard; /* with a record: see write_guarded */
  bool old_touched;    /* bytes of the old file may have changed */
};

int
in_place_open (const struct file_location *location, struct error *err)
{
  return file_location_open (location, O_RDWR | O_NONBLOCK | O_NOCTTY, err);
}

static enum region
region_of (const struct in_place_job *job, uint64_t offset, uint64_t *end)
{
  *end = offset < job->head_size  ? job->head_size
         : offset < job->old_size ? job->old_size
                                  : UINT64_MAX;
  return offset < job->head_size  ? REGION_HEAD
         : offset < job->old_size ? REGION_BODY
                                  : REGION_TAIL;
}

/* Add a change.  One that crosses from one region to the next is cut in
   two.  */
static bool
add_overwrite (struct in_place_job *job, uint64_t offset, uint64_t size,
               const uint8_t *bytes)
{
  while (size > 0)
    {
      uint64_t end;
      region_of (job, offset, &end);
      uint64_t part = size < end - offset ? size : end - offset;
      if (!ARRAY_ROOM (job->overwrites, job->n_overwrites + 1, &job->room))
        return error_set_no_memory (job->err);
      job->overwrites[job->n_overwrites++]
          = (struct overwrite){ offset, (size_t)part, bytes };
      offset += part;
      size -= part;
      if (bytes != NULL)
        bytes += part;
    }
  return true;
}

/* Add zeros for bytes that no extent covers any more.  Behind the old end they
   are zero anyway.  */
static bool
add_gap (struct in_place_job *job, uint64_t begin, uint64_t end)
{
  if (end > job->old_size)
    end = job->old_size;
  return begin >= end || add_overwrite (job, begin, end - begin, NULL);
}

/* Small parts that move are in the undo record, so that a crash may overwrite
   them.  */
static bool
extent_is_safe (const struct in_place_job *job, const struct layout_plan *plan,
                const struct layout_extent *extent)
{
  uint64_t kept
      = plan->new_size < job->old_size ? plan->new_size : job->old_size;
  return extent->old_offset == extent->new_offset
         || extent->size < UNDO_STORED_MOVE
         || extent->new_offset >= job->old_size || extent->old_offset >= kept;
}

/* Extents that stay need no writing, and those that move are few and small:
   copies of them all fit into memory.  */
static bool
copy_moved (struct in_place_job *job, const struct layout_plan *plan)
{
  uint64_t total = 0;
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
      if (!extent_is_safe (job, plan, extent))
        return error_set (job->err, CFI2SFRAME_REFUSED,
                          "the file's parts would move, so it cannot be "
                          "written in place, only replaced");
      if (extent->old_offset != extent->new_offset)
        total += extent->size;
    }
  job->moved = malloc ((size_t)total + 1);
  if (job->moved == NULL)
    return error_set_no_memory (job->err);
  uint8_t *at = job->moved;
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
      if (extent->old_offset == extent->new_offset)
        continue;
      memcpy (at, job->image->bytes + extent->old_offset,
              (size_t)extent->size);
      at += extent->size;
    }
  return true;
}

static bool
collect_overwrites (struct in_place_job *job, const struct layout_plan *plan,
                    const void *sframe)
{
  if (!copy_moved (job, plan))
    return false;
  uint64_t at = 0, moved = 0; /* bytes of the file; bytes of job->moved */
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
      if (!add_gap (job, at, extent->new_offset))
        return false;
      at = extent->new_offset + extent->size;
      if (extent->old_offset == extent->new_offset)
        continue;
      if (!add_overwrite (job, extent->new_offset, extent->size,
                          job->moved + moved))
        return false; /* NOLINT(clang-analyzer-unix.Malloc): JOB owns it */
      moved += extent->size;
    }
  if (!add_gap (job, at, plan->new_size))
    return false;
  for (size_t i = 0; i < plan->n_patches; i++)
    if (!add_overwrite (job, plan->patches[i].offset, plan->patches[i].size,
                        plan->patches[i].bytes))
      return false;
  return add_overwrite (job, plan->sframe_offset, plan->sframe_size, sframe);
}

static bool
in_region (const struct in_place_job *job, const struct overwrite *overwrite,
           enum region region)
{
  uint64_t end;
  return region_of (job, overwrite->offset, &end) == region;
}

/* Note what the changes to the old file's bytes overwrite, and put together
   the new head.  */
static bool
prepare_old_part (struct in_place_job *job)
{
  uint64_t total = job->head_size;
  for (size_t i = 0; i < job->n_overwrites; i++)
    if (in_region (job, &job->overwrites[i], REGION_BODY))
      total += job->overwrites[i].size;
  job->saved = malloc ((size_t)total);
  job->head = malloc ((size_t)job->head_size);
  if (job->saved == NULL || job->head == NULL)
    return error_set_no_memory (job->err);
  memcpy (job->saved, job->image->bytes, (size_t)job->head_size);
  memcpy (job->head, job->image->bytes, (size_t)job->head_size);
  uint8_t *saved = job->saved + job->head_size;
  for (size_t i = 0; i < job->n_overwrites; i++)
    {
      const struct overwrite *overwrite = &job->overwrites[i];
      if (in_region (job, overwrite, REGION_BODY))
        {
          memcpy (saved, job->image->bytes + overwrite->offset,
                  overwrite->size);
          saved += overwrite->size;
        }
      else if (in_region (job, overwrite, REGION_HEAD)
               && overwrite->bytes == NULL)
        memset (job->head + overwrite->offset, 0, overwrite->size);
      else if (in_region (job, overwrite, REGION_HEAD))
        memcpy (job->head + overwrite->offset, overwrite->bytes,
                overwrite->size);
    }
  return true;
}

static bool
write_overwrite (const struct in_place_job *job,
                 const struct overwrite *overwrite)
{
  return overwrite->bytes != NULL
             ? io_write_at (job->fd, overwrite->bytes, overwrite->size,
                            overwrite->offset, NULL)
             : io_write_zeros_at (job->fd, overwrite->size, overwrite->offset,
                                  NULL);
}

static bool
write_region (const struct in_place_job *job, enum region region)
{
  for (size_t i = 0; i < job->n_overwrites; i++)
    if (in_region (job, &job->overwrites[i], region)
        && !write_overwrite (job, &job->overwrites[i]))
      return false;
  return true;
}

/* The steps of writing, for messages: false with errno and *STEP.  */

static bool
write_step (const struct in_place_job *job, const struct buffer *bytes,
            uint64_t offset, const char **step)
{
  *step = "write";
  return io_write_at (job->fd, bytes->bytes, bytes->size, offset, NULL);
}

static bool
flush_step (const struct in_place_job *job, const char **step)
{
  *step = "fdatasync";
  return fdatasync (job->fd) == 0;
}

/* Make SIZE bytes of the file.  The new file may end in zeros, which no write
   has made.  */
static bool
resize_step (const struct in_place_job *job, uint64_t size, const char **step)
{
  *step = "ftruncate";
  return ftruncate (job->fd, (off_t)size) == 0 && flush_step (job, step);
}

static uint64_t
guard_offset (const struct layout_plan *plan, const struct buffer *record)
{
  return align_up (plan->new_size + record->size, SECTOR_SIZE);
}

/* The record says how to get the old file back.  Until it is on disk as a
   whole, the guard does so: it fits into one sector and says "keep the first
   bytes".  So the parts of record and tail may reach the disk in any
   order.  */
static bool
write_guarded (const struct in_place_job *job, const struct layout_plan *plan,
               const struct buffer *record, const char **step)
{
  return write_step (job, &job->guard, guard_offset (plan, record), step)
         && flush_step (job, step)
         && write_step (job, record, plan->new_size, step)
         && write_region (job, REGION_TAIL) && flush_step (job, step)
         && resize_step (job, plan->new_size + record->size, step);
}

/* Write all parts in the safe order.  False with errno and *STEP.  */
static bool
write_everything (struct in_place_job *job, const struct layout_plan *plan,
                  const struct buffer *record, const char **step)
{
  *step = "write";
  if (record != NULL
          ? !write_guarded (job, plan, record, step)
          : !write_region (job, REGION_TAIL) || !flush_step (job, step))
    return false;
  *step = "write";
  job->old_touched = true;
  return write_region (job, REGION_BODY)
         && io_write_at (job->fd, job->head, (size_t)job->head_size, 0, NULL)
         && flush_step (job, step);
}

/* Cut off the record and the bytes it needs.  The record is the way back, so
   it goes last.  *DONE: it is gone, and nothing can be rolled back any more.
   Cutting takes privileges away like writing does.  */
static bool
cut_off (const struct in_place_job *job, uint64_t size,
         const struct file_privileges *privileges, bool *done)
{
  if (ftruncate (job->fd, (off_t)size) != 0)
    return error_set_errno (job->err, "ftruncate");
  *done = true;
  if (!file_restore_privileges (privileges, job->fd, job->err))
    return false;
  if (fdatasync (job->fd) != 0)
    return error_set (job->err, CFI2SFRAME_IO,
                      "written, but flushing the file failed: %s",
                      strerror (errno));
  return true;
}

/* Put the old contents back where they may have changed.  If the file only
   grew, it is cut off and nothing is written.  */
static bool
roll_back (const struct in_place_job *job)
{
  bool ok
      = !job->old_touched
        || io_write_at (job->fd, job->saved, (size_t)job->head_size, 0, NULL);
  const uint8_t *saved = job->saved + job->head_size;
  for (size_t i = 0; i < job->n_overwrites && job->old_touched; i++)
    if (in_region (job, &job->overwrites[i], REGION_BODY))
      {
        ok &= io_write_at (job->fd, saved, job->overwrites[i].size,
                           job->overwrites[i].offset, NULL);
        saved += job->overwrites[i].size;
      }
  /* Not before: up to here the undo record is the way back.  */
  ok = ok && ftruncate (job->fd, (off_t)job->old_size) == 0;
  return ok && fdatasync (job->fd) == 0;
}

static bool
write_or_restore (struct in_place_job *job, const struct layout_plan *plan,
                  const struct in_place_request *request,
                  const struct file_privileges *privileges)
{
  const char *step;
  bool done = false;
  if (!write_everything (job, plan, request->record, &step))
    error_set_errno (job->err, step);
  else if (file_restore_privileges (privileges, job->fd, job->err)
           && (request->keep_record
               || cut_off (job, plan->new_size, privileges, &done)))
    return true;
  if (done)
    return false;
  struct error ignored;
  bool restored = roll_back (job);
  if (!file_restore_privileges (privileges, job->fd, &ignored) || restored)
    return false;
  /* The record may not be complete yet.  */
  if (!job->old_touched)
    return error_set (job->err, CFI2SFRAME_IO,
                      "writing failed, and what was written behind the old "
                      "contents could not be cut off");
  return error_set (job->err, CFI2SFRAME_IO,
                    "writing failed, and so did restoring the old contents; "
                    "--undo does that later");
}

/* Make the guard: an undo record of a file that only grew.  It fits into a
   sector.  */
static bool
build_guard (struct in_place_job *job, const struct layout_plan *plan,
             const struct buffer *record)
{
  struct layout_extent all = { 0, 0, job->old_size };
  struct layout_plan grown = { .extents = &all,
                               .n_extents = 1,
                               .new_size = guard_offset (plan, record) };
  buffer_init (&job->guard, false);
  return undo_record_build_digested (&job->guard, job->image, &grown, true,
                                     undo_record_digest (record->bytes),
                                     job->err);
}

/* A signal that ended the process now would leave a file that is neither old
   nor new.  */
static bool
write_uninterrupted (struct in_place_job *job, const struct layout_plan *plan,
                     const struct in_place_request *request,
                     const struct file_privileges *privileges)
{
  sigset_t mask;
  uninterrupted_begin (&mask);
  bool done = write_or_restore (job, plan, request, privileges);
  uninterrupted_end (&mask);
  return done;
}

static void
job_free (struct in_place_job *job)
{
  free (job->overwrites);
  free (job->moved);
  free (job->head);
  free (job->saved);
  buffer_free (&job->guard);
}

static struct in_place_job
job_for (const struct image *image, int fd, struct error *err)
{
  return (struct in_place_job){ .image = image,
                                .old_size = image->size,
                                .head_size = image->size < HEAD_SIZE
                                                 ? image->size
                                                 : HEAD_SIZE,
                                .fd = fd,
                                .err = err };
}

/* Private memory of SIZE bytes that begins with IMAGE's.  */
static uint8_t *
map_copy (const struct image *image, size_t size, struct error *err)
{
  uint64_t kept = image->size < size ? image->size : size;
  uint64_t page = (uint64_t)sysconf (_SC_PAGESIZE);
  uint64_t whole = image->fd < 0 ? 0 : kept & ~(page - 1);
  uint8_t *bytes = mmap (NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes != MAP_FAILED
      && (whole == 0
          || mmap (bytes, whole, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, image->fd, 0)
                 != MAP_FAILED))
    {
      memcpy (bytes + whole, image->bytes + whole, (size_t)(kept - whole));
      return bytes;
    }
  error_set_errno (err, "mmap");
  if (bytes != MAP_FAILED)
    munmap (bytes, size);
  return NULL;
}

uint8_t *
in_place_preview (const struct image *image, const struct layout_plan *plan,
                  const void *sframe, struct error *err)
{
  struct in_place_job job = job_for (image, -1, err);
  uint8_t *bytes = NULL;
  if (collect_overwrites (&job, plan, sframe))
    bytes = map_copy (image, (size_t)plan->new_size, err);
  for (size_t i = 0; bytes != NULL && i < job.n_overwrites; i++)
    {
      const struct overwrite *overwrite = &job.overwrites[i];
      if (overwrite->bytes != NULL)
        memcpy (bytes + overwrite->offset, overwrite->bytes, overwrite->size);
      else
        memset (bytes + overwrite->offset, 0, overwrite->size);
    }
  job_free (&job);
  return bytes;
}

/* The path may name another file by now than the one that the image was read
   from.  */
static bool
is_same_file (const struct image *image, const struct stat *status)
{
  struct stat opened;
  return (uint64_t)status->st_size >= image->size
         && (image->fd < 0
             || (fstat (image->fd, &opened) == 0
                 && file_status_same (&opened, status)));
}

bool
in_place_write (const struct image *image, const struct layout_plan *plan,
                const void *sframe, const struct in_place_request *request,
                int fd, struct error *err)
{
  struct stat status;
  struct file_privileges privileges;
  if (fstat (fd, &status) != 0)
    return error_set_errno (err, "fstat");
  if (!is_same_file (image, &status))
    return error_set (err, CFI2SFRAME_IO, "the file changed meanwhile");
  if ((uint64_t)status.st_size > image->size)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "ends in an outdated undo record, so it cannot be "
                      "written in place, only replaced");
  if (request->record != NULL && plan->new_size < image->size)
    return error_set (err, CFI2SFRAME_REFUSED,
                      "the file's parts would move, so it cannot be written "
                      "in place, only replaced");
  struct in_place_job job = job_for (image, fd, err);
  bool ok = collect_overwrites (&job, plan, sframe) && prepare_old_part (&job)
            && (request->record == NULL
                || build_guard (&job, plan, request->record))
            && file_note_privileges (&privileges, fd, err)
            /* A process that may write a file may lack the right to set its
               times.  Setting them has to fail before anything is
               written.  */
            && (!request->preserve_times || file_set_times (fd, &status, err))
            && write_uninterrupted (&job, plan, request, &privileges)
            && (!request->preserve_times || file_set_times (fd, &status, err));
  job_free (&job);
  return ok;
}
