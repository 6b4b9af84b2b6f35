/* Writing frame rules in words, for people.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "arch/rule_text.h"

#include <inttypes.h>
#include <stdio.h>

enum
{
  REGISTER_TEXT = 8 /* bytes, with the NUL */
};

/* Return the name of the register with the DWARF number REG, in TEXT.  */
static const char *
register_text (const struct arch *arch, unsigned reg, char text[REGISTER_TEXT])
{
  if (reg < arch->n_register_names)
    snprintf (text, REGISTER_TEXT, "%s", arch->register_names[reg]);
  else
    snprintf (text, REGISTER_TEXT, "r%u", reg % 100000);
  return text;
}

const char *
rule_text (const struct arch *arch, struct frame_rule rule, unsigned own,
           char text[RULE_TEXT])
{
  char name[REGISTER_TEXT];
  switch (rule.kind)
    {
    case RULE_UNDEFINED:
      return "undefined";
    case RULE_SAME:
      snprintf (text, RULE_TEXT, "in %s", register_text (arch, own, name));
      return text;
    case RULE_REG:
    case RULE_DEREF_REG:
      snprintf (text, RULE_TEXT, "%s%s%+" PRId32,
                rule.kind == RULE_DEREF_REG ? "at " : "",
                register_text (arch, rule.reg, name), rule.offset);
      return text;
    case RULE_CFA:
    case RULE_DEREF_CFA:
      snprintf (text, RULE_TEXT, "%sCFA%+" PRId32,
                rule.kind == RULE_DEREF_CFA ? "at " : "", rule.offset);
      return text;
    case RULE_PLT:
      return "by the PC";
    default:
      return frame_reason_name (rule.reason);
    }
}
