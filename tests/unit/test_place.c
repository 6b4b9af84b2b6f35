/* Unit tests of src/place: the section goes into padding, into spare program
   headers or where an old .sframe was; loaders.  No file is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "layout_check.h"

/* Add an .sframe, which the new one replaces.  */
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
/* The old .sframe is behind .rodata, one program header is free, and the new
   .sframe needs 0x100 bytes.  */
#define OLD_PLACE(offset, address, length)                      \
  SET_SECTION (S_RODATA, sh_size, 0x100), NO_SEGMENT (P_STACK), \
      SET (request.sframe_size, 0x100), OLD_SFRAME (offset, address, length)

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

static void
make_two_read_only_segments (struct fixture *test)
{
  split_first_load (&test->elf);
  move_on (&test->elf, 0x400, true);
  test->request.sframe_size = SMALL;
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
make_64_kib_pages (struct fixture *test)
{
  test->request.sframe_size = SMALL;
  test->elf.header.e_machine = EM_AARCH64;
  align_loads (test, 0x10000);
}

/* As GNU ld lays out a library for aarch64: behind the first segment there is
   padding in the file (0x600 to 0x2000), and the next page has the others.  */
static void
make_library_of_64_kib_pages (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  make_64_kib_pages (test);
  *elf_builder_segment (elf, PT_INTERP)
      = *elf_builder_segment (elf, PT_GNU_STACK);
  set_note_section (elf, S_INTERP, ".note.ABI-tag", 0x200, 0x1c, 4);
  elf_builder_note (elf, 0x200, "GNU", NT_GNU_ABI_TAG, 12);
  move_on (elf, 0x1000, true);
  elf->header.e_entry = 0;
  for (size_t i = P_TEXT; i <= P_DYNAMIC; i++)
    {
      elf->segments[i].p_vaddr += 0x10000;
      elf->segments[i].p_paddr += 0x10000;
    }
  for (size_t i = S_TEXT; i < elf->n_sections; i++)
    if (elf->sections[i].sh_flags & SHF_ALLOC)
      elf->sections[i].sh_addr += 0x10000;
}

/* The page of the first segment has the new one, too.  */
#define BEHIND_THE_FIRST(flags)                       \
  SECTION_HAS (".sframe", sh_offset, 0x1000),         \
      SECTION_HAS (".sframe", sh_addr, 0x1000),       \
      SEGMENT_AT_HAS (P_FIRST + 1, p_vaddr, 0x1000),  \
      SEGMENT_AT_HAS (P_FIRST + 1, p_flags, flags),   \
      SEGMENT_AT_HAS (P_FIRST + 1, p_align, 0x10000), \
      SEGMENT_AT_HAS_SIZE (P_FIRST, 0x600)

/* The first segment is aligned to 4 KiB, and its addresses are 0x1000 above
   its offsets.  Two program headers are free.  */
static void
make_library_with_first_of_4_kib (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  make_library_of_64_kib_pages (test);
  for (size_t i = 0; i < elf->n_segments; i++)
    if (i == P_PHDR || i == P_FIRST || i == P_NOTE)
      {
        elf->segments[i].p_vaddr += 0x1000;
        elf->segments[i].p_paddr += 0x1000;
      }
  for (size_t i = S_INTERP; i <= S_RODATA; i++)
    elf->sections[i].sh_addr += 0x1000;
  elf->segments[P_FIRST].p_align = 0x1000;
  elf->segments[P_INTERP].p_type = elf->segments[P_STACK].p_type = PT_NULL;
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

/* PT_NOTE has another alignment than PT_GNU_PROPERTY, and its readers may go
   by that.  */
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

/* As Go lays out files: the section header table is in front of all sections.
 */
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
check_old_sframe_is_gone (const struct fixture *test)
{
  assert_null (memchr (test->bytes, 0xee, test->plan.new_size));
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
  /* The loader's early heap needs zeros up to the end of the page.  */
  for (uint64_t i = data->p_offset + 0x100; i < data->p_offset + 0x1000; i++)
    assert_int_equal (test->bytes[i], 0);
  /* PT_NOTE, which was right behind the table, moves with its section.  */
  assert_int_equal (segment_of (&test->result, PT_NOTE)->p_offset,
                    section_of (&test->result, ".note.ABI-tag")->sh_offset);
  /* The last segment ends with a page.  */
  assert_int_equal ((last->p_vaddr + last->p_memsz) & 0xfff, 0);
  assert_int_equal (last->p_flags, PF_R);
  check_segments (test, 0x1000);
}

/* Another segment has the zeros behind the code as well.  */
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

static const struct layout_case served[] = {
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
  /* Two segments share a page, and which of them maps it depends on the
     loader. The self-check refused such files.  */
  { "slack_is_in_no_page_of_a_segment_in_front", make_two_segments_in_a_page,
    .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1100) } },
  /* Addresses and offsets of the code are farther from each other than those
     of .gnu.hash, which has no other place.  */
  { "slack_is_not_for_symbol_tables_of_another_difference",
    .changes = { SET (request.sframe_size, SMALL), DATA_AHEAD (0x10000),
                 SET_SEGMENT (P_TEXT, p_vaddr, 0x11000),
                 SET_SEGMENT (P_TEXT, p_paddr, 0x11000),
                 SET_SECTION (S_TEXT, sh_addr, 0x11000) },
    .strategy = "evict" },
  { "slack_is_of_no_other_segment", make_shared_padding, .strategy = "evict" },
  /* A segment was tried first in vain.  The moved sections stayed where they
     would have been with that segment, and .sframe got the same bytes.  */
  { "slack_takes_nothing_along_from_a_try_in_vain",
    make_segment_to_try_in_vain,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .strategy = "slack",
    .expects = { SECTION_HAS (".sframe", sh_offset, 0x1100),
                 SEGMENT_BEGINS (PT_INTERP, 0x1100 + SMALL),
                 SEGMENT_BEGINS (PT_NOTE, 0x1100 + SMALL + 0x1c),
                 SEGMENT_HAS_SIZE (PT_NOTE, 36) } },
  /* The moved sections fit behind the read-only segment, .sframe and the hash
     table only behind the code.  */
  { "slack_lets_evicted_sections_fall_back", make_two_read_only_segments,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
        BYTES (0x1650, "\1"), BYTES (0x2190, "\1") },
    .strategy = "slack",
    .expects
    = { SECTION_HAS (".sframe", sh_offset, 0x2100),
        SEGMENT_HAS (PT_INTERP, p_offset, 0x1600),
        SEGMENT_BEGINS (PT_NOTE, 0x161c), SEGMENT_HAS_SIZE (PT_NOTE, 36) } },
  /* What has a program header fits behind the read-only segment, but .gnu.hash
     does not.  It went behind .sframe, and the file got padding for it.  */
  { "one_segment_has_room_for_all_that_fall_back", make_two_read_only_segments,
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
        SET (request.sframe_size, LARGE), BYTES (0x1650, "\1") },
    .expects
    = { SEGMENT_BEGINS (PT_INTERP, 0x2100), SEGMENT_BEGINS (PT_NOTE, 0x211c),
        SECTION_HAS (".gnu.hash", sh_addr, 0x2140),
        SECTION_HAS (".gnu.hash", sh_offset, 0x2140) } },
  /* The moved sections fell back to bytes that .sframe already had.  */
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
  { "slack_ends_at_the_next_segment_in_memory",
    make_segments_apart_in_the_file, .check = check_segments_of_4_kib },
  /* With 64 KiB pages the segments of this file share one, without slack
     between them.  */
  { "slack_counts_in_pages_of_the_machine", make_64_kib_pages,
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x10000) } },
  /* At the end of the memory .sframe would need 64 KiB of padding: symbol
     tables go along with it.  */
  { "libraries_have_room_in_the_first_page", make_library_of_64_kib_pages,
    .expects = { BEHIND_THE_FIRST (PF_R) } },
  /* Both mappings of the page have the same rights.  */
  { "room_in_a_page_of_code_is_mapped_as_code", make_library_of_64_kib_pages,
    .changes = { SET_SEGMENT (P_FIRST, p_flags, PF_R | PF_X) },
    .expects = { BEHIND_THE_FIRST (PF_R | PF_X) } },
  { "libraries_with_a_name_may_have_an_entry", make_library_of_64_kib_pages,
    .changes
    = { SET (elf.header.e_entry, 0x12000), WORD64 (0x3000, DT_SONAME) },
    .expects = { BEHIND_THE_FIRST (PF_R) } },
  { "room_in_the_first_page_consists_of_zeros", make_library_of_64_kib_pages,
    .changes = { BYTES (0x1010, "\1") },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x20000) } },
  /* Some kernels do not map a page twice.  */
  { "programs_have_no_room_in_the_first_page", make_library_of_64_kib_pages,
    .changes = { SET (elf.header.e_entry, 0x12000) },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x20000) } },
  { "room_in_a_page_that_is_written_to_is_none", make_library_of_64_kib_pages,
    .changes = { SET_SEGMENT (P_FIRST, p_flags, PF_R | PF_W) },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x20000) } },
  /* There address and offset of .sframe differ by less than a page of 64 KiB,
     so that glibc does not load it.  The self-check refused the file.  */
  { "a_first_segment_of_smaller_pages_has_no_room",
    make_library_with_first_of_4_kib, .strategy = "spare-slot" },
  { "a_first_segment_with_a_bss_has_no_room", make_library_of_64_kib_pages,
    .changes = { SET_SEGMENT (P_FIRST, p_memsz, 0x700) },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x20000) } },
  { "null_entries_are_spare",
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
  { "empty_sframe_behind_the_table_holds_up_nothing",
    .changes = { OLD_SFRAME (0x224, 0x224, 0) } },
  /* lld 21 puts .sframe there.  All bytes of the old one become zeros.  */
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
  { "loaders_get_their_bss_in_the_file", make_loader, .check = check_loader,
    .expects = { SECTION_HAS (".dynstr", sh_addr, 0x2b8) } },
  /* A static PIE: no loader reads library names from its .dynstr.  */
  { "strings_move_where_nobody_reads_them", make_loader,
    .changes = { WORD64 (0x2000, DT_DEBUG) },
    .expects = { SECTION_HAS (".dynstr", sh_addr, 0x358),
                 DYNAMIC_HAS (DT_STRTAB, 0x358) } },
  /* As a static PIE that is somebody's PT_INTERP: up to Linux 6.6 a segment
     behind its BSS keeps every program that uses it from starting.  */
  { "static_pies_are_loaders_when_so_called", make_loader,
    .changes = { WORD64 (0x2000, DT_DEBUG), SET (request.named_loader, true) },
    .expects = { SECTION_HAS (".bss", sh_type, SHT_PROGBITS) } },
  { "programs_are_no_loaders_whatever_their_name",
    .changes = { SET (request.named_loader, true) },
    .expects = { SECTION_HAS (".bss", sh_type, SHT_NOBITS) } },
};

TEST_ROWS (served, struct fixture *test, set_up, tear_down, is_served)
{
  expect_served (test);
}

static const struct layout_case refused[] = {
  { "refuses_an_empty_section", .changes = { SET (request.sframe_size, 0) },
    .status = CFI2SFRAME_INVALID, .reason = "size" },
  { "refuses_sections_of_4_gib",
    .changes = { SET (request.sframe_size, (uint64_t)UINT32_MAX + 1) },
    .status = CFI2SFRAME_INVALID, .reason = "size" },
};

TEST_ROWS (refused, struct fixture *test, set_up, tear_down, is_refused)
{
  expect_refused (test);
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

/* The reason is "loader" for a loader, and "perhaps" for a file that would be
   one with a loader's name.  */
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
  FOR_EACH_ROW (given, names)
    assert_true (loader_is_name (*given));
  for (size_t i = 0; i < N_OF (others); i++)
    assert_false (loader_is_name (others[i]));
}

/* ---- Others */

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
