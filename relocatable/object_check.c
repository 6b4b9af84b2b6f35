/* The self-check of a new object: is it the old one with an .sframe?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Sections keep their indexes.  Section symbols may have been added behind the
   local symbols.  So the index of a local symbol stays, and that of a global
   one grows by the number of added symbols.  */

#include "relocatable/object_write.h"

#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "elf/sframe_place.h"
#include "elf/symbols.h"
#include "relocatable/object.h"
#include "relocatable/object_symbols.h"
#include "sframe/decode.h"

struct object_check
{
  const struct image *old, *new;
  const struct object_section *made;
  struct symbols old_symbols, new_symbols;
  size_t n_added;      /* symbols */
  size_t sframe, rela; /* sections of the new object */
};

static bool
set_failed (struct error *err, const char *what)
{
  return error_set_word (err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
                         "self-check of the new file failed: %s", what);
}

static bool
set_section_failed (const struct object_check *check, size_t index,
                    struct error *err)
{
  return error_set_word (err, CFI2SFRAME_REFUSED, WORD_SELF_CHECK,
                         "self-check of the new file failed: section %zu "
                         "(%.64s) differs",
                         index, check->new->sections[index].name);
}

/* ---- Symbols */

static uint64_t
new_index (const struct object_check *check, uint64_t old)
{
  return old < check->old_symbols.n_local ? old : old + check->n_added;
}

static bool
same_symbol (const struct object_check *check, size_t index)
{
  const size_t size = sizeof (Elf64_Sym);
  struct symbol x, y;
  size_t moved = (size_t)new_index (check, index);
  return symbols_get (&check->old_symbols, index, &x)
         && symbols_get (&check->new_symbols, moved, &y)
         && memcmp (check->old_symbols.bytes + index * size,
                    check->new_symbols.bytes + moved * size, size)
                == 0
         && x.section == y.section;
}

/* Whether new symbol INDEX is a local section symbol of value 0.  Set *SECTION
   to its section.  */
static bool
is_section_symbol (const struct object_check *check, size_t index,
                   size_t *section)
{
  struct symbol symbol;
  if (!symbols_get (&check->new_symbols, index, &symbol))
    return false;
  *section = symbol.section;
  return symbol.info == ELF64_ST_INFO (STB_LOCAL, STT_SECTION)
         && symbol.section != 0 && symbol.value == 0;
}

/* Whether new symbol INDEX is a section symbol with all other fields zero.  */
static bool
is_added_symbol (const struct object_check *check, size_t index)
{
  Elf64_Sym symbol;
  size_t section;
  memcpy (&symbol, check->new_symbols.bytes + index * sizeof symbol,
          sizeof symbol);
  symbol.st_info = 0;
  symbol.st_shndx = 0;
  return is_section_symbol (check, index, &section)
         && bytes_are_zero (&symbol, sizeof symbol);
}

static bool
check_symbols (struct object_check *check, struct error *err)
{
  const struct symbols *x = &check->old_symbols, *y = &check->new_symbols;
  check->n_added = y->n - x->n;
  bool same = x->section == y->section && x->n <= y->n
              && y->n_local - x->n_local == check->n_added;
  for (size_t i = 0; same && i < x->n; i++)
    same = same_symbol (check, i);
  for (size_t i = x->n_local; same && i < y->n_local; i++)
    same = is_added_symbol (check, i);
  return same || set_failed (err, "its symbols differ");
}

/* ---- Contents with symbol indexes */

/* Whether TO has the TOTAL bytes of relocations FROM, entries of SIZE bytes,
   with the new symbol indexes.  */
static bool
same_relocations (const struct object_check *check, const uint8_t *from,
                  const uint8_t *to, uint64_t total, size_t size)
{
  const size_t info = offsetof (Elf64_Rela, r_info);
  bool big_endian = check->old->big_endian, same = true;
  for (; same && total >= size; total -= size, from += size, to += size)
    {
      uint64_t x = load_u64 (from + info, big_endian);
      uint64_t y = load_u64 (to + info, big_endian);
      same = memcmp (from, to, info) == 0
             && ELF64_R_TYPE (x) == ELF64_R_TYPE (y)
             && ELF64_R_SYM (y) == new_index (check, ELF64_R_SYM (x))
             && memcmp (from + info + 8, to + info + 8, size - info - 8) == 0;
    }
  return same && memcmp (from, to, total) == 0;
}

