/* --gnu=bugs against objects that GNU as wrote: section and relocations.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each object under tests/data/gnu holds .eh_frame and the .sframe GNU as
   made of the same directives.  The section is built again from .eh_frame,
   written to a copy of the object, read back and compared.  */

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "relocatable/object_section.h"
#include "relocatable/object_write.h"
#include "elf/symbols.h"
#include "sframe/model.h"
#include "tests/unit_test.h"

/* Functions of which .eh_frame does not say what GNU as saw: an escape made
   of the very bytes a directive would have made.  GNU as drops the function
   for the escape; nobody can tell from .eh_frame.  */
struct exception
{
  const char *path, *section, *why;
};

static const struct exception exceptions[] = {
  { "probes/amd64_unsupported.o", ".text.esc_defcfaoff",
    ".cfi_escape 0x0e,0x10 is .cfi_def_cfa_offset 16" },
  { "probes/aarch64_cases.o", ".text.pac_auth_toggle",
    ".cfi_escape 0x2d is .cfi_negate_ra_state" },
  { NULL, NULL, NULL },
};

static const struct exception *
find_exception (const char *path)
{
  for (const struct exception *e = exceptions; e->path; e++)
    if (strstr (path, e->path))
      return e;
  return NULL;
}

/* One relocation as a user sees it.  */
struct fixup
{
  uint64_t offset, addend;
  size_t section; /* of the symbol, which must be a section symbol */
  uint32_t type;
  bool section_symbol;
};

static const struct image_section *
relocations_of (const struct image *image, size_t section)
{
  for (size_t i = 1; i < image->n_sections; i++)
    if (image->sections[i].header.sh_type == SHT_RELA
        && image->sections[i].header.sh_info == section)
      return &image->sections[i];
  return NULL;
}

static bool
fixup_at (const struct image *image, const struct symbols *symbols,
          const struct image_section *table, size_t i, struct fixup *fixup)
{
  if (i >= table->header.sh_size / sizeof (Elf64_Rela))
    return false;
  const uint8_t *at = image_section_bytes (image, table) + 24 * i;
  uint64_t info = load_u64 (at + 8, image->big_endian);
  struct symbol symbol = { 0 };
  memset (fixup, 0, sizeof *fixup);
  fixup->offset = load_u64 (at, image->big_endian);
  fixup->addend = load_u64 (at + 16, image->big_endian);
  fixup->type = (uint32_t)ELF64_R_TYPE (info);
  assert_true (symbols_get (symbols, ELF64_R_SYM (info), &symbol));
  fixup->section = symbol.section;
  fixup->section_symbol = ELF64_ST_TYPE (symbol.info) == STT_SECTION;
  return true;
}

/* Whether both images' relocations of .sframe are the same; prints the first
   difference.  */
static bool
same_relocations (const struct image *a, const struct image *b)
{
  const struct image *images[2] = { a, b };
  struct symbols symbols[2];
  const struct image_section *tables[2];
  struct error err = { 0 };
  for (int i = 0; i < 2; i++)
    {
      const struct image_section *sframe
          = image_find_section (images[i], ".sframe");
      assert_true (symbols_open (&symbols[i], images[i], &err));
      tables[i]
          = relocations_of (images[i], (size_t)(sframe - images[i]->sections));
      assert_non_null (tables[i]);
      assert_int_equal (tables[i]->header.sh_entsize, 24);
      assert_int_equal (tables[i]->header.sh_flags, SHF_INFO_LINK);
    }
  for (size_t i = 0;; i++)
    {
      struct fixup one, two;
      bool more_one = fixup_at (a, &symbols[0], tables[0], i, &one);
      bool more_two = fixup_at (b, &symbols[1], tables[1], i, &two);
      if (more_one != more_two)
        {
          printf ("# numbers of relocations differ\n");
          return false;
        }
      if (!more_one)
        return true;
      if (memcmp (&one, &two, sizeof one) != 0)
        {
          printf ("# relocation %zu differs: offset %#jx/%#jx\n", i,
                  (uintmax_t)one.offset, (uintmax_t)two.offset);
          return false;
        }
    }
}

