/* Reading .sframe as spans of addresses, each with its rule.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Source: SFrame specification V3 (binutils 2.47); V1 and V2 where they
   differ.  Section numbers in comments are those of V3.  */

#include "prove.h"

enum
{
  MAGIC = 0xdee2,
  HEADER_SIZE = 28,
  FLAG_SORTED = 1,
  FLAG_FRAME_POINTER = 2, /* V1 and V2 */
  FLAG_PCREL = 4,         /* V2 and V3 */
  V1_REPEAT = 16,         /* not stored in V1; the size of PLT entries */
  WORDS_MAX = 15,
  PT_SFRAME = 0x6474e554
};

static uint64_t
read_number (const struct section *section, size_t at, unsigned size)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < size; i++)
    {
      unsigned shift = 8 * (section->big ? size - 1 - i : i);
      value |= (uint64_t)section->bytes[at + i] << shift;
    }
  return value;
}

static int64_t
read_signed (const struct section *section, size_t at, unsigned size)
{
  unsigned unused = (64 - 8 * size) & 63;
  return (int64_t)(read_number (section, at, size) << unused) >> unused;
}

static bool
malformed (struct section *section, size_t at, const char *what)
{
  section->fault = what;
  section->fault_at = at;
  return false;
}

static unsigned
entry_size (const struct section *section)
{
  return section->version == 1 ? 17 : section->version == 2 ? 20 : 16;
}

/* Section 2.1.3.  */
static unsigned
flags_of (unsigned version)
{
  return version == 1   ? FLAG_SORTED | FLAG_FRAME_POINTER
         : version == 2 ? FLAG_SORTED | FLAG_FRAME_POINTER | FLAG_PCREL
                        : FLAG_SORTED | FLAG_PCREL;
}

/* Section 2.2.  */
bool
section_begin (struct section *section)
{
  if (section->size < HEADER_SIZE)
    return malformed (section, 0, "smaller than its header");
  section->big = section->bytes[0] == 0xde;
  if (read_number (section, 0, 2) != MAGIC)
    return malformed (section, 0, "no SFrame section");
  section->version = section->bytes[2];
  section->flags = section->bytes[3];
  if (section->version < 1 || section->version > 3)
    return malformed (section, 2, "unknown version");
  if (!(section->flags & FLAG_SORTED))
    return malformed (section, 3, "not sorted");
  if (section->flags & ~flags_of (section->version))
    return malformed (section, 3, "flags that are not defined");
  unsigned id = section->big ? section->abi->id_big : section->abi->id_little;
  if (id == 0 || section->bytes[4] != id)
    return malformed (section, 4, "for another machine");
  section->fixed_ra = (int)read_signed (section, 6, 1);
  if (section->bytes[5] != 0 || section->fixed_ra != section->abi->fixed_ra)
    return malformed (section, 5, "fixed offsets are not those of the ABI");
  size_t base = HEADER_SIZE + section->bytes[7];
  section->n_fdes = (uint32_t)read_number (section, 8, 4);
  section->n_rows_in_header = read_number (section, 12, 4);
  section->fdes = base + read_number (section, 20, 4);
  section->fres = base + read_number (section, 24, 4);
  section->fres_end = section->fres + read_number (section, 16, 4);
  uint64_t fdes_end
      = section->fdes + (uint64_t)section->n_fdes * entry_size (section);
  if (fdes_end > section->fres || section->fres_end > section->size)
    return malformed (section, 16, "tables that do not fit");
  return true;
}

/* Set the range of addresses in which functions must lie.  It limits the
   number of steps that a size in the section can cause.  */
static void
note_code (struct section *section, const struct file *file)
{
  section->code_start = UINT64_MAX;
  for (size_t i = 0; i < file->n_loads; i++)
    {
      const struct load *load = &file->loads[i];
      if (!load->code)
        continue;
      if (section->code_start == UINT64_MAX)
        section->code_start = load->address;
      section->code_end = load->address + load->size;
    }
}

bool
section_open (struct section *section, const struct file *file)
{
  size_t count = 0;
  *section = (struct section){ .abi = file->abi };
  note_code (section, file);
  elf_getphdrnum (file->elf, &count);
  for (size_t i = 0; i < count; i++)
    {
      GElf_Phdr header;
      if (gelf_getphdr (file->elf, (int)i, &header) == NULL
          || header.p_type != PT_SFRAME || header.p_filesz == 0)
        continue;
      if (section->bytes != NULL)
        return malformed (section, 0, "there are several PT_GNU_SFRAME");
      section->bytes = file_at (file, header.p_vaddr, header.p_filesz);
      section->size = header.p_filesz;
      section->address = header.p_vaddr;
    }
  if (section->bytes == NULL)
    return malformed (section, 0, "there is no loaded .sframe");
  bool big = file->header.e_ident[EI_DATA] == ELFDATA2MSB;
  return section_begin (section)
         && (section->big == big
             || malformed (section, 0, "not in the file's byte order"));
}

