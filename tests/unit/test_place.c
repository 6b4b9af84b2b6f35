/* Unit tests of src/place/layout: every strategy and every refusal, on files
   made here; no file is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Most tests are rows of three tables, served[], refused[] and unfit[]: what
   is changed in a small program, and what becomes of it.  Functions are those
   that need more than one file or ask for something else than a plan.  */

#include <limits.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/notes.h"
#include "base/align.h"
#include "elf_builder.h"
#include "failing_allocations.h"
#include "place/choose_strategy.h"
#include "place/slots.h"
#include "place/refusals.h"
#include "place/strategy.h"
#include "place/loader.h"
#include "place/owners.h"
#include "write/inject_check.h"
#include "tests/unit_test.h"

/* More than there is padding behind the read-only segments (0xa00, 0xf00),
   and little enough for it.  */
enum
{
  LARGE = 5000,
  SMALL = 96
};

/* Segments and sections of elf_builder_program, by index.  */
enum
{
  P_PHDR,
  P_INTERP,
  P_FIRST, /* read-only */
  P_TEXT,
  P_DATA,
  P_DYNAMIC,
  P_NOTE,
  P_STACK
};

enum
{
  S_INTERP = 1,
  S_BUILD_ID,
  S_HASH,
  S_DYNSYM,
  S_DYNSTR,
  S_RODATA,
  S_TEXT,
  S_SYMTAB = 11,
  S_STRTAB
};

enum
{
  LLVM_DEPENDENT_LIBRARIES = 0x6fff4c04 /* SHT_LLVM_DEPENDENT_LIBRARIES */
};

/* Of .symtab, which elf_builder fills with zeros.  */
enum
{
  SYMTAB = 0x2100,
  STRTAB = SYMTAB + 8 * 24
};

struct fixture
{
  struct elf_builder elf;
  struct image image, result; /* of the old and the new file */
  struct plan_request request;
  struct plan plan;
  struct error err;
  uint8_t *bytes; /* the new file */
  const struct layout_case *given;
};

/* One thing that is not as elf_builder_program has it.  */
struct change
{
  void (*make) (struct fixture *test, const struct change *change);
  uint64_t at, value;
  size_t size;
  uint32_t type;
  const char *text;
};

/* A test: the program, changed by MAKE, by CHANGES and, when its headers are
   encoded, by FINISH.  */
struct layout_case
{
  const char *name;
  void (*make) (struct fixture *test);
  struct change changes[8];
  void (*finish) (struct fixture *test);

  /* What choose_strategy does, and with REASON what the error's reason
     contains.  */
  const char *strategy;
  enum cfi2sframe_status status;
  const char *reason;

  /* Of the new file; what is zero is not asked.  */
  uint64_t sframe_offset;
  size_t n_segments;
  const char *section; /* stands at this address */
  uint64_t address;
  struct
  {
    uint32_t align, type;
  } found[4]; /* notes, by a walk over PT_NOTE with this alignment */
  void (*check) (const struct fixture *test);
};

/* The state is a row of a table, or NULL.  */
static int
set_up (void **state)
{
  struct fixture *test = calloc (1, sizeof *test);
  if (test == NULL)
    return -1;
  elf_builder_program (&test->elf, EM_X86_64, false);
  test->request = (struct plan_request){ .sframe_size = LARGE,
                                         .section_type = SHT_GNU_SFRAME };
  test->given = *state;
  *state = test;
  return 0;
}

static int
tear_down (void **state)
{
  struct fixture *test = *state;
  plan_free (&test->plan);
  if (test->result.elf != NULL)
    image_close (&test->result);
  if (test->image.elf != NULL)
    image_close (&test->image);
  free (test->bytes);
  free (test);
  return 0;
}

#define FIXTURE_TEST(name) \
  TEST_ON (struct fixture *test, set_up, tear_down, name)

/* Of the finished file.  */
static void
open_encoded (struct fixture *test)
{
  if (!image_open_memory (&test->image, test->elf.bytes, test->elf.size,
                          &test->err))
    fail_msg ("%s", test->err.reason);
}

static void
open_old (struct fixture *test)
{
  elf_builder_finish (&test->elf);
  open_encoded (test);
}

