/* Unit tests of src/place: the plan of every strategy, and the files that have
   no place for the section.  No file is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Most tests are rows of the tables served[], refused[] and loaders[]
   (layout_case.h).  */

#include <limits.h>

#include "elf/dynamic.h"
#include "elf/notes.h"
#include "failing_allocations.h"
#include "layout_case.h"
#include "place/facts.h"
#include "place/refusals.h"
#include "write/inject_check.h"

enum
{
  LLVM_DEPENDENT_LIBRARIES = 0x6fff4c04 /* SHT_LLVM_DEPENDENT_LIBRARIES */
};

#define HAS(structure, field, to)        \
  .member = offsetof (structure, field), \
  .size = sizeof ((structure *)NULL)->field, .value = (to)
#define SEGMENT_HAS(segment, field, to)           \
  {                                               \
    .type = (segment), HAS (GElf_Phdr, field, to) \
  }
#define SEGMENT_AT_HAS(position, field, to)             \
  {                                                     \
    .index = (position) + 1, HAS (GElf_Phdr, field, to) \
  }
#define SECTION_HAS(section, field, to)           \
  {                                               \
    .name = (section), HAS (GElf_Shdr, field, to) \
  }
#define DYNAMIC_HAS(entry, to)               \
  {                                          \
    .tag = (entry), .size = 8, .value = (to) \
  }
#define SYMBOL_HAS(table, number, to)                                 \
  {                                                                   \
    .name = (table), .symbol = (number) + 1, .size = 8, .value = (to) \
  }
/* As large in memory as in the file.  */
#define SEGMENT_HAS_SIZE(segment, to) \
  SEGMENT_HAS (segment, p_filesz, to), SEGMENT_HAS (segment, p_memsz, to)
#define SEGMENT_AT_HAS_SIZE(position, to)  \
  SEGMENT_AT_HAS (position, p_filesz, to), \
      SEGMENT_AT_HAS (position, p_memsz, to)
/* Offset and address are the same.  */
#define SEGMENT_BEGINS(segment, at) \
  SEGMENT_HAS (segment, p_offset, at), SEGMENT_HAS (segment, p_vaddr, at)

/* One PT_NOTE for all notes.  */
#define ONE_NOTE(length)                                               \
  SEGMENT_BEGINS (PT_NOTE, 0x200), SEGMENT_HAS_SIZE (PT_NOTE, length), \
      SEGMENT_HAS (PT_NOTE, p_align, 8)

static void
open_result (struct fixture *test)
{
  if (!image_open_memory (&test->result, test->bytes, test->plan.new_size,
                          &test->err))
    fail_msg ("new file: %s", test->err.reason);
}

/* What the plan's documentation says the new file is.  */
static void
apply (struct fixture *test)
{
  const struct plan *plan = &test->plan;
  uint64_t end = 0;
  test->bytes = calloc (1, plan->new_size);
  assert_non_null (test->bytes);
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct plan_extent *extent = &plan->extents[i];
      assert_true (extent->new_offset >= end);
      end = extent->new_offset + extent->size;
      assert_true (end <= plan->new_size);
      assert_true (extent->old_offset + extent->size <= test->elf.size);
      assert_true (extent->new_offset
                       >= plan->sframe_offset + plan->sframe_size
                   || end <= plan->sframe_offset);
      memcpy (test->bytes + extent->new_offset,
              test->elf.bytes + extent->old_offset, extent->size);
    }
  for (size_t i = 0; i < plan->n_patches; i++)
    {
      const struct plan_patch *patch = &plan->patches[i];
      assert_true (patch->offset + patch->size <= plan->new_size);
      memcpy (test->bytes + patch->offset, patch->bytes, patch->size);
    }
  for (uint64_t i = 0; i < plan->sframe_size; i++)
    assert_int_equal (test->bytes[plan->sframe_offset + i], 0);
  memset (test->bytes + plan->sframe_offset, 0x5f, plan->sframe_size);
}

static const GElf_Phdr *
segment_of (const struct image *image, uint32_t type)
{
  const GElf_Phdr *segment = image_find_segment (image, type);
  assert_non_null (segment);
  return segment;
}

static const GElf_Shdr *
section_of (const struct image *image, const char *name)
{
  const struct image_section *section = image_find_section (image, name);
  if (section == NULL)
    fail_msg ("no section %s", name);
  return &section->header;
}

/* PT_GNU_SFRAME, its section and the segment that loads it.  */
static void
check_sframe (const struct fixture *test)
{
  const GElf_Phdr *sframe = segment_of (&test->result, PT_GNU_SFRAME);
  assert_int_equal (sframe->p_offset, test->plan.sframe_offset);
  assert_int_equal (sframe->p_vaddr, test->plan.sframe_address);
  assert_int_equal (sframe->p_filesz, test->request.sframe_size);
  assert_int_equal (sframe->p_vaddr & 7, 0);
  assert_int_equal (sframe->p_flags, PF_R);
  const uint8_t *loaded
      = image_bytes_at (&test->result, sframe->p_vaddr, sframe->p_filesz);
  assert_ptr_equal (loaded, test->bytes + sframe->p_offset);
  const GElf_Shdr *section = section_of (&test->result, ".sframe");
  assert_int_equal (section->sh_type, SHT_GNU_SFRAME);
  assert_int_equal (section->sh_flags, SHF_ALLOC);
  assert_int_equal (section->sh_addr, sframe->p_vaddr);
  assert_int_equal (section->sh_offset, sframe->p_offset);
  assert_int_equal (section->sh_size, sframe->p_filesz);
}

/* Of .dynsym, values of sections' symbols may be others.  */
static void
check_dynamic_symbols (const uint8_t *old, const uint8_t *new, uint64_t size)
{
  for (uint64_t at = 0; at < size; at += sizeof (Elf64_Sym))
    {
      bool section = ELF64_ST_TYPE (old[at + 4]) == STT_SECTION;
      assert_memory_equal (old + at, new + at, 8);
      if (!section)
        assert_memory_equal (old + at + 8, new + at + 8, 8);
      assert_memory_equal (old + at + 16, new + at + 16, 8);
    }
}

/* Every old section is there, with its index, name and contents.  */
static void
check_sections (const struct fixture *test)
{
  for (size_t i = 1; i < test->image.n_sections; i++)
    {
      const struct image_section *old = &test->image.sections[i];
      const struct image_section *new = &test->result.sections[i];
      assert_string_equal (old->name, new->name);
      assert_int_equal (old->header.sh_flags, new->header.sh_flags);
      if (strcmp (old->name, ".shstrtab") == 0 || i == test->replaced.section
          || strcmp (old->name, ".dynamic") == 0
          || strcmp (old->name, ".symtab") == 0
          || old->header.sh_type == SHT_NOBITS)
        continue;
      assert_int_equal (old->header.sh_size, new->header.sh_size);
      if (old->header.sh_type == SHT_DYNSYM)
        check_dynamic_symbols (test->elf.bytes + old->header.sh_offset,
                               test->bytes + new->header.sh_offset,
                               old->header.sh_size);
      else
        assert_memory_equal (test->elf.bytes + old->header.sh_offset,
                             test->bytes + new->header.sh_offset,
                             old->header.sh_size);
    }
}

/* The segments that contain no moved section are as before, and the new ones
   do not share a page with another.  */
static void
check_segments (const struct fixture *test, uint64_t page)
{
  const struct image *image = &test->result;
  uint64_t end = 0;
  bool writable = false;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type != PT_LOAD)
        continue;
      assert_int_equal ((load->p_vaddr - load->p_offset) & (page - 1), 0);
      if (writable || (load->p_flags & PF_W))
        assert_true ((load->p_vaddr & ~(page - 1)) >= end);
      end = load->p_vaddr + load->p_memsz;
      writable = load->p_flags & PF_W;
    }
}

/* Without looking for references ahead of time.  */
static void
plan_once (struct fixture *test)
{
  if (!choose_strategy (&test->plan, &test->image, &test->request, &test->err))
    fail_msg ("%s", test->err.reason);
}

/* Planning says so when any of the allocations fails.  */
static void
expect_no_plan_without_memory (const struct fixture *test)
{
  bool done = false;
  for (unsigned n = 0; !done; n++)
    {
      struct plan plan;
      struct error err = { 0 };
      allocations_granted = n;
      done = choose_strategy (&plan, &test->image, &test->request, &err);
      bool failed = allocations_granted == UINT_MAX;
      allocations_granted = UINT_MAX;
      plan_free (&plan);
      if (failed && (done || err.status != CFI2SFRAME_NO_MEMORY))
        fail_msg ("allocation %u failed: %s", n, done ? "done" : err.reason);
      assert_int_equal (failed, !done);
    }
}

static void
plan_and_apply_encoded (struct fixture *test, const char *strategy)
{
  if (!plan (test))
    fail_msg ("%s", test->err.reason);
  assert_string_equal (test->plan.strategy, strategy);
  expect_no_plan_without_memory (test);
  apply (test);
  open_result (test);
  check_sframe (test);
  check_sections (test);
  if (!inject_check_bytes (&test->image, &test->plan,
                           test->bytes + test->plan.sframe_offset, test->bytes,
                           test->plan.new_size, &test->err))
    fail_msg ("%s", test->err.reason);
}

static void
plan_and_apply (struct fixture *test, const char *strategy)
{
  open_old (test);
  plan_and_apply_encoded (test, strategy);
}

static uint64_t
dynamic_value (const struct image *image, int64_t tag)
{
  uint64_t value = 0;
  assert_true (dynamic_find (image, tag, &value));
  return value;
}

/* Whether a walk over the new file's PT_NOTE comes to a note of TYPE.  */
static bool
finds_note (const struct fixture *test, uint64_t align, uint32_t type)
{
  const GElf_Phdr *segment = segment_of (&test->result, PT_NOTE);
  struct note_walk walk = { test->bytes + segment->p_offset, segment->p_filesz,
                            align, test->image.big_endian, 0 };
  struct note note;
  while (note_next (&walk, &note))
    if (note.type == type)
      return true;
  return false;
}

/* The last PT_LOAD of the new file, and the one before it.  */
static const GElf_Phdr *
last_load (const struct fixture *test, const GElf_Phdr **before)
{
  const GElf_Phdr *last = NULL;
  for (size_t i = 0; i < test->result.n_segments; i++)
    if (test->result.segments[i].p_type == PT_LOAD)
      {
        *before = last;
        last = &test->result.segments[i];
      }
  assert_non_null (last);
  return last;
}

static void
set_segment_size (struct fixture *test, const struct change *change)
{
  Elf64_Phdr *segment = &test->elf.segments[change->at];
  segment->p_filesz = segment->p_memsz = change->size;
}

#define SEGMENT_SIZE(segment, to)                           \
  {                                                         \
    .make = set_segment_size, .at = (segment), .size = (to) \
  }

static void
clear_physical_addresses (struct fixture *test, const struct change *change)
{
  (void)change;
  for (size_t i = 0; i < test->elf.n_segments; i++)
    test->elf.segments[i].p_paddr = 0;
}

#define NO_PHYSICAL_ADDRESSES        \
  {                                  \
    .make = clear_physical_addresses \
  }

static void
set_segment_place (struct fixture *test, const struct change *change)
{
  Elf64_Phdr *segment = &test->elf.segments[change->at];
  segment->p_offset = segment->p_vaddr = segment->p_paddr = change->value;
}

#define SEGMENT_PLACE(segment, to)                            \
  {                                                           \
    .make = set_segment_place, .at = (segment), .value = (to) \
  }

static void
add_dynamic_entry (struct fixture *test, int64_t tag, uint64_t value)
{
  uint8_t *entry = test->elf.bytes + 0x2000;
  while (load_u64 (entry, test->elf.big_endian) != DT_NULL)
    entry += 16;
  store_u64 (entry, (uint64_t)tag, test->elf.big_endian);
  store_u64 (entry + 8, value, test->elf.big_endian);
}

