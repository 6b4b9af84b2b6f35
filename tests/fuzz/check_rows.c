/* Reading sections back and holding them against the CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The comparison shares nothing with sframe/verify: it asks the section for
   single PCs, as a stack tracer does.  */

#include <config.h>

#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cfi/cfa_program.h"
#include "cfi/reader.h"
#include "elf/padding.h"
#include "cfi/source.h"
#include "sframe/dump.h"
#include "sframe/lower.h"
#include "sframe/verify.h"
#include "tests/sframe_lookup.h"

enum
{
  ROWS_MAX = 20000 /* asked for in one input */
};

/* What the CFI's ROW says at PC.  */
static struct frame_row
row_at (const struct arch *arch, const struct frame_row *row, uint64_t pc)
{
  struct frame_row now = *row;
  if (now.cfa.kind == RULE_PLT)
    now.cfa = (struct frame_rule){
      .kind = RULE_REG,
      .reg = arch->sp,
      .offset = (int64_t)(pc & 15) >= now.cfa.offset ? 16 : 8,
    };
  if (now.ra.kind == RULE_UNDEFINED)
    now.cfa = now.fp = now.ra;
  return now;
}

/* The register that SP, FP or RA is unless somebody says otherwise may be
   named or not: r1 and "unchanged" are one where r1 is asked for.  */
static bool
same_rule (struct frame_rule a, struct frame_rule b, uint16_t own)
{
  struct frame_rule same = { .kind = RULE_SAME };
  if (a.kind == RULE_REG && a.reg == own && a.offset == 0)
    a = same;
  if (b.kind == RULE_REG && b.reg == own && b.offset == 0)
    b = same;
  return frame_rule_equal (a, b);
}

/* For whoever has to find out why.  */
static void
print_rule (const char *name, struct frame_rule wanted, struct frame_rule said)
{
  if (!frame_rule_equal (wanted, said))
    fprintf (stderr, "%s: kind %d reg %d offset %d reason %s, said %d %d %d\n",
             name, wanted.kind, wanted.reg, wanted.offset,
             frame_reason_name (wanted.reason), said.kind, said.reg,
             said.offset);
}

static bool
same_rules (const struct arch *arch, const struct frame_row *wanted,
            const struct frame_row *said)
{
  bool ra = same_rule (wanted->ra, said->ra, arch->ra);
  /* The ABI's slot, and nothing else, goes without saying.  */
  if (!arch_tracks_ra (arch) && wanted->ra.kind == RULE_DEREF_CFA)
    ra = wanted->ra.offset == arch->fixed_ra_offset
         || frame_rule_equal (wanted->ra, said->ra);
  return ra && same_rule (wanted->cfa, said->cfa, UINT16_MAX)
         && same_rule (wanted->fp, said->fp, arch->fp)
         && (wanted->ra.kind == RULE_UNDEFINED
             || wanted->ra_signed == said->ra_signed);
}

/* The section may be silent, but not say anything else.  */
static void
check_pc (const struct sframe_decoder *decoder, const struct frame_row *row,
          uint64_t pc)
{
  struct sframe_fde function;
  struct sframe_row found;
  struct frame_row said;
  struct error err = { 0 };
  const struct arch *arch = decoder->arch;
  int status = sframe_decoder_lookup (decoder, pc, &function, &found, &err);
  FUZZ_CHECK (status >= 0);
  if (status == 0)
    return;
  struct frame_row wanted = row_at (arch, row, pc);
  lower_undo (arch, decoder->variant, &function, &found, &said);
  if (same_rules (arch, &wanted, &said))
    return;
  fprintf (stderr, "V%d, PC 0x%llx, %s function\n", decoder->variant.version,
           (unsigned long long)pc, function.flexible ? "flexible" : "default");
  print_rule ("CFA", wanted.cfa, said.cfa);
  print_rule ("FP", wanted.fp, said.fp);
  print_rule ("RA", wanted.ra, said.ra);
  FUZZ_CHECK (!"the section contradicts the CFI");
}

static void
check_function (const struct sframe_decoder *decoder,
                const struct frame_function *function)
{
  for (size_t i = 0; i < function->n_rows; i++)
    {
      const struct frame_row *row = &function->rows[i];
      uint32_t end = i + 1 < function->n_rows ? row[1].start : function->size;
      FUZZ_CHECK (row->start < end && end <= function->size);
      check_pc (decoder, row, function->address + row->start);
      check_pc (decoder, row, function->address + end - 1);
      check_pc (decoder, row,
                function->address + row->start + (end - row->start) / 2);
    }
}

