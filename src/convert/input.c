/* A file that is worked on, open, and what options ask for.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/input.h"

#include "convert/replace.h"
#include "elf/checksum.h"

struct cfi_options
options_cfi (const struct cfi2sframe_options *options)
{
  return (struct cfi_options){ .debug_info = options->debug_info,
                               .debug_file = options->debug_file };
}

struct file_location
options_locked (const struct cfi2sframe_options *options,
                const struct file_location *input)
{
  struct file_location locked = *input;
  locked.lock = options->dry_run ? LOCK_NONE : LOCK_SHARED;
  return locked;
}

struct output_request
options_output (const struct cfi2sframe_options *options,
                const struct file_location *input, const char *output,
                struct file_identity *made)
{
  return (struct output_request){ .input = input,
                                  .output = output,
                                  .input_fd = -1,
                                  .preserve_times = options->preserve_times,
                                  .sync = options->sync,
                                  .made = made,
                                  .dry_run = options->dry_run };
}

bool
input_check_checksum (const struct input *input, struct error *err)
{
  return !input->options->leave_checksummed
         || checksum_check_none (input->image, input->location, err);
}

bool
work_open (struct opened_work *opened, struct file_work *work, bool archives,
           struct error *err)
{
  *opened = (struct opened_work){
    .input
    = { &opened->image, &opened->location, work->options, &work->report },
    .location = options_locked (work->options, &work->input),
    .output = options_output (work->options, &opened->location, work->output,
                              &work->made),
  };
  if (!output_file_check_other (work->output, work->input.path, err)
      || !(archives ? image_open_or_archive
                    : image_open_at) (&opened->image, &opened->location, err))
    return false;
  opened->output.input_fd = opened->image.fd;
  replacement_note_concerns (&opened->output, &work->report);
  return true;
}
