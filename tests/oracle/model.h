/* An SFrame section taken apart, so that faults can be put into it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The writer here is on purpose not src/sframe/encode.c: it writes whatever
   it is told, right or wrong, and never shares rows.  */

#ifndef ORACLE_MODEL_H
#define ORACLE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "sframe/decode.h"

struct model_row
{
  struct sframe_row row;
  uint8_t info_flip; /* bits of the info byte to write wrongly */
};

struct model_function
{
  struct sframe_fde head; /* without rows */
  struct model_row *rows; /* owned */
  size_t n_rows;
};

struct model
{
  struct sframe_decoder decoder; /* the header's fields */
  struct model_function *functions;
  size_t n_functions;
  int fixed_ra_error, n_rows_error; /* added to the header's fields */
};

/* Take the section behind DECODER apart.  */
bool model_read (struct model *model, const struct sframe_decoder *decoder);
bool model_copy (struct model *copy, const struct model *model);
void model_free (struct model *model);

/* Insert a copy of function FROM before position AT.  */
bool model_insert (struct model *model, size_t at, size_t from);
void model_remove_row (struct model_function *function, size_t row);

/* Write the section, for the address it came from, to OUT.  */
bool model_write (const struct model *model, struct buffer *out);

#endif /* ORACLE_MODEL_H */
