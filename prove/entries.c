/* Reading the entries of .eh_frame and .debug_frame, and finding CFI for which
   libdw cannot be used.
   SPDX-License-Identifier: LGPL-2.1-or-later

   libdw reads the entries, but it stops at a zero word; entries_next continues
   after it.  Two kinds of CFI are refused.  A CIE may have an aligned
   personality (DW_EH_PE_aligned).  libdw does not skip the bytes before it, as
   libgcc does, and takes one of them for the encoding of pc_begin.  And for
   each row libdw executes the FDE from its first instruction, so that large
   FDEs take time in proportion to the square of their size.

   Sources: LSB Core, section 10.6 (.eh_frame, .eh_frame_hdr); libgcc's
   unwind-pe.h.  */

#include "prove.h"

#include <dwarf.h>
#include <string.h>

/* Find the section WANTED by section headers, as libdw does.  */
static Elf_Data *
find_by_name (const struct file *file, const char *wanted, uint64_t *address)
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
      *address = header.sh_addr;
      if (name != NULL && strcmp (name, wanted) == 0
          && header.sh_type != SHT_NOBITS)
        return elf_rawdata (section, NULL);
    }
  return NULL;
}

/* Find .eh_frame without section headers, as libdw does.  */
static Elf_Data *
find_by_header (const struct file *file, uint64_t *address)
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
      *address = header.p_vaddr + ADDRESS + (uint64_t)(int64_t)distance;
      uint64_t size = file_bytes_from (file, *address);
      return size == 0
                 ? NULL
                 : elf_getdata_rawchunk (
                     file->elf, file_at (file, *address, size) - file->bytes,
                     size, ELF_T_BYTE);
    }
  return NULL;
}

bool
entries_open (struct entries *entries, const struct file *file, bool eh_frame)
{
  const char *name = eh_frame ? ".eh_frame" : ".debug_frame";
  *entries = (struct entries){ .ident = file->header.e_ident,
                               .eh_frame = eh_frame };
  entries->data = find_by_name (file, name, &entries->address);
  if (entries->data == NULL && eh_frame)
    entries->data = find_by_header (file, &entries->address);
  return entries->data != NULL;
}

int
entries_next (struct entries *entries, Dwarf_CFI_Entry *entry)
{
  const Elf_Data *data = entries->data;
  const uint8_t *bytes = data->d_buf;
  entries->at = entries->next;
  while (data->d_size - entries->at >= 4
         && memcmp (bytes + entries->at, "\0\0\0\0", 4) == 0)
    entries->at += 4;
  if (data->d_size - entries->at < 4)
    return 1;
  int result
      = dwarf_next_cfi (entries->ident, entries->data, entries->eh_frame,
                        entries->at, &entries->next, entry);
  /* For an entry that it cannot read, libdw still sets NEXT to the offset of
     the next one, or to (Dwarf_Off)-1.  */
  if (entries->next <= entries->at || entries->next > data->d_size)
    entries->next = data->d_size;
  return result;
}

/* ---- CFI for which libdw cannot be used */

enum
{
  /* The limit of the sum of the squares: one FDE of 128 KiB, or many smaller
     ones.  The largest FDE of Debian has 45 KB.  Of 3,800 files, cuFFT comes
     closest to the limit, with 1.2e10.  */
  STEPS_MAX_LOG = 34,
  STEPS_PER_BYTE = 1024 /* twice as many as are usual in a large file */
};

/* Whether CIE has an aligned personality.  The augmentation data follow the
   order of the letters.  */
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

/* Return why libdw cannot be used for ENTRIES, or NULL.  */
static const char *
problem_of (struct entries *entries)
{
  Dwarf_CFI_Entry entry;
  uint64_t steps = (UINT64_C (1) << STEPS_MAX_LOG)
                   + STEPS_PER_BYTE * (uint64_t)entries->data->d_size;
  int result;
  while ((result = entries_next (entries, &entry)) != 1)
    {
      if (result == 0 && dwarf_cfi_cie_p (&entry)
          && has_aligned_pointer (&entry.cie))
        return "a CIE has an aligned personality, which libdw misreads";
      uint64_t size = entries->next - entries->at;
      if (size > steps / size)
        return "call-frame information that takes too long";
      steps -= size * size;
    }
  return NULL;
}

const char *
file_cfi_problem (const struct file *file)
{
  struct entries entries;
  const char *problem = NULL;
  if (entries_open (&entries, file, true))
    problem = problem_of (&entries);
  if (problem == NULL && entries_open (&entries, file, false))
    problem = problem_of (&entries);
  return problem;
}
