/* Unit tests of src/place/layout: every strategy and every refusal, on files
   made here; no file is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "place/layout.h"
#include "place/placing.h"
#include "place/reference_search.h"
#include "elf/notes.h"
#include "elf_builder.h"

/* More than there is padding behind the read-only segments (0xa00, 0xf00),
   and little enough for it.  */
enum
{
  LARGE = 5000,
  SMALL = 96
};

struct fixture
{
  struct elf_builder elf;
  struct image image, result; /* of the old and the new file */
  struct layout_request request;
  struct layout_plan plan;
  struct error err;
  uint8_t *bytes; /* the new file */
};

static int
set_up (void **state)
{
  struct fixture *test = calloc (1, sizeof *test);
  if (test == NULL)
    return -1;
  elf_builder_program (&test->elf, EM_X86_64, false);
  test->request = (struct layout_request){ .sframe_size = LARGE,
                                           .section_type = SHT_GNU_SFRAME };
  *state = test;
  return 0;
}

/* Allocations, which the linker sends here: the one after so many fails.  */
static unsigned allocations_granted = UINT_MAX;

void *__real_malloc (size_t size);
void *__wrap_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__real_realloc (void *old, size_t size);
void *__wrap_realloc (void *old, size_t size);
void *__real_reallocarray (void *old, size_t n, size_t size);
void *__wrap_reallocarray (void *old, size_t n, size_t size);

static bool
is_granted (void)
{
  return allocations_granted == UINT_MAX || allocations_granted-- > 0;
}

void *
__wrap_malloc (size_t size)
{
  return is_granted () ? __real_malloc (size) : NULL;
}

void *
__wrap_calloc (size_t n, size_t size)
{
  return is_granted () ? __real_calloc (n, size) : NULL;
}

void *
__wrap_realloc (void *old, size_t size)
{
  return is_granted () ? __real_realloc (old, size) : NULL;
}

void *
__wrap_reallocarray (void *old, size_t n, size_t size)
{
  return is_granted () ? __real_reallocarray (old, n, size) : NULL;
}

static int
tear_down (void **state)
{
  struct fixture *test = *state;
  layout_plan_free (&test->plan);
  if (test->result.elf != NULL)
    image_close (&test->result);
  if (test->image.elf != NULL)
    image_close (&test->image);
  free (test->bytes);
  free (test);
  return 0;
}

static void
open_old (struct fixture *test)
{
  elf_builder_finish (&test->elf);
  if (!image_open_memory (&test->image, test->elf.bytes, test->elf.size,
                          &test->err))
    fail_msg ("%s", test->err.reason);
}

/* What the plan's documentation says the new file is.  */
static void
apply (struct fixture *test)
{
  const struct layout_plan *plan = &test->plan;
  uint64_t end = 0;
  test->bytes = calloc (1, plan->new_size);
  assert_non_null (test->bytes);
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
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
      const struct layout_patch *patch = &plan->patches[i];
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
  if (test->result.n_sections == 0)
    return;
  const GElf_Shdr *section = section_of (&test->result, ".sframe");
  assert_int_equal (section->sh_type, SHT_GNU_SFRAME);
  assert_int_equal (section->sh_flags, SHF_ALLOC);
  assert_int_equal (section->sh_addr, sframe->p_vaddr);
  assert_int_equal (section->sh_offset, sframe->p_offset);
  assert_int_equal (section->sh_size, sframe->p_filesz);
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
      if (strcmp (old->name, ".shstrtab") == 0
          || strcmp (old->name, ".dynamic") == 0
          || strcmp (old->name, ".symtab") == 0
          || old->header.sh_type == SHT_NOBITS)
        continue;
      assert_int_equal (old->header.sh_size, new->header.sh_size);
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

static bool
plan_with_search (const struct fixture *test, struct layout_plan *plan,
                  struct error *err)
{
  struct layout_request request = test->request;
  request.search = layout_search_start (&test->image);
  bool planned = layout_plan_injection (plan, &test->image, &request, err);
  layout_search_end (request.search);
  return planned;
}

/* Plan; looking for references ahead of time must make no difference.  */
static bool
plan (struct fixture *test)
{
  struct layout_plan other;
  struct error other_err = { 0 };
  bool planned_too = plan_with_search (test, &other, &other_err);
  bool planned = layout_plan_injection (&test->plan, &test->image,
                                        &test->request, &test->err);
  assert_int_equal (planned, planned_too);
  if (!planned)
    assert_string_equal (test->err.reason, other_err.reason);
  assert_int_equal (other.strategy, test->plan.strategy);
  assert_int_equal (other.n_extents, test->plan.n_extents);
  assert_int_equal (other.n_patches, test->plan.n_patches);
  for (size_t i = 0; i < other.n_patches; i++)
    {
      const struct layout_patch *patch = &test->plan.patches[i];
      assert_int_equal (other.patches[i].size, patch->size);
      assert_int_equal (other.patches[i].offset, patch->offset);
      assert_memory_equal (other.patches[i].bytes, patch->bytes, patch->size);
    }
  layout_plan_free (&other);
  return planned;
}

/* Planning says so when any of the allocations fails.  */
static void
expect_no_plan_without_memory (const struct fixture *test)
{
  bool done = false;
  for (unsigned n = 0; !done; n++)
    {
      struct layout_plan plan;
      struct error err = { 0 };
      allocations_granted = n;
      done = layout_plan_injection (&plan, &test->image, &test->request, &err);
      bool failed = allocations_granted == UINT_MAX;
      allocations_granted = UINT_MAX;
      layout_plan_free (&plan);
      if (failed && (done || err.status != CFI2SFRAME_NO_MEMORY))
        fail_msg ("allocation %u failed: %s", n, done ? "done" : err.reason);
      assert_int_equal (failed, !done);
    }
}

static void
plan_and_apply (struct fixture *test, enum layout_strategy strategy)
{
  open_old (test);
  if (!plan (test))
    fail_msg ("%s", test->err.reason);
  assert_int_equal (test->plan.strategy, strategy);
  expect_no_plan_without_memory (test);
  apply (test);
  if (!image_open_memory (&test->result, test->bytes, test->plan.new_size,
                          &test->err))
    fail_msg ("new file: %s", test->err.reason);
  check_sframe (test);
  check_sections (test);
}

/* Fails with STATUS and a reason that contains WORDS.  */
static void
expect_failure (struct fixture *test, enum cfi2sframe_status status,
                const char *words)
{
  open_old (test);
  assert_false (plan (test));
  if (test->err.status != status || strstr (test->err.reason, words) == NULL)
    fail_msg ("status %d, reason \"%s\"", test->err.status, test->err.reason);
}

static uint64_t
dynamic_value (const struct image *image, int64_t tag)
{
  uint64_t value = 0;
  assert_true (dynamic_find (image, tag, &value));
  return value;
}

/* Give .rodata a segment of its own, behind the first one, in the slot of
   PT_GNU_STACK.  */
static void
split_first_load (struct elf_builder *elf)
{
  Elf64_Phdr *load = elf_builder_segment (elf, PT_LOAD);
  memmove (load + 1, load,
           (size_t)(&elf->segments[elf->n_segments - 1] - load)
               * sizeof *load);
  load[0].p_filesz = load[0].p_memsz = 0x400;
  load[1].p_offset = load[1].p_vaddr = load[1].p_paddr = 0x400;
  load[1].p_filesz = load[1].p_memsz = 0x200;
}

/* ---- Strategies */

static void
slack_fills_padding (void **state)
{
  struct fixture *test = *state;
  test->request.sframe_size = SMALL;
  split_first_load (&test->elf);
  test->elf.segments[test->elf.n_segments++].p_type = PT_NULL;
  elf_builder_segment (&test->elf, PT_INTERP)->p_offset = 0x240;
  elf_builder_segment (&test->elf, PT_INTERP)->p_vaddr = 0x240;
  elf_builder_segment (&test->elf, PT_INTERP)->p_filesz = 0;
  test->elf.sections[1].sh_offset = test->elf.sections[1].sh_addr = 0x244;
  test->elf.sections[1].sh_size = 4;
  test->elf.sections[1].sh_type = SHT_PROGBITS;
  elf_builder_note (&test->elf, 0x23c, "GNU", NT_GNU_BUILD_ID, 0);
  test->elf.sections[2].sh_offset = test->elf.sections[2].sh_addr = 0x238;
  test->elf.sections[2].sh_type = SHT_PROGBITS;
  test->elf.sections[2].sh_size = 8;
  elf_builder_segment (&test->elf, PT_NOTE)->p_type = PT_LOPROC + 5;
  plan_and_apply (test, LAYOUT_SLACK);
  /* Right behind the read-only segment, which grows; nothing else moves.  */
  assert_int_equal (test->plan.sframe_offset, 0x600);
  assert_int_equal (test->plan.sframe_address, 0x600);
  assert_int_equal (test->result.n_segments, test->image.n_segments);
  const GElf_Phdr *load = segment_of (&test->result, PT_LOAD) + 1;
  assert_int_equal (load->p_filesz, 0x200 + SMALL);
  assert_int_equal (load->p_memsz, 0x200 + SMALL);
  assert_int_equal (test->plan.n_extents, 2);
}

/* libdwfl takes the difference of the first segments' ends for the distance
   between a file and its debug file.  */
static void
slack_leaves_the_end_of_the_first_segment (void **state)
{
  struct fixture *test = *state;
  test->request.sframe_size = SMALL;
  plan_and_apply (test, LAYOUT_SLACK);
  const GElf_Phdr *load = segment_of (&test->result, PT_LOAD);
  assert_int_equal (load->p_filesz, 0x600);
  assert_int_equal (load->p_memsz, 0x600);
  assert_int_equal (test->plan.sframe_offset, 0x1100);
}

static void
slack_takes_evicted_sections_along (void **state)
{
  struct fixture *test = *state;
  test->request.sframe_size = SMALL;
  split_first_load (&test->elf);
  plan_and_apply (test, LAYOUT_SLACK);
  const GElf_Phdr *interp = segment_of (&test->result, PT_INTERP);
  assert_in_range (interp->p_offset, 0x600 + SMALL, 0xfff);
  assert_int_equal (test->plan.sframe_offset, 0x600);
}

static void
slack_needs_zeros (void **state)
{
  struct fixture *test = *state;
  test->request.sframe_size = SMALL;
  split_first_load (&test->elf);
  test->elf.bytes[0x640] = 1;
  test->elf.bytes[0x1180] = 1;
  plan_and_apply (test, LAYOUT_EVICT);
}

static void
slack_prefers_data_to_code (void **state)
{
  struct fixture *test = *state;
  test->request.sframe_size = SMALL;
  split_first_load (&test->elf);
  /* Fill the padding behind the read-only segment: then the code's.  */
  test->elf.bytes[0x610] = 1;
  plan_and_apply (test, LAYOUT_SLACK);
  assert_int_equal (test->plan.sframe_offset, 0x1100);
}

/* The file has 0x1a00 free bytes behind the second segment, the memory 0xa00.
 */
static void
slack_ends_at_the_next_segment_in_memory (void **state)
{
  struct fixture *test = *state;
  struct elf_builder *elf = &test->elf;
  split_first_load (elf);
  memmove (elf->bytes + 0x2000, elf->bytes + 0x1000, elf->size - 0x1000);
  memset (elf->bytes + 0x1000, 0, 0x1000);
  elf->size += 0x1000;
  for (size_t i = 0; i < elf->n_segments; i++)
    elf->segments[i].p_offset
        += elf->segments[i].p_offset >= 0x1000 ? 0x1000 : 0;
  for (size_t i = 0; i < elf->n_sections; i++)
    elf->sections[i].sh_offset
        += elf->sections[i].sh_offset >= 0x1000 ? 0x1000 : 0;
  test->request.sframe_size = 0xf80;
  plan_and_apply (test, LAYOUT_EVICT);
  check_segments (test, 0x1000);
}

static void
slack_counts_in_pages_of_the_machine (void **state)
{
  struct fixture *test = *state;
  test->request.sframe_size = SMALL;
  test->elf.header.e_machine = EM_AARCH64;
  for (size_t i = 0; i < test->elf.n_segments; i++)
    if (test->elf.segments[i].p_type == PT_LOAD)
      test->elf.segments[i].p_align = 0x10000;
  /* With 64 KiB pages the segments of this file share one; there is no slack
     between them.  */
  plan_and_apply (test, LAYOUT_EVICT);
  check_sframe (test);
  assert_true (test->plan.sframe_address >= 0x10000);
}

static void
null_entries_are_slots (void **state)
{
  struct fixture *test = *state;
  test->elf.n_segments -= 2; /* room for two, used by empty entries */
  test->elf.segments[6] = test->elf.segments[7] = (Elf64_Phdr){ 0 };
  test->elf.n_segments = 8;
  plan_and_apply (test, LAYOUT_SPARE_SLOT);
  assert_int_equal (test->result.n_segments, 8);
  check_segments (test, 0x1000);
}

static void
doubled_property_note_is_a_slot (void **state)
{
  struct fixture *test = *state;
  Elf64_Phdr *note = elf_builder_segment (&test->elf, PT_NOTE);
  elf_builder_note (&test->elf, 0x220, "GNU", NT_GNU_PROPERTY_TYPE_0, 16);
  test->elf.sections[2].sh_size = 32;
  note->p_filesz = note->p_memsz = 32;
  test->elf.segments[7] = *note;
  test->elf.segments[7].p_type = PT_GNU_PROPERTY;
  test->request.sframe_size = SMALL;
  plan_and_apply (test, LAYOUT_SLACK);
  assert_int_equal (test->result.n_segments, 8);
  assert_null (image_find_segment (&test->result, PT_NOTE));
  segment_of (&test->result, PT_GNU_PROPERTY);
  /* .interp did not have to move.  */
  assert_int_equal (segment_of (&test->result, PT_INTERP)->p_offset, 0x200);
}

static void
section_table_behind_headers_gives_room (void **state)
{
  struct fixture *test = *state;
  /* As Go does: sections start later, the table stands in between.  */
  static const char *const gone[]
      = { ".interp", ".note.gnu.build-id", ".gnu.hash", ".dynsym", ".dynstr" };
  for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
    test->elf.sections[elf_builder_section (&test->elf, gone[i])]
        = (Elf64_Shdr){ .sh_type = SHT_NULL };
  memset (test->elf.bytes + 0x200, 0, 0x1ff);
  test->elf.segments[1].p_type = test->elf.segments[6].p_type = PT_LOPROC;
  test->elf.segments[1].p_filesz = test->elf.segments[6].p_filesz = 0;
  elf_builder_segment (&test->elf, PT_DYNAMIC)->p_type = PT_LOPROC + 1;
  test->elf.sections[elf_builder_section (&test->elf, ".rodata")].sh_offset
      = test->elf.sections[elf_builder_section (&test->elf, ".rodata")].sh_addr
      = 0x590;
  test->elf.sections[elf_builder_section (&test->elf, ".rodata")].sh_size
      = 0x70;
  test->elf.header.e_shoff = 0x200;
  memset (test->elf.bytes + 0x580, 0, 0x10);
  plan_and_apply (test, LAYOUT_SPARE_SLOT);
  assert_int_equal (test->result.n_segments, 10);
  assert_true (test->result.header.e_shoff >= test->elf.size);
}

static void
eviction_moves_what_nobody_reaches_by_address (void **state)
{
  struct fixture *test = *state;
  elf_builder_symbol (&test->elf, 1, ".gnu.hash", STT_SECTION, 0x248);
  elf_builder_symbol (&test->elf, 2, ".interp", STT_SECTION, 0x200);
  elf_builder_symbol (&test->elf, 3, ".text", STT_FUNC, 0x1010);
  plan_and_apply (test, LAYOUT_EVICT);
  const struct image *new = &test->result;
  check_segments (test, 0x1000);
  assert_int_equal (new->n_segments, 10);
  assert_int_equal (new->header.e_phoff, 0x40);
  assert_int_equal (segment_of (new, PT_PHDR)->p_filesz, 560);

  const GElf_Shdr *interp = section_of (new, ".interp");
  assert_int_equal (segment_of (new, PT_INTERP)->p_offset, interp->sh_offset);
  assert_int_equal (segment_of (new, PT_INTERP)->p_vaddr, interp->sh_addr);
  assert_true (interp->sh_offset >= test->elf.size);

  const GElf_Shdr *hash = section_of (new, ".gnu.hash");
  assert_int_not_equal (hash->sh_addr, 0x248);
  assert_int_equal (hash->sh_addr & 7, 0);
  assert_int_equal (dynamic_value (new, DT_GNU_HASH), hash->sh_addr);
  assert_int_equal (dynamic_value (new, DT_SYMTAB),
                    section_of (new, ".dynsym")->sh_addr);
  /* Dynamic strings stay where they are.  */
  assert_int_equal (dynamic_value (new, DT_STRTAB), 0x2b8);
  assert_int_equal (section_of (new, ".dynstr")->sh_addr, 0x2b8);

  const uint8_t *symbols
      = test->bytes + section_of (new, ".symtab")->sh_offset;
  assert_int_equal (load_u64 (symbols + 24 + 8, false), hash->sh_addr);
  assert_int_equal (load_u64 (symbols + 48 + 8, false), interp->sh_addr);
  assert_int_equal (load_u64 (symbols + 72 + 8, false), 0x1010);
}

static void
eviction_keeps_build_id_in_first_page (void **state)
{
  struct fixture *test = *state;
  plan_and_apply (test, LAYOUT_EVICT);
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_in_range (note->p_offset, 0x40 + 10 * 56, 0x1000 - 0x24);
  assert_int_equal (note->p_vaddr, note->p_offset);
  assert_int_equal (section_of (&test->result, ".note.gnu.build-id")->sh_addr,
                    note->p_vaddr);
  assert_memory_equal (test->bytes + note->p_offset, test->elf.bytes + 0x220,
                       0x24);
}

static void
eviction_zeroes_freed_bytes (void **state)
{
  struct fixture *test = *state;
  plan_and_apply (test, LAYOUT_EVICT);
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  for (uint64_t i = 0x40 + 10 * 56; i < 0x2b8; i++)
    if (i < note->p_offset || i >= note->p_offset + note->p_filesz)
      assert_int_equal (test->bytes[i], 0);
}

static void
eviction_works_in_big_endian_files (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_S390, true);
  elf_builder_symbol (&test->elf, 1, ".gnu.hash", STT_SECTION, 0x248);
  plan_and_apply (test, LAYOUT_EVICT);
  const GElf_Shdr *hash = section_of (&test->result, ".gnu.hash");
  assert_int_equal (dynamic_value (&test->result, DT_GNU_HASH), hash->sh_addr);
  const uint8_t *symbols
      = test->bytes + section_of (&test->result, ".symtab")->sh_offset;
  assert_int_equal (load_u64 (symbols + 24 + 8, true), hash->sh_addr);
}

