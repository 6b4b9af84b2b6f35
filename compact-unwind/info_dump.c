/* Printing an __unwind_info section.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The output equals that of llvm-objdump 14 to the last blank, so that diff
   can compare the two, except for the text after semicolons.  */

#include "compact-unwind/info.h"

#include <inttypes.h>

/* ---- Meaning of an encoding */

static void
print_register (const struct arch *arch, uint16_t reg, FILE *out)
{
  static const char *const amd64[]
      = { [3] = "rbx",  [6] = "rbp",  [12] = "r12",
          [13] = "r13", [14] = "r14", [15] = "r15" };
  enum
  {
    AARCH64_V0 = 64
  };
  if (arch == &arch_amd64)
    fputs (amd64[reg], out);
  else if (reg >= AARCH64_V0)
    fprintf (out, "d%d", reg - AARCH64_V0);
  else
    fprintf (out, "x%d", reg);
}

static void
print_mode (const struct cunwind_frame *frame, FILE *out)
{
  switch (frame->mode)
    {
    case CUNWIND_NO_INFO:
      fputs ("nothing known", out);
      break;
    case CUNWIND_FRAME:
      fputs ("frame", out);
      break;
    case CUNWIND_FRAMELESS:
      fprintf (out, "frameless, %" PRIu32 " bytes", frame->stack_size);
      break;
    case CUNWIND_FRAMELESS_INDIRECT:
      fprintf (out,
               "frameless, %" PRIu32 " bytes and the number at function+%u",
               frame->stack_size, frame->size_offset);
      break;
    case CUNWIND_DWARF:
      fprintf (out, "FDE at .eh_frame+0x%" PRIx32, frame->dwarf_offset);
      break;
    }
}

/* Print the meaning of ENCODING and end the line.  */
static void
print_meaning (const struct arch *arch, uint32_t encoding, FILE *out)
{
  struct cunwind_frame frame;
  if (arch == NULL)
    {
      fputc ('\n', out);
      return;
    }
  fputs (" ; ", out);
  if (!cunwind_decode (arch, encoding, &frame))
    {
      fputs ("invalid\n", out);
      return;
    }
  print_mode (&frame, out);
  for (unsigned i = 0; i < frame.n_saved; i++)
    {
      fputc (' ', out);
      print_register (arch, frame.saved[i].reg, out);
      fprintf (out, "=c%d", frame.saved[i].offset);
    }
  uint32_t personality
      = (encoding & CUNWIND_PERSONALITY_MASK) >> CUNWIND_PERSONALITY_SHIFT;
  if (personality != 0)
    fprintf (out, ", personality %" PRIu32, personality);
  fputs (encoding & CUNWIND_HAS_LSDA ? ", LSDA\n" : "\n", out);
}

/* ---- The parts of the section */

static void
dump_unwind_header (const struct cunwind_reader *reader, FILE *out)
{
  const struct
  {
    const char *name;
    uint32_t value;
  } lines[] = {
    { "Version:", CUNWIND_INFO_VERSION },
    { "Common encodings array section offset:", reader->common },
    { "Number of common encodings in array:", reader->n_common },
    { "Personality function array section offset:", reader->personalities },
    { "Number of personality functions in array:", reader->n_personalities },
    { "Index array section offset:", reader->index },
    { "Number of indices in array:", reader->n_index },
  };
  fputs ("Contents of __unwind_info section:\n", out);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    fprintf (out, "  %-42s 0x%" PRIx32 "\n", lines[i].name, lines[i].value);
}