/* A V3 section taken apart into functions.  */
struct blocks
{
  const struct image *image;
  const struct image_section *table; /* relocations */
  struct symbols symbols;
  const uint8_t *bytes;
  size_t size, n, fres;
};

static void
blocks_open (struct blocks *blocks, const struct image *image)
{
  const struct image_section *sframe = image_find_section (image, ".sframe");
  struct error err = { 0 };
  blocks->image = image;
  blocks->bytes = image_section_bytes (image, sframe);
  blocks->size = sframe->header.sh_size;
  blocks->n = load_u32 (blocks->bytes + 8, image->big_endian);
  blocks->fres = 28 + load_u32 (blocks->bytes + 24, image->big_endian);
  blocks->table = relocations_of (image, (size_t)(sframe - image->sections));
  assert_true (symbols_open (&blocks->symbols, image, &err));
  assert_true (blocks->fres == 28 + 16 * blocks->n);
}

/* Function I: its section's name, size and block.  */
static const char *
blocks_get (const struct blocks *blocks, size_t i, uint32_t *size,
            const uint8_t **block, size_t *block_size)
{
  bool big_endian = blocks->image->big_endian;
  const uint8_t *entry = blocks->bytes + 28 + 16 * i;
  size_t begin = blocks->fres + load_u32 (entry + 12, big_endian);
  size_t end = i + 1 < blocks->n
                   ? blocks->fres + load_u32 (entry + 28, big_endian)
                   : blocks->size;
  struct fixup fixup;
  assert_true (
      fixup_at (blocks->image, &blocks->symbols, blocks->table, i, &fixup));
  *size = load_u32 (entry + 8, big_endian);
  *block = blocks->bytes + begin;
  *block_size = end - begin;
  return blocks->image->sections[fixup.section].name;
}

/* B has what A has and, besides, a function in section EXTRA.  */
static bool
same_but_for (const struct image *a, const struct image *b, const char *extra)
{
  struct blocks one, two;
  blocks_open (&one, a);
  blocks_open (&two, b);
  bool seen = false;
  size_t j = 0;
  for (size_t i = 0; i < two.n; i++)
    {
      uint32_t m, n;
      const uint8_t *x, *y;
      size_t x_size, y_size;
      const char *name = blocks_get (&two, i, &n, &y, &y_size);
      if (strcmp (name, extra) == 0)
        {
          seen = true;
          continue;
        }
      if (j == one.n)
        return false;
      const char *other = blocks_get (&one, j++, &m, &x, &x_size);
      if (strcmp (name, other) != 0 || m != n || x_size != y_size
          || memcmp (x, y, x_size) != 0)
        return false;
    }
  return seen && j == one.n;
}

static bool
same_sections (const struct image *a, const struct image *b)
{
  const struct image_section *one = image_find_section (a, ".sframe");
  const struct image_section *two = image_find_section (b, ".sframe");
  assert_non_null (one);
  assert_non_null (two);
  const uint8_t *x = image_section_bytes (a, one);
  const uint8_t *y = image_section_bytes (b, two);
  size_t m = one->header.sh_size, n = two->header.sh_size, i = 0;
  while (i < m && i < n && x[i] == y[i])
    i++;
  if (i < m || i < n)
    {
      printf ("# sizes %#zx and %#zx, first difference at %#zx\n", m, n, i);
      return false;
    }
  return one->header.sh_type == two->header.sh_type
         && one->header.sh_flags == two->header.sh_flags
         && one->header.sh_addralign == two->header.sh_addralign;
}

struct tally
{
  size_t objects, different, excepted;
};

static enum cfi2sframe_format
format_of (struct sframe_variant variant)
{
  switch (variant.version)
    {
    case 1:
      return CFI2SFRAME_V1;
    case 2:
      return variant.pcrel ? CFI2SFRAME_V2 : CFI2SFRAME_V2_0;
    default:
      return CFI2SFRAME_V3;
    }
}

