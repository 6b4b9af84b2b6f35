/* Reading an SFrame section of any version, defensively.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The section may come from anywhere.  Every count and every offset is checked
   against the size of the section before it is used, so no loop takes more
   turns than the section has bytes.  */

#include "sframe/decode.h"

#include "base/bytes.h"
#include "sframe/row_words.h"

static bool
malformed (struct error *err, uint64_t offset, const char *what)
{
  return error_set_at (err, CFI2SFRAME_MALFORMED, offset, "SFrame: %s", what)
         || error_name (err, WORD_BAD_SFRAME);
}

static bool
read_preamble (struct sframe_decoder *decoder, struct error *err)
{
  const uint8_t *bytes = decoder->bytes;
  if (decoder->size < SFRAME_HEADER_SIZE)
    return malformed (err, 0, "section smaller than its header");
  if (load_u16 (bytes, false) == SFRAME_MAGIC)
    decoder->big_endian = false;
  else if (load_u16 (bytes, true) == SFRAME_MAGIC)
    decoder->big_endian = true;
  else
    return malformed (err, 0, "wrong magic number");

  unsigned version = bytes[SFRAME_HEADER_VERSION];
  if (version < 1 || version > 3)
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED, SFRAME_HEADER_VERSION,
                         "SFrame: unknown version %u", version)
           || error_name (err, WORD_UNKNOWN_SFRAME);
  decoder->flags = bytes[SFRAME_HEADER_FLAGS];
  if (decoder->flags & ~sframe_known_flags (version))
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED, SFRAME_HEADER_FLAGS,
                         "SFrame: unknown flags 0x%x", decoder->flags)
           || error_name (err, WORD_UNKNOWN_SFRAME);
  decoder->variant.version = (uint8_t)version;
  decoder->variant.pcrel = decoder->flags & SFRAME_FLAG_PCREL;
  return true;
}

static bool
read_machine (struct sframe_decoder *decoder, struct error *err)
{
  const uint8_t *bytes = decoder->bytes;
  unsigned abi = bytes[SFRAME_HEADER_ABI];
  decoder->arch = arch_of_sframe_abi (abi);
  if (decoder->arch == NULL)
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED, SFRAME_HEADER_ABI,
                         "SFrame: unknown ABI %u", abi)
           || error_name (err, WORD_BAD_SFRAME);
  if (decoder->arch->big_endian != decoder->big_endian)
    return malformed (err, SFRAME_HEADER_ABI,
                      "byte order is not the one of the ABI");
  int8_t fixed_fp_offset = (int8_t)bytes[SFRAME_HEADER_FIXED_FP];
  decoder->fixed_ra_offset = (int8_t)bytes[SFRAME_HEADER_FIXED_RA];
  /* With other fixed offsets the rows would mean something else.  */
  if (fixed_fp_offset != 0
      || decoder->fixed_ra_offset != decoder->arch->fixed_ra_offset)
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED, SFRAME_HEADER_FIXED_FP,
                         "SFrame: fixed offsets %d and %d are not the ABI's",
                         fixed_fp_offset, decoder->fixed_ra_offset)
           || error_name (err, WORD_BAD_SFRAME);
  return true;
}

static bool
read_tables (struct sframe_decoder *decoder, struct error *err)
{
  const uint8_t *bytes = decoder->bytes;
  bool big_endian = decoder->big_endian;
  decoder->aux_size = bytes[SFRAME_HEADER_AUX_SIZE];
  decoder->n_functions = load_u32 (bytes + SFRAME_HEADER_N_FDES, big_endian);
  decoder->n_rows = load_u32 (bytes + SFRAME_HEADER_N_FRES, big_endian);
  decoder->fre_size = load_u32 (bytes + SFRAME_HEADER_FRE_SIZE, big_endian);
  /* Sums of 32-bit numbers cannot overflow 64 bits.  */
  uint64_t base = SFRAME_HEADER_SIZE + (uint64_t)decoder->aux_size;
  decoder->fde_offset
      = base + load_u32 (bytes + SFRAME_HEADER_FDE_OFFSET, big_endian);
  decoder->fre_offset
      = base + load_u32 (bytes + SFRAME_HEADER_FRE_OFFSET, big_endian);
  uint64_t fde_end = decoder->fde_offset
                     + (uint64_t)decoder->n_functions
                           * sframe_fde_size (decoder->variant.version);
  if (fde_end > decoder->size)
    return malformed (err, SFRAME_HEADER_N_FDES,
                      "functions outside the section");
  if (fde_end > decoder->fre_offset)
    return malformed (err, SFRAME_HEADER_FRE_OFFSET,
                      "rows overlap the functions");
  if (decoder->fre_offset > decoder->size
      || decoder->fre_size > decoder->size - decoder->fre_offset)
    return malformed (err, SFRAME_HEADER_FRE_SIZE, "rows outside the section");
  return true;
}

