/* Addresses for the code of a relocatable object, and reading its .eh_frame by
   them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "relocatable/object.h"

#include <stdlib.h>
#include <string.h>

#include "base/align.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/radix.h"
#include "base/search.h"
#include "cfi/cfi_section.h"
#include "cfi/entry.h"
#include "elf/encoded_pointer.h"
#include "elf/sframe_place.h"
#include "elf/symbols.h"

enum
{
  /* Each section of code has a made-up address that is a multiple of this,
     with at least one unused byte in front of it.  PLT expressions look at the
     low bits of addresses.  Linking keeps as many of these bits as the
     alignment of the section says.  */
  PLACE_ALIGN = 64,
  PADDING_MAX = 1 << 26,
  FDE_PC_BEGIN = 8 /* after a 32-bit length and the CIE pointer */
};

static bool
check_relocatable (const struct image *image, struct error *err)
{
  if (image->header.e_type != ET_REL)
    return error_set_word (err, CFI2SFRAME_INVALID, WORD_OBJECT,
                           "not a relocatable object");
  if (!image_expect_machine (image, err))
    return false;
  /* libelf aligns the sections, which must not take much padding.  */
  uint64_t padding = 0;
  for (size_t i = 1; i < image->n_sections; i++)
    if (__builtin_add_overflow (
            padding, image->sections[i].header.sh_addralign, &padding)
        || padding > image->size + PADDING_MAX)
      return error_set (err, CFI2SFRAME_REFUSED,
                        "its sections ask for too much alignment");
  if (image_has_module_signature (image))
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_SIGNED,
                           "signed kernel module: the signature would break");
  return true;
}

/* Give sections of code and .eh_frame their addresses.  All must be within the
   reach of a 32-bit PC-relative field.  */
static bool
place_sections (struct object *object, struct error *err)
{
  const struct image *image = object->image;
  object->bases = calloc (image->n_sections + 1, sizeof *object->bases);
  object->code = calloc (image->n_sections + 1, sizeof *object->code);
  if (object->bases == NULL || object->code == NULL)
    return error_set_no_memory (err);
  uint64_t next = PLACE_ALIGN;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const struct image_section *section = &image->sections[i];
      if (!image_section_is_code (section)
          || section->header.sh_type != SHT_PROGBITS)
        continue;
      /* Sections may overlap in a hostile file; the sum is bounded here.  */
      if (section->header.sh_size > INT32_MAX - next)
        return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
                               "more than 2 GiB of code in one object");
      object->bases[i] = next;
      object->code[object->n_code++] = i;
      next = align_up (next + section->header.sh_size + 1, PLACE_ALIGN);
    }
  object->eh_frame_address = next;
  if (object->eh_frame_size > INT32_MAX - next)
    return error_set_word (
        err, CFI2SFRAME_UNSUPPORTED, WORD_TOO_LARGE,
        "more than 2 GiB of code and .eh_frame in one object");
  return true;
}

/* Return the made-up address of symbol INDEX + ADDEND; 0 if not in code.  */
static uint64_t
resolve_symbol (const struct object *object, const struct symbols *symbols,
                size_t index, uint64_t addend)
{
  struct symbol symbol;
  if (!symbols_get (symbols, index, &symbol)
      || object->bases[symbol.section] == 0)
    return 0;
  uint64_t offset = symbol.value + addend;
  if (offset > object->image->sections[symbol.section].header.sh_size)
    return 0;
  return object->bases[symbol.section] + offset;
}

