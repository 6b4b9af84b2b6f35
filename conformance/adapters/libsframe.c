/* GNU's libsframe as an adapter: libsframe LIBRARY.
   SPDX-License-Identifier: 0BSD

   The library is loaded when the adapter runs: that of binutils 2.46 and later
   (libsframe.so.3), or one of 2.40 to 2.45 (libsframe.so.0, 1, 2), which have
   fewer functions and read one version each.  The interface is that of
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
/* Before 2.46 there was no type of FDE.  */
typedef int32_t get_offset_old (const context *, const struct row *, int *);

static struct
{
  context *(*decode) (const char *, size_t, int *);
  void (*free) (context **);
  const char *(*message) (int);
  int (*find) (const context *, int64_t, struct row *);
  uint32_t (*word) (const struct row *, int, int *);
  uint8_t (*base) (const struct row *, int *);
  int8_t (*fixed_ra) (const context *);
  void *cfa, *ra, *fp; /* get_offset or get_offset_old */
  bool (*undefined) (const context *, const struct row *, int *);
  bool (*mangled) (const context *, const struct row *, int *);
  uint32_t (*count) (const context *);
  uint32_t (*start_field) (const context *, uint32_t, int *);
  int (*function) (const context *, unsigned, uint32_t *, uint32_t *,
                   int64_t *, unsigned char *, unsigned char *, uint8_t *);
  int (*function_v2) (const context *, unsigned, uint32_t *, uint32_t *,
                      int32_t *, unsigned char *, uint8_t *);
  bool old; /* before 2.46 */
} library;

struct symbol
{
  const char *name;
  void **to;
};

static const struct symbol old_symbols[] = {
  { "sframe_decode", (void **)&library.decode },
  { "sframe_decoder_free", (void **)&library.free },
  { "sframe_errmsg", (void **)&library.message },
  { "sframe_find_fre", (void **)&library.find },
  { "sframe_fre_get_base_reg_id", (void **)&library.base },
  { "sframe_decoder_get_fixed_ra_offset", (void **)&library.fixed_ra },
  { "sframe_fre_get_cfa_offset", &library.cfa },
  { "sframe_fre_get_ra_offset", &library.ra },
  { "sframe_fre_get_fp_offset", &library.fp },
  { "sframe_fre_get_ra_mangled_p", (void **)&library.mangled },
};

static const struct symbol new_symbols[] = {
  { "sframe_get_fre_udata", (void **)&library.word },
  { "sframe_fre_get_ra_undefined_p", (void **)&library.undefined },
  { "sframe_decoder_get_num_fidx", (void **)&library.count },
  { "sframe_decoder_get_offsetof_fde_start_addr",
    (void **)&library.start_field },
  { "sframe_decoder_get_funcdesc_v3", (void **)&library.function },
  { "sframe_decoder_get_funcdesc_v2", (void **)&library.function_v2 },
};

#define N_ELEMENTS(array) (sizeof (array) / sizeof *(array))

/* Whether HANDLE has the first N of SYMBOLS.  */
static bool
find_symbols (void *handle, const struct symbol *symbols, size_t n)
{
  size_t found = 0;
  while (found < n
         && (*symbols[found].to = dlsym (handle, symbols[found].name)) != NULL)
    found++;
  return found == n;
}

static bool
library_begin (int argc, char **argv)
{
  void *handle = argc > 1 ? dlopen (argv[1], RTLD_NOW) : NULL;
  if (handle == NULL
      || !find_symbols (handle, old_symbols, N_ELEMENTS (old_symbols)))
    {
      fprintf (stderr, "libsframe: %s\n",
               argc > 1 ? dlerror () : "no library");
      return false;
    }
  library.old = !find_symbols (handle, new_symbols, N_ELEMENTS (new_symbols));
  if (library.old)
    {
      bool v2 = dlsym (handle, "sframe_decoder_get_version") != NULL;
      reader.versions = v2 ? "2" : "1";
      reader.abis = "1,2,3";
      reader.tells = "signed";
    }
  return true;
}

/* The offset in ROW that GET returns, which is library.cfa, ra or fp.  */
static int32_t
row_offset (void *get, const context *context, const struct row *row,
            uint32_t fde_type, int *failure)
{
  return library.old ? ((get_offset_old *)get) (context, row, failure)
                     : ((get_offset *)get) (context, row, fde_type, failure);
}