static bool
check_object (const char *path, struct sframe_variant variant,
              struct tally *tally)
{
  struct error err = { 0 };
  struct image old, new;
  struct object object;
  struct object_section section;
  struct cfi2sframe_report report = { 0 };
  struct cfi2sframe_options options;
  cfi2sframe_options_init (&options);
  options.format = format_of (variant);
  options.gnu = options.gnu_bugs = true;
  char name[] = "/tmp/test_gnu_XXXXXX";
  int fd = mkstemp (name);
  assert_true (fd >= 0);
  bool built = image_open (&old, path, &err);
  assert_true (built);
  built = object_open (&object, &old, &err);
  assert_true (built);
  built = object_section_build (&section, &object, &options, &report, &err)
          && object_write (&old, &section, fd, &err);
  if (!built)
    printf ("# %s\n", err.reason);
  assert_true (built);
  if (!image_open (&new, name, &err))
    fail_msg ("%s", err.reason);
  const char *keep = getenv ("TEST_GNU_KEEP");
  if (keep)
    rename (name, keep);
  unlink (name);
  const struct exception *exception = find_exception (path);
  bool same = exception ? same_but_for (&old, &new, exception->section)
                        : same_sections (&old, &new)
                              && same_relocations (&old, &new);
  tally->excepted += exception != NULL;
  if (exception)
    printf ("# known: %s: %s: %s\n", path, exception->section, exception->why);
  image_close (&new);
  close (fd);
  object_section_free (&section);
  object_close (&object);
  image_close (&old);
  return same;
}

static void
check_folder (const char *folder, struct sframe_variant variant,
              struct tally *tally)
{
  DIR *directory = opendir (folder);
  if (directory == NULL)
    fail_msg ("no folder %s", folder);
  for (struct dirent *entry; (entry = readdir (directory)) != NULL;)
    {
      char path[1024];
      size_t length = strlen (entry->d_name);
      if (length < 3 || strcmp (entry->d_name + length - 2, ".o") != 0)
        continue;
      snprintf (path, sizeof path, "%s/%s", folder, entry->d_name);
      tally->objects++;
      if (check_object (path, variant, tally))
        continue;
      tally->different++;
      printf ("# DIFFERENT: %s\n", path);
    }
  closedir (directory);
}

static void
check_release (const char *release, struct sframe_variant variant,
               const char *const *machines, size_t at_least)
{
  const char *source = getenv ("srcdir");
  struct tally tally = { 0 };
  for (; *machines; machines++)
    {
      char folder[512];
      snprintf (folder, sizeof folder, "%s/tests/data/gnu/%s/%s",
                source ? source : ".", release, *machines);
      check_folder (folder, variant, &tally);
    }
  printf ("# %s: %zu objects, %zu different, %zu known to differ\n", release,
          tally.objects, tally.different, tally.excepted);
  assert_true (tally.objects >= at_least);
  assert_int_equal (tally.different, 0);
}

static const char *const two_machines[] = { "amd64", "aarch64", NULL };
static const char *const three_machines[]
    = { "amd64", "aarch64", "s390x", NULL };

TEST (v1_is_that_of_2_40)
{
  check_release ("v1-binutils-2.40", (struct sframe_variant){ 1, false },
                 two_machines, 13);
}

TEST (v2_is_that_of_2_44)
{
  check_release ("v2-binutils-2.44", (struct sframe_variant){ 2, false },
                 two_machines, 13);
}

TEST (v2_is_that_of_2_45)
{
  check_release ("v2-binutils-2.45", (struct sframe_variant){ 2, true },
                 three_machines, 22);
}

TEST (v3_is_that_of_2_47)
{
  check_release ("v3-binutils-2.47", (struct sframe_variant){ 3, true },
                 three_machines, 25);
}

TEST (v3_of_odd_cases_is_that_of_2_47)
{
  static const char *const probes[] = { "probes", NULL };
  check_release ("v3-binutils-2.47", (struct sframe_variant){ 3, true },
                 probes, 13);
}
