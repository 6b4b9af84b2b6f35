/* SFrame functions and rows in memory.  Lowering makes them, the encoder
   writes them, and the decoder reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef SFRAME_MODEL_H
#define SFRAME_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "sframe/format.h"

/* A variant of the format.  Binutils 2.41 to 2.44 write V2 without `pcrel'.
   V1 never has the flag, V3 always.  */
struct sframe_variant
{
  uint8_t version; /* 1, 2 or 3 */
  bool pcrel;      /* SFRAME_FLAG_PCREL */
};

/* A row (FRE) with its data words as numbers.  A row without data words says
   that the RA is undefined.  */
struct sframe_row
{
  uint32_t start; /* bytes from the function's address */
  bool base_sp;   /* default rows: CFA = SP + words[0], else FP */
  bool ra_signed;
  uint8_t n_words;
  uint8_t control; /* bit i is set: words[i] is an (unsigned) control word */
  int32_t words[SFRAME_WORDS_MAX];
};

/* Append WORD, with CONTROL a control word, to ROW, which has room for it.  */
static inline void
sframe_row_append (struct sframe_row *row, int32_t word, bool control)
{
  row->control |= (uint8_t)((unsigned)control << row->n_words);
  row->words[row->n_words++] = word;
}

/* Append a control word and its offset to ROW, a row of a flexible FDE.  */
static inline void
sframe_row_append_pair (struct sframe_row *row, int32_t control,
                        int32_t offset)
{
  sframe_row_append (row, control, true);
  sframe_row_append (row, offset, false);
}

struct sframe_fde
{
  uint64_t address;
  uint32_t size; /* bytes of code */
  bool flexible; /* V3: rows consist of control and offset words */
  /* The size of the block that repeats in a PCMASK function, in bytes.  Row
     starts are then offsets in the block.  In any other function this is 0,
     and row starts are offsets from the address.  */
  uint8_t repeat;
  bool signal;
  bool b_key;
  bool has_unknown; /* set by the decoder: undefined bits are set */
  uint8_t fre_type; /* set by the decoder, chosen by the encoder */
  size_t n_rows;
  struct sframe_row *rows; /* owned by the code that filled it in */
};

#endif /* SFRAME_MODEL_H */
