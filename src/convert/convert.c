/* Converting a file: the steps from opening it to renaming the new one.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "convert/builder.h"
#include "elf/in_place.h"
#include "elf/inject.h"
#include "elf/layout.h"
#include "elf/output_file.h"
#include "elf/undo.h"

/* Everything one conversion owns.  */
struct conversion
{
  const struct cfi2sframe_options *options;
  struct cfi2sframe_report *report;
  struct image image;
  bool image_is_open;
  struct sframe_encoder *encoder;
  struct layout_plan plan;
  struct buffer section; /* .sframe, for its place in the plan */
  struct buffer record;  /* for undo */
};

static void
conversion_free (struct conversion *conversion)
{
  buffer_free (&conversion->record);
  buffer_free (&conversion->section);
  layout_plan_free (&conversion->plan);
  sframe_encoder_free (conversion->encoder);
  if (conversion->image_is_open)
    image_close (&conversion->image);
}

/* Files that are nobody's mistake and need nothing.  */
static bool
check_kind (const struct image *image, struct error *err)
{
  if (image->header.e_type == ET_REL)
    return error_set (err, CFI2SFRAME_NOTHING, "relocatable object");
  if (image->header.e_type == ET_CORE)
    return error_set (err, CFI2SFRAME_NOTHING, "core file");
  return true;
}

static bool
check_existing (const struct image *image, struct error *err)
{
  const struct image_section *section = image_find_section (image, ".sframe");
  const GElf_Phdr *segment = image_find_segment (image, PT_GNU_SFRAME);
  if ((section != NULL && section->header.sh_size > 0)
      || (segment != NULL && segment->p_filesz > 0))
    return error_set (err, CFI2SFRAME_NOTHING, "has an .sframe already");
  return true;
}

/* A function left out is a failure with --strict.  */
static bool
check_complete (const struct conversion *conversion, struct error *err)
{
  const struct cfi2sframe_report *report = conversion->report;
  if (!conversion->options->strict
      || report->functions_covered == report->cfi_functions)
    return true;
  return error_set (
      err, CFI2SFRAME_REFUSED,
      "%llu of %llu functions cannot be described completely",
      (unsigned long long)(report->cfi_functions - report->functions_covered),
      (unsigned long long)report->cfi_functions);
}

static bool
plan_injection (struct conversion *conversion, struct error *err)
{
  struct sframe_variant variant
      = builder_variant (conversion->options->format);
  struct layout_request request
      = { .sframe_size = sframe_encoder_size (conversion->encoder),
          .section_type = variant.pcrel ? SHT_GNU_SFRAME : SHT_PROGBITS,
          .allow_moved_table = conversion->options->force_phdr_move };
  if (!layout_plan_injection (&conversion->plan, &conversion->image, &request,
                              err))
    return false;
  conversion->report->strategy
      = layout_strategy_name (conversion->plan.strategy);
  conversion->report->output_bytes = conversion->plan.new_size;
  return true;
}

/* Everything up to the point where something would be written.  */
static bool
prepare (struct conversion *conversion, struct error *err)
{
  const struct image *image = &conversion->image;
  conversion->report->input_bytes = image->size;
  if (!check_kind (image, err) || !check_existing (image, err)
      || !layout_classify (image, err))
    return false;
  conversion->encoder
      = builder_build (image, conversion->options, conversion->report, err);
  if (conversion->encoder == NULL || !check_complete (conversion, err)
      || !plan_injection (conversion, err))
    return false;
  buffer_init (&conversion->section, image->big_endian);
  return sframe_encoder_write (conversion->encoder,
                               conversion->plan.sframe_address,
                               &conversion->section, err);
}

static bool
build_record (struct conversion *conversion, bool self_contained,
              struct error *err)
{
  buffer_init (&conversion->record, false);
  if (!undo_record_build (&conversion->record, &conversion->image,
                          &conversion->plan, self_contained, err))
    return false;
  conversion->report->output_bytes
      = conversion->plan.new_size + conversion->record.size;
  return true;
}

/* Write a new file and put it in place of TARGET.  */
static bool
write_output (struct conversion *conversion, const char *target, bool replace,
              struct error *err)
{
  const struct image *image = &conversion->image;
  const struct layout_plan *plan = &conversion->plan;
  struct output_file file;
  if (!build_record (conversion, false, err)
      || !output_file_create (&file, target, err))
    return false;
  bool times = conversion->options->preserve_times;
  bool written
      = inject_write (image, plan, conversion->section.bytes, file.fd, err)
        && io_write_at (file.fd, conversion->record.bytes,
                        conversion->record.size, plan->new_size, err)
        && inject_self_check (image, plan, conversion->section.bytes, file.fd,
                              err)
        && (replace ? output_file_commit (&file, image->fd, times, err)
                    : output_file_commit_new (&file, image->fd, times, err));
  output_file_discard (&file);
  return written;
}