/* Before another file is opened.  */
static void
close_old (struct fixture *test)
{
  plan_free (&test->plan);
  image_close (&test->image);
  test->image.elf = NULL;
}

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
      if (strcmp (old->name, ".shstrtab") == 0
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

static bool
plan_with_search (const struct fixture *test, struct plan *plan,
                  struct error *err)
{
  struct plan_request request = test->request;
  static struct references references;
  references = (struct references){ 0 };
  slots_search_ahead (&references, &test->image);
  request.references = &references;
  return choose_strategy (plan, &test->image, &request, err);
}

static void
check_equal_plans (const struct plan *plan, const struct plan *other)
{
  assert_ptr_equal (plan->strategy, other->strategy);
  assert_int_equal (plan->n_extents, other->n_extents);
  assert_int_equal (plan->n_patches, other->n_patches);
  for (size_t i = 0; i < plan->n_patches; i++)
    {
      const struct plan_patch *patch = &plan->patches[i];
      assert_int_equal (patch->size, other->patches[i].size);
      assert_int_equal (patch->offset, other->patches[i].offset);
      assert_memory_equal (patch->bytes, other->patches[i].bytes, patch->size);
    }
}

/* Plan; looking for references ahead of time must make no difference.  */
static bool
plan (struct fixture *test)
{
  struct plan other;
  struct error other_err = { 0 };
  bool planned_too = plan_with_search (test, &other, &other_err);
  bool planned = choose_strategy (&test->plan, &test->image, &test->request,
                                  &test->err);
  assert_int_equal (planned, planned_too);
  if (!planned)
    assert_string_equal (test->err.reason, other_err.reason);
  check_equal_plans (&other, &test->plan);
  plan_free (&other);
  return planned;
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

/* ---- Changes: struct change by a function and a macro for it.  */

/* A number anywhere in the fixture; headers are kept in host form.  */
static void
set_field (struct fixture *test, const struct change *change)
{
  uint8_t *field = (uint8_t *)test + change->at;
  switch (change->size)
    {
    case 1:
      *field = (uint8_t)change->value;
      return;
    case 2:
      memcpy (field, &(uint16_t){ (uint16_t)change->value }, 2);
      return;
    case 4:
      memcpy (field, &(uint32_t){ (uint32_t)change->value }, 4);
      return;
    default:
      assert_int_equal (change->size, 8);
      memcpy (field, &change->value, 8);
    }
}

#define SET(field, to)                                            \
  {                                                               \
    .make = set_field, .at = offsetof (struct fixture, field),    \
    .size = sizeof ((struct fixture *)NULL)->field, .value = (to) \
  }
#define SET_SEGMENT(segment, member, to) SET (elf.segments[segment].member, to)
#define SET_SECTION(section, member, to) SET (elf.sections[section].member, to)

static void
put (struct fixture *test, uint64_t offset, const char *bytes, size_t size)
{
  memcpy (test->elf.bytes + offset, bytes, size);
}

static void
set_bytes (struct fixture *test, const struct change *change)
{
  put (test, change->at, change->text, change->size);
}

#define BYTES(offset, string)                            \
  {                                                      \
    .make = set_bytes, .at = (offset), .text = (string), \
    .size = sizeof (string) - 1                          \
  }

static void
set_zeros (struct fixture *test, const struct change *change)
{
  memset ((uint8_t *)test + change->at, 0, change->size);
}

#define ZEROS(offset, length)                                                 \
  {                                                                           \
    .make = set_zeros, .at = offsetof (struct fixture, elf.bytes) + (offset), \
    .size = (length)                                                          \
  }
/* No header.  */
#define NO_SEGMENT(segment)                                 \
  {                                                         \
    .make = set_zeros,                                      \
    .at = offsetof (struct fixture, elf.segments[segment]), \
    .size = sizeof (Elf64_Phdr)                             \
  }

/* In the byte order of the file.  */
static void
set_word (struct fixture *test, const struct change *change)
{
  uint8_t *word = test->elf.bytes + change->at;
  if (change->size == 4)
    store_u32 (word, (uint32_t)change->value, test->elf.big_endian);
  else
    store_u64 (word, change->value, test->elf.big_endian);
}

#define WORD32(offset, to)                                     \
  {                                                            \
    .make = set_word, .at = (offset), .size = 4, .value = (to) \
  }
#define WORD64(offset, to)                                     \
  {                                                            \
    .make = set_word, .at = (offset), .size = 8, .value = (to) \
  }

static void
set_note (struct fixture *test, const struct change *change)
{
  elf_builder_note (&test->elf, change->at, change->text, change->type,
                    (uint32_t)change->size);
}

#define NOTE(offset, owner, note_type, length)                              \
  {                                                                         \
    .make = set_note, .at = (offset), .text = (owner), .type = (note_type), \
    .size = (length)                                                        \
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

static void
set_section (struct fixture *test, const struct change *change)
{
  elf_builder_add_section (&test->elf, change->text, change->type,
                           change->value, change->at, change->size, 1);
}

#define SECTION(name, section_type, flags, offset, length)       \
  {                                                              \
    .make = set_section, .text = (name), .type = (section_type), \
    .value = (flags), .at = (offset), .size = (length)           \
  }

static void
set_base (struct fixture *test, const struct change *change)
{
  elf_builder_relocate (&test->elf, change->value);
}

#define RELOCATE(base)                \
  {                                   \
    .make = set_base, .value = (base) \
  }

/* An ABI tag, which need not stay in the first page, in the build-id's place.
 */
#define NO_BUILD_ID NOTE (0x220, "GNU", NT_GNU_ABI_TAG, 20)

/* .interp is not to move.  */
#define INTERP_STAYS SET_SECTION (S_INTERP, sh_flags, SHF_ALLOC | SHF_WRITE)

static void
make_file (struct fixture *test)
{
  const struct layout_case *given = test->given;
  if (given->make != NULL)
    given->make (test);
  for (const struct change *change = given->changes; change->make != NULL;
       change++)
    change->make (test, change);
  elf_builder_finish (&test->elf);
  if (given->finish != NULL)
    given->finish (test);
  open_encoded (test);
}

/* ---- Programs that several tests change.  */

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
  load[1].p_offset = load[1].p_vaddr = load[1].p_paddr = 0x400;
  load[1].p_filesz = load[1].p_memsz = 0x200;
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
make_loader (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
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

/* Right behind the read-only segment, which grows; nothing else moves.  */
static void
check_padding_filled (const struct fixture *test)
{
  const GElf_Phdr *load = segment_of (&test->result, PT_LOAD) + 1;
  assert_int_equal (test->plan.sframe_address, 0x1600);
  assert_int_equal (test->result.n_segments, test->image.n_segments);
  assert_int_equal (load->p_filesz, 0x200 + SMALL);
  assert_int_equal (load->p_memsz, 0x200 + SMALL);
  assert_int_equal (test->plan.n_extents, 2);
}

static void
check_end_of_first_segment (const struct fixture *test)
{
  const GElf_Phdr *load = segment_of (&test->result, PT_LOAD);
  assert_int_equal (load->p_filesz, 0x600);
  assert_int_equal (load->p_memsz, 0x600);
}

static void
check_interp_behind_sframe (const struct fixture *test)
{
  const GElf_Phdr *interp = segment_of (&test->result, PT_INTERP);
  assert_in_range (interp->p_offset, 0x1600 + SMALL, 0x1fff);
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
check_page_of_its_own (const struct fixture *test)
{
  assert_true (test->plan.sframe_address >= 0x10000);
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
check_build_id_in_first_page (const struct fixture *test)
{
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_in_range (note->p_offset, 0x40 + 10 * 56, 0x1000 - 0x24);
  assert_int_equal (note->p_vaddr, note->p_offset);
  assert_int_equal (section_of (&test->result, ".note.gnu.build-id")->sh_addr,
                    note->p_vaddr);
  assert_memory_equal (test->bytes + note->p_offset, test->elf.bytes + 0x220,
                       0x24);
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

/* PT_NOTE begins at AT and has SIZE bytes.  */
static const GElf_Phdr *
check_note (const struct fixture *test, uint64_t at, uint64_t size)
{
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_int_equal (note->p_offset, at);
  assert_int_equal (note->p_vaddr, at);
  assert_int_equal (note->p_filesz, size);
  assert_int_equal (note->p_memsz, size);
  return note;
}

/* .interp and the note are behind the code, and its segment ends with them.
 */
static void
check_home_behind_code (const struct fixture *test)
{
  const GElf_Phdr *interp = segment_of (&test->result, PT_INTERP);
  const GElf_Phdr *note = check_note (test, 0x111c, 36);
  assert_int_equal (interp->p_offset, 0x1100);
  assert_int_equal (interp->p_vaddr, 0x1100);
  assert_int_equal (test->result.segments[P_TEXT].p_filesz,
                    note->p_offset + note->p_filesz - 0x1000);
  assert_int_equal (test->result.segments[P_TEXT].p_memsz,
                    test->result.segments[P_TEXT].p_filesz);
}

static void
check_big_endian_addresses (const struct fixture *test)
{
  const GElf_Shdr *hash = section_of (&test->result, ".gnu.hash");
  const uint8_t *symbols
      = test->bytes + section_of (&test->result, ".symtab")->sh_offset;
  assert_int_equal (dynamic_value (&test->result, DT_GNU_HASH), hash->sh_addr);
  assert_int_equal (load_u64 (symbols + 24 + 8, true), hash->sh_addr);
}

static void
check_one_note (const struct fixture *test, uint64_t size)
{
  assert_int_equal (check_note (test, 0x200, size)->p_align, 8);
  assert_int_equal (test->result.n_segments, test->image.n_segments);
}

static void
check_notes_that_touch (const struct fixture *test)
{
  check_one_note (test, 0x18 + 36);
}

static void
check_filler (const struct fixture *test)
{
  check_one_note (test, 0x30 + 36);
  /* strip keeps what is in a section.  */
  const GElf_Shdr *filler = section_of (&test->result, ".note.filler");
  assert_int_equal (filler->sh_type, SHT_NOTE);
  assert_int_equal (filler->sh_offset, 0x218);
  assert_int_equal (filler->sh_size, 24);
  /* What was there goes away, and its dynamic entry says so.  */
  assert_int_equal (dynamic_value (&test->result, DT_GNU_HASH),
                    section_of (&test->result, ".gnu.hash")->sh_addr);
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
check_second_note_alone (const struct fixture *test)
{
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_int_equal (note->p_offset, 0x218);
  assert_int_equal (note->p_filesz, 36);
}

static void
check_no_pt_phdr (const struct fixture *test)
{
  assert_null (image_find_segment (&test->result, PT_PHDR));
}

static void
check_abi_tag_behind (const struct fixture *test)
{
  check_note (test, 0x23c, 20 + 32);
  assert_memory_equal (test->bytes + 0x23c, test->elf.bytes + 0x23c, 20);
}

static void
check_note_where_it_was (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_offset, 0x23c);
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

static void
check_comment_in_front (const struct fixture *test)
{
  assert_int_equal (section_of (&test->result, ".comment")->sh_offset, 0x640);
  assert_true (section_of (&test->result, ".symtab")->sh_offset > SYMTAB);
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
make_fixed_program_with_room (struct fixture *test)
{
  test->elf.sections[S_DYNSYM].sh_size = 0x120;
  move_dynamic_strings (test, 0x3a0);
  elf_builder_relocate (&test->elf, 0x400000);
}

static void
check_section_of_old_tables (const struct fixture *test)
{
  const GElf_Shdr *gap = section_of (&test->result, ".old_tables");
  assert_int_equal (gap->sh_type, SHT_PROGBITS);
  assert_int_equal (gap->sh_offset + gap->sh_size, 0x3a0);
  assert_int_equal (gap->sh_addr, 0x400000 + gap->sh_offset);
  /* Behind the table, a spare slot and the build-id.  */
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_true (gap->sh_offset >= note->p_offset + note->p_filesz);
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
check_note_in_first_page (const struct fixture *test)
{
  const GElf_Phdr *note = segment_of (&test->result, PT_NOTE);
  assert_true (note->p_offset + note->p_filesz <= 0x1000);
}

/* Only the first page is copied to the front.  */
static void
check_note_stays (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_vaddr, 0x400e04);
}

static void
check_note_keeps_its_address (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_vaddr,
                    segment_of (&test->image, PT_NOTE)->p_vaddr);
}

/* One PT_NOTE for a note of a program's own and, behind it, the build-id.  */
static void
make_mixed_notes (struct fixture *test)
{
  Elf64_Phdr *first = &test->elf.segments[P_FIRST];
  Elf64_Phdr *note = &test->elf.segments[P_NOTE];
  Elf64_Shdr *id = &test->elf.sections[S_BUILD_ID];
  first->p_filesz = first->p_memsz = 0x700;
  note->p_offset = note->p_vaddr = note->p_paddr = 0x600;
  note->p_filesz = note->p_memsz = 0x40;
  id->sh_offset = id->sh_addr = 0x61c;
  elf_builder_add_section (&test->elf, ".note.own", SHT_NOTE, SHF_ALLOC, 0x600,
                           0x1c, 4);
  elf_builder_note (&test->elf, 0x600, "Own", 7, 12);
  elf_builder_note (&test->elf, 0x61c, "GNU", NT_GNU_BUILD_ID, 20);
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
check_grown_down_less (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_LOAD)->p_vaddr, 0x1fe000);
  assert_int_equal (segment_of (&test->result, PT_LOAD)->p_align, 0x1000);
}

static void
check_bss_in_the_file (const struct fixture *test)
{
  assert_int_equal (section_of (&test->result, ".bss")->sh_type, SHT_PROGBITS);
}

static void
check_bss_in_memory_alone (const struct fixture *test)
{
  assert_int_equal (section_of (&test->result, ".bss")->sh_type, SHT_NOBITS);
}

static void
check_loader (const struct fixture *test)
{
  const GElf_Phdr *data = NULL;
  const GElf_Phdr *last = last_load (test, &data);
  assert_non_null (data);
  assert_int_equal (data->p_vaddr, 0x2000);
  assert_int_equal (data->p_filesz, data->p_memsz);
  check_bss_in_the_file (test);
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

static void
check_moved_strings (const struct fixture *test)
{
  const GElf_Shdr *strings = section_of (&test->result, ".dynstr");
  assert_int_not_equal (strings->sh_addr, 0x2b8);
  assert_int_equal (dynamic_value (&test->result, DT_STRTAB),
                    strings->sh_addr);
}

/* mold 1.10: PT_GNU_RELRO says that it begins at the file's start.  */
static void
make_relro_at_offset_0 (struct fixture *test)
{
  test->elf.segments[P_STACK] = (Elf64_Phdr){ .p_type = PT_GNU_RELRO,
                                              .p_flags = PF_R,
                                              .p_vaddr = 0x1fec,
                                              .p_paddr = 0x1fec,
                                              .p_filesz = 0x300,
                                              .p_memsz = 0x1014 };
}

static void
check_relro_at_offset_0 (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_GNU_RELRO)->p_offset, 0);
  assert_int_equal (segment_of (&test->result, PT_GNU_RELRO)->p_vaddr & 0xfff,
                    0xfec);
}

/* The dynamic entry follows its table, whichever that is.  */
static void
check_dynamic_table (const struct fixture *test)
{
  int64_t tag = (int64_t)load_u64 (test->elf.bytes + 0x2000 + 16, false);
  uint64_t address = test->result.sections[S_HASH].header.sh_addr;
  assert_int_not_equal (address, 0x248);
  assert_int_equal (dynamic_value (&test->result, tag), address);
}

#define DYNAMIC_TABLE(section, tag)                      \
  {                                                      \
    .name = "dynamic_entry_follows_" #section,           \
    .changes = { SET_SECTION (S_HASH, sh_type, section), \
                 WORD64 (0x2000 + 16, tag) },            \
    .strategy = "evict", .check = check_dynamic_table    \
  }

/* The only dynamic relocation: 5 changes.  */
#define RELOCATION(place, symbol, type, addend)                             \
  DYNAMIC (DT_RELA, 0x400), DYNAMIC (DT_RELASZ, 24), WORD64 (0x400, place), \
      WORD64 (0x408, (uint64_t)(symbol) << 32 | (type)),                    \
      WORD64 (0x410, (uint64_t)(addend))

/* Offsets among thread-local variables that look like the address of the
   build-id: @napi-rs/canvas, libvips and libonnxruntime for aarch64 were
   refused for one.  */
#define TLS_OFFSET(make_program, relocation, number)                \
  {                                                                 \
    .name = relocation "_has_no_address", .make = (make_program),   \
    .changes = { DYNAMIC (DT_RELA, 0x400), DYNAMIC (DT_RELASZ, 24), \
                 WORD64 (0x400, 0x2090), WORD64 (0x408, number),    \
                 WORD64 (0x410, 0x234) },                           \
    .strategy = "evict"                                             \
  }

static void
check_aligned_interp (const struct fixture *test)
{
  assert_int_equal (section_of (&test->result, ".interp")->sh_addr % 4096,
                    0x200);
}

/* Sections of any alignment up to 64 may follow.  */
static void
check_shift (const struct fixture *test)
{
  assert_int_equal (section_of (&test->result, ".symtab")->sh_offset % 64,
                    SYMTAB % 64);
}

static void
check_physical_address (const struct fixture *test)
{
  const GElf_Phdr *sframe = segment_of (&test->result, PT_GNU_SFRAME);
  assert_int_equal (sframe->p_paddr - sframe->p_vaddr, 0x100000);
}

/* Another segment has the zeros behind the code, too.  */
static void
make_shared_padding (struct fixture *test)
{
  test->request.sframe_size = SMALL;
  test->elf.segments[P_STACK] = (Elf64_Phdr){ .p_type = PT_LOAD,
                                              .p_flags = PF_R | PF_W,
                                              .p_offset = 0x1110,
                                              .p_vaddr = 0x8110,
                                              .p_paddr = 0x8110,
                                              .p_filesz = 8,
                                              .p_memsz = 8,
                                              .p_align = 0x1000 };
}

/* A read-only segment that agrees with no other and has no room behind it: it
   is tried before the code.  */
static void
make_segment_to_try_in_vain (struct fixture *test)
{
  make_shared_padding (test);
  test->elf.segments[P_STACK].p_flags = PF_R;
  test->elf.segments[P_STACK].p_offset = 0x1800;
  test->elf.segments[P_STACK].p_vaddr = 0x8800;
  test->elf.segments[P_STACK].p_paddr = 0x8800;
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
  *data = (Elf64_Phdr){ .p_type = PT_LOAD,
                        .p_flags = PF_R,
                        .p_offset = 0x10f8,
                        .p_vaddr = 0x20f8,
                        .p_paddr = 0x20f8,
                        .p_filesz = 8,
                        .p_memsz = 8,
                        .p_align = 0x1000 };
}

/* .interp and the note are behind .sframe, which is behind the code.  */
static void
check_units_behind_sframe (const struct fixture *test)
{
  const GElf_Phdr *interp = segment_of (&test->result, PT_INTERP);
  assert_int_equal (interp->p_offset, 0x1100 + SMALL);
  assert_int_equal (interp->p_vaddr, 0x1100 + SMALL);
  check_note (test, 0x1100 + SMALL + 0x1c, 36);
}

/* .interp and the note are behind the read-only segment.  */
static void
check_units_behind_another_segment (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_INTERP)->p_offset, 0x1600);
  check_note (test, 0x161c, 36);
}

/* It stays, and its section goes.  */
static void
check_buried_note (const struct fixture *test)
{
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_offset, 0x1f0);
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_vaddr, 0x1f0);
  assert_int_not_equal (section_of (&test->result, ".interp")->sh_addr, 0x200);
}

/* Dynamic symbol 1 is that of SECTION.  */
#define SECTION_SYMBOL(section, address)                                    \
  SET (elf.bytes[0x288 + 4], STT_SECTION), BYTES (0x288 + 6, section "\0"), \
      WORD64 (0x288 + 8, address)

static void
check_dynamic_section_symbol (const struct fixture *test)
{
  const uint8_t *symbols
      = test->bytes + section_of (&test->result, ".dynsym")->sh_offset;
  assert_int_equal (load_u64 (symbols + 24 + 8, false),
                    section_of (&test->result, ".interp")->sh_addr);
}

static void
check_dynamic_symbol_kept (const struct fixture *test)
{
  const uint8_t *symbols
      = test->bytes + section_of (&test->result, ".dynsym")->sh_offset;
  assert_int_equal (load_u64 (symbols + 24 + 8, false), 0x3f0);
}

enum
{
  BEHIND = 8 /* the index behind the last symbol */
};

static void
check_symbols_and_what_follows (const struct fixture *test)
{
  const uint8_t *symbols
      = test->bytes + section_of (&test->result, ".symtab")->sh_offset;
  assert_int_equal (load_u64 (symbols + BEHIND * 24 + 8, false), 0x248);
  assert_int_not_equal (load_u64 (symbols + (BEHIND - 1) * 24 + 8, false),
                        0x248);
}

/* A section that is not loaded and of a known kind.  */
#define KNOWN(section, type, flags, content)                              \
  {                                                                       \
    .name = "not_a_payload_" section,                                     \
    .changes                                                              \
        = { SECTION (section, type, flags, 0x2200, sizeof (content) - 1), \
            BYTES (0x2200, content) },                                    \
    .strategy = "evict"                                                   \
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
  { "tables_of_linkers_are_no_payload", make_symbol_indices,
    .strategy = "evict" },
  { "slack_fills_padding", make_padding_to_fill, .strategy = "slack",
    .sframe_offset = 0x1600, .check = check_padding_filled },
  /* libdwfl takes the difference of the first segments' ends for the distance
     between a file and its debug file.  */
  { "slack_leaves_the_end_of_the_first_segment",
    .changes = { SET (request.sframe_size, SMALL) }, .strategy = "slack",
    .sframe_offset = 0x1100, .check = check_end_of_first_segment },
  { "slack_takes_evicted_sections_along", make_two_read_only_segments,
    .strategy = "slack", .sframe_offset = 0x1600,
    .check = check_interp_behind_sframe },
  /* Which of the two maps the page depends on the loader; the self-check
     refused it.  */
  { "slack_is_in_no_page_of_a_segment_in_front", make_two_segments_in_a_page,
    .strategy = "slack", .sframe_offset = 0x1100 },
  { "slack_is_of_no_other_segment", make_shared_padding, .strategy = "evict" },
  /* What is evicted was left at the place that it would have had with the
     segment tried in vain, and .sframe got the same bytes.  */
  { "slack_takes_nothing_along_from_a_try_in_vain",
    make_segment_to_try_in_vain,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "slack", .sframe_offset = 0x1100,
    .check = check_units_behind_sframe },
  /* Behind the read-only segment there is room for these alone, behind the
     code for .sframe and the hash table.  */
  { "slack_lets_evicted_sections_fall_back", make_two_read_only_segments,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
        BYTES (0x1650, "\1"), BYTES (0x2190, "\1") },
    .strategy = "slack", .sframe_offset = 0x2100,
    .check = check_units_behind_another_segment },
  /* They fell back to the bytes that .sframe had got.  */
  { "slack_is_not_where_evicted_sections_fall_back",
    make_segments_that_end_alike,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "slack", .sframe_offset = 0x1100,
    .check = check_units_behind_sframe },
  { "slack_has_the_physical_addresses_of_its_segment",
    .changes = { SET (request.sframe_size, SMALL),
                 SET_SEGMENT (P_TEXT, p_paddr, 0x101000) },
    .strategy = "slack", .check = check_physical_address },
  { "slack_needs_zeros", make_two_read_only_segments,
    .changes = { BYTES (0x1640, "\1"), BYTES (0x2180, "\1") },
    .strategy = "evict" },
  /* The padding behind the read-only segment is filled; then the code's.  */
  { "slack_prefers_data_to_code", make_two_read_only_segments,
    .changes = { BYTES (0x1610, "\1") }, .strategy = "slack",
    .sframe_offset = 0x2100 },
  { "slack_ends_at_the_next_segment_in_memory",
    make_segments_apart_in_the_file, .strategy = "evict",
    .check = check_segments_of_4_kib },
  /* With 64 KiB pages the segments of this file share one, without slack
     between them.  */
  { "slack_counts_in_pages_of_the_machine", make_64_kib_pages,
    .strategy = "evict", .check = check_page_of_its_own },
  { "null_entries_are_slots",
    .changes = { NO_SEGMENT (P_NOTE), NO_SEGMENT (P_STACK) },
    .strategy = "spare-slot", .n_segments = 8,
    .check = check_segments_of_4_kib },
  { "doubled_property_note_is_a_slot", make_doubled_property,
    .strategy = "slack", .n_segments = 8, .check = check_property_alone },
  { "section_table_behind_headers_gives_room",
    make_section_table_behind_headers, .strategy = "spare-slot",
    .n_segments = 10, .check = check_section_table_behind_the_file },

  { "eviction_moves_what_nobody_reaches_by_address",
    .changes = { SYMBOL (1, ".gnu.hash", STT_SECTION, 0x248),
                 SYMBOL (2, ".interp", STT_SECTION, 0x200),
                 SYMBOL (3, ".text", STT_FUNC, 0x1010) },
    .strategy = "evict", .n_segments = 10, .section = ".dynstr",
    .address = 0x2b8, .check = check_evicted },
  { "eviction_keeps_build_id_in_first_page", .strategy = "evict",
    .check = check_build_id_in_first_page },
  { "what_headers_name_goes_into_padding",
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "evict", .check = check_home_behind_code },
  { "eviction_zeroes_freed_bytes", .strategy = "evict",
    .check = check_freed_bytes },
  { "eviction_works_in_big_endian_files", make_s390x,
    .changes = { SYMBOL (1, ".gnu.hash", STT_SECTION, 0x248) },
    .strategy = "evict", .check = check_big_endian_addresses },
  { "eviction_takes_package_notes",
    .changes = { NOTE (0x220, "FDO", 0xcafe1a7e, 20) }, .strategy = "evict" },
  /* In each library and plugin of Go.  */
  { "eviction_takes_build_ids_of_go",
    .changes = { NOTE (0x220, "Go\0", 4, 20) }, .strategy = "evict" },
  { "eviction_takes_several_notes",
    .changes = { NOTE (0x220, "GNU", NT_GNU_BUILD_ID, 0),
                 NOTE (0x230, "GNU", NT_GNU_PROPERTY_TYPE_0, 4) },
    .strategy = "evict" },
  { "eviction_takes_sections_of_one_byte",
    .changes = { SET_SEGMENT (P_INTERP, p_filesz, 1),
                 SET_SEGMENT (P_INTERP, p_memsz, 1),
                 SET_SECTION (S_INTERP, sh_size, 1), ZEROS (0x201, 0x1b) },
    .strategy = "evict" },
  /* The unused symbol that glibc puts on the ABI tag; refused[] has one with
     a name that does not end.  */
  { "eviction_takes_notes_with_the_abi_tags_symbol",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__abi_tag"),
                 WORD32 (SYMTAB + 24, 1) },
    .strategy = "evict" },
  /* mold's libraries without a build-id.  */
  { "eviction_takes_notes_with_the_librarys_own_symbol",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__dso_handle"),
                 WORD32 (SYMTAB + 24, 1) },
    .strategy = "evict" },
  { "empty_sections_that_are_not_loaded_mark_nothing",
    .changes = { SECTION (".comment", SHT_PROGBITS, 0, 0x200, 0) },
    .strategy = "evict" },
  /* patchelf 0.11 let the table run over notes that it had moved: four of
     npm's prebuilt programs.  */
  { "notes_that_begin_in_the_table_hold_up_nothing",
    .changes = { SET_SEGMENT (P_NOTE, p_offset, 0x1f0),
                 SET_SEGMENT (P_NOTE, p_vaddr, 0x1f0),
                 SET_SEGMENT (P_NOTE, p_paddr, 0x1f0),
                 SET_SEGMENT (P_NOTE, p_filesz, 0x54),
                 SET_SEGMENT (P_NOTE, p_memsz, 0x54) },
    .strategy = "evict", .check = check_buried_note },
  { "properties_that_begin_in_the_table_hold_up_nothing",
    .changes = { SET_SEGMENT (P_NOTE, p_type, PT_GNU_PROPERTY),
                 SET_SEGMENT (P_NOTE, p_offset, 0x1f0),
                 SET_SEGMENT (P_NOTE, p_vaddr, 0x1f0),
                 SET_SEGMENT (P_NOTE, p_paddr, 0x1f0),
                 SET_SEGMENT (P_NOTE, p_filesz, 0x54),
                 SET_SEGMENT (P_NOTE, p_memsz, 0x54) },
    .strategy = "evict" },
  /* gABI: as 1.  */
  { "segments_may_have_alignment_0",
    .changes = { SET_SEGMENT (P_TEXT, p_align, 0) }, .strategy = "evict" },
  /* Words of both headers behind the bytes in which boot loaders look for the
     first, or in a program.  */
  { "programs_with_an_interpreter_are_no_kernels",
    .changes = { WORD32 (0x1010, 0x1badb002), WORD32 (0x1014, 2),
                 WORD32 (0x1018, -0x1badb004) },
    .strategy = "evict" },
  { "patchelf_finds_a_spare_slot", make_room_for_patchelf, .strategy = "evict",
    .check = check_spare_slot },
  /* With two headers more the note ends with the first page.  */
  { "a_note_that_moves_may_fill_the_first_page",
    .changes = { TABLE_BEFORE_NOTE (0x600, 0x7d0) }, .strategy = "evict",
    .check = check_note_in_first_page },
  { "a_note_behind_the_first_page_may_go_anywhere",
    .changes = { TABLE_BEFORE_NOTE (0xd00, 0x144) }, .strategy = "evict" },
  { "what_a_read_only_segment_loads_is_not_appended",
    .finish = append_to_loaded_segment, .strategy = "evict" },
  { "patchelf_filler_is_nobodys", .changes = { BYTES (0x21c, "XXZZ") },
    .strategy = "evict" },
  { "eviction_keeps_the_alignment_of_a_page",
    .changes = { SET_SECTION (S_INTERP, sh_addralign, 4096) },
    .strategy = "evict", .check = check_aligned_interp },
  { "evicted_tables_leave_a_section_in_fixed_programs",
    make_fixed_program_with_room, .strategy = "evict",
    .check = check_section_of_old_tables },
  { "relro_is_where_its_address_says", make_relro_at_offset_0,
    .strategy = "evict", .check = check_relro_at_offset_0 },
  DYNAMIC_TABLE (SHT_HASH, DT_HASH),
  DYNAMIC_TABLE (SHT_GNU_HASH, DT_GNU_HASH),
  DYNAMIC_TABLE (SHT_GNU_versym, DT_VERSYM),
  DYNAMIC_TABLE (SHT_GNU_verneed, DT_VERNEED),
  DYNAMIC_TABLE (SHT_GNU_verdef, DT_VERDEF),
  /* Its bytes look like a symbol of a section that moves.  */
  { "what_follows_a_symbol_table_is_no_symbol",
    .changes = { SYMBOL (BEHIND, ".gnu.hash", STT_SECTION, 0x248),
                 SYMBOL (BEHIND - 1, ".gnu.hash", STT_SECTION, 0x248) },
    .strategy = "evict", .check = check_symbols_and_what_follows },
  /* GNU ld up to about 2015; 12 of 109 files of elfutils' tests.  */
  { "dynamic_symbols_of_sections_move_along",
    .changes = { SECTION_SYMBOL ("\1", 0x200) }, .strategy = "evict",
    .check = check_dynamic_section_symbol },
  { "dynamic_symbols_of_sections_outside_of_them_stay",
    .changes = { SECTION_SYMBOL ("\1", 0x3f0) }, .strategy = "evict",
    .check = check_dynamic_symbol_kept },
  { "relocations_add_to_what_other_files_have",
    .changes = { RELOCATION (0x2090, 1, 1, 0x234) }, .strategy = "evict" },
  /* The displacement of jmp behind movb %al, 0x2d(%rsp).  */
  { "chance_bytes_are_no_reference",
    .changes = { BYTES (0x1010, "\x88\x44\x24\x2d\xe9\x1c\xf2\xff\xff") },
    .strategy = "evict" },
  { "aarch64_other_bytes_of_the_page_may_be_known", make_aarch64,
    .changes = { WORD32 (0x1010, 0xf0ffffe0) /* adrp x0, 0 */,
                 WORD32 (0x1014, 0x91100000) /* add x0, 0x400 */ },
    .strategy = "evict" },
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
    .strategy = "grow-data", .section = ".gnu.hash", .address = 0x248 },
  { "eviction_spares_executable_sections",
    .changes = { SET_SECTION (S_HASH, sh_flags, SHF_ALLOC | SHF_EXECINSTR),
                 NO_BUILD_ID },
    .strategy = "grow-data", .section = ".gnu.hash", .address = 0x248 },

  { "notes_that_touch_share_a_header", make_long_plugin,
    .strategy = "grow-data", .check = check_notes_that_touch },
  /* Linux, which aligns to 4, lost its way in the padding, and did not find
     the build-id.  */
  { "linux_finds_the_build_id_behind_padding", make_short_plugin,
    .strategy = "grow-data", .section = ".note.gnu.build-id", .address = 0x230,
    .found = { { 4, NT_GNU_BUILD_ID }, { 8, NT_GNU_BUILD_ID }, { 8, 7 } },
    .check = check_filler },
  /* The note in front only repeats PT_GNU_PROPERTY: its header is one slot,
     and cannot be another.  */
  { "a_doubled_note_is_not_joined", make_doubled_note, .strategy = "grow-data",
    .check = check_second_note_alone },
  { "what_follows_the_bss_keeps_its_alignment", make_long_plugin,
    .strategy = "grow-data", .check = check_shift },
  { "libraries_do_without_pt_phdr", make_library, .strategy = "grow-data",
    .check = check_no_pt_phdr },
  { "static_pies_of_glibc_do_without_pt_phdr", make_library,
    .changes = { NOTE (0x220, "GNU", NT_GNU_ABI_TAG, 16),
                 DYNAMIC (DT_FLAGS_1, 0x08000000 /* DF_1_PIE */),
                 SET (elf.header.e_entry, 0x1000) },
    .strategy = "grow-data", .check = check_no_pt_phdr },
  { "abi_tags_make_room_beside_other_notes", make_crash_reporter,
    .strategy = "grow-data", .section = ".note.ABI-tag", .address = 0x250,
    .check = check_abi_tag_behind },
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
    .strategy = "grow-data", .check = check_note_where_it_was },

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
    .strategy = "grow-data", .check = check_comment_in_front },

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
    .section = ".old_headers", .address = 0x400000,
    .check = check_grown_down },
  /* A byte more would be in the second page.  */
  { "notes_in_the_first_page_are_copied_to_the_front",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, LAST_NOTE (0xe00, 0x200) },
    .strategy = "grow-down", .check = check_note_in_first_page },
  { "notes_that_reach_into_the_second_page_are_not_copied",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, LAST_NOTE (0xe04, 0x200) },
    .strategy = "grow-down", .check = check_note_stays },
  { "notes_of_a_section_at_another_address_are_not_copied",
    .changes = { RELOCATE (0x400000), INTERP_STAYS,
                 SET_SECTION (S_BUILD_ID, sh_addr, 0x400400) },
    .strategy = "grow-down", .check = check_note_keeps_its_address },
  { "notes_that_a_program_may_write_to_are_not_copied",
    .changes = { RELOCATE (0x400000), INTERP_STAYS,
                 SET_SECTION (S_BUILD_ID, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "grow-down", .check = check_note_keeps_its_address },
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
    .section = ".old_headers", .address = 0x12000 },
  { "grows_down_less_when_linked_low", make_low_program,
    .changes = { INTERP_STAYS }, .strategy = "grow-down",
    .check = check_grown_down_less },
  /* lld 15 lets it end with the page, which is not in a small file.  */
  { "relro_may_end_behind_the_file", make_relro_at_offset_0,
    .changes = { SET_SEGMENT (P_STACK, p_offset, 0x1fec),
                 SET_SEGMENT (P_STACK, p_filesz, 0x40000) },
    .strategy = "evict" },
  { "relro_without_an_offset_gets_none", make_relro_at_offset_0,
    .changes = { RELOCATE (0x400000), INTERP_STAYS }, .strategy = "grow-down",
    .check = check_relro_at_offset_0 },

  { "loaders_get_their_bss_in_the_file", make_loader, .strategy = "evict",
    .section = ".dynstr", .address = 0x2b8, .check = check_loader },
  /* static-pie: nobody looks for a library in it.  */
  { "strings_move_where_nobody_reads_them", make_loader,
    .changes = { WORD64 (0x2000, DT_DEBUG) }, .strategy = "evict",
    .check = check_moved_strings },
  /* As a static PIE that is somebody's PT_INTERP: up to Linux 6.6 a segment
     behind its BSS keeps every program that uses it from starting.  */
  { "static_pies_are_loaders_when_so_called", make_loader,
    .changes = { WORD64 (0x2000, DT_DEBUG), SET (request.named_loader, true) },
    .strategy = "evict", .check = check_bss_in_the_file },
  { "programs_are_no_loaders_whatever_their_name",
    .changes = { SET (request.named_loader, true) }, .strategy = "evict",
    .check = check_bss_in_memory_alone },
};