static void
set_dynamic (struct fixture *test, const struct change *change)
{
  add_dynamic_entry (test, (int64_t)change->at, change->value);
}

#define DYNAMIC(tag, to)                            \
  {                                                 \
    .make = set_dynamic, .at = (tag), .value = (to) \
  }

static void
set_symbol (struct fixture *test, const struct change *change)
{
  elf_builder_symbol (&test->elf, change->at, change->text,
                      (uint8_t)change->type, change->value);
}

#define SYMBOL(index, section, info, to)                                  \
  {                                                                       \
    .make = set_symbol, .at = (index), .text = (section), .type = (info), \
    .value = (to)                                                         \
  }

/* A global variable on the build-id.  */
#define BUILD_ID_SYMBOL                                                    \
  SYMBOL (1, ".note.gnu.build-id", ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT), \
          0x220)

/* An .sframe that is there already, and is replaced.  */
static void
add_old_sframe (struct fixture *test, const struct change *change)
{
  elf_builder_add_section (&test->elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC,
                           change->at, change->size, 4)
      ->sh_addr
      = change->value;
  test->replaced = (struct sframe_place){ .section = test->elf.n_sections - 1,
                                          .offset = change->at,
                                          .address = change->value,
                                          .size = change->size };
  test->request.replaced = &test->replaced;
}

#define OLD_SFRAME(offset, address, length)                     \
  {                                                             \
    .make = add_old_sframe, .at = (offset), .value = (address), \
    .size = (length)                                            \
  }
/* Behind .rodata, with a free header; the new one needs 0x100 bytes.  */
#define OLD_PLACE(offset, address, length)                      \
  SET_SECTION (S_RODATA, sh_size, 0x100), NO_SEGMENT (P_STACK), \
      SET (request.sframe_size, 0x100), OLD_SFRAME (offset, address, length)

/* An ABI tag, which need not stay in the first page, in the build-id's place.
 */
#define NO_BUILD_ID NOTE (0x220, "GNU", NT_GNU_ABI_TAG, 20)

/* .interp is not to move.  */
#define INTERP_STAYS SET_SECTION (S_INTERP, sh_flags, SHF_ALLOC | SHF_WRITE)

/* ---- Programs that several tests change.  */

/* Section INDEX is notes, SIZE bytes at AT.  */
static void
set_note_section (struct elf_builder *elf, size_t index, const char *name,
                  uint64_t at, uint64_t size, uint64_t align)
{
  elf->names[index] = name;
  elf->sections[index].sh_type = SHT_NOTE;
  elf->sections[index].sh_offset = elf->sections[index].sh_addr = at;
  elf->sections[index].sh_size = size;
  elf->sections[index].sh_addralign = align;
}

/* Give .rodata a segment of its own, behind the first one and in the same
   page, in the slot of PT_GNU_STACK.  */
static void
split_first_load (struct elf_builder *elf)
{
  Elf64_Phdr *load = elf_builder_segment (elf, PT_LOAD);
  memmove (load + 1, load,
           (size_t)(&elf->segments[elf->n_segments - 1] - load)
               * sizeof *load);
  load[0].p_filesz = load[0].p_memsz = 0x400;
  elf_builder_set_range (&load[1], 0x400, 0x200);
}

/* Move what begins at file offset FROM or behind it on by a page, and with
   ADDRESSES in memory as well.  */
static void
move_on (struct elf_builder *elf, uint64_t from, bool addresses)
{
  const uint64_t page = 0x1000;
  memmove (elf->bytes + from + page, elf->bytes + from, elf->size - from);
  memset (elf->bytes + from, 0, page);
  elf->size += page;
  for (size_t i = 0; i < elf->n_segments; i++)
    if (elf->segments[i].p_offset >= from)
      {
        elf->segments[i].p_offset += page;
        elf->segments[i].p_vaddr += addresses ? page : 0;
        elf->segments[i].p_paddr += addresses ? page : 0;
      }
  for (size_t i = 0; i < elf->n_sections; i++)
    if (elf->sections[i].sh_offset >= from)
      {
        elf->sections[i].sh_offset += page;
        if (addresses && (elf->sections[i].sh_flags & SHF_ALLOC))
          elf->sections[i].sh_addr += page;
      }
  elf->header.e_entry += addresses ? page : 0;
}

static void
make_two_read_only_segments (struct fixture *test)
{
  split_first_load (&test->elf);
  move_on (&test->elf, 0x400, true);
  test->request.sframe_size = SMALL;
}

static void
make_aarch64 (struct fixture *test)
{
  elf_builder_program (&test->elf, EM_AARCH64, false);
}

static void
make_s390x (struct fixture *test)
{
  elf_builder_program (&test->elf, EM_S390, true);
}

/* As GNU ld lays out a plugin of Qt 6: a note that code points to (0x200,
   ALIGN) and the build-id behind it, in two PT_NOTEs.  */
static void
make_plugin (struct fixture *test, uint32_t contents)
{
  struct elf_builder *elf = &test->elf;
  uint32_t note_size = (0x10 + contents + 7) & ~7u;
  Elf64_Phdr *second = elf_builder_segment (elf, PT_NOTE);
  Elf64_Phdr *first = elf_builder_segment (elf, PT_INTERP);
  elf_builder_segment (elf, PT_PHDR)->p_type = PT_LOPROC;
  elf->segments[0].p_filesz = elf->segments[0].p_memsz = 0;
  memset (elf->bytes + 0x200, 0, 0x48);
  elf_builder_note (elf, 0x200, "qt!", 7, contents);
  elf_builder_note (elf, 0x200 + note_size, "GNU", NT_GNU_BUILD_ID, 20);
  first->p_type = PT_NOTE;
  first->p_align = 8;
  elf_builder_set_range (first, 0x200, note_size);
  elf_builder_set_range (second, 0x200 + note_size, 36);
  set_note_section (elf, 1, ".note.qt.metadata", 0x200, note_size, 8);
  set_note_section (elf, 2, ".note.gnu.build-id", 0x200 + note_size, 36, 4);
}

static void
make_long_plugin (struct fixture *test)
{
  make_plugin (test, 8);
}

/* Its first note ends in padding for alignment 8.  */
static void
make_short_plugin (struct fixture *test)
{
  make_plugin (test, 4);
}

/* The build-id has three headers.  */
static void
make_plugin_with_a_note_thrice (struct fixture *test)
{
  make_plugin (test, 8);
  test->elf.segments[P_PHDR] = test->elf.segments[P_STACK]
      = test->elf.segments[P_NOTE];
}

/* An unknown note behind the table of a file without PT_INTERP.  */
static void
make_library (struct fixture *test)
{
  elf_builder_segment (&test->elf, PT_INTERP)->p_filesz = 0;
  elf_builder_segment (&test->elf, PT_INTERP)->p_type = PT_LOPROC;
  test->elf.sections[1].sh_flags |= SHF_EXECINSTR; /* stays */
  test->elf.header.e_entry = 0;
}

/* As in Chromium: an ABI tag and a note that code points to in one PT_NOTE. */
static void
make_crash_reporter (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  Elf64_Phdr *note = elf_builder_segment (elf, PT_NOTE);
  memset (elf->bytes + 0x220, 0, 0x98);
  elf_builder_note (elf, 0x21c, "GNU", NT_GNU_ABI_TAG, 16);
  elf_builder_note (elf, 0x23c, "Cra", 7, 4);
  elf_builder_set_range (note, 0x21c, 0x34);
  set_note_section (elf, 2, ".note.ABI-tag", 0x21c, 32, 4);
  set_note_section (elf, 3, ".note.crashpad.info", 0x23c, 20, 4);
}

/* As mold lays out a program: the properties, the ABI tag and a note that code
   points to in one PT_NOTE of alignment 8, in which a walk loses its way
   behind the third.  */
static void
make_mold_program (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  Elf64_Phdr *note = elf_builder_segment (elf, PT_NOTE);
  memset (elf->bytes + 0x21c, 0, 0x9c);
  elf_builder_note (elf, 0x220, "GNU", NT_GNU_PROPERTY_TYPE_0, 16);
  elf_builder_note (elf, 0x240, "GNU", NT_GNU_ABI_TAG, 16);
  elf_builder_note (elf, 0x260, "own", 7, 4);
  elf_builder_note (elf, 0x274, "own", 8, 4);
  elf_builder_set_range (note, 0x220, 0x68);
  note->p_align = 8;
  set_note_section (elf, 2, ".note.gnu.property", 0x220, 32, 8);
  set_note_section (elf, 3, ".note.ABI-tag", 0x240, 32, 4);
  set_note_section (elf, 4, ".note.own", 0x260, 40, 4);
}

static void
make_loader (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  /* SONAME ld-test.so.1, no PT_INTERP.  */
  strcpy ((char *)elf->bytes + 0x2b8 + 1, "ld-test.so.1");
  store_u64 (elf->bytes + 0x2000, DT_SONAME, elf->big_endian);
  Elf64_Phdr *interp = elf_builder_segment (elf, PT_INTERP);
  *interp = *elf_builder_segment (elf, PT_NOTE);
  elf_builder_note (elf, 0x200, "GNU", NT_GNU_ABI_TAG, 12);
  set_note_section (elf, 1, ".note.ABI-tag", 0x200, 0x1c, 4);
  elf_builder_set_range (interp, 0x200, 0x1c);
}

/* ---- Files that are served.  */

static void
make_padding_to_fill (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  make_two_read_only_segments (test);
  elf->segments[elf->n_segments++].p_type = PT_NULL;
  elf_builder_segment (elf, PT_INTERP)->p_offset = 0x240;
  elf_builder_segment (elf, PT_INTERP)->p_vaddr = 0x240;
  elf_builder_segment (elf, PT_INTERP)->p_filesz = 0;
  elf->sections[S_INTERP].sh_offset = elf->sections[S_INTERP].sh_addr = 0x244;
  elf->sections[S_INTERP].sh_size = 4;
  elf->sections[S_INTERP].sh_type = SHT_PROGBITS;
  elf_builder_note (elf, 0x23c, "GNU", NT_GNU_BUILD_ID, 0);
  elf->sections[S_BUILD_ID].sh_offset = 0x238;
  elf->sections[S_BUILD_ID].sh_addr = 0x238;
  elf->sections[S_BUILD_ID].sh_type = SHT_PROGBITS;
  elf->sections[S_BUILD_ID].sh_size = 8;
  elf_builder_segment (elf, PT_NOTE)->p_type = PT_LOPROC + 5;
}

static void
make_two_segments_in_a_page (struct fixture *test)
{
  split_first_load (&test->elf);
  test->request.sframe_size = SMALL;
}

/* The file has 0x1a00 free bytes behind the second segment, the memory 0xa00.
 */
static void
make_segments_apart_in_the_file (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  make_two_read_only_segments (test);
  move_on (elf, 0x2000, false);
  test->request.sframe_size = 0xf80;
}

static void
check_segments_of_4_kib (const struct fixture *test)
{
  check_segments (test, 0x1000);
}

static void
align_loads (struct fixture *test, uint64_t align)
{
  for (size_t i = 0; i < test->elf.n_segments; i++)
    if (test->elf.segments[i].p_type == PT_LOAD)
      test->elf.segments[i].p_align = align;
}

static void
make_64_kib_pages (struct fixture *test)
{
  test->request.sframe_size = SMALL;
  test->elf.header.e_machine = EM_AARCH64;
  align_loads (test, 0x10000);
}

