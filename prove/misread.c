/* CFI that libdw misreads.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sources: LSB Core, section 10.6 (.eh_frame, .eh_frame_hdr); libgcc's
   unwind-pe.h.  */

#include "prove.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

/* As libdw finds .eh_frame where there are section headers.  */
static Elf_Data *
find_by_name (const struct file *file)
{
  size_t names = 0;
  Elf_Scn *section = NULL;
  elf_getshdrstrndx (file->elf, &names);
  while ((section = elf_nextscn (file->elf, section)) != NULL)
    {
      GElf_Shdr header;
      const char *name = gelf_getshdr (section, &header) != NULL
                             ? elf_strptr (file->elf, names, header.sh_name)
                             : NULL;
      if (name != NULL && strcmp (name, ".eh_frame") == 0
          && header.sh_type != SHT_NOBITS)
        return elf_rawdata (section, NULL);
    }
  return NULL;
}

/* As libdw finds it without these.  */
static Elf_Data *
find_by_header (const struct file *file)
{
  enum
  {
    HEAD = 8, /* four bytes and the address of .eh_frame */
    ADDRESS = 4
  };
  size_t count = 0;
  elf_getphdrnum (file->elf, &count);
  for (size_t i = 0; i < count; i++)
    {
      GElf_Phdr header;
      if (gelf_getphdr (file->elf, (int)i, &header) == NULL
          || header.p_type != PT_GNU_EH_FRAME)
        continue;
      const uint8_t *head = file_at (file, header.p_vaddr, HEAD);
      int32_t distance;
      if (head == NULL || head[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
        return NULL;
      memcpy (&distance, head + ADDRESS, sizeof distance);
      if (file->header.e_ident[EI_DATA] == ELFDATA2MSB)
        distance = (int32_t)__builtin_bswap32 ((uint32_t)distance);
      uint64_t start = header.p_vaddr + ADDRESS + (uint64_t)(int64_t)distance;
      uint64_t room = file_room (file, start);
      return room == 0
                 ? NULL
                 : elf_getdata_rawchunk (
                     file->elf, file_at (file, start, room) - file->bytes,
                     room, ELF_T_BYTE);
    }
  return NULL;
}

/* The pointer encodings of CIE stand in the order of its letters.  */
static bool
has_aligned_pointer (const Dwarf_CIE *cie)
{
  const uint8_t *at = cie->augmentation_data;
  const uint8_t *end = at + cie->augmentation_data_size;
  for (const char *letter = cie->augmentation;
       at != NULL && at < end && *letter != '\0'; letter++)
    {
      if (*letter == 'P')
        return (*at & 0x70) == DW_EH_PE_aligned;
      at += *letter == 'L' || *letter == 'R';
    }
  return false;
}

bool
file_is_misread (const struct file *file)
{
  Elf_Data *data = find_by_name (file);
  Dwarf_CFI_Entry entry;
  Dwarf_Off at = 0, next = 0;
  const unsigned char *ident = file->header.e_ident;
  if (data == NULL)
    data = find_by_header (file);
  if (data == NULL)
    return false;
  /* Behind an entry of which it can make nothing it says where the next one
     is, or (Dwarf_Off)-1.  */
  for (int said = 0; said != 1 && next != (Dwarf_Off)-1; at = next)
    {
      said = dwarf_next_cfi (ident, data, true, at, &next, &entry);
      if (said == 0 && dwarf_cfi_cie_p (&entry)
          && has_aligned_pointer (&entry.cie))
        return true;
      if (next <= at)
        break;
    }
  return false;
}
