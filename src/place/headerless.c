/* Files without section headers (-z nosectionheader): sections made from the
   program headers.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Program headers say where the interpreter's name and the notes are, and
   nothing else of what can move.  Every other byte that is loaded belongs to a
   section of unknown use.  Such a section stays, and is taken for code where
   it can be executed.  */

#include "place/placing.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/notes.h"
#include "elf/symbols.h"

enum
{
  KNOWN_MAX = 64,    /* sections */
  PADDING_MAX = 7,   /* zeros between what is aligned to 8 bytes */
  COMMENT_MAX = 4096 /* names of compilers */
};

/* ---- Sections */

static void
add_section (struct image *known, GElf_Shdr header, const char *name)
{
  if (known->n_sections < KNOWN_MAX)
    known->sections[known->n_sections++]
        = (struct image_section){ header, name };
}

/* A section for SIZE bytes at OFFSET, which LOAD loads.  */
static GElf_Shdr
loaded (const GElf_Phdr *load, uint64_t offset, uint64_t size, uint32_t type)
{
  return (GElf_Shdr){ .sh_type = type,
                      .sh_flags = SHF_ALLOC,
                      .sh_addr = load->p_vaddr + (offset - load->p_offset),
                      .sh_offset = offset,
                      .sh_size = size,
                      .sh_addralign = 1 };
}

/* Add a section for each note, as far as notes can be told apart: linkers put
   notes of both alignments into one PT_NOTE.  */
static void
add_notes (struct image *known, const GElf_Phdr *segment)
{
  uint64_t at = 0;
  while (at < segment->p_filesz)
    {
      struct note_walk walk = note_walk_over (known, segment->p_offset + at,
                                              segment->p_filesz - at, 4);
      struct note note = { 0 };
      GElf_Shdr header
          = loaded (segment, segment->p_offset + at, walk.size, SHT_NOTE);
      header.sh_addralign = 4;
      if (note_next (&walk, &note) && note.name_size == 4)
        header.sh_size = note.end;
      if (note.type == NT_GNU_PROPERTY_TYPE_0)
        header.sh_addralign = segment->p_align;
      add_section (known, header, "PT_NOTE");
      at += align_up (header.sh_size, 4);
      if (segment->p_align == 8 && at % 8 != 0 && at + 4 <= segment->p_filesz
          && range_is_zero (known, segment->p_offset + at, 4))
        at += 4;
    }
}

/* The nearest known section at or behind OFFSET that LOAD loads; or its end.
 */
static struct interval
next_known (const struct image *known, uint64_t offset, const GElf_Phdr *load)
{
  uint64_t end = load->p_offset + load->p_filesz;
  struct interval next = { end, end };
  for (size_t i = 1; i < known->n_sections; i++)
    {
      const GElf_Shdr *header = &known->sections[i].header;
      if (header->sh_offset >= offset && header->sh_offset < next.begin)
        next = (struct interval){ header->sh_offset,
                                  header->sh_offset + header->sh_size };
    }
  return next;
}

static void
add_unknown (struct image *known, const GElf_Phdr *load)
{
  uint64_t at = load->p_offset, end = load->p_offset + load->p_filesz;
  uint64_t table_end
      = known->header.e_phoff + known->n_segments * sizeof (Elf64_Phdr);
  if (at < table_end && table_end <= end)
    at = table_end;
  while (at < end && known->n_sections < KNOWN_MAX)
    {
      struct interval next = next_known (known, at, load);
      uint64_t size = next.begin - at;
      GElf_Shdr header = loaded (load, at, size, SHT_PROGBITS);
      header.sh_flags |= (load->p_flags & PF_X ? SHF_EXECINSTR : 0)
                         | (load->p_flags & PF_W ? SHF_WRITE : 0);
      if (size > PADDING_MAX || (size > 0 && !range_is_zero (known, at, size)))
        add_section (known, header, "what no header names");
      at = next.end > at ? next.end : end;
    }
}

/* Add a section for what may be the dynamic symbols.  They end where their
   names begin, or else somewhere in their segment.  */
