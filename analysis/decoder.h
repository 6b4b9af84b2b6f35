/* Decoding machine instructions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_DECODER_H
#define ANALYSIS_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "analysis/insn.h"

struct insn_decoder; /* opaque */

/* A decoder for the instructions of ARCH.  NULL when there is none in this
   build, or memory ran out.  */
struct insn_decoder *insn_decoder_new (const struct arch *arch);
void insn_decoder_free (struct insn_decoder *decoder);

/* Decode the instruction that the SIZE BYTES, loaded at ADDRESS, begin with.
   False when there is none, or it is cut off.  The first form is for sweeps
   that only follow the flow, and twice as fast.  */
bool insn_decode_step (const struct insn_decoder *decoder,
                       const uint8_t *bytes, uint64_t size, uint64_t address,
                       struct insn_step *step);
bool insn_decode (const struct insn_decoder *decoder, const uint8_t *bytes,
                  uint64_t size, uint64_t address, struct insn *insn);

/* Whether the SIZE BYTES at ADDRESS look like an instruction, or the first of
   two, that computes the address *NAMED, or reads an entry of an array there.
   Bytes that begin in the middle of an instruction may do so, too.  */
bool insn_may_name (const struct insn_decoder *decoder, const uint8_t *bytes,
                    uint64_t size, uint64_t address, uint64_t *named);

/* The instruction of insn_decode for people, as an assembler takes it.  False:
   this build has no disassembler for the machine, or there is no instruction.
 */
bool insn_show (const struct insn_decoder *decoder, const uint8_t *bytes,
                uint64_t size, uint64_t address, char text[INSN_TEXT_MAX]);

#endif /* ANALYSIS_DECODER_H */
