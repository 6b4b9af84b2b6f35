/* What the code of a linked file adds to its CFI, and takes from it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CONVERT_CODE_ROWS_H
#define CONVERT_CODE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cfi/source.h"
#include "code/code.h"
#include "frame/frame.h"

struct code_rows
{
  struct disproofs disproofs; /* rows not to be used */
  size_t next;                /* of them */
  uint64_t functions, bytes;  /* added to the source */
};

/* Open the CFI of IMAGE as cfi_source_open does, also when there is none.  */
bool code_rows_open_source (struct cfi_source *source,
                            const struct image *image,
                            const struct cfi_wish *wish, struct error *err);

/* What is wanted of an analysis.  */
struct code_rows_request
{
  bool add;    /* functions without CFI become the source's `found' */
  bool verify; /* rows that the code contradicts are noted */
  const struct code_range *described; /* with ADD: as in struct code_request */
  size_t n_described;
};

/* Analyse the code of SOURCE, a linked file.  ROWS is to be freed also after
   failure.  */
bool code_rows_find (struct code_rows *rows, struct cfi_source *source,
                     const struct code_rows_request *wanted,
                     struct error *err);
void code_rows_free (struct code_rows *rows);

/* Whether there are rows not to be used in the SIZE bytes at ADDRESS.
   Addresses have to ascend from call to call.  */
bool code_rows_object (struct code_rows *rows, uint64_t address,
                       uint64_t size);

/* Leave them out of FUNCTION.  False when memory ran out.  */
bool code_rows_leave_out (const struct code_rows *rows,
                          struct frame_function *function);

#endif /* CONVERT_CODE_ROWS_H */
