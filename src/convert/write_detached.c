/* --detached: the SFrame data of a file are written beside it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "convert/detached.h"
#include "convert/section_check.h"
#include "elf/detached_file.h"
#include "place/refusals.h"
#include "write/output_file.h"

/* Whether IMAGE is a linked file that has no SFrame data yet.  Its debug file
   may have CFI, too, and the same build-id: of a tree with both the section of
   one would take the other's place.  */
static bool
check_input (const struct image *image, struct error *err)
{
  if (!image_expect_linked (image, err)
      || !refusals_check_debug_file (image, err))
    return false;
  if (section_is_of_use (image))
    return error_set_word (err, CFI2SFRAME_NOTHING, WORD_HAS_SFRAME,
                           "has an .sframe already");
  return true;
}

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
  if (!check_input (input->image, err))
    return false;
  char *path = detached_file_path (input->image, folder, err);
  if (path == NULL)
    return false;
  bool made = detached_section (input, &section, &address, err);
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
