/* Unit tests of src/write/debug_twin.c: bounds of what is compared between a
   program and its debug file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "elf_builder.h"
#include "write/debug_twin.h"
#include "tests/unit_test.h"

/* Whether a debug file counts as one without code.  It has N_CODE sections of
   code for the same SIZE bytes, which are zeros in the file, and each of the
   first N_OWNED of these bytes belongs to another section as well.  */
static bool
is_codeless (size_t n_code, uint64_t size, size_t n_owned)
{
  static const uint64_t begin = 0xf00;
  struct elf_builder elf;
  struct image image;
  struct error err = { 0 };
  elf_builder_program (&elf, EM_X86_64, false);
  Elf64_Phdr *code = &elf.segments[3];
  assert_int_equal (code->p_flags, PF_R | PF_X);
  code->p_offset = code->p_vaddr = begin;
  code->p_filesz = code->p_memsz = size;
  memset (elf.bytes + begin, 0, size);
  Elf64_Shdr *text = &elf.sections[elf_builder_section (&elf, ".text")];
  text->sh_type = SHT_NOBITS;
  text->sh_addr = text->sh_offset = begin;
  text->sh_size = size;
  elf_builder_finish (&elf);
  /* Move the section header table to the end, where it can get longer.  */
  size_t own = elf.header.e_shnum, more = n_code - 1 + n_owned;
  uint64_t table = (elf.size + 7) & ~UINT64_C (7);
  uint64_t file_size = table + (own + more) * sizeof (Elf64_Shdr);
  uint8_t *bytes = calloc (1, file_size);
  memcpy (bytes, elf.bytes, elf.size);
  Elf64_Shdr *headers = (void *)(bytes + table);
  memcpy (headers, bytes + elf.header.e_shoff, own * sizeof *headers);
  for (size_t i = 0; i < more; i++)
    headers[own + i]
        = i < n_code - 1
              ? headers[elf_builder_section (&elf, ".text")]
              : (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
                              .sh_flags = SHF_ALLOC,
                              .sh_offset = begin + (i - (n_code - 1)),
                              .sh_size = 1 };
  store_u64 (bytes + offsetof (Elf64_Ehdr, e_shoff), table, false);
  store_u16 (bytes + offsetof (Elf64_Ehdr, e_shnum), (uint16_t)(own + more),
             false);
  if (!image_open_memory (&image, bytes, file_size, &err))
    fail_msg ("%s", err.reason);
  bool codeless = debug_twin_check_codeless (&image, &err);
  image_close (&image);
  free (bytes);
  return codeless;
}

/* Zeros are not code.  A file that would take too long to search counts as one
   with code.  */
TEST (a_search_for_code_has_limits)
{
  assert_true (is_codeless (1, 0x1001, 0));
  assert_true (is_codeless (1, 4096, 4096));
  assert_false (is_codeless (1, 4097, 4097));
  /* The sections have more bytes than the file.  */
  assert_true (is_codeless (2, 0x1000, 0));
  assert_false (is_codeless (6, 0x1000, 0));
}

/* Each section has another number in the debug file than in the program.  At
   most 1024 of such sections are looked for.  */
TEST (a_thousand_sections_are_searched_for)
{
  enum
  {
    MOST = 1024
  };
  for (size_t n = MOST; n <= MOST + 1; n++)
    {
      char names[MOST + 1][8];
      struct image_section ours[MOST + 3] = { 0 }, theirs[MOST + 3] = { 0 };
      for (size_t i = 0; i < n; i++)
        {
          snprintf (names[i], sizeof names[i], "s%zu", i);
          ours[1 + i]
              = (struct image_section){ .name = names[i],
                                        .header = { .sh_type = SHT_PROGBITS,
                                                    .sh_flags = SHF_ALLOC } };
          theirs[2 + i] = ours[1 + i];
        }
      ours[n + 1].name = theirs[1].name = "";
      struct image program = { .sections = ours, .n_sections = n + 1 };
      struct image debug = { .sections = theirs, .n_sections = n + 2 };
      assert_int_equal (debug_twin_is_in_step (&debug, &program), n == MOST);
    }
}
