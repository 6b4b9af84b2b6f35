/* Reading sections back and holding them against the CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "fuzz.h"

#include <stdio.h>

#include "cfi/source.h"
#include "sframe/dump.h"
#include "sframe/lower.h"
#include "sframe/verify.h"
#include "tests/sframe_lookup.h"

enum
{
  ROWS_MAX = 200000 /* read of one input */
};

void
fuzz_verify (const struct sframe_decoder *decoder, const struct image *image,
             bool good)
{
  struct cfi_source source;
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN };
  struct cfi2sframe_check_result result = { 0 };
  struct error err = { 0 };
  bool verified = cfi_source_open (&source, image, &cfi_options, &err)
                  && sframe_verify (decoder, &source, &result, &err);
  FUZZ_DONE (verified || !good, &err);
  if (good && (result.bytes_wrong > 0 || result.bytes_extra > 0))
    fuzz_fail (result.difference, __FILE__, __LINE__);
  cfi_source_close (&source);
}

static ssize_t
swallow (void *cookie, const char *bytes, size_t size)
{
  (void)cookie;
  (void)bytes;
  return (ssize_t)size;
}

static void
read_rows (const struct sframe_decoder *decoder, uint32_t index,
           uint64_t *rows_left, bool good)
{
  struct sframe_fde function;
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  struct frame_row rules;
  struct error err = { 0 };
  uint64_t left = sframe_decoder_rows_max (decoder);
  bool opened
      = sframe_decoder_walk (decoder, index, &left, &function, &cursor, &err);
  FUZZ_DONE (opened || !good, &err);
  if (!opened)
    return;
  uint32_t n = 0, last = 0;
  int status;
  while ((status = sframe_row_next (&cursor, &row, &err)) > 0)
    {
      FUZZ_CHECK (n == 0 || row.start >= last);
      FUZZ_CHECK (!good || n == 0 || row.start > last);
      FUZZ_CHECK (row.n_words <= SFRAME_WORDS_MAX);
      sframe_row_rules (decoder->arch, decoder->variant, &function, &row,
                        &rules);
      last = row.start;
      n++;
      if ((*rows_left)-- == 0)
        return;
    }
  FUZZ_DONE (status == 0 || !good, &err);
  FUZZ_CHECK (status < 0 || n == function.n_rows);
}

void
fuzz_read_section (const struct sframe_decoder *decoder, bool good)
{
  cookie_io_functions_t functions = { .write = swallow };
  struct error err = { 0 };
  uint64_t rows_left = sframe_decoder_rows_max (decoder);
  if (rows_left > ROWS_MAX)
    rows_left = ROWS_MAX;
  for (uint32_t i = 0; i < decoder->n_functions && rows_left > 0; i++)
    {
      struct sframe_fde function;
      struct sframe_row row;
      uint64_t start = sframe_decoder_start (decoder, i);
      read_rows (decoder, i, &rows_left, good);
      if (i < 64)
        {
          sframe_decoder_lookup (decoder, start, &function, &row, &err);
          sframe_decoder_lookup (decoder, start - 1, &function, &row, &err);
        }
    }
  if (decoder->size > 65536)
    return; /* printing is slow */
  FILE *nowhere = fopencookie (NULL, "w", functions);
  FUZZ_CHECK (nowhere != NULL);
  bool dumped = sframe_dump (decoder, nowhere, &err);
  FUZZ_DONE (dumped || !good, &err);
  fclose (nowhere);
}
