/* Landing pads of exceptions, from the call-site tables in .gcc_except_table.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "cfi/landing_pads.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "cfi/cfa_opcode.h"
#include "cfi/fde.h"
#include "elf/encoded_pointer.h"

/* A cursor from ADDRESS to the end of its segment in the file.  */
static struct cursor
loaded_from (const struct image *image, uint64_t address)
{
  const GElf_Phdr *load = image_load_at (image, address);
  if (load == NULL || address - load->p_vaddr >= load->p_filesz)
    return (struct cursor){ .big_endian = image->big_endian, .failed = true };
  uint64_t offset = address - load->p_vaddr;
  return cursor_over (image->bytes + load->p_offset + offset,
                      load->p_filesz - offset, image->big_endian);
}

/* Add SITE, a call-site record or a part of one, unless it is empty or has no
   landing pad.  The size of arguments is the same in all of SITE.  */
static bool
add_pad (struct landing_pads *pads, struct code_pad site)
{
  if (site.start >= site.end || site.pad == 0)
    return true;
  if (!ARRAY_ROOM (pads->pads, pads->n + 1, &pads->capacity))
    return false;
  pads->pads[pads->n++] = site;
  return true;
}

/* A walk over an FDE's changes of the size of arguments on the stack.  */
struct args_walk
{
  struct cursor cursor;
  const struct cfi_section *section;
  const struct cfi_cie *cie;
  uint64_t pc;                 /* the location at CURSOR */
  uint64_t args_size;          /* in bytes, up to the next change */
  bool has_next;               /* there is a next change */
  uint64_t next_pc, next_size; /* the next change */
};

static void
args_walk_read (struct args_walk *walk)
{
  struct cfa_instruction instruction;
  walk->has_next = false;
  while (cursor_left (&walk->cursor) > 0
         && cfa_instruction_read (&walk->cursor, walk->section, walk->cie,
                                  &instruction))
    if (instruction.opcode == CFA_ADVANCE_LOC)
      walk->pc = cfa_advance (walk->pc, instruction.value);
    else if (instruction.opcode == CFA_SET_LOC)
      {
        if (instruction.value < walk->pc)
          return; /* the program is invalid */
        walk->pc = instruction.value;
      }
    else if (instruction.opcode == CFA_GNU_ARGS_SIZE)
      {
        walk->has_next = true;
        walk->next_pc = walk->pc;
        walk->next_size = instruction.value;
        return;
      }
}

static struct args_walk
args_walk_begin (const struct cfi_section *section, const struct cfi_fde *fde)
{
  struct args_walk walk
      = { .cursor
          = cursor_over (cfi_fde_instructions (section, fde),
                         fde->instructions_size, section->arch->big_endian),
          .section = section,
          .cie = &section->cies[fde->cie],
          .pc = fde->address };
  args_walk_read (&walk);
  return walk;
}

static void
args_walk_next (struct args_walk *walk)
{
  walk->args_size = walk->next_size;
  args_walk_read (walk);
}

/* Add SITE, which is behind all others, cut where the size changes.  */
static bool
add_with_args (struct landing_pads *pads, struct args_walk *walk,
               struct code_pad site)
{
  while (walk->has_next && walk->next_pc <= site.start)
    args_walk_next (walk);
  while (walk->has_next && walk->next_pc < site.end)
    {
      struct code_pad head = site;
      head.end = walk->next_pc;
      head.args_size = walk->args_size;
      if (!add_pad (pads, head))
        return false;
      site.start = walk->next_pc;
      args_walk_next (walk);
    }
  site.args_size = walk->args_size;
  return add_pad (pads, site);
}

/* The language-specific data of a function: header and call-site table.  */
struct lsda
{
  struct cursor cursor; /* at the first record of the table */
  uint64_t pads;        /* the address that landing pads are relative to */
  uint64_t table_size;
  uint8_t encoding;
};

/* Read the header at ADDRESS, of the function at address FUNCTION.  */
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
          || !encoded_pointer_read_nullable (cursor, encoding, address + 1,
                                             &lsda->pads)))
    return false;
  if (cursor_u8 (cursor) != PE_OMIT)
    cursor_uleb (cursor); /* the offset of the type table */
  lsda->encoding = cursor_u8 (cursor);
  lsda->table_size = cursor_uleb (cursor);
  return !cursor->failed && lsda->table_size <= cursor_left (cursor)
         && lsda->encoding != PE_OMIT
         && (lsda->encoding & ~(unsigned)PE_FORMAT) == 0;
}

/* Add the records of FDE's table, up to the first one that is damaged.  */
static bool
read_table (struct landing_pads *pads, const struct cfi_section *section,
            const struct cfi_fde *fde, const struct lsda *lsda)
{
  struct cursor cursor = lsda->cursor;
  const uint8_t *end = cursor.at + lsda->table_size;
  struct args_walk args = args_walk_begin (section, fde);
  uint64_t start, size, pad, reached = 0;
  while (cursor.at < end
         && encoded_pointer_read (&cursor, lsda->encoding, 0, &start)
         && encoded_pointer_read (&cursor, lsda->encoding, 0, &size)
         && encoded_pointer_read (&cursor, lsda->encoding, 0, &pad))
    {
      cursor_uleb (&cursor); /* the action */
      if (cursor.failed || start < reached || start > fde->size
          || size > fde->size - start)
        return true;
      reached = start + size;
      struct code_pad site = { .start = fde->address + start,
                               .end = fde->address + reached,
                               .pad = pad ? lsda->pads + pad : 0 };
      if (!add_with_args (pads, &args, site))
        return false;
    }
  return true;
}

bool
landing_pads_read (struct landing_pads *pads, const struct image *image,
                   const struct cfi_section *section, struct error *err)
{
  *pads = (struct landing_pads){ 0 };
  uint64_t covered = 0;
  /* Compilers write a table for each function.  If all functions of a hostile
     file shared a large table, the time would be the product of their number
     and its size.  So all tables together may not exceed the file and CFI.  */
  uint64_t left = image->size + cfi_section_size (section);
  for (size_t i = 0; i < section->n_fdes; i++)
    {
      const struct cfi_fde *fde = &section->fdes[i];
      struct lsda lsda;
      uint64_t address;
      if (section->inputs[fde->input].kind != CFI_EH_FRAME
          || fde->address < covered)
        continue;
      covered = fde->address + fde->size;
      if (!fde_lsda (section, fde, &address) || address == 0
          || !open_lsda (&lsda, image, address, fde->address))
        continue;
      bool fits = lsda.table_size <= left;
      if (!fits || !read_table (pads, section, fde, &lsda))
        {
          landing_pads_free (pads);
          return fits ? error_set_no_memory (err)
                      : error_set (err, CFI2SFRAME_MALFORMED,
                                   "tables of exceptions overlap");
        }
      left -= lsda.table_size;
    }
  return true;
}

void
landing_pads_free (struct landing_pads *pads)
{
  free (pads->pads);
  *pads = (struct landing_pads){ 0 };
}
