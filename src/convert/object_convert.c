/* Converting objects and archives of them; visiting the objects of an archive.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/object_convert.h"

#include <ar.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mapped_file.h"
#include "convert/fields.h"
#include "convert/section_check.h"
#include "elf/archive.h"
#include "relocatable/object.h"
#include "relocatable/object_section.h"
#include "relocatable/object_write.h"

/* ---- Converting an object */

/* An object and its new .sframe.  */
struct conversion
{
  const struct input *input;
  struct object object;
  struct object_section section;
};

/* Make the .sframe of CONVERSION, which the caller closes in any case.  */
static bool
conversion_make (struct conversion *conversion, struct error *err)
{
  const struct input *input = conversion->input;
  const struct image *image = input->image;
  size_t section;
  if (!object_find_sframe (image, &section, err))
    return false;
  /* An empty section does not count as an .sframe.  */
  if ((section != 0 && image->sections[section].header.sh_size != 0
       && !section_check_replacing (input, err))
      || !object_open (&conversion->object, image, err))
    return false;
  bool made = object_section_build (&conversion->section, &conversion->object,
                                    input->options, input->report, err);
  return input_check_demands (input, made, err);
}

static bool
conversion_write (void *context, int fd, struct error *err)
{
  const struct conversion *conversion = context;
  struct stat status;
  if (!object_write (conversion->object.image, &conversion->section, fd, err))
    return false;
  if (fstat (fd, &status) != 0)
    return error_set_errno (err, "fstat");
  conversion->input->report->output_bytes = (uint64_t)status.st_size;
  return true;
}

static void
conversion_close (struct conversion *conversion)
{
  object_section_free (&conversion->section);
  object_close (&conversion->object);
}

bool
object_convert (const struct input *input, const struct output_request *output,
                struct buffer *section, struct error *err)
{
  struct conversion conversion = { .input = input };
  bool done
      = conversion_make (&conversion, err)
        && (output == NULL
            || output_file_make (output, conversion_write, &conversion, err));
  if (done && output == NULL)
    {
      *section = conversion.section.bytes;
      conversion.section.bytes = (struct buffer){ 0 };
    }
  conversion_close (&conversion);
  return done;
}

/* ---- Visiting the objects of an archive */

enum
{
  NAME_MAX_SHOWN = 64
};

/* A member of an archive, open.  */
struct archive_object
{
  struct image image;
  void *copy; /* owned; the bytes of IMAGE */
};

/* Open MEMBER, an ELF object.  Status CFI2SFRAME_NOT_ELF or CFI2SFRAME_NOTHING
   if it is something else.  On failure the caller closes nothing.  Members lie
   at any even offset, so a copy is opened, which has the alignment of a
   file.  */
static bool
open_member (struct archive_object *object,
             const struct archive_member *member, struct error *err)
{
  size_t size = (size_t)member->size;
  uint8_t *copy = malloc (size > 0 ? size : 1);
  if (copy == NULL)
    {
      error_set_no_memory (err);
      return false;
    }
  memcpy (copy, member->bytes, size);
  bool opened = image_open_memory (&object->image, copy, size, err);
  if (opened && object->image.header.e_type == ET_REL)
    {
      object->copy = copy;
      return true;
    }
  if (opened)
    {
      image_close (&object->image);
      error_set (err, CFI2SFRAME_NOTHING, "not an object");
    }
  free (copy);
  return false;
}

static void
close_member (struct archive_object *object)
{
  image_close (&object->image);
  free (object->copy);
}

/* Put the name of MEMBER before the reason in ERR.  Return false.  */
static bool
blame_member (const struct archive *archive,
              const struct archive_member *member, struct error *err)
{
  char name[NAME_MAX_SHOWN];
  struct error whole = *err;
  archive_member_name (archive, member, name, sizeof name);
  return error_set_word (err, whole.status, (enum error_word)whole.word,
                         "member %s: %.180s", name, whole.reason);
}

/* The results of the visits so far.  */
struct member_visits
{
  size_t n_done, n_different;
  struct error first; /* the first difference */
};

/* Visit MEMBER and note its result.  False if the walk is to end.  */
static bool
visit_member (const struct archive *archive,
              const struct archive_member *member, archive_visitor *visit,
              void *context, struct member_visits *visits, struct error *err)
{
  struct archive_object object;
  char name[NAME_MAX_SHOWN];
  if (member->kind != ARCHIVE_FILE)
    return true;
  archive_member_name (archive, member, name, sizeof name);
  bool done = open_member (&object, member, err);
  if (done)
    {
      done = visit (context, name, &object.image, err);
      close_member (&object);
    }
  visits->n_done += done || err->status == CFI2SFRAME_MISMATCH;
  if (done || error_kind (err) == ERROR_NOTHING)
    return true;
  blame_member (archive, member, err);
  if (err->status != CFI2SFRAME_MISMATCH)
    return false;
  if (visits->n_different++ == 0)
    visits->first = *err;
  return true;
}

