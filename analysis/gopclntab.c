/* Reading Go's table of stack depths.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/gopclntab.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"

/* The layout of one version of the table: numbers of words in the header,
   behind its first 8 bytes, and offsets into the data of a function.  */
struct form
{
  uint32_t magic;
  int8_t text_word;      /* address of the text; -1: entries are addresses */
  int8_t pcsp_word;      /* offset of the depths; -1: the table's beginning */
  int8_t functions_word; /* ... of the functions; -1: behind the header */
  uint8_t entry_width;   /* bytes of its entries, two for each function */
  uint8_t pcsp_at;       /* in a function's data */
  uint8_t flags_at;      /* the same; 0: there are none */
};

static const struct form forms[] = {
  { 0xfffffffb, -1, -1, -1, 8, 20, 0 }, /* Go 1.2 */
  { 0xfffffffa, -1, 5, 6, 8, 20, 41 },  /* Go 1.16 */
  { 0xfffffff0, 2, 6, 7, 4, 16, 37 },   /* Go 1.18 */
  { 0xfffffff1, 2, 6, 7, 4, 16, 41 },   /* Go 1.20 */
};

enum
{
  HEADER_SIZE = 8,
  WORD = 8,
  DATA_SIZE = 44, /* smallest data of a function */
  /* Words of the runtime's struct moduledata (src/runtime/symtab.go) with the
     beginning and the end of the functions, and the address from which entries
     count.  Its first word points to the table.  */
  MODULE_MIN_PC = 20,
  MODULE_MAX_PC = 21,
  MODULE_TEXT = 22,
  /* Flags of functions: no function calls it, or it writes to SP.  */
  FLAG_TOP_FRAME = 1,
  FLAG_SP_WRITE = 2,
  MAGICS = sizeof forms / sizeof *forms
};

/* A table that is being read.  Offsets are into `bytes'.  */
struct reader
{
  const struct image_facts *facts;
  const struct form *form;
  const uint8_t *bytes;
  uint64_t size, address;
  uint64_t text; /* address that is added to entries */
  uint64_t functions, n_functions;
  uint64_t depths;
  unsigned quantum; /* smallest size of an instruction */
  struct go_table *table;
  uint64_t steps_left;
};

/* Return word INDEX of the header.  */
static uint64_t
header_word (const struct reader *reader, int index)
{
  uint64_t value = 0;
  facts_word (reader->facts,
              reader->address + HEADER_SIZE + (uint64_t)index * WORD, WORD,
              false, &value);
  return value;
}

/* Whether the table has SIZE bytes at OFFSET.  */
static bool
has (const struct reader *reader, uint64_t offset, uint64_t size)
{
  return offset <= reader->size && size <= reader->size - offset;
}

static bool
open_reader (struct reader *reader)
{
  bool big_endian = reader->facts->image->big_endian;
  const uint8_t *bytes = reader->bytes;
  if (!has (reader, 0, HEADER_SIZE + 8 * WORD) || bytes[4] != 0
      || bytes[5] != 0 || bytes[6] == 0 || bytes[7] != WORD)
    return false;
  const struct form *form = forms, *end = forms + MAGICS;
  while (form < end && form->magic != load_u32 (bytes, big_endian))
    form++;
  if (form == end)
    return false;
  reader->form = form;
  reader->quantum = bytes[6];
  reader->n_functions = header_word (reader, 0);
  reader->text
      = form->text_word < 0 ? 0 : header_word (reader, form->text_word);
  reader->depths
      = form->pcsp_word < 0 ? 0 : header_word (reader, form->pcsp_word);
  reader->functions = form->functions_word < 0
                          ? HEADER_SIZE + WORD
                          : header_word (reader, form->functions_word);
  return has (reader, reader->functions, form->entry_width)
         && has (reader, reader->depths, 0)
         && reader->n_functions
                < (reader->size - reader->functions) / form->entry_width / 2;
}

/* Return word INDEX of the functions' table, which ends with an address.  */
static uint64_t
function_word (const struct reader *reader, uint64_t index)
{
  bool big_endian = reader->facts->image->big_endian;
  const uint8_t *word
      = reader->bytes + reader->functions + index * reader->form->entry_width;
  return reader->form->entry_width == 4 ? load_u32 (word, big_endian)
                                        : load_u64 (word, big_endian);
}

