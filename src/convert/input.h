/* A file that is worked on, open, what options ask for, in the words of the
   layers that do it, and whether what they demand (--strict, --min-coverage)
   is given.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_INPUT_H
#define CONVERT_INPUT_H

#include <stdbool.h>

#include "cfi/source.h"
#include "convert/location.h"
#include "elf/image.h"
#include "write/output_file.h"

/* What all that is done with a file goes by, whatever kind of file it is.  */
struct input
{
  const struct image *image;
  const struct file_location *location; /* the path is "" in memory */
  const struct cfi2sframe_options *options;
  struct cfi2sframe_report *report; /* filled in step by step */
};

/* Whether nothing has a checksum of INPUT, or its options say that this does
   not matter (elf/checksum.h).  */
bool input_check_checksum (const struct input *input, struct error *err);

/* Whether the conversion of INPUT that its report is about gives what its
   options demand: with `strict' all rows of every function, with
   `min_coverage' rows for so much of the code.  MADE tells whether there is a
   section.  If not, ERR has the reason, and the result is false; "nothing to
   do" becomes a failure where something is demanded.  */
bool input_check_demands (const struct input *input, bool made,
                          struct error *err);

/* The same of a section that is there, and that CHECK is about; status
   CFI2SFRAME_MISMATCH.  Code that SFrame cannot describe counts as missing,
   too.  */
bool options_check_section (const struct cfi2sframe_options *options,
                            const struct cfi2sframe_check_result *check,
                            struct error *err);

/* The input of a file_work that is open, and what is to come of it.  */
struct opened_work
{
  struct input input; /* of the next two */
  struct image image; /* an ELF file's, or the bytes of an archive */
  struct file_location location;
  struct output_request output;
};

/* Open the input of WORK, an ELF file or, if ARCHIVES, an archive, and note in
   its report what the output will not have.  opened->image is to be closed,
   and opened->output is there, also after failure.  WORK must outlive OPENED,
   which is not to be moved.  */
bool work_open (struct opened_work *opened, struct file_work *work,
                bool archives, struct error *err);

/* The CFI that OPTIONS ask for.  Borrows their strings.  */
struct cfi_options options_cfi (const struct cfi2sframe_options *options);

/* INPUT, to be opened with the lock for work with OPTIONS.  */
struct file_location options_locked (const struct cfi2sframe_options *options,
                                     const struct file_location *input);

/* The file that OPTIONS ask for in place of INPUT, or as OUTPUT unless that is
   NULL.  Its `input_fd' is to be set when INPUT is open.  */
struct output_request options_output (const struct cfi2sframe_options *options,
                                      const struct file_location *input,
                                      const char *output,
                                      struct file_identity *made);

#endif /* CONVERT_INPUT_H */