static void
dump_arrays (const struct cunwind_reader *reader, const struct arch *arch,
             FILE *out)
{
  fprintf (out, "  Common encodings: (count = %" PRIu32 ")\n",
           reader->n_common);
  for (uint32_t i = 0; i < reader->n_common; i++)
    {
      uint32_t encoding = cunwind_reader_word (reader, reader->common + 4 * i);
      fprintf (out, "    encoding[%" PRIu32 "]: 0x%08" PRIx32, i, encoding);
      print_meaning (arch, encoding, out);
    }
  fprintf (out, "  Personality functions: (count = %" PRIu32 ")\n",
           reader->n_personalities);
  for (uint32_t i = 0; i < reader->n_personalities; i++)
    fprintf (out, "    personality[%" PRIu32 "]: 0x%08" PRIx32 "\n", i + 1,
             cunwind_reader_word (reader, reader->personalities + 4 * i));
}

static void
dump_index (const struct cunwind_reader *reader, FILE *out)
{
  fprintf (out, "  Top level indices: (count = %" PRIu32 ")\n",
           reader->n_index);
  for (uint32_t i = 0; i < reader->n_index; i++)
    {
      uint32_t at = reader->index + CUNWIND_INDEX_ENTRY_SIZE * i;
      fprintf (out,
               "    [%" PRIu32 "]: function offset=0x%08" PRIx32
               ", 2nd level page offset=0x%08" PRIx32
               ", LSDA offset=0x%08" PRIx32 "\n",
               i, cunwind_reader_word (reader, at),
               cunwind_reader_word (reader, at + 4),
               cunwind_reader_word (reader, at + 8));
    }
  fputs ("  LSDA descriptors:\n", out);
  for (uint32_t i = 0; i < reader->n_lsdas; i++)
    {
      uint32_t at = reader->lsdas + CUNWIND_LSDA_ENTRY_SIZE * i;
      fprintf (out,
               "    [%" PRIu32 "]: function offset=0x%08" PRIx32
               ", LSDA offset=0x%08" PRIx32 "\n",
               i, cunwind_reader_word (reader, at),
               cunwind_reader_word (reader, at + 4));
    }
}

static void
dump_own_encodings (const struct cunwind_reader *reader,
                    const struct cunwind_reader_page *page,
                    const struct arch *arch, FILE *out)
{
  fprintf (out, "      Page encodings: (count = %" PRIu32 ")\n", page->n_own);
  for (uint32_t i = 0; i < page->n_own; i++)
    {
      uint32_t encoding = cunwind_reader_word (reader, page->own + 4 * i);
      fprintf (out, "        encoding[%" PRIu32 "]: 0x%08" PRIx32,
               reader->n_common + i, encoding);
      print_meaning (arch, encoding, out);
    }
}

static void
dump_page (const struct cunwind_reader *reader, uint32_t i,
           const struct arch *arch, FILE *out)
{
  struct cunwind_reader_page page;
  cunwind_reader_read_page (reader, i, &page);
  fprintf (out,
           "    Second level index[%" PRIu32
           "]: offset in section=0x%08" PRIx32
           ", base function offset=0x%08" PRIx32 "\n",
           i, page.at, page.function);
  if (page.compressed)
    dump_own_encodings (reader, &page, arch, out);
  for (uint32_t j = 0; j < page.n_entries; j++)
    {
      struct cunwind_reader_entry entry
          = cunwind_reader_read_entry (reader, &page, j);
      fprintf (out, "      [%" PRIu32 "]: function offset=0x%08" PRIx32 ", ",
               j, entry.function);
      if (page.compressed)
        fprintf (out, "encoding[%" PRIu32 "]=0x%08" PRIx32, entry.index,
                 entry.encoding);
      else
        fprintf (out, "encoding=0x%08" PRIx32, entry.encoding);
      print_meaning (arch, entry.encoding, out);
    }
}

void
cunwind_dump (const struct cunwind_reader *reader, const struct arch *arch,
              FILE *out)
{
  dump_unwind_header (reader, out);
  dump_arrays (reader, arch, out);
  dump_index (reader, out);
  fputs ("  Second level indices:\n", out);
  for (uint32_t i = 0; i < cunwind_reader_n_pages (reader); i++)
    dump_page (reader, i, arch, out);
}
