/* Detached SFrame data: not inserted into the file that they describe.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "convert/detached.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/align.h"
#include "base/array.h"
#include "base/search.h"
#include "convert/linked_section.h"
#include "convert/section_check.h"
#include "elf/detached_file.h"
#include "place/refusals.h"
#include "sframe/emitter.h"

enum
{
  /* FDEs of a portion, or a few more.  The memory for a portion besides its
     rows is as large as the rows of 20 FDEs.  */
  PORTION_FDES = 16
};

/* ---- Sections of whole files */

uint64_t
detached_address (const struct image *image)
{
  uint64_t end = 0;
  FOR_EACH_LOAD (segment, image)
    if (segment->p_vaddr + segment->p_memsz > end)
      end = segment->p_vaddr + segment->p_memsz;
  return align_up (end, 8);
}

/* Check that IMAGE is a program or library for a machine that has SFrame.  */
static bool
check_image (const struct image *image, struct error *err)
{
  return image_expect_machine (image, err)
         && (image->header.e_type == ET_EXEC || image->header.e_type == ET_DYN
             || error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                                "no program or library"));
}

/* Make the SFrame data of INPUT, a linked file.  Their addresses count from
   *ADDRESS, which is after all segments, so that they need no place in the
   file.  The caller frees SECTION also after failure.  */
static bool
make_section (const struct input *input, struct buffer *section,
              uint64_t *address, struct error *err)
{
  if (!check_image (input->image, err))
    return false;
  *address = detached_address (input->image);
  buffer_init (section, input->image->big_endian);
  struct sframe_encoder *encoder = linked_section_build (input, err);
  bool built = encoder != NULL
               && sframe_encoder_write (encoder, *address, section, err);
  sframe_encoder_free (encoder);
  return built;
}

/* Set OPTIONS for SFrame data that only this project's stack walks read.  */
static void
init_options (struct cfi2sframe_options *options)
{
  cfi2sframe_options_init (options);
  /* These walks look up the address before a return address.  */
  options->keep_return_addresses = true;
  /* Code without a symbol is named after the start of its rows, so rows must
     be those of a whole function.  */
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
  init_options (&options);
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

/* ---- Writing a section to a file of its own (--detached) */

static bool
make_folder (const char *path, struct error *err)
{
  return mkdir (path, 0777) == 0 || errno == EEXIST
         || error_set_errno (err, "cannot make this folder")
         || error_in_file (err, path);
}

/* Create FOLDER, and the folder in it that PATH is in.  */
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
  /* Refuse debug files.  They have the program's build-id and may have its
     CFI, so their section would overwrite that of the program.  */
  if (!image_expect_linked (input->image, err)
      || !refusals_check_debug_file (input->image, err))
    return false;
  if (section_is_usable (input->image))
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

/* ---- Rows on demand */

struct portion
{
  uint64_t start; /* ends where the next portion starts */
  size_t fde;     /* index of its first FDE */
  bool made;
  void *bytes; /* owned; NULL: it has no rows */
  size_t size;
};

struct rows_on_demand
{
  const struct image *image;
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  struct linked_section *linked;
  uint64_t address; /* that the sections' addresses count from */
  struct portion *portions;
  size_t n, capacity;
  uint64_t size; /* bytes of all sections made */
};

static bool
add_portion (struct rows_on_demand *rows, uint64_t start, size_t fde)
{
  if (!ARRAY_ROOM (rows->portions, rows->n + 1, &rows->capacity))
    return false;
  rows->portions[rows->n++] = (struct portion){ .start = start, .fde = fde };
  return true;
}

/* Cut the code into portions at addresses where no FDE overlaps another.
   Stubs do not extend across these addresses either, because no FDE begins
   within one (plt_stubs_find).  False when memory ran out.  */
static bool
cut (struct rows_on_demand *rows)
{
  const struct cfi_section *cfi = &linked_section_source (rows->linked)->cfi;
  uint64_t end = 0;
  if (!add_portion (rows, 0, 0))
    return false;
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      uint64_t fde_end = fde->address + fde->size;
      if (i - rows->portions[rows->n - 1].fde >= PORTION_FDES
          && fde->address >= end && !add_portion (rows, fde->address, i))
        return false;
      if (fde_end < fde->address)
        fde_end = UINT64_MAX;
      end = fde_end > end ? fde_end : end;
    }
  return true;
}

struct rows_on_demand *
rows_on_demand_open (const struct image *image, struct error *err)
{
  struct rows_on_demand *rows = calloc (1, sizeof *rows);
  error_clear (err);
  if (rows == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  rows->image = image;
  rows->address = detached_address (image);
  init_options (&rows->options);
  const struct input input
      = { .image = image, .options = &rows->options, .report = &rows->report };
  bool opened = check_image (image, err)
                && (rows->linked = linked_section_open (&input, err)) != NULL
                && (cut (rows) || error_set_no_memory (err));
  /* A walk needs few of the pages again that were read to find the FDEs.  */
  image_unmap_pages (image);
  if (opened)
    return rows;
  rows_on_demand_free (rows);
  return NULL;
}

void
rows_on_demand_free (struct rows_on_demand *rows)
{
  if (rows == NULL)
    return;
  for (size_t i = 0; i < rows->n; i++)
    free (rows->portions[i].bytes);
  free (rows->portions);
  linked_section_free (rows->linked);
  free (rows);
}

/* Make the rows of PORTION, which ends before the FDE with the index END.  */
static void
make_portion (struct rows_on_demand *rows, struct portion *portion, size_t end,
              struct error *err)
{
  struct buffer bytes;
  portion->made = true;
  if (rows->size > emitter_rows_max (rows->image))
    return;
  buffer_init (&bytes, rows->image->big_endian);
  struct sframe_encoder *encoder
      = linked_section_build_portion (rows->linked, portion->fde, end, err);
  if (encoder != NULL
      && sframe_encoder_write (encoder, rows->address, &bytes, err))
    {
      portion->bytes = bytes.bytes;
      portion->size = bytes.size;
      rows->size += bytes.size;
    }
  else
    buffer_free (&bytes);
  sframe_encoder_free (encoder);
}

struct sfw_section
rows_on_demand_at (struct rows_on_demand *rows, uint64_t address,
                   struct error *err)
{
  /* The first portion starts at 0, so NEXT is at least 1.  */
  size_t next = SEARCH_FIRST (rows->n, i, rows->portions[i].start > address);
  struct portion *portion = &rows->portions[next - 1];
  if (!portion->made)
    make_portion (rows, portion,
                  next < rows->n
                      ? portion[1].fde
                      : linked_section_source (rows->linked)->cfi.n_fdes,
                  err);
  return (struct sfw_section){ portion->bytes, portion->size, rows->address };
}

const struct cfi_source *
rows_on_demand_source (const struct rows_on_demand *rows)
{
  return linked_section_source (rows->linked);
}

uint64_t
rows_on_demand_size (const struct rows_on_demand *rows)
{
  return rows->size;
}