/* Append the relocations in SECTION to TABLE.  */
static bool
append_section (const struct object *object, const struct symbols *symbols,
                const struct image_section *section,
                struct object_relocations *table, struct error *err)
{
  bool big_endian = object->image->big_endian;
  const uint8_t *at = image_section_bytes (object->image, section);
  if (section->header.sh_entsize != sizeof (Elf64_Rela) || at == NULL
      || section->header.sh_link != symbols->section)
    return error_set_at (err, CFI2SFRAME_MALFORMED, section->header.sh_offset,
                         "relocation section %.64s is damaged", section->name);
  size_t n = section->header.sh_size / sizeof (Elf64_Rela);
  if (!ARRAY_ROOM (table->entries, table->n + n, &table->capacity))
    return error_set_no_memory (err);
  for (size_t i = 0; i < n; i++, at += sizeof (Elf64_Rela))
    {
      uint64_t info
          = load_u64 (at + offsetof (Elf64_Rela, r_info), big_endian);
      uint64_t addend
          = load_u64 (at + offsetof (Elf64_Rela, r_addend), big_endian);
      if (ELF64_R_TYPE (info) == 0)
        continue;
      table->entries[table->n++] = (struct object_relocation){
        .offset = load_u64 (at + offsetof (Elf64_Rela, r_offset), big_endian),
        .value = resolve_symbol (object, symbols, ELF64_R_SYM (info), addend),
        .type = (uint32_t)ELF64_R_TYPE (info),
      };
    }
  return true;
}

bool
object_read_relocations (const struct object *object, size_t section,
                         struct object_relocations *table, struct error *err)
{
  const struct image *image = object->image;
  struct symbols symbols;
  *table = (struct object_relocations){ .n = 0 };
  if (!symbols_open (&symbols, image, err))
    return false;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const struct image_section *candidate = &image->sections[i];
      if (!section_relocates (candidate, section))
        continue;
      if (candidate->header.sh_type != SHT_RELA)
        return error_set (err, CFI2SFRAME_UNSUPPORTED,
                          "relocations in another form than RELA");
      if (!append_section (object, &symbols, candidate, table, err))
        return false;
    }
  return RADIX_SORT (table->entries, table->n) || error_set_no_memory (err);
}

/* Return the index of the first relocation at or behind OFFSET.  */
static size_t
lower_bound (const struct object_relocations *table, uint64_t offset)
{
  return SEARCH_FIRST (table->n, i, table->entries[i].offset >= offset);
}

const struct object_relocation *
object_find_relocation (const struct object_relocations *table,
                        uint64_t offset)
{
  size_t i = lower_bound (table, offset);
  return lower_bound (table, offset + 1) == i + 1 ? &table->entries[i] : NULL;
}

/* Return how many bytes of .eh_frame a relocation of TYPE changes.  */
static uint64_t
width_of (const struct image *image, uint32_t type)
{
  const struct arch_relocations *known = &image->arch->relocations;
  return type == known->pcrel64 || type == known->absolute64 ? 8 : 4;
}

/* Whether a relocation changes any of the SIZE bytes of .eh_frame at OFFSET,
   so that their final values are not known.  */
static bool
touches (const struct object *object, uint64_t offset, uint64_t size)
{
  const struct object_relocations *table = &object->relocations;
  size_t i = lower_bound (table, offset < 8 ? 0 : offset - 8);
  for (; i < table->n && table->entries[i].offset < offset; i++)
    if (offset - table->entries[i].offset
        < width_of (object->image, table->entries[i].type))
      return true;
  return i < table->n && table->entries[i].offset - offset < size;
}

/* Fill in pc_begin of the FDE at OFFSET, which ends at END.  False if it is
   not the only relocated field, or not relocated to code.  */
static bool
resolve_fde (struct object *object, uint64_t offset, uint64_t end)
{
  uint64_t field = offset + FDE_PC_BEGIN;
  const struct object_relocation *entry
      = object_find_relocation (&object->relocations, field);
  if (entry == NULL || entry->value == 0)
    return false;
  const struct arch_relocations *known = &object->image->arch->relocations;
  bool pcrel = entry->type == known->pcrel32 || entry->type == known->pcrel64;
  uint64_t size = width_of (object->image, entry->type);
  if ((!pcrel && entry->type != known->absolute64) || end - field < 2 * size
      || touches (object, offset, FDE_PC_BEGIN)
      || touches (object, field + size, size))
    return false;
  uint64_t value = entry->value;
  if (pcrel)
    value -= object->eh_frame_address + field;
  if (size == 4)
    store_u32 (object->eh_frame + field, (uint32_t)value,
               object->image->big_endian);
  else
    store_u64 (object->eh_frame + field, value, object->image->big_endian);
  return true;
}

