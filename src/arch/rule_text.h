/* Rules in words, for people.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ARCH_RULE_TEXT_H
#define ARCH_RULE_TEXT_H

#include "arch/arch.h"

enum
{
  RULE_TEXT = 32 /* bytes, with the NUL */
};

/* Where RULE finds the value that register OWN had in the caller: "rsp+16",
   "at CFA-8", "in rbp", or why that cannot be said.  The result is TEXT or a
   constant.  */
const char *rule_text (const struct arch *arch, struct frame_rule rule,
                       unsigned own, char text[RULE_TEXT]);

#endif /* ARCH_RULE_TEXT_H */
