/* An input file that is open, and what options mean and demand.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/input.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/amounts.h"
#include "elf/checksum.h"
#include "write/file_metadata.h"

struct cfi_options
options_choose_cfi (const struct cfi2sframe_options *options)
{
  return (struct cfi_options){ .debug_info = options->debug_info,
                               .debug_file = options->debug_file };
}

struct file_location
options_add_lock (const struct cfi2sframe_options *options,
                  const struct file_location *input)
{
  struct file_location locked = *input;
  locked.lock = options->dry_run ? LOCK_NONE : LOCK_SHARED;
  return locked;
}

struct output_request
options_request_output (const struct cfi2sframe_options *options,
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

/* Check that COVERED bytes are at least LEAST percent of EXECUTABLE bytes.  */
static bool
check_coverage (double least, uint64_t covered, uint64_t executable,
                enum cfi2sframe_status status, struct error *err)
{
  double percent = percent_of (covered, executable);
  if (percent >= least)
    return true;
  /* Truncate, do not round: 99.996 percent are not 100.  */
  unsigned hundredths = (unsigned)(percent * 100);
  char figure[16];
  snprintf (figure, sizeof figure, "%u.%02u", hundredths / 100,
            hundredths % 100);
  return error_set_word (err, status, WORD_MIN_COVERAGE,
                         "only %s percent of the code has rows", figure);
}

bool
input_check_demands (const struct input *input, bool made, struct error *err)
{
  const struct cfi2sframe_options *options = input->options;
  const struct cfi2sframe_report *report = input->report;
  if (!made && err->status != CFI2SFRAME_NOTHING)
    return false;
  if (options->strict && report->functions_covered != report->cfi_functions)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_STRICT,
                           "%" PRIu64 " of %" PRIu64
                           " functions cannot be described completely",
                           report->cfi_functions - report->functions_covered,
                           report->cfi_functions);
  return check_coverage (options->min_coverage, report->bytes_covered,
                         report->executable_bytes, CFI2SFRAME_REFUSED, err)
         && made;
}

bool
options_check_section (const struct cfi2sframe_options *options,
                       const struct cfi2sframe_check_result *check,
                       struct error *err)
{
  if (options->strict && check->bytes_absent > 0)
    return error_set_word (err, CFI2SFRAME_MISMATCH, WORD_STRICT,
                           "%" PRIu64
                           " bytes of code with call-frame information have "
                           "no rows",
                           check->bytes_absent);
  return check_coverage (options->min_coverage,
                         check->bytes_equal + check->bytes_wrong
                             + check->bytes_extra,
                         check->executable_bytes, CFI2SFRAME_MISMATCH, err);
}

bool
work_open (struct opened_work *opened, struct file_work *work, bool archives,
           struct error *err)
{
  *opened = (struct opened_work){
    .input
    = { &opened->image, &opened->location, work->options, &work->report },
    .location = options_add_lock (work->options, &work->input),
    .output = options_request_output (work->options, &opened->location,
                                      work->output, &work->made),
  };
  if (!output_file_check_other (work->output, work->input.path, err)
      || !(archives ? image_open_or_archive
                    : image_open_at) (&opened->image, &opened->location, err))
    return false;
  opened->output.input_fd = opened->image.fd;
  /* Signatures and seals cover the old bytes only.  */
  struct file_concerns concerns = file_find_concerns (opened->image.fd);
  work->report.signed_ima = concerns.signed_ima;
  work->report.sealed_verity = concerns.verity;
  work->report.flags_lost = concerns.flags_lost && work->output == NULL;
  return true;
}
