/* Writing an SFrame section of any version.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A function becomes an entry of the index and a block of bytes: its rows, and
   in V3 the attribute in front of them.  A function that shares another one's
   rows refers to the other's block.  Blocks are appended to one buffer, which
   the section ends with as it is.  */

#include "sframe/encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

enum
{
  /* Start, info byte and data words of the longest row.  */
  ROW_BYTES_MAX = 4 + 1 + 4 * SFRAME_WORDS_MAX
};

/* The encoded rows of one function, or of several that share them.  V1 and V2
   store n_rows, info and repeat in the index, V3 in the attribute.  */
struct block
{
  uint32_t offset; /* in the area of all rows */
  uint32_t size;   /* in bytes */
  uint32_t n_rows;
  uint32_t last; /* start of the last row; 0 without rows */
  uint8_t info;
  uint8_t repeat;
};

/* A function, which becomes an entry of the index.  */
struct record
{
  uint64_t address;
  uint32_t size;
  uint32_t block; /* index of its block */
};

struct sframe_encoder
{
  struct encode_options options;
  struct block *blocks; /* owned */
  size_t n_blocks, blocks_capacity;
  struct record *records; /* owned */
  size_t n_records, records_capacity;
  struct buffer rows; /* the area of all rows; owned */
  uint64_t written;   /* bytes of rows; shared ones count for each function */
  uint64_t n_rows;    /* likewise */
};

void
sframe_encoder_free (struct sframe_encoder *encoder)
{
  if (encoder == NULL)
    return;
  free (encoder->blocks);
  free (encoder->records);
  buffer_free (&encoder->rows);
  free (encoder);
}

struct sframe_encoder *
sframe_encoder_new (const struct encode_options *options)
{
  struct sframe_encoder *encoder = calloc (1, sizeof *encoder);
  if (encoder == NULL)
    return NULL;
  encoder->options = *options;
  buffer_init (&encoder->rows, options->arch->big_endian);
  return encoder;
}

/* ---- Rows */

/* The binary logarithm of the number of bytes that VALUE needs.  LIMIT is
   added to the lowest value of each width: with 0 the lowest byte is -128, and
   with 1 it is -127, as in GNU as.  */
static unsigned
signed_width (int32_t value, int32_t limit)
{
  if (value <= INT8_MAX && value >= INT8_MIN + limit)
    return 0;
  return value <= INT16_MAX && value >= INT16_MIN + limit ? 1 : 2;
}

static unsigned
unsigned_width (uint32_t value)
{
  return value <= UINT8_MAX ? 0 : value <= UINT16_MAX ? 1 : 2;
}

/* The width that all words of ROW have, as in signed_width.  */
static inline unsigned
row_word_width (const struct sframe_row *row, int32_t limit)
{
  unsigned width = 0;
  /* Nearly all rows: two small offsets.  */
  if (row->control == 0 && row->n_words <= 2
      && signed_width (row->words[0], limit) == 0
      && (row->n_words < 2 || signed_width (row->words[1], limit) == 0))
    return 0;
  for (unsigned i = 0; i < row->n_words; i++)
    {
      unsigned needed = row->control >> i & 1
                            ? unsigned_width ((uint32_t)row->words[i])
                            : signed_width (row->words[i], limit);
      if (needed > width)
        width = needed;
    }
  return width;
}

/* The LIMIT of signed_width: 1 for the ranges of GNU as before 2.46.  */
static int32_t
width_limit (const struct encode_options *options)
{
  return options->gnu_widths && options->variant.version < 3;
}

unsigned
sframe_row_payload_size (const struct encode_options *options,
                         const struct sframe_row *row)
{
  return 1
         + ((unsigned)row->n_words
            << row_word_width (row, width_limit (options)));
}

/* Store the lowest 1 << WIDTH bytes of VALUE; return the address behind.  */
static inline uint8_t *
store_sized (uint8_t *at, uint32_t value, unsigned width, bool big_endian)
{
  if (width == 0)
    *at = (uint8_t)value;
  else if (width == 1)
    store_u16 (at, (uint16_t)value, big_endian);
  else
    store_u32 (at, value, big_endian);
  return at + ((size_t)1 << width);
}

