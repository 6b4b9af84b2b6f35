/* Writing a relocatable object with a new .sframe, through libelf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libelf gets the sections one after the other and chooses their offsets,
   because nothing in an object depends on file offsets.  Only sections that
   change are copied to memory (object_symbols.h).  */

#include "relocatable/object_write.h"

#include <errno.h>

#include "base/buffer.h"
#include "relocatable/object.h"
#include "relocatable/object_symbols.h"

static const char new_names[] = "\0.rela.sframe";
enum
{
  RELA_NAME = 1, /* offset in new_names */
  SFRAME_NAME = 6
};

/* The object that is written.  */
struct object_writer
{
  const struct image *image;
  const struct object_section *made; /* .sframe */
  struct object_symbols symbols;
  Elf *elf;
  /* Indexes of sections in the new object, 0 for none, and their number.  New
     sections are behind the old ones, which keep their indexes.  */
  size_t sframe, rela, large_indexes, n;
  struct buffer relocations, names;
  size_t new_names; /* offset in names of the names of added sections */
};

static bool
libelf_error (struct error *err, const char *what)
{
  return image_libelf_failed (err, CFI2SFRAME_IO, what);
}

static const uint8_t *
old_contents (const struct object_writer *writer, size_t section)
{
  return image_section_bytes (writer->image,
                              &writer->image->sections[section]);
}

/* ---- The new sections */

static bool
make_relocations (struct object_writer *writer, struct error *err)
{
  const struct object_section *made = writer->made;
  for (size_t i = 0; i < made->n_functions; i++)
    {
      const struct start_relocation *start = &made->starts[i];
      uint64_t symbol = writer->symbols.section_symbols[start->section];
      buffer_u64 (&writer->relocations, start->offset);
      buffer_u64 (&writer->relocations,
                  ELF64_R_INFO (symbol, made->relocation_type));
      buffer_u64 (&writer->relocations, start->addend);
    }
  return !writer->relocations.failed || error_set_no_memory (err);
}

/* Find the .sframe that is replaced, and its relocations.  Refuses other
   relocations of it than one RELA section, which would stay.  */
static bool
find_old_sections (struct object_writer *writer, struct error *err)
{
  const struct image *image = writer->image;
  if (!object_find_sframe (image, &writer->sframe, err))
    return false;
  if (writer->sframe == 0)
    return true;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const struct image_section *section = &image->sections[i];
      if (!section_relocates (section, writer->sframe))
        continue;
      if (section->header.sh_type != SHT_RELA || writer->rela != 0)
        return error_set (err, CFI2SFRAME_UNSUPPORTED,
                          "its .sframe has other relocations than one table "
                          "with addends");
      writer->rela = i;
    }
  return true;
}

/* Choose the indexes of the new sections.  An object with 65,280 sections or
   more has no SHT_SYMTAB_SHNDX if all its symbols are in the first ones.  */
static bool
plan_sections (struct object_writer *writer, struct error *err)
{
  const struct object_symbols *symbols = &writer->symbols;
  if (!find_old_sections (writer, err)
      || !object_symbols_add (&writer->symbols, writer->made, writer->rela,
                              err))
    return false;
  writer->n = writer->image->n_sections;
  if (writer->sframe == 0)
    writer->sframe = writer->n++;
  if (writer->rela == 0)
    writer->rela = writer->n++;
  if (symbols->index_section.size != 0)
    writer->large_indexes = symbols->old.index_section != 0
                                ? symbols->old.index_section
                                : writer->n++;
  return true;
}

/* Make the section name table: the old one, and names of added sections.  */
static bool
extend_names (struct object_writer *writer, struct error *err)
{
  const struct image *image = writer->image;
  const uint8_t *old = old_contents (writer, image->section_names);
  if (image->section_names == 0 || old == NULL)
    return error_set (err, CFI2SFRAME_MALFORMED, "no section names");
  buffer_append (&writer->names, old,
                 image->sections[image->section_names].header.sh_size);
  writer->new_names = writer->names.size;
  if (writer->sframe >= image->n_sections || writer->rela >= image->n_sections)
    buffer_append (&writer->names, new_names, sizeof new_names);
  return !writer->names.failed || error_set_no_memory (err);
}

/* ---- Writing */

static bool
write_file_header (struct object_writer *writer, struct error *err)
{
  GElf_Ehdr header = writer->image->header;
  if (gelf_newehdr (writer->elf, ELFCLASS64) == 0)
    return libelf_error (err, "new ELF header");
  size_t names = writer->image->section_names;
  header.e_phoff = header.e_shoff = 0;
  header.e_phnum = header.e_shnum = 0;
  header.e_shstrndx
      = names < SHN_LORESERVE ? (GElf_Half)names : (GElf_Half)SHN_XINDEX;
  if (gelf_update_ehdr (writer->elf, &header) == 0)
    return libelf_error (err, "new ELF header");
  return true;
}