/* Return the entry of function INDEX, which may be a relocated address.  */
static uint64_t
function_entry (const struct reader *reader, uint64_t index)
{
  uint64_t value = function_word (reader, 2 * index);
  uint64_t place = reader->address + reader->functions
                   + 2 * index * reader->form->entry_width;
  if (reader->form->entry_width == WORD)
    facts_word (reader->facts, place, WORD, false, &value);
  return reader->text + value;
}

/* Return the address of the text, if the module data at ADDRESS belong to the
   table: they have its first and last entry, too.  Otherwise 0.  */
static uint64_t
text_of_module (const struct reader *reader, uint64_t address)
{
  uint64_t first = function_word (reader, 0), min, max, text;
  uint64_t last = function_word (reader, 2 * reader->n_functions);
  const struct image_facts *facts = reader->facts;
  return facts_word (facts, address + MODULE_MIN_PC * WORD, WORD, false, &min)
                 && facts_word (facts, address + MODULE_MAX_PC * WORD, WORD,
                                false, &max)
                 && facts_word (facts, address + MODULE_TEXT * WORD, WORD,
                                false, &text)
                 && min == text + first && max == text + last
             ? text
             : 0;
}

/* Return the address of the text, or 0.  Since Go 1.26 the table does not have
   it, but the module data do.  A relocated word of theirs points to the table,
   or they are somewhere in a segment.  */
static uint64_t
find_text (const struct reader *reader)
{
  const struct image_facts *facts = reader->facts;
  const struct image *image = facts->image;
  uint64_t text = 0;
  for (size_t i = 0; text == 0 && i < facts->n_relocated; i++)
    if (facts->relocated[i].value == reader->address)
      text = text_of_module (reader, facts->relocated[i].place);
  for (size_t i = 0; text == 0 && i < image->n_segments; i++)
    {
      const GElf_Phdr *load = &image->segments[i];
      if (load->p_type != PT_LOAD || (load->p_flags & PF_X))
        continue;
      const uint8_t *bytes = image->bytes + load->p_offset;
      for (uint64_t k = (0 - load->p_vaddr) % WORD;
           text == 0 && k + WORD <= load->p_filesz; k += WORD)
        if (load_u64 (bytes + k, image->big_endian) == reader->address)
          text = text_of_module (reader, load->p_vaddr + k);
    }
  return text;
}

/* Whether all entries are in code, and ascend.  If not, the table belongs to
   another image, or the address of the text is wrong.  */
static bool
has_entries_in_code (const struct reader *reader)
{
  uint64_t before = 0, size;
  for (uint64_t i = 0; i < reader->n_functions; i++)
    {
      uint64_t entry = function_entry (reader, i);
      if ((i > 0 && entry <= before)
          || !facts_code (reader->facts, entry, &size))
        return false;
      before = entry;
    }
  return true;
}

/* Read the number at *OFFSET, which has 7 bits in each byte.  */
static bool
read_number (const struct reader *reader, uint64_t *offset, uint32_t *number)
{
  *number = 0;
  for (unsigned shift = 0; shift < 35 && has (reader, *offset, 1); shift += 7)
    {
      uint8_t byte = reader->bytes[(*offset)++];
      *number |= (uint32_t)(byte & 0x7f) << (shift & 31);
      if (!(byte & 0x80))
        return true;
    }
  return false;
}

/* Add a step.  It replaces one at the same address, which was the end of the
   function before.  */
static bool
add_step (struct reader *reader, uint64_t address, int32_t depth,
          bool is_start)
{
  struct go_table *table = reader->table;
  if (table->n > 0 && table->steps[table->n - 1].address == address)
    table->n--;
  if (!ARRAY_ROOM (table->steps, table->n + 1, &table->capacity))
    return false;
  table->steps[table->n++] = (struct go_step){ address, depth, is_start };
  return true;
}

/* Read the depths of the function from ENTRY to END, which are at OFFSET:
   pairs of a difference of depths and a number of instructions, up to a
   difference of 0 that is not the first.  Depths in damaged data stay unknown.
   False if memory ran out.  */
