/* Converting a file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   convert_file is the conversion of a linked file; the functions above it are
   its steps.  object_convert.c converts objects and archives.  convert_one
   chooses between them for all callers, which follow at the end of this
   file.  */

#include <config.h>

#include <stdlib.h>

#include "base/background.h"
#include "base/buffer.h"
#include "convert/for_readers.h"
#include "convert/input.h"
#include "convert/linked_section.h"
#include "convert/object_convert.h"
#include "convert/replace.h"
#include "convert/section_check.h"
#include "place/choose_strategy.h"
#include "place/facts.h"
#include "place/header_room.h"
#include "place/refusals.h"
#include "sframe/formats.h"
#include "write/existing.h"
#include "write/inject_check.h"
#include "write/output_file.h"
#include "write/undo.h"

/* ---- Converting a linked file */

enum
{
  /* For smaller files, starting a thread takes more time than it saves.  */
  SECOND_THREAD_SIZE_MIN = 4 << 20
};

/* The state of one conversion, which its steps read and set.  */
struct conversion
{
  const struct input *input;
  const struct output_request *output; /* NULL: only the section is wanted */
  struct input source;   /* INPUT, but with `image' or `original' as its image:
                            the file that the plan starts from */
  struct image image;    /* a copy of INPUT's, borrowed.  An undo record that
                            does not fit the file is cut off from it.  */
  struct image original; /* the file before its earlier conversion, made for
                            --replace; open if its elf is not NULL */
  struct existing existing; /* the .sframe of the source image */
  bool replaces;            /* the new section replaces EXISTING */
  struct sframe_encoder *encoder;
  struct plan plan;
  struct buffer section; /* .sframe, written for its address in PLAN */
  struct copy_ahead copy_ahead;
  struct references *references; /* to bytes that may move; owned, or NULL */
  struct background second_thread, unmapping;
};

/* Decide whether an .sframe that the input has is to be replaced.  If so, and
   if an undo record fits the file, set conversion->source to the original that
   it restores.  The original may have an .sframe as well: a linker's, which
   this program had replaced.  */
static bool
choose_source (struct conversion *conversion, struct error *err)
{
  struct existing *existing = &conversion->existing;
  const struct image *image = conversion->input->image;
  *existing = existing_find (image);
  if (existing->has_record && existing->place.size == 0)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_INTERRUPTED,
                           "an interrupted conversion");
  if (existing->place.size > 0
      && !section_check_replacing (conversion->input, err))
    return false;
  if (existing->has_record)
    {
      if (original_restore (&conversion->original, image, err))
        {
          conversion->source.image = &conversion->original;
          *existing = existing_find (&conversion->original);
        }
      else if (err->status == CFI2SFRAME_REFUSED)
        /* The file was changed after this program had converted it.  */
        existing_forget_record (existing, &conversion->image);
      else
        return false;
    }
  /* The new section also takes over the section header of an empty .sframe,
     which does not count as an existing section.  */
  conversion->replaces
      = existing->place.size > 0 || existing->place.section != 0;
  return !conversion->replaces
         || existing_check_replaceable (existing, conversion->source.image,
                                        err);
}

/* Check whether the input can be converted at all, and choose the source.  */
static bool
check_input (struct conversion *conversion, struct error *err)
{
  const struct input *input = conversion->input;
  input->report->input_bytes = input->image->size;
  return image_expect_linked (input->image, err)
         && refusals_check_debug_file (input->image, err)
         && for_readers_check_file (input->options->readers, input->image, err)
         && choose_source (conversion, err)
         && refusals_check (conversion->source.image, err)
         && (conversion->output == NULL || input_check_checksum (input, err));
}

static void
unmap_pages (void *image)
{
  image_unmap_pages (image);
}

