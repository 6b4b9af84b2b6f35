/* The symbol table of a new object.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "relocatable/object_symbols.h"

#include <stdlib.h>

#include "base/bytes.h"

/* Find the section symbols, and the sections that need a new one.  */
static bool
collect_symbols (struct object_symbols *table,
                 const struct object_section *made, struct error *err)
{
  for (size_t i = table->old.n_local; i-- > 1;)
    {
      struct symbol symbol;
      if (symbols_get (&table->old, i, &symbol)
          && ELF64_ST_TYPE (symbol.info) == STT_SECTION && symbol.value == 0
          && i <= UINT32_MAX)
        table->section_symbols[symbol.section] = (uint32_t)i;
    }
  for (size_t i = 0; i < made->n_functions; i++)
    {
      size_t section = made->starts[i].section;
      if (section == 0 || section >= table->image->n_sections)
        return error_set (err, CFI2SFRAME_INVALID, "no section %zu", section);
      if (table->section_symbols[section] != 0)
        continue;
      size_t index = table->old.n_local + table->n_added;
      table->section_symbols[section] = (uint32_t)index;
      table->added[table->n_added++] = section;
    }
  if (table->old.n + table->n_added > UINT32_MAX)
    return error_set (err, CFI2SFRAME_UNSUPPORTED, "too many symbols");
  return true;
}

uint64_t
object_symbols_moved (const struct object_symbols *table, uint64_t index)
{
  return index < table->old.n_local ? index : index + table->n_added;
}

/* Return a copy of SECTION's contents for the new object, which the caller
   changes.  NULL when memory ran out.  */
static struct buffer *
copy_contents (struct object_symbols *table, size_t section, struct error *err)
{
  const struct image_section *old = &table->image->sections[section];
  struct buffer *copy = &table->copies[section];
  buffer_append (copy, image_section_bytes (table->image, old),
                 old->header.sh_size);
  if (!copy->failed)
    return copy;
  error_set_no_memory (err);
  return NULL;
}

/* Make the contents of SHT_SYMTAB_SHNDX, with the section indexes that do not
   fit 16 bits, if a symbol needs one.  */
static bool
extend_indexes (struct object_symbols *table, struct error *err)
{
  const struct symbols *symbols = &table->old;
  bool large = false;
  for (size_t i = 0; i < table->n_added; i++)
    large |= table->added[i] >= SHN_LORESERVE;
  if (symbols->indexes == NULL && !large)
    return true;
  struct buffer *out = &table->index_section;
  for (size_t i = 0; i <= symbols->n; i++)
    {
      for (size_t j = 0; i == symbols->n_local && j < table->n_added; j++)
        buffer_u32 (out, table->added[j] < SHN_LORESERVE
                             ? 0
                             : (uint32_t)table->added[j]);
      if (i < symbols->n)
        buffer_u32 (out, symbols->indexes ? load_u32 (symbols->indexes + 4 * i,
                                                      out->big_endian)
                                          : 0);
    }
  return !out->failed || error_set_no_memory (err);
}

/* Insert the new section symbols behind the local ones.  */
static bool
extend_symbols (struct object_symbols *table, struct error *err)
{
  const struct symbols *symbols = &table->old;
  const size_t entry = sizeof (Elf64_Sym);
  const size_t head = symbols->n_local * entry;
  const size_t added = table->n_added * entry;
  bool big_endian = table->image->big_endian;
  struct buffer *copy = &table->copies[symbols->section];
  if (!buffer_reserve (copy, symbols->n * entry + added))
    return error_set_no_memory (err);
  buffer_append (copy, symbols->bytes, head);
  buffer_fill (copy, 0, added);
  buffer_append (copy, symbols->bytes + head, symbols->n * entry - head);
  for (size_t i = 0; i < table->n_added; i++)
    {
      uint8_t *at = copy->bytes + head + i * entry;
      size_t section = table->added[i];
      at[offsetof (Elf64_Sym, st_info)]
          = ELF64_ST_INFO (STB_LOCAL, STT_SECTION);
      store_u16 (at + offsetof (Elf64_Sym, st_shndx),
                 section < SHN_LORESERVE ? (uint16_t)section : SHN_XINDEX,
                 big_endian);
    }
  return extend_indexes (table, err);
}

/* ---- Indexes into the symbol table */

