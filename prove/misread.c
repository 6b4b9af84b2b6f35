/* CFI that is not for libdw.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A CIE may have an aligned personality (DW_EH_PE_aligned).  libdw does not
   skip the bytes in front of it, as libgcc does, and takes one of them for the
   encoding of pc_begin.  To each row libdw goes from the FDE's first
   instruction, so that an FDE takes time in proportion to the square of its
   size.

   Sources: LSB Core, section 10.6 (.eh_frame, .eh_frame_hdr); libgcc's
   unwind-pe.h.  */

#include "prove.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

enum
{
  /* The sum of the squares: an FDE of 128 KiB, or many smaller ones.  The
     largest FDE of Debian has 45 KB.  Of 3,800 files cuFFT comes next to the
     limit, with 1.2e10.  */
  STEPS_MAX_LOG = 34,
  STEPS_PER_BYTE = 1024 /* half of it are usual in a large file */
};

/* As libdw finds the section called WANTED where there are section headers. */
static Elf_Data *
find_by_name (const struct file *file, const char *wanted)
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
      if (name != NULL && strcmp (name, wanted) == 0
          && header.sh_type != SHT_NOBITS)
        return elf_rawdata (section, NULL);
    }
  return NULL;
}

/* As libdw finds .eh_frame without these.  */
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

/* What is wrong with the entries in DATA, or NULL.  */
static const char *
problem_of (const struct file *file, Elf_Data *data, bool eh_frame)
{
  Dwarf_CFI_Entry entry;
  Dwarf_Off at = 0, next = 0;
  const unsigned char *ident = file->header.e_ident;
  uint64_t steps = (UINT64_C (1) << STEPS_MAX_LOG)
                   + STEPS_PER_BYTE * (uint64_t)data->d_size;
  /* Behind an entry of which it can make nothing it says where the next one
     is, or (Dwarf_Off)-1.  */
  for (int said = 0; said != 1; at = next)
    {
      said = dwarf_next_cfi (ident, data, eh_frame, at, &next, &entry);
      if (said == 0 && dwarf_cfi_cie_p (&entry)
          && has_aligned_pointer (&entry.cie))
        return "a CIE has an aligned personality, which libdw misreads";
      if (next <= at || next == (Dwarf_Off)-1)
        break;
      if (next - at > steps / (next - at))
        return "call-frame information that takes too long";
      steps -= (next - at) * (next - at);
    }
  return NULL;
}

const char *
file_cfi_problem (const struct file *file)
{
  Elf_Data *eh_frame = find_by_name (file, ".eh_frame");
  Elf_Data *debug_frame = find_by_name (file, ".debug_frame");
  const char *problem = NULL;
  if (eh_frame == NULL)
    eh_frame = find_by_header (file);
  if (eh_frame != NULL)
    problem = problem_of (file, eh_frame, true);
  if (problem == NULL && debug_frame != NULL)
    problem = problem_of (file, debug_frame, false);
  return problem;
}