TEST_ROWS (served, struct fixture *test, set_up, tear_down, is_served)
{
  const struct layout_case *given = test->given;
  make_file (test);
  plan_and_apply_encoded (test, given->strategy);
  if (given->sframe_offset != 0)
    assert_int_equal (test->plan.sframe_offset, given->sframe_offset);
  if (given->n_segments != 0)
    assert_int_equal (test->result.n_segments, given->n_segments);
  if (given->section != NULL)
    assert_int_equal (section_of (&test->result, given->section)->sh_addr,
                      given->address);
  for (size_t i = 0; given->found[i].align != 0; i++)
    assert_true (
        finds_note (test, given->found[i].align, given->found[i].type));
  if (given->check != NULL)
    given->check (test);
}

/* ---- Files without a place.  */

static void
check_reason (const struct fixture *test)
{
  const struct layout_case *given = test->given;
  if (test->err.status != given->status
      || strstr (test->err.reason, given->reason) == NULL)
    fail_msg ("status %d, reason \"%s\"", test->err.status, test->err.reason);
}

/* A byte has somebody who may know where it is: a stripped program that read
   its build-id through symbols of a linker script printed zeros.  0x234 lies
   in the build-id.  */
#define REFERENCED \
  .status = CFI2SFRAME_REFUSED, .reason = "code or data may refer to"