static bool
write_rows (struct sframe_encoder *encoder, const struct sframe_fde *function,
            unsigned fre_type)
{
  struct buffer *out = &encoder->rows;
  bool big_endian = out->big_endian;
  int32_t limit = width_limit (&encoder->options);
  if (!buffer_reserve (out, function->n_rows * ROW_BYTES_MAX))
    return false;
  uint8_t *at = out->bytes + out->size;
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct sframe_row *row = &function->rows[i];
      unsigned width = row_word_width (row, limit);
      at = store_sized (at, row->start, fre_type, big_endian);
      *at++ = (uint8_t)((row->base_sp ? SFRAME_FRE_BASE_SP : 0)
                        | row->n_words << SFRAME_FRE_COUNT_SHIFT
                        | width << SFRAME_FRE_WORD_SHIFT
                        | (row->ra_signed ? SFRAME_FRE_RA_SIGNED : 0));
      for (unsigned w = 0; w < row->n_words; w++)
        at = store_sized (at, (uint32_t)row->words[w], width, big_endian);
    }
  out->size = (size_t)(at - out->bytes);
  return true;
}

/* ---- Functions */

/* Whether the rows of FUNCTION ascend and lie inside it.  Otherwise libsframe
   aborts the program that reads them (assertions in libsframe/sframe.c of
   binutils), and the kernel drops the whole section of a process
   (kernel/unwind/sframe.c of the SFrame patches for Linux).  With `gnu_widths'
   starts may be equal, and may be the function's end.  */
static bool
function_is_sound (const struct sframe_encoder *encoder,
                   const struct sframe_fde *function)
{
  const bool gnu = encoder->options.gnu_widths;
  uint64_t least = 0; /* the lowest start that the next row may have */
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct sframe_row *row = &function->rows[i];
      if (row->n_words > SFRAME_WORDS_MAX || row->start < least)
        return false;
      least = (uint64_t)row->start + !gnu;
    }
  return least <= (function->repeat ? function->repeat : function->size);
}

static bool
function_is_in_order (const struct sframe_encoder *encoder, uint64_t address)
{
  if (!encoder->options.sorted || encoder->n_records == 0)
    return true;
  const struct record *last = &encoder->records[encoder->n_records - 1];
  return address > last->address && address - last->address >= last->size;
}

static bool
function_fits_version (const struct sframe_encoder *encoder,
                       const struct sframe_fde *function)
{
  if (encoder->options.variant.version >= 3)
    return function->n_rows <= SFRAME_V3_FRES_MAX;
  /* V1 has no repeat size.  Its readers take the row's start as a bit mask. */
  return function->n_rows <= UINT32_MAX && !function->flexible
         && !function->signal
         && !(function->repeat != 0 && encoder->options.variant.version < 2);
}

/* Append the rows of FUNCTION to the area of all rows, in V3 behind their
   attribute.  INFO is the function's info byte.  */
static bool
write_block (struct sframe_encoder *encoder, const struct sframe_fde *function,
             uint8_t info)
{
  if (encoder->options.variant.version >= 3)
    {
      uint8_t *at = buffer_extend (&encoder->rows, SFRAME_V3_ATTRIBUTE_SIZE);
      if (at == NULL)
        return false;
      store_u16 (at + SFRAME_V3_ATTRIBUTE_N_FRES, (uint16_t)function->n_rows,
                 encoder->rows.big_endian);
      at[SFRAME_V3_ATTRIBUTE_INFO] = info;
      at[SFRAME_V3_ATTRIBUTE_INFO2] = function->flexible
                                          ? SFRAME_FDE_TYPE_FLEX
                                          : SFRAME_FDE_TYPE_DEFAULT;
      at[SFRAME_V3_ATTRIBUTE_REPEAT] = function->repeat;
    }
  return write_rows (encoder, function, info & SFRAME_FDE_FRE_TYPE);
}

