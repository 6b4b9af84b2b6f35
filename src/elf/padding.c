/* Bytes between functions that nothing executes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/padding.h"

#include <stdlib.h>

#include "base/bytes.h"

/* Symbols.  */

static bool
holds_symbols (const struct image_section *section)
{
  return section->header.sh_type == SHT_SYMTAB
         || section->header.sh_type == SHT_DYNSYM;
}

static size_t
count_symbols (const struct image *image)
{
  size_t count = 0;
  for (size_t i = 1; i < image->n_sections; i++)
    if (holds_symbols (&image->sections[i])
        && image_section_bytes (image, &image->sections[i]) != NULL)
      count += image->sections[i].header.sh_size / sizeof (Elf64_Sym);
  return count;
}

static bool
has_place (uint8_t type, uint16_t section)
{
  return section != SHN_UNDEF && section != SHN_ABS && type != STT_SECTION
         && type != STT_FILE && type != STT_TLS;
}

static void
collect_table (struct padding_finder *finder,
               const struct image_section *section)
{
  const uint8_t *at = image_section_bytes (finder->image, section);
  bool big_endian = finder->image->big_endian;
  if (at == NULL)
    return;
  for (uint64_t left = section->header.sh_size; left >= sizeof (Elf64_Sym);
       left -= sizeof (Elf64_Sym), at += sizeof (Elf64_Sym))
    if (has_place (ELF64_ST_TYPE (at[offsetof (Elf64_Sym, st_info)]),
                   load_u16 (at + offsetof (Elf64_Sym, st_shndx), big_endian)))
      finder->symbols[finder->n_symbols++]
          = load_u64 (at + offsetof (Elf64_Sym, st_value), big_endian);
}

static int
compare_addresses (const void *a, const void *b)
{
  const uint64_t *left = a, *right = b;
  return (*left > *right) - (*left < *right);
}

bool
padding_finder_init (struct padding_finder *finder, const struct image *image,
                     struct error *err)
{
  *finder = (struct padding_finder){ .image = image };
  size_t count = count_symbols (image);
  if (count == 0)
    return true;
  finder->symbols = reallocarray (NULL, count, sizeof *finder->symbols);
  if (finder->symbols == NULL)
    return error_set_no_memory (err);
  for (size_t i = 1; i < image->n_sections; i++)
    if (holds_symbols (&image->sections[i]))
      collect_table (finder, &image->sections[i]);
  qsort (finder->symbols, finder->n_symbols, sizeof *finder->symbols,
         compare_addresses);
  return true;
}

void
padding_finder_free (struct padding_finder *finder)
{
  free (finder->symbols);
  *finder = (struct padding_finder){ 0 };
}

static bool
holds_symbol (const struct padding_finder *finder, uint64_t address,
              uint64_t size)
{
  size_t low = 0, high = finder->n_symbols;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (finder->symbols[middle] < address)
        low = middle + 1;
      else
        high = middle;
    }
  return low < finder->n_symbols && finder->symbols[low] - address < size;
}

/* Instructions.  Each function gives the length of the padding instruction at
   AT, of at most LEFT bytes, or 0 when it is none.  */

/* The multi-byte no-op 0f 1f /0 without its prefixes (Intel SDM volume 2,
   NOP; table 4-12).  */
static size_t
amd64_long_nop (const uint8_t *at, size_t left)
{
  if (left < 3 || at[0] != 0x0f || at[1] != 0x1f || (at[2] & 0x38) != 0)
    return 0;
  unsigned mode = at[2] >> 6, rm = at[2] & 7;
  size_t size = 3 + (rm == 4 && mode != 3);
  if (mode == 1)
    size += 1;
  else if (mode == 2 || (mode == 0 && rm == 5))
    size += 4;
  return size <= left ? size : 0;
}

static size_t
amd64_padding (const uint8_t *at, size_t left)
{
  if (at[0] == 0xcc || at[0] == 0x00)
    return 1; /* int3, or what a linker fills with */
  size_t prefixes = 0;
  while (prefixes < left && (at[prefixes] == 0x66 || at[prefixes] == 0x2e))
    prefixes++;
  if (prefixes == left)
    return 0;
  if (at[prefixes] == 0x90)
    return prefixes + 1;
  size_t size = amd64_long_nop (at + prefixes, left - prefixes);
  return size > 0 ? prefixes + size : 0;
}

/* nop, and udf #0, which is what zeros mean (Arm ARM, C6.2).  */
static size_t
aarch64_padding (const uint8_t *at, size_t left)
{
  /* Instructions are little-endian whatever the data are.  */
  uint32_t word = left >= 4 ? load_u32 (at, false) : 1;
  return word == 0xd503201f || word == 0 ? 4 : 0;
}

/* nopr (any register), and zeros (Principles of Operation, BCR).  */
static size_t
s390x_padding (const uint8_t *at, size_t left)
{
  return left >= 2 && ((at[0] == 0x07 && at[1] < 0x10) || (!at[0] && !at[1]))
             ? 2
             : 0;
}

static size_t
padding_size (unsigned machine, const uint8_t *at, size_t left)
{
  switch (machine)
    {
    case EM_X86_64:
      return amd64_padding (at, left);
    case EM_AARCH64:
      return aarch64_padding (at, left);
    case EM_S390:
      return s390x_padding (at, left);
    default:
      return 0;
    }
}

bool
padding_finder_is_padding (const struct padding_finder *finder,
                           uint64_t address, uint64_t size)
{
  if (size == 0)
    return true;
  if (size > PADDING_MAX || holds_symbol (finder, address, size))
    return false;
  const uint8_t *at = image_bytes_at (finder->image, address, size);
  if (at == NULL)
    return false;
  for (size_t left = size; left > 0;)
    {
      size_t step = padding_size (finder->image->header.e_machine, at, left);
      if (step == 0)
        return false;
      at += step;
      left -= step;
    }
  return true;
}
