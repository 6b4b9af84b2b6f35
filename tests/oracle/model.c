/* An SFrame section taken apart, so that faults can be put into it.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "model.h"

static bool
read_rows (struct model_function *function,
           const struct sframe_decoder *decoder, uint32_t index)
{
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  struct error err;
  int more = 1;
  function->rows = calloc (function->head.n_rows + 1, sizeof *function->rows);
  if (!function->rows
      || !sframe_decoder_rows (decoder, index, &function->head, &cursor, &err))
    return false;
  while ((more = sframe_row_next (&cursor, &row, &err)) > 0)
    function->rows[function->n_rows++].row = row;
  return more == 0;
}

bool
model_read (struct model *model, const struct sframe_decoder *decoder)
{
  struct error err;
  *model = (struct model){ .decoder = *decoder };
  model->functions
      = calloc (decoder->n_functions + 1ul, sizeof *model->functions);
  if (!model->functions)
    return false;
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    {
      struct model_function *function = &model->functions[i];
      model->n_functions++;
      error_clear (&err);
      if (!sframe_decoder_function (decoder, i, &function->head, &err)
          || !read_rows (function, decoder, i))
        {
          model_free (model);
          return false;
        }
    }
  return true;
}

static bool
copy_function (struct model_function *copy,
               const struct model_function *function)
{
  *copy = *function;
  copy->rows = calloc (function->n_rows + 1, sizeof *copy->rows);
  if (copy->rows)
    memcpy (copy->rows, function->rows, function->n_rows * sizeof *copy->rows);
  return copy->rows != NULL;
}

bool
model_copy (struct model *copy, const struct model *model)
{
  *copy = *model;
  copy->n_functions = 0;
  copy->functions = calloc (model->n_functions + 1, sizeof *copy->functions);
  if (!copy->functions)
    return false;
  for (size_t i = 0; i < model->n_functions; i++)
    {
      copy->n_functions++;
      if (!copy_function (&copy->functions[i], &model->functions[i]))
        {
          model_free (copy);
          return false;
        }
    }
  return true;
}

void
model_free (struct model *model)
{
  for (size_t i = 0; i < model->n_functions; i++)
    free (model->functions[i].rows);
  free (model->functions);
}

bool
model_insert (struct model *model, size_t at, size_t from)
{
  struct model_function new;
  struct model_function *grown
      = reallocarray (model->functions, model->n_functions + 2, sizeof *grown);
  if (!grown)
    return false;
  model->functions = grown;
  if (!copy_function (&new, &grown[from]))
    return false;
  memmove (grown + at + 1, grown + at,
           (model->n_functions - at) * sizeof *grown);
  grown[at] = new;
  model->n_functions++;
  return true;
}

void
model_remove_row (struct model_function *function, size_t row)
{
  memmove (function->rows + row, function->rows + row + 1,
           (function->n_rows - row - 1) * sizeof *function->rows);
  function->n_rows--;
}

static void
put_sized (struct buffer *out, unsigned width, uint32_t value)
{
  if (width == 0)
    buffer_u8 (out, (uint8_t)value);
  else if (width == 1)
    buffer_u16 (out, (uint16_t)value);
  else
    buffer_u32 (out, value);
}

/* log2 of the bytes that every word of ROW fits in.  */
static unsigned
word_width (const struct sframe_row *row)
{
  unsigned width = 0;
  for (unsigned i = 0; i < row->n_words; i++)
    {
      int32_t word = row->words[i];
      bool control = row->control >> i & 1;
      int64_t value = control ? (int64_t)(uint32_t)word : word;
      int64_t low8 = control ? 0 : INT8_MIN, low16 = control ? 0 : INT16_MIN;
      int64_t high8 = control ? UINT8_MAX : INT8_MAX;
      int64_t high16 = control ? UINT16_MAX : INT16_MAX;
      if (value < low16 || value > high16)
        width = 2;
      else if ((value < low8 || value > high8) && width < 1)
        width = 1;
    }
  return width;
}

static void
put_row (struct buffer *out, unsigned start_width,
         const struct model_row *model_row)
{
  const struct sframe_row *row = &model_row->row;
  unsigned width = word_width (row);
  uint8_t info = (uint8_t)(row->base_sp | row->n_words << 1 | width << 5
                           | row->ra_signed << 7);
  put_sized (out, start_width, row->start);
  buffer_u8 (out, info ^ model_row->info_flip);
  for (unsigned i = 0; i < row->n_words; i++)
    put_sized (out, width, (uint32_t)row->words[i]);
}

