/* Unit tests of src/write/existing: which bytes a new .sframe may take over.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tests/unit/elf_builder.h"
#include "write/existing.h"
#include "write/inject_check.h"
#include "tests/unit_test.h"

enum
{
  SIZE = 16
};

/* Whether an .sframe of SIZE bytes at OFFSET can be replaced in ELF, which is
   finished and has one, at another place.  */
static bool
is_replaceable (struct elf_builder *elf, uint64_t offset, struct error *err)
{
  struct image image;
  uint8_t *header
      = elf->bytes + elf->header.e_shoff
        + elf_builder_section (elf, ".sframe") * sizeof (Elf64_Shdr);
  store_u64 (header + offsetof (Elf64_Shdr, sh_offset), offset, false);
  store_u64 (header + offsetof (Elf64_Shdr, sh_addr), offset, false);
  assert_true (image_open_memory (&image, elf->bytes, elf->size, err));
  struct existing found = existing_find (&image);
  assert_int_equal (found.place.n_sections, 1);
  bool replaceable = existing_check_replaceable (&found, &image, err);
  image_close (&image);
  return replaceable;
}

/* PT_NOTE has bytes of no section, from 0x2080 on.  */
TEST (only_bytes_of_its_own_are_replaced)
{
  static struct elf_builder elf;
  elf_builder_program (&elf, EM_X86_64, false);
  Elf64_Phdr *note = elf_builder_segment (&elf, PT_NOTE);
  note->p_offset = note->p_vaddr = note->p_paddr = 0x2080;
  note->p_filesz = note->p_memsz = 0x10;
  elf.sections[elf_builder_section (&elf, ".data")].sh_type = SHT_NULL;
  elf_builder_segment (&elf, PT_PHDR)->p_type = PT_NULL;
  elf_builder_add_section (&elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC, 0x1180,
                           SIZE, 8);
  elf_builder_finish (&elf);
  const struct
  {
    uint64_t offset;
    bool replaceable;
  } cases[] = {
    { 0x1180, true }, /* behind the code */
    { 0x30, false },  /* the ELF header */
    { 0x40, false },  /* the program headers */
    { 0x1f8, false },
    { elf.header.e_shoff, false },
    { elf.size - SIZE, false },
    { 0x300, true },   /* behind .dynstr */
    { 0x2f8, false },  /* its last bytes */
    { 0x3f1, false },  /* one of .rodata's */
    { 0x2088, false }, /* the note */
    { 0x2090, true },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct error err = { 0 };
      if (is_replaceable (&elf, given->offset, &err) != given->replaceable)
        fail_msg ("at 0x%zx: %s", (size_t)given->offset, err.reason);
      if (!given->replaceable)
        assert_string_equal (err.reason,
                             "its .sframe overlaps other contents");
    }
}

/* Where a program without PT_GNU_SFRAME has no bytes for a section.  */
TEST (sections_without_contents_are_not_replaced)
{
  static struct elf_builder elf;
  struct image image;
  struct error err = { 0 };
  elf_builder_program (&elf, EM_X86_64, false);
  elf_builder_add_section (&elf, ".sframe", SHT_NOBITS, SHF_ALLOC, 0x1180,
                           SIZE, 8);
  elf_builder_finish (&elf);
  assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
  struct existing found = existing_find (&image);
  assert_int_equal (found.place.size, SIZE);
  assert_null (found.place.bytes);
  assert_false (existing_check_replaceable (&found, &image, &err));
  assert_string_equal (err.reason, ".sframe has no contents");
  image_close (&image);
}

/* Offset and address, and size; 0: there is none.  */
struct span
{
  uint64_t at, size;
};

/* Headers of an .sframe, and what they come to.  */
struct headers
{
  struct span first, section; /* sections, one in front of the other */
  uint32_t type;              /* of the other one, if not SHT_GNU_SFRAME */
  struct span segment;
  uint64_t moved;    /* is added to the address of the segment */
  struct span found; /* at 0: the file has none of the bytes */
  bool disagree;
};

#define HERE     \
  {              \
    0x1180, SIZE \
  }

