/* Choosing the decoder for a machine.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/decoder.h"

#include <stdlib.h>

#include "analysis/insn_machine.h"
#include "analysis/machine.h"

struct insn_decoder
{
  const struct insn_machine *machine;
  void *state; /* the machine's own */
};

struct insn_decoder *
insn_decoder_new (const struct arch *arch)
{
  const struct code_machine *known = code_machine_of (arch);
  const struct insn_machine *machine = known ? known->decoder : NULL;
  struct insn_decoder *decoder = machine ? malloc (sizeof *decoder) : NULL;
  if (!decoder)
    return NULL;
  *decoder = (struct insn_decoder){ .machine = machine };
  if (machine->state_new)
    decoder->state = machine->state_new ();
  if (decoder->state || !machine->state_new)
    return decoder;
  free (decoder);
  return NULL;
}

void
insn_decoder_free (struct insn_decoder *decoder)
{
  if (decoder)
    free (decoder->state);
  free (decoder);
}

bool
insn_decode_step (const struct insn_decoder *decoder, const uint8_t *bytes,
                  uint64_t size, uint64_t address, struct insn_step *step)
{
  *step = (struct insn_step){ .flow = FLOW_NEXT };
  return decoder->machine->decode_step (decoder->state, bytes, size, address,
                                        step);
}

bool
insn_decode (const struct insn_decoder *decoder, const uint8_t *bytes,
             uint64_t size, uint64_t address, struct insn *insn)
{
  *insn = (struct insn){ .address = address,
                         .flow = FLOW_NEXT,
                         .to = REG_NONE,
                         .from = REG_NONE,
                         .second = REG_NONE,
                         .base = REG_NONE,
                         .index = REG_NONE };
  return decoder->machine->decode (decoder->state, bytes, size, address, insn);
}

bool
insn_may_name (const struct insn_decoder *decoder, const uint8_t *bytes,
               uint64_t size, uint64_t address, uint64_t *named)
{
  return decoder->machine->may_name (bytes, size, address, named);
}

bool
insn_show (const struct insn_decoder *decoder, const uint8_t *bytes,
           uint64_t size, uint64_t address, char text[INSN_TEXT_MAX])
{
  const struct insn_machine *machine = decoder->machine;
  return machine->show
         && machine->show (decoder->state, bytes, size, address, text);
}
