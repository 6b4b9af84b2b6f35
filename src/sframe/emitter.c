/* From frame rows to the encoder of one SFrame version.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/emitter.h"

#include <stdlib.h>

#include "base/array.h"
#include "sframe/lower.h"
#include "sframe/pieces.h"

enum
{
  ROWS_FLOOR = 1 << 20
};

struct emitter
{
  const struct image *image;
  struct encode_options encode;
  struct lowerer *lowerer;
  /* Gets the lowerer's rows.  NULL if they go straight to the encoder.  */
  struct pieces *pieces;
  struct sframe_row *rows; /* owned; for one function on its way there */
  size_t rows_capacity;
  struct sframe_encoder *encoder;
  struct cfi2sframe_report *report; /* borrowed */
  uint64_t repeated;                /* bytes of code in repeated blocks */
  bool across;                      /* an FDE may hold several functions */
  /* The function that is being added.  */
  uint64_t code_end;              /* address behind it, without padding */
  enum frame_reason first_reason; /* why its first gap was left out */
};

/* Let no FDE hold both the code added so far and the code that follows.  */
static void
separate (struct emitter *emitter)
{
  if (emitter->pieces != NULL)
    pieces_separate (emitter->pieces);
}

/* ---- Receiving lowered parts and gaps */

/* How many of the SIZE bytes at ADDRESS belong to the function that is being
   added.  The others are padding behind it.  */
static uint64_t
without_padding (const struct emitter *emitter, uint64_t address,
                 uint32_t size)
{
  uint64_t left = emitter->code_end - address;
  return left < size ? left : size;
}

/* Count SIZE bytes at ADDRESS that get rows.  REPEATS says that they are
   repeated blocks.  These are limited, because a program that reads the
   section block by block takes time for each.  */
static bool
count_part (struct emitter *emitter, uint64_t address, uint32_t size,
            bool repeats, struct error *err)
{
  emitter->report->bytes_covered += without_padding (emitter, address, size);
  emitter->repeated += repeats ? size : 0;
  return sframe_rows_are_reasonable (&emitter->encode, emitter->repeated, err);
}

static bool
take_part (void *context, const struct numbered_function *part,
           struct error *err)
{
  struct emitter *emitter = context;
  const struct rule_table *rules = lowerer_rules (emitter->lowerer);
  bool repeats = rule_table_repeat (rules, part->rows[0].rule) != 0;
  if (!count_part (emitter, part->address, part->size, repeats, err))
    return false;
  if (emitter->pieces != NULL)
    return pieces_add (emitter->pieces, part, err);
  if (!ARRAY_ROOM (emitter->rows, part->n_rows, &emitter->rows_capacity))
    return error_set_no_memory (err);
  const struct sframe_fde function
      = rule_table_expand (rules, part->address, part->size, part->rows,
                           part->rows + part->n_rows, emitter->rows);
  return sframe_encoder_add (emitter->encoder, &function, err);
}

static void
take_gap (void *context, uint64_t address, uint32_t size,
          enum frame_reason reason)
{
  struct emitter *emitter = context;
  separate (emitter);
  emitter->report->bytes_left_out += without_padding (emitter, address, size);
  if (reason == REASON_RETURN_ADDRESS)
    {
      emitter->report->return_addresses++;
      return;
    }
  if (emitter->first_reason == REASON_NONE)
    emitter->first_reason = reason;
}

/* ---- Making an emitter */

uint64_t
emitter_rows_max (const struct image *image)
{
  return image->size + ROWS_FLOOR;
}

static bool
open_parts (struct emitter *emitter, const struct emitter_options *options)
{
  const struct arch *arch = options->image->arch;
  emitter->image = options->image;
  emitter->report = options->report;
  emitter->encode = (struct encode_options){
    .arch = arch,
    .variant = options->variant,
    .sorted = options->sorted,
    /* libsframe's byte-swapping reader would swap shared rows twice.  */
    .share = options->share && !arch->big_endian,
    .gnu_widths = options->gnu_widths,
    .rows_max = emitter_rows_max (options->image),
    .n_expected = options->n_expected,
    .rows_expected = options->rows_expected,
  };
  const struct lower_sink sink
      = { .context = emitter, .part = take_part, .left_out = take_gap };
  emitter->lowerer = lowerer_new (&emitter->encode, &sink);
  emitter->encoder = sframe_encoder_new (&emitter->encode);
  emitter->across = options->compact;
  if (emitter->lowerer == NULL || emitter->encoder == NULL)
    return false;
  if (!emitter->encode.share && !options->compact)
    return true;
  const struct pieces_options pieces
      = { .cut = options->cut, .across = options->compact };
  emitter->pieces = pieces_new (&emitter->encode, &pieces,
                                lowerer_rules (emitter->lowerer));
  return emitter->pieces != NULL;
}

bool
emitter_repeats_rows (const struct emitter *emitter)
{
  return emitter->pieces != NULL;
}

struct emitter *
emitter_new (const struct emitter_options *options, struct error *err)
{
  const struct arch *arch = options->image->arch;
  if (arch->needs_pcrel && !options->variant.pcrel)
    {
      error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_MACHINE,
                      "this SFrame version does not know %s", arch->name);
      return NULL;
    }
  struct emitter *emitter = calloc (1, sizeof *emitter);
  if (emitter != NULL && open_parts (emitter, options))
    return emitter;
  error_set_no_memory (err);
  emitter_free (emitter);
  return NULL;
}

