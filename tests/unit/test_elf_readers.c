/* Unit tests of small readers in src/elf: build-ids, dynamic entries, code
   sections, .eh_frame by its header.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cfi/precedence.h"
#include "convert/detached.h"
#include "elf/detached_file.h"
#include "elf/dynamic.h"
#include "elf/notes.h"
#include "tests/guarded.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit_test.h"

static struct elf_builder elf;

static struct image
open_program (void)
{
  struct image image;
  struct error err = { 0 };
  elf_builder_finish (&elf);
  if (!image_open_memory (&image, elf.bytes, elf.size, &err))
    fail_msg ("%s", err.reason);
  return image;
}

/* What a program may have that is not the program a section was made for.  */
enum difference
{
  NO_DIFFERENCE,
  OTHER_MACHINE,
  OTHER_BUILD_ID,
  SHORTER_BUILD_ID,
  CODE_ELSEWHERE,
  MORE_CODE,
  CODE_IN_DATA,
  NO_CODE,
  DIFFERENCE_COUNT
};

static struct image
open_different (enum difference difference)
{
  elf_builder_program (
      &elf, difference == OTHER_MACHINE ? EM_AARCH64 : EM_X86_64, false);
  Elf64_Phdr *text = &elf.segments[3];
  assert_int_equal (text->p_flags, PF_R | PF_X);
  text->p_memsz = 0x180; /* more than the file has */
  if (difference == OTHER_BUILD_ID)
    elf.bytes[0x220 + 16 + 19] ^= 1;
  else if (difference == SHORTER_BUILD_ID)
    elf_builder_note (&elf, 0x220, "GNU", NT_GNU_BUILD_ID, 19);
  else if (difference == CODE_ELSEWHERE)
    text->p_vaddr += 0x100;
  else if (difference == MORE_CODE)
    text->p_memsz++;
  else if (difference == CODE_IN_DATA)
    elf.segments[4].p_flags |= PF_X;
  else if (difference == NO_CODE)
    text->p_flags = PF_R;
  return open_program ();
}

/* A tool that moves code leaves the build-id as it is.  */
TEST (a_detached_section_is_that_of_one_program)
{
  struct error err = { 0 };
  struct buffer file;
  struct detached_file found;
  const struct buffer section = { .bytes = (uint8_t[]){ 1, 2, 3 }, .size = 3 };
  struct image program = open_different (NO_DIFFERENCE);
  /* Behind .bss, of which the file has nothing.  */
  assert_int_equal (detached_address (&program), 0x2900);
  buffer_init (&file, false);
  assert_true (
      detached_file_compose (&program, &section, 0x9000, &file, &err));
  image_close (&program);
  for (int i = 0; i < DIFFERENCE_COUNT; i++)
    {
      int fd = memfd_create ("section", MFD_CLOEXEC);
      assert_true (write (fd, file.bytes, file.size) == (ssize_t)file.size);
      program = open_different ((enum difference)i);
      bool opened = detached_file_open (&found, fd, &program);
      if (opened != (i == NO_DIFFERENCE))
        fail_msg ("difference %d: %s", i, opened ? "opened" : "not opened");
      if (opened)
        {
          assert_int_equal (found.size, 3);
          assert_int_equal (found.address, 0x9000);
          assert_memory_equal (found.section, section.bytes, 3);
          image_close (&found.image);
        }
      image_close (&program);
    }
  buffer_free (&file);
}

/* Its digits have to fit.  */
TEST (build_ids_have_a_size)
{
  for (uint32_t size = BUILD_ID_SIZE_MAX; size <= BUILD_ID_SIZE_MAX + 1;
       size++)
    {
      elf_builder_program (&elf, EM_X86_64, false);
      elf_builder_note (&elf, 0x400, "GNU", NT_GNU_BUILD_ID, size);
      Elf64_Shdr *note
          = &elf.sections[elf_builder_section (&elf, ".note.gnu.build-id")];
      note->sh_offset = note->sh_addr = 0x400;
      note->sh_size = 16 + size;
      struct image image = open_program ();
      assert_int_equal (build_id_find (&image).size,
                        size <= BUILD_ID_SIZE_MAX ? size : 0);
      image_close (&image);
    }
}

/* Nothing is read behind the end of a walk, wherever a note of 17 bytes or its
   padding is cut off.  */
