/* Writing a relocatable object with .sframe added, through libelf.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The object is built anew section by section and libelf does the layout;
   nothing in an object depends on file offsets.  Only what must change is
   copied to memory: see object_symbols.h.  */

#include "relocatable/object_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "relocatable/object.h"
#include "relocatable/object_check.h"
#include "relocatable/object_symbols.h"

static const char new_names[] = "\0.rela.sframe";
enum
{
  RELA_NAME = 1, /* offset in new_names */
  SFRAME_NAME = 6
};

/* The object being written.  */
struct object_writer
{
  const struct image *image;
  const struct object_section *made; /* .sframe */
  struct object_symbols symbols;
  Elf *elf;
  size_t sframe, rela; /* index of the old section, or 0 */
  struct buffer relocations, names;
  size_t new_names; /* where those of added sections begin in `names` */
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

/* --- The two new sections.  */

static bool
make_relocations (struct object_writer *writer, struct error *err)
{
  const struct object_section *made = writer->made;
  for (size_t i = 0; i < made->n_functions; i++)
    {
      const struct object_fix *fix = &made->fixes[i];
      uint64_t symbol = writer->symbols.section_symbols[fix->section];
      buffer_u64 (&writer->relocations, fix->offset);
      buffer_u64 (&writer->relocations,
                  ELF64_R_INFO (symbol, made->relocation_type));
      buffer_u64 (&writer->relocations, fix->addend);
    }
  return !writer->relocations.failed || error_set_no_memory (err);
}

/* Find the .sframe that is replaced, and its relocations.  A second table of
   these would stay, and be applied to the new section.  */
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
      if (!object_relocates (section, writer->sframe))
        continue;
      if (section->header.sh_type != SHT_RELA || writer->rela != 0)
        return error_set (err, CFI2SFRAME_UNSUPPORTED,
                          "its .sframe has other relocations than one table "
                          "with addends");
      writer->rela = i;
    }
  return true;
}

/* Section names, with those of the added sections, if any, at the end.  */
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
  if (writer->sframe == 0 || writer->rela == 0)
    buffer_append (&writer->names, new_names, sizeof new_names);
  return !writer->names.failed || error_set_no_memory (err);
}

/* --- Writing.  */

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

/* Append a section with HEADER and contents BYTES, which must live until the
   file is written.  */
