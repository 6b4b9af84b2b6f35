/* Reading an SFrame section of any version, defensively.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Opening a decoder checks the header, and that both tables lie inside the
   section.  It allocates nothing, so no count of the section decides about
   memory.  Rows are decoded and checked when the caller asks for them.  In
   src/ no other code reads sections; libsframewalk has a faster reader of its
   own (walk/lookup.c), which tests compare with this one.  */

#ifndef SFRAME_DECODE_H
#define SFRAME_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/error.h"
#include "frame/frame.h"
#include "sframe/model.h"

struct image; /* elf/image.h */

struct sframe_decoder
{
  const uint8_t *bytes; /* the caller's, must outlive the decoder */
  uint64_t size;
  uint64_t address; /* where the section is (or will be) loaded */
  bool big_endian;
  const struct arch *arch;
  struct sframe_variant variant;
  uint8_t flags;
  int8_t fixed_ra_offset;
  uint8_t aux_size;
  uint32_t n_functions; /* checked: as many entries lie in the section */
  uint32_t n_rows;      /* the header's claim, not checked */
  uint32_t fre_size;
  uint64_t fde_offset, fre_offset; /* from the section's start */
};

/* Open a decoder on the section of SIZE BYTES at ADDRESS.  Fails with
   CFI2SFRAME_UNSUPPORTED for an unknown version, flag or machine, or with
   CFI2SFRAME_MALFORMED if it contradicts itself, at an offset in it.  */
bool sframe_decoder_open (struct sframe_decoder *decoder, const void *bytes,
                          uint64_t size, uint64_t address, struct error *err);

/* Open a decoder on IMAGE's .sframe, or fail with CFI2SFRAME_NOTHING.  */
bool sframe_decoder_open_image (struct sframe_decoder *decoder,
                                const struct image *image, struct error *err);

/* Fill in FUNCTION with everything but its rows: function->rows is NULL, and
   function->n_rows is the number that the entry claims.  A PCMASK function has
   a repeat size above 0, also in V1, which does not store one.  */
bool sframe_decoder_function (const struct sframe_decoder *decoder,
                              uint32_t index, struct sframe_fde *function,
                              struct error *err);

/* The address of function INDEX, which must be below n_functions.  */
uint64_t sframe_decoder_start (const struct sframe_decoder *decoder,
                               uint32_t index);

/* The size of function INDEX in bytes.  INDEX must be below n_functions.  */
uint32_t sframe_decoder_size (const struct sframe_decoder *decoder,
                              uint32_t index);

/* The offset of the rows of function INDEX (V3: of its attribute) in the area
   of all rows, in bytes and unchecked.  INDEX must be below n_functions.  */
uint32_t sframe_decoder_rows_offset (const struct sframe_decoder *decoder,
                                     uint32_t index);

/* A position among the rows of one function.  */
struct sframe_row_cursor
{
  const uint8_t *at, *end;
  const struct sframe_decoder *decoder;
  const struct sframe_fde *function;
  size_t left;   /* number of rows that are still to be read */
  uint32_t last; /* start of the row read last; 0 before the first one */
};

/* Read the next row.  Returns 1, or 0 when there is none, or -1 with ERR
   filled in.  Starts never descend, and they lie at or before the end of the
   function (or of the repeated block).  row->control says which words are
   control words.  A row is for addresses "within some function" (V3
   specification, section 3), so a start at the end is of no use.  It is
   accepted all the same, because GNU as writes rows there, and readers may
   ignore them (conformance, fre-range).  */
int sframe_row_next (struct sframe_row_cursor *cursor, struct sframe_row *row,
                     struct error *err);

/* A number of rows that the functions of a real section never exceed together.
   Functions may share rows, so a small hostile section can claim billions of
   them.  A loop over all functions ends at this number.  */
static inline uint64_t
sframe_decoder_rows_max (const struct sframe_decoder *decoder)
{
  return 65536 + 64 * decoder->size;
}

/* Fill in FUNCTION from entry INDEX, and set CURSOR to its first row.  DECODER
   and FUNCTION must stay valid as long as CURSOR is used.  *ROWS_LEFT is
   sframe_decoder_rows_max at first; each call subtracts the number of rows
   that FUNCTION claims.  Fails with CFI2SFRAME_MALFORMED when fewer are left,
   or when FUNCTION claims more than FRAME_ROWS_MAX.  */
bool sframe_decoder_walk (const struct sframe_decoder *decoder, uint32_t index,
                          uint64_t *rows_left, struct sframe_fde *function,
                          struct sframe_row_cursor *cursor, struct error *err);

/* Set OUT to the rules that ROW of FUNCTION states, as a reader computes them:
   the inverse of lowering (lower.h).  A rule that no reader would accept
   becomes RULE_UNSUPPORTED.  A row with an undefined RA states nothing about
   CFA and FP.  Both are RULE_UNDEFINED then, whatever the CFI says.  */
void sframe_row_rules (const struct arch *arch, struct sframe_variant variant,
                       const struct sframe_fde *function,
                       const struct sframe_row *row, struct frame_row *out);

/* Set FUNCTION to function INDEX of the section, with the rules of all its
   rows.  Rows are kept even if they repeat the row before or apply to no byte.
   A V3 function without rows is an outermost frame (V3 specification, section
   1.2); it gets one row, with an undefined RA.  A PCMASK function has its
   repeat size.  *ROWS_LEFT is used as in sframe_decoder_walk.  False when the
   function is damaged, too few rows are left, or memory ran out.  */
bool sframe_decoder_rules (const struct sframe_decoder *decoder,
                           uint32_t index, uint64_t *rows_left,
                           struct frame_function *function, struct error *err);

#endif /* SFRAME_DECODE_H */
