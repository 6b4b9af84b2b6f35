/* GNU's libsframe, 2.46 and later, as an adapter: libsframe LIBRARY.
   SPDX-License-Identifier: 0BSD

   The library is loaded when the adapter runs.  Its interface is that of
   sframe-api.h; types that are only passed on are opaque here.  */

#include "reader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct context context;

/* A row of the library: start, words, info.  A larger one does no harm.  */
struct row
{
  uint32_t opaque[32];
};

typedef int32_t get_offset (const context *, const struct row *, uint32_t,
                            int *);

static struct
{
  context *(*decode) (const char *, size_t, int *);
  void (*free) (context **);
  const char *(*message) (int);
  int (*find) (const context *, int64_t, struct row *);
  uint32_t (*word) (const struct row *, int, int *);
  uint8_t (*base) (const struct row *, int *);
  get_offset *cfa, *ra, *fp;
  bool (*undefined) (const context *, const struct row *, int *);
  bool (*mangled) (const context *, const struct row *, int *);
  uint32_t (*count) (const context *);
  uint32_t (*start_field) (const context *, uint32_t, int *);
  int (*function) (const context *, unsigned, uint32_t *, uint32_t *,
                   int64_t *, unsigned char *, unsigned char *, uint8_t *);
  int (*function_v2) (const context *, unsigned, uint32_t *, uint32_t *,
                      int32_t *, unsigned char *, uint8_t *);
} library;

static bool
library_begin (int argc, char **argv)
{
  const struct
  {
    const char *name;
    void **to;
  } symbols[] = {
    { "sframe_decode", (void **)&library.decode },
    { "sframe_decoder_free", (void **)&library.free },
    { "sframe_errmsg", (void **)&library.message },
    { "sframe_find_fre", (void **)&library.find },
    { "sframe_get_fre_udata", (void **)&library.word },
    { "sframe_fre_get_base_reg_id", (void **)&library.base },
    { "sframe_fre_get_cfa_offset", (void **)&library.cfa },
    { "sframe_fre_get_ra_offset", (void **)&library.ra },
    { "sframe_fre_get_fp_offset", (void **)&library.fp },
    { "sframe_fre_get_ra_undefined_p", (void **)&library.undefined },
    { "sframe_fre_get_ra_mangled_p", (void **)&library.mangled },
    { "sframe_decoder_get_num_fidx", (void **)&library.count },
    { "sframe_decoder_get_offsetof_fde_start_addr",
      (void **)&library.start_field },
    { "sframe_decoder_get_funcdesc_v3", (void **)&library.function },
    { "sframe_decoder_get_funcdesc_v2", (void **)&library.function_v2 },
  };
  void *handle = argc > 1 ? dlopen (argv[1], RTLD_NOW) : NULL;
  bool ok = handle != NULL;
  for (size_t i = 0; ok && i < sizeof symbols / sizeof *symbols; i++)
    {
      *symbols[i].to = dlsym (handle, symbols[i].name);
      ok = *symbols[i].to != NULL;
    }
  if (!ok)
    fprintf (stderr, "libsframe: %s\n", argc > 1 ? dlerror () : "no library");
  return ok;
}

struct section
{
  struct question question;
  context *context;
  char *copy; /* the library keeps the bytes, and changes foreign ones */
};

static void
section_close (void *opened)
{
  struct section *section = opened;
  if (section->context != NULL)
    library.free (&section->context);
  free (section);
}

static void *
section_open (const struct question *question, const char **reason)
{
  int failure = 0;
  struct section *section = calloc (1, sizeof *section);
  if (section == NULL)
    return NULL;
  section->question = *question;
  section->context = library.decode ((const char *)question->bytes,
                                     question->size, &failure);
  if (section->context != NULL)
    return section;
  *reason = library.message (failure);
  section_close (section);
  return NULL;
}

