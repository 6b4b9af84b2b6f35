/* Where exceptions go: the call-site tables of .gcc_except_table.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/call_sites.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/reader.h"

/* The bytes at ADDRESS up to the end of what the file has of its segment.  */
static struct cursor
loaded_from (const struct image *image, uint64_t address)
{
  for (size_t i = 0; i < image->n_segments; i++)
    {
      const GElf_Phdr *segment = &image->segments[i];
      uint64_t offset = address - segment->p_vaddr;
      if (segment->p_type == PT_LOAD && address >= segment->p_vaddr
          && offset < segment->p_filesz)
        return cursor_over (image->bytes + segment->p_offset + offset,
                            segment->p_filesz - offset, image->big_endian);
    }
  return (struct cursor){ .big_endian = image->big_endian, .failed = true };
}

/* The part of a call-site record that has one size of arguments.  */
static bool
add_site (struct call_sites *sites, struct call_site site)
{
  if (site.start >= site.end || site.pad == 0)
    return true;
  if (!ARRAY_ROOM (sites->sites, sites->n + 1, &sites->capacity))
    return false;
  sites->sites[sites->n++] = site;
  return true;
}

/* Cut SITE where FDE's instructions change the size of arguments.  */
static bool
add_with_args (struct call_sites *sites, const struct cfi_section *section,
               const struct cfi_fde *fde, struct call_site site)
{
  const struct cfi_cie *cie = &section->cies[fde->cie];
  struct cursor cursor
      = cursor_over (cfi_fde_instructions (section, fde),
                     fde->instructions_size, section->arch->big_endian);
  uint64_t pc = fde->address, args_size = 0;
  struct cfa_instruction instruction;
  while (cursor_left (&cursor) > 0
         && cfa_instruction_read (&cursor, cie->pointer_encoding, &instruction)
         && pc < site.end)
    switch (instruction.opcode)
      {
      case CFA_ADVANCE_LOC:
      case CFA_ADVANCE_LOC1:
      case CFA_ADVANCE_LOC2:
      case CFA_ADVANCE_LOC4:
        pc += instruction.value * cie->code_alignment;
        break;
      case CFA_GNU_ARGS_SIZE:
        if (pc > site.start && pc < site.end)
          {
            struct call_site head = site;
            head.end = pc;
            head.args_size = args_size;
            if (!add_site (sites, head))
              return false;
            site.start = pc;
          }
        args_size = instruction.value;
        break;
      default:
        break;
      }
  site.args_size = args_size;
  return add_site (sites, site);
}

struct lsda
{
  struct cursor cursor; /* at the first record of the table */
  uint64_t pads;        /* what landing pads count from */
  uint64_t table_size;
  uint8_t encoding;
};

/* Read the header at ADDRESS.  */
static bool
open_lsda (struct lsda *lsda, const struct image *image, uint64_t address,
           uint64_t function)
{
  struct cursor *cursor = &lsda->cursor;
  *cursor = loaded_from (image, address);
  uint8_t encoding = cursor_u8 (cursor);
  lsda->pads = function;
  if (encoding != PE_OMIT
      && ((encoding & PE_INDIRECT)
          || !cfa_read_nullable (cursor, encoding, address + 1, &lsda->pads)))
    return false;
  if (cursor_u8 (cursor) != PE_OMIT)
    cursor_uleb (cursor); /* where the types are */
  lsda->encoding = cursor_u8 (cursor);
  lsda->table_size = cursor_uleb (cursor);
  return !cursor->failed && lsda->table_size <= cursor_left (cursor)
         && lsda->encoding != PE_OMIT
         && (lsda->encoding & ~(unsigned)PE_FORMAT) == 0;
}

static bool
read_table (struct call_sites *sites, const struct cfi_section *section,
            const struct cfi_fde *fde, const struct lsda *lsda)
{
  struct cursor cursor = lsda->cursor;
  const uint8_t *end = cursor.at + lsda->table_size;
  uint64_t start, size, pad, reached = 0;
  while (cursor.at < end
         && cfa_read_pointer (&cursor, lsda->encoding, 0, &start)
         && cfa_read_pointer (&cursor, lsda->encoding, 0, &size)
         && cfa_read_pointer (&cursor, lsda->encoding, 0, &pad))
    {
      cursor_uleb (&cursor); /* the action */
      if (cursor.failed || start < reached || start > fde->size
          || size > fde->size - start)
        return true;
      reached = start + size;
      struct call_site site = { .start = fde->address + start,
                                .end = fde->address + reached,
                                .pad = pad ? lsda->pads + pad : 0 };
      if (!add_with_args (sites, section, fde, site))
        return false;
    }
  return true;
}

bool
call_sites_read (struct call_sites *sites, const struct image *image,
                 const struct cfi_section *section, struct error *err)
{
  *sites = (struct call_sites){ 0 };
  uint64_t covered = 0;
  for (size_t i = 0; i < section->n_fdes; i++)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      struct lsda lsda;
      uint64_t address;
      if (section->inputs[fde->input].kind != CFI_EH_FRAME
          || fde->address < covered)
        continue;
      covered = fde->address + fde->size;
      if (fde_lsda (section, fde, &address) && address != 0
          && open_lsda (&lsda, image, address, fde->address)
          && !read_table (sites, section, fde, &lsda))
        {
          call_sites_free (sites);
          return error_set_no_memory (err);
        }
    }
  return true;
}

void
call_sites_free (struct call_sites *sites)
{
  free (sites->sites);
  *sites = (struct call_sites){ 0 };
}