/* Fill in pc_begin of all FDEs.  An FDE without a function gets start and size
   0: eight bytes are both fields, or the start if that has 64 bits.  An entry
   that reaches over the end of the section ends the walk, as it ends that of
   the reader.  A length of 64 bits, which no toolchain writes, is an error:
   the reader would go on behind it, and read FDEs that are not filled in.  */
static bool
resolve_fdes (struct object *object, struct error *err)
{
  bool big_endian = object->image->big_endian;
  uint64_t at = 0;
  while (object->eh_frame_size - at >= 8)
    {
      uint32_t length = load_u32 (object->eh_frame + at, big_endian);
      if (length == (uint32_t)ENTRY_ESCAPE)
        return error_set (err, CFI2SFRAME_UNSUPPORTED,
                          ".eh_frame has a length of 64 bits");
      if (length > object->eh_frame_size - at - 4)
        return true;
      uint64_t end = at + 4 + length;
      bool fde
          = length >= 4 && load_u32 (object->eh_frame + at + 4, big_endian);
      if (fde && !resolve_fde (object, at, end))
        {
          uint64_t field = at + FDE_PC_BEGIN;
          uint64_t size = end - field < 8 ? end - field : 8;
          memset (object->eh_frame + field, 0, size);
        }
      at = end;
    }
  return true;
}

/* Find .eh_frame; *SECTION is 0 if there is none.  Refuses several such
   sections: linkers join them, but may leave out a section group with one.  */
static bool
find_eh_frame (const struct image *image, size_t *section, struct error *err)
{
  *section = 0;
  for (size_t i = 1; i < image->n_sections; i++)
    {
      const GElf_Shdr *header = &image->sections[i].header;
      /* clang gives .eh_frame the processor's own section type.  */
      if (strcmp (image->sections[i].name, ".eh_frame") != 0
          || (header->sh_type != SHT_PROGBITS
              && header->sh_type != SHT_X86_64_UNWIND)
          || (header->sh_flags & SHF_COMPRESSED) || header->sh_size == 0)
        continue;
      if (*section != 0)
        return error_set (err, CFI2SFRAME_UNSUPPORTED,
                          "has several .eh_frame sections");
      *section = i;
    }
  return true;
}

static bool
read_eh_frame (struct object *object, struct error *err)
{
  const struct image *image = object->image;
  size_t section;
  if (!find_eh_frame (image, &section, err))
    return false;
  if (section != 0)
    object->eh_frame_size = image->sections[section].header.sh_size;
  if (!place_sections (object, err))
    return false;
  if (section == 0)
    return true;
  object->eh_frame = malloc (object->eh_frame_size);
  if (object->eh_frame == NULL)
    return error_set_no_memory (err);
  memcpy (object->eh_frame,
          image_section_bytes (image, &image->sections[section]),
          object->eh_frame_size);
  if (!object_read_relocations (object, section, &object->relocations, err))
    return false;
  return resolve_fdes (object, err);
}

bool
object_open (struct object *object, const struct image *image,
             struct error *err)
{
  *object = (struct object){ .image = image };
  if (check_relocatable (image, err) && read_eh_frame (object, err))
    return true;
  object_close (object);
  return false;
}

void
object_close (struct object *object)
{
  free (object->bases);
  free (object->code);
  free (object->eh_frame);
  free (object->relocations.entries);
  *object = (struct object){ .image = NULL };
}

