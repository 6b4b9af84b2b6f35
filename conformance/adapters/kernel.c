/* The reader of the Linux patches "unwind user sframe" as an adapter.
   SPDX-License-Identifier: 0BSD

   kernel [--validate]: with it, sections are validated as with
   CONFIG_SFRAME_VALIDATION.  The series registers a section once for each
   executable segment of its file, and validates it each time.  To be compiled
   with a folder in the include path that has `sframe_k.c':
   kernel/unwind/sframe.c of the series with what it needs of the kernel, its
   accesses to user memory bounded by mem_lo and mem_hi, and
   k_sframe_read_header, k_sframe_validate_section and k_sframe_find for its
   functions.  */

#include "sframe_k.c"

#include <stdlib.h>

#include "reader.h"

static bool validates;

struct opened
{
  struct sframe_section section;
  struct question question;
};

static bool
kernel_begin (int argc, char **argv)
{
  validates = argc > 1 && strcmp (argv[1], "--validate") == 0;
  return true;
}

/* Whether SECTION is one of all code from START to END, addresses of
   QUESTION.  */
static bool
is_valid (struct sframe_section *section, const struct question *question,
          uint64_t start, uint64_t end)
{
  uint64_t moved = (uint64_t)question->bytes - question->address;
  section->text_start = start + moved;
  section->text_end = end + moved;
  return k_sframe_validate_section (section) == 0;
}

static bool
validate (struct sframe_section *section, const struct question *question)
{
  bool valid = true;
  for (unsigned i = 0; valid && i < question->n_code; i++)
    valid = is_valid (section, question, question->code[i].start,
                      question->code[i].end);
  section->text_start = 0;
  section->text_end = ~0ul;
  return valid && k_sframe_validate_section (section) == 0;
}

static void
allow (const struct sframe_section *section)
{
  mem_lo = section->sframe_start;
  mem_hi = section->sframe_end;
}

static void *
kernel_open (const struct question *question, const char **reason)
{
  struct opened *opened = calloc (1, sizeof *opened);
  if (opened == NULL)
    return NULL;
  opened->question = *question;
  struct sframe_section *section = &opened->section;
  section->filename = "vector";
  section->sframe_start = (unsigned long)question->bytes;
  section->sframe_end = section->sframe_start + question->size;
  section->text_end = ~0ul;
  allow (section);
  if (k_sframe_read_header (section) != 0)
    *reason = "header";
  else if (validates && !validate (section, question))
    *reason = "validation";
  else
    return opened;
  free (opened);
  return NULL;
}

static struct value
value_of (const struct unwind_user_rule_data *data)
{
  unsigned rule = (unsigned)data->rule;
  unsigned kind = rule & ~UNWIND_USER_RULE_DEREF;
  bool load = (rule & UNWIND_USER_RULE_DEREF) != 0;
  if (kind == UNWIND_USER_RULE_RETAIN)
    return (struct value){ .base = VALUE_SAME };
  if (kind == UNWIND_USER_RULE_REG_OFFSET)
    return value_of_register (3, data->regnum, data->offset, load);
  return (struct value){ VALUE_CFA, load, 0, data->offset };
}

static struct value
cfa_of (const struct unwind_user_cfa_rule_data *data)
{
  unsigned rule = (unsigned)data->rule;
  unsigned kind = rule & ~UNWIND_USER_RULE_DEREF;
  unsigned reg = kind == UNWIND_USER_CFA_RULE_SP_OFFSET   ? SFRAME_REG_SP
                 : kind == UNWIND_USER_CFA_RULE_FP_OFFSET ? SFRAME_REG_FP
                                                          : data->regnum;
  return value_of_register (3, reg, data->offset,
                            (rule & UNWIND_USER_RULE_DEREF) != 0);
}

static int
kernel_find (void *section, const struct frame *where, struct answer *answer)
{
  struct opened *opened = section;
  struct unwind_user_frame frame;
  memset (&frame, 0, sizeof frame);
  uint64_t pc = where->pc - opened->question.address
                + (uint64_t)opened->question.bytes;
  allow (&opened->section);
  int failure = k_sframe_find (&opened->section, pc, &frame);
  if (failure != 0)
    return failure == -ENOENT ? 0 : -1;
  answer->outermost = frame.outermost;
  answer->cfa = cfa_of (&frame.cfa);
  answer->ra = value_of (&frame.ra);
  answer->fp = value_of (&frame.fp);
  return 1;
}

struct reader reader
    = { "kernel", "3", "3", "", kernel_begin, kernel_open, kernel_find, free };
