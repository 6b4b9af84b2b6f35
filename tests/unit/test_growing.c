/* Unit tests of src/place: the segment of the data grows behind its BSS, or
   the first segment grows down, where there is room for few program headers or
   for none; PT_NOTEs that share a header.  No file is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <sys/mman.h>

#include "layout_check.h"

/* One PT_NOTE has all notes.  */
#define ONE_NOTE(length)                                               \
  SEGMENT_BEGINS (PT_NOTE, 0x200), SEGMENT_HAS_SIZE (PT_NOTE, length), \
      SEGMENT_HAS (PT_NOTE, p_align, 8)

/* Make a plan once, without an earlier search for references.  */
static void
plan_once (struct fixture *test)
{
  if (!choose_strategy (&test->plan, &test->image, &test->request, &test->err))
    fail_msg ("%s", test->err.reason);
}

/* A writable .interp does not move.  */
#define INTERP_STAYS SET_SECTION (S_INTERP, sh_flags, SHF_ALLOC | SHF_WRITE)

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

/* The first note of this plugin ends in padding for alignment 8.  */
static void
make_short_plugin (struct fixture *test)
{
  make_plugin (test, 4);
}

/* Three program headers name the build-id.  */
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

/* No PT_INTERP, and no slack.  */
static void
make_static_pie (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  *elf_builder_segment (elf, PT_INTERP)
      = *elf_builder_segment (elf, PT_GNU_STACK);
  set_note_section (elf, S_INTERP, ".note.ABI-tag", 0x200, 0x1c, 4);
  elf_builder_note (elf, 0x200, "GNU", NT_GNU_ABI_TAG, 12);
  elf->bytes[0x1104] = 1;
}

/* Debugging information, which makes the file longer than the memory.  */
#define DEBUGGING(size) SECTION (".debug_str", SHT_PROGBITS, 0, 0x3000, size)

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

/* As lld lays out Chromium: .dynsym follows the notes, and the addresses of
   the data are ahead of their offsets.  */
static void
make_crash_reporter_of_lld (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  make_crash_reporter (test);
  elf->sections[S_DYNSYM].sh_addr = elf->sections[S_DYNSYM].sh_offset = 0x250;
  store_u64 (elf->bytes + 0x2000 + 3 * 16 + 8, 0x250, elf->big_endian);
  move_data_ahead (elf, 0x10000);
}

/* .dynsym has 0x1008 bytes.  */
static void
make_many_symbols_of_lld (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  make_crash_reporter (test);
  move_on (elf, 0x400, true);
  elf->segments[P_FIRST].p_filesz = elf->segments[P_FIRST].p_memsz = 0x1600;
  memmove (elf->bytes + 0x1280, elf->bytes + 0x2b8, 0x48);
  elf->sections[S_DYNSTR].sh_addr = elf->sections[S_DYNSTR].sh_offset = 0x1280;
  elf->sections[S_DYNSYM].sh_addr = elf->sections[S_DYNSYM].sh_offset = 0x250;
  elf->sections[S_DYNSYM].sh_size = 171 * 24;
  store_u64 (elf->bytes + 0x3000 + 2 * 16 + 8, 0x1280, elf->big_endian);
  store_u64 (elf->bytes + 0x3000 + 3 * 16 + 8, 0x250, elf->big_endian);
  elf->bytes[0x2104] = 1; /* no slack */
}

