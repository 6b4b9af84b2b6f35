/* The yardstick: what reading .eh_frame costs at least.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One pass over the .eh_frame of a little-endian 64-bit ELF file, without a
   library and without checks worth the name, into an array of rows.  Nothing
   is done with them.  tools/maintainer/bench.sh holds the time from CFI to a
   finished .sframe against this.  Not for use on files of unknown origin.

   rows FILE [RUNS]: print functions, rows and a checksum; then the shortest
   and the median processor time of RUNS passes in milliseconds.  */

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "times.h"

enum rule
{
  RULE_NONE,
  RULE_SAME,
  RULE_OFFSET,
  RULE_OTHER
};

struct row
{
  uint64_t pc;
  int32_t cfa_offset, ra_offset, fp_offset;
  uint16_t cfa_register;
  uint8_t ra_rule, fp_rule;
};

struct cie
{
  uint64_t offset;
  const uint8_t *instructions, *end;
  uint64_t code_align;
  int64_t data_align;
  uint8_t encoding;
  bool has_data;
  struct row initial;
};

struct parser
{
  const uint8_t *bytes;
  uint64_t size, address;
  unsigned ra, fp;
  struct cie cie; /* the one used last */
  struct row *rows;
  size_t n_rows, room, n_functions;
};

static uint64_t
uleb (const uint8_t **at)
{
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7)
    {
      uint8_t byte = *(*at)++;
      value |= (uint64_t)(byte & 0x7f) << shift;
      if (byte < 0x80)
        break;
    }
  return value;
}

static int64_t
sleb (const uint8_t **at)
{
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64;)
    {
      uint8_t byte = *(*at)++;
      value |= (uint64_t)(byte & 0x7f) << shift;
      shift += 7;
      if (byte < 0x80)
        {
          if ((byte & 0x40) && shift < 64)
            value |= ~UINT64_C (0) << shift;
          break;
        }
    }
  return (int64_t)value;
}

static uint32_t
u32 (const uint8_t *at)
{
  uint32_t value;
  memcpy (&value, at, sizeof value);
  return value;
}

static uint64_t
u64 (const uint8_t *at)
{
  uint64_t value;
  memcpy (&value, at, sizeof value);
  return value;
}

static unsigned
pointer_size (uint8_t encoding)
{
  switch (encoding & 0x07)
    {
    case 2:
      return 2;
    case 3:
      return 4;
    default:
      return 8;
    }
}

static uint64_t
read_pointer (const struct parser *parser, const uint8_t *at, uint8_t encoding)
{
  uint64_t value;
  if (pointer_size (encoding) == 4)
    value = encoding & 0x08 ? (uint64_t)(int32_t)u32 (at) : u32 (at);
  else
    value = u64 (at);
  if ((encoding & 0x70) == 0x10)
    value += parser->address + (uint64_t)(at - parser->bytes);
  return value;
}

static void
set_rule (const struct parser *parser, struct row *row, uint64_t reg,
          enum rule rule, int64_t offset)
{
  if (reg == parser->ra)
    {
      row->ra_rule = (uint8_t)rule;
      row->ra_offset = (int32_t)offset;
    }
  else if (reg == parser->fp)
    {
      row->fp_rule = (uint8_t)rule;
      row->fp_offset = (int32_t)offset;
    }
}

static void
restore_rule (const struct parser *parser, struct row *row,
              const struct row *initial, uint64_t reg)
{
  if (reg == parser->ra)
    {
      row->ra_rule = initial->ra_rule;
      row->ra_offset = initial->ra_offset;
    }
  else if (reg == parser->fp)
    {
      row->fp_rule = initial->fp_rule;
      row->fp_offset = initial->fp_offset;
    }
}

static void
emit (struct parser *parser, const struct row *row)
{
  if (parser->n_rows == parser->room)
    {
      parser->room = parser->room * 2 + 65536;
      parser->rows
          = realloc (parser->rows, parser->room * sizeof *parser->rows);
      if (parser->rows == NULL)
        abort ();
    }
  parser->rows[parser->n_rows++] = *row;
}

/* The instructions that are neither advances nor the three with an operand in
   the opcode.  */