static bool
sum_up (const struct member_visits *visits, struct error *err)
{
  error_clear (err);
  if (visits->n_done == 0)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_SFRAME,
                           "no .sframe in any member");
  if (visits->n_different == 0)
    return true;
  if (visits->n_different == 1)
    {
      *err = visits->first;
      return false;
    }
  return error_set_word (err, CFI2SFRAME_MISMATCH,
                         (enum error_word)visits->first.word,
                         "%.200s, and in %zu more", visits->first.reason,
                         visits->n_different - 1);
}

bool
archive_visit (const struct image *file, archive_visitor *visit, void *context,
               struct error *err)
{
  struct archive archive;
  struct member_visits visits = { 0 };
  if (!archive_open (&archive, file->bytes, file->size, err))
    return false;
  bool done = true;
  for (size_t i = 0; done && i < archive.n; i++)
    done = visit_member (&archive, &archive.members[i], visit, context,
                         &visits, err);
  done = done && sum_up (&visits, err);
  archive_free (&archive);
  return done;
}

/* ---- Converting an archive */

struct archive_job
{
  struct archive archive;
  const struct input *input;
  struct cfi2sframe_options member_options; /* without min_coverage, which is
                                               for the sums */
  uint64_t *offsets; /* offsets of the members' headers in the new archive */
  bool *changed;     /* per member */
  size_t n_changed;
  size_t n_existing; /* members with an .sframe that stays */
  int fd;            /* the new archive */
};

/* Report the fault of MEMBER's .sframe, unless an earlier member has one.  */
static void
note_existing (struct archive_job *job, const struct archive_member *member,
               const char *existing)
{
  char name[NAME_MAX_SHOWN];
  if (*existing == '\0' || job->input->report->existing[0] != '\0')
    return;
  archive_member_name (&job->archive, member, name, sizeof name);
  snprintf (job->input->report->existing, sizeof job->input->report->existing,
            "in member %.60s %.120s", name, existing);
}

/* Convert MEMBER, write it to the new archive at *AT, and advance *AT.  */
static bool
convert_member (struct archive_job *job, const struct archive_member *member,
                uint64_t *at, struct error *err)
{
  struct archive_object object;
  struct cfi2sframe_report report = { 0 }, *sum = job->input->report;
  const struct input input
      = { &object.image, job->input->location, &job->member_options, &report };
  struct conversion conversion = { .input = &input };
  size_t size = 0;
  const void *bytes = NULL;
  if (!open_member (&object, member, err))
    return false;
  int fd = memfd_create ("cfi2sframe member", MFD_CLOEXEC);
  if (fd < 0)
    {
      error_set_errno (err, "memfd_create");
      close_member (&object);
      return false;
    }
  bool done = conversion_make (&conversion, err)
              && conversion_write (&conversion, fd, err)
              && (bytes = mapped_file_open (fd, &size, err)) != NULL
              && archive_write_member (&job->archive, member, bytes, size,
                                       job->fd, at, err);
  note_existing (job, member, report.existing);
  if (done)
    sum->machine = report.machine;
  report.input_bytes = report.output_bytes = 0; /* the archive's count */
  report_sum_add (sum, &report);
  if (bytes != NULL)
    mapped_file_close (bytes, size);
  close (fd);
  conversion_close (&conversion);
  close_member (&object);
  return done;
}

/* Write member INDEX likewise, converted if it can be.  */
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
        return blame_member (&job->archive, member, err);
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

/* Read the new archive back and check that it has the same members in the same
   order, that those not converted are equal byte for byte, and that the symbol
   index has their new offsets.  */
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
make_archive (void *context, int fd, struct error *err)
{
  struct archive_job *job = context;
  job->fd = fd;
  bool made = write_members (job, err);
  if (made && job->n_changed == 0)
    made = job->n_existing > 0
               ? error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                                 "has an .sframe already")
               : error_set_word (err, CFI2SFRAME_NOTHING, WORD_ARCHIVE,
                                 "archive without objects to convert");
  return input_check_demands (job->input, made, err)
         && check_written (job, err);
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
  job.offsets = calloc (job.archive.n + 1, sizeof *job.offsets);
  job.changed = calloc (job.archive.n + 1, sizeof *job.changed);
  bool done = job.offsets != NULL && job.changed != NULL
                  ? output_file_make (output, make_archive, &job, err)
                  : error_set_no_memory (err);
  free (job.offsets);
  free (job.changed);
  archive_free (&job.archive);
  return done;
}