static void
make_doubled_property (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  elf_builder_note (elf, 0x220, "GNU", NT_GNU_PROPERTY_TYPE_0, 16);
  elf->sections[S_BUILD_ID].sh_size = 32;
  elf->segments[P_NOTE].p_filesz = elf->segments[P_NOTE].p_memsz = 32;
  elf->segments[P_STACK] = elf->segments[P_NOTE];
  elf->segments[P_STACK].p_type = PT_GNU_PROPERTY;
  test->request.sframe_size = SMALL;
}

/* Readers of the one may go by its alignment, and the other has another.  */
static void
make_unlike_property (struct fixture *test)
{
  make_doubled_property (test);
  test->elf.segments[P_NOTE].p_align = 1;
  memset (test->elf.bytes + 0x240, 0, 4); /* was of the build-id */
}

static void
check_note_and_property (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_align, 1);
  segment_of (&test->result, PT_GNU_PROPERTY);
}

static void
check_property_alone (const struct fixture *test)
{
  assert_null (image_find_segment (&test->result, PT_NOTE));
  segment_of (&test->result, PT_GNU_PROPERTY);
  /* .interp did not have to move.  */
  assert_int_equal (segment_of (&test->result, PT_INTERP)->p_offset, 0x200);
}

/* As Go does: sections start later, the table stands in between.  */
static void
make_section_table_behind_headers (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  for (size_t i = S_INTERP; i <= S_DYNSTR; i++)
    elf->sections[i] = (Elf64_Shdr){ .sh_type = SHT_NULL };
  memset (elf->bytes + 0x200, 0, 0x1ff);
  elf->segments[P_INTERP].p_type = elf->segments[P_NOTE].p_type = PT_LOPROC;
  elf->segments[P_INTERP].p_filesz = elf->segments[P_NOTE].p_filesz = 0;
  elf->segments[P_DYNAMIC].p_type = PT_LOPROC + 1;
  elf->sections[S_RODATA].sh_offset = elf->sections[S_RODATA].sh_addr = 0x590;
  elf->sections[S_RODATA].sh_size = 0x70;
  elf->header.e_shoff = 0x200;
  memset (elf->bytes + 0x580, 0, 0x10);
}

static void
check_section_table_behind_the_file (const struct fixture *test)
{
  assert_true (test->result.header.e_shoff >= test->elf.size);
}

static void
check_evicted (const struct fixture *test)
{
  const struct image *new = &test->result;
  check_segments (test, 0x1000);
  assert_int_equal (new->header.e_phoff, 0x40);
  assert_int_equal (segment_of (new, PT_PHDR)->p_filesz, 560);

  const GElf_Shdr *interp = section_of (new, ".interp");
  assert_int_equal (segment_of (new, PT_INTERP)->p_offset, interp->sh_offset);
  assert_int_equal (segment_of (new, PT_INTERP)->p_vaddr, interp->sh_addr);
  /* Behind the build-id, in the bytes of .gnu.hash and .dynsym: what program
     headers name keeps the distance between address and offset.  */
  assert_in_range (interp->sh_offset, 0x40 + 10 * 56 + 0x24, 0x2b8 - 0x1c);
  assert_int_equal (interp->sh_addr, interp->sh_offset);

  const GElf_Shdr *hash = section_of (new, ".gnu.hash");
  assert_int_not_equal (hash->sh_addr, 0x248);
  assert_int_equal (hash->sh_addr & 7, 0);
  assert_int_equal (dynamic_value (new, DT_GNU_HASH), hash->sh_addr);
  assert_int_equal (dynamic_value (new, DT_SYMTAB),
                    section_of (new, ".dynsym")->sh_addr);
  /* Dynamic strings stay where they are.  */
  assert_int_equal (dynamic_value (new, DT_STRTAB), 0x2b8);

  const uint8_t *symbols
      = test->bytes + section_of (new, ".symtab")->sh_offset;
  assert_int_equal (load_u64 (symbols + 24 + 8, false), hash->sh_addr);
  assert_int_equal (load_u64 (symbols + 48 + 8, false), interp->sh_addr);
  assert_int_equal (load_u64 (symbols + 72 + 8, false), 0x1010);
}

static void
check_freed_bytes (const struct fixture *test)
{
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  const GElf_Phdr *interp = segment_of (&test->result, PT_INTERP);
  for (uint64_t i = 0x40 + 10 * 56; i < 0x2b8; i++)
    if ((i < note->p_offset || i >= note->p_offset + note->p_filesz)
        && (i < interp->p_offset || i >= interp->p_offset + interp->p_filesz))
      assert_int_equal (test->bytes[i], 0);
}

static void
make_doubled_note (struct fixture *test)
{
  make_plugin (test, 8);
  elf_builder_note (&test->elf, 0x200, "GNU", NT_GNU_PROPERTY_TYPE_0, 8);
  test->elf.segments[P_STACK] = test->elf.segments[P_INTERP];
  test->elf.segments[P_STACK].p_type = PT_GNU_PROPERTY;
  test->elf.sections[S_INTERP].sh_flags |= SHF_EXECINSTR; /* stays */
}

static void
check_no_pt_phdr (const struct fixture *test)
{
  assert_null (image_find_segment (&test->result, PT_PHDR));
}

static void
check_grown_data (const struct fixture *test)
{
  const GElf_Shdr *bss = section_of (&test->result, ".bss");
  assert_int_equal (bss->sh_type, SHT_PROGBITS);
  assert_int_equal (bss->sh_offset, 0x2100);
  for (uint64_t i = 0x2100; i < test->plan.sframe_offset; i++)
    assert_int_equal (test->bytes[i], 0);
  /* Not in a page that the BSS makes dirty.  */
  assert_int_equal (test->plan.sframe_address, 0x3000);
  const GElf_Phdr *before;
  const GElf_Phdr *load = last_load (test, &before);
  assert_int_equal (load->p_vaddr + load->p_filesz,
                    test->plan.sframe_address + LARGE);
  assert_int_equal (load->p_memsz, load->p_filesz);
  check_segments (test, 0x1000);
}

/* .dynstr goes to OFFSET, and leaves a hole.  */
static void
move_dynamic_strings (struct fixture *test, uint64_t offset)
{
  Elf64_Shdr *strings = &test->elf.sections[S_DYNSTR];
  memmove (test->elf.bytes + offset, test->elf.bytes + 0x2b8, 0x48);
  memset (test->elf.bytes + 0x2b8, 0, offset - 0x2b8);
  strings->sh_offset = strings->sh_addr = offset;
}

static void
make_room_for_patchelf (struct fixture *test)
{
  move_dynamic_strings (test, 0x300);
}

static void
check_spare_slot (const struct fixture *test)
{
  uint64_t end = 0x40 + 10 * 56;
  for (size_t i = 1; i < test->result.n_sections; i++)
    {
      const GElf_Shdr *header = &test->result.sections[i].header;
      if (header->sh_offset >= end && header->sh_type != SHT_NOBITS)
        assert_true (header->sh_offset >= end + 56);
    }
}

static void
check_old_sframe_is_gone (const struct fixture *test)
{
  assert_null (memchr (test->bytes, 0xee, test->plan.new_size));
}

static void
make_fixed_program_with_room (struct fixture *test)
{
  test->elf.sections[S_DYNSYM].sh_size = 0x120;
  move_dynamic_strings (test, 0x3a0);
  elf_builder_relocate (&test->elf, 0x400000);
}

static void
check_grown_down (const struct fixture *test)
{
  const struct image *new = &test->result;
  uint64_t distance = 0x2000; /* 64 + 9 * 56 + LARGE in whole pages */
  const GElf_Phdr *load = segment_of (new, PT_LOAD);
  assert_int_equal (load->p_vaddr, 0x400000 - distance);
  assert_int_equal (load->p_offset, 0);
  assert_int_equal (load->p_filesz, 0x600 + distance);
  assert_int_equal (segment_of (new, PT_PHDR)->p_vaddr,
                    0x400000 - distance + 0x40);
  assert_int_equal (segment_of (new, PT_GNU_STACK)->p_offset, 0);
  assert_int_equal (new->header.e_entry, 0x401000);
  assert_int_equal (section_of (new, ".text")->sh_addr, 0x401000);
  /* __ehdr_start leads to a table of its own, with true offsets: in front of
     it, modulo 2^64.  The build-id is in the first page, and where it was.  */
  const uint8_t *old = test->bytes + distance;
  const GElf_Shdr *table = section_of (new, ".headers_end");
  const GElf_Phdr *note = segment_of (new, PT_NOTE);
  const uint8_t *seen = test->bytes + table->sh_offset + P_NOTE * 56;
  assert_true (load_u64 (old + 32, false) == table->sh_addr - 0x400000);
  assert_int_equal (load_u16 (old + 56, false), 10);
  assert_true (load_u64 (seen + 8, false) == note->p_vaddr - 0x400000);
  const uint8_t *front = test->bytes + table->sh_offset + 8 * 56;
  assert_int_equal (load_u64 (front + 16, false), 0x400000 - distance);
  assert_int_equal (load_u64 (front + 32, false), distance);
  assert_int_equal (load_u64 (front + 40, false), distance);
  assert_in_range (note->p_offset, 64 + 10 * 56, 0x1000 - 0x24);
  assert_memory_equal (test->bytes + note->p_offset, old + 0x220, 0x24);
  assert_memory_equal (old + 0x220, test->elf.bytes + 0x220, 0x24);
}

/* A segment that is only read is the last bytes' owner as well as any.  */
static void
append_to_loaded_segment (struct fixture *test)
{
  uint8_t *header = test->elf.bytes + 64 + P_STACK * 56;
  test->elf.size = (test->elf.size + 0xfff) & ~UINT64_C (0xfff);
  store_u32 (header, PT_LOAD, false);
  store_u32 (header + 4, PF_R, false);
  store_u64 (header + 8, test->elf.size, false);
  store_u64 (header + 16, 0x8000, false);
  store_u64 (header + 24, 0x8000, false);
  store_u64 (header + 32, 4, false);
  store_u64 (header + 40, 4, false);
  store_u64 (header + 48, 0x1000, false);
  put (test, test->elf.size, "data", 4);
  test->elf.size += 4;
}

/* The first segment ends with a package note of LENGTH bytes at PLACE.  The
   code stands behind two pages.  */
static void
put_package_note (struct fixture *test, uint64_t place, uint64_t length)
{
  Elf64_Phdr *first = &test->elf.segments[P_FIRST];
  Elf64_Phdr *text = &test->elf.segments[P_TEXT];
  Elf64_Phdr *note = &test->elf.segments[P_NOTE];
  Elf64_Shdr *section = &test->elf.sections[S_BUILD_ID];
  uint64_t base = first->p_vaddr;
  memset (test->elf.bytes + 0x600, 0, 0x1300);
  memset (test->elf.bytes + 0x1900, 0x90, 0x100);
  first->p_filesz = first->p_memsz = place + length + 0x200; /* zeros */
  text->p_offset = test->elf.sections[S_TEXT].sh_offset = 0x1900;
  text->p_vaddr = text->p_paddr = base + 0x1900;
  test->elf.sections[S_TEXT].sh_addr = base + 0x1900;
  note->p_offset = section->sh_offset = place;
  note->p_vaddr = note->p_paddr = section->sh_addr = base + place;
  note->p_filesz = note->p_memsz = section->sh_size = length;
  elf_builder_note (&test->elf, place, "FDO", 0xcafe1a7e,
                    (uint32_t)length - 16);
}

/* The program header table stands in front of that note.  */
static void
set_table_before_note (struct fixture *test, const struct change *change)
{
  Elf64_Phdr *table = &test->elf.segments[P_PHDR];
  test->elf.header.e_phoff = table->p_offset = change->at;
  table->p_vaddr = table->p_paddr = change->at;
  put_package_note (test, change->at + table->p_filesz, change->size);
}