struct section
{
  struct question question;
  context *context;
  uint32_t last_function; /* that was asked for */
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

/* Whether function I has OFFSET from the section's start; its info bytes.  */
static bool
is_function_of (const struct section *section, uint32_t i, int64_t offset,
                uint8_t *info, uint8_t *info2)
{
  uint32_t rows, size;
  uint8_t repeat;
  int failure = 0;
  int64_t start = 0;
  int32_t start_v2 = 0;
  *info2 = 0;
  if (section->question.version >= 3
          ? library.function (section->context, i, &rows, &size, &start, info,
                              info2, &repeat)
          : library.function_v2 (section->context, i, &rows, &size, &start_v2,
                                 info, &repeat))
    return false;
  start += start_v2;
  start += library.start_field (section->context, i, &failure);
  return offset >= start && offset - start < (int64_t)size;
}

/* Info bytes of the function that has OFFSET from the section's start.  The
   search begins at the function of the last question.  */
static bool
function_info (struct section *section, int64_t offset, uint8_t *info,
               uint8_t *info2)
{
  uint32_t count = library.count (section->context);
  for (uint32_t n = 0; n < count; n++)
    {
      uint32_t i = (section->last_function + n) % count;
      if (is_function_of (section, i, offset, info, info2))
        {
          section->last_function = i;
          return true;
        }
    }
  return false;
}

static struct value
slot (int32_t offset)
{
  return (struct value){ VALUE_CFA, true, 0, offset };
}

/* The answer for a default row, by the functions that the library's own dump
   uses.  */
static int
default_answer (const struct section *section, const struct row *row,
                struct answer *answer)
{
  int failure = 0, no_base = 0;
  unsigned sp, fp;
  int32_t offset
      = row_offset (library.cfa, section->context, row, 0, &failure);
  bool by_sp = library.base (row, &no_base) == 1;
  if (failure != 0 || no_base != 0
      || !abi_registers (section->question.abi, &sp, &fp))
    return -1;
  answer->cfa
      = (struct value){ by_sp ? VALUE_SP : VALUE_FP, false, 0, offset };
  bool s390x = section->question.abi == 4;
  offset = row_offset (library.ra, section->context, row, 0, &failure);
  if (failure == 0 && !(s390x && offset == 0))
    answer->ra = s390x && offset & 1 && section->question.version == 2
                     ? value_of_register (4, (unsigned)offset >> 1, 0, false)
                     : slot (offset);
  else if (library.old && library.fixed_ra (section->context) != 0)
    answer->ra = slot (library.fixed_ra (section->context));
  failure = 0;
  offset = row_offset (library.fp, section->context, row, 0, &failure);
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
  answer->cfa = from_pair (
      section, control, row_offset (library.cfa, context, row, 1, &failure));
  control = library.word (row, 2, &absent);
  int at = 3;
  if (absent == 0 && control != 0)
    {
      answer->ra
          = from_pair (section, control,
                       row_offset (library.ra, context, row, 1, &failure));
      at = 4;
    }
  else if (section->question.abi == 3)
    answer->ra = slot (-8);
  absent = 0;
  control = library.word (row, at, &absent);
  if (absent == 0 && control != 0)
    answer->fp = from_pair (
        section, control, row_offset (library.fp, context, row, 1, &failure));
  return failure == 0 ? 1 : -1;
}

static int
section_find (void *opened, const struct frame *frame, struct answer *answer)
{
  struct section *section = opened;
  struct row row = { 0 };
  uint8_t info = 0, info2 = 0;
  int failure = 0;
  int64_t offset = (int64_t)(frame->pc - section->question.address);
  if (library.find (section->context, offset, &row) != 0)
    return 0;
  if (library.old)
    {
      answer->ra_signed
          = section->question.abi <= 2
            && library.mangled (section->context, &row, &failure);
      return default_answer (section, &row, answer);
    }
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

struct reader reader
    = { "libsframe",   "2,3",        "1,2,3,4",    "signed,key,signal",
        library_begin, section_open, section_find, section_close };