/* Parts of the program that asked in ways of their own found another one.  */
static const struct headers headers[] = {
  { .found = { 0, 0 } },
  { .section = HERE, .found = HERE },
  { .segment = HERE, .found = HERE },
  /* The section is believed, which GNU ld makes a smaller one.  */
  { .section = HERE, .segment = { 0x1180, 2 * SIZE }, .found = HERE },
  { .section = HERE,
    .segment = { 0x1188, SIZE },
    .found = HERE,
    .disagree = true },
  { .section = HERE,
    .segment = HERE,
    .moved = 8,
    .found = HERE,
    .disagree = true },
  /* Sections without bytes are not.  */
  { .section = { 0x1180, 0 },
    .segment = HERE,
    .found = HERE,
    .disagree = true },
  { .section = HERE,
    .type = SHT_NOBITS,
    .segment = HERE,
    .found = HERE,
    .disagree = true },
  { .section = HERE, .type = SHT_NOBITS, .found = { 0, SIZE } },
  { .section = { 0x1180, 0 } },
  { .first = { 0x1170, 0 }, .section = HERE, .found = HERE },
  { .first = { 0x1170, 8 }, .section = HERE, .found = { 0x1170, 8 } },
};

TEST (one_place_is_found_whatever_headers_say)
{
  for (size_t i = 0; i < N_OF (headers); i++)
    {
      static struct elf_builder elf;
      const struct headers *given = &headers[i];
      struct image image;
      struct error err = { 0 };
      elf_builder_program (&elf, EM_X86_64, false);
      Elf64_Phdr *segment = elf_builder_segment (&elf, PT_NOTE);
      segment->p_type = PT_GNU_SFRAME;
      segment->p_offset = segment->p_paddr = given->segment.at;
      segment->p_vaddr = given->segment.at + given->moved;
      segment->p_filesz = segment->p_memsz = given->segment.size;
      if (given->first.at != 0)
        elf_builder_add_section (&elf, ".first", SHT_GNU_SFRAME, SHF_ALLOC,
                                 given->first.at, given->first.size, 8);
      if (given->section.at != 0)
        elf_builder_add_section (
            &elf, ".sframe", given->type != 0 ? given->type : SHT_GNU_SFRAME,
            SHF_ALLOC, given->section.at, given->section.size, 8);
      elf_builder_finish (&elf);
      assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
      const struct sframe_place found = sframe_place_find (&image);
      assert_int_equal (found.size, given->found.size);
      assert_ptr_equal (found.bytes, given->found.at == 0
                                         ? NULL
                                         : image.bytes + given->found.at);
      assert_int_equal (found.disagrees, given->disagree);
      assert_int_equal (found.segment != NULL, given->segment.size > 0);
      image_close (&image);
    }
}

/* Make ELF a program with an .sframe, whose program header is the first one,
   and NEW what is left of it without.  Section 0 is no section, whatever its
   type.  */
static void
remove_sframe (struct elf_builder *elf, uint8_t *new)
{
  elf_builder_program (elf, EM_X86_64, false);
  elf->segments[0].p_type = PT_GNU_SFRAME;
  elf->sections[0].sh_type = SHT_GNU_SFRAME;
  elf_builder_add_section (elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC, 0x1180,
                           SIZE, 8);
  elf_builder_finish (elf);
  memcpy (new, elf->bytes, elf->size);
  memset (new + elf->header.e_phoff, 0, sizeof (Elf64_Word));
  memset (new + elf->header.e_shoff
              + elf_builder_section (elf, ".sframe") * sizeof (Elf64_Shdr),
          0, sizeof (Elf64_Shdr));
}

/* The file that a plan makes is checked without the plan: a mistake in the
   plan, or in how it is carried out, must not pass.  */
TEST (each_byte_of_what_is_removed_is_checked)
{
  static struct elf_builder elf;
  static uint8_t new[ELF_FILE_MAX];
  struct image image;
  struct error err = { 0 };
  remove_sframe (&elf, new);
  assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
  assert_true (inject_check_removed (&image, new, elf.size, &err));
  assert_false (inject_check_removed (&image, new, elf.size - 1, &err));
  for (uint64_t i = 0; i < elf.size; i++)
    {
      new[i] ^= 0x7f;
      if (inject_check_removed (&image, new, elf.size, &err))
        fail_msg ("byte %#llx", (unsigned long long)i);
      new[i] ^= 0x7f;
    }
  image_close (&image);
}

