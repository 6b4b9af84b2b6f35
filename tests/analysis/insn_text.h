/* A decoded instruction in words, for tests.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The words are the members of struct insn: `mov %rbx, 8(%rsp)' gives "store
   from rbx [rsp+8]:8 reads rsp".  Members that are not set are left out.  */

#ifndef TESTS_INSN_TEXT_H
#define TESTS_INSN_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/machine.h"

struct insn_text
{
  const struct code_machine *machine;
  char words[200];
};

static inline void __attribute__ ((format (printf, 2, 3)))
insn_text_add (struct insn_text *text, const char *format, ...)
{
  size_t used = strlen (text->words);
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (text->words + used, sizeof text->words - used, format, arguments);
  va_end (arguments);
}

static inline const char *
insn_text_register (const struct insn_text *text, unsigned reg)
{
  const struct arch *arch = text->machine->arch;
  return reg < arch->n_register_names ? arch->register_names[reg] : "?";
}

static inline void
insn_text_add_register (struct insn_text *text, const char *role, unsigned reg)
{
  if (reg != REG_NONE)
    insn_text_add (text, " %s %s", role, insn_text_register (text, reg));
}

static inline void
insn_text_add_mask (struct insn_text *text, const char *role, uint32_t mask)
{
  const char *before = role;
  for (; mask; mask &= mask - 1)
    {
      unsigned reg = (unsigned)__builtin_ctz (mask);
      insn_text_add (text, "%s%s%s", before == role ? " " : "", before,
                     before == role ? " " : "");
      insn_text_add (text, "%s", insn_text_register (text, reg));
      before = ",";
    }
}

static inline void
insn_text_add_memory (struct insn_text *text, const struct insn *insn)
{
  if (!insn->memory)
    return;
  insn_text_add (
      text, " [%s",
      insn->base == REG_NONE ? "" : insn_text_register (text, insn->base));
  if (insn->index != REG_NONE)
    insn_text_add (text, "+%s*%u", insn_text_register (text, insn->index),
                   insn->scale);
  insn_text_add (text, "%+lld]:%u", (long long)insn->offset, insn->width);
}

/* INSN of TEXT->machine in words.  */
static inline const char *
insn_text_of (struct insn_text *text, const struct insn *insn)
{
  static const char *const ops[]
      = { "-",     "move",  "add",     "sum",         "sum-scaled",
          "scale", "set",   "insert",  "calculate",   "align",
          "load",  "store", "push",    "pop",         "leave",
          "enter", "swap",  "compare", "compare-mem", "compare-2",
          "test",  "lower", "sign",    "auth",        "strip" };
  static const char *const flows[]
      = { "",         " branch", " jump",   " jump-to", " call",
          " call-to", " return", " resume", " stop" };
  static const char *const conditions[]
      = { "", " a", " na", " b", " nb", " e", " ne", " zero", " not-zero" };
  static const char *const calculations[]
      = { "move",        "add",         "subtract", "subtract-from",
          "and",         "or",          "xor",      "multiply",
          "shift-left",  "shift-right", "shift-sx", "rotate-left",
          "rotate-right" };
  snprintf (text->words, sizeof text->words, "%s",
            insn->op == OP_CALCULATE ? calculations[insn->calculation]
                                     : ops[insn->op]);
  insn_text_add_register (text, "to", insn->to);
  insn_text_add_register (text, "from", insn->from);
  insn_text_add_register (text, "second", insn->second);
  insn_text_add_memory (text, insn);
  if (!insn->memory)
    insn_text_add_register (text, "index", insn->index);
  if (!insn->memory && insn->op != OP_NONE && insn->offset)
    insn_text_add (text, " offset %lld", (long long)insn->offset);
  if (!insn->memory && insn->scale)
    insn_text_add (text, " scale %u", insn->scale);
  if (!insn->memory && insn->width)
    insn_text_add (text, " width %u", insn->width);
  if (insn->immediate || insn->has_constant)
    insn_text_add (text, " %s%#llx", insn->immediate < 0 ? "-" : "",
                   insn->immediate < 0
                       ? 0 - (unsigned long long)insn->immediate
                       : (unsigned long long)insn->immediate);
  insn_text_add (text, "%s%s%s%s%s%s%s%s", insn->sign_extended ? " sx" : "",
                 insn->sets_flags ? " flags" : "", insn->is_nop ? " nop" : "",
                 insn->is_syscall ? " kernel" : "",
                 insn->computes_address ? " place" : "",
                 insn->is_address_part ? " part" : "",
                 insn->is_pair ? " pair" : "",
                 insn->adjusts_base ? " adjusts" : "");
  insn_text_add_mask (text, "writes", insn->writes);
  insn_text_add_mask (text, "reads", insn->reads);
  insn_text_add (text, "%s%s", flows[insn->flow], conditions[insn->condition]);
  if (insn->target)
    insn_text_add (text, " %#llx", (unsigned long long)insn->target);
  return text->words;
}

#endif /* TESTS_INSN_TEXT_H */
