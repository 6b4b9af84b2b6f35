/* Mutators that know ELF headers and .eh_frame.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A plain mutator seldom changes a length so that the next entry is still
   found, or makes two headers agree on a wrong place.  These change one field
   at a time to a value that means something elsewhere in the file.  */

#include <config.h>

#include "fuzz.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

struct mutation
{
  uint64_t random;
  uint8_t *bytes;
  size_t size, max;
  bool big_endian;
};

static uint64_t
next_random (struct mutation *m)
{
  /* xorshift64.  */
  m->random ^= m->random << 13;
  m->random ^= m->random >> 7;
  m->random ^= m->random << 17;
  return m->random;
}

static uint64_t
below (struct mutation *m, uint64_t n)
{
  return n > 0 ? (next_random (m) >> 11) % n : 0;
}

static bool
in_file (const struct mutation *m, uint64_t offset, uint64_t size)
{
  return offset <= m->size && size <= m->size - offset;
}

/* ELF.  */

static uint64_t
header_u64 (const struct mutation *m, size_t offset)
{
  return load_u64 (m->bytes + offset, m->big_endian);
}

struct table
{
  uint64_t offset;
  size_t n, entry;
};

static struct table
segment_table (const struct mutation *m)
{
  struct table table
      = { header_u64 (m, offsetof (Elf64_Ehdr, e_phoff)),
          load_u16 (m->bytes + offsetof (Elf64_Ehdr, e_phnum), m->big_endian),
          sizeof (Elf64_Phdr) };
  if (!in_file (m, table.offset, table.n * table.entry))
    table.n = 0;
  return table;
}

static struct table
section_table (const struct mutation *m)
{
  struct table table
      = { header_u64 (m, offsetof (Elf64_Ehdr, e_shoff)),
          load_u16 (m->bytes + offsetof (Elf64_Ehdr, e_shnum), m->big_endian),
          sizeof (Elf64_Shdr) };
  if (!in_file (m, table.offset, table.n * table.entry))
    table.n = 0;
  return table;
}

/* A field of one of the two tables' entries.  */
struct field
{
  uint8_t offset, size;
};

static const struct field header_fields[] = {
  { offsetof (Elf64_Ehdr, e_type), 2 },
  { offsetof (Elf64_Ehdr, e_machine), 2 },
  { offsetof (Elf64_Ehdr, e_entry), 8 },
  { offsetof (Elf64_Ehdr, e_phoff), 8 },
  { offsetof (Elf64_Ehdr, e_shoff), 8 },
  { offsetof (Elf64_Ehdr, e_phentsize), 2 },
  { offsetof (Elf64_Ehdr, e_phnum), 2 },
  { offsetof (Elf64_Ehdr, e_shentsize), 2 },
  { offsetof (Elf64_Ehdr, e_shnum), 2 },
  { offsetof (Elf64_Ehdr, e_shstrndx), 2 },
};

static const struct field segment_fields[] = {
  { offsetof (Elf64_Phdr, p_type), 4 },
  { offsetof (Elf64_Phdr, p_flags), 4 },
  { offsetof (Elf64_Phdr, p_offset), 8 },
  { offsetof (Elf64_Phdr, p_vaddr), 8 },
  { offsetof (Elf64_Phdr, p_paddr), 8 },
  { offsetof (Elf64_Phdr, p_filesz), 8 },
  { offsetof (Elf64_Phdr, p_memsz), 8 },
  { offsetof (Elf64_Phdr, p_align), 8 },
};

static const struct field section_fields[] = {
  { offsetof (Elf64_Shdr, sh_name), 4 },
  { offsetof (Elf64_Shdr, sh_type), 4 },
  { offsetof (Elf64_Shdr, sh_flags), 8 },
  { offsetof (Elf64_Shdr, sh_addr), 8 },
  { offsetof (Elf64_Shdr, sh_offset), 8 },
  { offsetof (Elf64_Shdr, sh_size), 8 },
  { offsetof (Elf64_Shdr, sh_link), 4 },
  { offsetof (Elf64_Shdr, sh_info), 4 },
  { offsetof (Elf64_Shdr, sh_addralign), 8 },
  { offsetof (Elf64_Shdr, sh_entsize), 8 },
};

#define N_ITEMS(array) (sizeof (array) / sizeof (array)[0])

static uint64_t
load_field (const struct mutation *m, uint64_t at, unsigned size)
{
  return size == 2   ? load_u16 (m->bytes + at, m->big_endian)
         : size == 4 ? load_u32 (m->bytes + at, m->big_endian)
                     : load_u64 (m->bytes + at, m->big_endian);
}

static void
store_field (struct mutation *m, uint64_t at, unsigned size, uint64_t value)
{
  if (size == 2)
    store_u16 (m->bytes + at, (uint16_t)value, m->big_endian);
  else if (size == 4)
    store_u32 (m->bytes + at, (uint32_t)value, m->big_endian);
  else
    store_u64 (m->bytes + at, value, m->big_endian);
}