/* The first section is .gnu.hash, and only it may move.  */
static void
make_hash_alone (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  for (size_t i = S_INTERP; i <= S_BUILD_ID; i++)
    elf->sections[i] = (Elf64_Shdr){ .sh_type = SHT_NULL };
  elf->segments[P_INTERP].p_type = elf->segments[P_NOTE].p_type = PT_LOPROC;
  elf->segments[P_INTERP].p_filesz = elf->segments[P_NOTE].p_filesz = 0;
  elf->header.e_entry = 0;
  elf->sections[S_HASH].sh_addr = elf->sections[S_HASH].sh_offset = 0x200;
  elf->sections[S_HASH].sh_size = 0x60;
  elf->sections[S_DYNSYM].sh_type = SHT_PROGBITS;
  elf->sections[S_DYNSYM].sh_addr = elf->sections[S_DYNSYM].sh_offset = 0x260;
  elf->segments[P_PHDR].p_type = PT_LOPROC + 1;
  elf->segments[P_PHDR].p_filesz = 0;
  store_u64 (elf->bytes + 0x2000 + 16 + 8, 0x200, elf->big_endian);
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
  /* .sframe shares no page with the BSS, which makes its pages dirty.  */
  assert_int_equal (test->plan.sframe_address, 0x3000);
  const GElf_Phdr *before;
  const GElf_Phdr *load = last_load (test, &before);
  assert_int_equal (load->p_vaddr + load->p_filesz,
                    test->plan.sframe_address + LARGE);
  assert_int_equal (load->p_memsz, load->p_filesz);
  check_segments (test, 0x1000);
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
make_data_with_a_huge_bss (struct fixture *test)
{
  make_plugin (test, 8);
  test->elf.segments[P_DATA].p_memsz += 1u << 30;
}

static void
make_64_kib_pages (struct fixture *test)
{
  test->elf.header.e_machine = EM_AARCH64;
  align_loads (test, 0x10000);
}

static const struct layout_case served[] = {
  /* Three program headers become free, and two are added.  */
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
  /* The note in front only repeats PT_GNU_PROPERTY.  Its header is free for
     that reason, and does not count as free a second time.  */
  { "a_doubled_note_is_not_joined", make_doubled_note, .strategy = "grow-data",
    .expects = { SEGMENT_HAS (PT_NOTE, p_offset, 0x218),
                 SEGMENT_HAS (PT_NOTE, p_filesz, 36) } },
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
  /* A gap in the memory of a static PIE is where a kernel may map the vDSO. */
  { "static_pies_get_no_gap_for_symbol_tables", make_static_pie,
    .changes = { DEBUGGING (0x5000) }, .strategy = "grow-data" },
  { "static_pies_get_no_gap_of_a_page", make_static_pie,
    .changes = { DEBUGGING (0xbb0) }, .strategy = "grow-data" },
  { "static_pies_get_padding_for_symbol_tables", make_static_pie,
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x3000),
                 SECTION_HAS (".sframe", sh_offset, 0x3000) } },
  { "libraries_with_an_entry_point_may_have_a_gap", make_static_pie,
    .changes = { DEBUGGING (0x5000), DYNAMIC (DT_SONAME, 1) },
    .expects = { SECTION_HAS (".gnu.hash", sh_addr, 0x97f8),
                 SECTION_HAS (".gnu.hash", sh_offset, 0x97f8) } },
  { "fixed_programs_may_have_a_gap", make_static_pie,
    .changes = { DEBUGGING (0x5000), RELOCATE (0x401000) },
    .expects = { SECTION_HAS (".gnu.hash", sh_addr, 0x401000 + 0x97f8),
                 SECTION_HAS (".gnu.hash", sh_offset, 0x97f8) } },
  { "loaders_get_no_gap_for_symbol_tables", make_loader,
    .changes = { NO_SLACK },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x3000),
                 SECTION_HAS (".sframe", sh_offset, 0x4000) } },
  { "loaders_by_name_get_no_gap_for_symbol_tables", make_static_pie,
    .changes = { DEBUGGING (0x5000), SET (request.named_loader, true) },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x3000) } },
  { "loaders_get_padding_for_symbol_tables", make_loader,
    .changes = { NO_SLACK, DATA_AHEAD (0x10000) },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x13000),
                 SECTION_HAS (".sframe", sh_offset, 0x13000) } },
  /* The pages have 64 KiB, and the program does not begin at one.  */
  { "symbol_tables_are_not_apart_by_parts_of_pages", make_64_kib_pages,
    .changes = { NO_SLACK, RELOCATE (0x401000), DATA_AHEAD (0x20000),
                 SET_SEGMENT (P_TEXT, p_vaddr, 0x412000),
                 SET_SEGMENT (P_TEXT, p_paddr, 0x412000),
                 SET_SECTION (S_TEXT, sh_addr, 0x412000) },
    .strategy = "grow-data" },
  { "a_hash_table_alone_is_as_far_from_its_offset", make_hash_alone,
    .changes
    = { NO_SLACK, RELOCATE (0x400000), WORD64 (0x2000 + 16 + 8, 0x400200),
        SET_SECTION (S_HASH, sh_size, 0x70),
        SET_SECTION (S_DYNSYM, sh_offset, 0x270),
        SET_SECTION (S_DYNSYM, sh_addr, 0x400270) },
    .expects = { SECTION_HAS (".gnu.hash", sh_addr, 0x404388),
                 SECTION_HAS (".gnu.hash", sh_offset, 0x4388) } },
  { "the_file_is_long_enough_for_a_hash_table_of_zeros", make_hash_alone,
    .changes = { NO_SLACK, RELOCATE (0x400000),
                 SET (elf.header.e_type, ET_DYN), SET (elf.header.e_entry, 0),
                 DATA_AHEAD (0x10000), WORD64 (0x2000 + 16 + 8, 0x400200) },
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".symtab", sh_offset, 0x14400) } },
  /* libunwind reads .dynsym in the second part of .dynsym, and in zeros.  */
  { "the_file_is_long_enough_for_symbols_in_part", make_many_symbols_of_lld,
    .changes = { DATA_AHEAD (0x1000) }, .strategy = "grow-data",
    .expects = { SECTION_HAS (".dynsym", sh_offset, 0x5388),
                 SECTION_HAS (".symtab", sh_offset, 0x73c0) } },
  { "the_file_is_no_longer_for_tables_of_versions", make_crash_reporter_of_lld,
    .changes = { NO_SLACK, SET_SECTION (S_DYNSYM, sh_type, SHT_GNU_versym),
                 WORD64 (0x2000 + 48, DT_VERSYM) },
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".symtab", sh_offset, 0x4400) } },
  /* libunwind reads .dynsym in the zeros in front of .symtab.  */
  { "the_file_is_long_enough_for_symbols_by_their_address",
    make_crash_reporter_of_lld, .changes = { NO_SLACK },
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".dynsym", sh_addr, 0x14388),
                 SECTION_HAS (".dynsym", sh_offset, 0x4388),
                 SECTION_HAS (".symtab", sh_offset, 0x14400) } },
  /* Readers find the build-id, wherever it moves.  */
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
  /* .tbss has an address there, but no bytes.  */
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
  /* A section that is not loaded moves only if it is behind the data.  */
  { "sections_in_front_of_growing_data_stay", make_long_plugin,
    .changes = { BYTES (0x640, "GCC: 1\0"),
                 SECTION (".comment", SHT_PROGBITS, 0, 0x640, 7) },
    .strategy = "grow-data",
    .expects = { SECTION_HAS (".comment", sh_offset, 0x640),
                 SECTION_HAS (".symtab", sh_offset, 0x43c0) } },
  { "bytes_in_front_of_growing_data_that_nothing_accounts_for_stay",
    make_long_plugin, .changes = { BYTES (0xff0, "pack") },
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
  /* The note ends with the first page.  */
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
  /* lld 15 lets PT_GNU_RELRO end with a page that a small file does not have.
   */
  { "relro_may_end_behind_the_file", make_relro_at_offset_0,
    .changes = { SET_SEGMENT (P_STACK, p_offset, 0x1fec),
                 SET_SEGMENT (P_STACK, p_filesz, 0x40000) } },
  { "relro_without_an_offset_gets_none", make_relro_at_offset_0,
    .changes = { RELOCATE (0x400000), INTERP_STAYS }, .strategy = "grow-down",
    .expects = { SEGMENT_HAS (PT_GNU_RELRO, p_offset, 0),
                 SEGMENT_HAS (PT_GNU_RELRO, p_vaddr, 0x401fec) } },
};

