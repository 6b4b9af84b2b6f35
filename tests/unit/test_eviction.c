/* Unit tests of src/place/eviction.c: which sections and notes behind the
   program header table move to make room for it, where they go, and what keeps
   them where they are.  No file is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "layout_check.h"

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

/* A global variable at the address of the build-id.  */
#define BUILD_ID_SYMBOL                                                    \
  SYMBOL (1, ".note.gnu.build-id", ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT), \
          0x220)

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

/* Move .dynstr to OFFSET, which leaves a hole.  */
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

/* .dynsym has more than a page.  */
static void
make_many_symbols (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  move_on (elf, 0x400, true);
  elf->segments[P_FIRST].p_filesz = elf->segments[P_FIRST].p_memsz = 0x1600;
  elf->sections[S_DYNSYM].sh_size = 171 * 24;
  move_dynamic_strings (test, 0x1280);
}

static void
make_fixed_program_with_room (struct fixture *test)
{
  test->elf.sections[S_DYNSYM].sh_size = 0x120;
  move_dynamic_strings (test, 0x3a0);
  elf_builder_relocate (&test->elf, 0x400000);
}

/* The table, and all sections behind it, are in the last segment.  The slack
   of the code is enough for .gnu.hash alone.  */
static void
make_table_in_last_segment (struct fixture *test)
{
  struct elf_builder *elf = &test->elf;
  const uint64_t table = 0x3000, shift = 0x2fc0;
  memcpy (elf->bytes + 0x200 + shift, elf->bytes + 0x200, 0xb8);
  memset (elf->bytes + 0x200, 0, 0xb8);
  for (size_t i = S_INTERP; i <= S_DYNSYM; i++)
    elf->sections[i].sh_addr = elf->sections[i].sh_offset += shift;
  elf->sections[S_DYNSYM].sh_type = SHT_GNU_versym;
  store_u64 (elf->bytes + 0x2000 + 16 + 8, 0x248 + shift, elf->big_endian);
  store_u64 (elf->bytes + 0x2000 + 48, DT_VERSYM, elf->big_endian);
  store_u64 (elf->bytes + 0x2000 + 48 + 8, 0x270 + shift, elf->big_endian);
  elf->bytes[0x1130] = 1;
  elf->header.e_phoff = table;
  elf_builder_set_range (&elf->segments[P_PHDR], table, 0x1c0);
  elf_builder_set_range (&elf->segments[P_INTERP], 0x200 + shift, 0x1c);
  elf_builder_set_range (&elf->segments[P_NOTE], 0x220 + shift, 0x24);
  elf->segments[P_STACK] = elf_builder_load (PF_R, table, table, 0x2b8);
  elf->size = 0x32b8;
}

/* Move the program header table to right in front of a package note.  */
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

#define DYNAMIC_TABLE(section, tag, address)             \
  {                                                      \
    .name = "dynamic_entry_follows_" #section,           \
    .changes = { SET_SECTION (S_HASH, sh_type, section), \
                 WORD64 (0x2000 + 16, tag) },            \
    .expects                                             \
        = { SECTION_HAS (".gnu.hash", sh_addr, address), \
            DYNAMIC_HAS (tag, address) }                 \
  }

/* The only dynamic relocation.  These are 5 changes.  */
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

/* Dynamic symbol 1 is that of SECTION.  */
#define SECTION_SYMBOL(section, address)                                    \
  SET (elf.bytes[0x288 + 4], STT_SECTION), BYTES (0x288 + 6, section "\0"), \
      WORD64 (0x288 + 8, address)

enum
{
  BEHIND = 8 /* the index behind the last symbol */
};

/* Code or data may have the address of a byte that would move.  A stripped
   program that read its build-id through symbols of a linker script printed
   zeros.  0x234 is in the build-id.  */
#define REFERENCED .reason = "code or data may refer to"

