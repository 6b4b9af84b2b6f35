/* Make the plan of a struct layout_case, apply it, and compare the new file
   with what the case expects.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Each plan is made again while one allocation after the other fails, so
   programs that include this are linked with $(FAILING_ALLOCATIONS).  */

#ifndef TESTS_LAYOUT_CHECK_H
#define TESTS_LAYOUT_CHECK_H

#include <limits.h>

#include "elf/dynamic.h"
#include "elf/notes.h"
#include "failing_allocations.h"
#include "layout_case.h"
#include "place/facts.h"
#include "place/refusals.h"
#include "write/inject_check.h"

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
/* The sizes in the file and in memory are the same.  */
#define SEGMENT_HAS_SIZE(segment, to) \
  SEGMENT_HAS (segment, p_filesz, to), SEGMENT_HAS (segment, p_memsz, to)
#define SEGMENT_AT_HAS_SIZE(position, to)  \
  SEGMENT_AT_HAS (position, p_filesz, to), \
      SEGMENT_AT_HAS (position, p_memsz, to)
/* The offset and the address are the same.  */
#define SEGMENT_BEGINS(segment, at) \
  SEGMENT_HAS (segment, p_offset, at), SEGMENT_HAS (segment, p_vaddr, at)

static inline void
open_result (struct fixture *test)
{
  if (!image_open_memory (&test->result, test->bytes, test->plan.new_size,
                          &test->err))
    fail_msg ("new file: %s", test->err.reason);
}

/* Make the new file as place/plan.h says.  */
static inline void
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

static inline const GElf_Phdr *
segment_of (const struct image *image, uint32_t type)
{
  const GElf_Phdr *segment = image_find_segment (image, type);
  assert_non_null (segment);
  return segment;
}

static inline const GElf_Shdr *
section_of (const struct image *image, const char *name)
{
  const struct image_section *section = image_find_section (image, name);
  if (section == NULL)
    fail_msg ("no section %s", name);
  return &section->header;
}

/* PT_GNU_SFRAME, .sframe and a PT_LOAD agree, and the segment is read-only. */
static inline void
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

/* In .dynsym, only the values of symbols of sections may change.  */
static inline void
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

/* Every old section keeps its index, name and contents.  */
static inline void
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
static inline void
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

/* If an allocation fails, the error is CFI2SFRAME_NO_MEMORY.  */
static inline void
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

static inline void
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

static inline uint64_t
dynamic_value (const struct image *image, int64_t tag)
{
  uint64_t value = 0;
  assert_true (dynamic_find (image, tag, &value));
  return value;
}

/* Whether a reader of the new file's PT_NOTE finds a note of TYPE.  */
static inline bool
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

/* Return the last PT_LOAD of the new file and set *BEFORE to the one in front.
 */
static inline const GElf_Phdr *
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

static inline uint64_t
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

static inline uint64_t
difference_of (const struct image *image, const GElf_Shdr *header)
{
  const GElf_Phdr *first = segment_of (image, PT_LOAD);
  return header->sh_addr - header->sh_offset
         - (first->p_vaddr - first->p_offset);
}

/* libunwind 1.8 crashed: it takes the addresses of these tables for offsets,
   relative to the first segment.  Other bytes in place of .dynsym do no harm
   if they are in the file, nor do zeros in place of a hash table.  A loader
   that is longer in the file than in memory may have the tables anywhere.  */
static inline void
check_symbol_tables (const struct fixture *test)
{
  const struct image *old = &test->image, *new = &test->result;
  const GElf_Phdr *last = image_last_load (old);
  if ((loader_is (old) || test->request.named_loader)
      && last->p_vaddr - last->p_offset < PAGE_MIN)
    return;
  for (size_t i = 1; i < old->n_sections; i++)
    {
      const GElf_Shdr *before = &old->sections[i].header;
      const GElf_Shdr *after = &new->sections[i].header;
      bool symbols = before->sh_type == SHT_DYNSYM;
      if (!symbols && before->sh_type != SHT_HASH
          && before->sh_type != SHT_GNU_HASH
          && (before->sh_type != SHT_STRTAB || before->sh_flags == 0))
        continue;
      if (difference_of (new, after) == difference_of (old, before))
        continue;
      uint64_t read = after->sh_addr - (before->sh_addr - before->sh_offset);
      assert_string_equal (test->plan.strategy, "grow-data");
      assert_true (read + after->sh_size <= new->size);
      for (size_t k = 0; !symbols && k < after->sh_size; k++)
        assert_int_equal (new->bytes[read + k], 0);
    }
}

/* The file gets a plan by the strategy of its row, and the new file is as the
   row says.  */
static inline void
expect_served (struct fixture *test)
{
  const struct layout_case *given = test->given;
  make_file (test);
  plan_and_apply_encoded (test, given->strategy ? given->strategy : "evict");
  assert_int_equal (test->plan.replaced_section, test->replaced.section);
  check_symbol_tables (test);
  if (given->n_segments != 0)
    assert_int_equal (test->result.n_segments, given->n_segments);
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

/* refusals_check accepts the file, but no strategy finds a place in it.  */
static inline void
expect_refused (struct fixture *test)
{
  make_file (test);
  assert_true (refusals_check (&test->image, &test->err));
  assert_false (plan (test));
  check_reason (test);
  /* Scripts tell these refusals from defects by the word.  */
  assert_string_equal (cfi2sframe_error_code (&test->err),
                       test->err.status == CFI2SFRAME_INVALID ? "invalid"
                                                              : "no-room");
}

#endif /* TESTS_LAYOUT_CHECK_H */
