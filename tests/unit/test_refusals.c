/* Unit tests of src/place/refusals.c: which files are refused before they are
   converted, and which are not.  No file is read or written.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "layout_check.h"

#define APPENDED .reason = "are appended"

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

/* The section header of .shstrtab in the encoded file.  */
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

/* Append an archive and let PT_GNU_RELRO end behind it.  */
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

/* Let the section that was added be the last bytes of the file, as an exporter
   of games does.  */
static void
append_to_section (struct fixture *test)
{
  uint8_t *header = test->elf.bytes + test->elf.header.e_shoff
                    + (test->elf.n_sections - 2) * 64;
  store_u64 (header + 24, test->elf.size, false);
  store_u64 (header + 32, 16, false);
  append (test, "level one\n\0\2PACK", 16);
}

/* Append bytes that only a program header covers.  */
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

/* Begin the table one program header earlier, in the ELF header, where
   e_phnum and e_shentsize are read as p_type.  */
static void
begin_program_headers_in_the_elf_header (struct fixture *test)
{
  uint8_t *bytes = test->elf.bytes;
  memmove (bytes + 112, bytes + 64, 8 * 56);
  memset (bytes + 64, 0, 48);
  store_u64 (bytes + 32, 56, false);
  store_u16 (bytes + 56, 9, false);
}

/* The size of the table counts, whatever its entries are.  Linux before 6.17
   accepts 73 entries.  */
static void
count_many_headers (struct fixture *test)
{
  store_u16 (test->elf.bytes + 56, 71, false);
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

/* Two rows: a section behind the loaded bytes, once with other sections behind
   it and once at the end of the file.  */
#define PAYLOAD(called, section, type, flags)                           \
  { .name = called,                                                     \
    .changes = { SECTION (section, type, flags, 0x2200, 16),            \
                 BYTES (0x2200, "\21\0\0\0\0\0\0\0\0\0\0\0PACK") },     \
    .reason = "section " section " is not" },                           \
  {                                                                     \
    .name = called "_at_the_end",                                       \
    .changes = { SECTION (section, type, flags, 0x2200, 16) },          \
    .finish = append_to_section, .reason = "section " section " is not" \
  }

#define DUMPED(section) \
  SECTION (section, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x20c0, 0x40)

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
    .reason = "section pck is not" },
  { "a_section_in_front_of_a_segment_may_have_a_payload",
    .changes = { SECTION ("pck", SHT_PROGBITS, 0, 0xff8, 16) },
    .reason = "section pck is not" },

  { "refuses_files_without_section_headers",
    .changes = { SET (elf.n_sections, 0) }, .reason = "no section headers" },
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
    .reason = "headers overlap .mark" },
  { "refuses_files_without_program_headers",
    .changes = { SET (elf.n_segments, 0) }, .reason = "no loadable segment" },
  { "refuses_section_names_that_are_loaded", .finish = load_section_names,
    .reason = "is loaded with the program" },
  { "refuses_kernels_by_address", .changes = { RELOCATE (0xffffffff81000000) },
    .reason = "kernel" },
  { "refuses_kernels_that_xen_enters",
    .changes = { NOTE (0x220, "Xen", 1, 8) }, .reason = "kernel" },
  { "refuses_kernels_that_xen_enters_by_pvh",
    .changes = { NOTE (0x220, "Xen", 18, 8) }, .reason = "kernel" },
  { "refuses_kernels_of_multiboot",
    .changes = { NO_SEGMENT (P_INTERP), WORD32 (0x1010, 0x1badb002),
                 WORD32 (0x1014, 2), WORD32 (0x1018, -0x1badb004) },
    .reason = "kernel" },
  /* This header has one word more, and may stand behind the first 8 KiB.  */
  { "refuses_kernels_of_multiboot_2",
    .changes
    = { NO_SEGMENT (P_INTERP), WORD32 (0x2140, 0xe85250d6), WORD32 (0x2144, 4),
        WORD32 (0x2148, 24), WORD32 (0x214c, -(0xe85250d6 + 4 + 24)) },
    .reason = "kernel" },
  { "refuses_kernels_by_section", make_kernel_section, .reason = "kernel" },
  /* Loaders of NetBSD and OpenBSD need two PT_LOADs.  */
  { "refuses_libraries_of_netbsd",
    .changes = { BYTES (0x220, "\7\0\0\0\4\0\0\0\1\0\0\0NetBSD\0") },
    .reason = "another system" },
  { "refuses_libraries_of_openbsd",
    .changes = { BYTES (0x220, "\10\0\0\0\4\0\0\0\1\0\0\0OpenBSD\0") },
    .reason = "another system" },
  { "refuses_modules_of_freebsd",
    .changes = { SET (elf.header.e_ident[EI_OSABI], ELFOSABI_FREEBSD) },
    .reason = "another system" },
  { "refuses_programs_of_systems_without_a_note",
    .changes = { SET (elf.header.e_ident[EI_OSABI], ELFOSABI_SOLARIS) },
    .reason = "another system" },
  { "refuses_prelinked_files",
    .changes = { SECTION (".gnu.prelink_undo", SHT_PROGBITS, 0, 0x2200, 16) },
    .reason = "prelinked" },
  { "refuses_appended_payloads", .finish = append_archive,
    .reason = "4 bytes of unknown data" },
  { "refuses_payloads_that_relro_claims", make_relro_at_offset_0,
    .finish = append_archive_of_relro, APPENDED },
  { "refuses_signed_modules", .finish = append_signature, .reason = "signed" },
  { "refuses_modules_with_an_empty_signature",
    .finish = append_empty_signature, .reason = "signed" },
  { "refuses_appimages",
    .changes
    = { SET (elf.header.e_ident[8], 'A'), SET (elf.header.e_ident[9], 'I'),
        SET (elf.header.e_ident[10], 2) },
    .finish = append_file_system, .reason = "marked as an AppImage" },
  { "refuses_marked_runtimes", .changes = { SET (elf.header.e_ident[15], 1) },
    .reason = "marked as an AppImage" },
  { "refuses_enclaves_of_intel",
    .changes = { SECTION (".note.sgxmeta", SHT_NOTE, 0, 0x220, 16) },
    .reason = "enclave" },
  { "refuses_enclaves_of_open_enclave",
    .changes = { SECTION (".oeinfo", SHT_PROGBITS, SHF_ALLOC, 0x1010, 16) },
    .reason = "enclave" },
  { "refuses_memory_that_was_dumped_behind_data",
    .changes = { SET_SECTION (S_DATA, sh_size, 0x40), DUMPED (".data") },
    .reason = "memory of a program" },
  { "refuses_memory_that_was_dumped_as_bss",
    .changes = { SET_SECTION (S_DATA, sh_size, 0x40), DUMPED (".bss") },
    .reason = "memory of a program" },
  { "refuses_files_with_physical_addresses",
    .changes = { SET_SEGMENT (P_DATA, p_paddr, 0x80002000) },
    .reason = "kernel" },
  { "refuses_program_headers_in_the_elf_header",
    .finish = begin_program_headers_in_the_elf_header,
    .reason = "ELF header" },
  { "refuses_too_many_headers",
    .changes = { SET (elf.header.e_phoff, 0x2800) },
    .finish = count_many_headers, .reason = "too many program headers" },
  /* Found by changing headers at random.  Such a section may have any size. */
  { "refuses_section_names_without_bytes", .finish = empty_section_names,
    .status = CFI2SFRAME_MALFORMED, .reason = "" },
  { "refuses_endless_dynamic_tables", make_endless_dynamic_table,
    .status = CFI2SFRAME_MALFORMED, .reason = "too many dynamic entries" },
  { "refuses_incongruent_segments",
    .changes = { SET_SEGMENT (P_DATA, p_vaddr, 0x2008),
                 SET_SEGMENT (P_DATA, p_paddr, 0x2008) },
    .reason = "do not agree" },
};