/* A 64-bit number that some header holds.  */
static uint64_t
number_elsewhere (struct mutation *m)
{
  struct table table = below (m, 2) ? segment_table (m) : section_table (m);
  if (table.n == 0)
    return m->size;
  uint64_t at = table.offset + below (m, table.n) * table.entry;
  return load_u64 (m->bytes + at + 8 + 8 * below (m, 6), m->big_endian);
}

static uint64_t
number (struct mutation *m, uint64_t now)
{
  static const int16_t steps[]
      = { 0, 1, -1, 4, -4, 8, -8, 16, -16, 56, 64, -64, 4096, -4096 };
  uint64_t step = (uint64_t)(int64_t)steps[below (m, N_ITEMS (steps))];
  switch (below (m, 8))
    {
    case 0:
      return UINT64_C (1) << below (m, 64);
    case 1:
      return (UINT64_C (1) << below (m, 64)) - 1;
    case 2:
      return step;
    case 3:
      return m->size + step;
    case 4:
    case 5:
      return number_elsewhere (m) + step;
    case 6:
      return UINT64_MAX - below (m, 8192);
    default:
      return now + step;
    }
}

static uint64_t
type_number (struct mutation *m, uint64_t now)
{
  static const uint32_t types[]
      = { PT_NULL,         PT_LOAD,        PT_DYNAMIC,      PT_INTERP,
          PT_NOTE,         PT_PHDR,        PT_GNU_EH_FRAME, PT_GNU_SFRAME,
          PT_GNU_PROPERTY, PT_GNU_STACK,   SHT_SYMTAB,      SHT_STRTAB,
          SHT_HASH,        SHT_NOBITS,     SHT_DYNSYM,      SHT_GNU_HASH,
          SHT_GNU_verneed, SHT_GNU_SFRAME, SHT_SYMTAB_SHNDX };
  return below (m, 3) ? types[below (m, N_ITEMS (types))] : number (m, now);
}

static void
mutate_entry (struct mutation *m, const struct table *table,
              const struct field *fields, size_t n_fields)
{
  if (table->n == 0)
    return;
  const struct field *field = &fields[below (m, n_fields)];
  uint64_t at
      = table->offset + below (m, table->n) * table->entry + field->offset;
  uint64_t now = load_field (m, at, field->size);
  uint64_t value = field->size == 4 ? type_number (m, now) : number (m, now);
  store_field (m, at, field->size, value);
}

static void
copy_entry (struct mutation *m, const struct table *table)
{
  uint8_t entry[sizeof (Elf64_Shdr)];
  if (table->n < 2)
    return;
  uint8_t *from
      = m->bytes + table->offset + below (m, table->n) * table->entry;
  uint8_t *to = m->bytes + table->offset + below (m, table->n) * table->entry;
  memcpy (entry, to, table->entry);
  memmove (to, from, table->entry);
  if (below (m, 2))
    memcpy (from, entry, table->entry);
}

/* .eh_frame.  */

/* Programs that are seldom written by chance.  */
static const struct
{
  uint8_t size;
  uint8_t bytes[12];
} programs[] = {
  { 1, { 0x0a } }, /* remember_state */
  { 1, { 0x0b } }, /* restore_state */
  { 2, { 0x0a, 0x0b } },
  { 3, { 0x41, 0x0e, 0x10 } }, /* advance, def_cfa_offset */
  { 2, { 0x41, 0x2d } },       /* negate_ra_state */
  { 2, { 0x41, 0x2c } },
  { 3, { 0x0c, 7, 8 } }, /* def_cfa */
  { 3, { 0x0c, 6, 16 } },
  { 3, { 0x0c, 10, 0 } },
  { 2, { 0x86, 2 } },    /* offset rbp */
  { 2, { 0x90, 1 } },    /* offset RA */
  { 2, { 0x07, 0x10 } }, /* undefined RA */
  { 3, { 0x09, 6, 3 } }, /* rbp in rbx */
  { 3, { 0x09, 30, 3 } },
  { 3, { 0x14, 7, 0 } },                   /* val_offset */
  { 6, { 0x0f, 3, 0x76, 0x78, 0x06, 0 } }, /* *(rbp - 8) */
  { 6, { 0x10, 6, 2, 0x76, 0, 0 } },
  { 5, { 0x16, 16, 2, 0x77, 0x08 } },
  { 12, { 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24 } },
  { 5, { 0x04, 0xff, 0xff, 0xff, 0x7f } }, /* advance_loc4 */
  { 3, { 0x03, 0xff, 0xff } },
  { 9, { 0x01, 0x10, 0x20, 0x40, 0, 0, 0, 0, 0 } }, /* set_loc */
  { 11, { 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 } },
  { 3, { 0x11, 6, 0x7f } },    /* offset_extended_sf */
  { 3, { 0x12, 7, 0x70 } },    /* def_cfa_sf */
  { 3, { 0x2e, 0x90, 0x01 } }, /* GNU_args_size */
  { 3, { 0x2f, 6, 2 } },
  { 1, { 0xc6 } }, /* restore rbp */
  { 1, { 0xdd } },
};

