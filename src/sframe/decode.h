/* Reading an SFrame section of any version, defensively.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The only reader of the project.  Opening checks the header and that both
   tables lie inside the section, without allocating anything by a count read
   from it; rows are decoded and checked when they are asked for.  */

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
  uint32_t n_functions; /* fits the section: checked */
  uint32_t n_rows;      /* as the header claims */
  uint32_t fre_size;
  uint64_t fde_offset, fre_offset; /* from the section's start */
};

/* Open the SIZE BYTES of a section at ADDRESS.  CFI2SFRAME_UNSUPPORTED for
   versions, flags and machines that are not known, CFI2SFRAME_MALFORMED when
   the section contradicts itself; offsets of errors are in the section.  */
bool sframe_decoder_open (struct sframe_decoder *decoder, const void *bytes,
                          uint64_t size, uint64_t address, struct error *err);

/* Do the same with the .sframe of IMAGE.  CFI2SFRAME_NOTHING when it has
   none.  */
bool sframe_decoder_open_image (struct sframe_decoder *decoder,
                                const struct image *image, struct error *err);

/* Fill FUNCTION with everything but its rows; function->rows is NULL and
   function->n_rows what the entry claims.  PCMASK functions have a repeat size
   above 0, also those of V1, which does not store one.  */
bool sframe_decoder_function (const struct sframe_decoder *decoder,
                              uint32_t index, struct sframe_fde *function,
                              struct error *err);

/* The address where function INDEX starts, unchecked otherwise.  INDEX must be
   below n_functions.  */
uint64_t sframe_decoder_start (const struct sframe_decoder *decoder,
                               uint32_t index);

/* The size of function INDEX in bytes, on the same conditions.  */
uint32_t sframe_decoder_size (const struct sframe_decoder *decoder,
                              uint32_t index);

/* Where the rows of function INDEX (V3: its attribute) begin, in bytes from
   where all rows begin, on the same conditions.  */
uint32_t sframe_decoder_rows_offset (const struct sframe_decoder *decoder,
                                     uint32_t index);

/* The position of the rows of one function.  */
struct sframe_row_cursor
{
  const uint8_t *at, *end;
  const struct sframe_decoder *decoder;
  const struct sframe_fde *function;
  size_t left;   /* rows to come */
  uint32_t last; /* start of the latest row; 0 before the first */
};

/* Start reading the rows of FUNCTION, FRAME_ROWS_MAX at most, which
   sframe_decoder_function filled in for INDEX; both pointers must stay valid
   as long as CURSOR is used.  For tests, which look at single functions: src/
   reads all of a section, with sframe_decoder_walk.  */
bool sframe_decoder_rows (const struct sframe_decoder *decoder, uint32_t index,
                          const struct sframe_fde *function,
                          struct sframe_row_cursor *cursor, struct error *err);

/* The next row: 1, or 0 when there is none, or -1 with ERR filled in.  Starts
   never descend and lie at or before the end of the function (or of the
   repeated block); words have their meaning assigned (`control`).  A row is
   for addresses "within some function" (V3 specification, section 3), so
   producers have none at the end.  GNU as writes one there, which is for no
   byte, and readers may pass over it (conformance, fre-range).  */
int sframe_row_next (struct sframe_row_cursor *cursor, struct sframe_row *row,
                     struct error *err);

/* More rows than all functions of a real section have together.  Functions may
   share rows, so a small hostile section can claim billions of them; whoever
   walks all functions stops here.  */
static inline uint64_t
sframe_decoder_rows_max (const struct sframe_decoder *decoder)
{
  return 65536 + 64 * decoder->size;
}

/* Read function INDEX and start reading its rows, as the two above, for
   whoever walks all functions: the rows that FUNCTION claims are taken off
   *ROWS_LEFT, which begins with sframe_decoder_rows_max.
   CFI2SFRAME_MALFORMED, too, when fewer are left.  */
bool sframe_decoder_walk (const struct sframe_decoder *decoder, uint32_t index,
                          uint64_t *rows_left, struct sframe_fde *function,
                          struct sframe_row_cursor *cursor, struct error *err);

/* The inverse of lowering (lower.h): the rules that ROW of FUNCTION states, as
   a reader computes them.  Rules that no reader would accept come out as
   RULE_UNSUPPORTED.  Where the RA is undefined nothing is stated of CFA and FP
   either; both are RULE_UNDEFINED then, whatever the CFI says.  */
void sframe_row_rules (const struct arch *arch, struct sframe_variant variant,
                       const struct sframe_fde *function,
                       const struct sframe_row *row, struct frame_row *out);

/* The same of function INDEX, below n_functions, of the section behind
   DECODER, with all its rows: also those that say nothing new or have no
   bytes.  An outermost frame without rows has one that says so (V3
   specification, section 1.2).  A PCMASK function repeats.  *ROWS_LEFT,
   sframe_decoder_rows_max at first, is how many rows may still be read.  False
   when the function is damaged, these are too few, or memory ran out.  */
bool sframe_decoder_rules (const struct sframe_decoder *decoder,
                           uint32_t index, uint64_t *rows_left,
                           struct frame_function *function, struct error *err);

#endif /* SFRAME_DECODE_H */