/* ---- Functions (section 2.3) */

/* Read the attributes of the function with the FDE at ENTRY, whose rows begin
   at offset ROWS of the rows.  */
static bool
read_attribute (struct section *section, uint64_t rows, size_t entry)
{
  bool v3 = section->version >= 3;
  uint64_t at = section->fres + rows;
  if (rows > section->fres_end - section->fres
      || (v3 && section->fres_end - at < 5))
    return malformed (section, entry, "rows outside of the section");
  if (v3)
    {
      section->rows_of_function = (uint32_t)read_number (section, at, 2);
      section->info = section->bytes[at + 2];
      section->info2 = section->bytes[at + 3];
      section->repeat = section->bytes[at + 4];
    }
  else
    {
      section->rows_of_function
          = (uint32_t)read_number (section, entry + 12, 4);
      section->info = section->bytes[entry + 16];
      section->info2 = 0;
      section->repeat
          = section->version == 1 ? V1_REPEAT : section->bytes[entry + 17];
    }
  section->rows = at + (v3 ? 5 : 0);
  if (section->info & (v3 ? 0x40 : 0xc0) || section->info2 & 0xe0)
    return malformed (section, at, "bits of a function that are not defined");
  if ((section->info & 0x0f) > 2 || (section->info2 & 0x1f) > 1)
    return malformed (section, at, "a type that is not defined");
  if (section->info & 0x10 && section->repeat == 0)
    return malformed (section, at, "a repeated block of no bytes");
  return true;
}

static bool
next_function (struct section *section)
{
  bool v3 = section->version >= 3;
  size_t at = section->fdes + (size_t)section->next * entry_size (section);
  unsigned start_size = v3 ? 8 : 4;
  uint64_t base = section->address + (section->flags & FLAG_PCREL ? at : 0);
  uint64_t start = base + (uint64_t)read_signed (section, at, start_size);
  if (section->next > 0 && start < section->end)
    return malformed (section, at, "functions overlap, or are not sorted");
  section->start = start;
  section->end = start + read_number (section, at + start_size, 4);
  if (start < section->code_start || start > section->code_end
      || section->end - start > section->code_end - start)
    return malformed (section, at, "a function outside of the code");
  if (!read_attribute (section, read_number (section, at + start_size + 4, 4),
                       at))
    return false;
  section->next++;
  section->block = 0;
  section->row = section->rows;
  section->row_index = 0;
  section->n_rows += section->rows_of_function;
  return true;
}

/* ---- Rows (section 2.4) */

struct row
{
  uint32_t start;
  unsigned info, n_words, word_size;
  size_t words, end; /* offsets */
};

static bool
read_row (struct section *section, size_t at, struct row *row)
{
  unsigned start_size = 1u << (section->info & 0x0f);
  if (section->fres_end - at < start_size + 1)
    return malformed (section, at, "a row outside of the rows");
  row->start = (uint32_t)read_number (section, at, start_size);
  row->info = section->bytes[at + start_size];
  row->n_words = row->info >> 1 & WORDS_MAX;
  row->word_size = 1u << (row->info >> 5 & 3);
  row->words = at + start_size + 1;
  row->end = row->words + (size_t)row->n_words * row->word_size;
  if (row->word_size > 4 || row->end > section->fres_end)
    return malformed (section, at, "data words outside of the rows");
  return true;
}

static int64_t
read_word (const struct section *section, const struct row *row,
           unsigned index)
{
  return read_signed (section, row->words + (size_t)index * row->word_size,
                      row->word_size);
}

static struct place
cfa_relative (int64_t offset)
{
  return (struct place){ PLACE_MEMORY, true, 0, offset };
}

/* Return the place for the OFFSET in a default row.  In V2 of s390x, an odd
   number is a register (erratum 1 of V2).  */
static struct place
default_place (const struct section *section, int64_t offset)
{
  if (section->abi->e_machine == EM_S390 && section->version == 2
      && offset & 1)
    return (struct place){ PLACE_VALUE, false, (unsigned)(offset >> 1), 0 };
  return cfa_relative (offset);
}

static int64_t
cfa_offset (const struct section *section, int64_t stored)
{
  return stored * section->abi->cfa_scale + section->abi->cfa_bias;
}

/* Set RULE by a row of a default FDE (section 3.1).  */
static bool
default_rule (struct section *section, const struct row *row,
              struct rule *rule)
{
  const struct abi *abi = section->abi;
  bool tracks_ra = abi->fixed_ra == 0;
  unsigned at = 1;
  if (row->n_words > (tracks_ra ? 3 : 2))
    return malformed (section, row->words, "too many data words");
  rule->cfa
      = (struct place){ PLACE_VALUE, false, row->info & 1 ? abi->sp : abi->fp,
                        cfa_offset (section, read_word (section, row, 0)) };
  if (tracks_ra && at < row->n_words)
    {
      int64_t offset = read_word (section, row, at++);
      if (offset != 0 || abi->e_machine != EM_S390)
        rule->ra = default_place (section, offset);
    }
  if (at < row->n_words)
    rule->fp = default_place (section, read_word (section, row, at));
  return true;
}

