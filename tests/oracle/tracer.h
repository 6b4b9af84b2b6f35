/* What a stack tracer makes of SFrame data.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Bytes become words in the project's decoder, its only reader; what the words
   mean is worked out here, from the specification, and not by
   sframe/lower.c.  */

#ifndef ORACLE_TRACER_H
#define ORACLE_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "sframe/decode.h"

struct tracer
{
  const struct sframe_decoder *decoder;
  unsigned e_machine; /* of the file, to check the ABI identifier with */
  /* All functions, ascending address, without rows.  */
  struct sframe_fde *functions;
  uint32_t *indices; /* of the entries they come from */
  size_t n_functions;
  /* The rows of one of them.  */
  size_t loaded; /* n_functions: none */
  struct sframe_row *rows;
  size_t n_rows, rows_capacity;
  bool rows_broken;
  uint64_t n_rows_total; /* of the functions loaded so far */
  /* What is wrong with the section as such.  */
  size_t n_faults;
  char fault[160]; /* the first one */
};

/* Read the functions behind DECODER, which must outlive TRACER.  False when
   memory runs out or the ABI is not the file's.  */
bool tracer_open (struct tracer *tracer, const struct sframe_decoder *decoder,
                  unsigned e_machine);
void tracer_close (struct tracer *tracer);

/* Check every function and row for what readers rely on: order, ranges,
   counts.  Faults are counted in TRACER.  */
void tracer_check_shape (struct tracer *tracer);

struct tracer_state
{
  const struct sframe_fde *function; /* NULL: not covered */
  const struct sframe_row *row;      /* valid until the next call */
  /* In a repeating block whose start is not a multiple of its size, readers
     that take the PC modulo the size see this row instead.  */
  const struct sframe_row *other_row;
  bool broken;  /* the data cannot be read */
  uint64_t end; /* the same state up to here */
};

/* The state at PC.  Fast for ascending PCs.  */
void tracer_state_at (struct tracer *tracer, uint64_t pc,
                      struct tracer_state *state);

/* Evaluate ROW of FUNCTION at PC.  */
void tracer_verdict (const struct tracer *tracer,
                     const struct sframe_fde *function,
                     const struct sframe_row *row, uint64_t pc,
                     struct verdict *verdict);

#endif /* ORACLE_TRACER_H */
