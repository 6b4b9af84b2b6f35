/* The lookup of libsframewalk as an adapter of the conformance suite.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "../../conformance/adapters/reader.h"

#include <stdlib.h>

#include "sframewalk.h"

static bool
walk_begin (int argc, char **argv)
{
  (void)argv;
  return argc == 1;
}

static void *
walk_open (const struct question *question, const char **reason)
{
  struct sfw_section *section = malloc (sizeof *section);
  struct sfw_row row;
  if (section == NULL)
    return NULL;
  *section = (struct sfw_section){ question->bytes, question->size,
                                   question->address };
  if (sfw_lookup (section, 0, &row) != SFW_BAD_SECTION)
    return section;
  *reason = sfw_end_text (SFW_BAD_SECTION);
  free (section);
  return NULL;
}

static struct value
value_of (const struct sfw_row *row, struct sfw_rule rule)
{
  bool load = rule.kind == SFW_DEREF_REG || rule.kind == SFW_DEREF_CFA;
  if (rule.kind == SFW_REG || rule.kind == SFW_DEREF_REG)
    return value_of_register (row->abi, rule.reg, rule.offset, load);
  if (rule.kind == SFW_CFA || rule.kind == SFW_DEREF_CFA)
    return (struct value){ VALUE_CFA, load, 0, rule.offset };
  return (struct value){ .base = VALUE_SAME };
}

static int
walk_find (void *section, const struct frame *frame, struct answer *answer)
{
  struct sfw_row row;
  enum sfw_end end = sfw_lookup (section, frame->pc, &row);
  if (end != SFW_MORE)
    return end == SFW_NO_ROW ? 0 : -1;
  if (row.cfa.kind == SFW_UNKNOWN || row.ra.kind == SFW_UNKNOWN
      || row.fp.kind == SFW_UNKNOWN)
    return -1;
  answer->outermost
      = row.cfa.kind == SFW_UNDEFINED && row.ra.kind == SFW_UNDEFINED;
  if (answer->outermost)
    return 1;
  answer->cfa = value_of (&row, row.cfa);
  answer->ra = value_of (&row, row.ra);
  answer->fp = value_of (&row, row.fp);
  /* The bit says something on AArch64 alone.  */
  answer->ra_signed = row.ra_signed && (row.abi == 1 || row.abi == 2);
  answer->signal = row.signal;
  return 1;
}

struct reader reader
    = { "libsframewalk", "1,2,3",   "1,2,3,4", "signed,signal",
        walk_begin,      walk_open, walk_find, free };