/* Append a section; its BYTES must live until the file is written.  */
static bool
add_section (struct object_writer *writer, const GElf_Shdr *header,
             const void *bytes, size_t size, struct error *err)
{
  errno = 0;
  Elf_Scn *scn = elf_newscn (writer->elf);
  /* When there is no memory for a header, elf_newscn (elfutils 0.188) returns
     a section with a header that must not be read.  */
  Elf_Data *data = scn != NULL && errno != ENOMEM ? elf_newdata (scn) : NULL;
  if (data == NULL)
    return libelf_error (err, "new section");
  data->d_type = ELF_T_BYTE; /* already in target byte order */
  data->d_version = EV_CURRENT;
  data->d_buf = (void *)bytes;
  data->d_size = size;
  data->d_align = header->sh_addralign ? header->sh_addralign : 1;
  GElf_Shdr copy = *header;
  copy.sh_offset = 0;
  copy.sh_size = size;
  if (gelf_update_shdr (scn, &copy) == 0)
    return libelf_error (err, "new section");
  return true;
}

/* Return the header of section INDEX of the new object.  */
static GElf_Shdr
new_header (const struct object_writer *writer, size_t index)
{
  const struct object_symbols *symbols = &writer->symbols;
  const GElf_Word symbol_table = (GElf_Word)symbols->old.section;
  const bool old = index < writer->image->n_sections;
  GElf_Shdr header = { 0 };
  GElf_Word name = 0; /* a new SHT_SYMTAB_SHNDX needs no name */
  if (old)
    {
      header = writer->image->sections[index].header;
      name = header.sh_name;
    }
  if (index == writer->sframe)
    {
      header = (GElf_Shdr){ .sh_type = writer->made->section_type,
                            .sh_flags = SHF_ALLOC,
                            .sh_addralign = 8 };
      name = old ? name : (GElf_Word)(writer->new_names + SFRAME_NAME);
    }
  else if (index == writer->rela)
    {
      header = (GElf_Shdr){ .sh_type = SHT_RELA,
                            .sh_flags = SHF_INFO_LINK,
                            .sh_link = symbol_table,
                            .sh_info = (GElf_Word)writer->sframe,
                            .sh_addralign = 8,
                            .sh_entsize = sizeof (Elf64_Rela) };
      name = old ? name : (GElf_Word)(writer->new_names + RELA_NAME);
    }
  else if (!old)
    header = (GElf_Shdr){ .sh_type = SHT_SYMTAB_SHNDX,
                          .sh_link = symbol_table,
                          .sh_addralign = 4,
                          .sh_entsize = 4 };
  else if (index == symbol_table)
    header.sh_info += (GElf_Word)symbols->n_added;
  else if (header.sh_type == SHT_GROUP && header.sh_link == symbol_table)
    header.sh_info = (GElf_Word)object_symbols_moved (symbols, header.sh_info);
  header.sh_name = name;
  return header;
}

static bool
write_section (struct object_writer *writer, size_t index, struct error *err)
{
  const struct object_symbols *symbols = &writer->symbols;
  const GElf_Shdr header = new_header (writer, index);
  const struct buffer *made
      = index == writer->sframe                 ? &writer->made->bytes
        : index == writer->rela                 ? &writer->relocations
        : index == writer->image->section_names ? &writer->names
        : index == writer->large_indexes        ? &symbols->index_section
        : symbols->copies[index].size > 0       ? &symbols->copies[index]
                                                : NULL;
  if (made != NULL)
    return add_section (writer, &header, made->bytes, made->size, err);
  const void *bytes = old_contents (writer, index);
  bool none = bytes == NULL && header.sh_type != SHT_NOBITS;
  /* A null section has no bytes, whatever its header says.  */
  return add_section (writer, &header, bytes, none ? 0 : header.sh_size, err);
}

static bool
write_object (struct object_writer *writer, int out_fd, struct error *err)
{
  errno = 0;
  writer->elf = elf_begin (out_fd, ELF_C_WRITE, NULL);
  if (writer->elf == NULL)
    return libelf_error (err, "cannot write");
  if (!write_file_header (writer, err))
    return false;
  for (size_t i = 1; i < writer->n; i++)
    if (!write_section (writer, i, err))
      return false;
  /* gABI: an index that does not fit e_shstrndx is in section 0.  */
  if (writer->image->section_names >= SHN_LORESERVE)
    {
      Elf_Scn *zero = elf_getscn (writer->elf, 0);
      GElf_Shdr header;
      if (zero == NULL || gelf_getshdr (zero, &header) == NULL)
        return libelf_error (err, "section 0");
      header.sh_link = (GElf_Word)writer->image->section_names;
      if (gelf_update_shdr (zero, &header) == 0)
        return libelf_error (err, "section 0");
    }
  if (elf_update (writer->elf, ELF_C_WRITE) < 0)
    return libelf_error (err, "cannot write");
  return true;
}

bool
object_write (const struct image *image, const struct object_section *section,
              int out_fd, struct error *err)
{
  struct object_writer writer = { .image = image, .made = section };
  if (image->n_segments != 0)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                           "relocatable object with program headers");
  buffer_init (&writer.relocations, image->big_endian);
  buffer_init (&writer.names, image->big_endian);
  bool written
      = object_symbols_open (&writer.symbols, image, err)
        && plan_sections (&writer, err) && make_relocations (&writer, err)
        && extend_names (&writer, err) && write_object (&writer, out_fd, err)
        && object_check_file (image, out_fd, section, err);
  object_symbols_free (&writer.symbols);
  buffer_free (&writer.relocations);
  buffer_free (&writer.names);
  elf_end (writer.elf);
  return written;
}