static void
add_symbols (struct image *known)
{
  uint64_t symbols, names;
  if (!dynamic_find (known, DT_SYMTAB, &symbols))
    return;
  for (size_t i = 0; i < known->n_segments; i++)
    {
      const GElf_Phdr *load = &known->segments[i];
      if (load->p_type != PT_LOAD || symbols < load->p_vaddr
          || symbols - load->p_vaddr >= load->p_filesz)
        continue;
      uint64_t size = load->p_filesz - (symbols - load->p_vaddr);
      if (dynamic_find (known, DT_STRTAB, &names) && names > symbols
          && names - symbols < size)
        size = names - symbols;
      GElf_Shdr header = loaded (
          load, load->p_offset + (symbols - load->p_vaddr), size, SHT_DYNSYM);
      header.sh_entsize = sizeof (Elf64_Sym);
      add_section (known, header, "DT_SYMTAB");
    }
}

bool
known_sections_make (struct image *known, const struct image *image,
                     struct error *err)
{
  *known = *image;
  known->sections = calloc (KNOWN_MAX, sizeof known->sections[0]);
  if (known->sections == NULL)
    return error_set_no_memory (err);
  known->sections[0].name = "";
  known->n_sections = 1;
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      if (segment->p_type == PT_NOTE)
        add_notes (known, segment);
      else if (segment->p_type == PT_INTERP && segment->p_filesz > 0)
        add_section (known,
                     loaded (segment, segment->p_offset, segment->p_filesz,
                             SHT_PROGBITS),
                     "PT_INTERP");
    }
  for (size_t i = 0; i < image->n_segments; i++)
    if (image->segments[i].p_type == PT_LOAD)
      add_unknown (known, &image->segments[i]);
  add_symbols (known);
  if (known->n_sections < KNOWN_MAX)
    return true;
  known_sections_free (known);
  return error_set (err, CFI2SFRAME_REFUSED, "too many notes");
}

void
known_sections_free (struct image *known)
{
  free (known->sections);
  known->sections = NULL;
}

/* ---- What is behind the last segment */

/* Whether SIZE bytes are strings, each with its end.  */
static bool
is_text (const uint8_t *bytes, uint64_t size)
{
  for (uint64_t i = 0; i < size; i++)
    if (bytes[i] != '\0' && (bytes[i] < ' ' || bytes[i] == 0x7f))
      return false;
  return size > 0 && bytes[size - 1] == '\0';
}

/* Whether TEXT, SIZE bytes of strings, has the name of a compiler or linker in
   it.  */
static bool
has_comment (const uint8_t *text, uint64_t size)
{
  static const char *const makers[] = { "GCC: (", "mold ", "Linker: LLD ",
                                        "clang version ", "rustc version " };
  uint64_t start = 0;
  for (uint64_t i = 0; i < size && i < COMMENT_MAX; i++)
    {
      for (size_t k = 0; i == start && k < sizeof makers / sizeof makers[0];
           k++)
        if (size - i > strlen (makers[k])
            && memcmp (text + i, makers[k], strlen (makers[k])) == 0)
          return true;
      if (text[i] == '\0')
        start = i + 1;
    }
  return false;
}

/* Whether the entry is a symbol whose name is in TEXT, SIZE bytes.  */
static bool
is_symbol (const uint8_t *entry, uint64_t size, bool big_endian)
{
  struct symbol symbol;
  symbol_read (&symbol, entry, big_endian);
  return symbol.name < size && ELF64_ST_TYPE (symbol.info) <= STT_LOOS
         && ELF64_ST_BIND (symbol.info) <= STB_LOOS
         && (symbol.other & 0x1c) == 0;
}

/* The size of a symbol table at the end of the file, or 0.  Its first entry is
   zero.  */
static uint64_t
symbols_size (const struct image *image, uint64_t offset)
{
  const uint8_t *bytes = image->bytes + offset;
  uint64_t size = image->size - offset, table = 0;
  while (table + sizeof (Elf64_Sym) <= size)
    {
      table += sizeof (Elf64_Sym);
      uint64_t at = size - table;
      if (range_is_zero (image, offset + at, sizeof (Elf64_Sym)))
        return (offset + at) % 8 == 0 ? table : 0;
      if (!is_symbol (bytes + at, at, image->big_endian))
        return 0;
    }
  return 0;
}

bool
is_left_by_linker (const struct image *image, uint64_t offset)
{
  uint64_t symbols = symbols_size (image, offset);
  uint64_t text = image->size - offset - symbols;
  return image->header.e_shoff == 0 && is_text (image->bytes + offset, text)
         && has_comment (image->bytes + offset, text);
}
