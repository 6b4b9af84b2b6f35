/* The kernel's reader of SFrame as a shared object for foreign.c.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Not compiled by make: tools/clients.sh does it, with the folder that it was
   given in the include path.  `sframe_k.c' there is the kernel's
   kernel/unwind/sframe.c (patches "unwind user sframe"), with its accesses to
   user memory bounded by mem_lo and mem_hi, and these functions by name:
   k_sframe_read_header, k_sframe_validate_section, k_sframe_find.  */

#include "sframe_k.c"

#include <stdlib.h>

#include "section_reader.h"

struct read_section
{
  struct sframe_section section;
};

static void
allow (const struct read_section *kernel)
{
  mem_lo = kernel->section.sframe_start;
  mem_hi = kernel->section.sframe_end;
}

static struct read_section *
kernel_open (const void *bytes, size_t size, uint64_t code_start,
             uint64_t code_end)
{
  struct read_section *kernel = calloc (1, sizeof *kernel);
  if (kernel == NULL)
    return NULL;
  kernel->section.filename = "section";
  kernel->section.sframe_start = (unsigned long)bytes;
  kernel->section.sframe_end = (unsigned long)bytes + size;
  kernel->section.text_start = code_start;
  kernel->section.text_end = code_end;
  allow (kernel);
  if (k_sframe_read_header (&kernel->section) == 0
      && k_sframe_validate_section (&kernel->section) == 0)
    return kernel;
  free (kernel);
  return NULL;
}

static void
kernel_close (struct read_section *kernel)
{
  free (kernel);
}

static struct read_rule
value_rule (const struct unwind_user_rule_data *data)
{
  unsigned rule = (unsigned)data->rule;
  unsigned kind = rule & ~UNWIND_USER_RULE_DEREF;
  return (struct read_rule){
    .from_register = kind == UNWIND_USER_RULE_REG_OFFSET,
    .load = (rule & UNWIND_USER_RULE_DEREF) != 0,
    .retained = kind == UNWIND_USER_RULE_RETAIN,
    .reg = data->regnum,
    .offset = data->offset,
  };
}

static struct read_rule
cfa_rule (const struct unwind_user_cfa_rule_data *data)
{
  unsigned rule = (unsigned)data->rule;
  unsigned kind = rule & ~UNWIND_USER_RULE_DEREF;
  return (struct read_rule){
    .from_register = true,
    .load = (rule & UNWIND_USER_RULE_DEREF) != 0,
    .reg = kind == UNWIND_USER_CFA_RULE_SP_OFFSET   ? SFRAME_REG_SP
           : kind == UNWIND_USER_CFA_RULE_FP_OFFSET ? SFRAME_REG_FP
                                                    : data->regnum,
    .offset = data->offset,
  };
}

static int
kernel_find (struct read_section *kernel, uint64_t pc,
             struct read_rules *rules)
{
  struct unwind_user_frame frame;
  memset (&frame, 0, sizeof frame);
  allow (kernel);
  int failure = k_sframe_find (&kernel->section, pc, &frame);
  if (failure != 0)
    return failure == -ENOENT ? 0 : -1;
  rules->outermost = frame.outermost;
  rules->cfa = cfa_rule (&frame.cfa);
  rules->ra = value_rule (&frame.ra);
  rules->fp = value_rule (&frame.fp);
  return 1;
}

const struct section_reader section_reader
    = { kernel_open, kernel_close, kernel_find };