static bool
read_depths (struct reader *reader, uint64_t offset, uint64_t entry,
             uint64_t end)
{
  uint64_t at = entry;
  int32_t depth = -1;
  uint32_t difference, distance;
  while (at < end && reader->steps_left > 0
         && read_number (reader, &offset, &difference)
         && (difference != 0 || at == entry)
         && read_number (reader, &offset, &distance) && distance > 0)
    {
      uint32_t change = (0 - (difference & 1)) ^ (difference >> 1);
      depth = (int32_t)((uint32_t)depth + change);
      if (!add_step (reader, at, depth < 0 ? GO_DEPTH_UNKNOWN : depth,
                     at == entry))
        return false;
      reader->steps_left--;
      at += (uint64_t)distance * reader->quantum;
    }
  return (at >= end || add_step (reader, at, GO_DEPTH_UNKNOWN, at == entry))
         && add_step (reader, end, GO_DEPTH_UNKNOWN, false);
}

/* Read function INDEX.  */
static bool
read_function (struct reader *reader, uint64_t index)
{
  const struct form *form = reader->form;
  uint64_t base = form->functions_word < 0 ? 0 : reader->functions;
  uint64_t entry = function_entry (reader, index);
  uint64_t end = function_entry (reader, index + 1);
  uint64_t data = function_word (reader, 2 * index + 1), size;
  uint64_t before = reader->table->n
                        ? reader->table->steps[reader->table->n - 1].address
                        : 0;
  if (entry >= end || entry < before
      || !facts_code (reader->facts, entry, &size) || size < end - entry
      || data > reader->size || !has (reader, base + data, DATA_SIZE))
    return true;
  const uint8_t *function = reader->bytes + base + data;
  uint32_t pcsp
      = load_u32 (function + form->pcsp_at, reader->facts->image->big_endian);
  uint8_t flags = form->flags_at ? function[form->flags_at] : 0;
  if (pcsp != 0 && !(flags & (FLAG_TOP_FRAME | FLAG_SP_WRITE)))
    return read_depths (reader, reader->depths + pcsp, entry, end);
  return add_step (reader, entry, GO_DEPTH_UNKNOWN, true)
         && add_step (reader, end, GO_DEPTH_UNKNOWN, false);
}

bool
go_table_read (struct go_table *table, const struct image_facts *facts)
{
  *table = (struct go_table){ 0 };
  const struct image_section *section
      = image_find_section (facts->image, ".gopclntab");
  /* Position-independent programs have the table among relocated data.  */
  if (!section)
    section = image_find_section (facts->image, ".data.rel.ro.gopclntab");
  struct reader reader = { .facts = facts, .table = table };
  if (section)
    reader.bytes = image_section_bytes (facts->image, section);
  if (!reader.bytes)
    return true;
  reader.size = section->header.sh_size;
  reader.address = section->header.sh_addr;
  /* A step has an instruction or two at least; more steps are damage.  */
  for (size_t i = 0; i < facts->n_stretches; i++)
    reader.steps_left += facts->stretches[i].size / 2;
  if (!open_reader (&reader))
    return true;
  if (reader.form->text_word >= 0 && reader.text == 0)
    reader.text = find_text (&reader);
  if (!has_entries_in_code (&reader))
    return true;
  for (uint64_t i = 0; i < reader.n_functions; i++)
    if (!read_function (&reader, i))
      return false;
  return true;
}

void
go_table_free (struct go_table *table)
{
  free (table->steps);
  *table = (struct go_table){ 0 };
}

/* Return the step that ADDRESS is in, or NULL.  */
static const struct go_step *
find_step (const struct go_table *table, uint64_t address)
{
  size_t behind
      = SEARCH_FIRST (table->n, i, table->steps[i].address > address);
  return behind > 0 ? &table->steps[behind - 1] : NULL;
}

int32_t
go_table_depth (const struct go_table *table, uint64_t address)
{
  const struct go_step *step = find_step (table, address);
  return step ? step->depth : GO_DEPTH_UNKNOWN;
}

bool
go_table_covers (const struct go_table *table, uint64_t address)
{
  const struct go_step *step = find_step (table, address);
  return step && step < &table->steps[table->n - 1];
}

bool
go_table_is_start (const struct go_table *table, uint64_t address)
{
  const struct go_step *step = find_step (table, address);
  return step && step->address == address && step->is_start;
}