static void
eviction_stops_at_unknown_notes (void **state)
{
  struct fixture *test = *state;
  elf_builder_note (&test->elf, 0x220, "Cra", 1, 20);
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.gnu.build-id");
}

static void
eviction_takes_package_notes (void **state)
{
  struct fixture *test = *state;
  elf_builder_note (&test->elf, 0x220, "FDO", 0xcafe1a7e, 20);
  plan_and_apply (test, LAYOUT_EVICT);
}

static void
eviction_spares_notes_with_symbols (void **state)
{
  struct fixture *test = *state;
  elf_builder_symbol (&test->elf, 1, ".note.gnu.build-id",
                      ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT), 0x220);
  memcpy (test->elf.bytes + 0x2100 + 8 * 24, "\0build_id", 10);
  store_u32 (test->elf.bytes + 0x2100 + 24, 1, false);
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.gnu.build-id");
}

static void
eviction_spares_tables_without_dynamic_entry (void **state)
{
  struct fixture *test = *state;
  /* DT_GNU_HASH names another place: something else is going on.  */
  store_u64 (test->elf.bytes + 0x2000 + 16 + 8, 0x250, false);
  /* .interp and the build-id alone give room for one header only.  */
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_int_equal (section_of (&test->result, ".gnu.hash")->sh_addr, 0x248);
}

static void
eviction_spares_executable_sections (void **state)
{
  struct fixture *test = *state;
  test->elf.sections[3].sh_flags |= SHF_EXECINSTR;
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_int_equal (section_of (&test->result, ".gnu.hash")->sh_addr, 0x248);
}

/* ---- Who may know where evicted bytes are: a stripped program that read its
   build-id through symbols of a linker script printed zeros.  0x234 lies in
   the build-id.  */

static void
expect_referenced (struct fixture *test)
{
  expect_failure (test, CFI2SFRAME_REFUSED, "code may refer to");
}

static void
put (struct fixture *test, uint64_t offset, const char *bytes, size_t size)
{
  memcpy (test->elf.bytes + offset, bytes, size);
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
amd64_code_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  /* lea 0x234(%rip), %rax at 0x1010 */
  put (test, 0x1010, "\x48\x8d\x05\x1d\xf2\xff\xff", 7);
  expect_referenced (test);
}

static void
amd64_immediate_operands_count (void **state)
{
  struct fixture *test = *state;
  /* cmpl $0x55555555, 0x220(%rip) at 0x1010, which ends at 0x101a; without the
     operand it would be 0x21c, where nothing is.  */
  put (test, 0x1010, "\x81\x3d\x06\xf2\xff\xff\x55\x55\x55\x55", 10);
  expect_referenced (test);
}

static void
amd64_large_model_code_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  /* movabs $0x234 - 0x2080, %rax, with the table at 0x2080 */
  add_dynamic_entry (test, DT_PLTGOT, 0x2080);
  put (test, 0x1010, "\x48\xb8\xb4\xe1\xff\xff\xff\xff\xff\xff", 10);
  expect_referenced (test);
}

/* The same as expect_referenced, several times in one test; WHAT and N say
   where.  */
static void
check_referenced (struct fixture *test, const char *what, uint64_t n)
{
  open_old (test);
  if (layout_plan_by (&test->plan, &test->image, &test->request, LAYOUT_EVICT,
                      &test->err)
      || strstr (test->err.reason, "code may refer to") == NULL)
    fail_msg ("%s, %#llx: %s", what, (unsigned long long)n, test->err.reason);
  layout_plan_free (&test->plan);
  image_close (&test->image);
  test->image.elf = NULL;
}

/* Code is looked through in blocks, and at some bytes of the fields first; no
   place may be missed, nor one where the others change, as they do 64 KiB
   behind what is referred to.  */
static void
check_code_at (struct fixture *test, uint64_t begin)
{
  const uint64_t size = 0xc00, shift = 0xf000;
  Elf64_Phdr *text = &test->elf.segments[3], *data = text + 1;
  text->p_filesz = text->p_memsz = begin - text->p_offset + size;
  text->p_vaddr = text->p_paddr = text->p_offset + shift;
  data->p_vaddr = data->p_paddr = 0x20000;
  data[1].p_vaddr = data[1].p_paddr = 0x20000; /* PT_DYNAMIC */
  size_t first = elf_builder_section (&test->elf, ".text");
  test->elf.sections[first].sh_size = size;
  test->elf.sections[first].sh_offset = begin;
  test->elf.sections[first].sh_addr = begin + shift;
  for (size_t i = first + 1; i <= first + 3; i++)
    test->elf.sections[i].sh_addr += 0x20000 - 0x2000;
  memset (test->elf.bytes + begin, 0x90, size);
  struct elf_builder original = test->elf;
  for (uint64_t at = begin; at + 7 <= begin + size; at++)
    {
      put (test, at, "\x48\x8d\x05", 3); /* lea 0x243(%rip), %rax */
      store_u32 (test->elf.bytes + at + 3,
                 (uint32_t)(0x243 - (at + shift + 7)), false);
      check_referenced (test, "relative", at);
      test->elf = original;
    }
  add_dynamic_entry (test, DT_PLTGOT, 0x52080);
  original = test->elf;
  for (uint64_t at = begin; at + 10 <= begin + size; at++)
    {
      /* movabs $0x234 - 0x52080, %rax */
      put (test, at, "\x48\xb8\xb4\xe1\xfa\xff\xff\xff\xff\xff", 10);
      check_referenced (test, "from the offset table", at);
      test->elf = original;
    }
  elf_builder_relocate (&test->elf, 0x400000);
  original = test->elf;
  for (uint64_t at = begin; at + 5 <= begin + size; at++)
    {
      put (test, at, "\xbf\x10\x02\x40\x00", 5); /* mov $0x400210, %edi */
      check_referenced (test, "absolute", at);
      test->elf = original;
    }
}

static void
amd64_code_anywhere_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  const struct elf_builder original = test->elf;
  check_code_at (test, 0x1030);
  test->elf = original;
  check_code_at (test, 0x1080);
}

/* An operand [rip + displacement] that is 0x234, with every opcode map; the
   opcodes themselves take no operand in the first map.  */
static void
every_opcode_map_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  const struct elf_builder original = test->elf;
  static const struct
  {
    const char *name, *bytes;
    size_t size;
  } prefixes[] = {
    { "lea", "\x48\x8d\x05", 3 },
    { "addps", "\x0f\x58\x05", 3 },
    { "pmulld", "\x66\x0f\x38\x40\x05", 5 },
    { "dpps", "\x66\x0f\x3a\x40\x05", 5 },
    { "vaddps (VEX, 2 bytes)", "\xc5\xf8\x58\x05", 4 },
    { "vpbroadcastd (VEX, 3 bytes)", "\xc4\xe2\x79\x58\x05", 5 },
    { "vpcmov (XOP)", "\x8f\xe8\x78\xa2\x05", 5 },
    { "vaddps (EVEX)", "\x62\xf1\x7c\x48\x58\x05", 6 },
  };
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    for (unsigned immediate = 0; immediate <= 4;
         immediate += 1 + immediate / 2)
      {
        test->elf = original;
        uint64_t at = 0x1010 + prefixes[i].size;
        put (test, 0x1010, prefixes[i].bytes, prefixes[i].size);
        store_u32 (test->elf.bytes + at,
                   (uint32_t)(0x234 - (at + 4 + immediate)), false);
        check_referenced (test, prefixes[i].name, immediate);
      }
}