bool
sframe_decoder_open (struct sframe_decoder *decoder, const void *bytes,
                     uint64_t size, uint64_t address, struct error *err)
{
  *decoder = (struct sframe_decoder){ .bytes = bytes,
                                      .size = size,
                                      .address = address };
  return read_preamble (decoder, err) && read_machine (decoder, err)
         && read_tables (decoder, err);
}

static uint64_t
record_offset (const struct sframe_decoder *decoder, uint32_t index)
{
  return decoder->fde_offset
         + (uint64_t)index * sframe_fde_size (decoder->variant.version);
}

uint64_t
sframe_decoder_start (const struct sframe_decoder *decoder, uint32_t index)
{
  uint64_t offset = record_offset (decoder, index);
  const uint8_t *at = decoder->bytes + offset;
  uint64_t base = decoder->address + (decoder->variant.pcrel ? offset : 0);
  return decoder->variant.version >= 3
             ? base + load_u64 (at, decoder->big_endian)
             : base + (uint64_t)(int32_t)load_u32 (at, decoder->big_endian);
}

uint32_t
sframe_decoder_size (const struct sframe_decoder *decoder, uint32_t index)
{
  const uint8_t *at = decoder->bytes + record_offset (decoder, index);
  at += sframe_start_size (decoder->variant.version);
  return load_u32 (at, decoder->big_endian);
}

uint32_t
sframe_decoder_rows_offset (const struct sframe_decoder *decoder,
                            uint32_t index)
{
  uint64_t record = record_offset (decoder, index);
  unsigned field = decoder->variant.version >= 3 ? SFRAME_V3_INDEX_FRE_OFFSET
                                                 : SFRAME_V2_FDE_FRE_OFFSET;
  return load_u32 (decoder->bytes + record + field, decoder->big_endian);
}

/* Set the fields of FUNCTION that INFO, its info byte at OFFSET, states.  */
static bool
set_info (const struct sframe_decoder *decoder, struct sframe_fde *function,
          uint8_t info, uint64_t offset, struct error *err)
{
  unsigned version = decoder->variant.version;
  function->fre_type = info & SFRAME_FDE_FRE_TYPE;
  function->b_key = info & SFRAME_FDE_B_KEY;
  function->signal = version >= 3 && info & SFRAME_FDE_SIGNAL;
  function->has_unknown |= (info & ~sframe_known_info (version)) != 0;
  if (function->fre_type > SFRAME_FRE_ADDR4)
    return malformed (err, offset, "unknown row type");
  if (!(info & SFRAME_FDE_PCMASK))
    function->repeat = 0;
  else if (version == 1)
    function->repeat = SFRAME_V1_REPEAT;
  else if (function->repeat == 0)
    return malformed (err, offset, "repeated block of size 0");
  return true;
}

static bool
read_attribute (const struct sframe_decoder *decoder, uint32_t fre_offset,
                struct sframe_fde *function, struct error *err)
{
  uint64_t offset = decoder->fre_offset + fre_offset;
  if (fre_offset > decoder->fre_size
      || decoder->fre_size - fre_offset < SFRAME_V3_ATTRIBUTE_SIZE)
    return malformed (err, offset, "function outside the row area");
  const uint8_t *at = decoder->bytes + offset;
  function->n_rows
      = load_u16 (at + SFRAME_V3_ATTRIBUTE_N_FRES, decoder->big_endian);
  uint8_t info2 = at[SFRAME_V3_ATTRIBUTE_INFO2];
  unsigned type = info2 & SFRAME_FDE_TYPE;
  if (type > SFRAME_FDE_TYPE_FLEX)
    return error_set_at (err, CFI2SFRAME_UNSUPPORTED,
                         offset + SFRAME_V3_ATTRIBUTE_INFO2,
                         "SFrame: unknown function type %u", type)
           || error_name (err, WORD_BAD_SFRAME);
  function->flexible = type == SFRAME_FDE_TYPE_FLEX;
  function->has_unknown = type != info2;
  function->repeat = at[SFRAME_V3_ATTRIBUTE_REPEAT];
  return set_info (decoder, function, at[SFRAME_V3_ATTRIBUTE_INFO],
                   offset + SFRAME_V3_ATTRIBUTE_INFO, err);
}

