/* Writing frame rules in words, for people.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_RULE_TEXT_H
#define ARCH_RULE_TEXT_H

#include "arch/arch.h"

enum
{
  RULE_TEXT = 32 /* bytes, with the NUL */
};

/* Return where RULE finds the caller's value of register OWN, as "rsp+16", "at
   CFA-8" or "in rbp", or the reason why that cannot be said.  The result is
   TEXT or a constant.  */
const char *rule_text (const struct arch *arch, struct frame_rule rule,
                       unsigned own, char text[RULE_TEXT]);

#endif /* ARCH_RULE_TEXT_H */