/* Code, and what of the bytes at RANGE on it refers to: exactly that.  */
enum
{
  CODE_ADDRESS = 0x100000,
  RANGE = 0x101000,
  RANGE_SIZE = 0x40,
  CODE_FRONT = 16, /* bytes of the file in front of the code */
  CODE_MAX = 1024
};

struct code_file
{
  uint8_t bytes[CODE_FRONT + CODE_MAX + 128];
  struct image_section sections[4];
  struct image image;
  struct references found;
};

static void
code_file_init (struct code_file *file, uint16_t machine, size_t size)
{
  memset (file, 0, sizeof *file);
  struct image *image = &file->image;
  *image = (struct image){ .fd = -1,
                           .bytes = file->bytes,
                           .size = sizeof file->bytes,
                           .sections = file->sections,
                           .n_sections = 3 };
  image->header.e_machine = machine;
  image->header.e_type = ET_DYN;
  image->big_endian = machine == EM_S390;
  file->sections[1].header = (GElf_Shdr){ .sh_type = SHT_PROGBITS,
                                          .sh_flags = SHF_EXECINSTR,
                                          .sh_addr = CODE_ADDRESS,
                                          .sh_offset = CODE_FRONT,
                                          .sh_size = size };
  /* Of a program whose code is in another file.  */
  file->sections[2].header = (GElf_Shdr){ .sh_type = SHT_NOBITS,
                                          .sh_flags = SHF_EXECINSTR,
                                          .sh_addr = CODE_ADDRESS * 2,
                                          .sh_size = 64 };
}

static void
expect_targets (struct code_file *file, const uint64_t *targets, size_t n,
                bool unknown)
{
  references_find (&file->found, &file->image, RANGE, RANGE + RANGE_SIZE);
  assert_int_equal (file->found.n_targets, n);
  for (size_t i = 0; i < n; i++)
    assert_int_equal (file->found.targets[i], targets[i]);
  assert_int_equal (file->found.unknown, unknown);
}

/* At every place of two blocks and their ends, and with immediate operands of
   each size behind the displacement.  */
static void
every_relative_field_of_amd64_is_found (void **state)
{
  (void)state;
  static const unsigned immediates[] = { 0, 1, 2, 4 };
  static struct code_file file;
  code_file_init (&file, EM_X86_64, 600);
  uint8_t *code = file.bytes + CODE_FRONT;
  memset (file.bytes, 0x90, sizeof file.bytes);
  for (uint32_t at = 1; at <= 596; at++)
    for (uint32_t target = RANGE - 5; target <= RANGE + RANGE_SIZE; target++)
      {
        uint64_t targets[4];
        size_t n = 0;
        if (target > RANGE + 2 && target < RANGE + RANGE_SIZE - 2)
          continue;
        for (size_t i = 0; i < 4; i++)
          if (target + immediates[i] >= RANGE
              && target + immediates[i] < RANGE + RANGE_SIZE)
            targets[n++] = target + immediates[i];
        /* mov, lea, ...: 8b 05; at the start anything may be in front.  */
        if (at > 1)
          code[at - 2] = 0x8b;
        code[at - 1] = 5;
        store_u32 (code + at, target - (CODE_ADDRESS + at + 4), false);
        expect_targets (&file, targets, n, false);
        memset (file.bytes + CODE_FRONT, 0x90, 600);
      }
  /* The last byte of a range that ends anywhere, from a block's first.  */
  for (uint32_t end = RANGE; end < RANGE + 256; end++)
    {
      code[254] = 0x8b;
      code[255] = 5;
      store_u32 (code + 256, end - 1 - (CODE_ADDRESS + 256 + 4), false);
      references_find (&file.found, &file.image, end - RANGE_SIZE, end);
      assert_int_equal (file.found.n_targets, 1);
      assert_int_equal (file.found.targets[0], end - 1);
    }
  memset (file.bytes, 0x90, sizeof file.bytes);
  /* What is in front of the section is none of its instructions.  */
  code[-1] = 5;
  store_u32 (code, RANGE - (CODE_ADDRESS + 4), false);
  expect_targets (&file, NULL, 0, false);
  /* Nor is anything relative to an offset table that is not there.  */
  memset (file.bytes, 0x90, sizeof file.bytes);
  code[10] = 0x48;
  code[11] = 0xb8;
  store_u64 (code + 12, RANGE, false);
  expect_targets (&file, NULL, 0, false);
}

static void
set_words (struct code_file *file, const uint32_t *words, size_t n)
{
  for (size_t i = 0; i < n; i++)
    store_u32 (file->bytes + CODE_FRONT + 4 * i, words[i], false);
}

static void
what_adrp_leads_to_is_found (void **state)
{
  (void)state;
  struct code_file file;
  const uint64_t at_8 = RANGE + 8, at_16 = RANGE + 16;
  enum
  {
    ADRP = 0xb0000001, /* adrp x1, the next page */
    NOP = 0xd503201f
  };
  /* The last instruction of the section: add x0, x1, 8.  */
  code_file_init (&file, EM_AARCH64, 16);
  set_words (&file, (const uint32_t[]){ ADRP, NOP, NOP, 0x91002020 }, 4);
  expect_targets (&file, &at_8, 1, false);
  /* ldr x0, [x1, 16].  */
  set_words (&file, (const uint32_t[]){ ADRP, NOP, NOP, 0xf9400820 }, 4);
  expect_targets (&file, &at_16, 1, false);
  /* ldr x0, [x2, 16] is about another register, sub x0, x1, 8 no such
     instruction: it may be anything in the page.  */
  set_words (&file, (const uint32_t[]){ ADRP, NOP, NOP, 0xf9400840 }, 4);
  expect_targets (&file, NULL, 0, true);
  set_words (&file, (const uint32_t[]){ ADRP, NOP, NOP, 0xd1002020 }, 4);
  expect_targets (&file, NULL, 0, true);
}

static void
every_relative_long_format_of_s390x_is_found (void **state)
{
  (void)state;
  static const uint8_t opcodes[] = { 0xc0, 0xc4, 0xc6 };
  const uint64_t target = RANGE + 2;
  struct code_file file;
  for (size_t i = 0; i < sizeof opcodes; i++)
    {
      /* larl %r1, and the same of other tables; the section's last.  */
      code_file_init (&file, EM_S390, 8);
      file.bytes[CODE_FRONT + 2] = opcodes[i];
      store_u32 (file.bytes + CODE_FRONT + 4,
                 (uint32_t)(target - (CODE_ADDRESS + 2)) / 2, true);
      expect_targets (&file, &target, 1, false);
      file.bytes[CODE_FRONT + 2] = 0xc2;
      expect_targets (&file, NULL, 0, false);
    }
}

/* Not those of the range modulo 4 GiB.  */
static void
what_refers_to_more_than_4_gib_is_unknown (void **state)
{
  (void)state;
  static struct code_file file;
  code_file_init (&file, EM_X86_64, 600);
  references_find (&file.found, &file.image, RANGE,
                   RANGE + (UINT64_C (1) << 32) + 8);
  assert_true (references_meet (&file.found, RANGE + 100, RANGE + 101));
}

static void
what_code_of_other_machines_refers_to_is_unknown (void **state)
{
  (void)state;
  struct code_file file;
  code_file_init (&file, EM_RISCV, 64);
  expect_targets (&file, NULL, 0, true);
}

static void
dynamic_symbols_refer_to_what_they_name (void **state)
{
  (void)state;
  static const struct
  {
    uint16_t section;
    uint8_t type;
    bool refers;
  } symbols[] = {
    { 1, STT_FUNC, true },
    { 1, STT_TLS, false },
    { SHN_ABS, STT_OBJECT, false },
    { SHN_UNDEF, STT_FUNC, false },
  };
  const uint64_t target = RANGE + 4;
  struct code_file file;
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    {
      code_file_init (&file, EM_X86_64, 0);
      uint8_t *symbol = file.bytes + CODE_FRONT;
      file.image.n_sections = 4;
      file.sections[3].header = (GElf_Shdr){ .sh_type = SHT_DYNSYM,
                                             .sh_offset = CODE_FRONT,
                                             .sh_size = sizeof (Elf64_Sym) };
      store_u16 (symbol + offsetof (Elf64_Sym, st_shndx), symbols[i].section,
                 false);
      symbol[offsetof (Elf64_Sym, st_info)] = symbols[i].type;
      store_u64 (symbol + offsetof (Elf64_Sym, st_value), target, false);
      expect_targets (&file, &target, symbols[i].refers, false);
    }
}

static void
chance_bytes_are_no_reference (void **state)
{
  struct fixture *test = *state;
  /* The displacement of jmp behind movb %al, 0x2d(%rsp).  */
  put (test, 0x1010, "\x88\x44\x24\x2d\xe9\x1c\xf2\xff\xff", 9);
  plan_and_apply (test, LAYOUT_EVICT);
}

static void
aarch64_code_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_AARCH64, false);
  store_u32 (test->elf.bytes + 0x1010, 0xf0ffffe0, false); /* adrp x0, 0 */
  store_u32 (test->elf.bytes + 0x1018, 0x9108d001,
             false); /* add x1, x0, ... */
  expect_referenced (test);
}

static void
aarch64_code_may_know_evicted_bytes_nearby (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_AARCH64, false);
  store_u32 (test->elf.bytes + 0x1010, 0x10ff9120, false); /* adr x0, 0x234 */
  expect_referenced (test);
}

static void
aarch64_literals_may_be_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_AARCH64, false);
  store_u32 (test->elf.bytes + 0x1010, 0x58ff9120, false); /* ldr x0, 0x234 */
  expect_referenced (test);
}

static void
aarch64_loads_count_in_their_units (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_AARCH64, false);
  store_u32 (test->elf.bytes + 0x1010, 0xf0ffffe0, false); /* adrp x0, 0 */
  /* ldr x1, [x0, 0x230], in the build-id */
  store_u32 (test->elf.bytes + 0x1014, 0xf9411801, false);
  expect_referenced (test);
}

static void
aarch64_page_alone_may_be_anything (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_AARCH64, false);
  store_u32 (test->elf.bytes + 0x1010, 0xf0ffffe0, false); /* adrp x0, 0 */
  expect_referenced (test);
}

static void
aarch64_other_bytes_of_the_page_may_be_known (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_AARCH64, false);
  store_u32 (test->elf.bytes + 0x1010, 0xf0ffffe0, false); /* adrp x0, 0 */
  store_u32 (test->elf.bytes + 0x1014, 0x91100000, false); /* add x0, 0x400 */
  plan_and_apply (test, LAYOUT_EVICT);
}

static void
s390x_code_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  elf_builder_program (&test->elf, EM_S390, true);
  put (test, 0x1010, "\xc0\x10\xff\xff\xf9\x12", 6); /* larl %r1, 0x234 */
  expect_referenced (test);
}

static void
relocations_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  add_dynamic_entry (test, DT_RELA, 0x400);
  add_dynamic_entry (test, DT_RELASZ, 24);
  store_u64 (test->elf.bytes + 0x400, 0x2090, false);
  store_u64 (test->elf.bytes + 0x408, 8, false); /* R_X86_64_RELATIVE */
  store_u64 (test->elf.bytes + 0x410, 0x234, false);
  expect_referenced (test);
}

/* Offsets among thread-local variables that look like the address of the
   build-id: @napi-rs/canvas, libvips and libonnxruntime for aarch64 were
   refused for such an addend.  */
static void
offsets_of_thread_local_variables_are_no_addresses (void **state)
{
  static const struct
  {
    uint16_t machine;
    bool big_endian;
    uint32_t type;
  } types[] = {
    { EM_X86_64, false, 18 },    /* R_X86_64_TPOFF64 */
    { EM_X86_64, false, 36 },    /* R_X86_64_TLSDESC */
    { EM_X86_64, false, 16 },    /* R_X86_64_DTPMOD64 */
    { EM_X86_64, false, 17 },    /* R_X86_64_DTPOFF64 */
    { EM_AARCH64, false, 1028 }, /* R_AARCH64_TLS_DTPMOD */
    { EM_AARCH64, false, 1029 }, /* R_AARCH64_TLS_DTPREL */
    { EM_AARCH64, false, 1030 }, /* R_AARCH64_TLS_TPREL */
    { EM_AARCH64, false, 1031 }, /* R_AARCH64_TLSDESC */
    { EM_S390, true, 54 },       /* R_390_TLS_DTPMOD */
    { EM_S390, true, 55 },       /* R_390_TLS_DTPOFF */
    { EM_S390, true, 56 },       /* R_390_TLS_TPOFF */
  };
  (void)state;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    {
      void *fresh = NULL;
      assert_int_equal (set_up (&fresh), 0);
      struct fixture *test = fresh;
      bool big_endian = types[i].big_endian;
      print_message ("machine %u, type %u\n", types[i].machine, types[i].type);
      elf_builder_program (&test->elf, types[i].machine, big_endian);
      add_dynamic_entry (test, DT_RELA, 0x400);
      add_dynamic_entry (test, DT_RELASZ, 24);
      store_u64 (test->elf.bytes + 0x400, 0x2090, big_endian);
      store_u64 (test->elf.bytes + 0x408, types[i].type, big_endian);
      store_u64 (test->elf.bytes + 0x410, 0x234, big_endian);
      plan_and_apply (test, LAYOUT_EVICT);
      tear_down (&fresh);
    }
}