static bool
same_addrsig (const struct object_check *check,
              const struct image_section *old, const struct image_section *new)
{
  struct cursor x = cursor_over (image_section_bytes (check->old, old),
                                 old->header.sh_size, false);
  struct cursor y = cursor_over (image_section_bytes (check->new, new),
                                 new->header.sh_size, false);
  bool same = true;
  while (same && cursor_left (&x) > 0)
    same = cursor_uleb (&y) == new_index (check, cursor_uleb (&x));
  return same && !x.failed && !y.failed && cursor_left (&y) == 0;
}

static bool
same_call_graph (const struct object_check *check, const uint8_t *from,
                 const uint8_t *to, uint64_t total)
{
  const size_t size = LLVM_CALL_SIZE;
  bool big_endian = check->old->big_endian, same = true;
  for (; same && total >= size; total -= size, from += size, to += size)
    {
      same = memcmp (from + LLVM_CALL_WEIGHT, to + LLVM_CALL_WEIGHT,
                     size - LLVM_CALL_WEIGHT)
             == 0;
      for (size_t i = 0; same && i < LLVM_CALL_WEIGHT; i += 4)
        same = load_u32 (to + i, big_endian)
               == new_index (check, load_u32 (from + i, big_endian));
    }
  return same && memcmp (from, to, total) == 0;
}

static bool
same_contents (const struct object_check *check,
               const struct image_section *old,
               const struct image_section *new)
{
  const uint8_t *from = image_section_bytes (check->old, old);
  const uint8_t *to = image_section_bytes (check->new, new);
  uint64_t size = old->header.sh_size;
  size_t index = (size_t)(old - check->old->sections);
  bool indexes = old->header.sh_link == check->old_symbols.section;
  if (from == NULL || to == NULL)
    return from == to
           && (size == new->header.sh_size || old->header.sh_type == SHT_NULL);
  if (index == check->old_symbols.section
      || index == check->old_symbols.index_section)
    return true; /* check_symbols */
  if (index == check->old->section_names)
    return (new->header.sh_size >= size) && memcmp (from, to, size) == 0;
  if (indexes && old->header.sh_type == SHT_LLVM_ADDRSIG)
    return same_addrsig (check, old, new);
  if (size != new->header.sh_size)
    return false;
  if (indexes && old->header.sh_type == SHT_RELA)
    return same_relocations (check, from, to, size, sizeof (Elf64_Rela));
  if (indexes && old->header.sh_type == SHT_REL)
    return same_relocations (check, from, to, size, sizeof (Elf64_Rel));
  if (indexes && old->header.sh_type == SHT_LLVM_CALL_GRAPH_PROFILE_RAW)
    return same_call_graph (check, from, to, size);
  return memcmp (from, to, size) == 0;
}

/* ---- Sections */

/* Whether the headers are the same, but for the names' offsets, file offsets
   and sizes, symbol indexes, and corrections by libelf.  libelf corrects an
   alignment of 0, the alignment of compressed sections (to 8; their contents
   tell that of the uncompressed section), and sh_entsize by the type.  */
static bool
same_header (const struct object_check *check, const struct image_section *old,
             const struct image_section *new)
{
  const GElf_Shdr *x = &old->header, *y = &new->header;
  uint64_t info = x->sh_info;
  if (x->sh_link == check->old_symbols.section && x->sh_type == SHT_GROUP)
    info = new_index (check, info);
  else if ((size_t)(old - check->old->sections) == check->old_symbols.section)
    info += check->n_added;
  return strcmp (old->name, new->name) == 0 && x->sh_type == y->sh_type
         && x->sh_flags == y->sh_flags && x->sh_addr == y->sh_addr
         && x->sh_link == y->sh_link && y->sh_info == info
         && (x->sh_addralign == y->sh_addralign || x->sh_addralign == 0
             || (x->sh_flags & SHF_COMPRESSED))
         && (x->sh_entsize == y->sh_entsize || !(x->sh_flags & SHF_MERGE));
}

static bool
check_old_sections (const struct object_check *check, struct error *err)
{
  for (size_t i = 1; i < check->old->n_sections; i++)
    {
      const struct image_section *x = &check->old->sections[i];
      const struct image_section *y = &check->new->sections[i];
      bool same
          = i == check->sframe ? section_is_sframe (x)
            : i == check->rela
                ? x->header.sh_type == SHT_RELA
                      && x->header.sh_info == check->sframe
                : same_header (check, x, y) && same_contents (check, x, y);
      if (!same)
        return set_section_failed (check, i, err);
    }
  return true;
}

/* Whether a new section's HEADER is EXPECTED but for its name and offset.  */
static bool
is_as_expected (const GElf_Shdr *header, GElf_Shdr expected)
{
  expected.sh_name = header->sh_name;
  expected.sh_offset = header->sh_offset;
  return memcmp (header, &expected, sizeof expected) == 0;
}