static void
other_instruction (const struct parser *parser, const struct cie *cie,
                   struct row *row, uint8_t opcode, const uint8_t **at,
                   struct row *stack, unsigned *depth)
{
  uint64_t reg;
  switch (opcode)
    {
    case 0x05: /* offset_extended */
      reg = uleb (at);
      set_rule (parser, row, reg, RULE_OFFSET,
                (int64_t)uleb (at) * cie->data_align);
      break;
    case 0x06: /* restore_extended */
      restore_rule (parser, row, &cie->initial, uleb (at));
      break;
    case 0x07: /* undefined */
      set_rule (parser, row, uleb (at), RULE_OTHER, 0);
      break;
    case 0x08: /* same_value */
      set_rule (parser, row, uleb (at), RULE_SAME, 0);
      break;
    case 0x09: /* register */
    case 0x14: /* val_offset */
    case 0x15: /* val_offset_sf */
      reg = uleb (at);
      uleb (at);
      set_rule (parser, row, reg, RULE_OTHER, 0);
      break;
    case 0x0a: /* remember_state */
      stack[(*depth)++ % 8] = *row;
      break;
    case 0x0b: /* restore_state */
      {
        uint64_t pc = row->pc;
        *row = stack[--*depth % 8];
        row->pc = pc;
      }
      break;
    case 0x0c: /* def_cfa */
      row->cfa_register = (uint16_t)uleb (at);
      row->cfa_offset = (int32_t)uleb (at);
      break;
    case 0x0d: /* def_cfa_register */
      row->cfa_register = (uint16_t)uleb (at);
      break;
    case 0x0e: /* def_cfa_offset */
      row->cfa_offset = (int32_t)uleb (at);
      break;
    case 0x0f: /* def_cfa_expression */
      row->cfa_register = UINT16_MAX;
      reg = uleb (at);
      *at += reg;
      break;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
      set_rule (parser, row, uleb (at), RULE_OTHER, 0);
      reg = uleb (at);
      *at += reg;
      break;
    case 0x11: /* offset_extended_sf */
      reg = uleb (at);
      set_rule (parser, row, reg, RULE_OFFSET, sleb (at) * cie->data_align);
      break;
    case 0x12: /* def_cfa_sf */
      row->cfa_register = (uint16_t)uleb (at);
      row->cfa_offset = (int32_t)(sleb (at) * cie->data_align);
      break;
    case 0x13: /* def_cfa_offset_sf */
      row->cfa_offset = (int32_t)(sleb (at) * cie->data_align);
      break;
    case 0x2e: /* GNU_args_size */
      uleb (at);
      break;
    default: /* nop, negate_ra_state */
      break;
    }
}

/* Execute instructions from ROW on; rows go to the parser if EMITS.  */
static void
execute (struct parser *parser, const struct cie *cie, struct row *row,
         const uint8_t *at, const uint8_t *end, bool emits)
{
  struct row stack[8];
  unsigned depth = 0;
  while (at < end)
    {
      uint8_t opcode = *at++, low = opcode & 0x3f;
      uint64_t advance = 0;
      switch (opcode >> 6)
        {
        case 1:
          advance = low;
          break;
        case 2:
          set_rule (parser, row, low, RULE_OFFSET,
                    (int64_t)uleb (&at) * cie->data_align);
          continue;
        case 3:
          restore_rule (parser, row, &cie->initial, low);
          continue;
        default:
          if (opcode == 2)
            advance = *at++;
          else if (opcode == 3)
            {
              advance = (uint64_t)(at[0] | at[1] << 8);
              at += 2;
            }
          else if (opcode == 4)
            {
              advance = u32 (at);
              at += 4;
            }
          else
            {
              other_instruction (parser, cie, row, opcode, &at, stack, &depth);
              continue;
            }
        }
      if (emits)
        emit (parser, row);
      row->pc += advance * cie->code_align;
    }
  if (emits)
    emit (parser, row);
}

static void
read_cie (struct parser *parser, uint64_t offset)
{
  struct cie *cie = &parser->cie;
  const uint8_t *at = parser->bytes + offset;
  *cie = (struct cie){ .offset = offset, .end = at + 4 + u32 (at) };
  uint8_t version = at[8];
  const char *augmentation = (const char *)at + 9;
  at += 9 + strlen (augmentation) + 1 + (version == 4 ? 2 : 0);
  cie->code_align = uleb (&at);
  cie->data_align = sleb (&at);
  if (version == 1)
    at++;
  else
    uleb (&at);
  cie->has_data = *augmentation == 'z';
  if (cie->has_data)
    {
      uint64_t size = uleb (&at);
      const uint8_t *data = at;
      at += size;
      for (const char *letter = augmentation + 1; *letter; letter++)
        if (*letter == 'R')
          cie->encoding = *data++;
        else if (*letter == 'L')
          data++;
        else if (*letter == 'P')
          data += 1 + pointer_size (*data);
    }
  cie->instructions = at;
  cie->initial = (struct row){ .cfa_offset = 0 };
  execute (parser, cie, &cie->initial, at, cie->end, false);
}

