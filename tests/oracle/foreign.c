/* Rows as other readers of SFrame read them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The source for GNU's reader is the interface of libsframe 3 (binutils 2.47),
   as its own dump function uses it.  */

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi.h"
#include "foreign.h"
#include "section_reader.h"

/* The library's row: start, up to 6 words of 4 bytes, info.  It is only passed
   on; a larger one does no harm.  */
struct foreign_row
{
  uint32_t opaque[32];
};

typedef struct foreign_context foreign_context;
typedef int32_t get_offset (const foreign_context *,
                            const struct foreign_row *, uint32_t, int *);

static struct
{
  foreign_context *(*decode) (const char *, size_t, int *);
  void (*free) (foreign_context **);
  int (*find) (const foreign_context *, int64_t, struct foreign_row *);
  uint32_t (*word) (const struct foreign_row *, int, int *);
  uint8_t (*base) (const struct foreign_row *, int *);
  get_offset *cfa, *ra, *fp;
  bool (*outermost) (const foreign_context *, const struct foreign_row *,
                     int *);
} library;

/* Instead, a reader that is compiled from its source.  */
static const struct section_reader *reader;

struct foreign_section
{
  foreign_context *context;
  struct read_section *read;
  const uint8_t *bytes;
  uint64_t address;
  int8_t fixed_ra_offset;
  const struct referee_abi *abi;
};

bool
foreign_load (const char *path)
{
  static const char *const names[] = {
    "sframe_decode",
    "sframe_decoder_free",
    "sframe_find_fre",
    "sframe_get_fre_udata",
    "sframe_fre_get_base_reg_id",
    "sframe_fre_get_cfa_offset",
    "sframe_fre_get_ra_offset",
    "sframe_fre_get_fp_offset",
    "sframe_fre_get_ra_undefined_p",
  };
  void **const to[] = {
    (void **)&library.decode,    (void **)&library.free,
    (void **)&library.find,      (void **)&library.word,
    (void **)&library.base,      (void **)&library.cfa,
    (void **)&library.ra,        (void **)&library.fp,
    (void **)&library.outermost,
  };
  void *handle = dlopen (path, RTLD_NOW);
  reader = handle ? dlsym (handle, "section_reader") : NULL;
  if (reader)
    return true;
  for (size_t i = 0; handle && i < sizeof names / sizeof *names; i++)
    {
      *to[i] = dlsym (handle, names[i]);
      if (!*to[i])
        handle = NULL;
    }
  if (!handle)
    fprintf (stderr, "%s\n", dlerror ());
  return handle != NULL;
}

/* These read a section where it is in memory, so everything moves with
   it.  */
static uint64_t
in_memory (const struct foreign_section *section, uint64_t address)
{
  return address - section->address + (uint64_t)section->bytes;
}

struct foreign_section *
foreign_open (const struct sframe_decoder *decoder, uint64_t code_start,
              uint64_t code_end)
{
  int failure = 0;
  struct foreign_section *section = calloc (1, sizeof *section);
  if (!section)
    return NULL;
  section->bytes = decoder->bytes;
  section->address = decoder->address;
  section->fixed_ra_offset = decoder->fixed_ra_offset;
  section->abi = referee_abi_of (rules_machine (decoder));
  if (reader)
    section->read = reader->open (decoder->bytes, decoder->size,
                                  in_memory (section, code_start),
                                  in_memory (section, code_end));
  else
    section->context = library.decode ((const char *)decoder->bytes,
                                       decoder->size, &failure);
  if ((section->context || section->read) && section->abi)
    return section;
  foreign_close (section);
  return NULL;
}

void
foreign_close (struct foreign_section *section)
{
  if (section && section->context)
    library.free (&section->context);
  if (section && section->read)
    reader->close (section->read);
  free (section);
}

/* GNU's libsframe.  */

/* Section 3.1 of the specification.  An offset that is not there means that
   the register still has the value.  */