static bool
add_block (struct sframe_encoder *encoder, const struct sframe_fde *function,
           struct error *err)
{
  size_t start = encoder->rows.size;
  uint32_t last = 0;
  if (function->n_rows > 0)
    last = function->rows[function->n_rows - 1].start;
  /* Row starts must be wide enough for this number.  */
  uint32_t widest = encoder->options.gnu_widths ? function->size : last;
  /* The FRE types SFRAME_FRE_ADDR1, 2 and 4 are 0, 1 and 2, as the widths.  */
  uint8_t info = (uint8_t)(unsigned_width (widest)
                           | (function->repeat ? SFRAME_FDE_PCMASK : 0)
                           | (function->b_key ? SFRAME_FDE_B_KEY : 0)
                           | (function->signal ? SFRAME_FDE_SIGNAL : 0));
  if (!ARRAY_ROOM (encoder->blocks, encoder->n_blocks + 1,
                   &encoder->blocks_capacity)
      || !write_block (encoder, function, info))
    return error_set_no_memory (err);
  if (encoder->rows.size > UINT32_MAX)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
                           "more than 4 GiB of SFrame rows");
  encoder->blocks[encoder->n_blocks++] = (struct block){
    .offset = (uint32_t)start,
    .size = (uint32_t)(encoder->rows.size - start),
    .n_rows = (uint32_t)function->n_rows,
    .last = last,
    .info = info,
    .repeat = function->repeat,
  };
  return true;
}

bool
sframe_rows_unwritable (uint64_t address, struct error *err)
{
  return error_set (err, CFI2SFRAME_INVALID,
                    "rows of the function at 0x%llx cannot be written",
                    (unsigned long long)address);
}

/* Append a function of SIZE bytes at ADDRESS with the rows of BLOCK.  */
static inline bool
add_record (struct sframe_encoder *encoder, uint64_t address, uint32_t size,
            uint32_t block, struct error *err)
{
  encoder->written += encoder->blocks[block].size;
  if (!sframe_rows_are_reasonable (&encoder->options, encoder->written, err))
    return false;
  if (!ARRAY_ROOM (encoder->records, encoder->n_records + 1,
                   &encoder->records_capacity))
    return error_set_no_memory (err);
  encoder->records[encoder->n_records++]
      = (struct record){ address, size, block };
  encoder->n_rows += encoder->blocks[block].n_rows;
  return true;
}

bool
sframe_encoder_add (struct sframe_encoder *encoder,
                    const struct sframe_fde *function, struct error *err)
{
  if (!function_is_sound (encoder, function)
      || !function_is_in_order (encoder, function->address)
      || !function_fits_version (encoder, function))
    return sframe_rows_unwritable (function->address, err);
  /* A function may be cut into a few pieces, and each has a record.  Memory is
     taken with the first function, so that it can be memory that other parts
     have freed by then.  Pages that are not used are never touched.  */
  if (encoder->n_records == 0
      && (!ARRAY_ROOM (encoder->records, 2 * encoder->options.n_expected + 1,
                       &encoder->records_capacity)
          || !buffer_reserve (&encoder->rows, encoder->options.rows_expected)))
    return error_set_no_memory (err);
  return add_block (encoder, function, err)
         && add_record (encoder, function->address, function->size,
                        (uint32_t)encoder->n_blocks - 1, err);
}

bool
sframe_encoder_repeat (struct sframe_encoder *encoder, size_t index,
                       uint64_t address, uint32_t size, struct error *err)
{
  const uint32_t block = encoder->records[index].block;
  if (size <= encoder->blocks[block].last
      || !function_is_in_order (encoder, address))
    return sframe_rows_unwritable (address, err);
  return add_record (encoder, address, size, block, err);
}

/* ---- The section */

size_t
sframe_encoder_n_functions (const struct sframe_encoder *encoder)
{
  return encoder->n_records;
}

size_t
sframe_encoder_n_rows (const struct sframe_encoder *encoder)
{
  return encoder->n_rows;
}

uint64_t
sframe_encoder_range (const struct sframe_encoder *encoder, size_t index,
                      uint32_t *size)
{
  *size = encoder->records[index].size;
  return encoder->records[index].address;
}

static uint64_t
index_bytes (const struct sframe_encoder *encoder)
{
  return (uint64_t)encoder->n_records
         * sframe_fde_size (encoder->options.variant.version);
}

uint64_t
sframe_encoder_size (const struct sframe_encoder *encoder)
{
  return SFRAME_HEADER_SIZE + index_bytes (encoder) + encoder->rows.size;
}

