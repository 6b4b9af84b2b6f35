/* A file that is worked on, open.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_INPUT_H
#define CONVERT_INPUT_H

#include <stdbool.h>

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

#endif /* CONVERT_INPUT_H */
