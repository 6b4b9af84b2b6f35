/* Alignment between functions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "gaps.h"

#include <stddef.h>
#include <string.h>

struct filler
{
  uint16_t machine;
  uint8_t size;
  const char *bytes;
};

/* What gas, LLVM and the linkers fill with.  */
static const struct filler fillers[] = {
  { EM_X86_64, 1, "\xcc" },
  { EM_X86_64, 1, "\x00" },
  { EM_X86_64, 1, "\x90" },
  { EM_X86_64, 3, "\x0f\x1f\x00" },
  { EM_X86_64, 4, "\x0f\x1f\x40\x00" },
  { EM_X86_64, 5, "\x0f\x1f\x44\x00\x00" },
  { EM_X86_64, 7, "\x0f\x1f\x80\x00\x00\x00\x00" },
  { EM_X86_64, 8, "\x0f\x1f\x84\x00\x00\x00\x00\x00" },
  { EM_AARCH64, 4, "\x1f\x20\x03\xd5" },
  { EM_AARCH64, 4, "\x00\x00\x00\x00" },
  { EM_S390, 2, "\x07\x07" },
  { EM_S390, 2, "\x07\x00" },
  { EM_S390, 2, "\x00\x00" },
};

/* Copy the bytes loaded at [START, END).  */
static bool
read_bytes (Elf *elf, uint64_t start, size_t size, uint8_t *bytes)
{
  size_t n, file_size;
  const char *file = elf_rawfile (elf, &file_size);
  if (!file || elf_getphdrnum (elf, &n) != 0)
    return false;
  for (size_t i = 0; i < n; i++)
    {
      GElf_Phdr load;
      if (!gelf_getphdr (elf, (int)i, &load) || load.p_type != PT_LOAD
          || start < load.p_vaddr || start - load.p_vaddr > load.p_filesz
          || size > load.p_filesz - (start - load.p_vaddr))
        continue;
      uint64_t offset = load.p_offset + (start - load.p_vaddr);
      if (offset > file_size || size > file_size - offset)
        return false;
      memcpy (bytes, file + offset, size);
      return true;
    }
  return false;
}

static size_t
filler_size (uint16_t machine, const uint8_t *at, size_t left)
{
  size_t prefixes = 0;
  while (machine == EM_X86_64 && prefixes < left
         && (at[prefixes] == 0x66 || at[prefixes] == 0x2e))
    prefixes++;
  for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++)
    {
      const struct filler *filler = &fillers[i];
      if (filler->machine == machine && filler->size <= left - prefixes
          && memcmp (at + prefixes, filler->bytes, filler->size) == 0)
        return prefixes + filler->size;
    }
  return 0;
}

bool
gap_is_filler (Elf *elf, uint64_t start, uint64_t end)
{
  GElf_Ehdr header;
  uint8_t bytes[16];
  size_t size = end - start;
  if (size >= sizeof bytes || !gelf_getehdr (elf, &header)
      || !read_bytes (elf, start, size, bytes))
    return false;
  for (size_t at = 0; at < size;)
    {
      size_t step = filler_size (header.e_machine, bytes + at, size - at);
      if (step == 0)
        return false;
      at += step;
    }
  return true;
}