/* What a relocation writes to is used, whatever is written there.  */
static void
thread_local_offsets_may_be_written_to_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  add_dynamic_entry (test, DT_RELA, 0x400);
  add_dynamic_entry (test, DT_RELASZ, 24);
  store_u64 (test->elf.bytes + 0x400, 0x234, false);
  store_u64 (test->elf.bytes + 0x408, 18, false); /* R_X86_64_TPOFF64 */
  expect_referenced (test);
}

static void
packed_relocations_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  add_dynamic_entry (test, 36 /* DT_RELR */, 0x400);
  add_dynamic_entry (test, 35 /* DT_RELRSZ */, 16);
  store_u64 (test->elf.bytes + 0x400, 0x2090, false);
  store_u64 (test->elf.bytes + 0x408, 1 << 2 | 1, false); /* 0x20a0 */
  store_u64 (test->elf.bytes + 0x20a0, 0x234, false);
  expect_referenced (test);
}

static void
relocations_we_cannot_read_keep_everything (void **state)
{
  struct fixture *test = *state;
  add_dynamic_entry (test, 0x60000011 /* DT_ANDROID_RELA */, 0x400);
  expect_referenced (test);
}

static void
words_of_fixed_programs_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0x400000);
  store_u64 (test->elf.bytes + 0x2090, 0x400234, false);
  /* Such a program has another way.  */
  plan_and_apply (test, LAYOUT_GROW_DOWN);
}

static void
immediates_of_fixed_programs_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0x400000);
  put (test, 0x1011, "\xbf\x34\x02\x40\x00", 5); /* mov $0x400234, %edi */
  plan_and_apply (test, LAYOUT_GROW_DOWN);
}

static void
other_files_may_know_evicted_bytes (void **state)
{
  struct fixture *test = *state;
  uint8_t *symbol = test->elf.bytes + 0x288; /* .dynsym, 1 */
  symbol[4] = ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT);
  store_u16 (symbol + 6, 2, false);
  store_u64 (symbol + 8, 0x210, false); /* in .interp */
  expect_referenced (test);
}

/* ---- Headers that say nothing new.  */

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
  first->p_filesz = first->p_memsz = note_size;
  second->p_offset = second->p_vaddr = second->p_paddr = 0x200 + note_size;
  second->p_filesz = second->p_memsz = 36;
  elf->names[1] = ".note.qt.metadata";
  elf->sections[1].sh_type = SHT_NOTE;
  elf->sections[1].sh_size = note_size;
  elf->sections[1].sh_addralign = 8;
  elf->sections[2].sh_offset = elf->sections[2].sh_addr = 0x200 + note_size;
  elf->sections[2].sh_size = 36;
}

static const GElf_Phdr *
check_one_note (const struct fixture *test, uint64_t size)
{
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_int_equal (note->p_offset, 0x200);
  assert_int_equal (note->p_vaddr, 0x200);
  assert_int_equal (note->p_filesz, size);
  assert_int_equal (note->p_memsz, size);
  assert_int_equal (note->p_align, 8);
  assert_int_equal (test->result.n_segments, test->image.n_segments);
  return note;
}

static void
notes_that_touch_share_a_header (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 8);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  check_one_note (test, 0x18 + 36);
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

/* The first note ends in padding for alignment 8: Linux, which aligns to 4,
   lost its way there, and did not find the build-id.  */
static void
linux_finds_the_build_id_behind_padding (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 4);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  check_one_note (test, 0x30 + 36);
  assert_true (finds_note (test, 4, NT_GNU_BUILD_ID));
  assert_true (finds_note (test, 8, NT_GNU_BUILD_ID));
  assert_true (finds_note (test, 8, 7));
  /* strip keeps what is in a section.  */
  const GElf_Shdr *filler = section_of (&test->result, ".note.filler");
  assert_int_equal (filler->sh_type, SHT_NOTE);
  assert_int_equal (filler->sh_offset, 0x218);
  assert_int_equal (filler->sh_size, 24);
  assert_int_equal (section_of (&test->result, ".note.gnu.build-id")->sh_addr,
                    0x230);
  /* What was there goes away, and its dynamic entry says so.  */
  assert_int_equal (dynamic_value (&test->result, DT_GNU_HASH),
                    section_of (&test->result, ".gnu.hash")->sh_addr);
}

/* The note in front only repeats PT_GNU_PROPERTY: its header is one slot, and
   cannot be another.  */
static void
a_doubled_note_is_not_joined (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 8);
  elf_builder_note (&test->elf, 0x200, "GNU", NT_GNU_PROPERTY_TYPE_0, 8);
  test->elf.segments[7] = test->elf.segments[1];
  test->elf.segments[7].p_type = PT_GNU_PROPERTY;
  test->elf.sections[1].sh_flags |= SHF_EXECINSTR; /* stays */
  plan_and_apply (test, LAYOUT_GROW_DATA);
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_int_equal (note->p_offset, 0x218);
  assert_int_equal (note->p_filesz, 36);
}

static void
notes_that_are_none_keep_their_headers (void **state)
{
  (void)state;
  /* Contents that do not end, a name that does not, and none.  */
  static const struct
  {
    uint64_t at;
    uint32_t value;
  } damages[] = { { 0x204, 0x1000 }, { 0x200, 0x1000 }, { 0x200, 0 } };
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
    {
      void *own = NULL;
      assert_int_equal (set_up (&own), 0);
      struct fixture *test = own;
      make_plugin (test, 8);
      store_u32 (test->elf.bytes + damages[i].at, damages[i].value, false);
      expect_failure (test, CFI2SFRAME_REFUSED, ".note.qt.metadata");
      tear_down (&own);
    }
}

/* One header cannot say both.  */
static void
notes_unlike_keep_their_headers (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 8);
  const struct elf_builder original = test->elf;
  Elf64_Phdr *second = &test->elf.segments[6];
  for (unsigned i = 0; i < 6; i++)
    {
      test->elf = original;
      second->p_flags |= i == 0 ? PF_X : 0;
      second->p_vaddr += i == 1 ? 8 : 0;
      second->p_paddr += i == 1 || i == 2 ? 8 : 0;
      second->p_memsz += i == 3 ? 8 : 0;
      second->p_align = i == 4 ? 2 : second->p_align;
      second->p_type = i == 5 ? PT_LOPROC + 1 : second->p_type;
      open_old (test);
      if (layout_plan_injection (&test->plan, &test->image, &test->request,
                                 &test->err))
        fail_msg ("case %u", i);
      assert_int_equal (test->err.status, CFI2SFRAME_REFUSED);
      layout_plan_free (&test->plan);
      image_close (&test->image);
      test->image.elf = NULL;
    }
}

static void
notes_apart_keep_their_headers (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 8);
  Elf64_Phdr *second = &test->elf.segments[6];
  second->p_offset += 8;
  second->p_vaddr += 8;
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.qt.metadata");
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

static void
libraries_do_without_pt_phdr (void **state)
{
  struct fixture *test = *state;
  make_library (test);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_null (image_find_segment (&test->result, PT_PHDR));
}

static void
static_pies_keep_pt_phdr (void **state)
{
  struct fixture *test = *state;
  make_library (test);
  test->elf.header.e_entry = 0x1000;
  expect_failure (test, CFI2SFRAME_REFUSED, ".interp");
}

static void
named_pies_keep_pt_phdr (void **state)
{
  struct fixture *test = *state;
  make_library (test);
  add_dynamic_entry (test, DT_FLAGS_1, 0x08000000 /* DF_1_PIE */);
  expect_failure (test, CFI2SFRAME_REFUSED, ".interp");
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
  note->p_offset = note->p_vaddr = note->p_paddr = 0x21c;
  note->p_filesz = note->p_memsz = 0x34;
  elf->names[2] = ".note.ABI-tag";
  elf->sections[2].sh_offset = elf->sections[2].sh_addr = 0x21c;
  elf->sections[2].sh_size = 32;
  elf->names[3] = ".note.crashpad.info";
  elf->sections[3].sh_type = SHT_NOTE;
  elf->sections[3].sh_offset = elf->sections[3].sh_addr = 0x23c;
  elf->sections[3].sh_size = 20;
  elf->sections[3].sh_addralign = 4;
}

static void
abi_tags_make_room_beside_other_notes (void **state)
{
  struct fixture *test = *state;
  make_crash_reporter (test);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_int_equal (note->p_offset, 0x23c);
  assert_int_equal (note->p_vaddr, 0x23c);
  assert_int_equal (note->p_filesz, 20 + 32);
  assert_memory_equal (test->bytes + 0x23c, test->elf.bytes + 0x23c, 20);
  assert_int_equal (section_of (&test->result, ".note.ABI-tag")->sh_addr,
                    0x250);
}

static void
other_notes_in_front_stay (void **state)
{
  struct fixture *test = *state;
  make_crash_reporter (test);
  store_u32 (test->elf.bytes + 0x21c + 8, 77, false);
  expect_failure (test, CFI2SFRAME_REFUSED, "cannot move");
}

/* Bytes that no header names may be in use: notes do not go there.  */
static void
unknown_bytes_behind_other_notes_stay (void **state)
{
  struct fixture *test = *state;
  make_crash_reporter (test);
  test->elf.bytes[0x258] = 1;
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.crashpad.info");
}

/* Whatever readers look for goes where they find it.  */
static void
build_ids_in_front_of_other_notes_go_behind (void **state)
{
  struct fixture *test = *state;
  make_crash_reporter (test);
  store_u32 (test->elf.bytes + 0x21c + 8, NT_GNU_BUILD_ID, false);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_true (finds_note (test, 4, NT_GNU_BUILD_ID));
  assert_true (finds_note (test, 4, 7));
}

static void
build_ids_go_with_an_empty_abi_tag (void **state)
{
  struct fixture *test = *state;
  make_crash_reporter (test);
  elf_builder_note (&test->elf, 0x21c, "GNU", NT_GNU_ABI_TAG, 0);
  elf_builder_note (&test->elf, 0x22c, "GNU", NT_GNU_BUILD_ID, 0);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_true (finds_note (test, 4, NT_GNU_BUILD_ID));
}

static void
abi_tags_of_libraries_are_found (void **state)
{
  struct fixture *test = *state;
  make_crash_reporter (test);
  elf_builder_segment (&test->elf, PT_INTERP)->p_filesz = 0;
  elf_builder_segment (&test->elf, PT_INTERP)->p_type = PT_LOPROC + 1;
  test->elf.sections[1].sh_type = SHT_HASH;
  add_dynamic_entry (test, DT_HASH, 0x200);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_true (finds_note (test, 4, NT_GNU_ABI_TAG));
}

/* What is at the tag's place in the headers alone is nobody's.  */
static void
abi_tags_move_in_spite_of_sections_without_contents (void **state)
{
  struct fixture *test = *state;
  make_crash_reporter (test);
  elf_builder_add_section (&test->elf, ".tbss", SHT_NOBITS,
                           SHF_ALLOC | SHF_WRITE | SHF_TLS, 0x220, 0x40, 8);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_offset, 0x23c);
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
  note->p_filesz = note->p_memsz = 0x68;
  note->p_align = 8;
  for (size_t i = 2; i < 5; i++)
    {
      elf->sections[i].sh_type = SHT_NOTE;
      elf->sections[i].sh_offset = 0x220 + (i - 2) * 0x20;
      elf->sections[i].sh_addr = elf->sections[i].sh_offset;
      elf->sections[i].sh_size = i == 4 ? 40 : 32;
      elf->sections[i].sh_addralign = i == 2 ? 8 : 4;
    }
  elf->names[2] = ".note.gnu.property";
  elf->names[3] = ".note.ABI-tag";
  elf->names[4] = ".note.own";
}

static void
properties_stay_in_front_where_glibc_finds_them (void **state)
{
  struct fixture *test = *state;
  make_mold_program (test);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_int_equal (note->p_offset, 0x240);
  assert_int_equal (note->p_align, 8);
  assert_int_equal (section_of (&test->result, ".note.gnu.property")->sh_addr,
                    0x240);
  assert_int_equal (section_of (&test->result, ".note.own")->sh_addr, 0x260);
  assert_true (finds_note (test, 8, NT_GNU_PROPERTY_TYPE_0));
  assert_true (finds_note (test, 8, 7));
}

/* A walk by 8 does not come behind them, so nothing that glibc wants may go
   there.  */
static void
notes_go_nowhere_where_readers_miss_them (void **state)
{
  struct fixture *test = *state;
  make_mold_program (test);
  /* Not an ABI tag, which nobody looks for.  */
  store_u32 (test->elf.bytes + 0x248, NT_GNU_PROPERTY_TYPE_0, false);
  expect_failure (test, CFI2SFRAME_REFUSED, "cannot move");
}

