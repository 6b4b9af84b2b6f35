/* Unit tests of relocatable/object_check: no byte of a new object that means
   anything to a linker can be wrong without being noticed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "relocatable/object_symbols.h"
#include "relocatable/object_section.h"
#include "relocatable/object.h"
#include "relocatable/object_write.h"
#include "tests/unit_test.h"

/* An object and what was made of it.  */
struct pair
{
  uint8_t bytes[8192]; /* the old one */
  struct image old;
  struct object object;
  struct object_section section;
  uint8_t *new;
  size_t size;
  size_t changes; /* that were tried */
};

static void
read_old (struct pair *pair)
{
  char path[512];
  const char *source = getenv ("srcdir");
  snprintf (path, sizeof path, "%s/tests/data/relocatable/symbol_indexes.o",
            source ? source : ".");
  FILE *file = fopen (path, "rb");
  assert_non_null (file);
  size_t size = fread (pair->bytes, 1, sizeof pair->bytes, file);
  fclose (file);
  struct error err = { 0 };
  assert_true (image_open_memory (&pair->old, pair->bytes, size, &err));
}

static uint8_t *
header_of (struct pair *pair, const struct image_section *section)
{
  return pair->bytes + pair->old.header.e_shoff
         + (size_t)(section - pair->old.sections) * sizeof (Elf64_Shdr);
}

/* Read the old object again, after its bytes were changed.  */
static void
reopen (struct pair *pair)
{
  struct error err = { 0 };
  size_t size = pair->old.size;
  image_close (&pair->old);
  assert_true (image_open_memory (&pair->old, pair->bytes, size, &err));
}

/* Make .data what older releases of LLVM wrote: edges of a graph of calls.  */
static void
add_raw_call_graph (struct pair *pair)
{
  struct image *old = &pair->old;
  const struct image_section *data = image_find_section (old, ".data");
  const struct image_section *symbols = image_find_section (old, ".symtab");
  uint8_t *header = header_of (pair, data);
  store_u32 (header + offsetof (Elf64_Shdr, sh_type),
             SHT_LLVM_CALL_GRAPH_PROFILE_RAW, false);
  store_u32 (header + offsetof (Elf64_Shdr, sh_link),
             (uint32_t)(symbols - old->sections), false);
  uint8_t *edge = pair->bytes + data->header.sh_offset;
  store_u32 (edge, 3, false);
  store_u32 (edge + 4, 1, false);
  reopen (pair);
}

static void
make_new (struct pair *pair)
{
  struct error err = { 0 };
  struct cfi2sframe_report report = { 0 };
  struct cfi2sframe_options options;
  cfi2sframe_options_init (&options);
  int fd = memfd_create ("test_object_check", MFD_CLOEXEC);
  assert_true (fd >= 0);
  assert_true (object_open (&pair->object, &pair->old, &err));
  assert_true (object_section_build (&pair->section, &pair->object, &options,
                                     &report, &err));
  assert_true (object_write (&pair->old, &pair->section, fd, &err));
  const void *mapped = mapped_file_open (fd, &pair->size, &err);
  assert_non_null (mapped);
  pair->new = malloc (pair->size);
  assert_non_null (pair->new);
  memcpy (pair->new, mapped, pair->size);
  mapped_file_close (mapped, pair->size);
  close (fd);
}

static void
free_pair (struct pair *pair)
{
  free (pair->new);
  object_section_free (&pair->section);
  object_close (&pair->object);
  image_close (&pair->old);
}

/* Whether the new object passes for the one that was to be made.  */
static bool
passes (const struct pair *pair, const char **reason)
{
  static struct error err;
  struct image new;
  err = (struct error){ 0 };
  *reason = err.reason;
  if (!image_open_memory (&new, pair->new, pair->size, &err))
    return false;
  bool same = object_check (&pair->old, &new, &pair->section, &err);
  image_close (&new);
  return same;
}

/* Change each of SIZE bytes at OFFSET.  */
static void
try_bytes (struct pair *pair, uint64_t offset, uint64_t size, const char *what)
{
  static const uint8_t changes[] = { 0x01, 0x80, 0xff };
  const char *reason;
  for (uint64_t i = 0; i < size; i++)
    FOR_EACH_ROW (given, changes)
      {
        pair->new[offset + i] ^= *given;
        if (passes (pair, &reason))
          fail_msg ("byte %d of %s at 0x%llx can be wrong", (int)i, what,
                    (unsigned long long)offset);
        pair->new[offset + i] ^= *given;
        pair->changes++;
      }
}

#define TRY_FIELD(pair, at, type, field)          \
  try_bytes (pair, (at) + offsetof (type, field), \
             sizeof ((type *)NULL)->field, #field)

/* The table of names may have any names behind the old ones.  */
static void
try_header (struct pair *pair, uint64_t at, bool names)
{
  TRY_FIELD (pair, at, Elf64_Shdr, sh_type);
  TRY_FIELD (pair, at, Elf64_Shdr, sh_flags);
  TRY_FIELD (pair, at, Elf64_Shdr, sh_addr);
  if (!names)
    TRY_FIELD (pair, at, Elf64_Shdr, sh_size);
  TRY_FIELD (pair, at, Elf64_Shdr, sh_link);
  TRY_FIELD (pair, at, Elf64_Shdr, sh_info);
}

static void
try_all (struct pair *pair)
{
  const char *reason;
  struct image new;
  struct error err = { 0 };
  if (!passes (pair, &reason))
    fail_msg ("%s", reason);
  assert_true (image_open_memory (&new, pair->new, pair->size, &err));
  TRY_FIELD (pair, 0, Elf64_Ehdr, e_ident);
  TRY_FIELD (pair, 0, Elf64_Ehdr, e_type);
  TRY_FIELD (pair, 0, Elf64_Ehdr, e_machine);
  TRY_FIELD (pair, 0, Elf64_Ehdr, e_flags);
  TRY_FIELD (pair, 0, Elf64_Ehdr, e_shnum);
  TRY_FIELD (pair, 0, Elf64_Ehdr, e_shstrndx);
  for (size_t i = 1; i < new.n_sections; i++)
    {
      const struct image_section *section = &new.sections[i];
      uint64_t size = i == new.section_names
                          ? pair->old.sections[i].header.sh_size
                          : section->header.sh_size;
      try_header (pair, new.header.e_shoff + i * sizeof (Elf64_Shdr),
                  i == new.section_names);
      if (image_section_bytes (&new, section) != NULL)
        try_bytes (pair, section->header.sh_offset, size, section->name);
    }
  image_close (&new);
}

TEST (no_byte_of_a_new_object_can_be_wrong)
{
  struct pair pair = { 0 };
  read_old (&pair);
  make_new (&pair);
  try_all (&pair);
  assert_true (pair.changes > 3000);
  free_pair (&pair);
}

TEST (nor_of_one_with_a_graph_of_calls)
{
  struct pair pair = { 0 };
  read_old (&pair);
  add_raw_call_graph (&pair);
  make_new (&pair);
  try_all (&pair);
  free_pair (&pair);
}

/* libelf gives these an alignment of 8.  */
TEST (compressed_sections_of_any_alignment_are_written)
{
  struct pair pair = { 0 };
  const char *reason;
  read_old (&pair);
  store_u64 (header_of (&pair, image_find_section (&pair.old, ".data"))
                 + offsetof (Elf64_Shdr, sh_flags),
             SHF_COMPRESSED, false);
  reopen (&pair);
  make_new (&pair);
  assert_true (passes (&pair, &reason));
  free_pair (&pair);
}
