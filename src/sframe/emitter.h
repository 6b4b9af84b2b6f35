/* From frame rows to an encoder of one SFrame version, with an account.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Functions come in address order, or in the order that the section is to
   have when it is not sorted.  */

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
  bool sorted, share;
  bool gnu_widths; /* see encode_options */
  bool cut;        /* with `share': FDEs may begin inside functions */
  bool compact;    /* an FDE may hold several functions */
  /* Hints: functions, and bytes of rows.  */
  size_t n_expected, rows_expected;
  /* What is said of code is counted here: functions and bytes that are covered
     or left out, and reasons.  Places that are left out as
     REASON_RETURN_ADDRESS make no difference to whether an FDE is covered.  */
  struct cfi2sframe_report *report;
};

/* Bytes of rows at most for IMAGE; a hostile FDE of 30 bytes asks for a
   megabyte.  The CFI takes more bytes of the file than the rows made of it,
   and the PLT more than the rows of its stubs; small files may have it
   otherwise.  */
uint64_t emitter_rows_max (const struct image *image);

struct emitter; /* opaque */

/* NULL when memory ran out, or with status CFI2SFRAME_UNSUPPORTED when the
   version does not know the machine.  What OPTIONS points to must outlive the
   emitter.  */
struct emitter *emitter_new (const struct emitter_options *options,
                             struct error *err);
void emitter_free (struct emitter *emitter);

/* Whether functions with the program of an earlier one may have its rows.  */
bool emitter_repeats_rows (const struct emitter *emitter);

/* Add CODE, which comes from ROWS, with its rows, or the reason why there are
   none.  Code that comes with its program comes with places, too, and goes to
   one emitter alone that repeats rows, which gives it those that were added
   before.  */
bool emitter_add (struct emitter *emitter, struct finished_rows *rows,
                  struct cfi_code *code, struct error *err);

/* Add the code of an FDE with rows that come as they are to be; only to an
   emitter that does not repeat rows.  */
bool emitter_add_lowered (struct emitter *emitter,
                          const struct sframe_fde *function,
                          struct error *err);

/* To be called when all functions were added.  */
bool emitter_finish (struct emitter *emitter, struct error *err);

/* The encoder, which is valid as long as the emitter.  */
struct sframe_encoder *emitter_encoder (const struct emitter *emitter);

/* Hand the encoder over to the caller.  */
struct sframe_encoder *emitter_release (struct emitter *emitter);

#endif /* SFRAME_EMITTER_H */
