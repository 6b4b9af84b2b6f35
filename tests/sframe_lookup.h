/* The function and row for an address, through the decoder.
   SPDX-License-Identifier: LGPL-2.1-or-later

   For tests alone: they hold against it what is encoded, and what walks look
   up (walk/lookup).  */

#ifndef TESTS_SFRAME_LOOKUP_H
#define TESTS_SFRAME_LOOKUP_H

#include "base/bytes.h"
#include "sframe/decode.h"

/* The function that a reader finds for PC.  False when there is none.  */
static inline bool
sframe_lookup_function (const struct sframe_decoder *decoder, uint64_t pc,
                        uint32_t *index)
{
  uint32_t n = decoder->n_functions, i = 0;
  if (decoder->flags & SFRAME_FLAG_SORTED)
    {
      uint32_t end = n;
      while (i < end)
        {
          uint32_t middle = i + (end - i) / 2;
          if (sframe_decoder_start (decoder, middle) > pc)
            end = middle;
          else
            i = middle + 1;
        }
      i--; /* beyond all functions, if none starts at or before PC */
    }
  else
    while (i < n
           && pc - sframe_decoder_start (decoder, i)
                  >= sframe_decoder_size (decoder, i))
      i++;
  *index = i;
  return i < n
         && pc - sframe_decoder_start (decoder, i)
                < sframe_decoder_size (decoder, i);
}

/* Skip all rows but the last one that starts at or before OFFSET, by their
   sizes alone: what they say does not matter.  1 if there is one, 0 if not, -1
   if they do not fit.  */
static inline int
sframe_lookup_seek (struct sframe_row_cursor *cursor, uint64_t offset)
{
  struct sframe_row_cursor next = *cursor;
  const bool big_endian = next.decoder->big_endian;
  const unsigned type = next.function->fre_type;
  const size_t head = ((size_t)1 << type) + 1;
  int found = 0;
  for (; next.left > 0; next.left--)
    {
      if ((size_t)(next.end - next.at) < head)
        return -1;
      uint32_t start = type == SFRAME_FRE_ADDR1 ? *next.at
                       : type == SFRAME_FRE_ADDR2
                           ? load_u16 (next.at, big_endian)
                           : load_u32 (next.at, big_endian);
      uint8_t info = next.at[head - 1];
      size_t size
          = head
            + ((size_t)(info >> SFRAME_FRE_COUNT_SHIFT & SFRAME_FRE_COUNT)
               << (info >> SFRAME_FRE_WORD_SHIFT & SFRAME_FRE_WORD));
      if (start < next.last)
        return -1;
      if (start > offset)
        break;
      if ((size_t)(next.end - next.at) < size)
        return -1;
      *cursor = next;
      found = 1;
      next.at += size;
      next.last = start;
    }
  return found;
}

/* What a stack tracer does: the function and row for PC (binary search when
   the section says that it is sorted, otherwise the first function with PC).
   1 found, 0 not covered, -1 broken.  A function of V3's default type without
   rows is an outermost frame (specification, section 1.2).  GNU as 2.47 also
   writes signal frames without rows, for trampolines that it cannot express:
   nothing is known of these.  */
static inline int
sframe_decoder_lookup (const struct sframe_decoder *decoder, uint64_t pc,
                       struct sframe_fde *function, struct sframe_row *row,
                       struct error *err)
{
  uint32_t index;
  struct sframe_row_cursor cursor;
  if (!sframe_lookup_function (decoder, pc, &index))
    return 0;
  uint64_t left = sframe_decoder_rows_max (decoder);
  if (!sframe_decoder_walk (decoder, index, &left, function, &cursor, err))
    return -1;
  if (decoder->variant.version >= 3 && function->n_rows == 0
      && !function->flexible && !function->signal)
    {
      *row = (struct sframe_row){ 0 };
      return 1;
    }
  uint64_t offset = pc - function->address;
  if (function->repeat != 0)
    offset %= function->repeat;
  int found = sframe_lookup_seek (&cursor, offset);
  if (found < 0)
    error_set_at (err, CFI2SFRAME_MALFORMED, decoder->fre_offset,
                  "SFrame: rows that make no sense");
  return found > 0 ? sframe_row_next (&cursor, row, err) : found;
}

#endif /* TESTS_SFRAME_LOOKUP_H */