void
fuzz_check_rows (const struct sframe_decoder *decoder,
                 const struct cfi_section *cfi)
{
  struct error err = { 0 };
  struct frame_function function = { 0 };
  struct cfa_machine *machine = cfa_machine_new (cfi);
  uint64_t end = 0;
  size_t n_rows = 0;
  FUZZ_CHECK (machine != NULL);
  for (size_t i = 0; i < cfi->n_fdes && n_rows < ROWS_MAX; i++)
    {
      const struct cfi_fde *fde = &cfi->fdes[i];
      enum frame_reason reason;
      uint64_t begin = fde->address, before = end;
      uint64_t next = i + 1 < cfi->n_fdes ? fde[1].address : UINT64_MAX;
      if (fde->size > UINT64_MAX - begin)
        break;
      if (begin + fde->size > end)
        end = begin + fde->size;
      /* Of FDEs that overlap either may have been taken.  */
      if (begin < before || end > next
          || !cfa_machine_run (machine, fde, &function, &reason, &err)
          || reason != REASON_NONE)
        continue;
      n_rows += function.n_rows + 1;
      check_function (decoder, &function);
    }
  frame_function_free (&function);
  cfa_machine_free (machine);
}

void
fuzz_verify (const struct sframe_decoder *decoder, const struct image *image,
             bool good)
{
  struct cfi_source source;
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN };
  struct cfi2sframe_check_result result = { 0 };
  struct error err = { 0 };
  bool verified = cfi_source_open (&source, image, &cfi_options, &err)
                  && sframe_verify (decoder, &source, &result, &err);
  FUZZ_DONE (verified || !good, &err);
  if (good && (result.bytes_wrong > 0 || result.bytes_extra > 0))
    fuzz_fail (result.difference, __FILE__, __LINE__);
  cfi_source_close (&source);
}

static ssize_t
swallow (void *cookie, const char *bytes, size_t size)
{
  (void)cookie;
  (void)bytes;
  return (ssize_t)size;
}

static void
read_rows (const struct sframe_decoder *decoder, uint32_t index,
           uint64_t *rows_left, bool good)
{
  struct sframe_fde function;
  struct sframe_row_cursor cursor;
  struct sframe_row row;
  struct frame_row rules;
  struct error err = { 0 };
  bool opened
      = sframe_decoder_function (decoder, index, &function, &err)
        && sframe_decoder_rows (decoder, index, &function, &cursor, &err);
  FUZZ_DONE (opened || !good, &err);
  if (!opened)
    return;
  uint32_t n = 0, last = 0;
  int status;
  while ((status = sframe_row_next (&cursor, &row, &err)) > 0)
    {
      FUZZ_CHECK (n == 0 || row.start >= last);
      FUZZ_CHECK (!good || n == 0 || row.start > last);
      FUZZ_CHECK (row.n_words <= SFRAME_WORDS_MAX);
      lower_undo (decoder->arch, decoder->variant, &function, &row, &rules);
      last = row.start;
      n++;
      if ((*rows_left)-- == 0)
        return;
    }
  FUZZ_DONE (status == 0 || !good, &err);
  FUZZ_CHECK (status < 0 || n == function.n_rows);
}

void
fuzz_read_section (const struct sframe_decoder *decoder, bool good)
{
  cookie_io_functions_t functions = { .write = swallow };
  struct error err = { 0 };
  uint64_t rows_left = sframe_decoder_rows_max (decoder);
  if (rows_left > 10 * ROWS_MAX)
    rows_left = 10 * ROWS_MAX;
  for (uint32_t i = 0; i < decoder->n_functions && rows_left > 0; i++)
    {
      struct sframe_fde function;
      struct sframe_row row;
      uint64_t start = sframe_decoder_start (decoder, i);
      read_rows (decoder, i, &rows_left, good);
      if (i < 64)
        {
          sframe_decoder_lookup (decoder, start, &function, &row, &err);
          sframe_decoder_lookup (decoder, start - 1, &function, &row, &err);
        }
    }
  if (decoder->size > 65536)
    return; /* printing is slow */
  FILE *nowhere = fopencookie (NULL, "w", functions);
  FUZZ_CHECK (nowhere != NULL);
  bool dumped = sframe_dump (decoder, nowhere, &err);
  FUZZ_DONE (dumped || !good, &err);
  fclose (nowhere);
}
