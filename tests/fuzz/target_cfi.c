/* The CFI reader, the interpreter, lowering and encoding on a bare .eh_frame
   or .debug_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Input: a byte for the machine, a byte for the formats, the section.  */

#include <config.h>

#include "fuzz.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "cfi/cfa_program.h"
#include "cfi/cfi_section.h"
#include "sframe/formats.h"
#include "sframe/encode.h"
#include "sframe/verify.h"
#include "tests/unit/lowering.h"

enum
{
  CFI_ADDRESS = 0x402000,
  SFRAME_ADDRESS = 0x500000,
  ROWS_MAX = 200000
};

struct sink_state
{
  struct sframe_encoder *encoder;
  uint64_t at;      /* parts and gaps follow each other */
  uint64_t n_bytes; /* in both */
};

static bool
take_part (void *context, const struct sframe_fde *part, struct error *err)
{
  struct sink_state *state = context;
  FUZZ_CHECK (part->size > 0 && part->n_rows > 0
              && part->address >= state->at);
  state->at = part->address + part->size;
  state->n_bytes += part->size;
  FUZZ_CHECK (sframe_encoder_add (state->encoder, part, err)
              || err->status == CFI2SFRAME_NO_MEMORY);
  return true;
}

static void
take_left_out (void *context, uint64_t address, uint32_t size,
               enum frame_reason reason)
{
  struct sink_state *state = context;
  FUZZ_CHECK (size > 0 && address >= state->at && reason != REASON_NONE
              && reason < REASON_COUNT);
  state->at = address + size;
  state->n_bytes += size;
}

/* Rows as frame.h promises them.  */
static void
check_rows (const struct frame_function *function)
{
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      FUZZ_CHECK (row->start < function->size);
      FUZZ_CHECK (i == 0 || row->start > row[-1].start);
      FUZZ_CHECK (i == 0 || !frame_row_same_rules (row, row - 1));
    }
}

static enum frame_reason
no_problem (const void *context, const struct cfi_fde *fde)
{
  (void)context;
  (void)fde;
  return REASON_NONE;
}

/* Run --check, unless FDEs overlap: it takes neither of them.  It may find
   that blocks are repeated too often.  */
static void
verify (const struct sframe_decoder *decoder, const struct cfi_section *cfi)
{
  const struct cfi_source source = { .cfi = *cfi, .problem = no_problem };
  struct cfi2sframe_check_result result = { 0 };
  struct error err = { 0 };
  for (size_t i = 1; i < cfi->n_fdes; i++)
    if (cfi->fdes[i].address - cfi->fdes[i - 1].address
        < cfi->fdes[i - 1].size)
      return;
  if (sframe_verify (decoder, &source, &result, &err)
      && result.bytes_wrong > 0)
    fuzz_fail (result.difference, __FILE__, __LINE__);
}

static void
check_encoded (struct sframe_encoder *encoder, const struct cfi_section *cfi)
{
  struct sframe_decoder decoder;
  struct error err = { 0 };
  struct buffer section;
  buffer_init (&section, cfi->arch->big_endian);
  if (sframe_encoder_write (encoder, SFRAME_ADDRESS, &section, &err))
    {
      FUZZ_CHECK (section.size == sframe_encoder_size (encoder));
      FUZZ_DONE (sframe_decoder_open (&decoder, section.bytes, section.size,
                                      SFRAME_ADDRESS, &err),
                 &err);
      fuzz_read_section (&decoder, true);
      verify (&decoder, cfi);
    }
  buffer_free (&section);
}

static void
convert (const struct cfi_section *cfi, struct sframe_variant variant,
         bool share)
{
  struct encode_options encode = {
    .arch = cfi->arch, .variant = variant, .sorted = true, .share = share
  };
  struct sink_state state = { .encoder = sframe_encoder_new (&encode) };
  struct full_sink sink = { &state, take_part, take_left_out };
  struct cfa_machine *machine = cfa_machine_new (cfi);
  struct frame_function function = { 0 };
  struct error err = { 0 };
  FUZZ_CHECK (state.encoder != NULL && machine != NULL);
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      enum frame_reason reason;
      if (fde->address < state.at || fde->address + fde->size < fde->address
          || !cfa_machine_run (machine, fde, &function, &reason, &err)
          || reason != REASON_NONE)
        continue;
      check_rows (&function);
      state.at = fde->address;
      state.n_bytes = 0;
      FUZZ_DONE (lower_in_full (&encode, &function, &sink, &err), &err);
      FUZZ_CHECK (state.n_bytes == function.size);
      if (sframe_encoder_n_rows (state.encoder) > ROWS_MAX)
        break;
    }
  check_encoded (state.encoder, cfi);
  frame_function_free (&function);
  cfa_machine_free (machine);
  sframe_encoder_free (state.encoder);
}

/* FDEs in order, pointing into the section.  */
static void
check_section (const struct cfi_section *cfi)
{
  for (size_t i = 0; i < cfi->n_fdes; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      uint64_t size = cfi->inputs[0].size;
      FUZZ_CHECK (fde->input == 0 && fde->cie < cfi->n_cies
                  && fde->offset < size && fde->head_size <= size - fde->offset
                  && fde->instructions_size
                         <= size - fde->offset - fde->head_size);
      FUZZ_CHECK (cfi->cies[fde->cie].unusable == REASON_NONE);
      FUZZ_CHECK (i == 0 || fde->address >= fde[-1].address);
    }
  FUZZ_CHECK (cfi->n_damages <= cfi->n_damaged);
}

void
fuzz_cfi (const uint8_t *bytes, size_t size)
{
  static const struct arch *const arches[]
      = { &arch_amd64, &arch_aarch64, &arch_s390x, &arch_aarch64_be };
  struct error err = { 0 };
  if (size < 2)
    return;
  const struct arch *arch = arches[bytes[0] & 3];
  struct cfi_section cfi = { .arch = arch };
  const struct cfi_input input
      = { .kind = bytes[1] & 8 ? CFI_DEBUG_FRAME : CFI_EH_FRAME,
          .bytes = bytes + 2,
          .size = size - 2,
          .address = bytes[1] & 8 ? 0 : CFI_ADDRESS };
  struct sframe_variant variant
      = format_variant ((enum cfi2sframe_format) (bytes[1] & 3));
  FUZZ_CHECK (cfi_read (&cfi, &input, &err));
  check_section (&cfi);
  convert (&cfi, variant, !(bytes[1] & 4) && !arch->big_endian);
  cfi_section_free (&cfi);
}
