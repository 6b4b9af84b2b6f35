/* Rows as other readers of SFrame read them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "foreign.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi.h"
#include "conformance/adapters/reader.h"

/* The adapter that is asked: that of GNU's libsframe, which is linked with
   this file, or one that was loaded.  */
static const struct reader *asked = &reader;

struct foreign_section
{
  void *opened; /* by the adapter */
  const struct referee_abi *abi;
};

bool
foreign_load (const char *path)
{
  char *libsframe[] = { "libsframe", (char *)path };
  char *validating[] = { "kernel", "--validate" };
  void *handle = dlopen (path, RTLD_NOW);
  const struct reader *loaded = handle ? dlsym (handle, "reader") : NULL;
  if (loaded == NULL)
    return reader.begin (2, libsframe);
  asked = loaded;
  return asked->begin (2, validating);
}

struct foreign_section *
foreign_open (const struct sframe_decoder *decoder, uint64_t code_start,
              uint64_t code_end)
{
  const char *reason = NULL;
  const struct question question = { .version = decoder->variant.version,
                                     .abi = decoder->arch->sframe_abi,
                                     .code = { { code_start, code_end } },
                                     .n_code = 1,
                                     .address = decoder->address,
                                     .bytes = decoder->bytes,
                                     .size = decoder->size };
  struct foreign_section *section = calloc (1, sizeof *section);
  if (!section)
    return NULL;
  section->abi = referee_abi_of (rules_machine (decoder));
  section->opened = asked->open (&question, &reason);
  if (section->opened && section->abi)
    return section;
  foreign_close (section);
  return NULL;
}

void
foreign_close (struct foreign_section *section)
{
  if (section && section->opened)
    asked->close (section->opened);
  free (section);
}

/* VALUE of a register, whose number is REG.  */
static struct row_rule
rule_of (const struct value *value, const struct referee_abi *abi, int reg)
{
  unsigned base = value->base == VALUE_SP   ? (unsigned)abi->sp
                  : value->base == VALUE_FP ? (unsigned)abi->fp
                                            : value->reg;
  if (value->base == VALUE_SAME)
    return (struct row_rule){ ROW_RULE_REGISTER, false, (uint32_t)reg, 0 };
  if (value->base == VALUE_CFA)
    return (struct row_rule){ ROW_RULE_CFA, value->load, 0, value->offset };
  return (struct row_rule){ ROW_RULE_REGISTER, value->load, base,
                            value->offset };
}

int
foreign_rules (const struct foreign_section *section, uint64_t pc,
               struct row_rules *rules)
{
  /* An FP of 0 would end the stack for glibc's reader.  */
  const struct frame frame = { .pc = pc, .fp = 1 };
  struct answer answer = { 0 };
  int found = asked->find (section->opened, &frame, &answer);
  if (found <= 0)
    return found;
  *rules = (struct row_rules){
    .ra_undefined = answer.outermost,
    .cfa = rule_of (&answer.cfa, section->abi, section->abi->sp),
    .ra = rule_of (&answer.ra, section->abi, section->abi->ra),
    .fp = rule_of (&answer.fp, section->abi, section->abi->fp),
  };
  return 1;
}
