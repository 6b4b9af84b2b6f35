/* What names sections by address: dynamic entries and symbols.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/dynamic_addresses.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/dynamic.h"
#include "elf/symbols.h"

enum
{
  MOVED_SYMBOLS_MAX = 4096 /* a handful is usual */
};

static bool
patch_u64 (struct draft *draft, uint64_t old_offset, uint64_t value)
{
  uint64_t offset;
  if (!plan_find (draft->plan, old_offset, sizeof value, &offset))
    return error_set_at (draft->err, CFI2SFRAME_REFUSED, old_offset,
                         "an address that must change lies in bytes that "
                         "have moved");
  uint8_t *bytes
      = plan_add_patch (draft->plan, offset, sizeof value, draft->err);
  if (bytes == NULL)
    return false;
  store_u64 (bytes, value, draft->image->big_endian);
  return true;
}

/* What is added to ADDRESS, that of the table which the dynamic entry TAG
   names.  */
static uint64_t
table_delta (const struct draft *draft, int64_t tag, uint64_t address)
{
  for (size_t i = 1; i < draft->image->n_sections; i++)
    {
      const GElf_Shdr *header = &draft->image->sections[i].header;
      if (draft->moved[i] != 0 && header->sh_addr == address
          && dynamic_tag_of (header->sh_type) == tag)
        return draft->moved[i];
    }
  return 0;
}

bool
dynamic_addresses_patch (struct draft *draft)
{
  uint64_t at = 0, value;
  int64_t tag;
  while (dynamic_next (draft->image, &at, &tag, &value))
    {
      uint64_t delta
          = dynamic_is_table (tag) ? table_delta (draft, tag, value) : 0;
      /* *AT is behind the entry; its second word is d_un.  */
      if (delta != 0 && !patch_u64 (draft, at - 8, value + delta))
        return false;
    }
  return true;
}

/* Linkers attach symbols like __ehdr_start to the first section, although
   their addresses are outside of it.  These symbols stay.  */
static bool
is_in_section (const GElf_Shdr *header, uint64_t value)
{
  return value >= header->sh_addr
         && value - header->sh_addr <= header->sh_size;
}

/* Whether SYMBOL moves with its section.  A dynamic symbol is found by name,
   unless it is that of a section; then the section does not move.  */
static bool
follows_section (const struct draft *draft, const GElf_Shdr *table,
                 const struct symbol *symbol)
{
  return symbol->section != 0 && draft->moved[symbol->section] != 0
         && (table->sh_type == SHT_SYMTAB
             || ELF64_ST_TYPE (symbol->info) == STT_SECTION)
         && is_in_section (&draft->image->sections[symbol->section].header,
                           symbol->value);
}

/* A table is patched only if its entries have the size that programs expect.
 */
bool
dynamic_addresses_patch_symbols (struct draft *draft)
{
  struct symbol_walk walk = symbol_walk_over (draft->image, false);
  struct symbol symbol;
  size_t n_patches = 0;
  while (symbol_walk_next (&walk, &symbol))
    {
      const GElf_Shdr *table
          = &draft->image->sections[walk.table.section].header;
      if (table->sh_entsize != sizeof (Elf64_Sym)
          || !follows_section (draft, table, &symbol))
        continue;
      if (++n_patches > MOVED_SYMBOLS_MAX)
        return error_set (draft->err, CFI2SFRAME_REFUSED,
                          "too many symbols in sections that must move");
      uint64_t at = table->sh_offset + (walk.next - 1) * sizeof (Elf64_Sym)
                    + offsetof (Elf64_Sym, st_value);
      if (!patch_u64 (draft, at, symbol.value + draft->moved[symbol.section]))
        return false;
    }
  return true;
}

/* Whether no program reads what is at the symbol: the one that glibc's start
   files put on the ABI note; __dso_handle, the address that stands for a
   library in calls of __cxa_atexit, which mold puts at the first section; and
   the mapping symbols of the ARM ABIs ($d).  */
static bool
is_unused_name (const char *name)
{
  return name != NULL
         && (strcmp (name, "__abi_tag") == 0
             || strcmp (name, "__dso_handle") == 0 || name[0] == '$');
}

bool
section_has_symbol (const struct image *image, size_t index)
{
  const GElf_Shdr *header = &image->sections[index].header;
  struct symbol_walk walk = symbol_walk_over (image, false);
  struct symbol symbol;
  while (symbol_walk_next (&walk, &symbol))
    if (ELF64_ST_TYPE (symbol.info) != STT_SECTION && symbol.section == index
        && is_in_section (header, symbol.value)
        && !is_unused_name (symbols_name (&walk.table, &symbol)))
      return true;
  return false;
}