static void
static_pies_of_glibc_do_without_pt_phdr (void **state)
{
  struct fixture *test = *state;
  make_library (test);
  elf_builder_note (&test->elf, 0x220, "GNU", NT_GNU_ABI_TAG, 16);
  add_dynamic_entry (test, DT_FLAGS_1, 0x08000000 /* DF_1_PIE */);
  test->elf.header.e_entry = 0x1000;
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_null (image_find_segment (&test->result, PT_PHDR));
}

/* ---- Strategy grow-data */

static void
data_grows_behind_its_bss (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 8);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  const GElf_Shdr *bss = section_of (&test->result, ".bss");
  assert_int_equal (bss->sh_type, SHT_PROGBITS);
  assert_int_equal (bss->sh_offset, 0x2100);
  for (uint64_t i = 0x2100; i < test->plan.sframe_offset; i++)
    assert_int_equal (test->bytes[i], 0);
  /* Not in a page that the BSS makes dirty.  */
  assert_int_equal (test->plan.sframe_address, 0x3000);
  const GElf_Phdr *load = NULL;
  for (size_t i = 0; i < test->result.n_segments; i++)
    if (test->result.segments[i].p_type == PT_LOAD)
      load = &test->result.segments[i];
  assert_non_null (load);
  assert_int_equal (load->p_vaddr + load->p_filesz,
                    test->plan.sframe_address + LARGE);
  assert_int_equal (load->p_memsz, load->p_filesz);
  check_segments (test, 0x1000);
}

/* What is not loaded moves only if it stands behind the data.  */
static void
sections_in_front_of_growing_data_stay (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 8);
  memcpy (test->elf.bytes + 0x640, "GCC: 1", 7);
  elf_builder_add_section (&test->elf, ".comment", SHT_PROGBITS, 0, 0x640, 7,
                           1);
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_int_equal (section_of (&test->result, ".comment")->sh_offset, 0x640);
  assert_true (section_of (&test->result, ".symtab")->sh_offset > 0x2100);
}

static void
data_with_a_huge_bss_does_not_grow (void **state)
{
  struct fixture *test = *state;
  make_plugin (test, 8);
  for (size_t i = 0; i < test->elf.n_segments; i++)
    if (test->elf.segments[i].p_type == PT_LOAD)
      test->elf.segments[i].p_memsz
          += test->elf.segments[i].p_flags & PF_W ? 1u << 30 : 0;
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.qt.metadata");
}

static void
empty_sframe_behind_the_table_holds_up_nothing (void **state)
{
  struct fixture *test = *state;
  elf_builder_add_section (&test->elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC,
                           0x224, 0, 8);
  struct layout_replaced replaced
      = { test->elf.n_sections - 1, 0x224, 0x224, 0 };
  test->elf.sections[replaced.section].sh_addr = 0x224;
  test->request.replaced = &replaced;
  open_old (test);
  if (!layout_plan_injection (&test->plan, &test->image, &test->request,
                              &test->err))
    fail_msg ("%s", test->err.reason);
  assert_int_equal (test->plan.strategy, LAYOUT_EVICT);
  assert_int_equal (test->plan.replaced_section, replaced.section);
}

/* An .sframe behind .rodata, SIZE bytes at ADDRESS of OFFSET, and a free
   header; the new one needs 0x100 bytes.  */
static struct layout_replaced
add_old_sframe (struct fixture *test, uint64_t offset, uint64_t address,
                uint64_t size)
{
  test->elf.sections[elf_builder_section (&test->elf, ".rodata")].sh_size
      = 0x100;
  elf_builder_add_section (&test->elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC,
                           offset, size, 8)
      ->sh_addr
      = address;
  test->elf.segments[7] = (Elf64_Phdr){ 0 };
  test->request.sframe_size = 0x100;
  return (struct layout_replaced){ test->elf.n_sections - 1, offset, address,
                                   size };
}

static void
old_place_is_used_again (void **state)
{
  struct fixture *test = *state;
  struct layout_replaced replaced = add_old_sframe (test, 0x500, 0x500, 0x100);
  test->request.replaced = &replaced;
  open_old (test);
  if (!layout_plan_injection (&test->plan, &test->image, &test->request,
                              &test->err))
    fail_msg ("%s", test->err.reason);
  assert_int_equal (test->plan.strategy, LAYOUT_REUSE);
  assert_int_equal (test->plan.sframe_offset, 0x500);
  assert_int_equal (test->plan.sframe_address, 0x500);
  assert_int_equal (test->plan.replaced_section, replaced.section);
  apply (test);
  if (!image_open_memory (&test->result, test->bytes, test->plan.new_size,
                          &test->err))
    fail_msg ("new file: %s", test->err.reason);
  check_sframe (test);
  assert_int_equal (section_of (&test->result, ".sframe")->sh_addr, 0x500);
}

static void
old_place_is_left_unless_it_fits (void **state)
{
  struct fixture *test = *state;
  const struct elf_builder original = test->elf;
  static const struct
  {
    uint64_t offset, address, size;
    uint32_t flags; /* of the first segment */
  } cases[] = {
    { 0x500, 0x500, 0xff, PF_R },        /* too small */
    { 0x504, 0x504, 0xfc, PF_R },        /* and not aligned */
    { 0x500, 0x508, 0x100, PF_R },       /* another place in memory */
    { 0x508, 0x508, 0x100, PF_R },       /* partly behind the segment */
    { 0x800, 0x800, 0x100, PF_R },       /* quite behind it */
    { 0x500, 0x500, 0x100, PF_R | PF_W } /* writable */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
      test->elf = original;
      struct layout_replaced replaced = add_old_sframe (
          test, cases[i].offset, cases[i].address, cases[i].size);
      test->elf.segments[2].p_flags = cases[i].flags;
      test->request.replaced = &replaced;
      open_old (test);
      if (layout_plan_injection (&test->plan, &test->image, &test->request,
                                 &test->err))
        assert_int_not_equal (test->plan.strategy, LAYOUT_REUSE);
      layout_plan_free (&test->plan);
      image_close (&test->image);
      test->image.elf = NULL;
    }
}

static void
patchelf_finds_a_spare_slot (void **state)
{
  struct fixture *test = *state;
  size_t strings = elf_builder_section (&test->elf, ".dynstr");
  test->elf.sections[strings].sh_offset = 0x300;
  test->elf.sections[strings].sh_addr = 0x300;
  memcpy (test->elf.bytes + 0x300, test->elf.bytes + 0x2b8, 0x48);
  memset (test->elf.bytes + 0x2b8, 0, 0x48);
  plan_and_apply (test, LAYOUT_EVICT);
  uint64_t end = 0x40 + 10 * 56;
  for (size_t i = 1; i < test->result.n_sections; i++)
    {
      const GElf_Shdr *header = &test->result.sections[i].header;
      if (header->sh_offset >= end && header->sh_type != SHT_NOBITS)
        assert_true (header->sh_offset >= end + 56);
    }
}

static void
unknown_bytes_behind_the_table_stay (void **state)
{
  struct fixture *test = *state;
  /* Nobody owns the hole between .interp and the note.  */
  test->elf.bytes[0x21e] = 0x77;
  expect_failure (test, CFI2SFRAME_REFUSED, "unknown data");
}

static void
patchelf_filler_is_nobodys (void **state)
{
  struct fixture *test = *state;
  memset (test->elf.bytes + 0x21c, 'X', 4);
  plan_and_apply (test, LAYOUT_EVICT);
}

static void
evicted_tables_leave_a_section_in_fixed_programs (void **state)
{
  struct fixture *test = *state;
  size_t strings = elf_builder_section (&test->elf, ".dynstr");
  size_t symbols = elf_builder_section (&test->elf, ".dynsym");
  test->elf.sections[symbols].sh_size = 0x120;
  test->elf.sections[strings].sh_offset = 0x3a0;
  test->elf.sections[strings].sh_addr = 0x3a0;
  memset (test->elf.bytes + 0x2b8, 0, 0xe8);
  memset (test->elf.bytes + 0x3e8, 0, 0x18);
  elf_builder_relocate (&test->elf, 0x400000);
  plan_and_apply (test, LAYOUT_EVICT);
  const GElf_Shdr *gap = section_of (&test->result, ".old_tables");
  assert_int_equal (gap->sh_type, SHT_PROGBITS);
  assert_int_equal (gap->sh_offset + gap->sh_size, 0x3a0);
  assert_int_equal (gap->sh_addr, 0x400000 + gap->sh_offset);
  /* Behind the table, a spare slot and the build-id.  */
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_true (gap->sh_offset >= note->p_offset + note->p_filesz);
}

static void
grows_down_without_room (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0x400000);
  test->elf.sections[1].sh_flags |= SHF_WRITE; /* nothing can move */
  plan_and_apply (test, LAYOUT_GROW_DOWN);
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
  /* __ehdr_start leads to the new table.  */
  const uint8_t *old = test->bytes + distance;
  assert_true (load_u64 (old + 32, false) == (uint64_t)64 - distance);
  assert_int_equal (load_u16 (old + 56, false), 9);
  assert_int_equal (section_of (new, ".old_headers")->sh_addr, 0x400000);
}

/* patchelf moved .dynamic to where .sframe was, in a segment that is not
   writable.  */
static void
grown_down_program_has_no_gap_for_patchelf (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0x400000);
  test->elf.sections[1].sh_flags |= SHF_WRITE;
  plan_and_apply (test, LAYOUT_GROW_DOWN);
  const struct image *new = &test->result;
  const GElf_Shdr *first = section_of (new, ".headers_end");
  uint64_t table_end = 64 + new->n_segments * sizeof (Elf64_Phdr);
  assert_int_equal (first->sh_type, SHT_PROGBITS);
  assert_int_equal (first->sh_offset, table_end + sizeof (Elf64_Phdr));
  assert_int_equal (section_of (new, ".sframe")->sh_offset,
                    first->sh_offset + first->sh_size);
}

static void
grows_down_only_above_lowest_address (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0x10000);
  test->elf.sections[1].sh_flags |= SHF_WRITE;
  expect_failure (test, CFI2SFRAME_REFUSED, "no room");
}

static void
grows_down_less_when_linked_low (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0x200000);
  for (size_t i = 0; i < test->elf.n_segments; i++)
    if (test->elf.segments[i].p_type == PT_LOAD)
      test->elf.segments[i].p_align = 0x200000;
  test->elf.sections[1].sh_flags |= SHF_WRITE;
  plan_and_apply (test, LAYOUT_GROW_DOWN);
  assert_int_equal (segment_of (&test->result, PT_LOAD)->p_vaddr, 0x1fe000);
  assert_int_equal (segment_of (&test->result, PT_LOAD)->p_align, 0x1000);
}

static void
table_moves_on_request_only (void **state)
{
  struct fixture *test = *state;
  test->elf.sections[1].sh_flags |= SHF_WRITE;
  expect_failure (test, CFI2SFRAME_REFUSED, "no room for program headers");
}

static void
moved_table_keeps_the_address_rule (void **state)
{
  struct fixture *test = *state;
  test->elf.sections[1].sh_flags |= SHF_WRITE;
  test->request.allow_moved_table = true;
  plan_and_apply (test, LAYOUT_MOVE_TABLE);
  const struct image *new = &test->result;
  const GElf_Phdr *table = segment_of (new, PT_PHDR);
  /* Kernels before 5.18 and static glibc: base + e_phoff.  */
  assert_int_equal (table->p_vaddr, new->header.e_phoff);
  assert_int_equal (table->p_offset, new->header.e_phoff);
  assert_ptr_equal (image_bytes_at (new, table->p_vaddr, new->n_segments * 56),
                    test->bytes + new->header.e_phoff);
  check_segments (test, 0x1000);
}

/* ---- Loaders */

static void
make_loader (struct elf_builder *elf)
{
  /* SONAME ld-test.so.1, no PT_INTERP.  */
  strcpy ((char *)elf->bytes + 0x2b8 + 1, "ld-test.so.1");
  store_u64 (elf->bytes + 0x2000, DT_SONAME, elf->big_endian);
  Elf64_Phdr *interp = elf_builder_segment (elf, PT_INTERP);
  *interp = *elf_builder_segment (elf, PT_NOTE);
  elf_builder_note (elf, 0x200, "GNU", NT_GNU_ABI_TAG, 12);
  elf->sections[1].sh_type = SHT_NOTE;
  elf->sections[1].sh_addralign = 4;
  elf->names[1] = ".note.ABI-tag";
  interp->p_offset = interp->p_vaddr = interp->p_paddr = 0x200;
  interp->p_filesz = interp->p_memsz = 0x1c;
}

static void
loaders_get_their_bss_in_the_file (void **state)
{
  struct fixture *test = *state;
  make_loader (&test->elf);
  plan_and_apply (test, LAYOUT_EVICT);
  const struct image *new = &test->result;
  const GElf_Phdr *data = NULL, *last = NULL;
  for (size_t i = 0; i < new->n_segments; i++)
    if (new->segments[i].p_type == PT_LOAD)
      {
        data = last;
        last = &new->segments[i];
      }
  assert_non_null (data);
  assert_int_equal (data->p_vaddr, 0x2000);
  assert_int_equal (data->p_filesz, data->p_memsz);
  assert_int_equal (section_of (new, ".bss")->sh_type, SHT_PROGBITS);
  /* Zeros up to the end of the page: the loader's early heap.  */
  for (uint64_t i = data->p_offset + 0x100; i < data->p_offset + 0x1000; i++)
    assert_int_equal (test->bytes[i], 0);
  /* The last segment ends with a page.  */
  assert_int_equal ((last->p_vaddr + last->p_memsz) & 0xfff, 0);
  assert_int_equal (last->p_flags, PF_R);
  check_segments (test, 0x1000);
}