static void
store_header (const struct sframe_encoder *encoder, uint8_t *at)
{
  const struct encode_options *options = &encoder->options;
  const struct arch *arch = options->arch;
  bool big_endian = arch->big_endian;
  memset (at, 0, SFRAME_HEADER_SIZE);
  store_u16 (at + SFRAME_HEADER_MAGIC, SFRAME_MAGIC, big_endian);
  at[SFRAME_HEADER_VERSION] = options->variant.version;
  at[SFRAME_HEADER_FLAGS]
      = (uint8_t)((options->sorted ? SFRAME_FLAG_SORTED : 0)
                  | (options->variant.pcrel ? SFRAME_FLAG_PCREL : 0));
  at[SFRAME_HEADER_ABI] = arch->sframe_abi;
  at[SFRAME_HEADER_FIXED_RA] = (uint8_t)arch->fixed_ra_offset;
  store_u32 (at + SFRAME_HEADER_N_FDES, (uint32_t)encoder->n_records,
             big_endian);
  store_u32 (at + SFRAME_HEADER_N_FRES, (uint32_t)encoder->n_rows, big_endian);
  store_u32 (at + SFRAME_HEADER_FRE_SIZE, (uint32_t)encoder->rows.size,
             big_endian);
  store_u32 (at + SFRAME_HEADER_FRE_OFFSET, (uint32_t)index_bytes (encoder),
             big_endian);
}

/* Store RECORD at AT, relative to BASE.  False if the distance is too far.  */
static bool
store_record (const struct sframe_encoder *encoder,
              const struct record *record, uint64_t base, uint8_t *at)
{
  const struct block *block = &encoder->blocks[record->block];
  bool big_endian = encoder->rows.big_endian;
  uint64_t distance = record->address - base;
  if (encoder->options.variant.version >= 3)
    {
      store_u64 (at, distance, big_endian);
      store_u32 (at + SFRAME_V3_INDEX_SIZE_FIELD, record->size, big_endian);
      store_u32 (at + SFRAME_V3_INDEX_FRE_OFFSET, block->offset, big_endian);
      return true;
    }
  store_u32 (at, (uint32_t)distance, big_endian);
  store_u32 (at + SFRAME_V2_FDE_SIZE_FIELD, record->size, big_endian);
  store_u32 (at + SFRAME_V2_FDE_FRE_OFFSET, block->offset, big_endian);
  store_u32 (at + SFRAME_V2_FDE_N_FRES, block->n_rows, big_endian);
  at[SFRAME_V2_FDE_INFO] = block->info;
  if (encoder->options.variant.version == 2)
    {
      at[SFRAME_V2_FDE_REPEAT] = block->repeat;
      store_u16 (at + SFRAME_V2_FDE_PADDING, 0, big_endian);
    }
  return distance + 0x80000000u <= UINT32_MAX;
}

bool
sframe_encoder_write (const struct sframe_encoder *encoder, uint64_t address,
                      struct buffer *out, struct error *err)
{
  uint64_t index_size = index_bytes (encoder);
  if (index_size > UINT32_MAX || encoder->n_rows > UINT32_MAX)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
                           "too many functions or rows for an SFrame section");
  unsigned record_size = sframe_fde_size (encoder->options.variant.version);
  size_t head_size = SFRAME_HEADER_SIZE + (size_t)index_size;
  if (!buffer_reserve (out, head_size + encoder->rows.size))
    return error_set_no_memory (err);
  uint8_t *at = buffer_extend (out, head_size);

  store_header (encoder, at);
  at += SFRAME_HEADER_SIZE;
  uint64_t base = address;
  if (encoder->options.variant.pcrel)
    base += SFRAME_HEADER_SIZE;
  for (size_t i = 0; i < encoder->n_records; i++, at += record_size)
    {
      const struct record *record = &encoder->records[i];
      if (!store_record (encoder, record, base, at))
        return error_set_word (
            err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
            "function at 0x%llx is too far from the section",
            (unsigned long long)record->address);
      if (encoder->options.variant.pcrel)
        base += record_size;
    }
  buffer_append (out, encoder->rows.bytes, encoder->rows.size);
  return true;
}