/* Search for references, digest the file and copy it: all work that does not
   need the rows.  One thread is enough for it, because it takes less time than
   making the rows does.  A further thread would slow down the one that makes
   rows where there are two processors.

   When the file is copied, a third thread unmaps it.  Otherwise image_close
   would unmap it at the end, while no other thread has work left.  Pages that
   are read after that are mapped again.  */
static void
run_second_thread (void *argument)
{
  struct conversion *conversion = argument;
  if (conversion->references != NULL)
    header_room_find_references (conversion->references,
                                 conversion->source.image);
  copy_ahead_run (&conversion->copy_ahead);
  if (conversion->copy_ahead.copied)
    background_start (&conversion->unmapping, unmap_pages, &conversion->image);
}

/* Start the second thread if the file is large.  */
static void
start_second_thread (struct conversion *conversion)
{
  const struct image *image = conversion->source.image;
  if (image->size < SECOND_THREAD_SIZE_MIN)
    return;
  conversion->references = calloc (1, sizeof *conversion->references);
  if (conversion->output != NULL && !conversion->output->dry_run
      && image == &conversion->image)
    copy_ahead_prepare (&conversion->copy_ahead, image, conversion->output);
  background_start (&conversion->second_thread, run_second_thread, conversion);
}

/* End the threads, also if their work is not needed.  */
static void
end_threads (struct conversion *conversion)
{
  copy_ahead_cancel (&conversion->copy_ahead);
  background_wait (&conversion->second_thread);
  background_wait (&conversion->unmapping);
  copy_ahead_end (&conversion->copy_ahead);
  free (conversion->references);
  conversion->references = NULL;
}

static bool
find_place (struct conversion *conversion, struct error *err)
{
  const struct input *source = &conversion->source;
  struct sframe_variant variant = format_variant (source->options->format);
  struct plan_request request
      = { .sframe_size = sframe_encoder_size (conversion->encoder),
          .section_type = variant.pcrel ? SHT_GNU_SFRAME : SHT_PROGBITS,
          .named_loader = loader_is_name (source->location->path),
          .replaced
          = conversion->replaces ? &conversion->existing.place : NULL,
          .references = conversion->references };
  if (!choose_strategy (&conversion->plan, source->image, &request, err))
    return false;
  source->report->strategy = conversion->plan.strategy;
  return true;
}

static bool
write_section (struct conversion *conversion, struct error *err)
{
  struct buffer *section = &conversion->section;
  uint64_t address = conversion->plan.sframe_address;
  buffer_init (section, conversion->source.image->big_endian);
  return sframe_encoder_write (conversion->encoder, address, section, err)
         && for_readers_check_section (conversion->source.options->readers,
                                       section->bytes, section->size, address,
                                       err);
}

static bool
check_converted (const struct replacement *replacement, const void *bytes,
                 size_t size, struct error *err)
{
  return inject_check_bytes (replacement->image, replacement->plan,
                             replacement->section->bytes, bytes, size, err);
}

static bool
write_converted (struct conversion *conversion, struct error *err)
{
  struct replacement replacement = { .image = conversion->source.image,
                                     .plan = &conversion->plan,
                                     .section = &conversion->section,
                                     .with_record = true,
                                     .output = *conversion->output,
                                     .copy_ahead = &conversion->copy_ahead,
                                     .check = check_converted };
  bool written = replacement_carry_out (&replacement, err);
  conversion->source.report->output_bytes
      = conversion->plan.new_size + replacement.record_size;
  return written;
}