static bool
add_new_section (struct object_writer *writer, const GElf_Shdr *header,
                 const void *bytes, size_t size, struct error *err)
{
  errno = 0;
  Elf_Scn *scn = elf_newscn (writer->elf);
  /* Where there was no memory for a header, elf_newscn (elfutils 0.188) gives
     a section with a header that must not be looked at.  */
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

static GElf_Shdr
sframe_header (const struct object_writer *writer)
{
  return (GElf_Shdr){
    .sh_type = writer->made->section_type,
    .sh_flags = SHF_ALLOC,
    .sh_addralign = 8,
  };
}

static GElf_Shdr
rela_header (const struct object_writer *writer, size_t sframe)
{
  return (GElf_Shdr){
    .sh_type = SHT_RELA,
    .sh_flags = SHF_INFO_LINK,
    .sh_link = (GElf_Word)writer->symbols.old.section,
    .sh_info = (GElf_Word)sframe,
    .sh_addralign = 8,
    .sh_entsize = sizeof (Elf64_Rela),
  };
}

/* The header of old section INDEX in the new object.  */
static GElf_Shdr
new_header (const struct object_writer *writer, size_t index)
{
  GElf_Shdr header = writer->image->sections[index].header;
  GElf_Word name = header.sh_name;
  if (index == writer->sframe)
    header = sframe_header (writer);
  else if (index == writer->rela)
    header = rela_header (writer, writer->sframe);
  else if (index == writer->symbols.old.section)
    header.sh_info += (GElf_Word)writer->symbols.n_added;
  else if (header.sh_type == SHT_GROUP
           && header.sh_link == writer->symbols.old.section)
    header.sh_info
        = (GElf_Word)object_symbols_moved (&writer->symbols, header.sh_info);
  header.sh_name = name;
  return header;
}

static bool
write_old_section (struct object_writer *writer, size_t index,
                   struct error *err)
{
  const GElf_Shdr header = new_header (writer, index);
  const void *bytes = old_contents (writer, index);
  size_t size = writer->image->sections[index].header.sh_size;
  if (index == writer->sframe)
    bytes = writer->made->bytes.bytes, size = writer->made->bytes.size;
  else if (index == writer->rela)
    bytes = writer->relocations.bytes, size = writer->relocations.size;
  else if (index == writer->image->section_names)
    bytes = writer->names.bytes, size = writer->names.size;
  else if (index == writer->symbols.old.index_section
           && writer->symbols.index_section.size != 0)
    bytes = writer->symbols.index_section.bytes,
    size = writer->symbols.index_section.size;
  else if (writer->symbols.copies[index] != NULL)
    bytes = writer->symbols.copies[index], size = writer->symbols.sizes[index];
  if (bytes == NULL && header.sh_type != SHT_NOBITS)
    size = 0; /* a null section, whatever size it claims */
  return add_new_section (writer, &header, bytes, size, err);
}

static bool
write_new_sections (struct object_writer *writer, struct error *err)
{
  size_t sframe = writer->sframe;
  if (sframe == 0)
    {
      GElf_Shdr header = sframe_header (writer);
      header.sh_name = (GElf_Word)(writer->new_names + SFRAME_NAME);
      sframe = writer->image->n_sections;
      if (!add_new_section (writer, &header, writer->made->bytes.bytes,
                            writer->made->bytes.size, err))
        return false;
    }
  if (writer->rela == 0)
    {
      GElf_Shdr header = rela_header (writer, sframe);
      header.sh_name = (GElf_Word)(writer->new_names + RELA_NAME);
      if (!add_new_section (writer, &header, writer->relocations.bytes,
                            writer->relocations.size, err))
        return false;
    }
  if (writer->symbols.index_section.size == 0
      || writer->symbols.old.index_section != 0)
    return true;
  /* 65,280 sections and no table of large indexes: an object with all
     symbols in the first sections.  The name is of no importance.  */
  GElf_Shdr header = { .sh_type = SHT_SYMTAB_SHNDX,
                       .sh_link = (GElf_Word)writer->symbols.old.section,
                       .sh_addralign = 4,
                       .sh_entsize = 4 };
  return add_new_section (writer, &header, writer->symbols.index_section.bytes,
                          writer->symbols.index_section.size, err);
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
  for (size_t i = 1; i < writer->image->n_sections; i++)
    if (!write_old_section (writer, i, err))
      return false;
  if (!write_new_sections (writer, err))
    return false;
  /* A large index of the name table is kept in section 0.  */
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

static bool
writer_open (struct object_writer *writer, struct error *err)
{
  buffer_init (&writer->relocations, writer->image->big_endian);
  buffer_init (&writer->names, writer->image->big_endian);
  if (writer->image->n_segments != 0)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                           "relocatable object with program headers");
  return object_symbols_open (&writer->symbols, writer->image, err);
}

static void
writer_close (struct object_writer *writer)
{
  object_symbols_free (&writer->symbols);
  buffer_free (&writer->relocations);
  buffer_free (&writer->names);
  elf_end (writer->elf);
}

bool
object_write (const struct image *image, const struct object_section *section,
              int out_fd, struct error *err)
{
  struct object_writer writer = { .image = image, .made = section };
  bool written
      = writer_open (&writer, err) && find_old_sections (&writer, err)
        && object_symbols_add (&writer.symbols, section, writer.rela, err)
        && make_relocations (&writer, err) && extend_names (&writer, err)
        && write_object (&writer, out_fd, err)
        && object_check_file (image, out_fd, section, err);
  writer_close (&writer);
  return written;
}
