/* Printing an SFrame section the way `readelf --sframe` does.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The layout is that of binutils 2.40 (V1) and 2.47 (V2, V3) to the last
   blank, so that diff can compare the outputs.  The columns of a row are
   address, CFA, FP and RA.  `c-16' is the value saved at CFA - 16, `(r)' a
   value loaded from that address, `u' an unchanged register, `f' the machine's
   fixed place, `U' a rule that is left out, and `[s]' a signed RA.  */

#include "sframe/dump.h"

#include <inttypes.h>

#include "sframe/row_words.h"

enum
{
  CELL_SIZE = 32 /* the longest is "(r536870911-17179869024)", on s390x */
};

struct dump
{
  const struct sframe_decoder *decoder;
  FILE *out;
  uint64_t rows_left;
};

/* ---- Header */

static void
dump_flags (const struct dump *dump)
{
  static const struct
  {
    unsigned flag;
    const char *name;
  } names[] = {
    { SFRAME_FLAG_SORTED, "SFRAME_F_FDE_SORTED" },
    { SFRAME_FLAG_FRAME_POINTER, "SFRAME_F_FRAME_POINTER" },
    { SFRAME_FLAG_PCREL, "SFRAME_F_FDE_FUNC_START_PCREL" },
  };
  unsigned flags = dump->decoder->flags;
  const char *prefix = "Flags: ";
  if (flags == 0)
    fprintf (dump->out, "%11sNONE\n", prefix);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (flags & names[i].flag)
      {
        flags &= ~names[i].flag;
        fprintf (dump->out, "%11s%s%s\n", prefix, names[i].name,
                 flags != 0 ? "," : "");
        prefix = "";
      }
}

static void
dump_header (const struct dump *dump)
{
  const struct sframe_decoder *decoder = dump->decoder;
  unsigned version = decoder->variant.version;
  fprintf (dump->out, "  Header :\n\n    Version: SFRAME_VERSION_%u\n",
           version);
  dump_flags (dump);
  if (version > 1 && decoder->fixed_ra_offset != 0)
    fprintf (dump->out, "    CFA fixed RA offset: %d\n",
             decoder->fixed_ra_offset);
  fprintf (dump->out, "    Num FDEs: %" PRIu32 "\n", decoder->n_functions);
  fprintf (dump->out, "    Num FREs: %" PRIu32 "\n", decoder->n_rows);
  fprintf (dump->out, "\n  Function Index :\n");
}

/* ---- Rows */

struct cells
{
  char cfa[CELL_SIZE], fp[CELL_SIZE], ra[CELL_SIZE];
};

static void
cell_set (char *cell, const char *text)
{
  snprintf (cell, CELL_SIZE, "%s", text);
}

/* Write to CELL where a default row with WORD says that a register is saved:
   on the stack, or, in some V2 rows, in another register.  */
static void
cell_slot (char *cell, const struct sframe_decoder *decoder, int32_t word)
{
  if (row_words_have_registers (decoder->arch, decoder->variant.version)
      && word % 2 != 0)
    snprintf (cell, CELL_SIZE, "r%d", word >> 1);
  else
    snprintf (cell, CELL_SIZE, "c%+d", word);
}

static void
cells_default (struct cells *cells, const struct sframe_decoder *decoder,
               const struct sframe_row *row)
{
  const struct arch *arch = decoder->arch;
  unsigned fp_word = arch_tracks_ra (arch) ? 2 : 1;
  snprintf (cells->cfa, CELL_SIZE, "%s+%" PRId64, row->base_sp ? "sp" : "fp",
            row_words_cfa_value (arch, row->words[0]));
  if (row->n_words > fp_word)
    cell_slot (cells->fp, decoder, row->words[fp_word]);
  if (!arch_tracks_ra (arch))
    cell_set (cells->ra, decoder->variant.version == 1 ? "u" : "f");
  else if (row->n_words > 1 && row->words[1] == 0)
    cell_set (cells->ra, "U");
  else if (row->n_words > 1)
    cell_slot (cells->ra, decoder, row->words[1]);
}

