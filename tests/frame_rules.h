/* Rules of a frame, written short.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef TESTS_FRAME_RULES_H
#define TESTS_FRAME_RULES_H

#include "frame/frame.h"

static const struct frame_rule same = { .kind = RULE_SAME };

static inline struct frame_rule
reg (unsigned number, int32_t offset)
{
  return (struct frame_rule){ .kind = RULE_REG,
                              .reg = (uint16_t)number,
                              .offset = offset };
}

static inline struct frame_rule
deref_reg (unsigned number, int32_t offset)
{
  return (struct frame_rule){ .kind = RULE_DEREF_REG,
                              .reg = (uint16_t)number,
                              .offset = offset };
}

static inline struct frame_rule
at_cfa (int32_t offset)
{
  return (struct frame_rule){ .kind = RULE_DEREF_CFA, .offset = offset };
}

#endif /* TESTS_FRAME_RULES_H */