/* The whole conversion of a linked file.  */
static bool
convert_file (struct conversion *conversion, struct error *err)
{
  const struct input *source = &conversion->source;
  if (!check_input (conversion, err))
    return false;
  /* While this thread makes the rows, the second one searches the code for
     references to bytes that may move, and copies the file.  */
  start_second_thread (conversion);
  source->report->executable_bytes = image_executable_bytes (source->image);
  /* Make rows for all code, and choose which of them form FDEs.  */
  conversion->encoder = linked_section_build (source, err);
  /* Check --strict and --min-coverage.  */
  bool enough = input_check_demands (source, conversion->encoder != NULL, err);
  if (enough)
    background_wait (&conversion->second_thread);
  bool done
      = enough
        /* Plan the places of section and program header, and of moved
           bytes.  */
        && find_place (conversion, err)
        /* The section's addresses count from its place in the plan.  */
        && write_section (conversion, err)
        /* Write the new file under a temporary name, read it back, compare it
           with the plan, and rename it.  */
        && (conversion->output == NULL || write_converted (conversion, err));
  end_threads (conversion);
  return done;
}

/* Convert INPUT and write it to OUTPUT.  If OUTPUT is NULL, only make the
   .sframe, set *SECTION to its bytes and *ADDRESS to where the converted file
   would load it.  On failure no file is changed, and SECTION needs no
   freeing.  */
static bool
linked_convert (const struct input *input, const struct output_request *output,
                struct buffer *section, uint64_t *address, struct error *err)
{
  struct conversion conversion = {
    .input = input, .output = output, .source = *input, .image = *input->image
  };
  conversion.source.image = &conversion.image;
  bool done = convert_file (&conversion, err);
  if (done && output == NULL)
    {
      *section = conversion.section;
      *address = conversion.plan.sframe_address;
      conversion.section = (struct buffer){ 0 };
    }
  buffer_free (&conversion.section);
  plan_free (&conversion.plan);
  sframe_encoder_free (conversion.encoder);
  image_close (&conversion.original);
  return done;
}

/* ---- Converting any file */

/* Convert INPUT and write it to OUTPUT.  If OUTPUT is NULL, which is not for
   archives, only make the .sframe, as linked_convert does.  The caller frees
   SECTION unless this fails.  */
static bool
convert_one (const struct input *input, const struct output_request *output,
             struct buffer *section, uint64_t *address, struct error *err)
{
  if (image_is_archive (input->image))
    return archive_convert (input, output, err);
  if (input->options->relocatable && input->image->header.e_type == ET_REL)
    return object_convert (input, output, section, err);
  return linked_convert (input, output, section, address, err);
}

bool
location_convert (struct file_work *work, struct error *err)
{
  struct opened_work opened;
  bool done = work_open (&opened, work, true, err)
              && convert_one (&opened.input, &opened.output, NULL, NULL, err);
  if (!done && work->output != NULL && error_kind (err) == ERROR_NOTHING)
    replacement_copy_unchanged (&opened.output, err);
  image_close (&opened.image);
  return done;
}

bool
location_copy (struct file_work *work, struct error *err)
{
  const struct file_location locked
      = options_add_lock (work->options, &work->input);
  const struct output_request request
      = options_request_output (work->options, &locked, work->output, NULL);
  return output_file_check_other (work->output, work->input.path, err)
         && replacement_copy_unchanged (&request, err);
}

bool
location_write_section (struct file_work *work, struct error *err)
{
  struct opened_work opened;
  struct buffer section = { 0 };
  uint64_t address = 0;
  bool done
      = work_open (&opened, work, false, err)
        && convert_one (&opened.input, NULL, &section, &address, err)
        && (work->options->dry_run
            || output_file_write (work->output, &section, opened.image.fd,
                                  work->options->sync, err));
  buffer_free (&section);
  image_close (&opened.image);
  return done;
}

bool
memory_build_section (const void *elf, size_t size,
                      const struct cfi2sframe_options *options,
                      struct buffer *section, uint64_t *address,
                      struct cfi2sframe_report *report, struct error *err)
{
  struct image image;
  const struct file_location nowhere = { .path = "" };
  const struct input input = { &image, &nowhere, options, report };
  bool done = image_open_memory (&image, elf, size, err);
  if (done)
    {
      *address = 0;
      done = convert_one (&input, NULL, section, address, err);
    }
  image_close (&image);
  return done;
}