#define TABLE_BEFORE_NOTE(offset, length)                           \
  {                                                                 \
    .make = set_table_before_note, .at = (offset), .size = (length) \
  }

static void
set_last_note (struct fixture *test, const struct change *change)
{
  put_package_note (test, change->at, change->size);
}

#define LAST_NOTE(offset, length)                           \
  {                                                         \
    .make = set_last_note, .at = (offset), .size = (length) \
  }

static void
make_mixed_notes (struct fixture *test)
{
  elf_builder_mix_notes (&test->elf);
}

/* The build-id gets a PT_NOTE of its own in the first page, which the old ELF
   header leads to as well; the old PT_NOTE has what it had.  */
static void
check_mixed_notes (const struct fixture *test)
{
  const struct image *new = &test->result;
  const GElf_Phdr *old = &new->segments[P_NOTE];
  const GElf_Phdr *note = &new->segments[P_STACK + 1];
  const GElf_Shdr *table = section_of (new, ".headers_end");
  const uint8_t *seen
      = test->bytes + table->sh_offset + (P_STACK + 1) * sizeof (Elf64_Phdr);
  assert_int_equal (old->p_type, PT_NOTE);
  assert_int_equal (old->p_vaddr, 0x400600);
  assert_int_equal (old->p_filesz, 0x40);
  assert_memory_equal (test->bytes + old->p_offset, test->elf.bytes + 0x600,
                       0x40);
  assert_int_equal (note->p_type, PT_NOTE);
  assert_int_equal (note->p_filesz, 0x24);
  assert_int_equal (note->p_memsz, 0x24);
  assert_int_equal (note->p_align, 4);
  assert_in_range (note->p_offset, 64 + 11 * 56, 0x1000 - 0x24);
  assert_memory_equal (test->bytes + note->p_offset, test->elf.bytes + 0x61c,
                       0x24);
  assert_int_equal (section_of (new, ".note.gnu.build-id")->sh_offset,
                    note->p_offset);
  assert_int_equal (section_of (new, ".note.gnu.build-id")->sh_addr,
                    note->p_vaddr);
  assert_int_equal (section_of (new, ".note.own")->sh_addr, 0x400600);
  assert_int_equal (note->p_paddr, note->p_vaddr);
  assert_int_equal (load_u32 (seen, false), PT_NOTE);
  assert_true (load_u64 (seen + 8, false) == note->p_vaddr - 0x400000);
  assert_true (load_u64 (seen + 16, false) == note->p_vaddr);
  assert_int_equal (table->sh_size, 11 * sizeof (Elf64_Phdr));
}

static void
check_no_gap_for_patchelf (const struct fixture *test)
{
  const struct image *new = &test->result;
  const GElf_Shdr *first = section_of (new, ".headers_end");
  uint64_t table_end = 64 + new->n_segments * sizeof (Elf64_Phdr);
  assert_int_equal (first->sh_type, SHT_PROGBITS);
  assert_in_range (first->sh_offset, table_end + sizeof (Elf64_Phdr),
                   table_end + sizeof (Elf64_Phdr) + 0x30);
  assert_int_equal (section_of (new, ".sframe")->sh_offset,
                    first->sh_offset + first->sh_size);
}

static void
make_low_program (struct fixture *test)
{
  elf_builder_relocate (&test->elf, 0x200000);
  align_loads (test, 0x200000);
}

static void
check_loader (const struct fixture *test)
{
  const GElf_Phdr *data = NULL;
  const GElf_Phdr *last = last_load (test, &data);
  assert_non_null (data);
  assert_int_equal (data->p_vaddr, 0x2000);
  assert_int_equal (data->p_filesz, data->p_memsz);
  assert_int_equal (section_of (&test->result, ".bss")->sh_type, SHT_PROGBITS);
  /* Zeros up to the end of the page: the loader's early heap.  */
  for (uint64_t i = data->p_offset + 0x100; i < data->p_offset + 0x1000; i++)
    assert_int_equal (test->bytes[i], 0);
  /* PT_NOTE right behind the table goes with its section.  */
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_offset,
                    section_of (&test->result, ".note.ABI-tag")->sh_offset);
  /* The last segment ends with a page.  */
  assert_int_equal ((last->p_vaddr + last->p_memsz) & 0xfff, 0);
  assert_int_equal (last->p_flags, PF_R);
  check_segments (test, 0x1000);
}

#define DYNAMIC_TABLE(section, tag)                      \
  {                                                      \
    .name = "dynamic_entry_follows_" #section,           \
    .changes = { SET_SECTION (S_HASH, sh_type, section), \
                 WORD64 (0x2000 + 16, tag) },            \
    .expects                                             \
        = { SECTION_HAS (".gnu.hash", sh_addr, 0x4968),  \
            DYNAMIC_HAS (tag, 0x4968) }                  \
  }

/* The only dynamic relocation: 5 changes.  */
#define RELOCATION(place, symbol, type, addend)                             \
  DYNAMIC (DT_RELA, 0x400), DYNAMIC (DT_RELASZ, 24), WORD64 (0x400, place), \
      WORD64 (0x408, (uint64_t)(symbol) << 32 | (type)),                    \
      WORD64 (0x410, (uint64_t)(addend))

/* Offsets among thread-local variables that look like the address of the
   build-id: @napi-rs/canvas, libvips and libonnxruntime for aarch64 were
   refused for one.  */
#define TLS_OFFSET(make_program, relocation, number)              \
  {                                                               \
    .name = relocation "_has_no_address", .make = (make_program), \
    .changes                                                      \
        = { RELOCATION (0x2090, 0, number, 0x234) }               \
  }

/* Another segment has the zeros behind the code, too.  */
static void
make_shared_padding (struct fixture *test)
{
  test->request.sframe_size = SMALL;
  test->elf.segments[P_STACK]
      = elf_builder_load (PF_R | PF_W, 0x1110, 0x8110, 8);
}

/* A read-only segment that agrees with no other and has no room behind it: it
   is tried before the code.  */
static void
make_segment_to_try_in_vain (struct fixture *test)
{
  test->request.sframe_size = SMALL;
  test->elf.segments[P_STACK] = elf_builder_load (PF_R, 0x1800, 0x8800, 8);
}

/* A read-only segment has the last bytes of the code, elsewhere in memory: the
   padding behind both is the same bytes of the file.  */
static void
make_segments_that_end_alike (struct fixture *test)
{
  Elf64_Phdr *data = &test->elf.segments[P_DATA];
  test->request.sframe_size = SMALL;
  move_on (&test->elf, data->p_offset, true);
  memmove (data + 1, data, (P_STACK - P_DATA) * sizeof *data);
  *data = elf_builder_load (PF_R, 0x10f8, 0x20f8, 8);
}

/* Dynamic symbol 1 is that of SECTION.  */
#define SECTION_SYMBOL(section, address)                                    \
  SET (elf.bytes[0x288 + 4], STT_SECTION), BYTES (0x288 + 6, section "\0"), \
      WORD64 (0x288 + 8, address)

enum
{
  BEHIND = 8 /* the index behind the last symbol */
};

/* A section that is not loaded and of a known kind.  */
#define KNOWN(section, type, flags, content)                              \
  {                                                                       \
    .name = "not_a_payload_" section,                                     \
    .changes                                                              \
        = { SECTION (section, type, flags, 0x2200, sizeof (content) - 1), \
            BYTES (0x2200, content) }                                     \
  }

static void
make_symbol_indices (struct fixture *test)
{
  elf_builder_add_section (&test->elf, ".symtab_shndx", SHT_SYMTAB_SHNDX, 0,
                           0x2200, 32, 4)
      ->sh_entsize
      = 4;
  elf_builder_add_section (&test->elf, ".rela.text", SHT_RELA, SHF_INFO_LINK,
                           0x2220, 48, 8)
      ->sh_entsize
      = 24;
  elf_builder_add_section (&test->elf, ".rel.text", SHT_REL, SHF_INFO_LINK,
                           0x2250, 32, 8)
      ->sh_entsize
      = 16;
}