struct entry_place
{
  uint64_t offset, size; /* with the length field; 0: there is none */
};

/* Some entry of the section at BEGIN.  */
static struct entry_place
some_entry (struct mutation *m, uint64_t begin, uint64_t end)
{
  struct entry_place found = { begin, 0 };
  uint64_t n = 0;
  for (uint64_t at = begin; at + 4 <= end;)
    {
      uint64_t size = 4 + (uint64_t)load_u32 (m->bytes + at, m->big_endian);
      if (size > end - at)
        break;
      if (below (m, ++n) == 0)
        found = (struct entry_place){ at, size };
      at += size;
    }
  return found;
}

static void
mutate_length (struct mutation *m, const struct entry_place *entry,
               uint64_t end)
{
  static const uint32_t lengths[] = { 0, 1, 3, 4, 8, 12, 16, 20, 24 };
  uint32_t length = load_u32 (m->bytes + entry->offset, m->big_endian);
  switch (below (m, 4))
    {
    case 0:
      length = lengths[below (m, N_ITEMS (lengths))];
      break;
    case 1:
      length = (uint32_t)(end - entry->offset - 4 + below (m, 5) - 2);
      break;
    case 2:
      length = UINT32_MAX - (uint32_t)below (m, 17);
      break;
    default:
      length += (uint32_t)(4 * below (m, 9)) - 16;
    }
  store_u32 (m->bytes + entry->offset, length, m->big_endian);
}

static void
mutate_program (struct mutation *m, const struct entry_place *entry)
{
  size_t which = below (m, N_ITEMS (programs));
  size_t size = programs[which].size;
  if (entry->size < 12 + size)
    return;
  /* Programs are behind the fixed part; a little before it is fine too.  */
  uint64_t at = entry->offset + 9 + below (m, entry->size - 8 - size);
  if (in_file (m, at, size))
    memcpy (m->bytes + at, programs[which].bytes, size);
}

/* Make a LEB128 number longer, or end it.  */
static void
mutate_leb (struct mutation *m, const struct entry_place *entry)
{
  if (entry->size > 8)
    m->bytes[entry->offset + 8 + below (m, entry->size - 8)] ^= 0x80;
}

static void
mutate_cie_pointer (struct mutation *m, uint64_t begin, uint64_t end,
                    const struct entry_place *entry)
{
  if (entry->size < 8)
    return;
  struct entry_place other = some_entry (m, begin, end);
  uint64_t id = below (m, 4) == 0
                    ? 0
                    : entry->offset + 4 - other.offset + (below (m, 8) == 0);
  store_u32 (m->bytes + entry->offset + 4, (uint32_t)id, m->big_endian);
}

static void
mutate_eh_frame (struct mutation *m, uint64_t begin, uint64_t end)
{
  struct entry_place entry = some_entry (m, begin, end);
  if (entry.size == 0)
    return;
  switch (below (m, 8))
    {
    case 0:
      mutate_length (m, &entry, end);
      break;
    case 1:
      mutate_cie_pointer (m, begin, end, &entry);
      break;
    case 2:
      mutate_leb (m, &entry);
      break;
    case 3:
      {
        /* The range in the middle of the entry.  */
        struct entry_place other = some_entry (m, begin, end);
        uint64_t size = entry.size < other.size ? entry.size : other.size;
        memmove (m->bytes + entry.offset, m->bytes + other.offset, size);
        break;
      }
    case 4:
      if (entry.size > 16)
        store_u32 (m->bytes + entry.offset + 8 + 4 * below (m, 2),
                   (uint32_t)number (m, entry.size), m->big_endian);
      break;
    default:
      mutate_program (m, &entry);
    }
}

/* Put a new FDE behind an existing entry.  */
static void
insert_entry (struct mutation *m, uint64_t begin)
{
  struct entry_place entry = some_entry (m, begin, m->size);
  struct entry_place cie = some_entry (m, begin, m->size);
  size_t size = 24 + 4 * below (m, 6);
  if (m->size + size > m->max || entry.size == 0 || cie.offset > entry.offset)
    return;
  uint64_t at = entry.offset + entry.size;
  memmove (m->bytes + at + size, m->bytes + at, m->size - at);
  m->size += size;
  memset (m->bytes + at, 0, size);
  store_u32 (m->bytes + at, (uint32_t)size - 4, m->big_endian);
  store_u32 (m->bytes + at + 4, (uint32_t)(at + 4 - cie.offset),
             m->big_endian);
  store_u32 (m->bytes + at + 8, (uint32_t)(0x1000 - at + 32 * below (m, 64)),
             m->big_endian);
  store_u32 (m->bytes + at + 12, (uint32_t)below (m, 256), m->big_endian);
  struct entry_place added = { at, size };
  for (int i = 0; i < 4; i++)
    mutate_program (m, &added);
}