/* Change the file itself.  */
static bool
write_in_place (struct conversion *conversion, const char *path,
                struct error *err)
{
  if (!build_record (conversion, true, err))
    return false;
  int fd = in_place_open (path, err);
  if (fd < 0)
    return false;
  bool written = in_place_write (
      &conversion->image, &conversion->plan, conversion->section.bytes,
      &conversion->record, conversion->options->preserve_times, fd, err);
  return io_close (fd, written, err);
}

static bool
check_options (const struct cfi2sframe_options *options, struct error *err)
{
  return options->size == sizeof *options
         || error_set (err, CFI2SFRAME_INVALID,
                       "options were not initialised");
}

/* There is nothing to convert, but whoever named OUTPUT wants a file there.
   Keeps the status and reason in ERR unless copying fails.  */
static void
copy_unchanged (const char *input, const char *output, bool preserve_times,
                struct error *err)
{
  struct error failure = { 0 };
  struct output_file file;
  int fd = open (input, O_RDONLY | O_CLOEXEC);
  bool copied = fd >= 0 || error_set_errno (&failure, "cannot open");
  if (copied && output_file_create (&file, output, &failure))
    {
      copied = io_copy (fd, file.fd, &failure)
               && output_file_commit_new (&file, fd, preserve_times, &failure);
      output_file_discard (&file);
    }
  else
    copied = false;
  if (fd >= 0)
    close (fd);
  if (!copied)
    *err = failure;
}

bool
cfi2sframe_convert (const char *input, const char *output,
                    const struct cfi2sframe_options *options,
                    struct cfi2sframe_report *report,
                    struct cfi2sframe_error *err)
{
  *report = (struct cfi2sframe_report){ 0 };
  error_clear (err);
  if (!check_options (options, err))
    return false;
  struct conversion conversion = { .options = options, .report = report };
  conversion.image_is_open = image_open (&conversion.image, input, err);
  bool done = conversion.image_is_open && prepare (&conversion, err);
  if (done && !options->dry_run)
    {
      if (output != NULL)
        done = write_output (&conversion, output, false, err);
      else if (options->in_place_write)
        done = write_in_place (&conversion, input, err);
      else
        done = write_output (&conversion, input, true, err);
    }
  conversion_free (&conversion);
  if (!done && output != NULL && !options->dry_run
      && (err->status == CFI2SFRAME_NOTHING
          || err->status == CFI2SFRAME_NOT_ELF))
    copy_unchanged (input, output, options->preserve_times, err);
  return done;
}

bool
cfi2sframe_write_section (const char *input, const char *output,
                          const struct cfi2sframe_options *options,
                          struct cfi2sframe_report *report,
                          struct cfi2sframe_error *err)
{
  *report = (struct cfi2sframe_report){ 0 };
  error_clear (err);
  if (!check_options (options, err))
    return false;
  struct conversion conversion = { .options = options, .report = report };
  struct output_file file;
  conversion.image_is_open = image_open (&conversion.image, input, err);
  bool done = conversion.image_is_open && prepare (&conversion, err);
  if (done && !options->dry_run)
    {
      done = output_file_create (&file, output, err);
      if (done)
        {
          done = io_write_at (file.fd, conversion.section.bytes,
                              conversion.section.size, 0, err)
                 && output_file_commit_new (&file, conversion.image.fd, false,
                                            err);
          output_file_discard (&file);
        }
    }
  conversion_free (&conversion);
  return done;
}

bool
cfi2sframe_build_section (const void *elf, size_t size,
                          const struct cfi2sframe_options *options,
                          void **section, size_t *section_size,
                          uint64_t *address, struct cfi2sframe_report *report,
                          struct cfi2sframe_error *err)
{
  *report = (struct cfi2sframe_report){ 0 };
  error_clear (err);
  if (!check_options (options, err))
    return false;
  struct conversion conversion = { .options = options, .report = report };
  conversion.image_is_open
      = image_open_memory (&conversion.image, elf, size, err);
  bool done = conversion.image_is_open && prepare (&conversion, err);
  if (done)
    {
      *section = conversion.section.bytes;
      *section_size = conversion.section.size;
      *address = conversion.plan.sframe_address;
      conversion.section = (struct buffer){ 0 };
    }
  conversion_free (&conversion);
  return done;
}

void
cfi2sframe_options_init (struct cfi2sframe_options *options)
{
  *options = (struct cfi2sframe_options){ .size = sizeof *options };
}