static unsigned
start_width (const struct model_function *function)
{
  uint32_t last = 0;
  for (size_t i = 0; i < function->n_rows; i++)
    if (function->rows[i].row.start > last)
      last = function->rows[i].row.start;
  return last > UINT16_MAX ? 2 : last > UINT8_MAX;
}

static uint8_t
function_info (const struct model_function *function)
{
  const struct sframe_fde *head = &function->head;
  return (uint8_t)(start_width (function) | head->pcmask << 4
                   | head->b_key << 5 | head->signal << 7);
}

/* Append the rows of all functions, with their V3 attributes, to FRES; note
   where each function's begin.  */
static void
put_rows (const struct model *model, struct buffer *fres, uint32_t *offsets)
{
  for (size_t i = 0; i < model->n_functions; i++)
    {
      const struct model_function *function = &model->functions[i];
      offsets[i] = (uint32_t)fres->size;
      if (model->decoder.variant.version == 3)
        {
          buffer_u16 (fres, (uint16_t)function->n_rows);
          buffer_u8 (fres, function_info (function));
          buffer_u8 (fres, function->head.flexible);
          buffer_u8 (fres, function->head.repeat);
        }
      for (size_t j = 0; j < function->n_rows; j++)
        put_row (fres, start_width (function), &function->rows[j]);
    }
}

/* Append the index entry of one function.  */
static void
put_function (const struct model *model, struct buffer *out,
              const struct model_function *function, uint32_t fre_offset)
{
  const struct sframe_decoder *decoder = &model->decoder;
  uint64_t base = decoder->address;
  if (decoder->variant.pcrel)
    base += out->size;
  uint64_t start = function->head.address - base;
  if (decoder->variant.version == 3)
    {
      buffer_u64 (out, start);
      buffer_u32 (out, function->head.size);
      buffer_u32 (out, fre_offset);
      return;
    }
  buffer_u32 (out, (uint32_t)start);
  buffer_u32 (out, function->head.size);
  buffer_u32 (out, fre_offset);
  buffer_u32 (out, (uint32_t)function->n_rows);
  buffer_u8 (out, function_info (function));
  if (decoder->variant.version == 2)
    {
      buffer_u8 (out, function->head.repeat);
      buffer_u16 (out, 0);
    }
}

static void
put_header (const struct model *model, struct buffer *out, uint32_t fre_size)
{
  static const uint8_t function_sizes[] = { 0, 17, 20, 16 };
  const struct sframe_decoder *decoder = &model->decoder;
  size_t n_rows = 0;
  for (size_t i = 0; i < model->n_functions; i++)
    n_rows += model->functions[i].n_rows;
  buffer_u16 (out, SFRAME_MAGIC);
  buffer_u8 (out, decoder->variant.version);
  buffer_u8 (out, decoder->flags);
  buffer_u8 (out, decoder->arch->sframe_abi);
  buffer_u8 (out, (uint8_t)decoder->fixed_fp_offset);
  buffer_u8 (out, (uint8_t)(decoder->fixed_ra_offset + model->fixed_ra_error));
  buffer_u8 (out, 0);
  buffer_u32 (out, (uint32_t)model->n_functions);
  buffer_u32 (out, (uint32_t)n_rows + (uint32_t)model->n_rows_error);
  buffer_u32 (out, fre_size);
  buffer_u32 (out, 0);
  buffer_u32 (out, (uint32_t)model->n_functions
                       * function_sizes[decoder->variant.version]);
}

bool
model_write (const struct model *model, struct buffer *out)
{
  struct buffer fres;
  uint32_t *offsets = calloc (model->n_functions + 1, sizeof *offsets);
  buffer_init (out, model->decoder.big_endian);
  if (!offsets)
    return false;
  buffer_init (&fres, model->decoder.big_endian);
  put_rows (model, &fres, offsets);
  put_header (model, out, (uint32_t)fres.size);
  for (size_t i = 0; i < model->n_functions; i++)
    put_function (model, out, &model->functions[i], offsets[i]);
  buffer_append (out, fres.bytes, fres.size);
  bool failed = fres.failed || out->failed;
  buffer_free (&fres);
  free (offsets);
  return !failed;
}
