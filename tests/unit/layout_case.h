/* Files for the tests of src/place: the program of elf_builder with a few
   things changed, and what is expected of it.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A test is a row of a table of struct layout_case.  Its changes are made by
   macros: SET and its like for headers, WORD64 and its like for bytes.  */

#ifndef TESTS_LAYOUT_CASE_H
#define TESTS_LAYOUT_CASE_H

#include <string.h>

#include "base/bytes.h"
#include "elf_builder.h"
#include "place/choose_strategy.h"
#include "place/header_room.h"
#include "tests/unit_test.h"

/* Sizes of .sframe: LARGE does not fit into the padding behind the read-only
   segments (0xa00 and 0xf00 bytes), SMALL does.  */
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
  S_DATA = 9,
  S_SYMTAB = 11,
  S_STRTAB
};

/* File offsets.  elf_builder fills .symtab with zeros.  */
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
  struct sframe_place replaced; /* request.replaced, if any */
  struct plan plan;
  struct error err;
  uint8_t *bytes; /* the new file */
  const struct layout_case *given;
};

/* One change of the program that elf_builder_program makes.  */
struct change
{
  void (*make) (struct fixture *test, const struct change *change);
  uint64_t at, value;
  size_t size;
  uint32_t type;
  const char *text;
};

/* The value of a field of the new file.  The field is in the program header
   of the first segment of TYPE, in that of segment INDEX - 1, or in the header
   of section NAME.  Otherwise the value is that of symbol SYMBOL - 1 in
   section NAME, or of the dynamic entry TAG.  */
struct expectation
{
  const char *name;
  size_t index, symbol;
  int64_t tag;
  uint32_t type;
  size_t member, size;
  uint64_t value;
};

/* A test.  MAKE and CHANGES change the program before its headers are encoded,
   and FINISH changes the encoded file.  */
struct layout_case
{
  const char *name;
  void (*make) (struct fixture *test);
  struct change changes[8];
  void (*finish) (struct fixture *test);

  /* The strategy that is chosen; NULL: "evict".  For a file that is refused,
     the status instead, 0 for CFI2SFRAME_REFUSED, and a part of the reason. */
  const char *strategy;
  enum cfi2sframe_status status;
  const char *reason;

  /* Expected of the new file.  Zero: not checked.  */
  size_t n_segments;
  struct expectation expects[12];
  struct
  {
    uint32_t align, type;
  } found[4]; /* notes, by a walk over PT_NOTE with this alignment */
  void (*check) (const struct fixture *test);
};

/* STATE is a row of a table, or NULL.  */
static inline int
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

static inline int
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
static inline void
open_encoded (struct fixture *test)
{
  if (!image_open_memory (&test->image, test->elf.bytes, test->elf.size,
                          &test->err))
    fail_msg ("%s", test->err.reason);
}

/* Move all contents from file offset FROM on by a page; with ADDRESSES in
   memory, too.  */
static inline void
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

/* Let the addresses of the data be AHEAD of where they were.  */
static inline void
move_data_ahead (struct elf_builder *elf, uint64_t ahead)
{
  for (size_t i = 0; i < elf->n_segments; i++)
    if ((elf->segments[i].p_flags & PF_W) && elf->segments[i].p_filesz > 0)
      {
        elf->segments[i].p_vaddr += ahead;
        elf->segments[i].p_paddr += ahead;
      }
  for (size_t i = 0; i < elf->n_sections; i++)
    if (elf->sections[i].sh_flags & SHF_WRITE)
      elf->sections[i].sh_addr += ahead;
}

static inline void
open_old (struct fixture *test)
{
  elf_builder_finish (&test->elf);
  open_encoded (test);
}

static inline bool
plan_with_search (const struct fixture *test, struct plan *plan,
                  struct error *err)
{
  struct plan_request request = test->request;
  static struct references references;
  references = (struct references){ 0 };
  header_room_find_references (&references, &test->image);
  request.references = &references;
  return choose_strategy (plan, &test->image, &request, err);
}

static inline void
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

/* Make a plan.  A search for references that was started before must make no
   difference.  */
static inline bool
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

/* ---- Changes: for each kind a function, and a macro for the struct change.
 */

/* Set a number anywhere in the fixture.  Headers there have the byte order of
   the host.  */
static inline void
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

