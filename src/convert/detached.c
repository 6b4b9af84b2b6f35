/* A detached section: SFrame data that are not put into the file they
   describe, because it is loaded already or must stay as it is; in memory, or
   with --detached in a file beside it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/detached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/align.h"
#include "convert/linked_section.h"
#include "convert/section_check.h"
#include "elf/detached_file.h"
#include "place/refusals.h"

uint64_t
detached_address (const struct image *image)
{
  uint64_t end = 0;
  FOR_EACH_LOAD (segment, image)
    if (segment->p_vaddr + segment->p_memsz > end)
      end = segment->p_vaddr + segment->p_memsz;
  return align_up (end, 8);
}

bool
detached_check (const struct image *image, struct error *err)
{
  return image_expect_machine (image, err)
         && (image->header.e_type == ET_EXEC || image->header.e_type == ET_DYN
             || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                                "no program or library"));
}

/* Make the SFrame data of INPUT, a linked file.  They count from *ADDRESS,
   behind all that the file loads, so that there needs to be no place for them.
   SECTION is to be freed, whatever is returned.  */
static bool
make_section (const struct input *input, struct buffer *section,
              uint64_t *address, struct error *err)
{
  if (!detached_check (input->image, err))
    return false;
  *address = detached_address (input->image);
  buffer_init (section, input->image->big_endian);
  struct sframe_encoder *encoder = linked_section_build (input, err);
  bool built = encoder != NULL
               && sframe_encoder_write (encoder, *address, section, err);
  sframe_encoder_free (encoder);
  return built;
}

void
detached_options_init (struct cfi2sframe_options *options)
{
  cfi2sframe_options_init (options);
  /* The reader looks up the address before a return address.  */
  options->keep_return_addresses = true;
  /* Code without a symbol is named after the start of its rows: so these are
     a whole function's.  */
  options->no_split = true;
}

bool
detached_build (const void *elf, size_t size, bool analyze, void **section,
                size_t *section_size, uint64_t *address, struct error *err)
{
  struct image image;
  struct buffer bytes = { 0 };
  struct cfi2sframe_options options;
  struct cfi2sframe_report report = { 0 };
  const struct file_location nowhere = { .path = "" };
  const struct input input = { &image, &nowhere, &options, &report };
  error_clear (err);
  if (!image_open_memory (&image, elf, size, err))
    return false;
  detached_options_init (&options);
  options.analyze = analyze;
  bool built = make_section (&input, &bytes, address, err);
  image_close (&image);
  if (!built)
    {
      buffer_free (&bytes);
      return false;
    }
  *section = bytes.bytes;
  *section_size = bytes.size;
  return true;
}

/* --detached.  */

static bool
make_folder (const char *path, struct error *err)
{
  return mkdir (path, 0777) == 0 || errno == EEXIST
         || error_set_errno (err, "cannot make this folder")
         || error_in_file (err, path);
}

/* Make FOLDER and the folder in it that PATH is in.  */
static bool
make_folders (const char *folder, const char *path, struct error *err)
{
  char *parent = strndup (path, (size_t)(strrchr (path, '/') - path));
  bool made = parent != NULL
                  ? make_folder (folder, err) && make_folder (parent, err)
                  : error_set_no_memory (err);
  free (parent);
  return made;
}

static bool
write_file (const struct input *input, const struct buffer *section,
            uint64_t address, const char *folder, const char *path,
            struct error *err)
{
  struct buffer file;
  buffer_init (&file, input->image->big_endian);
  bool written
      = detached_file_compose (input->image, section, address, &file, err)
        && make_folders (folder, path, err)
        && output_file_write (path, &file, -1, input->options->sync, err);
  buffer_free (&file);
  return written;
}

static bool
detach (const struct input *input, const char *folder, struct error *err)
{
  struct buffer section = { 0 };
  uint64_t address = 0;
  input->report->input_bytes = input->image->size;
  input->report->executable_bytes = image_executable_bytes (input->image);
  input->report->strategy = "detached";
  /* The debug file may have CFI, too, and the same build-id: of a tree with
     both the section of one would take the other's place.  */
  if (!image_expect_linked (input->image, err)
      || !refusals_check_debug_file (input->image, err))
    return false;
  if (section_is_of_use (input->image))
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                           "has an .sframe already");
  char *path = detached_file_path (input->image, folder, err);
  if (path == NULL)
    return false;
  bool made = make_section (input, &section, &address, err);
  bool done = input_check_demands (input, made, err)
              && (input->options->dry_run
                  || write_file (input, &section, address, folder, path, err));
  buffer_free (&section);
  free (path);
  return done;
}

bool
location_detach (struct file_work *work, struct error *err)
{
  struct opened_work opened;
  bool done = work_open (&opened, work, false, err)
              && detach (&opened.input, work->output, err);
  image_close (&opened.image);
  return done;
}
