/* Opening the files of an oracle run.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

enum
{
  PT_SFRAME = 0x6474e554
};

bool
oracle_file_open (struct oracle_file *file, const char *path)
{
  elf_version (EV_CURRENT);
  file->elf = NULL;
  file->fd = open (path, O_RDONLY | O_CLOEXEC);
  if (file->fd < 0)
    return false;
  file->elf = elf_begin (file->fd, ELF_C_READ_MMAP, NULL);
  if (!file->elf || elf_kind (file->elf) != ELF_K_ELF)
    {
      oracle_file_close (file);
      return false;
    }
  return true;
}

void
oracle_file_close (struct oracle_file *file)
{
  if (file->elf)
    elf_end (file->elf);
  if (file->fd >= 0)
    close (file->fd);
}

static bool
find_by_name (Elf *elf, struct oracle_section *section)
{
  size_t names;
  if (elf_getshdrstrndx (elf, &names) != 0)
    return false;
  for (Elf_Scn *scn = NULL; (scn = elf_nextscn (elf, scn)) != NULL;)
    {
      GElf_Shdr header;
      if (!gelf_getshdr (scn, &header) || header.sh_type == SHT_NOBITS)
        continue;
      const char *name = elf_strptr (elf, names, header.sh_name);
      if (!name || strcmp (name, ".sframe") != 0)
        continue;
      Elf_Data *data = elf_rawdata (scn, NULL);
      if (!data || !data->d_buf || data->d_size == 0)
        return false;
      section->bytes = data->d_buf;
      section->size = data->d_size;
      section->address = header.sh_addr;
      return true;
    }
  return false;
}

static bool
find_by_segment (Elf *elf, const GElf_Phdr *header,
                 struct oracle_section *section)
{
  Elf_Data *data = elf_getdata_rawchunk (elf, (int64_t)header->p_offset,
                                         header->p_filesz, ELF_T_BYTE);
  if (!data || !data->d_buf)
    return false;
  section->bytes = data->d_buf;
  section->size = data->d_size;
  section->address = header->p_vaddr;
  return true;
}

static void
note_code (const GElf_Phdr *load, struct oracle_section *section)
{
  if (load->p_type != PT_LOAD || !(load->p_flags & PF_X))
    return;
  if (load->p_vaddr < section->code_start)
    section->code_start = load->p_vaddr;
  if (load->p_vaddr + load->p_filesz > section->code_end)
    section->code_end = load->p_vaddr + load->p_filesz;
}

bool
oracle_find_sframe (Elf *elf, struct oracle_section *section,
                    bool *segment_differs)
{
  size_t n = 0;
  GElf_Ehdr elf_header;
  GElf_Phdr header;
  *section = (struct oracle_section){ .code_start = UINT64_MAX };
  if (!gelf_getehdr (elf, &elf_header) || elf_getphdrnum (elf, &n) != 0)
    return false;
  section->e_machine = elf_header.e_machine;
  bool named = find_by_name (elf, section), found = named;
  *segment_differs = named;
  for (size_t i = 0; i < n && gelf_getphdr (elf, (int)i, &header); i++)
    {
      note_code (&header, section);
      if (header.p_type == PT_SFRAME && named)
        *segment_differs = header.p_vaddr != section->address
                           || header.p_memsz != section->size;
      else if (header.p_type == PT_SFRAME)
        found = find_by_segment (elf, &header, section);
    }
  return found;
}
