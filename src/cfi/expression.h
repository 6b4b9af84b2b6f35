/* The DWARF expressions in CFI that have an SFrame form.
   SPDX-License-Identifier: LGPL-2.1-or-later

   An expression is evaluated symbolically on a small stack.  What comes out
   as "base + n" or "*(base + n)", with a register or the CFA as the base, is
   understood; so is the expression that GNU ld writes for the lazy x86-64
   PLT.  Everything else is not.  */

#ifndef CFI_EXPRESSION_H
#define CFI_EXPRESSION_H

#include <stdint.h>

#include "arch/arch.h"
#include "frame/frame.h"

enum expression_use
{
  EXPRESSION_CFA,    /* DW_CFA_def_cfa_expression: the value is the CFA */
  EXPRESSION_VALUE,  /* DW_CFA_val_expression: the value is the register's */
  EXPRESSION_ADDRESS /* DW_CFA_expression: where the register was saved */
};

/* The rule that the SIZE bytes of BLOCK amount to; RULE_UNSUPPORTED with
   REASON when they have another form.  */
struct frame_rule expression_rule (const struct arch *arch,
                                   const uint8_t *block, uint64_t size,
                                   enum expression_use use,
                                   enum frame_reason reason);

#endif /* CFI_EXPRESSION_H */