TEST_ROWS (unfit, struct fixture *test, set_up, tear_down, is_unfit)
{
  make_file (test);
  assert_false (refusals_check (&test->image, &test->err));
  check_reason (test);
  assert_false (plan (test));
  check_reason (test);
}

/* ---- Files that are not refused.  */

enum
{
  LLVM_DEPENDENT_LIBRARIES = 0x6fff4c04 /* SHT_LLVM_DEPENDENT_LIBRARIES */
};

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

static const struct layout_case fit[] = {
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
  /* Words of both headers behind the bytes in which boot loaders look for the
     first, or in a program.  */
  { "programs_with_an_interpreter_are_no_kernels",
    .changes = { WORD32 (0x1010, 0x1badb002), WORD32 (0x1014, 2),
                 WORD32 (0x1018, -0x1badb004) } },
  { "what_a_read_only_segment_loads_is_not_appended",
    .finish = append_to_loaded_segment },
};

TEST_ROWS (fit, struct fixture *test, set_up, tear_down, is_fit)
{
  expect_served (test);
}

/* A file with one loaded byte is no debug file.  */
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

/* patchelf puts them there.  */
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

/* ---- Files that are not even opened.

   Most of them would take too much memory or time in every mode: --check took
   2 GB of memory for a file of 1.2 MB.  */

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

/* A kernel image is refused as one before any limit is checked.  */
FIXTURE_TEST (a_kernel_image_is_none_with_too_much)
{
  for (size_t i = 0; i < 3; i++)
    elf_builder_add_section (&test->elf, ".more", SHT_PROGBITS, 0, 0,
                             test->elf.size, 1);
  test->elf.segments[P_FIRST].p_vaddr = UINT64_C (1) << 63;
  test->elf.segments[P_TEXT].p_vaddr = 0;
  expect_not_opened (test, "kernel image");
  assert_int_equal (test->err.word, WORD_KERNEL_IMAGE);
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
