/* Rows as other readers of SFrame read them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "foreign.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "conformance/adapters/reader.h"
#include "prove/rule.h"

/* The adapter that is asked: that of GNU's libsframe, which is linked with
   this file, or one that was loaded.  */
static const struct reader *asked = &reader;

struct foreign_section
{
  void *opened; /* by the adapter */
  unsigned sp, fp;
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
foreign_open (const struct foreign_input *from)
{
  const char *reason = NULL;
  if (from->size < 8)
    return NULL;
  const struct question question
      = { .version = from->bytes[2],
          .abi = from->bytes[4],
          .code = { { from->code_start, from->code_end } },
          .n_code = 1,
          .address = from->address,
          .bytes = from->bytes,
          .size = from->size };
  struct foreign_section *section = calloc (1, sizeof *section);
  if (!section)
    return NULL;
  section->sp = from->sp;
  section->fp = from->fp;
  section->opened = asked->open (&question, &reason);
  if (section->opened)
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

static struct place
place_of (const struct foreign_section *section, const struct value *value)
{
  unsigned base = value->base == VALUE_SP   ? section->sp
                  : value->base == VALUE_FP ? section->fp
                                            : value->reg;
  bool from_cfa = value->base == VALUE_CFA;
  if (value->base == VALUE_SAME)
    return (struct place){ .kind = PLACE_SAME };
  return (struct place){ value->load ? PLACE_MEMORY : PLACE_VALUE, from_cfa,
                         from_cfa ? 0 : base, value->offset };
}

int
foreign_rules (const struct foreign_section *section, uint64_t pc,
               struct rule *rule)
{
  /* An FP of 0 would end the stack for glibc's reader.  */
  const struct frame frame = { .pc = pc, .fp = 1 };
  struct answer answer = { 0 };
  int found = asked->find (section->opened, &frame, &answer);
  if (found <= 0)
    return found;
  *rule = (struct rule){ .outermost = answer.outermost,
                         .cfa = place_of (section, &answer.cfa),
                         .ra = place_of (section, &answer.ra),
                         .fp = place_of (section, &answer.fp) };
  return 1;
}