static bool
default_rules (const struct foreign_section *section,
               const struct foreign_row *row, struct row_rules *rules)
{
  int base_failure = 0, cfa_failure = 0, failure = 0;
  uint8_t base = library.base (row, &base_failure);
  int reg = base == 1 ? section->abi->sp : section->abi->fp;
  int32_t offset = library.cfa (section->context, row, 0, &cfa_failure);
  rules->cfa
      = (struct row_rule){ ROW_RULE_REGISTER, false, (uint32_t)reg, offset };
  offset = library.ra (section->context, row, 0, &failure);
  bool padding = section->abi->e_machine == EM_S390 && offset == 0;
  if (failure == 0 && !padding)
    rules->ra = (struct row_rule){ ROW_RULE_CFA, true, 0, offset };
  failure = 0;
  offset = library.fp (section->context, row, 0, &failure);
  if (failure == 0)
    rules->fp = (struct row_rule){ ROW_RULE_CFA, true, 0, offset };
  return base_failure == 0 && cfa_failure == 0;
}

static struct row_rule
from_words (uint32_t control, int32_t offset)
{
  return (struct row_rule){ control & 1 ? ROW_RULE_REGISTER : ROW_RULE_CFA,
                            (control & 2) != 0, control >> 3, offset };
}

/* Section 3.2.  */
static bool
flexible_rules (const struct foreign_section *section,
                const struct foreign_row *row, struct row_rules *rules)
{
  int failure = 0, absent = 0;
  uint32_t control = library.word (row, 0, &failure);
  rules->cfa
      = from_words (control, library.cfa (section->context, row, 1, &failure));
  control = library.word (row, 2, &absent);
  int at = 3;
  if (absent == 0 && control != 0)
    {
      rules->ra = from_words (control,
                              library.ra (section->context, row, 1, &failure));
      at = 4;
    }
  absent = 0;
  control = library.word (row, at, &absent);
  if (absent == 0 && control != 0)
    rules->fp = from_words (control,
                            library.fp (section->context, row, 1, &failure));
  return failure == 0;
}

static int
libsframe_rules (const struct foreign_section *section,
                 const struct sframe_fde *function, uint64_t pc,
                 struct row_rules *rules)
{
  struct foreign_row row = { 0 };
  int failure = 0;
  int64_t offset = (int64_t)(pc - section->address);
  if (library.find (section->context, offset, &row) != 0)
    return 0;
  const struct referee_abi *abi = section->abi;
  *rules = (struct row_rules){
    .ra = { ROW_RULE_REGISTER, false, (uint32_t)abi->ra, 0 },
    .fp = { ROW_RULE_REGISTER, false, (uint32_t)abi->fp, 0 },
  };
  if (section->fixed_ra_offset != 0)
    rules->ra
        = (struct row_rule){ ROW_RULE_CFA, true, 0, section->fixed_ra_offset };
  rules->ra_undefined = library.outermost (section->context, &row, &failure);
  if (failure != 0)
    return -1;
  if (rules->ra_undefined)
    return 1;
  bool ok = function->flexible ? flexible_rules (section, &row, rules)
                               : default_rules (section, &row, rules);
  return ok ? 1 : -1;
}

/* The kernel's and glibc's.  */

static struct row_rule
from_reader (const struct read_rule *rule, int reg)
{
  if (rule->retained)
    return (struct row_rule){ ROW_RULE_REGISTER, false, (uint32_t)reg, 0 };
  return (struct row_rule){ rule->from_register ? ROW_RULE_REGISTER
                                                : ROW_RULE_CFA,
                            rule->load, rule->reg, rule->offset };
}

static int
section_rules (const struct foreign_section *section, uint64_t pc,
               struct row_rules *rules)
{
  struct read_rules found;
  int result = reader->find (section->read, in_memory (section, pc), &found);
  if (result <= 0)
    return result;
  *rules = (struct row_rules){
    .ra_undefined = found.outermost,
    .cfa = from_reader (&found.cfa, section->abi->sp),
    .ra = from_reader (&found.ra, section->abi->ra),
    .fp = from_reader (&found.fp, section->abi->fp),
  };
  return 1;
}

int
foreign_rules (const struct foreign_section *section,
               const struct sframe_fde *function, uint64_t pc,
               struct row_rules *rules)
{
  return section->read ? section_rules (section, pc, rules)
                       : libsframe_rules (section, function, pc, rules);
}