static bool
adjust_relocations (struct object_symbols *table, size_t section, size_t entry,
                    struct error *err)
{
  bool big_endian = table->image->big_endian;
  struct buffer *copy = copy_contents (table, section, err);
  if (copy == NULL)
    return false;
  for (size_t at = 0; copy->size - at >= entry; at += entry)
    {
      uint8_t *info_at = copy->bytes + at + offsetof (Elf64_Rela, r_info);
      uint64_t info = load_u64 (info_at, big_endian);
      uint64_t symbol = object_symbols_moved (table, ELF64_R_SYM (info));
      store_u64 (info_at, ELF64_R_INFO (symbol, ELF64_R_TYPE (info)),
                 big_endian);
    }
  return true;
}

static bool
adjust_addrsig (struct object_symbols *table, size_t section,
                struct error *err)
{
  const GElf_Shdr *header = &table->image->sections[section].header;
  const uint8_t *old
      = image_section_bytes (table->image, &table->image->sections[section]);
  struct cursor cursor = cursor_over (old, header->sh_size, false);
  struct buffer *copy = &table->copies[section];
  while (cursor_left (&cursor) > 0)
    buffer_uleb (copy, object_symbols_moved (table, cursor_uleb (&cursor)));
  if (copy->failed)
    return error_set_no_memory (err);
  if (cursor.failed)
    return error_set_at (err, CFI2SFRAME_MALFORMED, header->sh_offset,
                         ".llvm_addrsig is damaged");
  return true;
}

static bool
adjust_call_graph (struct object_symbols *table, size_t section,
                   struct error *err)
{
  bool big_endian = table->image->big_endian;
  struct buffer *copy = copy_contents (table, section, err);
  if (copy == NULL)
    return false;
  for (size_t at = 0; copy->size - at >= LLVM_CALL_SIZE; at += LLVM_CALL_SIZE)
    for (size_t i = at; i < at + LLVM_CALL_WEIGHT; i += 4)
      store_u32 (copy->bytes + i,
                 (uint32_t)object_symbols_moved (
                     table, load_u32 (copy->bytes + i, big_endian)),
                 big_endian);
  return true;
}

static bool
adjust_section (struct object_symbols *table, size_t section,
                struct error *err)
{
  const GElf_Shdr *header = &table->image->sections[section].header;
  switch (header->sh_type)
    {
    case SHT_REL:
      return adjust_relocations (table, section, sizeof (Elf64_Rel), err);
    case SHT_RELA:
      return adjust_relocations (table, section, sizeof (Elf64_Rela), err);
    case SHT_LLVM_ADDRSIG:
      return adjust_addrsig (table, section, err);
    case SHT_LLVM_CALL_GRAPH_PROFILE_RAW:
      return adjust_call_graph (table, section, err);
    case SHT_GROUP:                   /* sh_info, see object_write.c */
    case SHT_SYMTAB_SHNDX:            /* written with the symbols */
    case SHT_LLVM_CALL_GRAPH_PROFILE: /* has relocations instead */
      return true;
    default:
      return error_set (err, CFI2SFRAME_UNSUPPORTED,
                        "section %zu (%.64s) refers to symbols in an unknown "
                        "way",
                        section, table->image->sections[section].name);
    }
}

bool
object_symbols_add (struct object_symbols *table,
                    const struct object_section *made, size_t rela,
                    struct error *err)
{
  if (!collect_symbols (table, made, err))
    return false;
  if (table->n_added == 0)
    return true;
  if (!extend_symbols (table, err))
    return false;
  for (size_t i = 1; i < table->image->n_sections; i++)
    {
      const GElf_Shdr *header = &table->image->sections[i].header;
      if (header->sh_link == table->old.section && i != rela
          && image_section_has_bytes (header)
          && !adjust_section (table, i, err))
        return false;
    }
  return true;
}

bool
object_symbols_open (struct object_symbols *table, const struct image *image,
                     struct error *err)
{
  size_t n = image->n_sections;
  *table = (struct object_symbols){ .image = image };
  buffer_init (&table->index_section, image->big_endian);
  table->section_symbols = calloc (n + 1, sizeof *table->section_symbols);
  table->added = calloc (n + 1, sizeof *table->added);
  table->copies = calloc (n + 1, sizeof *table->copies);
  if (table->section_symbols == NULL || table->added == NULL
      || table->copies == NULL)
    return error_set_no_memory (err);
  if (!symbols_open (&table->old, image, err))
    return false;
  if (table->old.section == 0)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                           "relocatable object without symbol table");
  return true;
}

void
object_symbols_free (struct object_symbols *table)
{
  for (size_t i = 0; table->copies && i < table->image->n_sections; i++)
    buffer_free (&table->copies[i]);
  free (table->copies);
  free (table->added);
  free (table->section_symbols);
  buffer_free (&table->index_section);
}