bool
object_locate (const struct object *object, uint64_t address, uint64_t size,
               size_t *section, uint64_t *offset)
{
  size_t behind = SEARCH_FIRST (object->n_code, i,
                                object->bases[object->code[i]] > address);
  if (behind == 0)
    return false;
  *section = object->code[behind - 1];
  *offset = address - object->bases[*section];
  uint64_t limit = object->image->sections[*section].header.sh_size;
  return *offset <= limit && size <= limit - *offset;
}

bool
object_find_sframe (const struct image *image, size_t *section,
                    struct error *err)
{
  *section = 0;
  FOR_EACH_SECTION (candidate, image)
    {
      if (!section_is_sframe (candidate))
        continue;
      if (*section != 0 || strcmp (candidate->name, ".sframe") != 0)
        return error_set (err, CFI2SFRAME_REFUSED,
                          "has other .sframe sections than one of this name");
      /* Linkers may leave out a group, and link the other code without it.  */
      if (candidate->header.sh_flags & SHF_GROUP)
        return error_set (err, CFI2SFRAME_REFUSED,
                          "its .sframe belongs to a section group");
      *section = (size_t)(candidate - image->sections);
    }
  return true;
}

/* ---- The CFI */

/* Return the reason why FDE can have no rows, or REASON_NONE.  */
static enum frame_reason
problem_in_object (const void *context, const struct cfi_fde *fde)
{
  const struct object *object = context;
  size_t section;
  uint64_t offset;
  if (!object_locate (object, fde->address, fde->size, &section, &offset))
    return REASON_NOT_EXECUTABLE;
  if (touches (object, fde->offset + fde->head_size, fde->instructions_size))
    return REASON_BAD_INSTRUCTION;
  return fde->size == 0 ? REASON_EMPTY_RANGE : REASON_NONE;
}

/* Whether bytes of CIE other than the pointer to its personality are
   relocated, so that their final values are not known.  */
static bool
is_relocated (const struct object *object, const struct cfi_cie *cie)
{
  const uint64_t head = ENTRY_HEAD + 1; /* with the version */
  return touches (object, cie->offset,
                  cie->personality_encoding == PE_OMIT ? cie->entry_size
                                                       : head)
         || (cie->instructions != NULL
             && touches (object,
                         (uint64_t)(cie->instructions - object->eh_frame),
                         cie->instructions_size));
}

bool
object_source_open (struct cfi_source *source, const struct object *object,
                    bool no_plain, struct error *err)
{
  *source
      = (struct cfi_source){ .problem = problem_in_object, .context = object };
  const struct cfi_input input = { .kind = CFI_EH_FRAME,
                                   .bytes = object->eh_frame,
                                   .size = object->eh_frame_size,
                                   .address = object->eh_frame_address };
  source->cfi.arch = object->image->arch;
  source->cfi.no_plain = no_plain;
  if (!cfi_read (&source->cfi, &input, err))
    return false;
  for (size_t i = 0; i < source->cfi.n_cies; i++)
    if (is_relocated (object, &source->cfi.cies[i]))
      return error_set (err, CFI2SFRAME_UNSUPPORTED,
                        "the CIE at 0x%llx of .eh_frame has relocations that "
                        "are not expected there",
                        (unsigned long long)source->cfi.cies[i].offset);
  return true;
}

bool
object_described (const struct image *image, uint64_t *bytes,
                  struct error *err)
{
  struct object object;
  struct cfi_source source = { .image = NULL };
  struct error why = { 0 };
  *bytes = 0;
  if (object_open (&object, image, &why)
      && object_source_open (&source, &object, false, &why))
    for (size_t i = 0; i < source.cfi.n_fdes; i++)
      *bytes += source.cfi.fdes[i].size;
  cfi_source_close (&source);
  object_close (&object);
  return why.status != CFI2SFRAME_NO_MEMORY || error_set_no_memory (err);
}