static void
cell_pair (char *cell, const struct arch *arch, int32_t word, int64_t offset)
{
  uint32_t control = (uint32_t)word;
  uint32_t number = control >> SFRAME_CONTROL_REGNUM_SHIFT;
  bool reg = control & SFRAME_CONTROL_REG;
  bool parentheses = reg && control & SFRAME_CONTROL_DEREF;
  char name[16];
  snprintf (name, sizeof name, "r%" PRIu32, number);
  const char *base = !reg                 ? "c"
                     : number == arch->sp ? "sp"
                     : number == arch->fp ? "fp"
                                          : name;
  snprintf (cell, CELL_SIZE, parentheses ? "(%s%+" PRId64 ")" : "%s%+" PRId64,
            base, offset);
}

static void
cells_flexible (struct cells *cells, const struct sframe_decoder *decoder,
                const struct sframe_row *row)
{
  const struct arch *arch = decoder->arch;
  cell_pair (cells->cfa, arch, row->words[0],
             row_words_cfa_value (arch, row->words[1]));
  cell_set (cells->ra, arch_tracks_ra (arch) ? "u" : "f");
  unsigned at = 2;
  if (row->n_words > at && row->words[at] == 0)
    {
      cell_set (cells->ra, "U");
      at++;
    }
  else if (row->n_words >= at + 2)
    {
      cell_pair (cells->ra, arch, row->words[at], row->words[at + 1]);
      at += 2;
    }
  if (row->n_words >= at + 2)
    cell_pair (cells->fp, arch, row->words[at], row->words[at + 1]);
}

static void
dump_row (const struct dump *dump, const struct sframe_fde *function,
          const struct sframe_row *row)
{
  uint64_t pc = row->start + (function->repeat ? 0 : function->address);
  fprintf (dump->out, "\n    %016" PRIx64, pc);
  if (row->n_words == 0)
    {
      fprintf (dump->out, "  RA undefined");
      return;
    }
  struct cells cells = { "", "u", "u" };
  if (function->flexible)
    cells_flexible (&cells, dump->decoder, row);
  else
    cells_default (&cells, dump->decoder, row);
  char ra[CELL_SIZE + 4];
  snprintf (ra, sizeof ra, "%s%s", cells.ra, row->ra_signed ? "[s]" : "   ");
  fprintf (dump->out, "  %-10s%-10s%-13s", cells.cfa, cells.fp, ra);
}

/* ---- Functions */

static bool
dump_function (struct dump *dump, uint32_t index, struct error *err)
{
  struct sframe_fde function;
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  if (!sframe_decoder_walk (dump->decoder, index, &dump->rows_left, &function,
                            &cursor, err))
    return false;
  fprintf (dump->out,
           "\n    func idx [%" PRIu32 "]: pc = 0x%" PRIx64 ", size = %" PRIu32
           " bytes",
           index, function.address, function.size);
  if (function.signal || function.flexible)
    fprintf (dump->out, ", attr = \"%s%s\"", function.signal ? "S" : "",
             function.flexible ? "F" : "");
  if (dump->decoder->arch->ra_signing && function.b_key)
    fprintf (dump->out, ", pauth = B key");
  fprintf (dump->out, "\n    %-7s%-8s %-10s%-10s%-13s", "STARTPC",
           function.repeat ? "[m]" : "   ", "CFA", "FP", "RA");
  int status;
  while ((status = sframe_row_next (&cursor, &row, err)) > 0)
    dump_row (dump, &function, &row);
  fputc ('\n', dump->out);
  return status == 0;
}

bool
sframe_dump (const struct sframe_decoder *decoder, FILE *out,
             struct error *err)
{
  struct dump dump = { decoder, out, sframe_decoder_rows_max (decoder) };
  fprintf (out, "Contents of the SFrame section .sframe:\n");
  dump_header (&dump);
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    if (!dump_function (&dump, i, err))
      return false;
  if (fflush (out) != 0 || ferror (out))
    return error_set_errno (err, "write");
  return true;
}
