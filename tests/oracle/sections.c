/* The sections of a file that hold CFI, as libdw reads them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <gelf.h>
#include <string.h>

#include "pointer.h"
#include "sections.h"

/* The section NAME, if it has contents; *ADDRESS is where it is loaded.  */
static Elf_Scn *
find_section (Elf *elf, const char *name, uint64_t *address)
{
  size_t names;
  if (elf_getshdrstrndx (elf, &names) != 0)
    return NULL;
  for (Elf_Scn *scn = NULL; (scn = elf_nextscn (elf, scn)) != NULL;)
    {
      GElf_Shdr header;
      if (!gelf_getshdr (scn, &header) || header.sh_type == SHT_NOBITS)
        continue;
      const char *found = elf_strptr (elf, names, header.sh_name);
      if (found && strcmp (found, name) == 0)
        {
          *address = header.sh_addr;
          return scn;
        }
    }
  return NULL;
}

/* .eh_frame through PT_GNU_EH_FRAME, up to the end of its segment.  */
static Elf_Data *
find_through_segment (Elf *elf, bool big_endian, uint64_t *address)
{
  size_t n;
  GElf_Phdr header, load;
  if (elf_getphdrnum (elf, &n) != 0)
    return NULL;
  size_t i = 0;
  while (i < n && gelf_getphdr (elf, (int)i, &header)
         && header.p_type != PT_GNU_EH_FRAME)
    i++;
  if (i == n)
    return NULL;
  Elf_Data *table = elf_getdata_rawchunk (elf, (int64_t)header.p_offset,
                                          header.p_filesz, ELF_T_BYTE);
  if (!table || table->d_size < 8)
    return NULL;
  const uint8_t *bytes = table->d_buf, *at = bytes + 4;
  if (!pointer_read (&at, bytes + table->d_size, bytes[1], header.p_vaddr + 4,
                     header.p_vaddr, big_endian, address))
    return NULL;
  for (i = 0; i < n && gelf_getphdr (elf, (int)i, &load); i++)
    if (load.p_type == PT_LOAD && *address >= load.p_vaddr
        && *address - load.p_vaddr < load.p_filesz)
      {
        uint64_t skip = *address - load.p_vaddr;
        return elf_getdata_rawchunk (elf, (int64_t)(load.p_offset + skip),
                                     load.p_filesz - skip, ELF_T_BYTE);
      }
  return NULL;
}

/* .eh_frame of ELF.  False when libdw reads it not at all.  */
static bool
add_eh_frame (struct cfi_source_section *sections, size_t *n, Elf *elf)
{
  GElf_Ehdr header;
  struct cfi_source_section found = { .eh = true };
  Elf_Scn *scn = find_section (elf, ".eh_frame", &found.address);
  bool big_endian
      = gelf_getehdr (elf, &header) && header.e_ident[EI_DATA] == ELFDATA2MSB;
  found.data = scn ? elf_rawdata (scn, NULL)
                   : find_through_segment (elf, big_endian, &found.address);
  if (!found.data || !found.data->d_buf || found.data->d_size == 0)
    return true;
  found.cfi = dwarf_getcfi_elf (elf);
  sections[*n] = found;
  *n += found.cfi != NULL;
  return found.cfi != NULL;
}

/* .debug_frame of ELF.  */
static bool
add_debug_frame (struct cfi_source_section *sections, size_t *n, Elf *elf)
{
  struct cfi_source_section found = { .eh = false };
  Elf_Scn *scn = find_section (elf, ".debug_frame", &found.address);
  GElf_Shdr header;
  if (scn && gelf_getshdr (scn, &header) && (header.sh_flags & SHF_COMPRESSED))
    elf_compress (scn, 0, 0);
  if (!scn && (scn = find_section (elf, ".zdebug_frame", &found.address)))
    elf_compress_gnu (scn, 0, 0);
  found.data = scn ? elf_rawdata (scn, NULL) : NULL;
  if (!found.data || !found.data->d_buf || found.data->d_size == 0)
    return true;
  found.address = 0;
  found.dwarf = dwarf_begin_elf (elf, DWARF_C_READ, NULL);
  found.cfi = found.dwarf ? dwarf_getcfi (found.dwarf) : NULL;
  sections[*n] = found;
  *n += found.cfi != NULL;
  if (!found.cfi)
    dwarf_end (found.dwarf);
  return found.cfi != NULL;
}

int
sections_find (struct cfi_source_section *sections, Elf *elf, Elf *debug)
{
  size_t n = 0;
  if (add_eh_frame (sections, &n, elf) && add_debug_frame (sections, &n, elf)
      && (!debug || add_debug_frame (sections, &n, debug)))
    return (int)n;
  sections_free (sections, n);
  return -1;
}

void
sections_free (struct cfi_source_section *sections, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (sections[i].dwarf)
      dwarf_end (sections[i].dwarf);
    else
      dwarf_cfi_end (sections[i].cfi);
}
