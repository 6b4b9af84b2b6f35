/* Data that a program looks for in its own file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Self-extracting archives, game engines and bundled scripts find their data
   from the end of the file, where a conversion adds its own.  Such data is
   behind all that headers account for.  Or a section that is not loaded has
   it, because strip and objcopy keep sections; then others, names and headers
   may stand behind it, and the program searches the last bytes of the file.
   So a section that is not loaded has to be of a known kind, wherever it is.
   Known are tables that linkers and strip make anew, debugging information,
   which strip takes away, and formats in which a look at the bytes finds no
   data.  */

#include "place/refusals.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/notes.h"
#include "place/facts.h"

enum
{
  LLVM_TYPES = 0x6fff4c00,        /* and the 255 behind it: llvm's ELF.h */
  MACHINE_ATTRIBUTES = 0x70000003 /* of ARM, AArch64 and RISC-V */
};

/* Sections of type SHT_PROGBITS.  "*": and what begins with this.  */
static const char *const known_names[] = {
  /* DWARF 2 to 5 and what GNU and LLVM add; also compressed by name.  */
  ".debug_abbrev*",
  ".debug_addr*",
  ".debug_aranges",
  ".debug_cu_index",
  ".debug_frame",
  ".debug_funcnames",
  ".debug_gdb_scripts",
  ".debug_gnu_pub*",
  ".debug_info*",
  ".debug_line*",
  ".debug_loc*",
  ".debug_mac*",
  ".debug_names",
  ".debug_pubnames",
  ".debug_pubtypes",
  ".debug_ranges",
  ".debug_rnglists*",
  ".debug_str*",
  ".debug_sup",
  ".debug_tu_index",
  ".debug_typenames",
  ".debug_types*",
  ".debug_varnames",
  ".debug_weaknames",
  ".zdebug_*",
  ".stab",
  ".stab.*",
  ".gdb_index",
  ".gnu_debugaltlink",
  ".gnu_debugdata",
  ".gnu_debuglink",
  ".ctf",
  ".BTF*",
  /* What compilers leave for the next one.  */
  ".gnu.debuglto_*",
  ".gnu.lto_*",
  ".gnu.warning*",
  ".gnu.build.attributes*",
  ".annobin*",
  ".GCC.command.line",
  ".llvmbc",
  ".llvmcmd",
  ".rustc",
  ".stack_sizes",
  ".sframe",
};

static bool
is_known_name (const char *name)
{
  for (size_t i = 0; i < sizeof known_names / sizeof *known_names; i++)
    {
      size_t length = strlen (known_names[i]) - 1;
      if (known_names[i][length] == '*'
              ? strncmp (name, known_names[i], length) == 0
              : strcmp (name, known_names[i]) == 0)
        return true;
    }
  return false;
}

/* Whether the bytes are strings, and the last one ends: the names of
   compilers, for example.  */
static bool
is_text (const uint8_t *bytes, uint64_t size)
{
  for (uint64_t i = 0; i < size; i++)
    if (bytes[i] < ' ' && bytes[i] != '\0' && bytes[i] != '\n'
        && bytes[i] != '\t')
      return false;
  return bytes[size - 1] == '\0';
}

/* Whether there are notes and nothing else.  */
static bool
has_notes (const struct image *image, const GElf_Shdr *header)
{
  struct note_walk walk = note_walk_over (
      image, header->sh_offset, header->sh_size, header->sh_addralign);
  struct note note;
  while (note_next (&walk, &note))
    continue;
  return walk.at >= walk.size;
}

static bool
has_entries (const GElf_Shdr *header, uint64_t size)
{
  return header->sh_entsize == size && header->sh_size % size == 0;
}

/* Whether it is known what SECTION is for.  It is not empty.  */
static bool
is_known (const struct image *image, const struct image_section *section)
{
  const GElf_Shdr *header = &section->header;
  const uint8_t *bytes = image->bytes + header->sh_offset;
  if ((header->sh_flags & SHF_STRINGS)
      || strcmp (section->name, ".comment") == 0)
    return is_text (bytes, header->sh_size) || is_known_name (section->name);
  switch (header->sh_type)
    {
    case SHT_SYMTAB:
      return has_entries (header, sizeof (Elf64_Sym));
    case SHT_SYMTAB_SHNDX:
      return has_entries (header, sizeof (Elf64_Word));
    case SHT_RELA:
      return has_entries (header, sizeof (Elf64_Rela));
    case SHT_REL:
      return has_entries (header, sizeof (Elf64_Rel));
    case SHT_STRTAB:
      return section == &image->sections[image->section_names]
             || strcmp (section->name, ".strtab") == 0
             || strcmp (section->name, ".stabstr") == 0;
    case SHT_NOTE:
      return has_notes (image, header);
    case SHT_GNU_ATTRIBUTES:
    case MACHINE_ATTRIBUTES:
      return bytes[0] == 'A'; /* the version of the format */
    case SHT_GNU_SFRAME:
      return true;
    case SHT_PROGBITS:
      return is_known_name (section->name);
    default:
      return (header->sh_type & ~0xffu) == LLVM_TYPES;
    }
}

static bool
check_sections (const struct image *image, struct error *err)
{
  FOR_EACH_SECTION (section, image)
    {
      struct interval range = section_range (section);
      if (section->header.sh_size > 0 && range.begin < range.end
          && load_of (image, range) == NULL && !is_known (image, section))
        return error_set_word (
            err, CFI2SFRAME_REFUSED, WORD_APPENDED_DATA,
            "section %.40s is not loaded and of no known kind; "
            "programs look for such data at their end",
            section->name);
    }
  return true;
}

/* Whether the ELF header has something in bytes that are zero by gABI.
   Runtimes mark themselves there: "AI" is that of AppImage, "RI" of RunImage.
   They look for a file system where their section headers end, which may
   still be appended.  */
static bool
has_mark (const struct image *image)
{
  return !bytes_are_zero (image->header.e_ident + EI_PAD, EI_NIDENT - EI_PAD);
}

bool
own_data_check (const struct image *image, struct error *err)
{
  if (has_mark (image))
    return error_set_word (
        err, CFI2SFRAME_REFUSED, WORD_APPENDED_DATA,
        "marked as an AppImage is: a file system belongs at its end");
  uint64_t last = owner_last (image);
  if (last > image->size || range_is_zero (image, last, image->size - last))
    return check_sections (image, err);
  if (image_has_module_signature (image))
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_SIGNED,
                           "signed: a module signature is appended");
  /* Go leaves up to a page of zeros.  */
  return error_set_word (err, CFI2SFRAME_REFUSED, WORD_APPENDED_DATA,
                         "%llu bytes of unknown data are appended",
                         (unsigned long long)(image->size - last));
}
