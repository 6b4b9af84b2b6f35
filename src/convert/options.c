/* What options ask for, in the words of the layers that do it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/options.h"

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
