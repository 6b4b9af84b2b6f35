/* Writing an SFrame section of any version.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Functions are added one by one and encoded at once; only the index entries
   and the encoded rows stay in memory.  The section's size is known before
   its address, which the layout needs.  */

#ifndef SFRAME_ENCODE_H
#define SFRAME_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/buffer.h"
#include "base/error.h"
#include "sframe/model.h"

struct encode_options
{
  const struct arch *arch;
  struct sframe_variant variant;
  bool sorted; /* set the SORTED flag; the functions come in that order */
  bool share;  /* functions may share blocks of rows */
  /* The widths GNU as chooses: row starts as wide as the function's size
     needs, and in V1 and V2 words from -127 to 127 (-32767 to 32767).  Rows
     at equal starts and at the function's end are accepted.  */
  bool gnu_widths;
  /* Bytes of rows at most, those that are shared counted every time; 0: no
     limit.  A hostile FDE of 30 bytes can ask for a megabyte of rows.  */
  uint64_t rows_max;
  /* Functions, and bytes of rows: hints, to take memory only once.  */
  size_t n_expected, rows_expected;
};

/* Rows of the function at ADDRESS have no encoding: an error of whoever made
   them.  Returns false.  */
bool sframe_rows_unwritable (uint64_t address, struct error *err);

/* Whether so many BYTES of rows are within rows_max of OPTIONS.  */
static inline bool
sframe_rows_are_reasonable (const struct encode_options *options,
                            uint64_t bytes, struct error *err)
{
  return options->rows_max == 0 || bytes <= options->rows_max
         || error_set_word (err, CFI2SFRAME_REFUSED, WORD_TOO_LARGE,
                            "the CFI asks for unreasonably many rows");
}

/* Bytes of ROW without its start: info byte and data words.  */
unsigned sframe_row_payload_size (const struct encode_options *options,
                                  const struct sframe_row *row);

struct sframe_encoder; /* opaque */

/* NULL when memory ran out.  */
struct sframe_encoder *
sframe_encoder_new (const struct encode_options *options);
void sframe_encoder_free (struct sframe_encoder *encoder);

/* Append FUNCTION.  Its rows must be strictly ascending and below its size
   (of a PCMASK function: below its repeat size); V3 allows
   SFRAME_V3_FRES_MAX rows.  With `sorted`, functions come in ascending order
   and do not overlap.  Anything else is CFI2SFRAME_INVALID; 4 GiB of rows are
   CFI2SFRAME_UNSUPPORTED.  After a failure the encoder can only be freed.  */
bool sframe_encoder_add (struct sframe_encoder *encoder,
                         const struct sframe_fde *function, struct error *err);

/* Append a function of SIZE bytes at ADDRESS with the rows and flags of the
   one that was added as number INDEX, counted from 0.  The caller knows that
   the last of these rows starts below SIZE.  The rows are not written again.
   Otherwise as sframe_encoder_add.  */
bool sframe_encoder_repeat (struct sframe_encoder *encoder, size_t index,
                            uint64_t address, uint32_t size,
                            struct error *err);

size_t sframe_encoder_n_functions (const struct sframe_encoder *encoder);
size_t sframe_encoder_n_rows (const struct sframe_encoder *encoder);

/* The address of the function that was added as number INDEX, and its SIZE. */
uint64_t sframe_encoder_range (const struct sframe_encoder *encoder,
                               size_t index, uint32_t *size);

/* Bytes of the section that sframe_encoder_write would write now.  */
uint64_t sframe_encoder_size (const struct sframe_encoder *encoder);

/* Append the section, for a place at ADDRESS, to OUT.  Fails when a start is
   too far away for the version, or an offset field overflows.  May be called
   several times.  */
bool sframe_encoder_write (const struct sframe_encoder *encoder,
                           uint64_t address, struct buffer *out,
                           struct error *err);

#endif /* SFRAME_ENCODE_H */