TEST_ROWS (served, struct fixture *test, set_up, tear_down, is_served)
{
  expect_served (test);
}

static const struct layout_case refused[] = {
  /* For example a packed program, to which patchelf has added section headers
     behind the data.  Such a program reads the data at their old offset.  */
  { "bytes_that_nothing_accounts_for_do_not_shift_down",
    .changes = { RELOCATE (0x400000), INTERP_STAYS, SET (elf.size, 0x2300),
                 BYTES (0x2200, "pack") },
    .reason = "accounts for would move" },
  { "bytes_that_nothing_accounts_for_do_not_shift_behind_the_bss",
    make_long_plugin,
    .changes = { SET (elf.size, 0x2300), BYTES (0x2200, "pack") },
    .reason = "accounts for would move" },
  { "note_with_endless_contents_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x204, 0x1000) }, .reason = ".note.qt.metadata" },
  { "note_with_an_endless_name_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x200, 0x1000) }, .reason = ".note.qt.metadata" },
  { "note_without_a_name_keeps_its_header", make_long_plugin,
    .changes = { WORD32 (0x200, 0) }, .reason = ".note.qt.metadata" },
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
  /* Without PT_PHDR libunwind takes addresses for offsets.  */
  { "libraries_at_an_address_keep_pt_phdr", make_library,
    .changes = { RELOCATE (0x400000), SET (elf.header.e_type, ET_DYN),
                 SET (elf.header.e_entry, 0) },
    .reason = ".interp" },
  { "static_pies_keep_pt_phdr", make_library,
    .changes = { SET (elf.header.e_entry, 0x1000) }, .reason = ".interp" },
  { "named_pies_keep_pt_phdr", make_library,
    .changes = { DYNAMIC (DT_FLAGS_1, 0x08000000 /* DF_1_PIE */) },
    .reason = ".interp" },
  { "other_notes_in_front_stay", make_crash_reporter,
    .changes = { WORD32 (0x21c + 8, 77) }, .reason = "cannot move" },
  /* Bytes that no header names may be in use, so notes do not move there.  */
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
  /* libunwind would read .dynsym in place of .gnu.hash.  */
  { "no_hash_table_is_read_in_other_bytes", make_many_symbols_of_lld,
    .changes = { DATA_AHEAD (0x1000), WORD64 (0x3000 + 16 + 8, 0x250),
                 SECTION (".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 0x250, 16),
                 WORD64 (0x3000 + 48 + 8, 0x260),
                 SET_SECTION (S_DYNSYM, sh_offset, 0x260),
                 SET_SECTION (S_DYNSYM, sh_addr, 0x260) },
    .reason = "cannot move" },
  { "loaders_with_a_huge_bss_do_not_grow", make_loader,
    .changes = { NO_SLACK, SET_SEGMENT (P_DATA, p_memsz, 1 << 27) },
    .reason = "the BSS is too large" },
  { "loaders_get_no_more_padding_than_others", make_loader,
    .changes = { NO_SLACK, DATA_AHEAD (1 << 27) },
    .reason = "symbol tables that move" },
  { "symbol_tables_need_too_much_padding",
    .changes = { NO_SLACK, SET_SEGMENT (P_DATA, p_memsz, 1 << 27) },
    .reason = "symbol tables that move" },
  { "data_with_a_huge_bss_does_not_grow", make_data_with_a_huge_bss,
    .reason = ".note.qt.metadata" },
  /* Readers of the file go by the offset, readers of memory by the address. */
  { "a_note_at_another_address_keeps_a_program_from_growing_down",
    .changes = { RELOCATE (0x400000), INTERP_STAYS,
                 SET_SEGMENT (P_NOTE, p_vaddr, 0x400400) },
    .reason = ".interp" },
  { "grows_down_only_above_lowest_address",
    .changes = { RELOCATE (0x10000), INTERP_STAYS }, .reason = "no room" },
};

TEST_ROWS (refused, struct fixture *test, set_up, tear_down, is_refused)
{
  expect_refused (test);
}

/* A file with 1 GiB of debugging information.  The functions of SFrame V1 and
   V2 are within 2 GiB of the section.  */
FIXTURE_TEST (gaps_in_memory_are_bounded)
{
  const size_t size = (size_t)1 << 30 | 0x8000;
  struct elf_builder *elf = &test->elf;
  elf->bytes[0x1104] = 1; /* no slack */
  elf_builder_add_section (elf, ".debug_str", SHT_PROGBITS, 0, 0x2000, 1, 1);
  elf_builder_finish (elf);
  uint8_t *header = elf->bytes + elf->header.e_shoff
                    + elf_builder_section (elf, ".debug_str") * 64;
  store_u64 (header + 24, elf->size, false);
  store_u64 (header + 32, size - elf->size, false);
  uint8_t *bytes = mmap (NULL, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_ptr_not_equal (bytes, MAP_FAILED);
  memcpy (bytes, elf->bytes, elf->size);
  assert_true (image_open_memory (&test->image, bytes, size, &test->err));
  plan_once (test);
  munmap (bytes, size);
  assert_string_equal (test->plan.strategy, "grow-data");
}

/* The padding of a plan is bounded, but not the size of .sframe.  */
FIXTURE_TEST (grows_down_for_large_sections)
{
  elf_builder_relocate (&test->elf, 0x40000000);
  test->elf.sections[S_INTERP].sh_flags |= SHF_EXECINSTR; /* stays */
  test->request.sframe_size = 48 << 20;
  open_old (test);
  plan_once (test);
  assert_string_equal (test->plan.strategy, "grow-down");
}