static const struct layout_case served[] = {
  KNOWN (".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, "GCC: 12\0"),
  KNOWN (".comment of old compilers", SHT_PROGBITS, SHF_STRINGS,
         "cc \xe9\n\0"),
  KNOWN (".debug_info", SHT_PROGBITS, 0, "\1\2\3"),
  KNOWN (".debug_str_offsets.dwo", SHT_PROGBITS, SHF_COMPRESSED, "\1\2\3"),
  KNOWN (".debug_str", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, "\1\2\3"),
  KNOWN (".gnu_debuglink", SHT_PROGBITS, 0, "f.debug\0\1\2\3\4"),
  KNOWN (".rustc", SHT_PROGBITS, 0, "rust\0\0\0\1"),
  KNOWN (".gnu.warning", SHT_PROGBITS, 0, "dlopen in static programs"),
  KNOWN (".deplibs", LLVM_DEPENDENT_LIBRARIES, SHF_MERGE, "m\0"),
  KNOWN (".gnu.attributes", SHT_GNU_ATTRIBUTES, 0, "A\2"),
  KNOWN (".note.stapsdt", SHT_NOTE, 0, "\3\0\0\0\1\0\0\0\3\0\0\0stp\0x\0\0\0"),
  { "bss_that_a_tool_has_filled_is_no_dump",
    .changes
    = { SET_SECTION (S_DATA, sh_size, 0x40), ZEROS (0x20c0, 0x40),
        SECTION (".bss", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x20c0, 0x40) },
    .strategy = "evict" },
  { "tables_of_linkers_are_no_payload", make_symbol_indices,
    .strategy = "evict" },
  { "slack_fills_padding", make_padding_to_fill, .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1600),
                 SECTION_HAS (".sframe", sh_addr, 0x1600),
                 SEGMENT_AT_HAS_SIZE (P_FIRST + 1, 0x200 + SMALL) },
    .n_segments = 9, .n_extents = 2 },
  /* libdwfl takes the difference of the first segments' ends for the distance
     between a file and its debug file.  */
  { "slack_leaves_the_end_of_the_first_segment",
    .changes = { SET (request.sframe_size, SMALL) }, .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1100),
                 SEGMENT_HAS_SIZE (PT_LOAD, 0x600) } },
  { "slack_takes_evicted_sections_along", make_two_read_only_segments,
    .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1600),
                 SEGMENT_HAS (PT_INTERP, p_offset, 0x1600 + SMALL) } },
  /* Which of the two maps the page depends on the loader; the self-check
     refused it.  */
  { "slack_is_in_no_page_of_a_segment_in_front", make_two_segments_in_a_page,
    .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1100) } },
  { "slack_is_of_no_other_segment", make_shared_padding, .strategy = "evict" },
  /* What is evicted was left at the place that it would have had with the
     segment tried in vain, and .sframe got the same bytes.  */
  { "slack_takes_nothing_along_from_a_try_in_vain",
    make_segment_to_try_in_vain,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1100),
                 SEGMENT_BEGINS (PT_INTERP, 0x1100 + SMALL),
                 SEGMENT_BEGINS (PT_NOTE, 0x1100 + SMALL + 0x1c),
                 SEGMENT_HAS_SIZE (PT_NOTE, 36) } },
  /* Behind the read-only segment there is room for these alone, behind the
     code for .sframe and the hash table.  */
  { "slack_lets_evicted_sections_fall_back", make_two_read_only_segments,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
        BYTES (0x1650, "\1"), BYTES (0x2190, "\1") },
    .strategy = "slack",
    .expects
    = { SECTION_HAS (".sframe", sh_offset, 0x2100),
        SEGMENT_HAS (PT_INTERP, p_offset, 0x1600),
        SEGMENT_BEGINS (PT_NOTE, 0x161c), SEGMENT_HAS_SIZE (PT_NOTE, 36) } },
  /* They fell back to the bytes that .sframe had got.  */
  { "slack_is_not_where_evicted_sections_fall_back",
    make_segments_that_end_alike,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1100),
                 SEGMENT_BEGINS (PT_INTERP, 0x1100 + SMALL),
                 SEGMENT_BEGINS (PT_NOTE, 0x1100 + SMALL + 0x1c),
                 SEGMENT_HAS_SIZE (PT_NOTE, 36) } },
  { "slack_has_no_physical_address_where_nothing_has",
    .changes = { SET (request.sframe_size, SMALL), NO_PHYSICAL_ADDRESSES },
    .strategy = "slack",
    .expects = { SEGMENT_HAS (PT_GNU_SFRAME, p_vaddr, 0x1100),
                 SEGMENT_HAS (PT_GNU_SFRAME, p_paddr, 0) } },
  { "slack_needs_zeros", make_two_read_only_segments,
    .changes = { BYTES (0x1640, "\1"), BYTES (0x2180, "\1") } },
  /* The padding behind the read-only segment is filled; then the code's.  */
  { "slack_prefers_data_to_code", make_two_read_only_segments,
    .changes = { BYTES (0x1610, "\1") }, .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x2100) } },
  { "slack_ends_at_the_next_segment_in_memory",
    make_segments_apart_in_the_file, .check = check_segments_of_4_kib },
  /* With 64 KiB pages the segments of this file share one, without slack
     between them.  */
  { "slack_counts_in_pages_of_the_machine", make_64_kib_pages,
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x125e0) } },
  { "null_entries_are_slots",
    .changes = { NO_SEGMENT (P_NOTE), NO_SEGMENT (P_STACK) },
    .strategy = "spare-slot", .n_segments = 8,
    .check = check_segments_of_4_kib },
  { "doubled_property_note_is_a_slot", make_doubled_property,
    .strategy = "slack", .n_segments = 8, .check = check_property_alone },
  { "a_note_unlike_its_property_is_no_slot", make_unlike_property,
    .strategy = "slack", .n_segments = 9, .check = check_note_and_property },
  { "section_table_behind_headers_gives_room",
    make_section_table_behind_headers, .strategy = "spare-slot",
    .n_segments = 10, .check = check_section_table_behind_the_file },

  { "eviction_moves_what_nobody_reaches_by_address",
    .changes = { SYMBOL (1, ".gnu.hash", STT_SECTION, 0x248),
                 SYMBOL (2, ".interp", STT_SECTION, 0x200),
                 SYMBOL (3, ".text", STT_FUNC, 0x1010) },
    .n_segments = 10, .check = check_evicted,
    .expects = { SECTION_HAS (".dynstr", sh_addr, 0x2b8) } },
  { "eviction_keeps_build_id_in_first_page",
    .expects = { SEGMENT_BEGINS (PT_NOTE, 0x270),
                 SECTION_HAS (".note.gnu.build-id", sh_addr, 0x270),
                 SECTION_HAS (".note.gnu.build-id", sh_offset, 0x270) } },
  { "what_headers_name_goes_into_padding",
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .expects
    = { SEGMENT_BEGINS (PT_INTERP, 0x1100), SEGMENT_BEGINS (PT_NOTE, 0x111c),
        SEGMENT_HAS_SIZE (PT_NOTE, 36),
        SEGMENT_AT_HAS_SIZE (P_TEXT, 0x140) } },
  { "eviction_zeroes_freed_bytes", .check = check_freed_bytes },
  { "eviction_works_in_big_endian_files", make_s390x,
    .changes = { SYMBOL (1, ".gnu.hash", STT_SECTION, 0x248) },
    .expects = { SECTION_HAS (".gnu.hash", sh_addr, 0x4968),
                 DYNAMIC_HAS (DT_GNU_HASH, 0x4968),
                 SYMBOL_HAS (".symtab", 1, 0x4968) } },
  { "eviction_takes_package_notes",
    .changes = { NOTE (0x220, "FDO", 0xcafe1a7e, 20) } },
  /* In each library and plugin of Go.  */
  { "eviction_takes_build_ids_of_go",
    .changes = { NOTE (0x220, "Go\0", 4, 20) } },
  { "eviction_takes_several_notes",
    .changes = { NOTE (0x220, "GNU", NT_GNU_BUILD_ID, 0),
                 NOTE (0x230, "GNU", NT_GNU_PROPERTY_TYPE_0, 4) } },
  { "eviction_takes_sections_of_one_byte",
    .changes = { SEGMENT_SIZE (P_INTERP, 1),
                 SET_SECTION (S_INTERP, sh_size, 1), ZEROS (0x201, 0x1b) } },
  /* The unused symbol that glibc puts on the ABI tag; refused[] has one with
     a name that does not end.  */
  { "eviction_takes_notes_with_the_abi_tags_symbol",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__abi_tag"),
                 WORD32 (SYMTAB + 24, 1) } },
  /* mold's libraries without a build-id.  */
  { "eviction_takes_notes_with_the_librarys_own_symbol",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__dso_handle"),
                 WORD32 (SYMTAB + 24, 1) } },
  { "empty_sections_that_are_not_loaded_mark_nothing",
    .changes = { SECTION (".comment", SHT_PROGBITS, 0, 0x200, 0) } },
  /* patchelf 0.11 let the table run over notes that it had moved: four of
     npm's prebuilt programs.  */
  { "notes_that_begin_in_the_table_hold_up_nothing",
    .changes = { SEGMENT_PLACE (P_NOTE, 0x1f0), SEGMENT_SIZE (P_NOTE, 0x54) },
    .expects = { SEGMENT_BEGINS (PT_NOTE, 0x1f0),
                 SECTION_HAS (".interp", sh_addr, 0x294) } },
  { "properties_that_begin_in_the_table_hold_up_nothing",
    .changes
    = { SET_SEGMENT (P_NOTE, p_type, PT_GNU_PROPERTY),
        SEGMENT_PLACE (P_NOTE, 0x1f0), SEGMENT_SIZE (P_NOTE, 0x54) } },
  /* gABI: as 1.  */
  { "segments_may_have_alignment_0",
    .changes = { SET_SEGMENT (P_TEXT, p_align, 0) } },
  /* Words of both headers behind the bytes in which boot loaders look for the
     first, or in a program.  */
  { "programs_with_an_interpreter_are_no_kernels",
    .changes = { WORD32 (0x1010, 0x1badb002), WORD32 (0x1014, 2),
                 WORD32 (0x1018, -0x1badb004) } },
  { "empty_sframe_behind_the_table_holds_up_nothing",
    .changes = { OLD_SFRAME (0x224, 0x224, 0) } },
  /* lld 21 puts it there.  What is left of it is zeroed, wherever it is.  */
  { "old_sframe_behind_the_table_moves",
    .changes
    = { OLD_SFRAME (0x21c, 0x21c, 4), BYTES (0x21c, "\xee\xee\xee\xee") },
    .check = check_old_sframe_is_gone },
  { "old_place_is_used_again", .changes = { OLD_PLACE (0x500, 0x500, 0x100) },
    .strategy = "reuse",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x500),
                 SECTION_HAS (".sframe", sh_addr, 0x500) } },
  { "old_place_is_too_small", .strategy = "slack",
    .changes = { OLD_PLACE (0x500, 0x500, 0xff) } },
  { "old_place_is_not_aligned", .strategy = "slack",
    .changes = { OLD_PLACE (0x504, 0x504, 0x100) } },
  { "old_place_is_elsewhere_in_memory", .strategy = "slack",
    .changes = { OLD_PLACE (0x500, 0x508, 0x100) } },
  { "old_place_is_partly_behind_its_segment", .strategy = "slack",
    .changes = { OLD_PLACE (0x508, 0x508, 0x100) } },
  { "old_place_is_behind_its_segment", .strategy = "slack",
    .changes = { OLD_PLACE (0x800, 0x800, 0x100) } },
  { "old_place_is_writable", .strategy = "slack",
    .changes = { OLD_PLACE (0x500, 0x500, 0x100),
                 SET_SEGMENT (P_FIRST, p_flags, PF_R | PF_W) } },
  { "patchelf_finds_a_spare_slot", make_room_for_patchelf,
    .check = check_spare_slot },
  /* With two headers more the note ends with the first page.  */
  { "a_note_that_moves_may_fill_the_first_page",
    .changes = { TABLE_BEFORE_NOTE (0x600, 0x7d0) },
    .expects = { SEGMENT_HAS (PT_NOTE, p_offset, 0x830),
                 SEGMENT_HAS (PT_NOTE, p_filesz, 0x7d0) } },
  { "a_note_behind_the_first_page_may_go_anywhere",
    .changes = { TABLE_BEFORE_NOTE (0xd00, 0x144) } },
  { "what_a_read_only_segment_loads_is_not_appended",
    .finish = append_to_loaded_segment },
  { "patchelf_filler_is_nobodys", .changes = { BYTES (0x21c, "XXZZ") } },
  { "eviction_keeps_the_alignment_of_a_page",
    .changes = { SET_SECTION (S_INTERP, sh_addralign, 4096) },
    .expects = { SECTION_HAS (".interp", sh_addr, 0x1200) } },
  { "evicted_tables_leave_a_section_in_fixed_programs",
    make_fixed_program_with_room,
    .expects = { SECTION_HAS (".old_tables", sh_type, SHT_PROGBITS),
                 SECTION_HAS (".old_tables", sh_offset, 0x2e8),
                 SECTION_HAS (".old_tables", sh_size, 0xb8),
                 SECTION_HAS (".old_tables", sh_addr, 0x4002e8),
                 SEGMENT_HAS (PT_NOTE, p_offset, 0x2a8) } },
  { "segments_are_where_their_addresses_say",
    .changes = { SET_SEGMENT (P_STACK, p_type, PT_LOOS + 3),
                 SET_SEGMENT (P_STACK, p_offset, 0x200),
                 SET_SEGMENT (P_STACK, p_vaddr, 0x400),
                 SET_SEGMENT (P_STACK, p_filesz, 8) },
    .expects = { SEGMENT_BEGINS (PT_NOTE, 0x270) } },
  { "relro_is_where_its_address_says", make_relro_at_offset_0,
    .expects = { SEGMENT_HAS (PT_GNU_RELRO, p_offset, 0),
                 SEGMENT_HAS (PT_GNU_RELRO, p_vaddr, 0x1fec) } },
  DYNAMIC_TABLE (SHT_HASH, DT_HASH),
  DYNAMIC_TABLE (SHT_GNU_HASH, DT_GNU_HASH),
  DYNAMIC_TABLE (SHT_GNU_versym, DT_VERSYM),
  DYNAMIC_TABLE (SHT_GNU_verneed, DT_VERNEED),
  DYNAMIC_TABLE (SHT_GNU_verdef, DT_VERDEF),
  /* Its bytes look like a symbol of a section that moves.  */
  { "what_follows_a_symbol_table_is_no_symbol",
    .changes = { SYMBOL (BEHIND, ".gnu.hash", STT_SECTION, 0x248),
                 SYMBOL (BEHIND - 1, ".gnu.hash", STT_SECTION, 0x248) },
    .expects = { SYMBOL_HAS (".symtab", BEHIND, 0x248),
                 SYMBOL_HAS (".symtab", BEHIND - 1, 0x4968) } },
  /* GNU ld up to about 2015; 12 of 109 files of elfutils' tests.  */
  { "dynamic_symbols_of_sections_move_along",
    .changes = { SECTION_SYMBOL ("\1", 0x200) },
    .expects = { SECTION_HAS (".interp", sh_addr, 0x294),
                 SYMBOL_HAS (".dynsym", 1, 0x294) } },
  { "dynamic_symbols_of_sections_outside_of_them_stay",
    .changes = { SECTION_SYMBOL ("\1", 0x3f0) },
    .expects = { SYMBOL_HAS (".dynsym", 1, 0x3f0) } },
  { "relocations_add_to_what_other_files_have",
    .changes = { RELOCATION (0x2090, 1, 1, 0x234) } },
  /* The displacement of jmp behind movb %al, 0x2d(%rsp).  */
  { "chance_bytes_are_no_reference",
    .changes = { BYTES (0x1010, "\x88\x44\x24\x2d\xe9\x1c\xf2\xff\xff") } },
  { "aarch64_other_bytes_of_the_page_may_be_known", make_aarch64,
    .changes = { WORD32 (0x1010, 0xf0ffffe0) /* adrp x0, 0 */,
                 WORD32 (0x1014, 0x91100000) /* add x0, 0x400 */ } },
  TLS_OFFSET (NULL, "R_X86_64_TPOFF64", 18),
  TLS_OFFSET (NULL, "R_X86_64_TLSDESC", 36),
  TLS_OFFSET (NULL, "R_X86_64_DTPMOD64", 16),
  TLS_OFFSET (NULL, "R_X86_64_DTPOFF64", 17),
  TLS_OFFSET (make_aarch64, "R_AARCH64_TLS_DTPMOD", 1028),
  TLS_OFFSET (make_aarch64, "R_AARCH64_TLS_DTPREL", 1029),
  TLS_OFFSET (make_aarch64, "R_AARCH64_TLS_TPREL", 1030),
  TLS_OFFSET (make_aarch64, "R_AARCH64_TLSDESC", 1031),
  TLS_OFFSET (make_s390x, "R_390_TLS_DTPMOD", 54),
  TLS_OFFSET (make_s390x, "R_390_TLS_DTPOFF", 55),
  TLS_OFFSET (make_s390x, "R_390_TLS_TPOFF", 56),

  /* .interp and the build-id alone give room for one header only.  DT_GNU_HASH
     names another place: something else is going on.  */
  { "eviction_spares_tables_without_dynamic_entry",
    .changes = { WORD64 (0x2000 + 16 + 8, 0x250), NO_BUILD_ID },
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".gnu.hash", sh_addr, 0x248) } },
  { "eviction_spares_executable_sections",
    .changes = { SET_SECTION (S_HASH, sh_flags, SHF_ALLOC | SHF_EXECINSTR),
                 NO_BUILD_ID },
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".gnu.hash", sh_addr, 0x248) } },

  { "notes_that_touch_share_a_header", make_long_plugin,
    .strategy = "grow-data", .n_segments = 8,
    .expects = { ONE_NOTE (0x18 + 36) } },
  /* Three headers go away, and two are added.  */
  { "notes_that_share_a_header_may_free_more_than_are_added",
    make_plugin_with_a_note_thrice, .strategy = "spare-slot", .n_segments = 7,
    .expects = { ONE_NOTE (0x18 + 36) } },
  { "notes_without_physical_addresses_share_a_header", make_long_plugin,
    .changes = { NO_PHYSICAL_ADDRESSES }, .strategy = "grow-data",
    .expects = { ONE_NOTE (0x18 + 36), SEGMENT_HAS (PT_NOTE, p_paddr, 0) } },
  /* Linux, which aligns to 4, lost its way in the padding, and did not find
     the build-id.  */
  { "linux_finds_the_build_id_behind_padding", make_short_plugin,
    .strategy = "grow-data",
    .found = { { 4, NT_GNU_BUILD_ID }, { 8, NT_GNU_BUILD_ID }, { 8, 7 } },
    .n_segments = 8,
    .expects
    = { SECTION_HAS (".note.gnu.build-id", sh_addr, 0x230),
        ONE_NOTE (0x30 + 36), SECTION_HAS (".note.filler", sh_type, SHT_NOTE),
        SECTION_HAS (".note.filler", sh_offset, 0x218),
        SECTION_HAS (".note.filler", sh_size, 24),
        SECTION_HAS (".gnu.hash", sh_addr, 0x4388),
        DYNAMIC_HAS (DT_GNU_HASH, 0x4388) } },
  /* The note in front only repeats PT_GNU_PROPERTY: its header is one slot,
     and cannot be another.  */
  { "a_doubled_note_is_not_joined", make_doubled_note, .strategy = "grow-data",
    .expects = { SEGMENT_HAS (PT_NOTE, p_offset, 0x218),
                 SEGMENT_HAS (PT_NOTE, p_filesz, 36) } },
  { "what_follows_the_bss_keeps_its_alignment", make_long_plugin,
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".symtab", sh_offset, 0x43c0) } },
  { "libraries_do_without_pt_phdr", make_library, .strategy = "grow-data",
    .check = check_no_pt_phdr },
  { "libraries_with_other_flags_do_without_pt_phdr", make_library,
    .changes = { DYNAMIC (DT_FLAGS_1, 1) }, .strategy = "grow-data",
    .check = check_no_pt_phdr },
  { "static_pies_of_glibc_do_without_pt_phdr", make_library,
    .changes = { NOTE (0x220, "GNU", NT_GNU_ABI_TAG, 16),
                 DYNAMIC (DT_FLAGS_1, 0x08000000 /* DF_1_PIE */),
                 SET (elf.header.e_entry, 0x1000) },
    .strategy = "grow-data", .check = check_no_pt_phdr },
  { "abi_tags_make_room_beside_other_notes", make_crash_reporter,
    .strategy = "grow-data",
    .expects
    = { SECTION_HAS (".note.ABI-tag", sh_addr, 0x250),
        SEGMENT_BEGINS (PT_NOTE, 0x23c), SEGMENT_HAS_SIZE (PT_NOTE, 20 + 32),
        SECTION_HAS (".note.crashpad.info", sh_offset, 0x23c) } },
  /* Whatever readers look for goes where they find it.  */
  { "build_ids_in_front_of_other_notes_go_behind", make_crash_reporter,
    .changes = { WORD32 (0x21c + 8, NT_GNU_BUILD_ID) },
    .strategy = "grow-data", .found = { { 4, NT_GNU_BUILD_ID }, { 4, 7 } } },
  { "build_ids_go_with_an_empty_abi_tag", make_crash_reporter,
    .changes = { NOTE (0x21c, "GNU", NT_GNU_ABI_TAG, 0),
                 NOTE (0x22c, "GNU", NT_GNU_BUILD_ID, 0) },
    .strategy = "grow-data", .found = { { 4, NT_GNU_BUILD_ID } } },
  { "abi_tags_of_libraries_are_found", make_crash_reporter,
    .changes
    = { SET_SEGMENT (P_INTERP, p_filesz, 0),
        SET_SEGMENT (P_INTERP, p_type, PT_LOPROC + 1),
        SET_SECTION (S_INTERP, sh_type, SHT_HASH), DYNAMIC (DT_HASH, 0x200) },
    .strategy = "grow-data", .found = { { 4, NT_GNU_ABI_TAG } } },
  /* What is at the tag's place in the headers alone is nobody's.  */
  { "abi_tags_move_in_spite_of_sections_without_contents", make_crash_reporter,
    .changes = { SECTION (".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS,
                          0x220, 0x40) },
    .strategy = "grow-data",
    .expects = { SEGMENT_HAS (PT_NOTE, p_offset, 0x23c) } },

  { "data_grows_behind_its_bss", make_long_plugin, .strategy = "grow-data",
    .check = check_grown_data },
  { "relro_is_not_in_the_way_of_a_growing_bss", make_long_plugin,
    .changes = { SET_SEGMENT (P_STACK, p_type, PT_GNU_RELRO),
                 SET_SEGMENT (P_STACK, p_offset, 0x2000),
                 SET_SEGMENT (P_STACK, p_vaddr, 0x2000),
                 SET_SEGMENT (P_STACK, p_filesz, 0x1000) },
    .strategy = "grow-data" },
  /* What is not loaded moves only if it stands behind the data.  */
  { "sections_in_front_of_growing_data_stay", make_long_plugin,
    .changes = { BYTES (0x640, "GCC: 1\0"),
                 SECTION (".comment", SHT_PROGBITS, 0, 0x640, 7) },
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".comment", sh_offset, 0x640),
                 SECTION_HAS (".symtab", sh_offset, 0x43c0) } },
  { "bytes_in_front_of_growing_data_that_nothing_accounts_for_stay",
    make_long_plugin, .changes = { BYTES (0xff0, "pack") },
    .strategy = "grow-data" },

  /* One slot is free, and grow-data needs no more.  */
  { "a_note_that_repeats_a_property_elsewhere_in_memory_keeps_its_header",
    .changes = { INTERP_STAYS, SET_SEGMENT (P_PHDR, p_type, PT_NULL),
                 SET_SEGMENT (P_STACK, p_type, PT_GNU_PROPERTY),
                 SET_SEGMENT (P_STACK, p_offset, 0x220),
                 SET_SEGMENT (P_STACK, p_vaddr, 0x400),
                 SET_SEGMENT (P_STACK, p_filesz, 0x24) },
    .strategy = "grow-data" },

  { "words_of_fixed_programs_may_know_evicted_bytes",
    .changes = { RELOCATE (0x400000), WORD64 (0x2090, 0x400234) },
    .strategy = "grow-down" },
  { "immediates_of_fixed_programs_may_know_evicted_bytes",
    .changes = { RELOCATE (0x400000),
                 BYTES (0x1011, "\xbf\x34\x02\x40\0") /* mov ..., %edi */ },
    .strategy = "grow-down" },
  { "grows_down_without_room",
    .changes = { RELOCATE (0x400000), INTERP_STAYS }, .strategy = "grow-down",
    .check = check_grown_down,
    .expects = { SECTION_HAS (".old_headers", sh_addr, 0x400000) } },
  { "what_patchelf_leaves_of_a_section_shifts_down",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, BYTES (0xff0, "XXZZ") },
    .strategy = "grow-down" },
  { "traps_behind_code_shift_down",
    .changes
    = { RELOCATE (0x400000), INTERP_STAYS, SEGMENT_SIZE (P_TEXT, 0xffc),
        BYTES (0x1ffc, "\xcc\xcc\xcc\xcc") },
    .strategy = "grow-down" },
  /* A byte more would be in the second page.  */
  { "notes_in_the_first_page_are_copied_to_the_front",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, LAST_NOTE (0xe00, 0x200) },
    .strategy = "grow-down",
    .expects = { SEGMENT_HAS (PT_NOTE, p_offset, 0x270),
                 SEGMENT_HAS (PT_NOTE, p_filesz, 0x200) } },
  { "notes_that_reach_into_the_second_page_are_not_copied",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, LAST_NOTE (0xe04, 0x200) },
    .strategy = "grow-down",
    .expects = { SEGMENT_HAS (PT_NOTE, p_vaddr, 0x400e04) } },
  { "notes_of_a_section_at_another_address_are_not_copied",
    .changes = { RELOCATE (0x400000), INTERP_STAYS,
                 SET_SECTION (S_BUILD_ID, sh_addr, 0x400400) },
    .strategy = "grow-down",
    .expects = { SEGMENT_HAS (PT_NOTE, p_vaddr, 0x400220) } },
  { "notes_that_a_program_may_write_to_are_not_copied",
    .changes = { RELOCATE (0x400000), INTERP_STAYS,
                 SET_SECTION (S_BUILD_ID, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "grow-down",
    .expects = { SEGMENT_HAS (PT_NOTE, p_vaddr, 0x400220) } },
  { "grows_down_with_a_build_id_among_other_notes", make_mixed_notes,
    .changes = { RELOCATE (0x400000), INTERP_STAYS }, .strategy = "grow-down",
    .check = check_mixed_notes },
  /* patchelf moved .dynamic to where .sframe was, in a segment that is not
     writable.  */
  { "grown_down_program_has_no_gap_for_patchelf",
    .changes = { RELOCATE (0x400000), INTERP_STAYS }, .strategy = "grow-down",
    .check = check_no_gap_for_patchelf },
  { "grows_down_to_the_lowest_address",
    .changes = { RELOCATE (0x12000), INTERP_STAYS }, .strategy = "grow-down",
    .expects = { SECTION_HAS (".old_headers", sh_addr, 0x12000) } },
  /* strip (GNU binutils 2.40) failed: "can't be allocated in segment 0".  */
  { "grown_down_program_has_no_physical_addresses_where_it_had_none",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, NO_PHYSICAL_ADDRESSES },
    .strategy = "grow-down",
    .expects
    = { SEGMENT_HAS (PT_LOAD, p_vaddr, 0x3fe000),
        SEGMENT_HAS (PT_LOAD, p_paddr, 0), SEGMENT_HAS (PT_PHDR, p_paddr, 0),
        SEGMENT_HAS (PT_NOTE, p_paddr, 0),
        SEGMENT_HAS (PT_GNU_SFRAME, p_paddr, 0) } },
  { "grows_down_less_when_linked_low", make_low_program,
    .changes = { INTERP_STAYS }, .strategy = "grow-down",
    .expects = { SEGMENT_HAS (PT_LOAD, p_vaddr, 0x1fe000),
                 SEGMENT_HAS (PT_LOAD, p_align, 0x1000) } },
  /* lld 15 lets it end with the page, which is not in a small file.  */
  { "relro_may_end_behind_the_file", make_relro_at_offset_0,
    .changes = { SET_SEGMENT (P_STACK, p_offset, 0x1fec),
                 SET_SEGMENT (P_STACK, p_filesz, 0x40000) } },
  { "relro_without_an_offset_gets_none", make_relro_at_offset_0,
    .changes = { RELOCATE (0x400000), INTERP_STAYS }, .strategy = "grow-down",
    .expects = { SEGMENT_HAS (PT_GNU_RELRO, p_offset, 0),
                 SEGMENT_HAS (PT_GNU_RELRO, p_vaddr, 0x401fec) } },

  { "loaders_get_their_bss_in_the_file", make_loader, .check = check_loader,
    .expects = { SECTION_HAS (".dynstr", sh_addr, 0x2b8) } },
  /* static-pie: nobody looks for a library in it.  */
  { "strings_move_where_nobody_reads_them", make_loader,
    .changes = { WORD64 (0x2000, DT_DEBUG) },
    .expects = { SECTION_HAS (".dynstr", sh_addr, 0x49d8),
                 DYNAMIC_HAS (DT_STRTAB, 0x49d8) } },
  /* As a static PIE that is somebody's PT_INTERP: up to Linux 6.6 a segment
     behind its BSS keeps every program that uses it from starting.  */
  { "static_pies_are_loaders_when_so_called", make_loader,
    .changes = { WORD64 (0x2000, DT_DEBUG), SET (request.named_loader, true) },
    .expects = { SECTION_HAS (".bss", sh_type, SHT_PROGBITS) } },
  { "programs_are_no_loaders_whatever_their_name",
    .changes = { SET (request.named_loader, true) },
    .expects = { SECTION_HAS (".bss", sh_type, SHT_NOBITS) } },
};

