/* Looking an address up in an __unwind_info section, as a stack tracer does.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The program writes and prints such sections; only tests look them up.  */

#ifndef UNIT_CUNWIND_FIND_H
#define UNIT_CUNWIND_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include "compact-unwind/encoding.h"
#include "compact-unwind/info.h"

struct cunwind_found
{
  /* The range of code that has this encoding, as far as is known.  */
  uint32_t function, end;
  uint32_t encoding;
  uint32_t personality; /* address of the pointer to the personality routine,
                           or 0 */
  uint32_t lsda;        /* or 0 */
};

/* The LSDA of FUNCTION, or 0.  */
static inline uint32_t
cunwind_find_lsda (const struct cunwind_reader *reader, uint32_t function)
{
  uint32_t low = 0, high = reader->n_lsdas;
  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      uint32_t at = reader->lsdas + CUNWIND_LSDA_ENTRY_SIZE * middle;
      uint32_t found = cunwind_reader_word (reader, at);
      if (found == function)
        return cunwind_reader_word (reader, at + 4);
      if (found < function)
        low = middle + 1;
      else
        high = middle;
    }
  return 0;
}

/* The last page whose first function is not behind PC, or the number of
   pages.  */
static inline uint32_t
cunwind_find_page (const struct cunwind_reader *reader, uint32_t pc)
{
  uint32_t low = 0, high = reader->n_index;
  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      if (cunwind_reader_word (reader, reader->index
                                           + CUNWIND_INDEX_ENTRY_SIZE * middle)
          <= pc)
        low = middle + 1;
      else
        high = middle;
    }
  return low == 0 ? cunwind_reader_n_pages (reader) : low - 1;
}

/* Look PC up, an offset from the image's base.  False when nothing is known
   of it.  */
static inline bool
cunwind_find (const struct cunwind_reader *reader, uint32_t pc,
              struct cunwind_found *found)
{
  struct cunwind_reader_page page;
  uint32_t i = cunwind_find_page (reader, pc);
  if (i >= cunwind_reader_n_pages (reader))
    return false;
  cunwind_reader_read_page (reader, i, &page);
  uint32_t low = 0, high = page.n_entries;
  while (low < high)
    {
      uint32_t middle = low + (high - low) / 2;
      if (cunwind_reader_read_entry (reader, &page, middle).function <= pc)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return false;
  struct cunwind_reader_entry entry
      = cunwind_reader_read_entry (reader, &page, low - 1);
  *found = (struct cunwind_found){
    .function = entry.function,
    .end = low < page.n_entries
               ? cunwind_reader_read_entry (reader, &page, low).function
               : page.end,
    .encoding = entry.encoding,
  };
  uint32_t personality = (entry.encoding & CUNWIND_PERSONALITY_MASK)
                         >> CUNWIND_PERSONALITY_SHIFT;
  if (personality != 0)
    found->personality = cunwind_reader_word (
        reader, reader->personalities + 4 * (personality - 1));
  if (entry.encoding & CUNWIND_HAS_LSDA)
    found->lsda = cunwind_find_lsda (reader, entry.function);
  return entry.encoding != 0;
}

#endif /* UNIT_CUNWIND_FIND_H */