/* Info bytes of the function that has OFFSET from the section's start.  */
static bool
function_info (const struct section *section, int64_t offset, uint8_t *info,
               uint8_t *info2)
{
  uint32_t rows, size;
  uint8_t repeat;
  int failure = 0;
  for (uint32_t i = 0; i < library.count (section->context); i++)
    {
      int64_t start = 0;
      int32_t start_v2 = 0;
      *info2 = 0;
      bool found = section->question.version >= 3
                       ? library.function (section->context, i, &rows, &size,
                                           &start, info, info2, &repeat)
                             == 0
                       : library.function_v2 (section->context, i, &rows,
                                              &size, &start_v2, info, &repeat)
                             == 0;
      start += start_v2;
      start += library.start_field (section->context, i, &failure);
      if (found && offset >= start && offset - start < (int64_t)size)
        return true;
    }
  return false;
}

static struct value
slot (int32_t offset)
{
  return (struct value){ VALUE_CFA, true, 0, offset };
}

/* As the library's own dump asks for default rows.  */
static int
default_answer (const struct section *section, const struct row *row,
                struct answer *answer)
{
  int failure = 0, no_base = 0;
  unsigned sp, fp;
  int32_t offset = library.cfa (section->context, row, 0, &failure);
  bool by_sp = library.base (row, &no_base) == 1;
  if (failure != 0 || no_base != 0
      || !abi_registers (section->question.abi, &sp, &fp))
    return -1;
  answer->cfa
      = (struct value){ by_sp ? VALUE_SP : VALUE_FP, false, 0, offset };
  bool s390x = section->question.abi == 4;
  offset = library.ra (section->context, row, 0, &failure);
  if (failure == 0 && !(s390x && offset == 0))
    answer->ra = s390x && offset & 1 && section->question.version == 2
                     ? value_of_register (4, (unsigned)offset >> 1, 0, false)
                     : slot (offset);
  failure = 0;
  offset = library.fp (section->context, row, 0, &failure);
  if (failure == 0)
    answer->fp = s390x && offset & 1 && section->question.version == 2
                     ? value_of_register (4, (unsigned)offset >> 1, 0, false)
                     : slot (offset);
  return 1;
}

static struct value
from_pair (const struct section *section, uint32_t control, int32_t offset)
{
  bool load = control & 2;
  if (control & 1)
    return value_of_register (section->question.abi, control >> 3, offset,
                              load);
  return (struct value){ VALUE_CFA, load, 0, offset };
}

static int
flexible_answer (const struct section *section, const struct row *row,
                 struct answer *answer)
{
  const context *context = section->context;
  int failure = 0, absent = 0;
  uint32_t control = library.word (row, 0, &failure);
  answer->cfa
      = from_pair (section, control, library.cfa (context, row, 1, &failure));
  control = library.word (row, 2, &absent);
  int at = 3;
  if (absent == 0 && control != 0)
    {
      answer->ra = from_pair (section, control,
                              library.ra (context, row, 1, &failure));
      at = 4;
    }
  else if (section->question.abi == 3)
    answer->ra = slot (-8);
  absent = 0;
  control = library.word (row, at, &absent);
  if (absent == 0 && control != 0)
    answer->fp
        = from_pair (section, control, library.fp (context, row, 1, &failure));
  return failure == 0 ? 1 : -1;
}

static int
section_find (void *opened, uint64_t pc, struct answer *answer)
{
  const struct section *section = opened;
  struct row row = { 0 };
  uint8_t info = 0, info2 = 0;
  int failure = 0;
  int64_t offset = (int64_t)(pc - section->question.address);
  if (library.find (section->context, offset, &row) != 0)
    return 0;
  answer->outermost = library.undefined (section->context, &row, &failure);
  if (failure != 0 || !function_info (section, offset, &info, &info2))
    return -1;
  if (answer->outermost)
    return 1;
  bool aarch64 = section->question.abi <= 2;
  answer->ra_signed
      = aarch64 && library.mangled (section->context, &row, &failure);
  answer->key_b = info & 0x20;
  answer->signal = section->question.version == 3 && info & 0x80;
  return info2 & 0x1f ? flexible_answer (section, &row, answer)
                      : default_answer (section, &row, answer);
}

const struct reader reader
    = { "libsframe",   "2,3",        "1,2,3,4",    "signed,key,signal",
        library_begin, section_open, section_find, section_close };