/* Large numbers of headers stand in section 0.  */
TEST (no_header_gets_lost_where_section_0_has_their_number)
{
  static const size_t places[]
      = { offsetof (Elf64_Shdr, sh_size), offsetof (Elf64_Shdr, sh_info) };
  static struct elf_builder elf;
  static uint8_t new[ELF_FILE_MAX];
  struct image image;
  struct error err = { 0 };
  remove_sframe (&elf, new);
  for (int i = 0; i < 2; i++)
    {
      uint8_t *bytes = i == 0 ? elf.bytes : new;
      uint8_t *section = bytes + elf.header.e_shoff;
      store_u16 (bytes + offsetof (Elf64_Ehdr, e_shnum), 0, false);
      store_u16 (bytes + offsetof (Elf64_Ehdr, e_phnum), PN_XNUM, false);
      store_u64 (section + places[0], elf.n_sections, false);
      store_u32 (section + places[1], (uint32_t)elf.n_segments, false);
    }
  assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
  assert_int_equal (image.n_sections, elf.n_sections);
  assert_int_equal (image.n_segments, elf.n_segments);
  assert_true (inject_check_removed (&image, new, elf.size, &err));
  for (int i = 0; i < 2; i++)
    {
      uint8_t *number = new + elf.header.e_shoff + places[i];
      uint32_t old = load_u32 (number, false);
      store_u32 (number, old - 1, false);
      assert_false (inject_check_removed (&image, new, elf.size, &err));
      assert_non_null (strstr (err.reason, "other ELF header"));
      store_u32 (number, old, false);
    }
  image_close (&image);
}

/* Whether the file that PLAN makes of IMAGE passes the self-check of what is
   removed.  */
static bool
is_removed (const struct image *image, const struct plan *plan,
            struct error *err)
{
  static uint8_t new[ELF_FILE_MAX];
  size_t n;
  struct plan_piece *pieces = plan_cut (plan, image->bytes, NULL, &n);
  assert_non_null (pieces);
  memset (new, 0, sizeof new);
  for (size_t i = 0; i < n; i++)
    if (pieces[i].bytes != NULL)
      memcpy (new + pieces[i].offset, pieces[i].bytes, pieces[i].size);
  free (pieces);
  return inject_check_removed (image, new, plan->new_size, err);
}

/* The file is as the plan says, and the plan says too much.  */
TEST (a_wrong_plan_for_a_removal_is_noticed)
{
  static struct elf_builder elf;
  struct image image;
  struct plan plan;
  struct error err = { 0 };
  elf_builder_program (&elf, EM_X86_64, false);
  elf_builder_add_section (&elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC, 0x1180,
                           SIZE, 8);
  elf_builder_finish (&elf);
  assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
  struct existing found = existing_find (&image);
  assert_true (existing_plan_removal (&plan, &found, &image, &err));
  assert_true (is_removed (&image, &plan, &err));
  assert_non_null (plan_add_patch (&plan, 0x2088, 8, &err));
  assert_false (is_removed (&image, &plan, &err));
  assert_string_equal (
      err.reason,
      "self-check of the new file failed: other bytes than before");
  plan_free (&plan);
  image_close (&image);
}

/* Whether the file, with its section header table at SECTIONS, has a record.
 */
static bool
has_record (struct elf_builder *elf, uint64_t sections)
{
  struct image image;
  struct error err = { 0 };
  store_u64 (elf->bytes + offsetof (Elf64_Ehdr, e_shoff), sections, false);
  assert_true (image_open_memory (&image, elf->bytes, elf->size, &err));
  bool found = existing_find (&image).has_record;
  image_close (&image);
  return found;
}

/* Cutting it off would remove what a hostile file has in it.  */
TEST (records_with_headers_in_them_are_none)
{
  static struct elf_builder elf;
  struct image image;
  struct plan plan = { .sframe_offset = 0x1180, .sframe_size = SIZE };
  struct error err = { 0 };
  struct buffer record;
  elf_builder_program (&elf, EM_X86_64, false);
  elf_builder_finish (&elf);
  assert_true (image_open_memory (&image, elf.bytes, elf.size, &err));
  plan.new_size = image.size;
  buffer_init (&record, false);
  assert_true (plan_copy (&plan, 0, 0, image.size, &err));
  assert_true (undo_record_build (&record, &image, &plan, &err));
  plan_free (&plan);
  image_close (&image);
  uint64_t sections = elf.header.e_shoff, begin = elf.size;
  memcpy (elf.bytes + begin, record.bytes, record.size);
  elf.size += record.size;
  buffer_free (&record);
  assert_true (has_record (&elf, sections));
  /* One header, the empty one.  */
  store_u16 (elf.bytes + offsetof (Elf64_Ehdr, e_shnum), 1, false);
  store_u16 (elf.bytes + offsetof (Elf64_Ehdr, e_shstrndx), 0, false);
  assert_true (has_record (&elf, begin - 64));
  assert_false (has_record (&elf, begin - 63));
  assert_false (has_record (&elf, begin));
}
