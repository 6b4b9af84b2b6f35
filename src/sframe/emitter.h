/* From frame rows to the encoder of one SFrame version.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The emitter has each function lowered (lower.h), cut into FDEs (pieces.h)
   and encoded (encode.h), and counts in a report the code that gets rows or is
   left out.  Functions are added in ascending order of addresses, or, for a
   section that is not sorted, in the section's order.  */

#ifndef SFRAME_EMITTER_H
#define SFRAME_EMITTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/finished_rows.h"
#include "elf/image.h"
#include "frame/frame.h"
#include "sframe/encode.h"
#include "sframe/model.h"

struct emitter_options
{
  const struct image *image;
  struct sframe_variant variant;
  bool sorted, share, gnu_widths; /* as in struct encode_options */
  bool cut;     /* with `share': FDEs may begin inside functions */
  bool compact; /* an FDE may hold several functions */
  size_t n_expected, rows_expected; /* hints, as in struct encode_options */
  /* The emitter counts here the functions and bytes that get rows or are left
     out, and the reasons.  An FDE still counts as covered if only return
     addresses in it are left out (REASON_RETURN_ADDRESS).  */
  struct cfi2sframe_report *report;
};

/* The most bytes of rows that are accepted for IMAGE, because a hostile FDE of
   30 bytes can ask for a megabyte.  CFI takes more bytes of a file than the
   rows that are made of it, and a PLT more than the rows of its stubs.  For
   small files, where this may not be so, the limit is higher.  */
uint64_t emitter_rows_max (const struct image *image);

struct emitter; /* opaque */

/* Make an emitter.  OPTIONS' image and report must outlive it.  NULL when
   memory ran out, or the version does not know the machine (UNSUPPORTED).  */
struct emitter *emitter_new (const struct emitter_options *options,
                             struct error *err);
void emitter_free (struct emitter *emitter);

/* Whether a function may get the rows of an earlier one with its program.  */
bool emitter_repeats_rows (const struct emitter *emitter);

/* Add CODE, which ROWS has returned, with its rows, or count why it has none.
   Code with a program (code->program) must have return places, and all code
   with programs must go to the same emitter, one that repeats rows: if code
   with this program was added before, CODE gets the same rows.  */
bool emitter_add (struct emitter *emitter, struct finished_rows *rows,
                  struct cfi_code *code, struct error *err);

/* Add FUNCTION, in its final form, to an emitter that repeats no rows.  */
bool emitter_add_lowered (struct emitter *emitter,
                          const struct sframe_fde *function,
                          struct error *err);

/* Choose the FDEs and encode them, after all functions were added.  */
bool emitter_finish (struct emitter *emitter, struct error *err);

/* The encoder, which is valid as long as the emitter.  */
struct sframe_encoder *emitter_encoder (const struct emitter *emitter);

/* Hand the encoder over to the caller.  */
struct sframe_encoder *emitter_release (struct emitter *emitter);

#endif /* SFRAME_EMITTER_H */