static uint64_t
value_of (const struct fixture *test, const struct expectation *expects)
{
  const struct image *image = &test->result;
  const void *header;
  if (expects->tag != 0)
    return dynamic_value (image, expects->tag);
  if (expects->symbol != 0)
    return load_u64 (test->bytes + section_of (image, expects->name)->sh_offset
                         + 24 * (expects->symbol - 1) + 8,
                     image->big_endian);
  assert_in_range (expects->index, 0, image->n_segments);
  if (expects->name != NULL)
    header = section_of (image, expects->name);
  else if (expects->index > 0)
    header = &image->segments[expects->index - 1];
  else
    header = segment_of (image, expects->type);
  const void *field = (const uint8_t *)header + expects->member;
  return expects->size == 4 ? *(const uint32_t *)field
                            : *(const uint64_t *)field;
}

TEST_ROWS (served, struct fixture *test, set_up, tear_down, is_served)
{
  const struct layout_case *given = test->given;
  make_file (test);
  plan_and_apply_encoded (test, given->strategy ? given->strategy : "evict");
  assert_int_equal (test->plan.replaced_section, test->replaced.section);
  if (given->n_segments != 0)
    assert_int_equal (test->result.n_segments, given->n_segments);
  if (given->n_extents != 0)
    assert_int_equal (test->plan.n_extents, given->n_extents);
  for (size_t i = 0; given->expects[i].size > 0; i++)
    if (value_of (test, &given->expects[i]) != given->expects[i].value)
      fail_msg ("expectation %zu: %#llx", i,
                (unsigned long long)value_of (test, &given->expects[i]));
  for (size_t i = 0; given->found[i].align != 0; i++)
    assert_true (
        finds_note (test, given->found[i].align, given->found[i].type));
  if (given->check != NULL)
    given->check (test);
}