/* The place of the section NAME.  The file's headers are in order.  */
static bool
find_section (const struct mutation *m, const char *name, uint64_t *begin,
              uint64_t *end)
{
  struct table sections = section_table (m);
  size_t names
      = load_u16 (m->bytes + offsetof (Elf64_Ehdr, e_shstrndx), m->big_endian);
  if (names >= sections.n)
    return false;
  uint64_t strings = header_u64 (m, sections.offset + names * sections.entry
                                        + offsetof (Elf64_Shdr, sh_offset));
  for (size_t i = 0; i < sections.n; i++)
    {
      uint64_t at = sections.offset + i * sections.entry;
      uint64_t string = strings + load_u32 (m->bytes + at, m->big_endian);
      *begin = header_u64 (m, at + offsetof (Elf64_Shdr, sh_offset));
      *end = *begin + header_u64 (m, at + offsetof (Elf64_Shdr, sh_size));
      if (in_file (m, string, strlen (name) + 1)
          && memcmp (m->bytes + string, name, strlen (name) + 1) == 0
          && *end >= *begin && in_file (m, *begin, *end - *begin))
        return true;
    }
  return false;
}

/* Set a 64-bit word of section NAME.  */
static void
mutate_words (struct mutation *m, const char *name)
{
  uint64_t begin, end;
  if (!find_section (m, name, &begin, &end) || end - begin < 8)
    return;
  uint64_t at = begin + 8 * below (m, (end - begin) / 8);
  store_u64 (m->bytes + at,
             number (m, load_u64 (m->bytes + at, m->big_endian)),
             m->big_endian);
}

static void
mutate_elf_once (struct mutation *m)
{
  struct table segments = segment_table (m), sections = section_table (m);
  struct table header = { 0, 1, sizeof (Elf64_Ehdr) };
  uint64_t begin, end;
  switch (below (m, 12))
    {
    case 0:
      mutate_entry (m, &header, header_fields, N_ITEMS (header_fields));
      break;
    case 1:
    case 2:
      mutate_entry (m, &segments, segment_fields, N_ITEMS (segment_fields));
      break;
    case 3:
    case 4:
      mutate_entry (m, &sections, section_fields, N_ITEMS (section_fields));
      break;
    case 5:
      copy_entry (m, below (m, 2) ? &segments : &sections);
      break;
    case 6:
      mutate_words (m, below (m, 2) ? ".dynamic" : ".symtab");
      break;
    case 7:
      mutate_words (m, below (m, 2) ? ".sframe" : ".rela.eh_frame");
      break;
    default:
      if (find_section (m, ".eh_frame", &begin, &end))
        mutate_eh_frame (m, begin, end);
    }
}

static size_t
mutate_elf (struct mutation *m, unsigned tail)
{
  if (m->size < sizeof (Elf64_Ehdr) + tail)
    return m->size;
  m->big_endian = m->bytes[EI_DATA] == ELFDATA2MSB;
  if (below (m, 8) == 0)
    m->bytes[m->size - 1 - below (m, tail)] ^= (uint8_t)(1 << below (m, 8));
  m->size -= tail;
  for (uint64_t n = 1 + below (m, 4); n > 0; n--)
    mutate_elf_once (m);
  return m->size + tail;
}

static size_t
mutate_cfi (struct mutation *m, unsigned head)
{
  if (m->size < head + 16)
    return m->size;
  m->big_endian = (m->bytes[0] & 3) >= 2;
  for (uint64_t n = 1 + below (m, 4); n > 0; n--)
    if (below (m, 4) == 0)
      insert_entry (m, head);
    else
      mutate_eh_frame (m, head, m->size);
  return m->size;
}

size_t
fuzz_mutate (const struct fuzz_target *target, uint8_t *bytes, size_t size,
             size_t max, unsigned seed,
             size_t (*plain) (uint8_t *, size_t, size_t))
{
  struct mutation m = { .random = seed + UINT64_C (0x9e3779b97f4a7c15),
                        .bytes = bytes,
                        .size = size,
                        .max = max };
  next_random (&m);
  if (plain != NULL && (target->input == FUZZ_BYTES || below (&m, 3) == 0))
    return plain (bytes, size, max);
  return target->input == FUZZ_CFI ? mutate_cfi (&m, target->head)
                                   : mutate_elf (&m, target->tail);
}
