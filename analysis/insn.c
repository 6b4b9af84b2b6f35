/* Functions on instructions of all machines, and the choice of a decoder.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "analysis/insn.h"

#include <stdlib.h>

uint32_t
insn_written (const struct insn *insn)
{
  if (insn->op == OP_NONE)
    return insn->writes;
  return insn->writes | reg_mask (insn->to)
         | (insn->op == OP_LOAD && insn->is_pair ? reg_mask (insn->second) : 0)
         | (insn->op == OP_SWAP ? reg_mask (insn->from) : 0)
         | (insn->adjusts_base ? reg_mask (insn->base) : 0);
}

bool
insn_resets (const struct insn *insn, unsigned sp)
{
  switch (insn->op)
    {
    case OP_LEAVE:
      return true;
    case OP_SWAP:
      return insn->to == sp || insn->from == sp;
    case OP_POP:
    case OP_LOAD:
    case OP_SET:
      return insn->to == sp || insn->second == sp;
    default:
      return insn->to == sp && insn->from != sp;
    }
}

static uint64_t
calculate (enum insn_calculation calculation, uint64_t a, uint64_t b,
           unsigned bits)
{
  unsigned by = b % bits, back = (bits - by) % bits;
  uint64_t sign = a >> (bits - 1) & 1 ? UINT64_MAX << (bits - 1) : 0;
  switch (calculation)
    {
    case CALCULATE_ADD:
      return a + b;
    case CALCULATE_SUBTRACT:
      return a - b;
    case CALCULATE_SUBTRACT_FROM:
      return b - a;
    case CALCULATE_AND:
      return a & b;
    case CALCULATE_OR:
      return a | b;
    case CALCULATE_XOR:
      return a ^ b;
    case CALCULATE_MULTIPLY:
      return a * b;
    case CALCULATE_SHIFT_LEFT:
      return a << by;
    case CALCULATE_SHIFT_RIGHT:
      return a >> by;
    case CALCULATE_SHIFT_SIGNED:
      return (uint64_t)((int64_t)(a | sign) >> by);
    case CALCULATE_ROTATE_LEFT:
      return a << by | a >> back;
    case CALCULATE_ROTATE_RIGHT:
      return a >> by | a << back;
    default:
      return b;
    }
}

uint64_t
insn_calculate (enum insn_calculation calculation, uint64_t a, uint64_t b,
                unsigned width)
{
  unsigned bits = 8 * width;
  uint64_t mask = UINT64_MAX >> (64 - bits);
  return calculate (calculation, a & mask, b & mask, bits) & mask;
}

/* ---- Decoders */

struct insn_decoder
{
  const struct insn_machine *machine;
  void *state; /* of the machine's decoder */
};

/* Return this build's decoder of ARCH (NULL: unknown machine), or NULL.  */
static const struct insn_machine *
machine_of (const struct arch *arch)
{
  if (!arch)
    return NULL;
#ifdef HAVE_ZYDIS
  if (arch->e_machine == arch_amd64.e_machine)
    return &insn_amd64;
#endif
#ifdef CODE_ANALYSIS
  if (arch->e_machine == arch_aarch64.e_machine)
    return &insn_aarch64;
#endif
  return NULL;
}

bool
insn_decoder_exists (const struct arch *arch)
{
  return machine_of (arch) != NULL;
}

struct insn_decoder *
insn_decoder_new (const struct arch *arch)
{
  const struct insn_machine *machine = machine_of (arch);
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
insn_may_reference (const struct insn_decoder *decoder, const uint8_t *bytes,
                    uint64_t size, uint64_t address, uint64_t *referenced)
{
  return decoder->machine->may_reference (bytes, size, address, referenced);
}

bool
insn_show (const struct insn_decoder *decoder, const uint8_t *bytes,
           uint64_t size, uint64_t address, char text[INSN_TEXT_MAX])
{
  const struct insn_machine *machine = decoder->machine;
  return machine->show
         && machine->show (decoder->state, bytes, size, address, text);
}
