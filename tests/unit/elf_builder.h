/* Small ELF files for the tests of the layout, built in memory.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Headers are kept in host form and encoded at the end, so that a test can
   change anything in between.  */

#ifndef ELF_BUILDER_H
#define ELF_BUILDER_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

enum
{
  ELF_FILE_MAX = 0x20000,
  ELF_SEGMENTS_MAX = 40,
  ELF_SECTIONS_MAX = 40
};

struct elf_builder
{
  bool big_endian;
  Elf64_Ehdr header;
  Elf64_Phdr segments[ELF_SEGMENTS_MAX];
  size_t n_segments;
  Elf64_Shdr sections[ELF_SECTIONS_MAX];
  const char *names[ELF_SECTIONS_MAX];
  size_t n_sections; /* 0: no section header table */
  uint64_t size;     /* of the file */
  uint8_t bytes[ELF_FILE_MAX];
};

/* A position-independent program (or library) as GNU ld lays it out with
   4 KiB pages: eight program headers up to 0x200, then .interp,
   .note.gnu.build-id, .gnu.hash, .dynsym, .dynstr and .rodata up to 0x600;
   .text; .dynamic, .data and .bss; .symtab and its strings.  */
void elf_builder_program (struct elf_builder *elf, uint16_t machine,
                          bool big_endian);

/* Turn that program into an ET_EXEC, with all addresses higher by BASE.  */
void elf_builder_relocate (struct elf_builder *elf, uint64_t base);

/* The index of the section NAME; fails the test if there is none.  */
size_t elf_builder_section (const struct elf_builder *elf, const char *name);

Elf64_Phdr *elf_builder_segment (struct elf_builder *elf, uint32_t type);

/* SEGMENT is SIZE bytes at AT, its offset and its addresses.  */
void elf_builder_set_range (Elf64_Phdr *segment, uint64_t at, uint64_t size);

/* A PT_LOAD for SIZE bytes, with pages of 4 KiB.  */
Elf64_Phdr elf_builder_load (uint32_t flags, uint64_t offset, uint64_t address,
                             uint64_t size);

/* One PT_NOTE for a note of a program's own, at 0x600, and, behind it, the
   build-id.  */
void elf_builder_mix_notes (struct elf_builder *elf);

/* Append a section header with contents that are already in the file.  */
Elf64_Shdr *elf_builder_add_section (struct elf_builder *elf, const char *name,
                                     uint32_t type, uint64_t flags,
                                     uint64_t offset, uint64_t size,
                                     uint64_t align);

/* Write a note with a 4-byte NAME (zero included) at OFFSET.  */
void elf_builder_note (struct elf_builder *elf, uint64_t offset,
                       const char *name, uint32_t type, uint32_t size);

/* Write symbol INDEX of .symtab.  */
void elf_builder_symbol (struct elf_builder *elf, size_t index,
                         const char *section, uint8_t info, uint64_t value);

/* Encode the headers.  A name table and the section header table go to the
   end of the file.  Call once.  */
void elf_builder_finish (struct elf_builder *elf);

/* Code alone: an image of one segment, which has all of its bytes.  */
struct code_image
{
  GElf_Phdr load;
  struct image image;
};

void code_image_init (struct code_image *code, unsigned machine,
                      const void *bytes, size_t size, uint64_t address);

#endif /* ELF_BUILDER_H */
