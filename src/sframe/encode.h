/* Writing an SFrame section of any version.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The caller adds the functions one by one.  Each is encoded when it is added,
   so that memory holds only the index entries and the encoded rows.  The
   section is written at the end, for its address: the code that chooses the
   address needs the section's size first (sframe_encoder_size).  */

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
  bool sorted; /* set the SORTED flag; functions are added in that order */
  bool share;  /* functions may share blocks of rows */
  /* Choose widths as GNU as does.  Row starts are then as wide as the
     function's size needs.  In V1 and V2 a word of one byte is from -127 to
     127, and one of two bytes from -32767 to 32767.  Rows with equal starts,
     or with a start at the function's end, are accepted.  */
  bool gnu_widths;
  /* A limit for the bytes of rows, or 0.  Shared rows count once for each
     function.  A hostile FDE of 30 bytes can ask for a megabyte of rows.  */
  uint64_t rows_max;
  size_t n_expected, rows_expected; /* hints: functions, bytes of rows */
};

/* Set ERR: rows of the function at ADDRESS have no encoding, which is a
   mistake of the code that made them.  Returns false.  */
bool sframe_rows_unwritable (uint64_t address, struct error *err);

/* Whether BYTES of rows are within OPTIONS->rows_max.  Otherwise set ERR.  */
static inline bool
sframe_rows_are_reasonable (const struct encode_options *options,
                            uint64_t bytes, struct error *err)
{
  return options->rows_max == 0 || bytes <= options->rows_max
         || error_set_word (err, CFI2SFRAME_REFUSED, WORD_TOO_LARGE,
                            "the CFI asks for unreasonably many rows");
}

/* The size of ROW's info byte and data words, in bytes.  */
unsigned sframe_row_payload_size (const struct encode_options *options,
                                  const struct sframe_row *row);

struct sframe_encoder; /* opaque */

/* NULL when memory ran out.  */
struct sframe_encoder *
sframe_encoder_new (const struct encode_options *options);
void sframe_encoder_free (struct sframe_encoder *encoder);

/* Append FUNCTION.  The starts of its rows must ascend strictly and be below
   its size (in a PCMASK function: below its repeat size).  V3 allows
   SFRAME_V3_FRES_MAX rows.  With `sorted', functions must be added in
   ascending order and must not overlap.  Fails with CFI2SFRAME_INVALID if
   FUNCTION breaks one of these conditions, and with CFI2SFRAME_UNSUPPORTED at
   4 GiB of rows.  After a failure the encoder can only be freed.  */
bool sframe_encoder_add (struct sframe_encoder *encoder,
                         const struct sframe_fde *function, struct error *err);

/* Append a function of SIZE bytes at ADDRESS that shares the rows and flags of
   the function that was added as number INDEX, counted from 0.  The last of
   these rows must start below SIZE.  Fails as sframe_encoder_add does.  */
bool sframe_encoder_repeat (struct sframe_encoder *encoder, size_t index,
                            uint64_t address, uint32_t size,
                            struct error *err);

size_t sframe_encoder_n_functions (const struct sframe_encoder *encoder);
size_t sframe_encoder_n_rows (const struct sframe_encoder *encoder);

/* The address and *SIZE of the function that was added as number INDEX.  */
uint64_t sframe_encoder_range (const struct sframe_encoder *encoder,
                               size_t index, uint32_t *size);

/* The size of the section that sframe_encoder_write would write now.  */
uint64_t sframe_encoder_size (const struct sframe_encoder *encoder);

/* Append the section to OUT, in the form that it has at ADDRESS.  Fails when a
   function is farther from the section than the version can express, or an
   offset field overflows.  May be called several times.  */
bool sframe_encoder_write (const struct sframe_encoder *encoder,
                           uint64_t address, struct buffer *out,
                           struct error *err);

#endif /* SFRAME_ENCODE_H */
