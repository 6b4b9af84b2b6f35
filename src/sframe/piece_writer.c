/* Pieces that were chosen, as FDEs of an encoder.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/piece_writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "sframe/segments.h"

enum
{
  NOT_STORED = UINT32_MAX
};

/* Rows that have gone to the encoder.  */
struct block
{
  uint32_t first_row, end_row;
  uint32_t number; /* of the first FDE that has them */
};

struct piece_writer
{
  const struct chosen_pieces *chosen;
  struct sframe_encoder *encoder;
  uint32_t *numbers; /* of each piece in the encoder, or NOT_STORED */
  struct block *blocks;
  size_t n_blocks, blocks_capacity;
  struct table blocks_by_rows;
  struct sframe_row *block_rows; /* of the block at hand */
  size_t block_rows_capacity;
};

/* Whether the rows of BLOCK say the same as those from FIRST_ROW to END_ROW,
   but for how long the last one lasts.  */
static bool
block_has_rows (const struct piece_writer *writer, const struct block *block,
                uint32_t first_row, uint32_t end_row)
{
  const struct numbered_row *a = &writer->chosen->rows[block->first_row];
  const struct numbered_row *b = &writer->chosen->rows[first_row];
  const struct numbered_row *a_end = &writer->chosen->rows[block->end_row];
  const struct numbered_row *b_end = &writer->chosen->rows[end_row];
  uint32_t distance = a->start - b->start;
  while (a < a_end && b < b_end && a->start - b->start == distance
         && ((a->rule ^ b->rule) & ROW_RULE) == 0)
    {
      a = numbered_row_next (a, a_end);
      b = numbered_row_next (b, b_end);
    }
  return a == a_end && b == b_end;
}

/* Remember BLOCK, with rows that have HASH.  False when memory ran out.  */
static bool
append_block (struct piece_writer *writer, uint32_t hash,
              const struct block *block)
{
  if (!ARRAY_ROOM (writer->blocks, writer->n_blocks + 1,
                   &writer->blocks_capacity))
    return false;
  table_insert (&writer->blocks_by_rows, hash, (uint32_t)writer->n_blocks);
  writer->blocks[writer->n_blocks++] = *block;
  return true;
}

/* The hash for tables of the segment that has the rows from FIRST_ROW to
   END_ROW.  */
static uint32_t
rows_hash (const struct piece_writer *writer, size_t first_row, size_t end_row)
{
  const struct numbered_row *first = &writer->chosen->rows[first_row];
  const struct segment_tail tail
      = segment_tail_of (first, &writer->chosen->rows[end_row]);
  return segment_hash_for_table (segment_hash_begin (&tail, first));
}

/* Add an FDE of SIZE bytes at ADDRESS with the rows of piece number PIECE,
   which no FDE has so far, unless it is equal to another piece.  */
static bool
write_first (struct piece_writer *writer, size_t piece, uint64_t address,
             uint32_t size, struct error *err)
{
  const struct chosen_pieces *chosen = writer->chosen;
  uint32_t first_row = chosen->cuts[chosen->pieces[piece].begin].row;
  uint32_t end_row = chosen->cuts[chosen->pieces[piece].end].row;
  uint32_t hash = chosen->pieces[piece].hash;
  if (hash == 0)
    hash = rows_hash (writer, first_row, end_row);
  struct table_walk walk = { .hash = hash };
  for (uint32_t i;
       chosen->share && table_next (&writer->blocks_by_rows, &walk, &i);)
    if (block_has_rows (writer, &writer->blocks[i], first_row, end_row))
      {
        writer->numbers[piece] = writer->blocks[i].number;
        return sframe_encoder_repeat (
            writer->encoder, writer->blocks[i].number, address, size, err);
      }
  uint32_t number = (uint32_t)sframe_encoder_n_functions (writer->encoder);
  const struct block block = { first_row, end_row, number };
  writer->numbers[piece] = number;
  if (!ARRAY_ROOM (writer->block_rows, end_row - first_row,
                   &writer->block_rows_capacity)
      || !append_block (writer, hash, &block))
    return error_set_no_memory (err);
  const struct sframe_fde function = rule_table_expand (
      chosen->rules, address, size, &chosen->rows[first_row],
      &chosen->rows[end_row], writer->block_rows);
  return sframe_encoder_add (writer->encoder, &function, err);
}

/* Write the FDEs of OCCURRENCE.  */
static bool
write_occurrence (struct piece_writer *writer,
                  const struct occurrence *occurrence, struct error *err)
{
  const struct run *run = &writer->chosen->runs[occurrence->run];
  uint64_t start = writer->chosen->cuts[run->first_cut].address;
  for (uint32_t i = run->first_piece; i < run[1].first_piece; i++)
    {
      const struct piece *piece = &writer->chosen->pieces[i];
      uint64_t begin = writer->chosen->cuts[piece->begin].address - start;
      uint64_t end = i + 1 < run[1].first_piece
                         ? writer->chosen->cuts[piece->end].address - start
                         : occurrence->size;
      uint64_t address = occurrence->address + begin;
      uint32_t size = (uint32_t)(end - begin);
      if (!(writer->numbers[i] == NOT_STORED
                ? write_first (writer, i, address, size, err)
                : sframe_encoder_repeat (writer->encoder, writer->numbers[i],
                                         address, size, err)))
        return false;
    }
  return true;
}

static bool
piece_writer_open (struct piece_writer *writer)
{
  size_t n = writer->chosen->n_pieces;
  writer->numbers = reallocarray (NULL, n + 1, sizeof *writer->numbers);
  if (writer->numbers == NULL || !table_init (&writer->blocks_by_rows, n / 2))
    return false;
  memset (writer->numbers, 0xff, n * sizeof *writer->numbers);
  return true;
}

static void
piece_writer_close (struct piece_writer *writer)
{
  table_free (&writer->blocks_by_rows);
  free (writer->numbers);
  free (writer->blocks);
  free (writer->block_rows);
}

bool
pieces_write (const struct chosen_pieces *chosen,
              struct sframe_encoder *encoder, struct error *err)
{
  struct piece_writer writer = { .chosen = chosen, .encoder = encoder };
  bool written = piece_writer_open (&writer) || error_set_no_memory (err);
  for (size_t i = 0; written && i < chosen->n_occurrences; i++)
    written = write_occurrence (&writer, &chosen->occurrences[i], err);
  piece_writer_close (&writer);
  return written;
}