/* Set RULE by a row of a flexible FDE (section 3.2).  */
static bool
flexible_rule (struct section *section, const struct row *row,
               struct rule *rule)
{
  struct place *const places[] = { &rule->cfa, &rule->ra, &rule->fp };
  unsigned entity = 0;
  for (unsigned i = 0; i < row->n_words; entity++)
    {
      uint64_t control = read_number (
          section, row->words + (size_t)i * row->word_size, row->word_size);
      if (entity > 2 || control & 4 || (entity == 0 && !(control & 1)))
        return malformed (section, row->words, "a flexible row without sense");
      if (control == 0)
        {
          i++;
          continue;
        }
      if (i + 1 == row->n_words)
        return malformed (section, row->words,
                          "a control word without offset");
      int64_t offset = read_word (section, row, i + 1);
      *places[entity] = (struct place){
        control & 2 ? PLACE_MEMORY : PLACE_VALUE,
        !(control & 1),
        control & 1 ? (unsigned)(control >> 3) : 0,
        entity == 0 ? cfa_offset (section, offset) : offset,
      };
      i += 2;
    }
  return true;
}

static bool
rule_of_row (struct section *section, const struct row *row, struct rule *rule)
{
  *rule
      = (struct rule){ .outermost = row->n_words == 0,
                       .signal = section->version >= 3 && section->info & 0x80,
                       .signature = !(row->info & 0x80)    ? SIGNATURE_NONE
                                    : section->info & 0x20 ? SIGNATURE_B
                                                           : SIGNATURE_A };
  if (rule->outermost)
    return true;
  if (row->info & 0x80 && section->abi->e_machine != EM_AARCH64)
    return malformed (section, row->words, "a signed return address");
  if (section->fixed_ra != 0)
    rule->ra = cfa_relative (section->fixed_ra);
  return section->info2 & 1 ? flexible_rule (section, row, rule)
                            : default_rule (section, row, rule);
}

/* ---- Rows as spans */

/* Return the address of OFFSET in the current block, at most section->end.  */
static uint64_t
address_of (const struct section *section, uint64_t offset)
{
  uint64_t left = section->end - section->start - section->block;
  return section->start + section->block + (offset < left ? offset : left);
}

/* Continue with the next repetition of the block, if the function has one.  */
static void
next_block (struct section *section)
{
  uint64_t left = section->end - section->start - section->block;
  if (!(section->info & 0x10) || left <= section->repeat)
    return;
  section->block += section->repeat;
  section->row = section->rows;
  section->row_index = 0;
}

/* Read the row at section->row as a span.  It ends where the next row starts,
   or at the end of the block or function.  A row that starts there has no
   span.  */
static bool
read_row_span (struct section *section, struct span *span)
{
  struct row row, next;
  uint64_t end
      = section->info & 0x10 ? section->repeat : section->end - section->start;
  if (!read_row (section, section->row, &row)
      || !rule_of_row (section, &row, &span->rule))
    return false;
  if (row.start > end)
    return malformed (section, section->row,
                      "a row behind the end of its function");
  section->row = row.end;
  section->row_index++;
  bool last = section->row_index == section->rows_of_function;
  if (!last)
    {
      if (!read_row (section, section->row, &next))
        return false;
      if (next.start <= row.start)
        return malformed (section, section->row, "rows do not ascend");
      end = next.start < end ? next.start : end;
    }
  span->start = address_of (section, row.start);
  span->end = address_of (section, end);
  if (last)
    next_block (section);
  return true;
}

/* Return the span of a function without rows: an outermost frame (section
   1.2), or a signal frame without rules.  False for functions of the flexible
   type and of earlier versions, for which no rows have no meaning.  */
static bool
read_rowless (struct section *section, struct span *span)
{
  span->start = section->start;
  span->end = section->end;
  span->rule = (struct rule){ .no_rows = true,
                              .outermost = !(section->info & 0x80),
                              .signal = section->info & 0x80 };
  return section->version >= 3 && !(section->info2 & 1);
}

bool
section_next (struct section *section, struct span *span)
{
  while (section->fault == NULL)
    {
      bool found;
      if (section->row_index < section->rows_of_function)
        found = read_row_span (section, span);
      else if (section->next == section->n_fdes || !next_function (section))
        return false;
      else if (section->rows_of_function == 0)
        found = read_rowless (section, span);
      else
        continue;
      if (found && span->start < span->end)
        return true;
    }
  return false;
}
