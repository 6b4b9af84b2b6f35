/* Bytes between functions that nothing executes.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "elf/padding.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/radix.h"
#include "base/search.h"
#include "elf/symbols.h"

enum
{
  ALIGNMENT = PADDING_MAX + 1, /* of most functions */
  LARGE_ALIGNMENT = 64         /* of some */
};

/* Symbols.  */

static bool
holds_symbols (const struct image_section *section)
{
  return section->header.sh_type == SHT_SYMTAB
         || section->header.sh_type == SHT_DYNSYM;
}

static size_t
count_names (const struct image *image)
{
  size_t count = image->n_sections;
  for (size_t i = 1; i < image->n_sections; i++)
    if (holds_symbols (&image->sections[i])
        && image_section_bytes (image, &image->sections[i]) != NULL)
      count += image->sections[i].header.sh_size / sizeof (Elf64_Sym);
  return count;
}

static bool
has_place (const struct symbol *symbol)
{
  unsigned type = ELF64_ST_TYPE (symbol->info);
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS
         && type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

static void
collect_table (struct padding_finder *finder, size_t section)
{
  struct symbols symbols;
  struct symbol symbol;
  if (!symbols_at (&symbols, finder->image, section))
    return;
  /* Only symbols of code are of use.  */
  for (size_t i = 0; symbols_get (&symbols, i, &symbol); i++)
    if (has_place (&symbol)
        && image_is_executable (finder->image, symbol.value, 0))
      finder->names[finder->n_names++] = symbol.value;
}

/* A section's start is a name, too: code begins there.  */
static void
collect_sections (struct padding_finder *finder)
{
  for (size_t i = 1; i < finder->image->n_sections; i++)
    {
      const GElf_Shdr *header = &finder->image->sections[i].header;
      if ((header->sh_flags & SHF_ALLOC) != 0)
        finder->names[finder->n_names++] = header->sh_addr;
    }
}

bool
padding_finder_init (struct padding_finder *finder, const struct image *image,
                     struct error *err)
{
  *finder = (struct padding_finder){ .image = image };
  size_t count = count_names (image);
  if (count == 0)
    return true;
  finder->names = reallocarray (NULL, count, sizeof *finder->names);
  if (finder->names == NULL)
    return error_set_no_memory (err);
  for (size_t i = 1; i < image->n_sections; i++)
    if (holds_symbols (&image->sections[i]))
      collect_table (finder, i);
  collect_sections (finder);
  void *names = finder->names;
  if (!radix_sort (&names, finder->n_names, sizeof *finder->names))
    return error_set_no_memory (err);
  finder->names = names;
  return true;
}

void
padding_finder_free (struct padding_finder *finder)
{
  free (finder->names);
  *finder = (struct padding_finder){ 0 };
}

/* The number of the first symbol or section at ADDRESS or above.  */
static size_t
search_name (const struct padding_finder *finder, uint64_t address)
{
  return SEARCH_FIRST (finder->n_names, i, finder->names[i] >= address);
}

/* Do as search_name does, but begin at the last answer, because most questions
   come in address order.  */
static size_t
follow_names (struct padding_finder *finder, uint64_t address)
{
  enum
  {
    STEPS = 8
  };
  size_t at = finder->next, n = finder->n_names;
  for (unsigned i = 0; i < STEPS && at < n && finder->names[at] < address; i++)
    at++;
  if ((at < n && finder->names[at] < address)
      || (at > 0 && finder->names[at - 1] >= address))
    at = search_name (finder, address);
  finder->next = at;
  return at;
}

/* The address of name NUMBER; UINT64_MAX behind the last name.  */
static uint64_t
name_address (const struct padding_finder *finder, size_t number)
{
  return number < finder->n_names ? finder->names[number] : UINT64_MAX;
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
    return 1; /* int3, or bytes that a linker fills gaps with */
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

/* The bytes of the SIZE ones at ADDRESS up to which all are padding
   instructions; *FIRST is the size of the first one.  */
static uint64_t
padding_run (const struct padding_finder *finder, uint64_t address,
             uint64_t size, size_t *first)
{
  const uint8_t *at = image_bytes_at (finder->image, address, size);
  uint64_t run = 0;
  *first = 0;
  while (at != NULL && run < size)
    {
      size_t step = padding_size (finder->image->header.e_machine, at + run,
                                  size - run);
      if (step == 0)
        break;
      if (run == 0)
        *first = step;
      run += step;
    }
  return run;
}

bool
padding_finder_is_padding (const struct padding_finder *finder,
                           uint64_t address, uint64_t size)
{
  size_t first;
  if (size == 0)
    return true;
  return size <= PADDING_MAX
         && name_address (finder, search_name (finder, address)) - address
                >= size
         && padding_run (finder, address, size, &first) == size;
}

uint64_t
padding_finder_run (const struct padding_finder *finder, uint64_t address,
                    uint64_t limit)
{
  uint64_t aligned = (address | (LARGE_ALIGNMENT - 1)) + 1;
  uint64_t end = limit < aligned ? limit : aligned;
  size_t first;
  return end > address ? padding_run (finder, address, end - address, &first)
                       : 0;
}

uint64_t
padding_finder_behind (struct padding_finder *finder, uint64_t address,
                       uint64_t limit)
{
  uint64_t name = name_address (finder, follow_names (finder, address));
  uint64_t end = name < limit ? name : limit;
  uint64_t gap = end - address;
  size_t first;
  if (gap <= PADDING_MAX)
    return padding_run (finder, address, gap, &first) == gap ? gap : 0;
  uint64_t aligned = (address | (LARGE_ALIGNMENT - 1)) + 1 - address;
  uint64_t size = gap < LARGE_ALIGNMENT ? gap : aligned;
  uint64_t run = padding_run (finder, address, size, &first);
  return run == size || (address + run) % ALIGNMENT == 0 ? first : 0;
}
