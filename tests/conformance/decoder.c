/* The project's decoder as an adapter of the conformance suite.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "../../conformance/adapters/reader.h"

#include <stdlib.h>
#include <string.h>

#include "sframe/decode.h"
#include "tests/sframe_lookup.h"

struct section
{
  struct sframe_decoder decoder;
  struct error err; /* the latest; `open' returns a pointer into it */
};

static bool
decoder_begin (int argc, char **argv)
{
  (void)argv;
  return argc == 1;
}

static void *
decoder_open (const struct question *question, const char **reason)
{
  static struct error err;
  struct section *section = calloc (1, sizeof *section);
  if (section == NULL)
    return NULL;
  error_clear (&err);
  if (sframe_decoder_open (&section->decoder, question->bytes, question->size,
                           question->address, &err))
    return section;
  *reason = err.reason;
  free (section);
  return NULL;
}

static struct value
slot (int64_t offset)
{
  return (struct value){ VALUE_CFA, true, 0, offset };
}

/* A stack slot, or in V2 of s390x the register that an odd number names.  */
static struct value
slot_or_register (const struct sframe_decoder *decoder, int32_t word)
{
  if (decoder->arch->big_endian && decoder->arch->cfa_scale > 1
      && decoder->variant.version == 2 && word & 1)
    return value_of_register (4, (unsigned)word >> 1, 0, false);
  return slot (word);
}

static int64_t
cfa_offset (const struct arch *arch, int32_t word)
{
  return (int64_t)word * arch->cfa_scale + arch->cfa_bias;
}

/* Sections 3.1.1 to 3.1.3 of the specification.  */
static int
default_answer (const struct sframe_decoder *decoder,
                const struct sframe_row *row, struct answer *answer)
{
  bool tracks_ra = decoder->fixed_ra_offset == 0;
  unsigned at = 1;
  if (row->n_words > (tracks_ra ? 3 : 2))
    return -1;
  answer->cfa.base = row->base_sp ? VALUE_SP : VALUE_FP;
  answer->cfa.offset = cfa_offset (decoder->arch, row->words[0]);
  if (!tracks_ra)
    answer->ra = slot (decoder->fixed_ra_offset);
  else if (at < row->n_words)
    {
      int32_t word = row->words[at++];
      if (word != 0 || decoder->arch->cfa_scale == 1)
        answer->ra = slot_or_register (decoder, word);
    }
  if (at < row->n_words)
    answer->fp = slot_or_register (decoder, row->words[at]);
  return 1;
}

static struct value
from_pair (unsigned abi, int32_t control, int64_t offset)
{
  bool load = control & SFRAME_CONTROL_DEREF;
  if (control & SFRAME_CONTROL_REG)
    return value_of_register (
        abi, (uint32_t)control >> SFRAME_CONTROL_REGNUM_SHIFT, offset, load);
  return (struct value){ VALUE_CFA, load, 0, offset };
}

/* Section 3.2.  */
static int
flexible_answer (const struct sframe_decoder *decoder,
                 const struct sframe_row *row, struct answer *answer)
{
  struct value *const values[] = { &answer->cfa, &answer->ra, &answer->fp };
  unsigned abi = decoder->bytes[SFRAME_HEADER_ABI], entity = 0;
  if (!(row->words[0] & SFRAME_CONTROL_REG))
    return -1;
  if (decoder->fixed_ra_offset != 0)
    answer->ra = slot (decoder->fixed_ra_offset);
  for (unsigned i = 0; i < row->n_words; entity++)
    {
      if (entity > 0 && row->words[i] == 0)
        {
          i++;
          continue;
        }
      int64_t offset = entity == 0
                           ? cfa_offset (decoder->arch, row->words[i + 1])
                           : row->words[i + 1];
      /* A row with more rules is the decoder's to refuse.  */
      if (entity < sizeof values / sizeof *values)
        *values[entity] = from_pair (abi, row->words[i], offset);
      i += 2;
    }
  return 1;
}

/* The last of the functions that have PC, or the number of functions.  */
static uint32_t
function_with (const struct sframe_decoder *decoder, uint64_t pc)
{
  uint32_t found = decoder->n_functions;
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    if (pc - sframe_decoder_start (decoder, i)
        < sframe_decoder_size (decoder, i))
      found = i;
  return found;
}

/* The function and row that have PC, read one after the other.  As
   sframe_decoder_lookup, but for functions without rows.  */
static int
walk_to (const struct sframe_decoder *decoder, uint64_t pc,
         struct sframe_fde *function, struct sframe_row *row,
         struct error *err)
{
  struct sframe_row_cursor cursor;
  struct sframe_row next;
  int read = 1, found = 0;
  uint32_t i = function_with (decoder, pc);
  if (i == decoder->n_functions)
    return 0;
  uint64_t left = sframe_decoder_rows_max (decoder);
  if (!sframe_decoder_walk (decoder, i, &left, function, &cursor, err))
    return -1;
  uint64_t offset = pc - function->address;
  if (function->repeat != 0)
    offset %= function->repeat;
  while ((read = sframe_row_next (&cursor, &next, err)) > 0
         && next.start <= offset)
    {
      *row = next;
      found = 1;
    }
  return read < 0 ? -1 : found;
}

static int
answer_of (const struct sframe_decoder *decoder,
           const struct sframe_fde *function, const struct sframe_row *row,
           struct answer *answer)
{
  answer->outermost = row->n_words == 0;
  if (answer->outermost)
    return 1;
  answer->ra_signed = row->ra_signed && decoder->fixed_ra_offset == 0
                      && decoder->arch->cfa_scale == 1;
  answer->key_b = function->b_key;
  answer->signal = function->signal;
  return function->flexible ? flexible_answer (decoder, row, answer)
                            : default_answer (decoder, row, answer);
}

/* Both ways of the decoder: search, and reading row by row, which may see that
   something is wrong where the search does not look.  What they find has to be
   the same; otherwise this process ends, which no vector allows.  */
static int
decoder_find (void *opened, const struct frame *frame, struct answer *answer)
{
  struct section *section = opened;
  const struct sframe_decoder *decoder = &section->decoder;
  struct sframe_fde function, walked_function;
  struct sframe_row row = { 0 }, walked = { 0 };
  int found = sframe_decoder_lookup (decoder, frame->pc, &function, &row,
                                     &section->err);
  int walked_found
      = walk_to (decoder, frame->pc, &walked_function, &walked, &section->err);
  if (found > 0 && walked_found > 0
      && function.address == walked_function.address
      && (row.start != walked.start || row.n_words != walked.n_words
          || memcmp (row.words, walked.words, sizeof row.words) != 0))
    abort ();
  return found > 0 ? answer_of (decoder, &function, &row, answer) : found;
}

struct reader reader
    = { "cfi2sframe",  "1,2,3",      "1,2,3,4",    "signed,key,signal",
        decoder_begin, decoder_open, decoder_find, free };