/* ---- Files without a place.  */

/* A byte has somebody who may know where it is: a stripped program that read
   its build-id through symbols of a linker script printed zeros.  0x234 lies
   in the build-id.  */
#define REFERENCED .reason = "code or data may refer to"

static void
make_data_with_a_huge_bss (struct fixture *test)
{
  make_plugin (test, 8);
  test->elf.segments[P_DATA].p_memsz += 1u << 30;
}

static const struct layout_case refused[] = {
  /* Such as what packs a program with its files, which patchelf has given
     section headers behind that.  The program looks for the data where they
     were.  */
  { "bytes_that_nothing_accounts_for_do_not_shift_down",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, SET (elf.size, 0x2300),
                 BYTES (0x2200, "pack") },
    .reason = "accounts for would move" },
  { "bytes_between_segments_that_nothing_accounts_for_do_not_shift",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, BYTES (0xff0, "pack") },
    .reason = "accounts for would move" },
  { "bytes_that_nothing_accounts_for_do_not_shift_behind_the_bss",
    make_long_plugin,
    .changes = { SET (elf.size, 0x2300), BYTES (0x2200, "pack") },
    .reason = "accounts for would move" },

  { "refuses_to_move_a_note_out_of_the_first_page",
    .changes = { TABLE_BEFORE_NOTE (0x600, 0x80c) },
    .reason = "has to stay in the first page" },
  { "refuses_to_move_a_note_that_ends_with_the_first_page",
    .changes = { TABLE_BEFORE_NOTE (0xd00, 0x140) },
    .reason = "has to stay in the first page" },

  /* Behind a longer table, the bytes of .interp are too few for it.  */
  { "a_segment_has_all_of_the_table_or_none",
    .changes
    = { SET_SECTION (S_RODATA, sh_size, 0x100),
        SET (elf.header.e_phoff, 0x500), SET_SEGMENT (P_PHDR, p_offset, 0x500),
        SET_SEGMENT (P_PHDR, p_vaddr, 0x500) },
    .reason = "no segment maps" },
  { "build_ids_stay_in_the_first_page",
    .changes = { SET_SECTION (S_HASH, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .reason = ".gnu.hash" },
  { "what_headers_name_needs_padding_that_agrees",
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
        BYTES (0x1110, "\1") },
    .reason = ".dynsym" },
  { "eviction_stops_at_unknown_notes",
    .changes = { NOTE (0x220, "Cra", 1, 20) },
    .reason = ".note.gnu.build-id" },
  /* Of packages in a library (-buildmode=shared).  */
  { "eviction_stops_at_other_notes_of_go",
    .changes = { NOTE (0x220, "Go\0", 2, 20) },
    .reason = ".note.gnu.build-id" },
  { "eviction_spares_notes_with_symbols",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0build_id\0"),
                 WORD32 (SYMTAB + 24, 1) },
    .reason = ".note.gnu.build-id" },
  /* The unused symbol that glibc puts on the ABI tag may be passed over only
     if that is its name.  */
  { "eviction_spares_symbols_with_endless_names",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__abi_tag"),
                 WORD32 (SYMTAB + 24, 1), BYTES (STRTAB + 0x1f, "x") },
    .reason = ".note.gnu.build-id" },
  { "eviction_spares_notes_with_symbols_at_their_ends",
    .changes = { SYMBOL (1, ".note.gnu.build-id", STT_NOTYPE, 0x244),
                 BYTES (STRTAB, "\0id_end\0"), WORD32 (SYMTAB + 24, 1) },
    .reason = ".note.gnu.build-id" },
  { "eviction_spares_symbols_named_like_the_abi_tags",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__abi_tags\0"),
                 WORD32 (SYMTAB + 24, 1) },
    .reason = ".note.gnu.build-id" },
  /* Symbols without known names keep what they point to.  */
  { "eviction_survives_symbols_without_strings",
    .changes = { BUILD_ID_SYMBOL, SET_SECTION (S_SYMTAB, sh_link, 0x10000) },
    .reason = ".note.gnu.build-id" },
  /* One index behind the last header, as a hostile file may have it.  */
  { "eviction_survives_strings_behind_the_last_section",
    .changes = { BUILD_ID_SYMBOL, SET_SECTION (S_SYMTAB, sh_link, 14) },
    .reason = ".note.gnu.build-id" },
  /* The second is longer than its section.  */
  { "eviction_reads_every_note",
    .changes = { NOTE (0x220, "GNU", NT_GNU_BUILD_ID, 0),
                 NOTE (0x230, "GNU", NT_GNU_BUILD_ID, 4), WORD32 (0x234, 8) },
    .reason = ".note.gnu.build-id" },
  { "eviction_spares_an_interpreter_nobody_starts",
    .changes = { SET_SEGMENT (P_INTERP, p_type, PT_LOOS + 1) },
    .reason = ".interp" },
  { "eviction_spares_an_interpreter_of_another_size",
    .changes = { SET_SECTION (S_INTERP, sh_size, 0x10) },
    .reason = ".interp" },
  { "eviction_spares_what_begins_in_the_table",
    .changes = { SET_SEGMENT (P_INTERP, p_offset, 0x1f8),
                 SET_SEGMENT (P_INTERP, p_vaddr, 0x1f8) },
    .reason = "overlap at file offset 0x1f8" },
  { "eviction_spares_what_no_power_of_two_aligns",
    .changes = { SET_SECTION (S_INTERP, sh_addralign, 24) },
    .reason = "cannot keep its alignment" },
  { "eviction_spares_what_pages_do_not_align",
    .changes = { SET_SECTION (S_INTERP, sh_addralign, 8192) },
    .reason = "cannot keep its alignment" },
  { "eviction_spares_what_its_segment_does_not_end",
    .changes = { SEGMENT_SIZE (P_NOTE, 0x400) },
    .reason = "over the end of its segment" },
  /* An empty section marks a place that code may ask for.  */
  { "eviction_spares_what_empty_sections_mark",
    .changes = { SECTION (".mark", SHT_PROGBITS, SHF_ALLOC, 0x200, 0) },
    .reason = ".mark" },
  /* Readers of memory go by the address, readers of the file by the offset.
     Where these are not of the same bytes, only one of the two could follow.
   */
  { "eviction_spares_the_address_of_a_note_that_is_elsewhere_in_the_file",
    .changes = { SET_SEGMENT (P_STACK, p_type, PT_NOTE),
                 SET_SEGMENT (P_STACK, p_offset, 0x400),
                 SET_SEGMENT (P_STACK, p_vaddr, 0x220),
                 SET_SEGMENT (P_STACK, p_filesz, 0x24) },
    .reason = "do not agree" },
  { "eviction_spares_a_note_at_another_address",
    .changes = { SET_SEGMENT (P_NOTE, p_vaddr, 0x400) },
    .reason = "do not agree" },
  { "eviction_spares_the_address_of_a_section_that_is_elsewhere_in_the_file",
    .changes = { SECTION (".note.own", SHT_NOTE, SHF_ALLOC, 0x400, 0x24),
                 SET_SECTION (S_STRTAB + 1, sh_addr, 0x220) },
    .reason = "do not agree" },

  /* Nobody owns the hole between .interp and the note.  */
  { "unknown_bytes_behind_the_table_stay",
    .changes = { BYTES (0x21e, "\x77") }, .reason = "unknown data" },

  { "code_may_know_evicted_bytes",
    .changes = { BYTES (0x1010, "\x48\x8d\x05\x1d\xf2\xff\xff") /* lea */ },
    REFERENCED },
  { "relocations_may_know_evicted_bytes",
    .changes = { RELOCATION (0x2090, 0, R_X86_64_RELATIVE, 0x234) },
    REFERENCED },
  /* What a relocation writes to is used, whatever is written there.  */
  { "thread_local_offsets_may_be_written_to_evicted_bytes",
    .changes = { RELOCATION (0x234, 0, R_X86_64_TPOFF64, 0) }, REFERENCED },
  { "packed_relocations_may_know_evicted_bytes",
    .changes
    = { DYNAMIC (36 /* DT_RELR */, 0x400), DYNAMIC (35 /* DT_RELRSZ */, 16),
        WORD64 (0x400, 0x2090), WORD64 (0x408, 1 << 2 | 1) /* 0x20a0 */,
        WORD64 (0x20a0, 0x234) },
    REFERENCED },
  { "relocations_by_symbols_of_sections_keep_them",
    .changes
    = { SECTION_SYMBOL ("\1", 0x200), RELOCATION (0x2090, 1, 1, 0x800) },
    REFERENCED },
  { "relocations_by_symbols_of_sections_keep_what_they_lead_to",
    .changes = { SECTION_SYMBOL ("\7", 0x1000),
                 RELOCATION (0x2090, 1, 1, 0x234 - 0x1000) },
    REFERENCED },
  { "relocations_by_symbols_that_no_table_has_keep_everything",
    .changes = { RELOCATION (0x2090, 3, 1, 0) }, REFERENCED },
  { "relocations_by_a_table_that_no_section_has_keep_everything",
    .changes = { SET_SECTION (S_DYNSYM, sh_type, SHT_PROGBITS),
                 RELOCATION (0x2090, 1, 1, 0), NO_BUILD_ID },
    REFERENCED },
  { "relocations_we_cannot_read_keep_everything",
    .changes = { DYNAMIC (0x60000011 /* DT_ANDROID_RELA */, 0x400) },
    REFERENCED },
  /* A dynamic symbol in .interp.  */
  { "other_files_may_know_evicted_bytes",
    .changes
    = { SET (elf.bytes[0x288 + 4], ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT)),
        BYTES (0x288 + 6, "\2\0"), WORD64 (0x288 + 8, 0x210) },
    REFERENCED },

  { "note_with_endless_contents_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x204, 0x1000) }, .reason = ".note.qt.metadata" },
  { "note_with_an_endless_name_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x200, 0x1000) }, .reason = ".note.qt.metadata" },
  { "note_without_a_name_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x200, 0) }, .reason = ".note.qt.metadata" },
  /* One header cannot say both.  */
  { "notes_with_unlike_flags_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_flags, PF_R | PF_X) },
    .reason = ".note.qt.metadata" },
  { "notes_at_unlike_addresses_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_vaddr, 0x220),
                 SET_SEGMENT (P_NOTE, p_paddr, 0x220) },
    .reason = ".note.qt.metadata" },
  { "notes_at_unlike_physical_addresses_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_paddr, 0x220) },
    .reason = ".note.qt.metadata" },
  { "notes_larger_in_memory_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_memsz, 36 + 8) },
    .reason = ".note.qt.metadata" },
  { "notes_of_an_alignment_without_padding_keep_their_headers",
    make_long_plugin, .changes = { SET_SEGMENT (P_NOTE, p_align, 2) },
    .reason = ".note.qt.metadata" },
  { "notes_of_unlike_types_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_type, PT_LOPROC + 1) },
    .reason = ".note.qt.metadata" },
  { "notes_apart_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_offset, 0x220),
                 SET_SEGMENT (P_NOTE, p_vaddr, 0x220) },
    .reason = ".note.qt.metadata" },
  { "static_pies_keep_pt_phdr", make_library,
    .changes = { SET (elf.header.e_entry, 0x1000) }, .reason = ".interp" },
  { "named_pies_keep_pt_phdr", make_library,
    .changes = { DYNAMIC (DT_FLAGS_1, 0x08000000 /* DF_1_PIE */) },
    .reason = ".interp" },
  { "other_notes_in_front_stay", make_crash_reporter,
    .changes = { WORD32 (0x21c + 8, 77) }, .reason = "cannot move" },
  /* Bytes that no header names may be in use: notes do not go there.  */
  { "unknown_bytes_behind_other_notes_stay", make_crash_reporter,
    .changes = { BYTES (0x258, "\1") }, .reason = ".note.crashpad.info" },
  /* Readers that align notes in the file, as Go's, not from the header's
     offset on.  */
  { "notes_of_one_header_begin_where_its_alignment_says", make_crash_reporter,
    .changes = { SET_SEGMENT (P_NOTE, p_align, 8) }, .reason = "cannot move" },
  { "loaders_keep_pt_phdr", make_loader,
    .changes = { NO_SEGMENT (P_STACK), NOTE (0x200, "Own", 7, 12),
                 SET_SEGMENT (P_NOTE, p_flags, PF_R | PF_X) },
    .reason = ".note.ABI-tag" },
  /* A walk by 8 does not come behind them, so nothing that glibc wants may go
     there; not an ABI tag, which nobody looks for.  */
  { "notes_go_nowhere_where_readers_miss_them", make_mold_program,
    .changes = { WORD32 (0x248, NT_GNU_PROPERTY_TYPE_0) },
    .reason = "cannot move" },

  { "data_with_a_huge_bss_does_not_grow", make_data_with_a_huge_bss,
    .reason = ".note.qt.metadata" },
  /* Readers of the file and of memory could not both be served.  */
  { "a_note_at_another_address_keeps_a_program_from_growing_down",
    .changes = { RELOCATE (0x400000), INTERP_STAYS,
                 SET_SEGMENT (P_NOTE, p_vaddr, 0x400400) },
    .reason = ".interp" },
  { "notes_with_other_physical_addresses_share_no_header", make_long_plugin,
    .changes = { SET_SEGMENT (P_INTERP, p_paddr, 0x1000200),
                 SET_SEGMENT (P_NOTE, p_paddr, 0x1000218) },
    .reason = "no room for program headers" },
  { "grows_down_only_above_lowest_address",
    .changes = { RELOCATE (0x10000), INTERP_STAYS }, .reason = "no room" },
  { "the_table_stays_where_it_is", .changes = { INTERP_STAYS },
    .reason = "no room for program headers" },

  { "refuses_an_empty_section", .changes = { SET (request.sframe_size, 0) },
    .status = CFI2SFRAME_INVALID, .reason = "size" },
  { "refuses_sections_of_4_gib",
    .changes = { SET (request.sframe_size, (uint64_t)UINT32_MAX + 1) },
    .status = CFI2SFRAME_INVALID, .reason = "size" },
};