static void
programs_are_no_loaders (void **state)
{
  struct fixture *test = *state;
  open_old (test);
  assert_false (layout_is_loader (&test->image));
}

static void
users_of_loader_symbols_are_no_loaders (void **state)
{
  struct fixture *test = *state;
  make_loader (&test->elf);
  store_u64 (test->elf.bytes + 0x2000, DT_NEEDED, false);
  size_t symbols = elf_builder_section (&test->elf, ".dynsym");
  test->elf.sections[symbols].sh_link
      = (uint32_t)elf_builder_section (&test->elf, ".dynstr");
  memcpy (test->elf.bytes + 0x2b8, "\0__tls_get_addr\0_r_debug", 25);
  /* Symbols 1 and 2, defined in section 0: nowhere.  */
  memset (test->elf.bytes + 0x270, 0, 0x48);
  store_u32 (test->elf.bytes + 0x270 + 24, 1, false);
  store_u32 (test->elf.bytes + 0x270 + 48, 16, false);
  open_old (test);
  assert_false (layout_is_loader (&test->image));
}

static void
loaders_are_known_by_symbols (void **state)
{
  struct fixture *test = *state;
  make_loader (&test->elf);
  store_u64 (test->elf.bytes + 0x2000, DT_NEEDED, false);
  size_t symbols = elf_builder_section (&test->elf, ".dynsym");
  test->elf.sections[symbols].sh_link
      = (uint32_t)elf_builder_section (&test->elf, ".dynstr");
  memcpy (test->elf.bytes + 0x2b8, "\0__tls_get_addr\0_r_debug", 25);
  memset (test->elf.bytes + 0x270, 0, 0x48);
  store_u32 (test->elf.bytes + 0x270 + 24, 1, false);
  store_u16 (test->elf.bytes + 0x270 + 24 + 6, 7, false);
  store_u32 (test->elf.bytes + 0x270 + 48, 16, false);
  store_u16 (test->elf.bytes + 0x270 + 48 + 6, 7, false);
  open_old (test);
  assert_true (layout_is_loader (&test->image));
}

/* static-pie: nobody looks for a library in it.  */
static void
strings_move_where_nobody_reads_them (void **state)
{
  struct fixture *test = *state;
  make_loader (&test->elf);
  store_u64 (test->elf.bytes + 0x2000, DT_DEBUG, false);
  plan_and_apply (test, LAYOUT_EVICT);
  const GElf_Shdr *strings = section_of (&test->result, ".dynstr");
  assert_int_not_equal (strings->sh_addr, 0x2b8);
  assert_int_equal (dynamic_value (&test->result, DT_STRTAB),
                    strings->sh_addr);
}

static void
loaders_are_known_by_name (void **state)
{
  struct fixture *test = *state;
  make_loader (&test->elf);
  open_old (test);
  assert_true (layout_is_loader (&test->image));
}

/* As a static PIE that is somebody's PT_INTERP: up to Linux 6.6 a segment
   behind its BSS keeps every program that uses it from starting.  */
static void
static_pies_are_loaders_when_so_called (void **state)
{
  struct fixture *test = *state;
  make_loader (&test->elf);
  store_u64 (test->elf.bytes + 0x2000, DT_DEBUG, false);
  test->request.named_loader = true;
  plan_and_apply (test, LAYOUT_EVICT);
  assert_int_equal (section_of (&test->result, ".bss")->sh_type, SHT_PROGBITS);
}

static void
programs_are_no_loaders_whatever_their_name (void **state)
{
  struct fixture *test = *state;
  test->request.named_loader = true;
  plan_and_apply (test, LAYOUT_EVICT);
  assert_int_equal (section_of (&test->result, ".bss")->sh_type, SHT_NOBITS);
}

static void
names_of_loaders (void **state)
{
  (void)state;
  assert_true (layout_is_loader_name ("/lib64/ld-linux-x86-64.so.2"));
  assert_true (layout_is_loader_name ("ld-2.31.so"));
  assert_true (layout_is_loader_name ("root/lib/ld-musl-x86_64.so.1"));
  assert_true (layout_is_loader_name ("ld64-uClibc.so.1"));
  assert_true (layout_is_loader_name ("/lib/ld64.so.1"));
  assert_false (layout_is_loader_name (""));
  assert_false (layout_is_loader_name ("/usr/bin/ld"));
  assert_false (layout_is_loader_name ("x86_64-linux-gnu-ld.bfd"));
  assert_false (layout_is_loader_name ("ld-linux.so.2/program"));
  assert_false (layout_is_loader_name ("libld-linux.so"));
}

/* ---- Files without section headers */

/* The interpreter's name and the notes make room for one header; what is
   behind them may be anything.  */
static void
no_sections_but_segments_that_move (void **state)
{
  struct fixture *test = *state;
  test->elf.n_sections = 0;
  plan_and_apply (test, LAYOUT_GROW_DATA);
  assert_int_equal (test->result.n_sections, 0);
  assert_true (finds_note (test, 4, NT_GNU_BUILD_ID));
  const GElf_Phdr *interp = segment_of (&test->result, PT_INTERP);
  assert_string_equal ((const char *)test->bytes + interp->p_offset,
                       "/lib64/ld-linux-x86-64.so.2");
  assert_memory_equal (test->bytes + 0x248, test->elf.bytes + 0x248, 0x3b8);
}

/* Zeros between what is known may be the program's.  */
static void
no_sections_no_room_in_what_no_header_names (void **state)
{
  struct fixture *test = *state;
  Elf64_Phdr *note = elf_builder_segment (&test->elf, PT_NOTE);
  memset (test->elf.bytes + 0x21c, 0, 0x60);
  elf_builder_note (&test->elf, 0x240, "GNU", NT_GNU_BUILD_ID, 20);
  note->p_offset = note->p_vaddr = note->p_paddr = 0x240;
  test->elf.n_sections = 0;
  expect_failure (test, CFI2SFRAME_REFUSED, "what no header names");
}

/* A file without section headers, and behind its last segment what a linker
   leaves when it writes none: strings, then symbols.  */
static size_t
leave_symbols (struct fixture *test, const char *strings, size_t size)
{
  struct elf_builder *elf = &test->elf;
  size_t end = 0x2100;
  elf->n_sections = 0;
  memset (elf->bytes + end, 0, 0x100);
  memcpy (elf->bytes + end, strings, size);
  end = (end + size + 7) & ~(size_t)7;
  memset (elf->bytes + end, 0, 48);
  store_u32 (elf->bytes + end + 24, 1, false);
  elf->bytes[end + 24 + 4] = 0x12;
  elf->bytes[end + 24 + 8] = 0x77;
  return elf->size = end + 48;
}

static void
what_linkers_leave_is_no_payload (void **state)
{
  static const char strings[] = "\0mold 3.0.0\0main";
  struct fixture *test = *state;
  leave_symbols (test, strings, sizeof strings);
  plan_and_apply (test, LAYOUT_GROW_DATA);
}

static void
payloads_do_not_look_like_what_linkers_leave (void **state)
{
  (void)state;
  static const char strings[] = "\0mold 3.0.0\0main";
  for (int i = 0; i < 6; i++)
    {
      void *own = NULL;
      assert_int_equal (set_up (&own), 0);
      struct fixture *test = own;
      size_t end = leave_symbols (test, strings, sizeof strings);
      uint8_t *bytes = test->elf.bytes;
      if (i == 0)
        bytes[0x2101] = 'c'; /* another maker */
      else if (i == 1)
        bytes[0x2103] = '\n'; /* a text file */
      else if (i == 2)
        store_u32 (bytes + end - 24, 0x1000, false); /* a name behind it */
      else if (i == 3)
        bytes[end - 24 + 4] = 0xff; /* no type of a symbol */
      else if (i == 4)
        bytes[end - 24 + 5] = 0x10; /* no visibility */
      else
        bytes[test->elf.size++] = 1; /* more behind it */
      open_old (test);
      if (layout_plan_injection (&test->plan, &test->image, &test->request,
                                 &test->err))
        fail_msg ("case %d", i);
      assert_non_null (strstr (test->err.reason, "are appended"));
      tear_down (&own);
    }
}

static void
no_sections_but_slots (void **state)
{
  struct fixture *test = *state;
  test->elf.n_sections = 0;
  test->elf.segments[6] = test->elf.segments[7] = (Elf64_Phdr){ 0 };
  plan_and_apply (test, LAYOUT_SPARE_SLOT);
  assert_int_equal (test->result.n_sections, 0);
}

/* ---- Refusals */

static void
refuses_relocatable_objects (void **state)
{
  struct fixture *test = *state;
  test->elf.header.e_type = ET_REL;
  expect_failure (test, CFI2SFRAME_UNSUPPORTED, "relocatable");
}

static void
refuses_core_files (void **state)
{
  struct fixture *test = *state;
  test->elf.header.e_type = ET_CORE;
  expect_failure (test, CFI2SFRAME_UNSUPPORTED, "core");
}

static void
refuses_machines_without_sframe (void **state)
{
  struct fixture *test = *state;
  test->elf.header.e_machine = EM_RISCV;
  expect_failure (test, CFI2SFRAME_UNSUPPORTED, "machine 243");
}

static void
skips_debug_files (void **state)
{
  struct fixture *test = *state;
  test->elf.sections[elf_builder_section (&test->elf, ".text")].sh_type
      = SHT_NOBITS;
  expect_failure (test, CFI2SFRAME_NOTHING, "debug file");
}

static void
skips_files_without_loaded_bytes (void **state)
{
  struct fixture *test = *state;
  for (size_t i = 0; i < test->elf.n_segments; i++)
    test->elf.segments[i].p_filesz = 0;
  expect_failure (test, CFI2SFRAME_NOTHING, "debug file");
}

/* A byte is enough to be no debug file.  */
static void
takes_files_with_one_loaded_byte (void **state)
{
  struct fixture *test = *state;
  for (size_t i = 0; i < test->elf.n_segments; i++)
    test->elf.segments[i].p_filesz = i == 2;
  open_old (test);
  layout_classify (&test->image, &test->err);
  assert_int_not_equal (test->err.status, CFI2SFRAME_NOTHING);
}

static void
refuses_files_without_program_headers (void **state)
{
  struct fixture *test = *state;
  test->elf.n_segments = 0;
  expect_failure (test, CFI2SFRAME_REFUSED, "no loadable segment");
}

static void
refuses_section_names_that_are_loaded (void **state)
{
  struct fixture *test = *state;
  elf_builder_finish (&test->elf);
  uint8_t *names = test->elf.bytes + test->elf.header.e_shoff
                   + (test->elf.n_sections - 1) * 64;
  store_u64 (names + 8, SHF_ALLOC, false);
  if (!image_open_memory (&test->image, test->elf.bytes, test->elf.size,
                          &test->err))
    fail_msg ("%s", test->err.reason);
  assert_false (layout_classify (&test->image, &test->err));
  assert_non_null (strstr (test->err.reason, "is loaded with the program"));
}

static void
refuses_kernels_by_address (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0xffffffff81000000);
  expect_failure (test, CFI2SFRAME_REFUSED, "kernel");
}

static void
refuses_kernels_by_section (void **state)
{
  struct fixture *test = *state;
  test->elf.names[6] = "__ksymtab";
  expect_failure (test, CFI2SFRAME_REFUSED, "kernel");
}

static void
refuses_prelinked_files (void **state)
{
  struct fixture *test = *state;
  elf_builder_add_section (&test->elf, ".gnu.prelink_undo", SHT_PROGBITS, 0,
                           test->elf.size, 16, 1);
  expect_failure (test, CFI2SFRAME_REFUSED, "prelinked");
}

/* Append SIZE bytes of VALUE to the finished file.  */
static void
append_payload (struct fixture *test, const void *bytes, size_t size)
{
  elf_builder_finish (&test->elf);
  memcpy (test->elf.bytes + test->elf.size, bytes, size);
  test->elf.size += size;
  if (!image_open_memory (&test->image, test->elf.bytes, test->elf.size,
                          &test->err))
    fail_msg ("%s", test->err.reason);
}

static void
refuses_appended_payloads (void **state)
{
  struct fixture *test = *state;
  append_payload (test, "PK\003\004", 4);
  assert_false (layout_classify (&test->image, &test->err));
  assert_int_equal (test->err.status, CFI2SFRAME_REFUSED);
  assert_non_null (strstr (test->err.reason, "4 bytes of unknown data"));
}

static void
refuses_signed_modules (void **state)
{
  struct fixture *test = *state;
  static const char tail[] = "signature~Module signature appended~\n";
  append_payload (test, tail, sizeof tail - 1);
  assert_false (layout_classify (&test->image, &test->err));
  assert_non_null (strstr (test->err.reason, "signed"));
}