bool
sframe_decoder_function (const struct sframe_decoder *decoder, uint32_t index,
                         struct sframe_fde *function, struct error *err)
{
  *function = (struct sframe_fde){ 0 };
  if (index >= decoder->n_functions)
    return malformed (err, decoder->fde_offset, "no such function");
  uint64_t offset = record_offset (decoder, index);
  const uint8_t *at = decoder->bytes + offset;
  function->address = sframe_decoder_start (decoder, index);
  function->size = sframe_decoder_size (decoder, index);
  if (decoder->variant.version >= 3)
    return read_attribute (
        decoder, sframe_decoder_rows_offset (decoder, index), function, err);
  function->n_rows = load_u32 (at + SFRAME_V2_FDE_N_FRES, decoder->big_endian);
  if (decoder->variant.version == 2)
    function->repeat = at[SFRAME_V2_FDE_REPEAT];
  return set_info (decoder, function, at[SFRAME_V2_FDE_INFO],
                   offset + SFRAME_V2_FDE_INFO, err);
}

/* Set CURSOR to the first row of FUNCTION, which was read from entry INDEX. */
static bool
open_rows (const struct sframe_decoder *decoder, uint32_t index,
           const struct sframe_fde *function, struct sframe_row_cursor *cursor,
           struct error *err)
{
  uint64_t record = record_offset (decoder, index);
  bool v3 = decoder->variant.version >= 3;
  uint32_t offset = sframe_decoder_rows_offset (decoder, index);
  unsigned skip = v3 ? SFRAME_V3_ATTRIBUTE_SIZE : 0;
  if (offset > decoder->fre_size || decoder->fre_size - offset < skip)
    return malformed (err, record, "function outside the row area");
  const uint8_t *area = decoder->bytes + decoder->fre_offset;
  *cursor = (struct sframe_row_cursor){ .at = area + offset + skip,
                                        .end = area + decoder->fre_size,
                                        .decoder = decoder,
                                        .function = function,
                                        .left = function->n_rows };
  /* No row is smaller than a one-byte start and an info byte.  */
  if (cursor->left > (size_t)(cursor->end - cursor->at) / 2)
    return malformed (err, record, "more rows than bytes");
  if (cursor->left > FRAME_ROWS_MAX)
    return malformed (err, record, "function with too many rows");
  return true;
}

bool
sframe_decoder_walk (const struct sframe_decoder *decoder, uint32_t index,
                     uint64_t *rows_left, struct sframe_fde *function,
                     struct sframe_row_cursor *cursor, struct error *err)
{
  if (!sframe_decoder_function (decoder, index, function, err)
      || !open_rows (decoder, index, function, cursor, err))
    return false;
  if (function->n_rows > *rows_left)
    return error_set_word (err, CFI2SFRAME_MALFORMED, WORD_BAD_SFRAME,
                           "SFrame: rows shared too often");
  *rows_left -= function->n_rows;
  return true;
}

/* ---- Rows */

/* Copy WORDS to ROW, and set row->control.  In a flexible row (V3
   specification, section 3.2) the first word of each pair is a control word;
   a single 0 in place of a pair stands for "no rule".  The CFA always has a
   rule, so the first word begins a pair even if it is 0.  When the words end
   within a pair, row->control becomes 0.  */
static void
row_read_words (const struct row_words *words, struct sframe_row *row,
                bool flexible)
{
  unsigned at = 0;
  while (flexible && at < row->n_words)
    {
      row->control |= (uint8_t)(1u << at);
      at += at == 0 || row_word_unsigned (words, at) != 0 ? 2 : 1;
    }
  if (at > row->n_words)
    row->control = 0;
  for (unsigned i = 0; i < row->n_words; i++)
    row->words[i] = row->control >> i & 1
                        ? (int32_t)row_word_unsigned (words, i)
                        : row_word_signed (words, i);
}

static const char *
row_check (const struct sframe_row_cursor *cursor,
           const struct sframe_row *row)
{
  const struct sframe_fde *function = cursor->function;
  if (row->start < cursor->last)
    return "rows out of order";
  if (row->start > (function->repeat ? function->repeat : function->size))
    return "row outside its function";
  if (!function->flexible)
    return NULL;
  if (row->n_words > 0 && row->control == 0)
    return "incomplete flexible row";
  return __builtin_popcount (row->control) > 3
             ? "flexible row with too many rules"
             : NULL;
}