TEST_ROWS (refused, struct fixture *test, set_up, tear_down, is_refused)
{
  make_file (test);
  assert_true (refusals_check (&test->image, &test->err));
  assert_false (plan (test));
  check_reason (test);
  /* Scripts tell it from a defect by the word.  */
  assert_string_equal (cfi2sframe_error_code (&test->err),
                       test->err.status == CFI2SFRAME_INVALID ? "invalid"
                                                              : "no-room");
}

/* ---- Loaders */

/* A library without a loader's name and with a loader's dynamic symbols.  */
static void
make_library_with_loader_symbols (struct fixture *test)
{
  make_loader (test);
  store_u64 (test->elf.bytes + 0x2000, DT_NEEDED, false);
  test->elf.sections[S_DYNSYM].sh_link = S_DYNSTR;
  put (test, 0x2b8, "\0__tls_get_addr\0_r_debug", 25);
  uint8_t *symbols = test->elf.bytes + 0x270;
  memset (symbols, 0, 0x48);
  store_u32 (symbols + 24, 1, false);
  store_u32 (symbols + 48, 16, false);
}

/* With the reason "loader" where that is one, and "perhaps" where a loader's
   name would make it one.  */
static const struct layout_case loaders[] = {
  { "programs_are_no_loaders", .reason = "" },
  { "loaders_are_known_by_name", make_loader, .reason = "loader" },
  { "loaders_are_known_by_symbols", make_library_with_loader_symbols,
    .changes
    = { BYTES (0x270 + 24 + 6, "\7\0"), BYTES (0x270 + 48 + 6, "\7\0") },
    .reason = "loader" },
  { "users_of_loader_symbols_are_no_loaders", make_library_with_loader_symbols,
    .reason = "perhaps" },
  { "static_pies_may_be_loaders",
    .changes = { SET_SEGMENT (P_INTERP, p_type, PT_LOOS + 1) },
    .reason = "perhaps" },
  { "fixed_programs_are_no_loaders",
    .changes
    = { SET_SEGMENT (P_INTERP, p_type, PT_LOOS + 1), RELOCATE (0x400000) },
    .reason = "" },
};

TEST_ROWS (loaders, struct fixture *test, set_up, tear_down, is_a_loader)
{
  make_file (test);
  assert_string_equal (loader_is (&test->image)       ? "loader"
                       : loader_may_be (&test->image) ? "perhaps"
                                                      : "",
                       test->given->reason);
}

TEST (names_of_loaders)
{
  static const char *const names[] = { "/lib64/ld-linux-x86-64.so.2",
                                       "ld-2.31.so",
                                       "root/lib/ld-musl-x86_64.so.1",
                                       "ld64-uClibc.so.1",
                                       "/lib/ld64.so.1",
                                       "ld.so.1",
                                       "libc.musl-x86_64.so.1" };
  static const char *const others[]
      = { "", "/usr/bin/ld", "x86_64-linux-gnu-ld.bfd",
          "ld-linux.so.2/program", "libld-linux.so" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_true (loader_is_name (names[i]));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false (loader_is_name (others[i]));
}

/* ---- Plans */

FIXTURE_TEST (plans_are_deterministic)
{
  plan_and_apply (test, "evict");
  struct plan again;
  assert_true (
      choose_strategy (&again, &test->image, &test->request, &test->err));
  check_equal_plans (&again, &test->plan);
  plan_free (&again);
}

/* It is the padding that is bounded, not what is needed.  */
FIXTURE_TEST (grows_down_for_large_sections)
{
  elf_builder_relocate (&test->elf, 0x40000000);
  test->elf.sections[S_INTERP].sh_flags |= SHF_EXECINSTR; /* stays */
  test->request.sframe_size = 48 << 20;
  open_old (test);
  plan_once (test);
  assert_string_equal (test->plan.strategy, "grow-down");
}

TEST (bytes_outside_of_the_file_are_not_zero)
{
  static const uint8_t bytes[] = { 1, 0, 0, 0, 0 };
  const struct image image = { .bytes = bytes, .size = 4 };
  assert_true (range_is_zero (&image, 1, 3));
  assert_true (range_is_zero (&image, 4, 0));
  assert_false (range_is_zero (&image, 0, 4));
  assert_false (range_is_zero (&image, 1, 4));
  assert_false (range_is_zero (&image, 5, 0));
  assert_false (range_is_zero (&image, 2, UINT64_MAX - 1));
}