static void
refuses_modules_with_an_empty_signature (void **state)
{
  struct fixture *test = *state;
  static const char tail[] = "~Module signature appended~\n";
  append_payload (test, tail, sizeof tail - 1);
  assert_false (layout_classify (&test->image, &test->err));
  assert_non_null (strstr (test->err.reason, "signed"));
}

static void
refuses_program_headers_in_the_elf_header (void **state)
{
  struct fixture *test = *state;
  elf_builder_finish (&test->elf);
  /* One header more, in front: e_phnum and e_shentsize are its type.  */
  memmove (test->elf.bytes + 112, test->elf.bytes + 64, 8 * 56);
  memset (test->elf.bytes + 64, 0, 48);
  store_u64 (test->elf.bytes + 32, 56, false);
  store_u16 (test->elf.bytes + 56, 9, false);
  if (!image_open_memory (&test->image, test->elf.bytes, test->elf.size,
                          &test->err))
    fail_msg ("%s", test->err.reason);
  assert_false (layout_classify (&test->image, &test->err));
  if (strstr (test->err.reason, "ELF header") == NULL)
    fail_msg ("%s", test->err.reason);
}

static void
eviction_takes_several_notes (void **state)
{
  struct fixture *test = *state;
  elf_builder_note (&test->elf, 0x220, "GNU", NT_GNU_BUILD_ID, 0);
  elf_builder_note (&test->elf, 0x230, "GNU", NT_GNU_PROPERTY_TYPE_0, 4);
  plan_and_apply (test, LAYOUT_EVICT);
}

static void
eviction_reads_every_note (void **state)
{
  struct fixture *test = *state;
  elf_builder_note (&test->elf, 0x220, "GNU", NT_GNU_BUILD_ID, 0);
  elf_builder_note (&test->elf, 0x230, "GNU", NT_GNU_BUILD_ID, 4);
  /* The second is longer than its section.  */
  store_u32 (test->elf.bytes + 0x234, 8, false);
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.gnu.build-id");
}

static void
eviction_spares_an_interpreter_nobody_starts (void **state)
{
  struct fixture *test = *state;
  elf_builder_segment (&test->elf, PT_INTERP)->p_type = PT_LOOS + 1;
  expect_failure (test, CFI2SFRAME_REFUSED, ".interp");
}

static void
eviction_spares_an_interpreter_of_another_size (void **state)
{
  struct fixture *test = *state;
  test->elf.sections[1].sh_size = 0x10;
  expect_failure (test, CFI2SFRAME_REFUSED, ".interp");
}

static void
eviction_takes_sections_of_one_byte (void **state)
{
  struct fixture *test = *state;
  Elf64_Phdr *interp = elf_builder_segment (&test->elf, PT_INTERP);
  interp->p_filesz = interp->p_memsz = test->elf.sections[1].sh_size = 1;
  memset (test->elf.bytes + 0x201, 0, 0x1b);
  plan_and_apply (test, LAYOUT_EVICT);
}

/* An empty section marks a place that code may ask for.  */
static void
eviction_spares_what_empty_sections_mark (void **state)
{
  struct fixture *test = *state;
  elf_builder_add_section (&test->elf, ".mark", SHT_PROGBITS, SHF_ALLOC, 0x200,
                           0, 1);
  expect_failure (test, CFI2SFRAME_REFUSED, ".mark");
}

static void
empty_sections_that_are_not_loaded_mark_nothing (void **state)
{
  struct fixture *test = *state;
  elf_builder_add_section (&test->elf, ".comment", SHT_PROGBITS, 0, 0x200, 0,
                           1);
  plan_and_apply (test, LAYOUT_EVICT);
}

/* The dynamic entry follows its table, whichever that is.  */
static void
every_dynamic_table_is_followed (void **state)
{
  (void)state;
  static const struct
  {
    uint32_t section;
    int64_t tag;
  } tables[] = { { SHT_HASH, DT_HASH },
                 { SHT_GNU_HASH, DT_GNU_HASH },
                 { SHT_GNU_versym, DT_VERSYM },
                 { SHT_GNU_verneed, DT_VERNEED },
                 { SHT_GNU_verdef, DT_VERDEF } };
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    {
      void *own = NULL;
      assert_int_equal (set_up (&own), 0);
      struct fixture *test = own;
      test->elf.sections[3].sh_type = tables[i].section;
      store_u64 (test->elf.bytes + 0x2000 + 16, (uint64_t)tables[i].tag,
                 false);
      plan_and_apply (test, LAYOUT_EVICT);
      uint64_t address = test->result.sections[3].header.sh_addr;
      assert_int_not_equal (address, 0x248);
      assert_int_equal (dynamic_value (&test->result, tables[i].tag), address);
      tear_down (&own);
    }
}

/* Its bytes look like a symbol of a section that moves.  */
static void
what_follows_a_symbol_table_is_no_symbol (void **state)
{
  struct fixture *test = *state;
  enum
  {
    BEHIND = 8
  };
  elf_builder_symbol (&test->elf, BEHIND, ".gnu.hash", STT_SECTION, 0x248);
  elf_builder_symbol (&test->elf, BEHIND - 1, ".gnu.hash", STT_SECTION, 0x248);
  plan_and_apply (test, LAYOUT_EVICT);
  const uint8_t *symbols
      = test->bytes + section_of (&test->result, ".symtab")->sh_offset;
  assert_int_equal (load_u64 (symbols + BEHIND * 24 + 8, false), 0x248);
  assert_int_not_equal (load_u64 (symbols + (BEHIND - 1) * 24 + 8, false),
                        0x248);
}

/* The unused symbol that glibc puts on the ABI tag may be passed over only if
   that is its name.  */
static void
eviction_spares_symbols_whose_names_have_no_end (void **state)
{
  (void)state;
  for (int has_end = 1; has_end >= 0; has_end--)
    {
      void *own = NULL;
      assert_int_equal (set_up (&own), 0);
      struct fixture *test = own;
      uint8_t *strings = test->elf.bytes + 0x2100 + (size_t)8 * 24;
      elf_builder_symbol (&test->elf, 1, ".note.gnu.build-id",
                          ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT), 0x220);
      memcpy (strings, "\0__abi_tag", 11);
      store_u32 (test->elf.bytes + 0x2100 + 24, 1, false);
      strings[0x1f] = has_end ? 0 : 'x';
      if (has_end)
        plan_and_apply (test, LAYOUT_EVICT);
      else
        expect_failure (test, CFI2SFRAME_REFUSED, ".note.gnu.build-id");
      tear_down (&own);
    }
}

/* Where patchelf puts them.  */
static void
program_headers_at_the_end_are_no_payload (void **state)
{
  struct fixture *test = *state;
  uint64_t size = 0x2800 + test->elf.n_segments * sizeof (Elf64_Phdr);
  test->elf.header.e_phoff = 0x2800;
  elf_builder_finish (&test->elf);
  if (!image_open_memory (&test->image, test->elf.bytes, size, &test->err)
      || !layout_classify (&test->image, &test->err))
    fail_msg ("%s", test->err.reason);
}

/* Symbols of which nobody knows the names keep what they point to.  */
static void
eviction_survives_symbols_without_strings (void **state)
{
  struct fixture *test = *state;
  Elf64_Shdr *table
      = &test->elf.sections[elf_builder_section (&test->elf, ".symtab")];
  elf_builder_symbol (&test->elf, 1, ".note.gnu.build-id",
                      ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT), 0x220);
  table->sh_link = 0x10000;
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.gnu.build-id");
}

/* One index behind the last header, as a hostile file may have it.  */
static void
eviction_survives_strings_behind_the_last_section (void **state)
{
  struct fixture *test = *state;
  Elf64_Shdr *table
      = &test->elf.sections[elf_builder_section (&test->elf, ".symtab")];
  elf_builder_symbol (&test->elf, 1, ".note.gnu.build-id",
                      ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT), 0x220);
  table->sh_link = (uint32_t)test->elf.n_sections + 1;
  expect_failure (test, CFI2SFRAME_REFUSED, ".note.gnu.build-id");
}

static void
refuses_appimages (void **state)
{
  struct fixture *test = *state;
  memcpy (test->elf.header.e_ident + 8, "AI\002", 3);
  append_payload (test, "hsqs", 4);
  assert_false (layout_classify (&test->image, &test->err));
  assert_non_null (strstr (test->err.reason, "AppImage"));
}

static void
tolerates_zero_padding (void **state)
{
  struct fixture *test = *state;
  static const uint8_t zeros[4000];
  append_payload (test, zeros, sizeof zeros);
  assert_true (layout_classify (&test->image, &test->err));
}

static void
refuses_too_many_headers (void **state)
{
  struct fixture *test = *state;
  /* The table's size is counted, whatever is in it: 1170 entries are what
     Linux accepts.  */
  test->elf.header.e_phoff = 0x2800;
  elf_builder_finish (&test->elf);
  store_u16 (test->elf.bytes + 56, 1170, false);
  if (!image_open_memory (&test->image, test->elf.bytes, ELF_FILE_MAX,
                          &test->err))
    fail_msg ("%s", test->err.reason);
  assert_false (layout_classify (&test->image, &test->err));
  assert_int_equal (test->err.status, CFI2SFRAME_REFUSED);
  assert_non_null (strstr (test->err.reason, "too many program headers"));
}

static void
refuses_unsorted_segments (void **state)
{
  struct fixture *test = *state;
  Elf64_Phdr swapped = test->elf.segments[3];
  test->elf.segments[3] = test->elf.segments[4];
  test->elf.segments[4] = swapped;
  elf_builder_finish (&test->elf);
  assert_false (image_open_memory (&test->image, test->elf.bytes,
                                   test->elf.size, &test->err));
  assert_non_null (strstr (test->err.reason, "unsorted"));
}

static void
refuses_overlapping_segments (void **state)
{
  struct fixture *test = *state;
  test->elf.segments[2].p_filesz = test->elf.segments[2].p_memsz = 0x1001;
  elf_builder_finish (&test->elf);
  assert_false (image_open_memory (&test->image, test->elf.bytes,
                                   test->elf.size, &test->err));
  assert_non_null (strstr (test->err.reason, "overlaps"));
}

/* Found by changing headers at random: its size is then anything.  */
static void
refuses_section_names_without_bytes (void **state)
{
  struct fixture *test = *state;
  elf_builder_finish (&test->elf);
  uint8_t *names = test->elf.bytes + test->elf.header.e_shoff
                   + (test->elf.n_sections - 1) * 64;
  store_u32 (names + 4, SHT_NOBITS, false);
  store_u64 (names + 32, 0x7fffffff, false);
  if (!image_open_memory (&test->image, test->elf.bytes, test->elf.size,
                          &test->err))
    fail_msg ("%s", test->err.reason);
  assert_false (layout_plan_injection (&test->plan, &test->image,
                                       &test->request, &test->err));
  assert_int_equal (test->err.status, CFI2SFRAME_MALFORMED);
}

static void
refuses_endless_dynamic_tables (void **state)
{
  struct fixture *test = *state;
  Elf64_Phdr *dynamic = elf_builder_segment (&test->elf, PT_DYNAMIC);
  dynamic->p_offset = 0x3000;
  dynamic->p_filesz = dynamic->p_memsz = 65 * 16;
  for (uint64_t i = 0; i < 65; i++)
    store_u64 (test->elf.bytes + 0x3000 + i * 16, DT_HASH, false);
  test->elf.size = 0x3000 + 65 * 16;
  expect_failure (test, CFI2SFRAME_MALFORMED, "too many dynamic entries");
}

static void
refuses_many_symbol_tables (void **state)
{
  struct fixture *test = *state;
  for (int i = 0; i < 4; i++)
    elf_builder_add_section (&test->elf, ".more", SHT_SYMTAB, 0, 0x2100, 48,
                             8);
  expect_failure (test, CFI2SFRAME_MALFORMED, "too many symbol tables");
}

/* The self-check would compare each with each.  */
static void
refuses_segments_for_the_same_bytes (void **state)
{
  struct fixture *test = *state;
  const Elf64_Phdr all = { .p_type = PT_NOTE,
                           .p_flags = PF_R,
                           .p_filesz = test->elf.size,
                           .p_memsz = test->elf.size,
                           .p_align = 4 };
  for (size_t i = 0; i < 4; i++)
    test->elf.segments[test->elf.n_segments++] = all;
  expect_failure (test, CFI2SFRAME_REFUSED, "its segments overlap");
}

static void
refuses_incongruent_segments (void **state)
{
  struct fixture *test = *state;
  for (size_t i = 0; i < test->elf.n_segments; i++)
    if (test->elf.segments[i].p_type == PT_LOAD
        && (test->elf.segments[i].p_flags & PF_W))
      test->elf.segments[i].p_vaddr += 8;
  expect_failure (test, CFI2SFRAME_REFUSED, "do not agree");
}

static void
refuses_impossible_sizes (void **state)
{
  struct fixture *test = *state;
  test->request.sframe_size = 0;
  expect_failure (test, CFI2SFRAME_INVALID, "size");
  test->request.sframe_size = (uint64_t)UINT32_MAX + 1;
  image_close (&test->image);
  expect_failure (test, CFI2SFRAME_INVALID, "size");
}