void
emitter_free (struct emitter *emitter)
{
  if (emitter == NULL)
    return;
  pieces_free (emitter->pieces);
  lowerer_free (emitter->lowerer);
  free (emitter->rows);
  sframe_encoder_free (emitter->encoder);
  free (emitter);
}

/* ---- Adding code */

static void
count_fde (struct emitter *emitter, enum frame_reason reason)
{
  if (reason == REASON_NONE)
    emitter->report->functions_covered++;
  else
    emitter->report->left_out[reason]++;
}

/* How many bytes of padding behind CODE its last row covers, too.  Padding
   behind a call gets the row, because the return address lies there.  With
   --compact all padding does: an FDE cannot extend across a gap into the next
   function, and bash's section would be a fifth larger.  Readers that look up
   a return address itself find only right rows there.  No padding is covered
   if the last row is left out as a whole, as a return place.  */
static uint32_t
padding_behind (const struct emitter *emitter, const struct cfi_code *code)
{
  const struct return_places *places = code->places;
  if (code->padding == 0 || !(code->call_at_end || emitter->across))
    return 0;
  bool left = places->n == 0
              || code->size - places->offsets[places->n - 1]
                     > emitter->image->arch->smallest_instruction;
  return left ? code->padding : 0;
}

/* The number of functions, or parts of functions, that were added.  */
static size_t
n_functions (const struct emitter *emitter)
{
  return emitter->pieces != NULL
             ? pieces_n_functions (emitter->pieces)
             : sframe_encoder_n_functions (emitter->encoder);
}

/* Lower CODE, which has been executed and has rows.  */
static bool
add_rows (struct emitter *emitter, const struct cfi_code *code,
          struct error *err)
{
  size_t index = n_functions (emitter);
  uint64_t covered = emitter->report->bytes_covered;
  emitter->first_reason = code->front_disputed ? REASON_OVERLAP : REASON_NONE;
  struct frame_function function = *code->function;
  function.size += padding_behind (emitter, code);
  emitter->code_end = code->address + code->size;
  if (function.size > 0
      && !lower_function (emitter->lowerer, &function, code->places, err))
    return false;
  count_fde (emitter, emitter->first_reason);
  /* A function that was added as one part, without a gap, can lend its rows
     to any function with the same program, even to a longer one.  There is one
     exception.  If FP may be stale in the last row, that row is right for its
     first instruction only, and so does not fit a longer function.  */
  if (code->program != NULL && n_functions (emitter) == index + 1
      && emitter->report->bytes_covered - covered == code->size
      && !frame_row_fp_may_be_stale (&function.rows[function.n_rows - 1],
                                     emitter->image->arch->fp))
    code->program->copy_from = index + 1;
  return true;
}

/* Add CODE with the rows of function INDEX, cut at CODE's return places.  */
static bool
repeat_rows (struct emitter *emitter, size_t index,
             const struct cfi_code *code, struct error *err)
{
  const uint32_t smallest = emitter->image->arch->smallest_instruction;
  const uint32_t size = (uint32_t)code->size + padding_behind (emitter, code);
  const struct return_places *places = code->places;
  uint64_t begin = 0;
  emitter->code_end = code->address + code->size;
  for (size_t i = 0; i <= places->n && begin < size; i++)
    {
      uint32_t end = i < places->n ? places->offsets[i] : size;
      uint64_t address = code->address + begin;
      if (end > begin
          && !pieces_repeat (emitter->pieces, index, (uint32_t)begin, address,
                             end - (uint32_t)begin, err))
        return false;
      emitter->report->bytes_covered
          += without_padding (emitter, address, end - begin);
      if (i < places->n)
        take_gap (emitter, code->address + end, smallest,
                  REASON_RETURN_ADDRESS);
      begin = (uint64_t)end + smallest;
    }
  count_fde (emitter, REASON_NONE);
  return true;
}

bool
emitter_add (struct emitter *emitter, struct finished_rows *rows,
             struct cfi_code *code, struct error *err)
{
  /* Bytes between sections, as around a PLT, are not padding between
     functions.  Nor are those around a function that the analysis found.  */
  if (code->kind != CODE_OF_FDE)
    {
      separate (emitter);
      emitter->code_end = code->address + code->size;
      bool added = lower_function (emitter->lowerer, code->function,
                                   code->places, err);
      separate (emitter);
      return added;
    }
  if (code->program != NULL && code->program->copy_from > 0)
    return repeat_rows (emitter, code->program->copy_from - 1, code, err);
  if (!finished_rows_execute (rows, code, err))
    return false;
  if (code->reason == REASON_NONE)
    return add_rows (emitter, code, err);
  separate (emitter);
  emitter->report->bytes_left_out += code->size;
  count_fde (emitter, code->reason);
  return true;
}

bool
emitter_add_lowered (struct emitter *emitter,
                     const struct sframe_fde *function, struct error *err)
{
  count_fde (emitter, REASON_NONE);
  emitter->code_end = function->address + function->size;
  return count_part (emitter, function->address, function->size,
                     function->repeat != 0, err)
         && sframe_encoder_add (emitter->encoder, function, err);
}

bool
emitter_finish (struct emitter *emitter, struct error *err)
{
  return emitter->pieces == NULL
         || pieces_finish (emitter->pieces, emitter->encoder, err);
}

struct sframe_encoder *
emitter_encoder (const struct emitter *emitter)
{
  return emitter->encoder;
}

struct sframe_encoder *
emitter_release (struct emitter *emitter)
{
  struct sframe_encoder *encoder = emitter->encoder;
  emitter->encoder = NULL;
  return encoder;
}
