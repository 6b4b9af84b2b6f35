/* Opening ELF files, and what differs between machines.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sources: the psABIs' tables of DWARF registers; SFrame specification V3,
   sections 2.2.1 and 3.1.  */

#include "prove.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct abi abis[] = {
  { EM_X86_64, 3, 0, 7, 6, 16, -8, 0, 1, 0 },
  { EM_AARCH64, 2, 1, 31, 29, 30, 0, 0, 1, 0 },
  { EM_S390, 0, 4, 15, 11, 14, 0, -160, 8, 160 },
};

const struct abi *
abi_of (unsigned e_machine)
{
  for (size_t i = 0; i < sizeof abis / sizeof *abis; i++)
    if (abis[i].e_machine == e_machine)
      return &abis[i];
  return NULL;
}

static bool
failed (struct file *file, const char *why)
{
  fprintf (stderr, "sframe-prove: %s: %s\n", file->path, why);
  file_close (file);
  return false;
}

bool
file_open (struct file *file, const char *path)
{
  *file = (struct file){ .path = path };
  /* A fifo would keep the program waiting.  */
  file->fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file->fd < 0)
    return failed (file, "cannot be opened");
  file->elf = elf_begin (file->fd, ELF_C_READ_MMAP, NULL);
  if (file->elf == NULL || elf_kind (file->elf) != ELF_K_ELF
      || gelf_getehdr (file->elf, &file->header) == NULL
      || gelf_getclass (file->elf) != ELFCLASS64)
    return failed (file, "no 64-bit ELF file");
  file->bytes = (const uint8_t *)elf_rawfile (file->elf, &file->size);
  file->abi = abi_of (file->header.e_machine);
  if (file->bytes == NULL || file->abi == NULL)
    return failed (file, "SFrame does not know this machine");
  return true;
}

void
file_close (struct file *file)
{
  elf_end (file->elf);
  if (file->fd >= 0)
    close (file->fd);
  file->elf = NULL;
  file->fd = -1;
}

const uint8_t *
file_at (const struct file *file, uint64_t address, uint64_t n)
{
  size_t count = 0;
  elf_getphdrnum (file->elf, &count);
  for (size_t i = 0; i < count; i++)
    {
      GElf_Phdr load;
      if (gelf_getphdr (file->elf, (int)i, &load) == NULL
          || load.p_type != PT_LOAD || address < load.p_vaddr
          || address - load.p_vaddr > load.p_filesz
          || n > load.p_filesz - (address - load.p_vaddr))
        continue;
      uint64_t offset = load.p_offset + (address - load.p_vaddr);
      if (offset <= file->size && n <= file->size - offset)
        return file->bytes + offset;
    }
  return NULL;
}

bool
file_next_code (const struct file *file, uint64_t at, uint64_t *start,
                uint64_t *size)
{
  size_t count = 0;
  bool found = false;
  elf_getphdrnum (file->elf, &count);
  for (size_t i = 0; i < count; i++)
    {
      GElf_Phdr load;
      if (gelf_getphdr (file->elf, (int)i, &load) == NULL
          || load.p_type != PT_LOAD || !(load.p_flags & PF_X)
          || load.p_vaddr < at || (found && load.p_vaddr >= *start)
          || file_at (file, load.p_vaddr, load.p_filesz) == NULL)
        continue;
      found = true;
      *start = load.p_vaddr;
      *size = load.p_filesz;
    }
  return found;
}