static void
plans_are_deterministic (void **state)
{
  struct fixture *test = *state;
  plan_and_apply (test, LAYOUT_EVICT);
  struct layout_plan again;
  assert_true (layout_plan_injection (&again, &test->image, &test->request,
                                      &test->err));
  assert_int_equal (again.n_patches, test->plan.n_patches);
  for (size_t i = 0; i < again.n_patches; i++)
    {
      assert_int_equal (again.patches[i].offset, test->plan.patches[i].offset);
      assert_int_equal (again.patches[i].size, test->plan.patches[i].size);
      assert_memory_equal (again.patches[i].bytes, test->plan.patches[i].bytes,
                           again.patches[i].size);
    }
  layout_plan_free (&again);
}

#define TEST(function) \
  cmocka_unit_test_setup_teardown (function, set_up, tear_down)

/* It is the padding that is bounded, not what is needed.  */
static void
grows_down_for_large_sections (void **state)
{
  struct fixture *test = *state;
  elf_builder_relocate (&test->elf, 0x40000000);
  test->elf.sections[1].sh_flags |= SHF_EXECINSTR; /* stays */
  test->request.sframe_size = 48 << 20;
  open_old (test);
  if (!layout_plan_injection (&test->plan, &test->image, &test->request,
                              &test->err))
    fail_msg ("%s", test->err.reason);
  assert_int_equal (test->plan.strategy, LAYOUT_GROW_DOWN);
}

static void
fixed_programs_are_no_loaders (void **state)
{
  struct fixture *test = *state;
  elf_builder_segment (&test->elf, PT_INTERP)->p_type = PT_LOOS + 1;
  struct elf_builder original = test->elf;
  open_old (test);
  assert_true (layout_may_be_loader (&test->image));
  image_close (&test->image);
  test->elf = original;
  elf_builder_relocate (&test->elf, 0x400000);
  open_old (test);
  assert_false (layout_may_be_loader (&test->image));
}

/* ---- What plans are made of */

enum
{
  MODEL_SIZE = 64
};

/* MODEL[I]: which old byte byte I of the new file is, from 1; 0: none.  */
static void
check_extents (const struct layout_plan *plan, const uint64_t *model)
{
  uint64_t at = 0;
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
      assert_true (extent->size > 0 && extent->new_offset >= at);
      for (; at < extent->new_offset; at++)
        assert_int_equal (model[at], 0);
      for (uint64_t k = 0; k < extent->size; k++)
        assert_int_equal (model[at++], extent->old_offset + k + 1);
    }
  for (; at < MODEL_SIZE; at++)
    assert_int_equal (model[at], 0);
}

/* Whether SIZE bytes from old byte AT on lie together in one extent.  */
static void
check_find (const struct layout_plan *plan, uint64_t at, uint64_t size)
{
  uint64_t found = UINT64_MAX, expected = UINT64_MAX;
  for (size_t i = 0; i < plan->n_extents && expected == UINT64_MAX; i++)
    {
      const struct layout_extent *extent = &plan->extents[i];
      if (at >= extent->old_offset
          && at + size <= extent->old_offset + extent->size
          && at < extent->old_offset + extent->size)
        expected = extent->new_offset + (at - extent->old_offset);
    }
  assert_int_equal (plan_find (plan, at, size, &found),
                    expected != UINT64_MAX);
  assert_int_equal (found, expected);
}

static void
copies_and_gaps_are_kept_apart (void **state)
{
  struct fixture *test = *state;
  uint32_t seed = 1;
  for (int round = 0; round < 300; round++)
    {
      struct layout_plan plan = { 0 };
      uint64_t model[MODEL_SIZE] = { 0 };
      for (int i = 0; i < 12; i++)
        {
          seed = seed * 1103515245 + 12345;
          uint64_t to = (seed >> 8) % (MODEL_SIZE - 16);
          uint64_t size = (seed >> 16) % 16, from = (seed >> 20) % 1000;
          bool copied = seed >> 31;
          assert_true (copied ? plan_copy (&plan, from, to, size, &test->err)
                              : plan_clear (&plan, to, size, &test->err));
          for (uint64_t k = 0; k < size; k++)
            model[to + k] = copied ? from + k + 1 : 0;
          check_extents (&plan, model);
          check_find (&plan, from, 1);
          check_find (&plan, from + 3, 5);
          check_find (&plan, from, size + 1);
        }
      layout_plan_free (&plan);
      assert_int_equal (plan.n_extents + plan.n_patches, 0);
      assert_int_equal (plan.strategy, 0);
      assert_null (plan.extents);
    }
}

static void
bytes_outside_of_the_file_are_not_zero (void **state)
{
  (void)state;
  static const uint8_t bytes[] = { 1, 0, 0, 0, 0 };
  const struct image image = { .bytes = bytes, .size = 4 };
  assert_true (range_is_zero (&image, 1, 3));
  assert_true (range_is_zero (&image, 4, 0));
  assert_false (range_is_zero (&image, 0, 4));
  assert_false (range_is_zero (&image, 1, 4));
  assert_false (range_is_zero (&image, 5, 0));
  assert_false (range_is_zero (&image, 2, UINT64_MAX - 1));
}

static void
rounding_does_not_wrap_around (void **state)
{
  (void)state;
  uint64_t result = 7;
  assert_true (round_up (UINT64_MAX - 15, 16, &result));
  assert_true (result == UINT64_MAX - 15);
  assert_true (round_up (0, 16, &result));
  assert_int_equal (result, 0);
  assert_false (round_up (UINT64_MAX - 14, 16, &result));
  assert_int_equal (result, 0);
}

int
main (void)
{
  static const struct CMUnitTest tests[] = {
    TEST (slack_fills_padding),
    TEST (slack_leaves_the_end_of_the_first_segment),
    TEST (slack_takes_evicted_sections_along),
    TEST (slack_needs_zeros),
    TEST (slack_prefers_data_to_code),
    TEST (slack_ends_at_the_next_segment_in_memory),
    TEST (slack_counts_in_pages_of_the_machine),
    TEST (null_entries_are_slots),
    TEST (doubled_property_note_is_a_slot),
    TEST (section_table_behind_headers_gives_room),
    TEST (eviction_moves_what_nobody_reaches_by_address),
    TEST (eviction_keeps_build_id_in_first_page),
    TEST (eviction_zeroes_freed_bytes),
    TEST (eviction_works_in_big_endian_files),
    TEST (eviction_stops_at_unknown_notes),
    TEST (eviction_takes_package_notes),
    TEST (eviction_spares_notes_with_symbols),
    TEST (eviction_survives_symbols_without_strings),
    TEST (eviction_survives_strings_behind_the_last_section),
    TEST (eviction_takes_several_notes),
    TEST (eviction_reads_every_note),
    TEST (eviction_spares_an_interpreter_nobody_starts),
    TEST (eviction_spares_tables_without_dynamic_entry),
    TEST (eviction_spares_executable_sections),
    TEST (amd64_code_may_know_evicted_bytes),
    TEST (amd64_immediate_operands_count),
    TEST (amd64_large_model_code_may_know_evicted_bytes),
    TEST (amd64_code_anywhere_may_know_evicted_bytes),
    TEST (every_opcode_map_may_know_evicted_bytes),
    TEST (every_relative_field_of_amd64_is_found),
    TEST (what_adrp_leads_to_is_found),
    TEST (every_relative_long_format_of_s390x_is_found),
    TEST (what_refers_to_more_than_4_gib_is_unknown),
    TEST (what_code_of_other_machines_refers_to_is_unknown),
    TEST (dynamic_symbols_refer_to_what_they_name),
    TEST (chance_bytes_are_no_reference),
    TEST (aarch64_code_may_know_evicted_bytes),
    TEST (aarch64_code_may_know_evicted_bytes_nearby),
    TEST (aarch64_literals_may_be_evicted_bytes),
    TEST (aarch64_loads_count_in_their_units),
    TEST (aarch64_page_alone_may_be_anything),
    TEST (aarch64_other_bytes_of_the_page_may_be_known),
    TEST (s390x_code_may_know_evicted_bytes),
    TEST (relocations_may_know_evicted_bytes),
    TEST (offsets_of_thread_local_variables_are_no_addresses),
    TEST (thread_local_offsets_may_be_written_to_evicted_bytes),
    TEST (packed_relocations_may_know_evicted_bytes),
    TEST (relocations_we_cannot_read_keep_everything),
    TEST (words_of_fixed_programs_may_know_evicted_bytes),
    TEST (immediates_of_fixed_programs_may_know_evicted_bytes),
    TEST (other_files_may_know_evicted_bytes),
    TEST (empty_sframe_behind_the_table_holds_up_nothing),
    TEST (notes_that_touch_share_a_header),
    TEST (linux_finds_the_build_id_behind_padding),
    TEST (notes_that_are_none_keep_their_headers),
    TEST (a_doubled_note_is_not_joined),
    TEST (notes_unlike_keep_their_headers),
    TEST (notes_apart_keep_their_headers),
    TEST (eviction_spares_an_interpreter_of_another_size),
    TEST (eviction_takes_sections_of_one_byte),
    TEST (eviction_spares_what_empty_sections_mark),
    TEST (empty_sections_that_are_not_loaded_mark_nothing),
    TEST (every_dynamic_table_is_followed),
    TEST (what_follows_a_symbol_table_is_no_symbol),
    TEST (eviction_spares_symbols_whose_names_have_no_end),
    TEST (program_headers_at_the_end_are_no_payload),
    TEST (libraries_do_without_pt_phdr),
    TEST (static_pies_keep_pt_phdr),
    TEST (named_pies_keep_pt_phdr),
    TEST (abi_tags_make_room_beside_other_notes),
    TEST (other_notes_in_front_stay),
    TEST (unknown_bytes_behind_other_notes_stay),
    TEST (build_ids_in_front_of_other_notes_go_behind),
    TEST (build_ids_go_with_an_empty_abi_tag),
    TEST (abi_tags_of_libraries_are_found),
    TEST (abi_tags_move_in_spite_of_sections_without_contents),
    TEST (properties_stay_in_front_where_glibc_finds_them),
    TEST (notes_go_nowhere_where_readers_miss_them),
    TEST (static_pies_of_glibc_do_without_pt_phdr),
    TEST (data_grows_behind_its_bss),
    TEST (sections_in_front_of_growing_data_stay),
    TEST (data_with_a_huge_bss_does_not_grow),
    TEST (old_place_is_used_again),
    TEST (old_place_is_left_unless_it_fits),
    TEST (patchelf_finds_a_spare_slot),
    TEST (unknown_bytes_behind_the_table_stay),
    TEST (patchelf_filler_is_nobodys),
    TEST (evicted_tables_leave_a_section_in_fixed_programs),
    TEST (grows_down_without_room),
    TEST (grown_down_program_has_no_gap_for_patchelf),
    TEST (grows_down_only_above_lowest_address),
    TEST (grows_down_less_when_linked_low),
    TEST (table_moves_on_request_only),
    TEST (moved_table_keeps_the_address_rule),
    TEST (loaders_get_their_bss_in_the_file),
    TEST (programs_are_no_loaders),
    TEST (loaders_are_known_by_name),
    TEST (loaders_are_known_by_symbols),
    TEST (static_pies_are_loaders_when_so_called),
    TEST (programs_are_no_loaders_whatever_their_name),
    TEST (names_of_loaders),
    TEST (users_of_loader_symbols_are_no_loaders),
    TEST (strings_move_where_nobody_reads_them),
    TEST (no_sections_but_segments_that_move),
    TEST (no_sections_no_room_in_what_no_header_names),
    TEST (what_linkers_leave_is_no_payload),
    TEST (payloads_do_not_look_like_what_linkers_leave),
    TEST (no_sections_but_slots),
    TEST (refuses_relocatable_objects),
    TEST (refuses_core_files),
    TEST (refuses_machines_without_sframe),
    TEST (skips_debug_files),
    TEST (skips_files_without_loaded_bytes),
    TEST (takes_files_with_one_loaded_byte),
    TEST (refuses_files_without_program_headers),
    TEST (refuses_section_names_that_are_loaded),
    TEST (refuses_kernels_by_address),
    TEST (refuses_kernels_by_section),
    TEST (refuses_prelinked_files),
    TEST (refuses_appended_payloads),
    TEST (refuses_signed_modules),
    TEST (refuses_modules_with_an_empty_signature),
    TEST (refuses_program_headers_in_the_elf_header),
    TEST (refuses_appimages),
    TEST (tolerates_zero_padding),
    TEST (refuses_too_many_headers),
    TEST (refuses_unsorted_segments),
    TEST (refuses_overlapping_segments),
    TEST (refuses_section_names_without_bytes),
    TEST (refuses_endless_dynamic_tables),
    TEST (refuses_many_symbol_tables),
    TEST (refuses_segments_for_the_same_bytes),
    TEST (refuses_incongruent_segments),
    TEST (refuses_impossible_sizes),
    TEST (plans_are_deterministic),
    TEST (grows_down_for_large_sections),
    TEST (fixed_programs_are_no_loaders),
    TEST (copies_and_gaps_are_kept_apart),
    TEST (bytes_outside_of_the_file_are_not_zero),
    TEST (rounding_does_not_wrap_around),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