/* Nothing makes room, and this section is what stays.  */
#define NO_ROOM_BEFORE(section) \
  .status = CFI2SFRAME_REFUSED, .reason = (section)

#define APPENDED .status = CFI2SFRAME_REFUSED, .reason = "are appended"

static void
make_data_with_a_huge_bss (struct fixture *test)
{
  make_plugin (test, 8);
  test->elf.segments[P_DATA].p_memsz += 1u << 30;
}

static const struct layout_case refused[] = {
  { "refuses_to_move_a_note_out_of_the_first_page",
    .changes = { TABLE_BEFORE_NOTE (0x600, 0x80c) },
    .status = CFI2SFRAME_REFUSED, .reason = "has to stay in the first page" },
  { "refuses_to_move_a_note_that_ends_with_the_first_page",
    .changes = { TABLE_BEFORE_NOTE (0xd00, 0x140) },
    .status = CFI2SFRAME_REFUSED, .reason = "has to stay in the first page" },

  /* Behind a longer table, the bytes of .interp are too few for it.  */
  { "a_segment_has_all_of_the_table_or_none",
    .changes
    = { SET_SECTION (S_RODATA, sh_size, 0x100),
        SET (elf.header.e_phoff, 0x500), SET_SEGMENT (P_PHDR, p_offset, 0x500),
        SET_SEGMENT (P_PHDR, p_vaddr, 0x500) },
    .status = CFI2SFRAME_REFUSED, .reason = "no segment maps" },
  { "build_ids_stay_in_the_first_page",
    .changes = { SET_SECTION (S_HASH, sh_flags, SHF_ALLOC | SHF_WRITE) },
    NO_ROOM_BEFORE (".gnu.hash") },
  { "what_headers_name_needs_padding_that_agrees",
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
        BYTES (0x1110, "\1") },
    NO_ROOM_BEFORE (".dynsym") },
  { "eviction_stops_at_unknown_notes",
    .changes = { NOTE (0x220, "Cra", 1, 20) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  /* Of packages in a library (-buildmode=shared).  */
  { "eviction_stops_at_other_notes_of_go",
    .changes = { NOTE (0x220, "Go\0", 2, 20) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  { "eviction_spares_notes_with_symbols",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0build_id\0"),
                 WORD32 (SYMTAB + 24, 1) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  /* The unused symbol that glibc puts on the ABI tag may be passed over only
     if that is its name.  */
  { "eviction_spares_symbols_with_endless_names",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__abi_tag"),
                 WORD32 (SYMTAB + 24, 1), BYTES (STRTAB + 0x1f, "x") },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  { "eviction_spares_notes_with_symbols_at_their_ends",
    .changes = { SYMBOL (1, ".note.gnu.build-id", STT_NOTYPE, 0x244),
                 BYTES (STRTAB, "\0id_end\0"), WORD32 (SYMTAB + 24, 1) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  { "eviction_spares_symbols_named_like_the_abi_tags",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__abi_tags\0"),
                 WORD32 (SYMTAB + 24, 1) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  /* Symbols without known names keep what they point to.  */
  { "eviction_survives_symbols_without_strings",
    .changes = { BUILD_ID_SYMBOL, SET_SECTION (S_SYMTAB, sh_link, 0x10000) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  /* One index behind the last header, as a hostile file may have it.  */
  { "eviction_survives_strings_behind_the_last_section",
    .changes = { BUILD_ID_SYMBOL, SET_SECTION (S_SYMTAB, sh_link, 14) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  /* The second is longer than its section.  */
  { "eviction_reads_every_note",
    .changes = { NOTE (0x220, "GNU", NT_GNU_BUILD_ID, 0),
                 NOTE (0x230, "GNU", NT_GNU_BUILD_ID, 4), WORD32 (0x234, 8) },
    NO_ROOM_BEFORE (".note.gnu.build-id") },
  { "eviction_spares_an_interpreter_nobody_starts",
    .changes = { SET_SEGMENT (P_INTERP, p_type, PT_LOOS + 1) },
    NO_ROOM_BEFORE (".interp") },
  { "eviction_spares_an_interpreter_of_another_size",
    .changes = { SET_SECTION (S_INTERP, sh_size, 0x10) },
    NO_ROOM_BEFORE (".interp") },
  { "eviction_spares_what_begins_in_the_table",
    .changes = { SET_SEGMENT (P_INTERP, p_offset, 0x1f8),
                 SET_SEGMENT (P_INTERP, p_vaddr, 0x1f8) },
    NO_ROOM_BEFORE ("overlap at file offset 0x1f8") },
  { "eviction_spares_what_no_power_of_two_aligns",
    .changes = { SET_SECTION (S_INTERP, sh_addralign, 24) },
    NO_ROOM_BEFORE ("cannot keep its alignment") },
  { "eviction_spares_what_pages_do_not_align",
    .changes = { SET_SECTION (S_INTERP, sh_addralign, 8192) },
    NO_ROOM_BEFORE ("cannot keep its alignment") },
  { "eviction_spares_what_its_segment_does_not_end",
    .changes = { SET_SEGMENT (P_NOTE, p_filesz, 0x400),
                 SET_SEGMENT (P_NOTE, p_memsz, 0x400) },
    NO_ROOM_BEFORE ("over the end of its segment") },
  /* An empty section marks a place that code may ask for.  */
  { "eviction_spares_what_empty_sections_mark",
    .changes = { SECTION (".mark", SHT_PROGBITS, SHF_ALLOC, 0x200, 0) },
    NO_ROOM_BEFORE (".mark") },
  /* Readers of memory go by the address, readers of the file by the offset.
     Where these are not of the same bytes, only one of the two could follow.
   */
  { "eviction_spares_the_address_of_a_note_that_is_elsewhere_in_the_file",
    .changes = { SET_SEGMENT (P_STACK, p_type, PT_NOTE),
                 SET_SEGMENT (P_STACK, p_offset, 0x400),
                 SET_SEGMENT (P_STACK, p_vaddr, 0x220),
                 SET_SEGMENT (P_STACK, p_filesz, 0x24) },
    NO_ROOM_BEFORE ("do not agree") },
  { "eviction_spares_a_note_at_another_address",
    .changes = { SET_SEGMENT (P_NOTE, p_vaddr, 0x400) },
    NO_ROOM_BEFORE ("do not agree") },
  { "eviction_spares_the_address_of_a_section_that_is_elsewhere_in_the_file",
    .changes = { SECTION (".note.own", SHT_NOTE, SHF_ALLOC, 0x400, 0x24),
                 SET_SECTION (S_STRTAB + 1, sh_addr, 0x220) },
    NO_ROOM_BEFORE ("do not agree") },

  /* Nobody owns the hole between .interp and the note.  */
  { "unknown_bytes_behind_the_table_stay",
    .changes = { BYTES (0x21e, "\x77") }, NO_ROOM_BEFORE ("unknown data") },

  { "amd64_code_may_know_evicted_bytes",
    .changes = { BYTES (0x1010, "\x48\x8d\x05\x1d\xf2\xff\xff") /* lea */ },
    REFERENCED },
  /* cmpl $0x55555555, 0x220(%rip) at 0x1010, which ends at 0x101a; without the
     operand it would be 0x21c, where nothing is.  */
  { "amd64_immediate_operands_count",
    .changes = { BYTES (0x1010, "\x81\x3d\x06\xf2\xff\xff\x55\x55\x55\x55") },
    REFERENCED },
  /* movabs $0x234 - 0x2080, %rax, with the table at 0x2080 */
  { "amd64_large_model_code_may_know_evicted_bytes",
    .changes = { DYNAMIC (DT_PLTGOT, 0x2080),
                 BYTES (0x1010, "\x48\xb8\xb4\xe1\xff\xff\xff\xff\xff\xff") },
    REFERENCED },
  { "aarch64_code_may_know_evicted_bytes", make_aarch64,
    .changes = { WORD32 (0x1010, 0xf0ffffe0) /* adrp x0, 0 */,
                 WORD32 (0x1018, 0x9108d001) /* add x1, x0, 0x234 */ },
    REFERENCED },
  { "aarch64_code_may_know_evicted_bytes_nearby", make_aarch64,
    .changes = { WORD32 (0x1010, 0x10ff9120) /* adr x0, 0x234 */ },
    REFERENCED },
  { "aarch64_literals_may_be_evicted_bytes", make_aarch64,
    .changes = { WORD32 (0x1010, 0x58ff9120) /* ldr x0, 0x234 */ },
    REFERENCED },
  { "aarch64_loads_count_in_their_units", make_aarch64,
    .changes = { WORD32 (0x1010, 0xf0ffffe0) /* adrp x0, 0 */,
                 WORD32 (0x1014, 0xf9411801) /* ldr x1, [x0, 0x230] */ },
    REFERENCED },
  { "aarch64_page_alone_may_be_anything", make_aarch64,
    .changes = { WORD32 (0x1010, 0xf0ffffe0) /* adrp x0, 0 */ }, REFERENCED },
  { "s390x_code_may_know_evicted_bytes", make_s390x,
    .changes = { BYTES (0x1010, "\xc0\x10\xff\xff\xf9\x12") /* larl %r1 */ },
    REFERENCED },
  { "relocations_may_know_evicted_bytes",
    .changes
    = { DYNAMIC (DT_RELA, 0x400), DYNAMIC (DT_RELASZ, 24),
        WORD64 (0x400, 0x2090), WORD64 (0x408, 8) /* R_X86_64_RELATIVE */,
        WORD64 (0x410, 0x234) },
    REFERENCED },
  /* What a relocation writes to is used, whatever is written there.  */
  { "thread_local_offsets_may_be_written_to_evicted_bytes",
    .changes
    = { DYNAMIC (DT_RELA, 0x400), DYNAMIC (DT_RELASZ, 24),
        WORD64 (0x400, 0x234), WORD64 (0x408, 18) /* R_X86_64_TPOFF64 */ },
    REFERENCED },
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
    .changes = { WORD32 (0x204, 0x1000) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "note_with_an_endless_name_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x200, 0x1000) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "note_without_a_name_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x200, 0) }, NO_ROOM_BEFORE (".note.qt.metadata") },
  /* One header cannot say both.  */
  { "notes_with_unlike_flags_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_flags, PF_R | PF_X) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "notes_at_unlike_addresses_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_vaddr, 0x220),
                 SET_SEGMENT (P_NOTE, p_paddr, 0x220) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "notes_at_unlike_physical_addresses_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_paddr, 0x220) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "notes_larger_in_memory_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_memsz, 36 + 8) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "notes_of_an_alignment_without_padding_keep_their_headers",
    make_long_plugin, .changes = { SET_SEGMENT (P_NOTE, p_align, 2) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "notes_of_unlike_types_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_type, PT_LOPROC + 1) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "notes_apart_keep_their_headers", make_long_plugin,
    .changes = { SET_SEGMENT (P_NOTE, p_offset, 0x220),
                 SET_SEGMENT (P_NOTE, p_vaddr, 0x220) },
    NO_ROOM_BEFORE (".note.qt.metadata") },
  { "static_pies_keep_pt_phdr", make_library,
    .changes = { SET (elf.header.e_entry, 0x1000) },
    NO_ROOM_BEFORE (".interp") },
  { "named_pies_keep_pt_phdr", make_library,
    .changes = { DYNAMIC (DT_FLAGS_1, 0x08000000 /* DF_1_PIE */) },
    NO_ROOM_BEFORE (".interp") },
  { "other_notes_in_front_stay", make_crash_reporter,
    .changes = { WORD32 (0x21c + 8, 77) }, NO_ROOM_BEFORE ("cannot move") },
  /* Bytes that no header names may be in use: notes do not go there.  */
  { "unknown_bytes_behind_other_notes_stay", make_crash_reporter,
    .changes = { BYTES (0x258, "\1") },
    NO_ROOM_BEFORE (".note.crashpad.info") },
  /* Readers that align notes in the file, as Go's, not from the header's
     offset on.  */
  { "notes_of_one_header_begin_where_its_alignment_says", make_crash_reporter,
    .changes = { SET_SEGMENT (P_NOTE, p_align, 8) },
    NO_ROOM_BEFORE ("cannot move") },
  { "loaders_keep_pt_phdr", make_loader,
    .changes = { NO_SEGMENT (P_STACK), NOTE (0x200, "Own", 7, 12),
                 SET_SEGMENT (P_NOTE, p_flags, PF_R | PF_X) },
    NO_ROOM_BEFORE (".note.ABI-tag") },
  /* A walk by 8 does not come behind them, so nothing that glibc wants may go
     there; not an ABI tag, which nobody looks for.  */
  { "notes_go_nowhere_where_readers_miss_them", make_mold_program,
    .changes = { WORD32 (0x248, NT_GNU_PROPERTY_TYPE_0) },
    NO_ROOM_BEFORE ("cannot move") },

  { "data_with_a_huge_bss_does_not_grow", make_data_with_a_huge_bss,
    NO_ROOM_BEFORE (".note.qt.metadata") },
  /* Readers of the file and of memory could not both be served.  */
  { "a_note_at_another_address_keeps_a_program_from_growing_down",
    .changes = { RELOCATE (0x400000), INTERP_STAYS,
                 SET_SEGMENT (P_NOTE, p_vaddr, 0x400400) },
    NO_ROOM_BEFORE (".interp") },
  { "grows_down_only_above_lowest_address",
    .changes = { RELOCATE (0x10000), INTERP_STAYS },
    NO_ROOM_BEFORE ("no room") },
  { "the_table_stays_where_it_is", .changes = { INTERP_STAYS },
    NO_ROOM_BEFORE ("no room for program headers") },

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

/* ---- Files that are refused before they are converted.  */

static void
make_kernel_section (struct fixture *test)
{
  test->elf.names[S_RODATA] = "__ksymtab";
}

static void
make_no_loaded_bytes (struct fixture *test)
{
  for (size_t i = 0; i < test->elf.n_segments; i++)
    test->elf.segments[i].p_filesz = 0;
}

/* The header of .shstrtab, in the encoded file.  */
static uint8_t *
names_header (struct fixture *test)
{
  return test->elf.bytes + test->elf.header.e_shoff
         + (test->elf.n_sections - 1) * 64;
}

static void
load_section_names (struct fixture *test)
{
  store_u64 (names_header (test) + 8, SHF_ALLOC, false);
}

static void
empty_section_names (struct fixture *test)
{
  uint8_t *names = names_header (test);
  store_u32 (names + 4, SHT_NOBITS, false);
  store_u64 (names + 32, 0x7fffffff, false);
}

static void
append (struct fixture *test, const char *bytes, size_t size)
{
  put (test, test->elf.size, bytes, size);
  test->elf.size += size;
}

static void
append_archive (struct fixture *test)
{
  append (test, "PK\003\004", 4);
}

/* PT_GNU_RELRO says that the archive is its own.  */
static void
append_archive_of_relro (struct fixture *test)
{
  store_u64 (test->elf.bytes + 64 + P_STACK * 56 + 8, test->elf.size - 0x2fc,
             false);
  append_archive (test);
}

static void
append_file_system (struct fixture *test)
{
  append (test, "hsqs", 4);
}

static void
append_signature (struct fixture *test)
{
  static const char tail[] = "signature~Module signature appended~\n";
  append (test, tail, sizeof tail - 1);
}

static void
append_empty_signature (struct fixture *test)
{
  static const char tail[] = "~Module signature appended~\n";
  append (test, tail, sizeof tail - 1);
}

/* As an exporter of games does: the last bytes of the file are those of the
   section that was added.  */
static void
append_to_section (struct fixture *test)
{
  uint8_t *header = test->elf.bytes + test->elf.header.e_shoff
                    + (test->elf.n_sections - 2) * 64;
  store_u64 (header + 24, test->elf.size, false);
  store_u64 (header + 32, 16, false);
  append (test, "level one\n\0\2PACK", 16);
}

/* A program header alone says who owns the last bytes.  */
static void
append_to_segment (struct fixture *test)
{
  uint8_t *header = test->elf.bytes + 64 + P_STACK * 56;
  store_u32 (header, PT_LOOS + 1, false);
  store_u64 (header + 8, test->elf.size, false);
  store_u64 (header + 16, 0x7000000, false);
  store_u64 (header + 32, 4, false);
  append_archive (test);
}

/* One header more, in front: e_phnum and e_shentsize are its type.  */
static void
begin_program_headers_in_the_elf_header (struct fixture *test)
{
  uint8_t *bytes = test->elf.bytes;
  memmove (bytes + 112, bytes + 64, 8 * 56);
  memset (bytes + 64, 0, 48);
  store_u64 (bytes + 32, 56, false);
  store_u16 (bytes + 56, 9, false);
}

/* The table's size is counted, whatever is in it: 1170 entries are what Linux
   accepts.  */
static void
count_many_headers (struct fixture *test)
{
  store_u16 (test->elf.bytes + 56, 1169, false);
  test->elf.size = ELF_FILE_MAX;
}

static void
make_endless_dynamic_table (struct fixture *test)
{
  Elf64_Phdr *dynamic = &test->elf.segments[P_DYNAMIC];
  dynamic->p_offset = 0x3000;
  dynamic->p_filesz = dynamic->p_memsz = 65 * 16;
  for (uint64_t i = 0; i < 65; i++)
    store_u64 (test->elf.bytes + 0x3000 + i * 16, DT_HASH, false);
  test->elf.size = 0x3000 + 65 * 16;
}

/* A section behind the loaded bytes, with others behind it, and the same at
   the file's end.  */
#define PAYLOAD(called, section, type, flags)                       \
  { .name = called,                                                 \
    .changes = { SECTION (section, type, flags, 0x2200, 16),        \
                 BYTES (0x2200, "\21\0\0\0\0\0\0\0\0\0\0\0PACK") }, \
    .status = CFI2SFRAME_REFUSED,                                   \
    .reason = "section " section " is not" },                       \
  {                                                                 \
    .name = called "_at_the_end",                                   \
    .changes = { SECTION (section, type, flags, 0x2200, 16) },      \
    .finish = append_to_section, .status = CFI2SFRAME_REFUSED,      \
    .reason = "section " section " is not"                          \
  }

static const struct layout_case unfit[] = {
  PAYLOAD ("a_section_may_have_a_payload", "pck", SHT_PROGBITS, 0),
  PAYLOAD ("a_section_that_should_be_loaded_may_have_a_payload", "pck",
           SHT_PROGBITS, SHF_ALLOC),
  PAYLOAD ("a_section_of_strings_may_have_a_payload", "pck", SHT_PROGBITS,
           SHF_MERGE | SHF_STRINGS),
  PAYLOAD ("a_comment_may_have_a_payload", ".comment", SHT_PROGBITS, 0),
  PAYLOAD ("debugging_of_no_known_kind_may_be_a_payload", ".debug_pack",
           SHT_PROGBITS, 0),
  PAYLOAD ("notes_that_are_none_may_be_a_payload", ".note.pck", SHT_NOTE, 0),
  PAYLOAD ("names_of_nothing_may_be_a_payload", ".strings", SHT_STRTAB, 0),
  PAYLOAD ("symbols_of_no_size_may_be_a_payload", ".symbols", SHT_SYMTAB, 0),
  PAYLOAD ("relocations_of_no_size_may_be_a_payload", ".rela.pck", SHT_RELA,
           0),
  PAYLOAD ("attributes_of_no_version_may_be_a_payload", ".gnu.attributes",
           SHT_GNU_ATTRIBUTES, 0),
  PAYLOAD ("an_unknown_type_may_be_a_payload", ".debug_info", SHT_LOUSER, 0),
  { "a_segment_that_is_not_loaded_may_have_a_payload",
    .finish = append_to_segment, APPENDED },
  { "a_section_of_a_segment_that_is_not_loaded_may_have_a_payload",
    .changes = { SECTION ("pck", SHT_PROGBITS, 0, 0x2200, 16),
                 SET_SEGMENT (P_STACK, p_type, PT_LOOS + 1),
                 SET_SEGMENT (P_STACK, p_offset, 0x2200),
                 SET_SEGMENT (P_STACK, p_vaddr, 0x7000000),
                 SET_SEGMENT (P_STACK, p_filesz, 16) },
    .status = CFI2SFRAME_REFUSED, .reason = "section pck is not" },
  { "a_section_in_front_of_a_segment_may_have_a_payload",
    .changes = { SECTION ("pck", SHT_PROGBITS, 0, 0xff8, 16) },
    .status = CFI2SFRAME_REFUSED, .reason = "section pck is not" },

  { "refuses_files_without_section_headers",
    .changes = { SET (elf.n_sections, 0) }, .status = CFI2SFRAME_REFUSED,
    .reason = "no section headers" },
  { "refuses_relocatable_objects",
    .changes = { SET (elf.header.e_type, ET_REL) },
    .status = CFI2SFRAME_UNSUPPORTED, .reason = "unknown ELF type 1" },
  { "refuses_core_files", .changes = { SET (elf.header.e_type, ET_CORE) },
    .status = CFI2SFRAME_UNSUPPORTED, .reason = "unknown ELF type 4" },
  { "refuses_machines_without_sframe",
    .changes = { SET (elf.header.e_machine, EM_RISCV) },
    .status = CFI2SFRAME_UNSUPPORTED, .reason = "machine 243" },
  { "skips_debug_files",
    .changes = { SET_SECTION (S_TEXT, sh_type, SHT_NOBITS) },
    .status = CFI2SFRAME_NOTHING, .reason = "debug file" },
  { "skips_files_without_loaded_bytes", make_no_loaded_bytes,
    .status = CFI2SFRAME_NOTHING, .reason = "debug file" },
  { "refuses_headers_that_overlap_a_section",
    .changes = { SECTION (".mark", SHT_PROGBITS, SHF_ALLOC, 0x1ff, 1) },
    .status = CFI2SFRAME_REFUSED, .reason = "headers overlap .mark" },
  { "refuses_files_without_program_headers",
    .changes = { SET (elf.n_segments, 0) }, .status = CFI2SFRAME_REFUSED,
    .reason = "no loadable segment" },
  { "refuses_section_names_that_are_loaded", .finish = load_section_names,
    .status = CFI2SFRAME_REFUSED, .reason = "is loaded with the program" },
  { "refuses_kernels_by_address", .changes = { RELOCATE (0xffffffff81000000) },
    .status = CFI2SFRAME_REFUSED, .reason = "kernel" },
  { "refuses_kernels_that_xen_enters",
    .changes = { NOTE (0x220, "Xen", 1, 8) }, .status = CFI2SFRAME_REFUSED,
    .reason = "kernel" },
  { "refuses_kernels_that_xen_enters_by_pvh",
    .changes = { NOTE (0x220, "Xen", 18, 8) }, .status = CFI2SFRAME_REFUSED,
    .reason = "kernel" },
  { "refuses_kernels_of_multiboot",
    .changes = { NO_SEGMENT (P_INTERP), WORD32 (0x1010, 0x1badb002),
                 WORD32 (0x1014, 2), WORD32 (0x1018, -0x1badb004) },
    .status = CFI2SFRAME_REFUSED, .reason = "kernel" },
  /* Behind the first 8 KiB, and with a word more.  */
  { "refuses_kernels_of_multiboot_2",
    .changes
    = { NO_SEGMENT (P_INTERP), WORD32 (0x2140, 0xe85250d6), WORD32 (0x2144, 4),
        WORD32 (0x2148, 24), WORD32 (0x214c, -(0xe85250d6 + 4 + 24)) },
    .status = CFI2SFRAME_REFUSED, .reason = "kernel" },
  { "refuses_kernels_by_section", make_kernel_section,
    .status = CFI2SFRAME_REFUSED, .reason = "kernel" },
  { "refuses_prelinked_files",
    .changes = { SECTION (".gnu.prelink_undo", SHT_PROGBITS, 0, 0x2200, 16) },
    .status = CFI2SFRAME_REFUSED, .reason = "prelinked" },
  { "refuses_appended_payloads", .finish = append_archive,
    .status = CFI2SFRAME_REFUSED, .reason = "4 bytes of unknown data" },
  { "refuses_payloads_that_relro_claims", make_relro_at_offset_0,
    .finish = append_archive_of_relro, APPENDED },
  { "refuses_signed_modules", .finish = append_signature,
    .status = CFI2SFRAME_REFUSED, .reason = "signed" },
  { "refuses_modules_with_an_empty_signature",
    .finish = append_empty_signature, .status = CFI2SFRAME_REFUSED,
    .reason = "signed" },
  { "refuses_appimages",
    .changes
    = { SET (elf.header.e_ident[8], 'A'), SET (elf.header.e_ident[9], 'I'),
        SET (elf.header.e_ident[10], 2) },
    .finish = append_file_system, .status = CFI2SFRAME_REFUSED,
    .reason = "AppImage" },
  { "refuses_program_headers_in_the_elf_header",
    .finish = begin_program_headers_in_the_elf_header,
    .status = CFI2SFRAME_REFUSED, .reason = "ELF header" },
  { "refuses_too_many_headers",
    .changes = { SET (elf.header.e_phoff, 0x2800) },
    .finish = count_many_headers, .status = CFI2SFRAME_REFUSED,
    .reason = "too many program headers" },
  /* Found by changing headers at random: its size is then anything.  */
  { "refuses_section_names_without_bytes", .finish = empty_section_names,
    .status = CFI2SFRAME_MALFORMED, .reason = "" },
  { "refuses_endless_dynamic_tables", make_endless_dynamic_table,
    .status = CFI2SFRAME_MALFORMED, .reason = "too many dynamic entries" },
  { "refuses_incongruent_segments",
    .changes = { SET_SEGMENT (P_DATA, p_vaddr, 0x2008) },
    .status = CFI2SFRAME_REFUSED, .reason = "do not agree" },
};

TEST_ROWS (unfit, struct fixture *test, set_up, tear_down, is_unfit)
{
  make_file (test);
  assert_false (refusals_check (&test->image, &test->err));
  check_reason (test);
  assert_false (plan (test));
  check_reason (test);
}

/* ---- Code that refers to bytes which would move.  */

/* The segment or code that was just changed refers to the build-id; WHAT and N
   say where.  */
static void
check_referenced (struct fixture *test, const char *what, uint64_t n)
{
  struct plan_request request = test->request;
  request.strategy = "evict";
  open_old (test);
  if (choose_strategy (&test->plan, &test->image, &request, &test->err)
      || strstr (test->err.reason, "code or data may refer to") == NULL)
    fail_msg ("%s, %#llx: %s", what, (unsigned long long)n, test->err.reason);
  close_old (test);
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

FIXTURE_TEST (amd64_code_anywhere_may_know_evicted_bytes)
{
  const struct elf_builder original = test->elf;
  check_code_at (test, 0x1030);
  test->elf = original;
  check_code_at (test, 0x1080);
}

/* An operand [rip + displacement] that is 0x234, with every opcode map; the
   opcodes themselves take no operand in the first map.  */
FIXTURE_TEST (every_opcode_map_may_know_evicted_bytes)
{
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
  for (size_t i = 0; i < N_OF (file->sections); i++)
    file->sections[i].name = "";
  struct image *image = &file->image;
  *image = (struct image){ .fd = -1,
                           .bytes = file->bytes,
                           .size = sizeof file->bytes,
                           .sections = file->sections,
                           .n_sections = 3 };
  image->header.e_machine = machine;
  image->header.e_type = ET_DYN;
  image->big_endian = machine == EM_S390;
  file->sections[1].header
      = (GElf_Shdr){ .sh_type = SHT_PROGBITS,
                     .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                     .sh_addr = CODE_ADDRESS,
                     .sh_offset = CODE_FRONT,
                     .sh_size = size };
  /* As in a debug file, which does not have the code.  */
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
TEST (every_relative_field_of_amd64_is_found)
{
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

/* A program's fields may be addresses, too.  Blocks are tested for both kinds
   at once, by bytes that depend on where range and block begin.  */
TEST (either_kind_of_field_of_amd64_is_found)
{
  static struct code_file file;
  uint8_t *code = file.bytes + CODE_FRONT;
  GElf_Phdr load = { .p_type = PT_LOAD,
                     .p_offset = CODE_FRONT,
                     .p_vaddr = CODE_ADDRESS,
                     .p_filesz = 600 };
  code_file_init (&file, EM_X86_64, 600);
  file.image.segments = &load;
  file.image.n_segments = 1;
  file.image.header.e_phoff = CODE_FRONT - (uint64_t)sizeof (Elf64_Phdr);
  file.image.header.e_type = ET_EXEC;
  memset (file.bytes, 0x90, sizeof file.bytes);
  for (uint32_t begin = RANGE; begin < RANGE + 256; begin++)
    for (uint32_t at = 2; at <= 596; at += 3)
      for (uint32_t step = 0; step < RANGE_SIZE; step += RANGE_SIZE - 1)
        {
          uint32_t target = begin + step;
          /* mov 0(%rip), %eax: the first of up to four targets.  */
          code[at - 2] = 0x8b;
          code[at - 1] = 5;
          store_u32 (code + at, target - (CODE_ADDRESS + at + 4), false);
          references_find (&file.found, &file.image, begin,
                           begin + RANGE_SIZE);
          assert_true (references_meet (&file.found, target, target + 1));
          /* mov $TARGET, %eax.  */
          code[at - 1] = 0xb8;
          store_u32 (code + at, target, false);
          references_find (&file.found, &file.image, begin,
                           begin + RANGE_SIZE);
          assert_true (references_meet (&file.found, target, target + 1));
          memset (code + at - 2, 0x90, 6);
        }
}

static void
set_words (struct code_file *file, const uint32_t *words, size_t n)
{
  for (size_t i = 0; i < n; i++)
    store_u32 (file->bytes + CODE_FRONT + 4 * i, words[i], false);
}

TEST (what_adrp_leads_to_is_found)
{
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
  /* ldr x0, [x2, 16] is about another register, and sub x0, x1, 8
     does not add: it may be anything in the page.  */
  set_words (&file, (const uint32_t[]){ ADRP, NOP, NOP, 0xf9400840 }, 4);
  expect_targets (&file, NULL, 0, true);
  set_words (&file, (const uint32_t[]){ ADRP, NOP, NOP, 0xd1002020 }, 4);
  expect_targets (&file, NULL, 0, true);
}

/* What follows an ADRP, and what that may refer to: addresses from RANGE on, a
   page, or both.  */
struct adrp_row
{
  const char *name;
  uint32_t words[8];
  uint64_t targets[3];
  bool unknown;
};

enum
{
  ADRP_X1 = 0xb0000001, /* adrp x1, the page of RANGE */
  ADRP_X19 = 0xb0000013,
  ADD_8 = 0x91002020,      /* add x0, x1, 8 */
  ADD_SELF_8 = 0x91002021, /* add x1, x1, 8 */
  ADD_24 = 0x91006023,     /* add x3, x1, 24 */
  BR_X3 = 0xd61f0060,
  RET = 0xd65f03c0
};

static const struct adrp_row adrp_rows[] = {
  { "adrp_b_add",
    { ADRP_X1, 0x14000003, ADD_24, RET, ADD_SELF_8, RET },
    { 8 },
    false },
  { "adrp_b_back_add",
    { ADD_SELF_8, RET, ADRP_X1, 0x17fffffd, ADD_24 },
    { 8 },
    false },
  { "adrp_of_other_code_behind_jump",
    { ADRP_X1, 0x14000005, ADD_SELF_8, RET },
    { 0 },
    true },
  { "adrp_used_on_both_sides_of_a_branch",
    { ADRP_X1, ADD_8, 0x54000060, 0xd28000a1, RET, ADD_24, RET },
    { 8, 24 },
    false },
  { "adrp_cbz_tbz",
    { ADRP_X1, 0xb4000062, 0x36180042, ADD_SELF_8, ADD_24, RET },
    { 8, 24 },
    false },
  { "adrp_used_before_and_behind_a_jump",
    { ADRP_X1, ADD_8, 0x14000003, 0, 0, ADD_24, RET },
    { 8, 24 },
    false },
  { "adrp_loop", { ADRP_X1, ADD_8, 0xb5ffffe2, RET }, { 8 }, false },
  { "adrp_page_compared", { ADRP_X1, 0xb4000041, ADD_8, RET }, { 8 }, true },
  { "adrp_page_copied", { ADRP_X1, 0xaa0103e2, ADD_8, RET }, { 0 }, true },
  { "adrp_page_kept_in_the_stack",
    { ADRP_X1, 0xf9000be1, ADD_8, RET },
    { 0 },
    true },
  { "adrp_page_stored", { ADRP_X1, 0xf8210062, ADD_8 }, { 0 }, true },
  { "adrp_page_in_a_float", { ADRP_X1, 0x9e670020, ADD_8 }, { 0 }, true },
  { "adrp_page_and_a_register",
    { ADRP_X1, 0xf8636822, ADD_8, RET },
    { 0 },
    true },
  { "adrp_pair", { ADRP_X1, 0xa9410c22, ADD_8, RET }, { 0 }, true },
  { "adrp_movk", { ADRP_X1, ADD_8, 0xf28000a1, RET }, { 8 }, true },
  { "adrp_switch", { ADRP_X1, ADD_8, BR_X3 }, { 8 }, true },
  { "adrp_self_switch", { ADRP_X1, ADD_SELF_8, BR_X3 }, { 8 }, false },
  { "adrp_returned", { ADRP_X1, RET, ADD_8 }, { 0 }, true },
  { "adrp_over_a_call",
    { ADRP_X19, 0xf9400660, 0xd63f0060, 0xf9400a60, RET },
    { 8, 16 },
    false },
  { "adrp_lost_in_a_call", { ADRP_X1, 0xd63f0060, ADD_8, RET }, { 0 }, true },
  { "adrp_used_before_a_call",
    { ADRP_X1, ADD_8, 0x94000004, ADD_24, RET },
    { 8 },
    false },
  { "adrp_overwritten_by_a_load",
    { ADRP_X1, ADD_8, 0xf8408441, ADD_24, RET },
    { 8 },
    false },
  { "adrp_overwritten_by_a_pair",
    { ADRP_X1, ADD_8, 0xa8c10be1, ADD_24, RET },
    { 8 },
    false },
  { "adrp_overwritten_by_a_move",
    { ADRP_X1, ADD_8, 0xaa0203e1, ADD_24, RET },
    { 8 },
    false },
  { "adrp_overwritten_from_a_float",
    { ADRP_X1, ADD_8, 0x1e260021, ADD_24, RET },
    { 8 },
    false },
  { "adrp_of_other_registers",
    { ADRP_X1, 0xdac00062, 0xfd400041, 0xfa410881, 0xf9800041, ADD_8, RET },
    { 8 },
    false },
};

TEST_ROWS (adrp_rows, const struct adrp_row *row, NULL, NULL,
           an_adrp_is_followed)
{
  static struct code_file file;
  size_t n = 0;
  uint64_t targets[N_OF (row->targets)];
  for (; n < N_OF (targets) && row->targets[n] > 0; n++)
    targets[n] = RANGE + row->targets[n];
  code_file_init (&file, EM_AARCH64, sizeof row->words);
  set_words (&file, row->words, N_OF (row->words));
  if (row->unknown)
    {
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      assert_true (references_meet (&file.found, RANGE + 32, RANGE + 33));
    }
  else
    expect_targets (&file, targets, n, false);
}

/* Following takes a bounded time, whatever the branches: what is not come to
   may refer to anything in the page.  */
TEST (an_adrp_with_many_ways_from_it_is_unknown)
{
  static struct code_file file;
  uint32_t words[CODE_MAX / 4] = { ADRP_X1, ADD_8 };
  for (size_t i = 2; i < N_OF (words); i++)
    words[i] = i < 100 ? 0xb4000002 | 100 << 5 /* cbz x2, .+400 */ : RET;
  code_file_init (&file, EM_AARCH64, sizeof words);
  set_words (&file, words, N_OF (words));
  references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
  assert_true (file.found.unknown);
  for (size_t i = 12; i < N_OF (words); i++)
    words[i] = 0xd503201f; /* nop */
  set_words (&file, words, N_OF (words));
  references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
  assert_true (file.found.unknown);
}

TEST (every_relative_long_format_of_s390x_is_found)
{
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

/* A file whose bytes from DATA on are loaded, and are those of a section.  */
enum
{
  DATA = 64, /* offset, behind the program header */
  DATA_ADDRESS = 0x400000,
  DATA_SIZE = 600
};

static void
data_file_init (struct code_file *file, uint16_t machine, uint16_t type,
                GElf_Phdr *load)
{
  code_file_init (file, machine, 0);
  *load = (GElf_Phdr){ .p_type = PT_LOAD,
                       .p_offset = DATA,
                       .p_vaddr = DATA_ADDRESS,
                       .p_filesz = DATA_SIZE };
  file->image.header.e_type = type;
  file->image.segments = load;
  file->image.n_segments = 1;
  file->image.n_sections = 2;
  file->sections[1].name = ".rodata";
  file->sections[1].header = (GElf_Shdr){ .sh_type = SHT_PROGBITS,
                                          .sh_flags = SHF_ALLOC,
                                          .sh_addr = DATA_ADDRESS,
                                          .sh_offset = DATA,
                                          .sh_size = DATA_SIZE };
}

/* Whether the SIZE bytes of VALUE, AT bytes into the data, lead to TARGET if
   that is in the range, and otherwise nowhere.  A big-endian distance of 64
   bits has one of 32 bits from 4 bytes behind.  */
static void
expect_field (struct code_file *file, unsigned at, unsigned size,
              uint64_t value, uint64_t begin, uint64_t target)
{
  bool big_endian = file->image.big_endian;
  uint8_t *field = file->bytes + DATA + at;
  if (size == 4)
    store_u32 (field, (uint32_t)value, big_endian);
  else
    store_u64 (field, value, big_endian);
  bool leads = target >= begin && target < begin + RANGE_SIZE;
  references_find (&file->found, &file->image, begin, begin + RANGE_SIZE);
  bool found = references_meet (&file->found, target, target + 1);
  bool only = file->found.n_targets == leads || big_endian;
  if (found != leads || !only || file->found.unknown)
    fail_msg ("%u bytes at %u, target %#llx: %zu", size, at,
              (unsigned long long)target, file->found.n_targets);
  memset (field, 0, size);
}

/* At every byte of two blocks and their ends, in either byte order, below
   4 GiB, above, and around it, where the lower halves begin anew.  */
TEST (every_address_in_data_is_found)
{
  static const uint16_t machines[] = { EM_X86_64, EM_S390 };
  static const uint64_t begins[]
      = { RANGE, UINT64_C (0xffffffe0), UINT64_C (0x1fffffe0) << 8 };
  static const int64_t steps[] = { -1, 0, RANGE_SIZE - 1, RANGE_SIZE };
  static struct code_file file;
  GElf_Phdr load;
  for (unsigned i = 0; i < 2 * 3 * 4; i++)
    {
      uint64_t begin = begins[i / 4 % 3];
      uint64_t target = begin + (uint64_t)steps[i % 4];
      data_file_init (&file, machines[i / 12], ET_EXEC, &load);
      for (unsigned at = 0; at + 8 <= DATA_SIZE; at++)
        expect_field (&file, at, 8, target, begin, target);
      for (unsigned at = 0; begin == RANGE && at + 4 <= DATA_SIZE; at++)
        expect_field (&file, at, 4, target, begin, target);
    }
}

/* The same of distances from where they stand.  */
TEST (every_distance_in_data_is_found)
{
  static const uint16_t machines[] = { EM_X86_64, EM_S390, EM_AARCH64 };
  static const uint64_t begins[] = { RANGE, DATA_ADDRESS + 0x123456 };
  static const int64_t steps[] = { -1, 0, RANGE_SIZE - 1, RANGE_SIZE };
  static struct code_file file;
  GElf_Phdr load;
  for (unsigned i = 0; i < 3 * 2 * 4; i++)
    {
      uint64_t begin = begins[i / 4 % 2];
      uint64_t target = begin + (uint64_t)steps[i % 4];
      data_file_init (&file, machines[i / 8], ET_DYN, &load);
      for (unsigned size = 4; size <= 8; size += 4)
        for (unsigned at = 0; at + size <= DATA_SIZE; at++)
          expect_field (&file, at, size, target - (DATA_ADDRESS + at), begin,
                        target);
    }
}

/* Where fields are not what leads anywhere: CFI, and what may move itself.  In
   code, chance fields are too many.  */
TEST (what_looks_like_a_field_counts_where_it_may_be_one)
{
  static const struct
  {
    const char *name;
    uint32_t type;
    uint64_t flags;
    unsigned at;
    uint64_t target;
    bool address, distance;
  } rows[] = {
    { ".data", SHT_PROGBITS, SHF_ALLOC, 7, RANGE + 5, true, true },
    { ".eh_frame", SHT_PROGBITS, SHF_ALLOC, 8, RANGE, false, false },
    { ".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 8, RANGE, false, false },
    { ".note", SHT_NOTE, SHF_ALLOC, 8, RANGE, false, false },
    { ".text", SHT_PROGBITS, SHF_EXECINSTR, 8, RANGE, true, false },
    { ".text", SHT_PROGBITS, SHF_EXECINSTR, 9, RANGE + 4, true, false },
  };
  static struct code_file file;
  GElf_Phdr load;
  for (size_t i = 0; i < 4 * N_OF (rows); i++)
    {
      const uint64_t target = rows[i / 4].target;
      bool absolute = i % 2 == 1;
      unsigned at = rows[i / 4].at;
      data_file_init (&file, EM_X86_64, absolute ? ET_EXEC : ET_DYN, &load);
      /* A segment of code alone is searched as code only.  */
      load.p_flags = i / 2 % 2 == 1 ? PF_R | PF_X : PF_R;
      file.image.n_sections = 3;
      file.sections[1].name = rows[i / 4].name;
      file.sections[1].header.sh_type = rows[i / 4].type;
      file.sections[1].header.sh_flags |= rows[i / 4].flags;
      file.sections[2] = file.sections[1];
      file.sections[2].header = (GElf_Shdr){ .sh_type = SHT_NOTE,
                                             .sh_flags = SHF_ALLOC,
                                             .sh_addr = RANGE,
                                             .sh_size = RANGE_SIZE };
      store_u32 (file.bytes + DATA + at,
                 (uint32_t)(absolute ? target : target - DATA_ADDRESS - at),
                 false);
      file.bytes[DATA + at + 4] = 1; /* no address of 64 bits */
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      if (file.found.n_targets
          != (absolute ? rows[i / 4].address : rows[i / 4].distance))
        fail_msg ("%s, %u, %#llx", rows[i / 4].name, at,
                  (unsigned long long)target);
    }
}

/* A segment with code is searched as data, too, if it has other sections or
   bytes of no section.  */
TEST (data_in_segments_of_code_are_found)
{
  static struct code_file file;
  GElf_Phdr load;
  for (unsigned i = 0; i < 3; i++)
    {
      const unsigned at = 500 + i;
      data_file_init (&file, EM_X86_64, ET_DYN, &load);
      load.p_flags = PF_R | PF_X;
      file.sections[1].header.sh_flags |= SHF_EXECINSTR;
      file.sections[1].header.sh_size = i == 0 ? DATA_SIZE : 490;
      file.sections[2].header = file.sections[1].header;
      file.sections[2].header.sh_addr += 490;
      file.sections[2].header.sh_size = 20;
      file.sections[2].header.sh_flags = SHF_ALLOC;
      file.image.n_sections = i == 1 ? 3 : 2;
      store_u32 (file.bytes + DATA + at, RANGE - DATA_ADDRESS - at, false);
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      assert_int_equal (file.found.n_targets, i > 0);
    }
}

/* Each field that may lead somewhere costs a look at all sections.  */
TEST (many_fields_are_not_judged)
{
  static struct code_file file;
  static uint8_t bytes[DATA + 5 * (REFERENCES_MAX + 1)];
  GElf_Phdr load;
  data_file_init (&file, EM_X86_64, ET_EXEC, &load);
  file.image.bytes = bytes;
  file.image.size = sizeof bytes;
  file.sections[1].name = ".eh_frame";
  file.sections[1].header.sh_size = sizeof bytes - DATA;
  for (size_t at = DATA; at < sizeof bytes; at += 5)
    store_u32 (bytes + at, RANGE, false);
  for (unsigned more = 0; more <= 1; more++)
    {
      load.p_filesz = 5 * (REFERENCES_MAX + more);
      references_find (&file.found, &file.image, RANGE, RANGE + RANGE_SIZE);
      assert_int_equal (file.found.n_targets, 0);
      assert_int_equal (file.found.unknown, more);
    }
}

/* Not those of the range modulo 4 GiB.  */
TEST (what_refers_to_more_than_4_gib_is_unknown)
{
  static struct code_file file;
  code_file_init (&file, EM_X86_64, 600);
  references_find (&file.found, &file.image, RANGE,
                   RANGE + (UINT64_C (1) << 32) + 8);
  assert_true (references_meet (&file.found, RANGE + 100, RANGE + 101));
}

TEST (what_code_of_other_machines_refers_to_is_unknown)
{
  struct code_file file;
  code_file_init (&file, EM_RISCV, 64);
  expect_targets (&file, NULL, 0, true);
}

TEST (dynamic_symbols_refer_to_what_they_name)
{
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

/* ---- An .sframe that is there already.  */

FIXTURE_TEST (empty_sframe_behind_the_table_holds_up_nothing)
{
  elf_builder_add_section (&test->elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC,
                           0x224, 0, 8);
  struct plan_replaced replaced
      = { test->elf.n_sections - 1, 0x224, 0x224, 0 };
  test->elf.sections[replaced.section].sh_addr = 0x224;
  test->request.replaced = &replaced;
  open_old (test);
  plan_once (test);
  assert_string_equal (test->plan.strategy, "evict");
  assert_int_equal (test->plan.replaced_section, replaced.section);
}

/* lld 21 puts it there.  What is left of it is zeroed, wherever it is.  */
FIXTURE_TEST (old_sframe_behind_the_table_moves)
{
  elf_builder_add_section (&test->elf, ".sframe", SHT_GNU_SFRAME, SHF_ALLOC,
                           0x21c, 4, 4);
  memset (test->elf.bytes + 0x21c, 0xee, 4);
  struct plan_replaced replaced
      = { test->elf.n_sections - 1, 0x21c, 0x21c, 4 };
  test->request.replaced = &replaced;
  open_old (test);
  plan_once (test);
  assert_string_equal (test->plan.strategy, "evict");
  apply (test);
  open_result (test);
  check_sframe (test);
  assert_null (memchr (test->bytes, 0xee, test->plan.new_size));
}

/* An .sframe behind .rodata, SIZE bytes at ADDRESS of OFFSET, and a free
   header; the new one needs 0x100 bytes.  */
static struct plan_replaced
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
  return (struct plan_replaced){ test->elf.n_sections - 1, offset, address,
                                 size };
}

FIXTURE_TEST (old_place_is_used_again)
{
  struct plan_replaced replaced = add_old_sframe (test, 0x500, 0x500, 0x100);
  test->request.replaced = &replaced;
  open_old (test);
  plan_once (test);
  assert_string_equal (test->plan.strategy, "reuse");
  assert_int_equal (test->plan.sframe_offset, 0x500);
  assert_int_equal (test->plan.sframe_address, 0x500);
  assert_int_equal (test->plan.replaced_section, replaced.section);
  apply (test);
  open_result (test);
  check_sframe (test);
  assert_int_equal (section_of (&test->result, ".sframe")->sh_addr, 0x500);
}

FIXTURE_TEST (old_place_is_left_unless_it_fits)
{
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
      struct plan_replaced replaced = add_old_sframe (
          test, cases[i].offset, cases[i].address, cases[i].size);
      test->elf.segments[2].p_flags = cases[i].flags;
      test->request.replaced = &replaced;
      open_old (test);
      if (choose_strategy (&test->plan, &test->image, &test->request,
                           &test->err))
        assert_string_not_equal (test->plan.strategy, "reuse");
      close_old (test);
    }
}

/* ---- Loaders */

FIXTURE_TEST (programs_are_no_loaders)
{
  open_old (test);
  assert_false (loader_is (&test->image));
}

FIXTURE_TEST (loaders_are_known_by_name)
{
  make_loader (test);
  open_old (test);
  assert_true (loader_is (&test->image));
}

/* A library without a loader's name and with a loader's dynamic symbols, in
   the section with the index HOME, or 0: elsewhere.  */
static bool
is_loader_with_symbols (struct fixture *test, uint16_t home)
{
  make_loader (test);
  store_u64 (test->elf.bytes + 0x2000, DT_NEEDED, false);
  test->elf.sections[S_DYNSYM].sh_link = S_DYNSTR;
  put (test, 0x2b8, "\0__tls_get_addr\0_r_debug", 25);
  uint8_t *symbols = test->elf.bytes + 0x270;
  memset (symbols, 0, 0x48);
  store_u32 (symbols + 24, 1, false);
  store_u16 (symbols + 24 + 6, home, false);
  store_u32 (symbols + 48, 16, false);
  store_u16 (symbols + 48 + 6, home, false);
  open_old (test);
  return loader_is (&test->image);
}

FIXTURE_TEST (loaders_are_known_by_symbols)
{
  assert_true (is_loader_with_symbols (test, S_TEXT));
}

FIXTURE_TEST (users_of_loader_symbols_are_no_loaders)
{
  assert_false (is_loader_with_symbols (test, 0));
}

FIXTURE_TEST (fixed_programs_are_no_loaders)
{
  elf_builder_segment (&test->elf, PT_INTERP)->p_type = PT_LOOS + 1;
  struct elf_builder original = test->elf;
  open_old (test);
  assert_true (loader_may_be (&test->image));
  image_close (&test->image);
  test->elf = original;
  elf_builder_relocate (&test->elf, 0x400000);
  open_old (test);
  assert_false (loader_may_be (&test->image));
}

TEST (names_of_loaders)
{
  static const char *const names[]
      = { "/lib64/ld-linux-x86-64.so.2", "ld-2.31.so",
          "root/lib/ld-musl-x86_64.so.1", "ld64-uClibc.so.1",
          "/lib/ld64.so.1" };
  static const char *const others[]
      = { "", "/usr/bin/ld", "x86_64-linux-gnu-ld.bfd",
          "ld-linux.so.2/program", "libld-linux.so" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_true (loader_is_name (names[i]));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false (loader_is_name (others[i]));
}

/* ---- What is asked before a file is converted.  */

/* A byte is enough to be no debug file.  */
FIXTURE_TEST (takes_files_with_one_loaded_byte)
{
  for (size_t i = 0; i < test->elf.n_segments; i++)
    test->elf.segments[i].p_filesz = i == P_FIRST;
  open_old (test);
  refusals_check (&test->image, &test->err);
  assert_int_not_equal (test->err.status, CFI2SFRAME_NOTHING);
}

static void
expect_classified (struct fixture *test)
{
  open_encoded (test);
  if (!refusals_check (&test->image, &test->err))
    fail_msg ("%s", test->err.reason);
}

FIXTURE_TEST (tolerates_zero_padding)
{
  elf_builder_finish (&test->elf);
  memset (test->elf.bytes + test->elf.size, 0, 4000);
  test->elf.size += 4000;
  expect_classified (test);
}

/* Where patchelf puts them.  */
FIXTURE_TEST (program_headers_at_the_end_are_no_payload)
{
  test->elf.header.e_phoff = 0x2800;
  elf_builder_finish (&test->elf);
  test->elf.size = 0x2800 + test->elf.n_segments * sizeof (Elf64_Phdr);
  expect_classified (test);
}

static void
expect_not_opened (struct fixture *test, const char *words)
{
  elf_builder_finish (&test->elf);
  assert_false (image_open_memory (&test->image, test->elf.bytes,
                                   test->elf.size, &test->err));
  assert_non_null (strstr (test->err.reason, words));
}

FIXTURE_TEST (refuses_unsorted_segments)
{
  Elf64_Phdr swapped = test->elf.segments[P_TEXT];
  test->elf.segments[P_TEXT] = test->elf.segments[P_DATA];
  test->elf.segments[P_DATA] = swapped;
  expect_not_opened (test, "unsorted");
}

FIXTURE_TEST (refuses_overlapping_segments)
{
  Elf64_Phdr *first = &test->elf.segments[P_FIRST];
  first->p_filesz = first->p_memsz = 0x1001;
  expect_not_opened (test, "overlaps");
}

/* What would take long to look at, in every mode: --check and conversions of
   files that have an .sframe took 2 GB of memory for a file of 1.2 MB.  */

FIXTURE_TEST (refuses_many_symbol_tables)
{
  for (int i = 0; i < 4; i++)
    elf_builder_add_section (&test->elf, ".more", SHT_SYMTAB, 0, SYMTAB, 48,
                             8);
  expect_not_opened (test, "too many symbol tables");
}

FIXTURE_TEST (refuses_segments_for_the_same_bytes)
{
  for (size_t i = 0; i < 4; i++)
    test->elf.segments[test->elf.n_segments++]
        = (Elf64_Phdr){ .p_type = PT_NOTE,
                        .p_flags = PF_R,
                        .p_filesz = test->elf.size,
                        .p_memsz = test->elf.size,
                        .p_align = 4 };
  expect_not_opened (test, "its segments overlap");
}

FIXTURE_TEST (refuses_sections_for_the_same_bytes)
{
  for (size_t i = 0; i < 3; i++)
    elf_builder_add_section (&test->elf, ".more", SHT_PROGBITS, 0, 0,
                             test->elf.size, 1);
  expect_not_opened (test, "its sections overlap");
}

FIXTURE_TEST (refuses_more_headers_than_the_kernel)
{
  test->elf.header.e_phoff = 0x2800;
  elf_builder_finish (&test->elf);
  store_u16 (test->elf.bytes + 56, 1171, false);
  assert_false (image_open_memory (&test->image, test->elf.bytes, ELF_FILE_MAX,
                                   &test->err));
  assert_non_null (strstr (test->err.reason, "too many program headers"));
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

enum
{
  MODEL_SIZE = 64
};

/* MODEL[I]: which old byte byte I of the new file is, from 1; 0: none.  */
static void
check_extents (const struct plan *plan, const uint64_t *model)
{
  uint64_t at = 0;
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct plan_extent *extent = &plan->extents[i];
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
check_find (const struct plan *plan, uint64_t at, uint64_t size)
{
  uint64_t found = UINT64_MAX, expected = UINT64_MAX;
  for (size_t i = 0; i < plan->n_extents && expected == UINT64_MAX; i++)
    {
      const struct plan_extent *extent = &plan->extents[i];
      if (at >= extent->old_offset
          && at + size <= extent->old_offset + extent->size
          && at < extent->old_offset + extent->size)
        expected = extent->new_offset + (at - extent->old_offset);
    }
  assert_int_equal (plan_find (plan, at, size, &found),
                    expected != UINT64_MAX);
  assert_int_equal (found, expected);
}

FIXTURE_TEST (copies_and_gaps_are_kept_apart)
{
  uint32_t seed = 1;
  for (int round = 0; round < 300; round++)
    {
      struct plan plan = { 0 };
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
      plan_free (&plan);
      assert_int_equal (plan.n_extents + plan.n_patches, 0);
      assert_null (plan.strategy);
      assert_null (plan.extents);
    }
}

/* Later patches cover earlier ones, and .sframe covers all.  */
FIXTURE_TEST (plans_are_cut_where_anything_begins_or_ends)
{
  static const uint8_t old[64], sframe[8];
  struct plan *plan = &test->plan;
  plan->new_size = 50;
  plan->sframe_offset = 40;
  plan->sframe_size = sizeof sframe;
  assert_true (plan_copy (plan, 0, 0, 16, &test->err));
  assert_true (plan_copy (plan, 32, 24, 20, &test->err));
  uint8_t *first = plan_add_patch (plan, 4, 4, &test->err);
  uint8_t *second = plan_add_patch (plan, 6, 12, &test->err);
  assert_non_null (plan_add_patch (plan, 30, 0, &test->err));
  const struct plan_piece wanted[] = {
    { 0, 4, old, old },
    { 4, 2, first, old + 4 },
    { 6, 2, second, old + 6 },
    { 8, 8, second + 2, old + 8 },
    { 16, 2, second + 10, NULL },
    { 18, 6, NULL, NULL },
    { 24, 6, old + 32, old + 32 },
    { 30, 10, old + 38, old + 38 },
    { 40, 4, sframe, old + 48 },
    { 44, 4, sframe + 4, NULL },
    { 48, 2, NULL, NULL },
  };
  size_t n;
  struct plan_piece *pieces = plan_cut (plan, old, sframe, &n);
  assert_non_null (pieces);
  assert_int_equal (n, N_OF (wanted));
  assert_memory_equal (pieces, wanted, sizeof wanted);
  free (pieces);
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

TEST (rounding_does_not_wrap_around)
{
  uint64_t result = 7;
  assert_true (align_up_checked (UINT64_MAX - 15, 16, &result));
  assert_true (result == UINT64_MAX - 15);
  assert_true (align_up_checked (0, 16, &result));
  assert_int_equal (result, 0);
  assert_false (align_up_checked (UINT64_MAX - 14, 16, &result));
  assert_int_equal (result, 0);
}
