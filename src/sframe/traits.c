/* What a section has that some reader does not take.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One pass over all functions and rows.  readers.c has the rules about what is
   found.  */

#include <stdlib.h>

#include "base/bytes.h"
#include "base/radix.h"
#include "sframe/readers.h"
#include "sframe/row_words.h"

void
sframe_traits_add (struct sframe_traits *traits, enum sframe_trait trait,
                   uint64_t address)
{
  if (!sframe_traits_have (traits, trait))
    traits->first[trait] = address;
  traits->present |= 1u << trait;
}

void
sframe_traits_add_variant (struct sframe_traits *traits,
                           struct sframe_variant variant)
{
  sframe_traits_add (traits,
                     variant.version == 1   ? SFRAME_TRAIT_VERSION_1
                     : variant.version == 2 ? SFRAME_TRAIT_VERSION_2
                                            : SFRAME_TRAIT_VERSION_3,
                     0);
  if (variant.version > 1)
    sframe_traits_add (
        traits, variant.pcrel ? SFRAME_TRAIT_PCREL : SFRAME_TRAIT_NOT_PCREL,
        0);
}

static void
add_if (struct sframe_traits *traits, enum sframe_trait trait, bool there,
        uint64_t address)
{
  if (there)
    sframe_traits_add (traits, trait, address);
}

/* Note the traits that the header tells.  */
static void
add_header (struct sframe_traits *traits, const struct sframe_decoder *decoder)
{
  bool big = decoder->big_endian;
  sframe_traits_add_variant (traits, decoder->variant);
  add_if (traits, SFRAME_TRAIT_UNSORTED,
          !(decoder->flags & SFRAME_FLAG_SORTED), 0);
  add_if (traits, SFRAME_TRAIT_NO_FUNCTIONS, decoder->n_functions == 0, 0);
  add_if (traits, SFRAME_TRAIT_AUX_HEADER, decoder->aux_size > 0, 0);
  add_if (traits, SFRAME_TRAIT_AUX_HEADER_BIG_ENDIAN,
          decoder->aux_size > 0 && big, 0);
  add_if (traits, SFRAME_TRAIT_GAP,
          decoder->fde_offset
              > SFRAME_HEADER_SIZE + (uint64_t)decoder->aux_size,
          0);
  add_if (traits, SFRAME_TRAIT_REST_BIG_ENDIAN,
          big && decoder->fre_offset + decoder->fre_size < decoder->size, 0);
}

/* Whether the words of a flexible ROW end in the padding of an entity.  */
static bool
ends_in_padding (const struct sframe_row *row)
{
  unsigned last = row->n_words - 1u;
  return last > 0 && row->words[last] == 0 && row->control >> last & 1;
}

static bool
has_high_register (const struct sframe_row *row)
{
  for (unsigned i = 0; i < row->n_words; i++)
    if ((row->control >> i & 1) && (row->words[i] & SFRAME_CONTROL_REG)
        && (uint32_t)row->words[i] >> SFRAME_CONTROL_REGNUM_SHIFT > 31)
      return true;
  return false;
}

static bool
has_wide_cfa (const struct sframe_decoder *decoder,
              const struct sframe_fde *function, const struct sframe_row *row)
{
  int32_t unused;
  return !row_words_cfa_offset (
      decoder->arch, row->words[function->flexible ? 1 : 0], &unused);
}

static void
add_row (struct sframe_traits *traits, const struct sframe_decoder *decoder,
         const struct sframe_fde *function, const struct sframe_row *row)
{
  if (row->n_words == 0)
    {
      sframe_traits_add (traits, SFRAME_TRAIT_NO_WORDS, function->address);
      return;
    }
  add_if (traits, SFRAME_TRAIT_WIDE_CFA, has_wide_cfa (decoder, function, row),
          function->address);
  if (!function->flexible)
    return;
  add_if (traits, SFRAME_TRAIT_PADDING_LAST, ends_in_padding (row),
          function->address);
  add_if (traits, SFRAME_TRAIT_HIGH_REGISTER, has_high_register (row),
          function->address);
}

static bool
add_function (struct sframe_traits *traits,
              const struct sframe_decoder *decoder, uint32_t index,
              uint64_t *rows_left, struct error *err)
{
  struct sframe_fde function;
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  int read = 0;
  if (!sframe_decoder_walk (decoder, index, rows_left, &function, &cursor,
                            err))
    return false;
  add_if (traits, SFRAME_TRAIT_NO_ROWS,
          function.n_rows == 0 && !function.signal, function.address);
  add_if (traits, SFRAME_TRAIT_NO_ROWS_SIGNAL,
          function.n_rows == 0 && function.signal, function.address);
  add_if (traits, SFRAME_TRAIT_MORE_ROWS_THAN_BYTES,
          function.n_rows > function.size, function.address);
  add_if (traits, SFRAME_TRAIT_MASK_OF_ROWS,
          function.repeat != 0 && function.n_rows > 1, function.address);
  while ((read = sframe_row_next (&cursor, &row, err)) > 0)
    add_row (traits, decoder, &function, &row);
  return read == 0;
}

/* Whether two functions have their rows at one place.  */
static bool
add_shared (struct sframe_traits *traits, const struct sframe_decoder *decoder,
            struct error *err)
{
  uint32_t n = decoder->n_functions;
  if (!decoder->big_endian || n < 2)
    return true;
  uint64_t *offsets = reallocarray (NULL, n, sizeof *offsets);
  for (uint32_t i = 0; offsets != NULL && i < n; i++)
    offsets[i] = sframe_decoder_rows_offset (decoder, i);
  bool sorted = offsets != NULL && RADIX_SORT (offsets, n);
  for (uint32_t i = 1; sorted && i < n; i++)
    add_if (traits, SFRAME_TRAIT_SHARED_BIG_ENDIAN,
            offsets[i] == offsets[i - 1], 0);
  free (offsets);
  return sorted || error_set_no_memory (err);
}

bool
sframe_traits_find (struct sframe_traits *traits,
                    const struct sframe_decoder *decoder, struct error *err)
{
  uint64_t rows_left = sframe_decoder_rows_max (decoder);
  add_header (traits, decoder);
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    if (!add_function (traits, decoder, i, &rows_left, err))
      return false;
  return add_shared (traits, decoder, err);
}
