/* An input file that is open; what options mean for the layers that do the
   work; and whether a result meets the demands of --strict and --min-coverage.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_INPUT_H
#define CONVERT_INPUT_H

#include <stdbool.h>

#include "cfi/source.h"
#include "convert/location.h"
#include "elf/image.h"
#include "write/output_file.h"

/* The arguments of all work on one file, of whatever kind.  */
struct input
{
  const struct image *image;
  const struct file_location *location; /* path "": in memory */
  const struct cfi2sframe_options *options;
  struct cfi2sframe_report *report; /* each step fills in its members */
};

/* Check that nothing keeps a checksum of INPUT (elf/checksum.h), unless its
   options say that this does not matter.  */
bool input_check_checksum (const struct input *input, struct error *err);

/* Check whether the conversion that INPUT's report describes meets the demands
   of INPUT's options: `strict', rows for all code of every function;
   `min_coverage', rows for this share of the code.  MADE says whether there is
   a section.  False, with the reason in ERR, if a demand is not met.  Status
   CFI2SFRAME_NOTHING becomes a failure if there is a demand.  */
bool input_check_demands (const struct input *input, bool made,
                          struct error *err);

/* Check whether an existing section, with the results CHECK of --check, meets
   these demands.  Otherwise status CFI2SFRAME_MISMATCH.  Code that SFrame
   cannot describe counts as missing, too.  */
bool options_check_section (const struct cfi2sframe_options *options,
                            const struct cfi2sframe_check_result *check,
                            struct error *err);

/* A file_work with its input open.  */
struct opened_work
{
  struct input input; /* refers to `image' and `location' */
  struct image image; /* of an ELF file, or of an archive's bytes */
  struct file_location location;
  struct output_request output;
};

/* Open the input of WORK, an ELF file or, if ARCHIVES, also an archive.  Note
   in the report which properties of the input the output will lack.  The
   caller closes opened->image also after failure, and may use opened->output
   then.  WORK must outlive OPENED, and OPENED must stay at its address.  */
bool work_open (struct opened_work *opened, struct file_work *work,
                bool archives, struct error *err);

/* Choose the CFI to read by OPTIONS.  The result borrows their strings.  */
struct cfi_options
options_choose_cfi (const struct cfi2sframe_options *options);

/* Return INPUT with the lock that is to be taken on it by OPTIONS.  */
struct file_location
options_add_lock (const struct cfi2sframe_options *options,
                  const struct file_location *input);

/* Request by OPTIONS the new file OUTPUT, or if that is NULL one in place of
   INPUT.  The caller sets `input_fd' when INPUT is open.  */
struct output_request
options_request_output (const struct cfi2sframe_options *options,
                        const struct file_location *input, const char *output,
                        struct file_identity *made);

#endif /* CONVERT_INPUT_H */