static inline void
put (struct fixture *test, uint64_t offset, const char *bytes, size_t size)
{
  memcpy (test->elf.bytes + offset, bytes, size);
}

static inline void
set_bytes (struct fixture *test, const struct change *change)
{
  put (test, change->at, change->text, change->size);
}

#define BYTES(offset, string)                            \
  {                                                      \
    .make = set_bytes, .at = (offset), .text = (string), \
    .size = sizeof (string) - 1                          \
  }

static inline void
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

/* Store a word in the byte order of the file.  */
static inline void
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

static inline void
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

static inline void
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

static inline void
set_base (struct fixture *test, const struct change *change)
{
  elf_builder_relocate (&test->elf, change->value);
}

#define RELOCATE(base)                \
  {                                   \
    .make = set_base, .value = (base) \
  }

static inline void
set_ahead (struct fixture *test, const struct change *change)
{
  move_data_ahead (&test->elf, change->value);
}

#define DATA_AHEAD(distance)               \
  {                                        \
    .make = set_ahead, .value = (distance) \
  }

/* Nothing fits into the padding behind the code.  */
#define NO_SLACK BYTES (0x1104, "\1")

static inline void
set_segment_size (struct fixture *test, const struct change *change)
{
  Elf64_Phdr *segment = &test->elf.segments[change->at];
  segment->p_filesz = segment->p_memsz = change->size;
}

#define SEGMENT_SIZE(segment, to)                           \
  {                                                         \
    .make = set_segment_size, .at = (segment), .size = (to) \
  }

static inline void
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

static inline void
add_dynamic_entry (struct fixture *test, int64_t tag, uint64_t value)
{
  uint8_t *entry = test->elf.bytes + 0x2000;
  while (load_u64 (entry, test->elf.big_endian) != DT_NULL)
    entry += 16;
  store_u64 (entry, (uint64_t)tag, test->elf.big_endian);
  store_u64 (entry + 8, value, test->elf.big_endian);
}

static inline void
set_dynamic (struct fixture *test, const struct change *change)
{
  add_dynamic_entry (test, (int64_t)change->at, change->value);
}

#define DYNAMIC(tag, to)                            \
  {                                                 \
    .make = set_dynamic, .at = (tag), .value = (to) \
  }

/* An ABI tag, which need not stay in the first page, in the build-id's place.
 */
#define NO_BUILD_ID NOTE (0x220, "GNU", NT_GNU_ABI_TAG, 20)

/* The first segment ends with a package note of LENGTH bytes at PLACE.  The
   code stands behind two pages.  */
static inline void
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

static inline void
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

static inline void
check_reason (const struct fixture *test)
{
  const struct layout_case *given = test->given;
  enum cfi2sframe_status status
      = given->status ? given->status : CFI2SFRAME_REFUSED;
  if (test->err.status != status
      || strstr (test->err.reason, given->reason) == NULL)
    fail_msg ("status %d, reason \"%s\"", test->err.status, test->err.reason);
}

/* mold 1.10: PT_GNU_RELRO says that it begins at the file's start.  */
static inline void
make_relro_at_offset_0 (struct fixture *test)
{
  test->elf.segments[P_STACK] = (Elf64_Phdr){ .p_type = PT_GNU_RELRO,
                                              .p_flags = PF_R,
                                              .p_vaddr = 0x1fec,
                                              .p_paddr = 0x1fec,
                                              .p_filesz = 0x300,
                                              .p_memsz = 0x1014 };
}

/* ---- Programs that tests of several files change.  */

/* Section INDEX is notes, SIZE bytes at AT.  */
static inline void
set_note_section (struct elf_builder *elf, size_t index, const char *name,
                  uint64_t at, uint64_t size, uint64_t align)
{
  elf->names[index] = name;
  elf->sections[index].sh_type = SHT_NOTE;
  elf->sections[index].sh_offset = elf->sections[index].sh_addr = at;
  elf->sections[index].sh_size = size;
  elf->sections[index].sh_addralign = align;
}

static inline void
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

static inline void
align_loads (struct fixture *test, uint64_t align)
{
  for (size_t i = 0; i < test->elf.n_segments; i++)
    if (test->elf.segments[i].p_type == PT_LOAD)
      test->elf.segments[i].p_align = align;
}

#endif /* TESTS_LAYOUT_CASE_H */