/* Whether .sframe has the bytes that were made, and can be decoded.  */
static bool
check_sframe (const struct object_check *check, struct error *err)
{
  const struct image_section *section = &check->new->sections[check->sframe];
  const struct buffer *made = &check->made->bytes;
  const GElf_Shdr expected = { .sh_type = check->made->section_type,
                               .sh_flags = SHF_ALLOC,
                               .sh_size = made->size,
                               .sh_addralign = 8 };
  struct sframe_decoder decoder;
  return (is_as_expected (&section->header, expected)
          && memcmp (image_section_bytes (check->new, section), made->bytes,
                     made->size)
                 == 0
          && sframe_decoder_open (&decoder, made->bytes, made->size, 0, err))
         || set_section_failed (check, check->sframe, err);
}

/* Whether the relocation at ENTRY is that of START.  */
static bool
is_relocation_of (const struct object_check *check, const uint8_t *entry,
                  const struct start_relocation *start)
{
  bool big_endian = check->new->big_endian;
  uint64_t info = load_u64 (entry + offsetof (Elf64_Rela, r_info), big_endian);
  size_t section;
  return load_u64 (entry + offsetof (Elf64_Rela, r_offset), big_endian)
             == start->offset
         && load_u64 (entry + offsetof (Elf64_Rela, r_addend), big_endian)
                == start->addend
         && ELF64_R_TYPE (info) == check->made->relocation_type
         && is_section_symbol (check, ELF64_R_SYM (info), &section)
         && section == start->section;
}

static bool
check_relocations (const struct object_check *check, struct error *err)
{
  const struct image_section *section = &check->new->sections[check->rela];
  const uint8_t *bytes = image_section_bytes (check->new, section);
  const struct object_section *made = check->made;
  const GElf_Shdr expected
      = { .sh_type = SHT_RELA,
          .sh_flags = SHF_INFO_LINK,
          .sh_size = made->n_functions * sizeof (Elf64_Rela),
          .sh_link = (GElf_Word)check->new_symbols.section,
          .sh_info = (GElf_Word)check->sframe,
          .sh_addralign = 8,
          .sh_entsize = sizeof (Elf64_Rela) };
  bool same = is_as_expected (&section->header, expected);
  for (size_t i = 0; same && i < made->n_functions; i++)
    same = is_relocation_of (check, bytes + i * sizeof (Elf64_Rela),
                             &made->starts[i]);
  return same || set_section_failed (check, check->rela, err);
}

/* Find .sframe and its relocations in the new object.  It may have no other
   new section than SHT_SYMTAB_SHNDX.  */
static bool
find_sections (struct object_check *check, struct error *err)
{
  size_t n = check->new->n_sections, old = check->old->n_sections;
  size_t n_tables = 0;
  if (!object_find_sframe (check->new, &check->sframe, err))
    return false;
  for (size_t i = 1; i < n; i++)
    if (section_relocates (&check->new->sections[i], check->sframe)
        && n_tables++ == 0)
      check->rela = i;
  size_t made = (check->sframe >= old) + (check->rela >= old)
                + (check->new_symbols.index_section >= old);
  return (n == old + made && check->sframe != 0 && n_tables == 1)
         || set_failed (err, "its sections are others");
}

static bool
check_file_header (const struct object_check *check, struct error *err)
{
  const GElf_Ehdr *x = &check->old->header, *y = &check->new->header;
  return (memcmp (x->e_ident, y->e_ident, sizeof x->e_ident) == 0
          && x->e_type == y->e_type && x->e_machine == y->e_machine
          && x->e_entry == y->e_entry && x->e_flags == y->e_flags
          && y->e_phnum == 0
          && check->old->section_names == check->new->section_names)
         || set_failed (err, "its file header differs");
}

bool
object_check (const struct image *old, const struct image *new,
              const struct object_section *made, struct error *err)
{
  struct object_check check = { .old = old, .new = new, .made = made };
  return symbols_open (&check.old_symbols, old, err)
         && symbols_open (&check.new_symbols, new, err)
         && check_file_header (&check, err) && find_sections (&check, err)
         && check_symbols (&check, err) && check_old_sections (&check, err)
         && check_sframe (&check, err) && check_relocations (&check, err);
}

bool
object_check_file (const struct image *old, int fd,
                   const struct object_section *made, struct error *err)
{
  struct image new;
  int copy = dup (fd);
  if (copy < 0)
    return error_set_errno (err, "dup");
  if (!image_open_fd (&new, copy, err))
    {
      close (copy);
      return err->status != CFI2SFRAME_NO_MEMORY
             && set_failed (err, "it cannot be read");
    }
  bool same = object_check (old, &new, made, err);
  image_close (&new);
  return same;
}