static int
row_malformed (struct error *err, uint64_t offset, const char *what)
{
  malformed (err, offset, what);
  return -1;
}

int
sframe_row_next (struct sframe_row_cursor *cursor, struct sframe_row *row,
                 struct error *err)
{
  if (cursor->left == 0)
    return 0;
  const struct sframe_decoder *decoder = cursor->decoder;
  uint64_t offset = (uint64_t)(cursor->at - decoder->bytes);
  /* The FRE type is the width of the start: 1 << type bytes.  */
  const struct row_words start = { .at = cursor->at,
                                   .width = cursor->function->fre_type,
                                   .big_endian = decoder->big_endian };
  const size_t start_size = (size_t)1 << start.width;
  *row = (struct sframe_row){ 0 };
  if ((size_t)(cursor->end - cursor->at) <= start_size)
    return row_malformed (err, offset, "row outside the section");
  const uint8_t info = cursor->at[start_size];
  const uint8_t *at = cursor->at + start_size + 1;
  const struct row_words words
      = { .at = at,
          .n = info >> SFRAME_FRE_COUNT_SHIFT & SFRAME_FRE_COUNT,
          .width = info >> SFRAME_FRE_WORD_SHIFT & SFRAME_FRE_WORD,
          .big_endian = decoder->big_endian };
  row->start = row_word_unsigned (&start, 0);
  row->base_sp = info & SFRAME_FRE_BASE_SP;
  row->ra_signed = info & SFRAME_FRE_RA_SIGNED;
  row->n_words = (uint8_t)words.n;
  if (words.width > 2)
    return row_malformed (err, offset, "unknown word size");
  if (row->n_words > SFRAME_WORDS_MAX)
    return row_malformed (err, offset, "row with too many words");
  if ((size_t)(cursor->end - at) < (size_t)words.n << words.width)
    return row_malformed (err, offset, "row outside the section");
  row_read_words (&words, row, cursor->function->flexible);
  const char *wrong = row_check (cursor, row);
  if (wrong != NULL)
    return row_malformed (err, offset, wrong);
  cursor->at = at + ((size_t)words.n << words.width);
  cursor->left--;
  cursor->last = row->start;
  return 1;
}

/* ---- Rules of rows */

void
sframe_row_rules (const struct arch *arch, struct sframe_variant variant,
                  const struct sframe_fde *function,
                  const struct sframe_row *row, struct frame_row *out)
{
  const struct row_words words
      = { .at = (const uint8_t *)row->words,
          .n = row->n_words,
          .width = 2,
          .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
  *out = (struct frame_row){ .start = row->start };
  /* Where words are no pair, OUT has the rules of the pairs before them.  */
  (void)row_words_rules (arch, variant.version, &words, function->flexible,
                         row->base_sp, row->ra_signed, out);
}

bool
sframe_decoder_rules (const struct sframe_decoder *decoder, uint32_t index,
                      uint64_t *rows_left, struct frame_function *function,
                      struct error *err)
{
  struct sframe_fde fde;
  struct sframe_row_cursor cursor = { 0 };
  struct sframe_row row = { 0 };
  if (!sframe_decoder_walk (decoder, index, rows_left, &fde, &cursor, err))
    return false;
  frame_function_reset (function);
  function->address = fde.address;
  function->size = fde.size;
  function->signal = fde.signal;
  function->b_key = fde.b_key;
  function->repeat = fde.repeat;
  /* A function without rows is an outermost frame (V3 specification, section
     1.2).  GNU as 2.47 also writes a signal frame without rows, for a signal
     trampoline that it cannot express.  Such a function has no rules.  */
  bool outermost = decoder->variant.version >= 3 && fde.n_rows == 0
                   && !fde.flexible && !fde.signal;
  int more = outermost ? 1 : sframe_row_next (&cursor, &row, err);
  for (; more > 0; more = sframe_row_next (&cursor, &row, err))
    {
      struct frame_row *next = frame_function_next (function);
      if (next == NULL)
        return error_set_no_memory (err);
      sframe_row_rules (decoder->arch, decoder->variant, &fde, &row, next);
      function->n_rows++;
    }
  return more == 0;
}
