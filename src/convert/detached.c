/* A detached section: SFrame data that are not put into the file they
   describe, because it is loaded already or must stay as it is.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/detached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/align.h"
#include "base/buffer.h"
#include "convert/linked_section.h"
#include "convert/location.h"
#include "convert/thresholds.h"
#include "elf/detached_file.h"
#include "write/existing.h"
#include "write/output_file.h"

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

/* Make the SFrame data of the linked file IMAGE as OPTIONS say.  They count
   from *ADDRESS, behind all that the file loads, so that there needs to be no
   place for them.  SECTION is to be freed, whatever is returned.  */
static bool
detached_section (const struct image *image,
                  const struct cfi2sframe_options *options,
                  struct cfi2sframe_report *report, struct buffer *section,
                  uint64_t *address, struct error *err)
{
  if (!detached_check (image, err))
    return false;
  *address = detached_address (image);
  buffer_init (section, image->big_endian);
  struct sframe_encoder *encoder
      = linked_section_build (image, options, report, err);
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
  error_clear (err);
  if (!image_open_memory (&image, elf, size, err))
    return false;
  detached_options_init (&options);
  options.analyze = analyze;
  bool built
      = detached_section (&image, &options, &report, &bytes, address, err);
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

/* Whether IMAGE is a linked file that has no SFrame data yet.  */
static bool
check_input (const struct image *image, struct error *err)
{
  if (!image_expect_linked (image, err))
    return false;
  if (existing_find (image).present)
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                           "has an .sframe already");
  return true;
}

static bool
make_folder (const char *path, struct error *err)
{
  return mkdir (path, 0777) == 0 || errno == EEXIST
         || error_set_errno (err, path);
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
write_file (const struct image *image, const struct buffer *section,
            uint64_t address, const char *folder, const char *path,
            enum cfi2sframe_sync sync, struct error *err)
{
  struct buffer file;
  buffer_init (&file, image->big_endian);
  bool written = detached_file_compose (image, section, address, &file, err)
                 && make_folders (folder, path, err)
                 && output_file_write (path, &file, -1, sync, err);
  buffer_free (&file);
  return written;
}

static bool
detach (const struct image *image, const char *folder,
        const struct cfi2sframe_options *options,
        struct cfi2sframe_report *report, struct error *err)
{
  struct buffer section = { 0 };
  uint64_t address = 0;
  report->input_bytes = image->size;
  report->strategy = "detached";
  if (!check_input (image, err))
    return false;
  char *path = detached_file_path (image, folder, err);
  bool done
      = path != NULL
        && detached_section (image, options, report, &section, &address, err)
        && thresholds_check_complete (options, report, err)
        && thresholds_check_coverage (options, report, err)
        && (options->dry_run
            || write_file (image, &section, address, folder, path,
                           options->sync, err));
  buffer_free (&section);
  free (path);
  return done;
}

bool
location_detach (const struct file_location *input, const char *folder,
                 const struct cfi2sframe_options *options,
                 struct cfi2sframe_report *report, struct error *err)
{
  struct image image;
  if (!image_open_at (&image, input, err))
    return false;
  bool done = detach (&image, folder, options, report, err);
  image_close (&image);
  return done;
}
