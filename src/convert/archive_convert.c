/* Converting the objects in an archive.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/archive_convert.h"

#include <ar.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "convert/archive_members.h"
#include "convert/fields.h"
#include "convert/object_convert.h"
#include "elf/archive.h"
#include "elf/image.h"
#include "write/output_file.h"

struct archive_job
{
  struct archive archive;
  const struct input *input;
  struct cfi2sframe_options member_options; /* coverage is demanded of all */
  uint64_t *offsets; /* offsets of the members' headers in the new archive */
  bool *changed;     /* per member */
  size_t n_changed;
  size_t n_existing; /* members left alone that have an .sframe */
  int fd;            /* the new archive */
};

/* Note what is wrong with the .sframe of MEMBER, if it is the first with a
   problem.  */
static void
note_existing (struct archive_job *job, const struct archive_member *member,
               const char *existing)
{
  char name[100];
  if (*existing == '\0' || job->input->report->existing[0] != '\0')
    return;
  archive_member_name (&job->archive, member, name, sizeof name);
  snprintf (job->input->report->existing, sizeof job->input->report->existing,
            "in member %.60s %.120s", name, existing);
}

/* Convert MEMBER, an object, and write the result to *AT.  */
static bool
write_converted_member (struct archive_job *job,
                        const struct archive_member *member,
                        const struct image *image, uint64_t *at,
                        struct error *err)
{
  struct cfi2sframe_report report = { 0 };
  const struct input object
      = { image, job->input->location, &job->member_options, &report };
  int fd = memfd_create ("cfi2sframe member", MFD_CLOEXEC);
  if (fd < 0)
    return error_set_errno (err, "memfd_create");
  size_t size = 0;
  const void *bytes = NULL;
  bool done = object_convert_to (&object, fd, err)
              && (bytes = mapped_file_open (fd, &size, err)) != NULL
              && archive_write_member (&job->archive, member, bytes, size,
                                       job->fd, at, err);
  note_existing (job, member, report.existing);
  if (done)
    job->input->report->machine = report.machine;
  report.input_bytes = report.output_bytes = 0; /* the archive's count */
  report_sum_add (job->input->report, &report);
  if (bytes != NULL)
    mapped_file_close (bytes, size);
  close (fd);
  return done;
}

static bool
convert_member (struct archive_job *job, const struct archive_member *member,
                uint64_t *at, struct error *err)
{
  struct archive_object object;
  if (!archive_object_open (&object, member, err))
    return false;
  bool done = write_converted_member (job, member, &object.image, at, err);
  archive_object_close (&object);
  return done;
}

/* Write member INDEX, converted or as it is.  */
static bool
write_member (struct archive_job *job, size_t index, uint64_t *at,
              struct error *err)
{
  const struct archive_member *member = &job->archive.members[index];
  job->offsets[index] = *at;
  if (member->kind == ARCHIVE_FILE)
    {
      if (convert_member (job, member, at, err))
        {
          job->changed[index] = true;
          job->n_changed++;
          return true;
        }
      if (error_kind (err) != ERROR_NOTHING)
        return archive_member_failed (&job->archive, member, err);
      job->n_existing += err->word == WORD_HAS_SFRAME;
      error_clear (err);
    }
  return archive_write_member (&job->archive, member, member->bytes,
                               member->size, job->fd, at, err);
}

static bool
is_index (const struct archive_member *member)
{
  return member->kind == ARCHIVE_INDEX || member->kind == ARCHIVE_INDEX64;
}

static bool
write_members (struct archive_job *job, struct error *err)
{
  const struct archive *archive = &job->archive;
  uint64_t at = SARMAG;
  if (!io_write_at (job->fd, archive->bytes, at, 0, err))
    return false;
  for (size_t i = 0; i < archive->n; i++)
    if (!write_member (job, i, &at, err))
      return false;
  for (size_t i = 0; i < archive->n; i++)
    {
      const struct archive_member *member = &archive->members[i];
      uint64_t header
          = (uint64_t)(member->bytes - archive->bytes) - member->offset;
      if (is_index (member)
          && !archive_write_index (archive, member, job->offsets, job->fd,
                                   job->offsets[i] + header, err))
        return false;
    }
  job->input->report->output_bytes = at;
  return true;
}

/* Read the new archive back: the same members in the same order, those that
   were not converted byte for byte, and an index that leads to them.  */
static bool
check_written (const struct archive_job *job, struct error *err)
{
  struct archive new;
  size_t size;
  const uint8_t *bytes = mapped_file_open (job->fd, &size, err);
  if (bytes == NULL)
    return false;
  const struct archive *old = &job->archive;
  bool opened = archive_open (&new, bytes, size, err);
  bool good = opened && new.n == old->n;
  for (size_t i = 0; good && i < old->n; i++)
    {
      const struct archive_member *x = &old->members[i], *y = &new.members[i];
      good = x->kind == y->kind && y->offset == job->offsets[i]
             && memcmp (old->bytes + x->offset, new.bytes + y->offset,
                        offsetof (struct ar_hdr, ar_size))
                    == 0
             && (job->changed[i]
                 || (is_index (x)
                         ? archive_index_agrees (old, x, &new, y)
                         : x->size == y->size
                               && memcmp (x->bytes, y->bytes, (size_t)x->size)
                                      == 0));
    }
  if (opened)
    archive_free (&new);
  mapped_file_close (bytes, size);
  return good
         || (err->status != CFI2SFRAME_NO_MEMORY
             && error_set_word (err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
                                "self-check of the new file failed: its "
                                "members differ"));
}

static bool
expect_changed (const struct archive_job *job, struct error *err)
{
  if (job->n_changed > 0)
    return true;
  return job->n_existing > 0
             ? error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                               "has an .sframe already")
             : error_set_word (err, CFI2SFRAME_NOTHING, WORD_ARCHIVE,
                               "archive without objects to convert");
}

static bool
make_archive (void *context, int fd, struct error *err)
{
  struct archive_job *job = context;
  job->fd = fd;
  bool made = write_members (job, err) && expect_changed (job, err);
  return input_check_demands (job->input, made, err)
         && check_written (job, err);
}

static bool
convert_opened (struct archive_job *job, const struct output_request *output,
                struct error *err)
{
  size_t n = job->archive.n;
  job->offsets = calloc (n + 1, sizeof *job->offsets);
  job->changed = calloc (n + 1, sizeof *job->changed);
  bool done = job->offsets != NULL && job->changed != NULL
                  ? output_file_make (output, make_archive, job, err)
                  : error_set_no_memory (err);
  free (job->offsets);
  free (job->changed);
  return done;
}

bool
archive_convert (const struct input *input,
                 const struct output_request *output, struct error *err)
{
  struct archive_job job
      = { .input = input, .member_options = *input->options };
  const struct image *file = input->image;
  input->report->archive = true;
  if (!input->options->relocatable)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_ARCHIVE,
                           "archive of objects");
  job.member_options.min_coverage = 0;
  if (!archive_open (&job.archive, file->bytes, file->size, err))
    return false;
  input->report->input_bytes = file->size;
  input->report->strategy = "archive";
  bool done = convert_opened (&job, output, err);
  archive_free (&job.archive);
  return done;
}