static void
read_fde (struct parser *parser, uint64_t offset, uint64_t length)
{
  const uint8_t *at = parser->bytes + offset + 4;
  uint64_t cie = offset + 4 - u32 (at);
  if (cie != parser->cie.offset || parser->cie.end == NULL)
    read_cie (parser, cie);
  const uint8_t *end = at + length;
  at += 4;
  uint8_t encoding = parser->cie.encoding;
  struct row row = parser->cie.initial;
  row.pc = read_pointer (parser, at, encoding);
  at += 2 * pointer_size (encoding);
  if (parser->cie.has_data)
    {
      uint64_t size = uleb (&at);
      at += size;
    }
  parser->n_functions++;
  execute (parser, &parser->cie, &row, at, end, true);
}

static void
read_section (struct parser *parser)
{
  uint64_t offset = 0;
  while (offset + 8 <= parser->size)
    {
      uint64_t length = u32 (parser->bytes + offset);
      if (length > parser->size - offset - 4)
        break;
      if (length != 0 && u32 (parser->bytes + offset + 4) != 0)
        read_fde (parser, offset, length);
      offset += 4 + length;
    }
}

static bool
find_section (struct parser *parser, const uint8_t *file)
{
  Elf64_Ehdr header;
  memcpy (&header, file, sizeof header);
  if (memcmp (header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  bool aarch64 = header.e_machine == EM_AARCH64;
  parser->ra = aarch64 ? 30 : 16;
  parser->fp = aarch64 ? 29 : 6;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + header.e_shoff);
  const char *names
      = (const char *)file + sections[header.e_shstrndx].sh_offset;
  for (unsigned i = 1; i < header.e_shnum; i++)
    if (strcmp (names + sections[i].sh_name, ".eh_frame") == 0)
      {
        parser->bytes = file + sections[i].sh_offset;
        parser->size = sections[i].sh_size;
        parser->address = sections[i].sh_addr;
        return true;
      }
  return false;
}

static uint64_t
checksum (const struct parser *parser)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < parser->n_rows; i++)
    {
      const struct row *row = &parser->rows[i];
      sum = sum * 31 + row->pc + (uint64_t)row->cfa_offset * 3
            + row->cfa_register * 5u + (uint64_t)row->ra_offset * 7
            + (uint64_t)row->fp_offset * 11 + row->ra_rule * 13u
            + row->fp_rule * 17u;
    }
  return sum;
}

int
main (int argc, char **argv)
{
  int runs = argc > 2 ? (int)strtol (argv[2], NULL, 10) : 1;
  struct stat status;
  int fd = argc < 2 ? -1 : open (argv[1], O_RDONLY);
  if (fd < 0 || fstat (fd, &status) != 0 || runs < 1
      || status.st_size < (off_t)sizeof (Elf64_Ehdr))
    {
      fprintf (stderr, "usage: rows FILE [RUNS]\n");
      return 2;
    }
  const uint8_t *file = mmap (NULL, (size_t)status.st_size, PROT_READ,
                              MAP_PRIVATE | MAP_POPULATE, fd, 0);
  double *times = calloc ((size_t)runs, sizeof *times);
  struct parser parser = { 0 };
  if (file == MAP_FAILED || times == NULL || !find_section (&parser, file))
    {
      fprintf (stderr, "rows: %s: no .eh_frame\n", argv[1]);
      free (times);
      return 1;
    }
  for (int i = 0; i < runs; i++)
    {
      double start = milliseconds (CLOCK_PROCESS_CPUTIME_ID);
      free (parser.rows);
      parser.rows = NULL;
      parser.n_rows = parser.room = parser.n_functions = 0;
      parser.cie.end = NULL;
      read_section (&parser);
      times[i] = milliseconds (CLOCK_PROCESS_CPUTIME_ID) - start;
    }
  sort_times (times, runs);
  printf ("%zu %zu %016llx %.3f %.3f\n", parser.n_functions, parser.n_rows,
          (unsigned long long)checksum (&parser), times[0], times[runs / 2]);
  free (parser.rows);
  free (times);
  return 0;
}
