/* Which sections may move.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/movable.h"

#include "elf/dynamic.h"
#include "elf/notes.h"
#include "place/dynamic_addresses.h"

/* Notes that programs do not reach by address.  Others may hold PC-relative
   pointers (Crashpad).  Of some, readers of a core file look for in a
   program's first page, which is all that a kernel puts into one of a
   read-only segment (vma_dump_size in Linux' fs/coredump.c): elfutils, gdb,
   systemd-coredump.  */
static const struct
{
  const char *owner;
  uint32_t type;
  bool for_cores;
} plain_notes[] = {
  { "GNU", NT_GNU_ABI_TAG, false },
  { "GNU", NT_GNU_BUILD_ID, true },
  { "GNU", NT_GNU_PROPERTY_TYPE_0, false },
  /* systemd.io, "ELF Package Metadata" and "ELF dlopen Metadata".  */
  { "FDO", 0xcafe1a7e, true },
  { "FDO", 0x407c0c0a, true },
  /* ELF_NOTE_GOBUILDID_TAG (cmd/link/internal/ld/elf.go).  The go command
     follows PT_NOTE to it (cmd/internal/buildid/note.go).  */
  { "Go\0", 4, false },
};

static bool
note_is_plain (const struct note *note, bool *for_cores)
{
  for (size_t i = 0; i < sizeof plain_notes / sizeof *plain_notes; i++)
    if (note_is (note, plain_notes[i].owner, plain_notes[i].type))
      {
        *for_cores |= plain_notes[i].for_cores;
        return true;
      }
  return false;
}

bool
section_has_plain_notes (const struct image *image, const GElf_Shdr *header,
                         bool *for_cores)
{
  struct note_walk walk = note_walk_over (
      image, header->sh_offset, header->sh_size, header->sh_addralign);
  struct note note;
  while (note_next (&walk, &note))
    if (!note_is_plain (&note, for_cores))
      return false;
  /* The last note's padding may be missing.  */
  return walk.size > 0 && walk.at >= walk.size;
}

/* Whether the section has dynamic strings that may move.  ldconfig and others
   find dynamic strings by rules of their own, so that these stay, except in a
   static PIE, in which no program looks up symbols.  */
static bool
is_idle_string_table (const struct image *image, const GElf_Shdr *header)
{
  uint64_t value;
  return header->sh_type == SHT_STRTAB
         && dynamic_holds (image, DT_STRTAB, header->sh_addr)
         && image_find_segment (image, PT_INTERP) == NULL
         && !dynamic_find (image, DT_NEEDED, &value)
         && !dynamic_find (image, DT_SONAME, &value)
         && !dynamic_find (image, DT_VERNEED, &value)
         && !dynamic_find (image, DT_VERDEF, &value);
}

/* Whether section INDEX is the .sframe that is replaced: nothing refers to
   what is left of it.  */
static bool
is_replaced (const struct draft *draft, size_t index)
{
  const struct plan_request *request = draft->request; /* or NULL */
  return request != NULL && request->replaced != NULL
         && request->replaced->section == index;
}

bool
section_is_evictable (const struct draft *draft, size_t index, bool *for_cores)
{
  const struct image *image = draft->image;
  const struct image_section *section = &image->sections[index];
  const GElf_Shdr *header = &section->header;
  if (is_replaced (draft, index))
    return header->sh_size > 0;
  if (header->sh_flags != SHF_ALLOC || header->sh_size == 0
      || !section_kind_may_move (image, header))
    return false;
  switch (header->sh_type)
    {
    case SHT_PROGBITS: /* the interpreter's name */
      return true;
    case SHT_NOTE:
      return section_has_plain_notes (image, header, for_cores)
             && !section_has_symbol (image, index);
    case SHT_STRTAB:
      return is_idle_string_table (image, header);
    default:
      return dynamic_holds (image, dynamic_tag_of (header->sh_type),
                            header->sh_addr);
    }
}

uint64_t
section_known_end (const GElf_Shdr *header)
{
  bool table = dynamic_tag_of (header->sh_type) != DT_NULL;
  return header->sh_addr + (table ? 1 : header->sh_size);
}

bool
section_is_referenced (const struct draft *draft, size_t index)
{
  const GElf_Shdr *header = &draft->image->sections[index].header;
  return !is_replaced (draft, index)
         && references_meet (&draft->references, header->sh_addr,
                             section_known_end (header));
}

bool
section_may_move (const struct draft *draft, size_t index)
{
  bool for_cores = false;
  return section_is_evictable (draft, index, &for_cores)
         && !section_is_referenced (draft, index);
}
