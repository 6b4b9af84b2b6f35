/* Where SFrame data and CFI need not agree.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "gaps.h"

#include <stddef.h>
#include <string.h>

enum
{
  ALIGNMENT_MAX = 64
};

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

/* How many of the bytes from START on, at most SIZE, are fillers.  */
static size_t
filler_run (Elf *elf, uint16_t machine, uint64_t start, size_t size)
{
  uint8_t bytes[ALIGNMENT_MAX];
  size_t at = 0;
  while (size > 0 && !read_bytes (elf, start, size, bytes))
    size--;
  while (at < size)
    {
      size_t step = filler_size (machine, bytes + at, size - at);
      if (step == 0)
        break;
      at += step;
    }
  return at;
}

/* Whether a symbol of SECTION is at ADDRESS.  */
static bool
has_symbol (Elf_Scn *section, const GElf_Shdr *header, uint64_t address)
{
  if (header->sh_type != SHT_SYMTAB && header->sh_type != SHT_DYNSYM)
    return false;
  Elf_Data *data = elf_getdata (section, NULL);
  GElf_Sym symbol;
  for (int i = 0; data && gelf_getsym (data, i, &symbol); i++)
    if (symbol.st_value == address && symbol.st_shndx != SHN_UNDEF)
      return true;
  return false;
}

/* Whether a section or a symbol is at ADDRESS.  */
static bool
is_named (Elf *elf, uint64_t address)
{
  for (Elf_Scn *section = NULL; (section = elf_nextscn (elf, section));)
    {
      GElf_Shdr header;
      if (gelf_getshdr (section, &header)
          && ((header.sh_flags & SHF_ALLOC && header.sh_addr == address)
              || has_symbol (section, &header, address)))
        return true;
    }
  return false;
}

bool
gap_is_filler (Elf *elf, uint64_t start, uint64_t end, uint64_t next)
{
  GElf_Ehdr header;
  if (end - start >= 16 || !gelf_getehdr (elf, &header)
      || filler_run (elf, header.e_machine, start, end - start) != end - start)
    return false;
  /* Up to an alignment, or all there is in front of the next code.  */
  size_t to_alignment = ALIGNMENT_MAX - end % ALIGNMENT_MAX;
  size_t all = next - end < ALIGNMENT_MAX ? (size_t)(next - end) : 0;
  if (all > 0 && filler_run (elf, header.e_machine, end, all) == all)
    return true;
  uint64_t rest = to_alignment < next - end ? to_alignment : next - end;
  uint64_t stop = end + filler_run (elf, header.e_machine, end, (size_t)rest);
  return stop == next || stop % 16 == 0 || is_named (elf, stop)
         || is_named (elf, end);
}

/* e8 and a distance; ff with /2, with or without SIB byte and displacement. */
static bool
amd64_looks_like_call (Elf *elf, uint64_t address)
{
  static const unsigned lengths[] = { 2, 3, 4, 6, 7 };
  uint8_t bytes[7];
  if (read_bytes (elf, address - 5, 5, bytes) && bytes[0] == 0xe8)
    return true;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    if (read_bytes (elf, address - lengths[i], lengths[i], bytes)
        && bytes[0] == 0xff && (bytes[1] & 0x30) == 0x10)
      return true;
  return false;
}

bool
gap_is_return_address (Elf *elf, uint64_t address, size_t size)
{
  GElf_Ehdr header;
  uint8_t word[4];
  if (!gelf_getehdr (elf, &header))
    return false;
  switch (header.e_machine)
    {
    case EM_X86_64:
      return size == 1 && amd64_looks_like_call (elf, address);
    case EM_AARCH64: /* bl; blr */
      return size == 4 && read_bytes (elf, address - 4, 4, word)
             && (word[3] >> 2 == 0x25 || (word[3] == 0xd6 && word[2] == 0x3f)
                 || (word[3] == 0xd7 && word[2] == 0x3f));
    case EM_S390: /* brasl; basr; bras */
      return size == 2
             && ((read_bytes (elf, address - 4, 4, word)
                  && (word[2] == 0x0d
                      || (word[0] == 0xa7 && (word[1] & 15) == 5)))
                 || (read_bytes (elf, address - 6, 2, word) && word[0] == 0xc0
                     && (word[1] & 15) == 5));
    default:
      return false;
    }
}
