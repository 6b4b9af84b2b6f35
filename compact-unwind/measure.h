/* Measuring a file's unwind data in several formats, for --compare-formats.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Not part of the public interface.  */

#ifndef COMPACT_UNWIND_MEASURE_H
#define COMPACT_UNWIND_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"

/* All but the last are SFrame as a conversion makes it, by version and
   option.  */
enum measured_format
{
  MEASURED_V1,
  MEASURED_V2,
  MEASURED_V3_NO_SHARE,
  MEASURED_V3,
  MEASURED_V3_COMPACT,
  MEASURED_COMPACT_UNWIND, /* Apple's __unwind_info */
  MEASURED_COUNT
};

/* A set of enum measured_format.  */
#define MEASURE_BIT(format) (1u << (format))
#define MEASURE_ALL (MEASURE_BIT (MEASURED_COUNT) - 1)

struct format_figures
{
  bool available; /* the format exists for the machine */
  uint64_t bytes;
  /* The number of functions that the format describes exactly as .eh_frame
     does: wherever the function makes calls, and at every instruction.  For
     SFrame the two are equal.  */
  uint64_t synchronous, asynchronous;
  /* The number of functions left out, by reason: enum frame_reason, or for
     compact unwind enum cunwind_reason.  */
  uint64_t left_out[CFI2SFRAME_REASONS_MAX];
};

/* The figures of all formats for one file, or sums over files.  */
struct measurement
{
  const char *machine;
  uint64_t cfi_functions; /* FDEs in .eh_frame */
  uint64_t eh_frame_bytes, eh_frame_hdr_bytes;
  struct format_figures formats[MEASURED_COUNT];
  /* Bytes of compact unwind that refer to LSDAs.  SFrame has none.  */
  uint64_t compact_unwind_lsda_bytes;
  /* Bytes of the FDEs that compact unwind refers to, and of their CIEs.  */
  uint64_t compact_unwind_eh_frame_bytes;
};

/* Return the stable identifier of FORMAT ("v3-no-share"), and its name.  */
const char *measured_format_name (enum measured_format format);
const char *measured_format_text (enum measured_format format);

/* Return the identifier and the text of a reason why FORMAT leaves functions
   out, an index of `left_out'.  NULL if there is no such reason.  */
const char *measured_reason_name (enum measured_format format,
                                  unsigned reason);
const char *measured_reason_text (enum measured_format format,
                                  unsigned reason);

/* Make the formats in the set WANTED from the CFI of IMAGE, but those that do
   not exist for its machine.  Set RESULT.  Append the compact unwind section
   to COMPACT_UNWIND if not NULL.  CFI2SFRAME_NOTHING without CFI.  */
bool measure_image (const struct image *image, unsigned wanted,
                    struct measurement *result, struct buffer *compact_unwind,
                    struct error *err);

/* Measure all formats for the linked file INPUT.  */
bool measure_file (const struct file_location *input,
                   struct measurement *result, struct error *err);

#endif /* COMPACT_UNWIND_MEASURE_H */
