/* What unwind data of several formats take, from one walk over a file's CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For the program's --compare-formats; not part of the public interface.  */

#ifndef COMPACT_UNWIND_MEASURE_H
#define COMPACT_UNWIND_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/image.h"

/* The first ones are SFrame as cfi2sframe_convert makes it, by version and
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

struct measured
{
  bool available; /* the format exists for the machine */
  uint64_t bytes;
  /* Functions it describes exactly as .eh_frame does: wherever a call can be
     made, and at every instruction.  SFrame has no difference there.  */
  uint64_t synchronous, asynchronous;
  /* Functions it does not describe, by reason: enum frame_reason, or for
     compact unwind enum cunwind_reason.  */
  uint64_t left_out[CFI2SFRAME_REASONS_MAX];
};

/* All formats made from the CFI of one file, or sums over files.  */
struct measurement
{
  const char *machine;
  uint64_t cfi_functions; /* FDEs in .eh_frame */
  uint64_t eh_frame_bytes, eh_frame_hdr_bytes;
  struct measured formats[MEASURED_COUNT];
  /* Of the bytes of compact unwind: pointers to language-specific data, which
     SFrame leaves to .eh_frame.  */
  uint64_t compact_unwind_lsda_bytes;
  /* What .eh_frame must keep where compact unwind refers to it: FDEs and their
     CIEs.  */
  uint64_t compact_unwind_eh_frame_bytes;
};

/* Stable identifier ("v3-no-share") and name for people.  */
const char *measured_format_name (enum measured_format format);
const char *measured_format_text (enum measured_format format);

/* Identifier and text of a reason why FORMAT leaves functions out, an index of
   `left_out'; NULL when no reason has that number.  */
const char *measured_reason_name (enum measured_format format,
                                  unsigned reason);
const char *measured_reason_text (enum measured_format format,
                                  unsigned reason);

/* Make the formats in the set WANTED from the CFI of IMAGE; those that do not
   exist for its machine are left out.  Fill in RESULT (cleared first).  The
   compact unwind section is appended to COMPACT_UNWIND, unless that is NULL.
   Status CFI2SFRAME_NOTHING without CFI.  */
bool measure_image (const struct image *image, unsigned wanted,
                    struct measurement *result, struct buffer *compact_unwind,
                    struct error *err);

/* Make all formats from the linked file INPUT.  */
bool measure_file (const struct file_location *input,
                   struct measurement *result, struct error *err);

#endif /* COMPACT_UNWIND_MEASURE_H */
