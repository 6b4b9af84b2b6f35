/* Converting a file: a linked one in steps from its headers to the new file;
   objects and archives are converted in object_convert.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

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

/* ---- A linked file */

enum
{
  /* Files of less bytes are not worth a thread.  */
  BESIDE_SIZE_MIN = 4 << 20
};

/* A conversion, and what it owns.  */
struct conversion
{
  const struct input *input;
  const struct output_request *output; /* NULL: a section alone is wanted */
  struct input source;   /* what the conversion starts from: INPUT, with one of
                            the next two images */
  struct image image;    /* the input's, without an undo record that is of no
                            use; borrowed */
  struct image original; /* what that was before this program converted it,
                            for --replace; open if its elf is not NULL */
  struct existing existing;
  bool replaces; /* an .sframe that another program made */
  struct linked_section *linked;
  struct sframe_encoder *encoder;
  struct plan plan;
  struct buffer section; /* .sframe, for its place in the plan */
  struct copy_ahead copy_ahead;
  struct references *references; /* to what will move; owned, or NULL */
  struct background beside, unmapping;
};

/* Decide what to do about an .sframe that is there.  An original that is
   restored may have one, too: a linker's, which this program replaced.  */
static bool
handle_existing (struct conversion *conversion, struct error *err)
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
  /* The new .sframe takes the place of one in the image that the conversion
     starts from, or of an empty section, which is none.  */
  conversion->replaces
      = existing->place.size > 0 || existing->place.section != 0;
  return !conversion->replaces
         || existing_check_replaceable (existing, conversion->source.image,
                                        err);
}

/* Read the input's headers and what it has of .sframe; see whether it can be
   converted at all.  */
static bool
look_at_input (struct conversion *conversion, struct error *err)
{
  const struct input *input = conversion->input;
  input->report->input_bytes = input->image->size;
  return image_expect_linked (input->image, err)
         && refusals_check_debug_file (input->image, err)
         && for_readers_check_file (input->options->readers, input->image, err)
         && handle_existing (conversion, err)
         && refusals_check (conversion->source.image, err)
         && (conversion->output == NULL || input_check_checksum (input, err));
}

static void
unmap_pages (void *image)
{
  image_unmap_pages (image);
}

/* The second thread does the work that needs no rows.  The work takes less
   time than the rows do, so one thread is enough; a second one would take time
   from the thread that makes rows where there are two processors.

   In the end a copied file is unmapped by a thread that is waited for last of
   all, or image_close would do it while nothing else goes on.  Pages that are
   read once more are mapped again.  */
static void
work_beside (void *argument)
{
  struct conversion *conversion = argument;
  if (conversion->references != NULL)
    header_room_find_references (conversion->references,
                                 conversion->source.image);
  copy_ahead_run (&conversion->copy_ahead);
  if (conversion->copy_ahead.copied)
    background_start (&conversion->unmapping, unmap_pages, &conversion->image);
}

/* Start the thread beside, if the file is large.  */
static void
start_thread (struct conversion *conversion)
{
  const struct image *image = conversion->source.image;
  if (image->size < BESIDE_SIZE_MIN)
    return;
  conversion->references = calloc (1, sizeof *conversion->references);
  if (conversion->output != NULL && !conversion->output->dry_run
      && image == &conversion->image)
    copy_ahead_prepare (&conversion->copy_ahead, image, conversion->output);
  background_start (&conversion->beside, work_beside, conversion);
}

/* End the threads, whether their work was used or not.  */
static void
end_threads (struct conversion *conversion)
{
  copy_ahead_cancel (&conversion->copy_ahead);
  background_wait (&conversion->beside);
  background_wait (&conversion->unmapping);
  copy_ahead_end (&conversion->copy_ahead);
  free (conversion->references);
  conversion->references = NULL;
}

static bool
choose_pieces (struct conversion *conversion, struct error *err)
{
  conversion->encoder = linked_section_choose (conversion->linked, err);
  linked_section_free (conversion->linked);
  conversion->linked = NULL;
  return conversion->encoder != NULL;
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

/* The whole conversion of a linked file.  A step leaves in CONVERSION what
   later steps use.  */
static bool
convert_file (struct conversion *conversion, struct error *err)
{
  const struct input *source = &conversion->source;
  /* What is it, has it an .sframe, and what did it look like before that?  */
  if (!look_at_input (conversion, err))
    return false;
  /* Beside all that makes rows and pieces of them, a thread searches the code
     for references to what will move, and digests and copies the file.  */
  start_thread (conversion);
  source->report->executable_bytes = image_executable_bytes (source->image);
  bool rows
      /* What describes its code: FDEs, stubs, functions found in it.  */
      = (conversion->linked = linked_section_read (source, err)) != NULL
        /* One by one, by address: execute, settle disputes, keep readers from
           following a wrong row, lower.  The CFI is not needed any more.  */
        && linked_section_walk (conversion->linked, err)
        /* Which stretches of rows become FDEs; each different one is stored
           once.  */
        && choose_pieces (conversion, err);
  /* --strict, --min-coverage.  There are no rows if SFrame can say none of
     them, or if no code has CFI.  */
  bool enough = input_check_demands (source, rows, err);
  /* References are needed now, and the copy soon.  */
  if (enough)
    background_wait (&conversion->beside);
  bool done
      = enough
        /* Where the section and its program header go, and what moves.  */
        && find_place (conversion, err)
        /* Entries are relative to that place, so this comes now.  --for may
           have named readers that refuse what is in it.  */
        && write_section (conversion, err)
        /* Compose the file beside the old one, read it back and compare it
           with the plan, rename it.  */
        && (conversion->output == NULL || write_converted (conversion, err));
  end_threads (conversion);
  return done;
}

/* Convert INPUT to OUTPUT or, if that is NULL, make *SECTION, the .sframe
   alone that would be put into the file, and set *ADDRESS to where it would be
   loaded.  On failure all files are as they were, and SECTION needs no
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
  linked_section_free (conversion.linked);
  buffer_free (&conversion.section);
  plan_free (&conversion.plan);
  sframe_encoder_free (conversion.encoder);
  image_close (&conversion.original);
  return done;
}

/* ---- Any file */

/* Convert INPUT to OUTPUT or, if that is NULL, make the section alone of a
   file that is no archive, for *ADDRESS.  SECTION is to be freed unless this
   fails.  */
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
      = options_locked (work->options, &work->input);
  const struct output_request request
      = options_output (work->options, &locked, work->output, NULL);
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