TEST (notes_end_with_their_bytes)
{
  static const uint8_t bytes[20] = "\4\0\0\0\1\0\0\0\3\0\0\0GNU";
  struct guarded memory = guarded_memory (sizeof bytes);
  for (size_t size = 0; size <= sizeof bytes; size++)
    {
      struct note note;
      struct note_walk walk
          = { .bytes = memory.end - size, .size = size, .align = 4 };
      memcpy (memory.end - size, bytes, size);
      assert_int_equal (note_next (&walk, &note), size >= 17);
      assert_false (note_next (&walk, &note));
    }
  guarded_free (memory);
}

TEST (dynamic_entries_end_with_their_segment)
{
  for (uint64_t size = 3 * 16; size <= 4 * 16; size += 8)
    {
      uint64_t value;
      elf_builder_program (&elf, EM_X86_64, false);
      elf_builder_segment (&elf, PT_DYNAMIC)->p_filesz = size;
      struct image image = open_program ();
      assert_true (dynamic_find (&image, DT_STRTAB, &value));
      assert_int_equal (dynamic_find (&image, DT_SYMTAB, &value),
                        size == 4 * 16);
      image_close (&image);
    }
}

/* Of .debug_frame, FDEs of code that lies in its section as a whole stay.  */
TEST (code_lies_in_its_section_as_a_whole)
{
  struct cfi_fde fdes[] = {
    { .address = 0x1010, .size = 0xf0 }, { .address = 0x1010, .size = 0 },
    { .address = 0x100f, .size = 1 },    { .address = 0x1000, .size = 0x100 },
    { .address = 0x10f0, .size = 0x10 }, { .address = 0x10f0, .size = 0x11 },
    { .address = 0x1101, .size = 1 },
  };
  struct cfi_section cfi = { .arch = &arch_amd64,
                             .inputs = { { .kind = CFI_DEBUG_FRAME } },
                             .n_inputs = 1,
                             .fdes = fdes,
                             .n_fdes = N_OF (fdes) };
  struct error err = { 0 };
  elf_builder_program (&elf, EM_X86_64, false);
  elf.segments[3].p_memsz = 0x180; /* the code's; more than the file has */
  GElf_Shdr *text = &elf.sections[elf_builder_section (&elf, ".text")];
  text->sh_addr += 0x10;
  text->sh_offset += 0x10;
  text->sh_size -= 0x10;
  struct image image = open_program ();
  assert_true (remove_dropped_functions (&cfi, &image, NULL, &err));
  assert_int_equal (cfi.n_fdes, 2);
  assert_int_equal (fdes[0].size, 0xf0);
  assert_int_equal (fdes[1].size, 0x10);
  image_close (&image);
}

/* The search table is sorted by functions, not by FDEs.  */
TEST (eh_frame_ends_behind_its_last_entry)
{
  enum
  {
    HEADER = 0x400,
    EH_FRAME = 0x440,
    LATE = 0x460,
    EARLY = 0x450
  };
  struct image_eh_frame found;
  struct error err = { 0 };
  elf_builder_program (&elf, EM_X86_64, false);
  Elf64_Phdr *segment = elf_builder_segment (&elf, PT_NOTE);
  segment->p_type = PT_GNU_EH_FRAME;
  segment->p_offset = segment->p_vaddr = segment->p_paddr = HEADER;
  segment->p_filesz = segment->p_memsz = 12 + 2 * 8;
  memcpy (elf.bytes + HEADER, "\1\x1b\3\x3b", 4);
  store_u32 (elf.bytes + HEADER + 4, EH_FRAME - (HEADER + 4), false);
  store_u32 (elf.bytes + HEADER + 8, 2, false);
  store_u32 (elf.bytes + HEADER + 16, LATE - HEADER, false);
  store_u32 (elf.bytes + HEADER + 24, EARLY - HEADER, false);
  store_u32 (elf.bytes + EARLY, 12, false);
  store_u32 (elf.bytes + LATE, 20, false);
  elf.n_sections = 0;
  struct image image = open_program ();
  if (!image_find_eh_frame (&image, &found, &err))
    fail_msg ("%s", err.reason);
  assert_int_equal (found.address, EH_FRAME);
  assert_int_equal (found.size, LATE + 4 + 20 - EH_FRAME);
  image_close (&image);
}
