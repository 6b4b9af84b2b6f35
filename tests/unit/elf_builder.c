/* Small ELF files for the tests of the layout, built in memory.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libelf.h>

#include "base/bytes.h"
#include "elf_builder.h"

enum
{
  TEXT = 0x1000,
  DATA = 0x2000,
  DYNAMIC_ENTRIES = 8,
  SYMBOLS = 8
};

static void
add_segment (struct elf_builder *elf, uint32_t type, uint32_t flags,
             uint64_t offset, uint64_t size, uint64_t memory, uint64_t align)
{
  elf->segments[elf->n_segments++] = (Elf64_Phdr){ .p_type = type,
                                                   .p_flags = flags,
                                                   .p_offset = offset,
                                                   .p_vaddr = offset,
                                                   .p_paddr = offset,
                                                   .p_filesz = size,
                                                   .p_memsz = memory,
                                                   .p_align = align };
}

Elf64_Shdr *
elf_builder_add_section (struct elf_builder *elf, const char *name,
                         uint32_t type, uint64_t flags, uint64_t offset,
                         uint64_t size, uint64_t align)
{
  assert_true (elf->n_sections < ELF_SECTIONS_MAX);
  Elf64_Shdr *header = &elf->sections[elf->n_sections];
  *header = (Elf64_Shdr){ .sh_type = type,
                          .sh_flags = flags,
                          .sh_addr = flags & SHF_ALLOC ? offset : 0,
                          .sh_offset = offset,
                          .sh_size = size,
                          .sh_addralign = align };
  elf->names[elf->n_sections++] = name;
  if (type != SHT_NOBITS && offset + size > elf->size)
    elf->size = offset + size;
  return header;
}

void
elf_builder_note (struct elf_builder *elf, uint64_t offset, const char *name,
                  uint32_t type, uint32_t size)
{
  store_u32 (elf->bytes + offset, 4, elf->big_endian);
  store_u32 (elf->bytes + offset + 4, size, elf->big_endian);
  store_u32 (elf->bytes + offset + 8, type, elf->big_endian);
  memcpy (elf->bytes + offset + 12, name, 4);
  memset (elf->bytes + offset + 16, 0xb1, size);
}

static void
add_dynamic (struct elf_builder *elf, size_t index, int64_t tag,
             uint64_t value)
{
  store_u64 (elf->bytes + DATA + index * 16, (uint64_t)tag, elf->big_endian);
  store_u64 (elf->bytes + DATA + index * 16 + 8, value, elf->big_endian);
}

void
elf_builder_symbol (struct elf_builder *elf, size_t index, const char *section,
                    uint8_t info, uint64_t value)
{
  size_t table = elf_builder_section (elf, ".symtab");
  uint8_t *symbol = elf->bytes + elf->sections[table].sh_offset + index * 24;
  symbol[4] = info;
  store_u16 (symbol + 6, (uint16_t)elf_builder_section (elf, section),
             elf->big_endian);
  store_u64 (symbol + 8, value, elf->big_endian);
}

static void
add_segments (struct elf_builder *elf)
{
  add_segment (elf, PT_PHDR, PF_R, 0x40, 0x1c0, 0x1c0, 8);
  add_segment (elf, PT_INTERP, PF_R, 0x200, 0x1c, 0x1c, 1);
  add_segment (elf, PT_LOAD, PF_R, 0, 0x600, 0x600, 0x1000);
  add_segment (elf, PT_LOAD, PF_R | PF_X, TEXT, 0x100, 0x100, 0x1000);
  add_segment (elf, PT_LOAD, PF_R | PF_W, DATA, 0x100, 0x900, 0x1000);
  add_segment (elf, PT_DYNAMIC, PF_R | PF_W, DATA, DYNAMIC_ENTRIES * 16,
               DYNAMIC_ENTRIES * 16, 8);
  add_segment (elf, PT_NOTE, PF_R, 0x220, 0x24, 0x24, 4);
  add_segment (elf, PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 16);
}

static void
add_sections (struct elf_builder *elf)
{
  elf_builder_add_section (elf, "", SHT_NULL, 0, 0, 0, 0);
  elf_builder_add_section (elf, ".interp", SHT_PROGBITS, SHF_ALLOC, 0x200,
                           0x1c, 1);
  elf_builder_add_section (elf, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC,
                           0x220, 0x24, 4);
  elf_builder_add_section (elf, ".gnu.hash", SHT_GNU_HASH, SHF_ALLOC, 0x248,
                           0x24, 8);
  elf_builder_add_section (elf, ".dynsym", SHT_DYNSYM, SHF_ALLOC, 0x270, 0x48,
                           8)
      ->sh_entsize
      = 24;
  elf_builder_add_section (elf, ".dynstr", SHT_STRTAB, SHF_ALLOC, 0x2b8, 0x48,
                           1);
  elf_builder_add_section (elf, ".rodata", SHT_PROGBITS, SHF_ALLOC, 0x400,
                           0x200, 16);
  elf_builder_add_section (elf, ".text", SHT_PROGBITS,
                           SHF_ALLOC | SHF_EXECINSTR, TEXT, 0x100, 16);
  elf_builder_add_section (elf, ".dynamic", SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE,
                           DATA, DYNAMIC_ENTRIES * 16, 8);
  elf_builder_add_section (elf, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
                           DATA + 0x80, 0x80, 8);
  elf_builder_add_section (elf, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE,
                           DATA + 0x100, 0x800, 8);
  Elf64_Shdr *symbols = elf_builder_add_section (elf, ".symtab", SHT_SYMTAB, 0,
                                                 0x2100, SYMBOLS * 24, 8);
  symbols->sh_entsize = 24;
  symbols->sh_link = (uint32_t)elf->n_sections;
  elf_builder_add_section (elf, ".strtab", SHT_STRTAB, 0,
                           0x2100 + SYMBOLS * 24, 0x20, 1);
}

static void
fill_contents (struct elf_builder *elf)
{
  for (size_t i = 0; i < 0x200; i++)
    elf->bytes[0x400 + i] = (uint8_t)(i | 1);
  memset (elf->bytes + TEXT, 0x90, 0x100);
  memset (elf->bytes + DATA + 0x80, 0xda, 0x80);
  strcpy ((char *)elf->bytes + 0x200, "/lib64/ld-linux-x86-64.so.2");
  elf_builder_note (elf, 0x220, "GNU", NT_GNU_BUILD_ID, 20);
  memset (elf->bytes + 0x248, 0x5a, 0x24);
  memset (elf->bytes + 0x270, 0x5b, 0x48);
  store_u16 (elf->bytes + 0x270 + 6, 0, elf->big_endian);
  store_u16 (elf->bytes + 0x288 + 6, 0, elf->big_endian);
  store_u16 (elf->bytes + 0x2a0 + 6, 0, elf->big_endian);
  strcpy ((char *)elf->bytes + 0x2b8 + 1, "libc.so.6");
  add_dynamic (elf, 0, DT_NEEDED, 1);
  add_dynamic (elf, 1, DT_GNU_HASH, 0x248);
  add_dynamic (elf, 2, DT_STRTAB, 0x2b8);
  add_dynamic (elf, 3, DT_SYMTAB, 0x270);
  add_dynamic (elf, 4, DT_STRSZ, 0x48);
}

void
elf_builder_program (struct elf_builder *elf, uint16_t machine,
                     bool big_endian)
{
  memset (elf, 0, sizeof *elf);
  elf->big_endian = big_endian;
  elf->header = (Elf64_Ehdr){ .e_type = ET_DYN,
                              .e_machine = machine,
                              .e_version = EV_CURRENT,
                              .e_entry = TEXT,
                              .e_phoff = sizeof (Elf64_Ehdr),
                              .e_ehsize = sizeof (Elf64_Ehdr),
                              .e_phentsize = sizeof (Elf64_Phdr),
                              .e_shentsize = sizeof (Elf64_Shdr) };
  memcpy (elf->header.e_ident, ELFMAG, SELFMAG);
  elf->header.e_ident[EI_CLASS] = ELFCLASS64;
  elf->header.e_ident[EI_DATA] = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
  elf->header.e_ident[EI_VERSION] = EV_CURRENT;
  add_segments (elf);
  add_sections (elf);
  fill_contents (elf);
}

void
elf_builder_relocate (struct elf_builder *elf, uint64_t base)
{
  elf->header.e_type = ET_EXEC;
  elf->header.e_entry += base;
  for (size_t i = 0; i < elf->n_segments; i++)
    if (elf->segments[i].p_type != PT_GNU_STACK)
      {
        elf->segments[i].p_vaddr += base;
        elf->segments[i].p_paddr += base;
      }
  for (size_t i = 0; i < elf->n_sections; i++)
    if (elf->sections[i].sh_flags & SHF_ALLOC)
      elf->sections[i].sh_addr += base;
  add_dynamic (elf, 1, DT_GNU_HASH, base + 0x248);
  add_dynamic (elf, 2, DT_STRTAB, base + 0x2b8);
  add_dynamic (elf, 3, DT_SYMTAB, base + 0x270);
}

size_t
elf_builder_section (const struct elf_builder *elf, const char *name)
{
  for (size_t i = 0; i < elf->n_sections; i++)
    if (strcmp (elf->names[i], name) == 0)
      return i;
  fail_msg ("no section %s", name);
  return 0;
}

Elf64_Phdr *
elf_builder_segment (struct elf_builder *elf, uint32_t type)
{
  for (size_t i = 0; i < elf->n_segments; i++)
    if (elf->segments[i].p_type == type)
      return &elf->segments[i];
  fail_msg ("no segment of type %x", type);
  return NULL;
}

void
elf_builder_set_range (Elf64_Phdr *segment, uint64_t at, uint64_t size)
{
  segment->p_offset = segment->p_vaddr = segment->p_paddr = at;
  segment->p_filesz = segment->p_memsz = size;
}

Elf64_Phdr
elf_builder_load (uint32_t flags, uint64_t offset, uint64_t address,
                  uint64_t size)
{
  return (Elf64_Phdr){ PT_LOAD, flags, offset, address,
                       address, size,  size,   0x1000 };
}

void
elf_builder_mix_notes (struct elf_builder *elf)
{
  Elf64_Phdr *first = elf_builder_segment (elf, PT_LOAD);
  Elf64_Shdr *id
      = &elf->sections[elf_builder_section (elf, ".note.gnu.build-id")];
  first->p_filesz = first->p_memsz = 0x700;
  elf_builder_set_range (elf_builder_segment (elf, PT_NOTE), 0x600, 0x40);
  id->sh_offset = id->sh_addr = 0x61c;
  elf_builder_add_section (elf, ".note.own", SHT_NOTE, SHF_ALLOC, 0x600, 0x1c,
                           4);
  elf_builder_note (elf, 0x600, "Own", 7, 12);
  elf_builder_note (elf, 0x61c, "GNU", NT_GNU_BUILD_ID, 20);
}

static void
encode (struct elf_builder *elf, Elf_Type type, void *source, size_t size,
        uint64_t offset)
{
  Elf_Data from = {
    .d_buf = source, .d_type = type, .d_version = EV_CURRENT, .d_size = size
  };
  Elf_Data to = from;
  assert_true (offset + size <= ELF_FILE_MAX);
  to.d_buf = elf->bytes + offset;
  elf_version (EV_CURRENT);
  assert_non_null (elf64_xlatetof (&to, &from, elf->header.e_ident[EI_DATA]));
}

static void
finish_sections (struct elf_builder *elf)
{
  Elf64_Shdr *names = elf_builder_add_section (elf, ".shstrtab", SHT_STRTAB, 0,
                                               elf->size, 1, 1);
  for (size_t i = 1; i < elf->n_sections; i++)
    {
      size_t length = strlen (elf->names[i]) + 1;
      elf->sections[i].sh_name = (uint32_t)names->sh_size;
      memcpy (elf->bytes + names->sh_offset + names->sh_size, elf->names[i],
              length);
      names->sh_size += length;
    }
  if (elf->header.e_shoff == 0)
    elf->header.e_shoff = (names->sh_offset + names->sh_size + 7) & ~7ul;
  elf->header.e_shnum = (uint16_t)elf->n_sections;
  elf->header.e_shstrndx = (uint16_t)(elf->n_sections - 1);
  size_t size = elf->n_sections * sizeof elf->sections[0];
  encode (elf, ELF_T_SHDR, elf->sections, size, elf->header.e_shoff);
  elf->size = names->sh_offset + names->sh_size;
  if (elf->header.e_shoff + size > elf->size)
    elf->size = elf->header.e_shoff + size;
}

void
elf_builder_finish (struct elf_builder *elf)
{
  if (elf->n_sections > 0)
    finish_sections (elf);
  elf->header.e_phnum = (uint16_t)elf->n_segments;
  encode (elf, ELF_T_PHDR, elf->segments,
          elf->n_segments * sizeof elf->segments[0], elf->header.e_phoff);
  encode (elf, ELF_T_EHDR, &elf->header, sizeof elf->header, 0);
}

void
code_image_init (struct code_image *code, unsigned machine, const void *bytes,
                 size_t size, uint64_t address)
{
  code->load = (GElf_Phdr){ .p_type = PT_LOAD,
                            .p_flags = PF_R | PF_X,
                            .p_vaddr = address,
                            .p_filesz = size,
                            .p_memsz = size };
  code->image
      = (struct image){ .bytes = bytes,
                        .size = size,
                        .arch = arch_of_machine ((uint16_t)machine, false),
                        .header = { .e_machine = (uint16_t)machine },
                        .segments = &code->load,
                        .n_segments = 1 };
}