static const struct layout_case served[] = {
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
  { "segments_and_symbol_tables_go_into_slack",
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE) },
    .expects
    = { SEGMENT_BEGINS (PT_INTERP, 0x1100), SEGMENT_BEGINS (PT_NOTE, 0x111c),
        SEGMENT_HAS_SIZE (PT_NOTE, 36),
        SECTION_HAS (".gnu.hash", sh_addr, 0x1140),
        SECTION_HAS (".gnu.hash", sh_offset, 0x1140),
        SEGMENT_AT_HAS_SIZE (P_TEXT, 0x164) } },
  /* There is no slack for .gnu.hash, and at the end of the file offsets are
     not addresses.  */
  { "symbol_tables_are_as_far_from_their_offset", .changes = { NO_SLACK },
    .expects = { SECTION_HAS (".sframe", sh_addr, 0x3000),
                 SECTION_HAS (".sframe", sh_offset, 0x3000),
                 SECTION_HAS (".gnu.hash", sh_addr, 0x4388),
                 SECTION_HAS (".gnu.hash", sh_offset, 0x4388) } },
  { "eviction_works_in_big_endian_files", make_s390x,
    .changes = { SYMBOL (1, ".gnu.hash", STT_SECTION, 0x248) },
    .expects = { SECTION_HAS (".gnu.hash", sh_addr, 0x1100),
                 DYNAMIC_HAS (DT_GNU_HASH, 0x1100),
                 SYMBOL_HAS (".symtab", 1, 0x1100) } },
  { "eviction_takes_package_notes",
    .changes = { NOTE (0x220, "FDO", 0xcafe1a7e, 20) } },
  /* Each library and plugin of Go has this note.  */
  { "eviction_takes_build_ids_of_go",
    .changes = { NOTE (0x220, "Go\0", 4, 20) } },
  { "eviction_takes_sections_of_one_byte",
    .changes = { SEGMENT_SIZE (P_INTERP, 1),
                 SET_SECTION (S_INTERP, sh_size, 1), ZEROS (0x201, 0x1b) } },
  /* The unused symbol that glibc puts on the ABI tag; refused[] has one with
     a name that does not end.  */
  { "eviction_takes_notes_with_the_abi_tags_symbol",
    .changes = { BUILD_ID_SYMBOL, BYTES (STRTAB, "\0__abi_tag"),
                 WORD32 (SYMTAB + 24, 1) } },
  /* Libraries by mold without a build-id have this symbol.  */
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
  /* The gABI says that 0 means the same as 1.  */
  { "segments_may_have_alignment_0",
    .changes = { SET_SEGMENT (P_TEXT, p_align, 0) } },
  /* systemd-run of Debian 13 and 84 more of its 2,015 files: .dynsym stayed,
     and patchelf wrote a header over the note in front of it.  */
  { "patchelf_finds_a_spare_slot_for_a_large_table", make_many_symbols,
    .changes = { NO_BUILD_ID }, .check = check_spare_slot },
  /* The file would need 128 MiB of padding for .dynsym.  */
  { "no_spare_slot_is_left_where_symbols_would_have_no_place",
    make_many_symbols,
    .changes = { NO_BUILD_ID, SET_SEGMENT (P_DATA, p_memsz, 1 << 27) },
    .expects = { SECTION_HAS (".dynsym", sh_offset, 0x270) } },
  { "no_spare_slot_is_left_for_64_kib_of_padding", make_many_symbols,
    .changes = { NO_BUILD_ID, DATA_AHEAD (0xe000),
                 SET_SEGMENT (P_DATA, p_memsz, 0x4000) },
    .expects = { SECTION_HAS (".dynsym", sh_offset, 0x270) } },
  { "a_spare_slot_is_left_for_less_padding", make_many_symbols,
    .changes = { NO_BUILD_ID, DATA_AHEAD (0xa000) },
    .check = check_spare_slot },
  { "a_spare_slot_is_left_in_files_longer_than_the_memory", make_many_symbols,
    .changes
    = { NO_BUILD_ID, SECTION (".debug_str", SHT_PROGBITS, 0, 0x4000, 0x4000) },
    .check = check_spare_slot },
  { "patchelf_finds_a_spare_slot", make_room_for_patchelf,
    .check = check_spare_slot },
  /* The padding is no longer for the spare slot.  */
  { "a_spare_slot_is_left_where_padding_is_needed_anyway",
    make_room_for_patchelf,
    .changes = { NO_SLACK, SET_SEGMENT (P_DATA, p_memsz, 1 << 20) },
    .check = check_spare_slot },
  { "a_spare_slot_is_left_where_no_padding_is_needed", make_room_for_patchelf,
    .changes = { SET_SEGMENT (P_DATA, p_memsz, 1 << 20) },
    .check = check_spare_slot },
  /* .interp and the note go into slack.  */
  { "symbol_tables_go_into_freed_bytes_too_few_for_segments",
    .changes = { NO_BUILD_ID, SET_SECTION (S_HASH, sh_size, 16),
                 SET_SECTION (S_DYNSYM, sh_offset, 0x280),
                 SET_SECTION (S_DYNSYM, sh_addr, 0x280),
                 SET_SECTION (S_DYNSYM, sh_size, 0x38),
                 SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
                 ZEROS (0x258, 0x28) },
    .expects = { SECTION_HAS (".gnu.hash", sh_offset, 0x270),
                 SEGMENT_BEGINS (PT_INTERP, 0x1100) } },
  { "symbol_tables_do_not_go_into_slack_of_another_difference",
    .changes = { DATA_AHEAD (0x10000), SET_SEGMENT (P_TEXT, p_vaddr, 0x11000),
                 SET_SEGMENT (P_TEXT, p_paddr, 0x11000),
                 SET_SECTION (S_TEXT, sh_addr, 0x11000) } },
  /* Behind two more program headers the note ends with the first page.  */
  { "a_note_that_moves_may_fill_the_first_page",
    .changes = { TABLE_BEFORE_NOTE (0x600, 0x7d0) },
    .expects = { SEGMENT_HAS (PT_NOTE, p_offset, 0x830),
                 SEGMENT_HAS (PT_NOTE, p_filesz, 0x7d0) } },
  { "a_note_behind_the_first_page_may_go_anywhere",
    .changes = { TABLE_BEFORE_NOTE (0xd00, 0x144) } },
  /* Segments behind the longer table are no end for that of the code.  */
  { "segments_that_stay_with_the_table_do_not_make_others_grow",
    make_table_in_last_segment,
    .expects = { SECTION_HAS (".gnu.hash", sh_offset, 0x1100),
                 SEGMENT_AT_HAS_SIZE (P_TEXT, 0x124) } },
  { "patchelf_filler_is_nobodys", .changes = { BYTES (0x21c, "XXZZ") } },
  { "eviction_keeps_the_alignment_of_a_page",
    .changes = { SET_SECTION (S_INTERP, sh_addralign, 4096) },
    .expects = { SECTION_HAS (".interp", sh_addr, 0x1200) } },
  { "evicted_tables_leave_a_section_in_fixed_programs",
    make_fixed_program_with_room,
    .expects = { SECTION_HAS (".old_tables", sh_type, SHT_PROGBITS),
                 SECTION_HAS (".old_tables", sh_offset, 0x310),
                 SECTION_HAS (".old_tables", sh_size, 0x90),
                 SECTION_HAS (".old_tables", sh_addr, 0x400310),
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
  DYNAMIC_TABLE (SHT_HASH, DT_HASH, 0x1100),
  DYNAMIC_TABLE (SHT_GNU_HASH, DT_GNU_HASH, 0x1100),
  DYNAMIC_TABLE (SHT_GNU_versym, DT_VERSYM, 0x4968),
  DYNAMIC_TABLE (SHT_GNU_verneed, DT_VERNEED, 0x4968),
  DYNAMIC_TABLE (SHT_GNU_verdef, DT_VERDEF, 0x4968),
  /* The bytes behind .symtab look like a symbol of a section that moves.  */
  { "what_follows_a_symbol_table_is_no_symbol",
    .changes = { SYMBOL (BEHIND, ".gnu.hash", STT_SECTION, 0x248),
                 SYMBOL (BEHIND - 1, ".gnu.hash", STT_SECTION, 0x248) },
    .expects = { SYMBOL_HAS (".symtab", BEHIND, 0x248),
                 SYMBOL_HAS (".symtab", BEHIND - 1, 0x1100) } },
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
};

TEST_ROWS (served, struct fixture *test, set_up, tear_down, is_served)
{
  expect_served (test);
}

static const struct layout_case refused[] = {
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
  { "what_headers_name_needs_slack_of_the_same_difference",
    .changes
    = { NO_BUILD_ID, SET_SECTION (S_DYNSYM, sh_flags, SHF_ALLOC | SHF_WRITE),
        DATA_AHEAD (0x10000), SET_SEGMENT (P_TEXT, p_vaddr, 0x11000),
        SET_SEGMENT (P_TEXT, p_paddr, 0x11000),
        SET_SECTION (S_TEXT, sh_addr, 0x11000) },
    .reason = ".dynsym" },
  { "eviction_stops_at_unknown_notes",
    .changes = { NOTE (0x220, "Cra", 1, 20) },
    .reason = ".note.gnu.build-id" },
  /* The note of the packages in a library (-buildmode=shared).  */
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
  /* The second note is longer than its section.  */
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
  /* An empty section marks an address that code may use.  */
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
  /* The target of a relocation is in use, whatever the relocation writes.  */
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
  /* The section's address alone leads elsewhere, and so does the addend.  */
  { "relocations_by_symbols_of_sections_keep_what_they_lead_to",
    .changes = { SECTION_SYMBOL ("\7", 0x1000),
                 RELOCATION (0x2090, 1, 1, 0x234 - 0x1000) },
    REFERENCED },
  { "relocations_by_a_table_that_no_section_has_keep_everything",
    .changes = { SET_SECTION (S_DYNSYM, sh_type, SHT_PROGBITS),
                 RELOCATION (0x2090, 1, 1, 0), NO_BUILD_ID },
    REFERENCED },
  { "relocations_we_cannot_read_keep_everything",
    .changes = { DYNAMIC (0x60000011 /* DT_ANDROID_RELA */, 0x400) },
    REFERENCED },
  /* The address of a dynamic symbol is in .interp.  */
  { "other_files_may_know_evicted_bytes",
    .changes
    = { SET (elf.bytes[0x288 + 4], ELF64_ST_INFO (STB_GLOBAL, STT_OBJECT)),
        BYTES (0x288 + 6, "\2\0"), WORD64 (0x288 + 8, 0x210) },
    REFERENCED },
};

TEST_ROWS (refused, struct fixture *test, set_up, tear_down, is_refused)
{
  expect_refused (test);
}
