/* What a machine's decoder offers to decoder.c.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ANALYSIS_INSN_MACHINE_H
#define ANALYSIS_INSN_MACHINE_H

#include "analysis/insn.h"

struct insn_machine
{
  /* The result is to be freed with free; NULL: no memory.  A machine can do
     without.  */
  void *(*state_new) (void);
  /* What insn_decode_step and insn_decode ask for; the result is initialised
     to "nothing" before.  */
  bool (*decode_step) (const void *state, const uint8_t *bytes, uint64_t size,
                       uint64_t address, struct insn_step *step);
  bool (*decode) (const void *state, const uint8_t *bytes, uint64_t size,
                  uint64_t address, struct insn *insn);
  /* What insn_may_name asks for.  */
  bool (*may_name) (const uint8_t *bytes, uint64_t size, uint64_t address,
                    uint64_t *named);
  /* What insn_show asks for; NULL: the machine has no words for its
     instructions.  */
  bool (*show) (const void *state, const uint8_t *bytes, uint64_t size,
                uint64_t address, char text[INSN_TEXT_MAX]);
};

extern const struct insn_machine insn_amd64;
extern const struct insn_machine insn_aarch64;

#endif /* ANALYSIS_INSN_MACHINE_H */
