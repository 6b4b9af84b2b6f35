/* seed_fault FILE FAULT...: does the oracle notice?
   SPDX-License-Identifier: LGPL-2.1-or-later

   Puts one fault after another into the correct SFrame section of FILE, in
   memory, at up to three places each, and demands that the oracle catches
   every one.  A fault for which FILE has no place is a failure too: the caller
   has to bring a file that has one.  Prints TAP without a plan, so that a
   script can join several runs.  Without faults: lists them.

   seed_fault --write=OUT FILE FAULT puts the fault at every place at once and
   writes the result to OUT; for tests of other referees.  */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "file.h"
#include "model.h"
#include "sframe/decode.h"

/* Where a fault may go: function, and row in it.  */
struct place
{
  struct model *model;
  size_t index;
  struct model_function *function;
  size_t row_index;
  struct sframe_row *row, *before; /* before: NULL for the first row */
};

/* A fault: FITS says whether PLACE can have it, APPLY puts it there.  Faults
   of functions and of the header are asked about the first row only.  */
struct fault
{
  const char *name;
  enum
  {
    OF_ROW,
    OF_FUNCTION,
    OF_HEADER
  } scope;
  bool (*fits) (const struct place *place);
  void (*apply) (const struct place *place);
};

static bool
tracks_ra (const struct place *place)
{
  return place->model->decoder.fixed_ra_offset == 0;
}

/* A row by base register and plain offsets.  */
static bool
is_default (const struct place *place)
{
  return !place->function->head.flexible && place->row->n_words > 0;
}

static unsigned
fp_word (const struct place *place)
{
  return tracks_ra (place) ? 2 : 1;
}

static bool
has_fp (const struct place *place)
{
  return is_default (place) && place->row->n_words == fp_word (place) + 1;
}

/* Whether the row says something else than the one before it.  */
static bool
differs (const struct place *place)
{
  const struct sframe_row *a = place->row, *b = place->before;
  if (!b || place->function->head.pcmask)
    return false;
  if (a->base_sp != b->base_sp || a->ra_signed != b->ra_signed
      || a->n_words != b->n_words)
    return true;
  for (unsigned i = 0; i < a->n_words; i++)
    if (a->words[i] != b->words[i])
      return true;
  return false;
}

static bool
anywhere (const struct place *place)
{
  return place->model->n_functions > 0;
}

static void
cfa_offset (const struct place *place)
{
  place->row->words[0] += 8;
}

static bool
fits_wide (const struct place *place)
{
  return is_default (place) && place->row->words[0] > INT8_MAX;
}

static void
cfa_offset_narrow (const struct place *place)
{
  int32_t word = place->row->words[0] & 0xff;
  place->row->words[0] = word > INT8_MAX ? word - 256 : word;
}

static bool
fits_shift (const struct place *place)
{
  uint32_t end = place->function->head.size;
  if (place->row_index + 1 < place->function->n_rows)
    end = place->function->rows[place->row_index + 1].row.start;
  return differs (place) && place->row->start + 1 < end;
}

static void
row_late (const struct place *place)
{
  place->row->start++;
}

static bool
fits_early (const struct place *place)
{
  return differs (place) && place->row->start > place->before->start + 1;
}

static void
row_early (const struct place *place)
{
  place->row->start--;
}

static void
row_dropped (const struct place *place)
{
  model_remove_row (place->function, place->row_index);
}

static void
fp_lost (const struct place *place)
{
  place->row->n_words--;
}

static void
fp_sign (const struct place *place)
{
  int32_t *word = &place->row->words[fp_word (place)];
  *word = -*word;
}

static bool
has_ra_and_fp (const struct place *place)
{
  return has_fp (place) && tracks_ra (place)
         && place->row->words[1] != place->row->words[2];
}

static void
ra_fp_swapped (const struct place *place)
{
  int32_t ra = place->row->words[1];
  place->row->words[1] = place->row->words[2];
  place->row->words[2] = ra;
}

static void
base_swapped (const struct place *place)
{
  place->row->base_sp = !place->row->base_sp;
}

static void
ra_signing (const struct place *place)
{
  place->row->ra_signed = !place->row->ra_signed;
}

static bool
is_signed (const struct place *place)
{
  return place->row->ra_signed;
}

static void
signing_key (const struct place *place)
{
  place->function->head.b_key = !place->function->head.b_key;
}

/* In the last row of a function a larger word may be the same number by
   accident; before it, the rest of the rows goes astray.  */
static bool
has_row_behind (const struct place *place)
{
  return is_default (place) && place->row_index + 1 < place->function->n_rows;
}

/* The words are read with another size than they have.  */
static void
word_size (const struct place *place)
{
  place->function->rows[place->row_index].info_flip = 1 << 5;
}

static bool
has_rows (const struct place *place)
{
  return place->function->n_rows > 1 && !place->function->head.pcmask;
}

/* A row more, without any address of its own.  Nothing else gives it away.  */
static void
row_idle (const struct place *place)
{
  struct model_function *function = place->function;
  struct model_row *row = &function->rows[function->n_rows++];
  *row = row[-1];
  row->row.start = function->head.size;
}

static void
function_empty (const struct place *place)
{
  place->function->head.size = 0;
}

static void
function_late (const struct place *place)
{
  place->function->head.address++;
}

static void
function_early (const struct place *place)
{
  place->function->head.address--;
}

static bool
is_last (const struct place *place)
{
  return place->index + 1 == place->model->n_functions;
}

static void
function_too_long (const struct place *place)
{
  place->function->head.size += 4096;
}

static bool
is_repeating (const struct place *place)
{
  const struct sframe_fde *head = &place->function->head;
  return head->pcmask && place->function->n_rows > 1
         && head->size > head->repeat && head->repeat <= 127;
}

/* V1 does not store the size.  */
static bool
has_repeat_size (const struct place *place)
{
  return is_repeating (place) && place->model->decoder.variant.version > 1;
}

static void
repeat_size (const struct place *place)
{
  place->function->head.repeat *= 2;
}

static void
repeat_lost (const struct place *place)
{
  place->function->head.pcmask = false;
}

static bool
is_v3 (const struct place *place)
{
  return place->model->decoder.variant.version == 3;
}

static void
signal_flag (const struct place *place)
{
  place->function->head.signal = !place->function->head.signal;
}

static bool
is_signal (const struct place *place)
{
  return is_v3 (place) && place->function->head.signal;
}

static bool
flexible_load (const struct place *place)
{
  return place->function->head.flexible && place->row->n_words > 1
         && (place->row->words[0] & 2);
}

static void
load_lost (const struct place *place)
{
  place->row->words[0] &= ~2;
}

static bool
is_flexible (const struct place *place)
{
  return place->function->head.flexible && place->row->n_words > 1;
}

static void
flexible_register (const struct place *place)
{
  place->row->words[0] += 8;
}

static void
flexible_offset (const struct place *place)
{
  place->row->words[1] -= 8;
}

/* A rule for FP or RA behind that of the CFA.  */
static bool
has_more_rules (const struct place *place)
{
  return place->function->head.flexible && place->row->n_words > 2;
}

static void
flexible_rule_lost (const struct place *place)
{
  place->row->n_words = 2;
}

static bool
is_outermost (const struct place *place)
{
  return place->row->n_words == 0;
}

static void
outermost_lost (const struct place *place)
{
  place->row->n_words = 1;
  place->row->base_sp = true;
  place->row->words[0] = 8;
  place->function->head.flexible = false;
}

static void
outermost_invented (const struct place *place)
{
  place->row->n_words = 0;
}

static bool
is_s390x_padded (const struct place *place)
{
  return tracks_ra (place) && place->model->decoder.arch->cfa_scale > 1
         && has_fp (place);
}

static void
ra_padding (const struct place *place)
{
  place->row->words[1] = place->row->words[1] == 0 ? -48 : 0;
}

static bool
is_scaled (const struct place *place)
{
  return is_default (place) && place->model->decoder.arch->cfa_scale > 1;
}

static void
scale_lost (const struct place *place)
{
  place->row->words[0] = place->row->words[0] * 8 + 160;
}

static bool
has_register_word (const struct place *place)
{
  return place->model->decoder.variant.version == 2 && has_fp (place)
         && is_scaled (place) && (place->row->words[2] & 1);
}

static void
register_word (const struct place *place)
{
  place->row->words[2] &= ~1;
}

static void
fixed_ra (const struct place *place)
{
  place->model->fixed_ra_error = -8;
}

static void
row_count (const struct place *place)
{
  place->model->n_rows_error = 1;
}

static void
function_invented (const struct place *place)
{
  struct model *model = place->model;
  size_t at = model->n_functions;
  if (model_insert (model, at, at - 1))
    {
      struct sframe_fde *head = &model->functions[at].head;
      head->address += head->size + (UINT64_C (1) << 20);
    }
}

static bool
has_two (const struct place *place)
{
  return place->model->n_functions > 1;
}

static void
order (const struct place *place)
{
  struct model_function *functions = place->model->functions;
  struct model_function first = functions[0];
  functions[0] = functions[1];
  functions[1] = first;
}

static void
function_doubled (const struct place *place)
{
  model_insert (place->model, place->index, place->index);
}

static const struct fault faults[] = {
  { "cfa-offset", OF_ROW, is_default, cfa_offset },
  { "cfa-offset-narrow", OF_ROW, fits_wide, cfa_offset_narrow },
  { "row-late", OF_ROW, fits_shift, row_late },
  { "row-early", OF_ROW, fits_early, row_early },
  { "row-dropped", OF_ROW, differs, row_dropped },
  { "fp-lost", OF_ROW, has_fp, fp_lost },
  { "fp-sign", OF_ROW, has_fp, fp_sign },
  { "ra-fp-swapped", OF_ROW, has_ra_and_fp, ra_fp_swapped },
  { "base-swapped", OF_ROW, is_default, base_swapped },
  { "ra-signing", OF_ROW, is_default, ra_signing },
  { "signing-key", OF_ROW, is_signed, signing_key },
  { "word-size", OF_ROW, has_row_behind, word_size },
  { "outermost-lost", OF_ROW, is_outermost, outermost_lost },
  { "outermost-invented", OF_ROW, is_default, outermost_invented },
  { "load-lost", OF_ROW, flexible_load, load_lost },
  { "flexible-register", OF_ROW, is_flexible, flexible_register },
  { "flexible-offset", OF_ROW, is_flexible, flexible_offset },
  { "flexible-rule-lost", OF_ROW, has_more_rules, flexible_rule_lost },
  { "ra-padding", OF_ROW, is_s390x_padded, ra_padding },
  { "scale-lost", OF_ROW, is_scaled, scale_lost },
  { "register-word", OF_ROW, has_register_word, register_word },
  { "row-idle", OF_FUNCTION, has_rows, row_idle },
  { "function-empty", OF_FUNCTION, has_rows, function_empty },
  { "function-late", OF_FUNCTION, has_rows, function_late },
  { "function-early", OF_FUNCTION, has_rows, function_early },
  { "function-too-long", OF_FUNCTION, is_last, function_too_long },
  { "function-doubled", OF_FUNCTION, has_rows, function_doubled },
  { "repeat-size", OF_FUNCTION, has_repeat_size, repeat_size },
  { "repeat-lost", OF_FUNCTION, is_repeating, repeat_lost },
  { "signal-invented", OF_FUNCTION, is_v3, signal_flag },
  { "signal-lost", OF_FUNCTION, is_signal, signal_flag },
  { "fixed-ra", OF_HEADER, anywhere, fixed_ra },
  { "row-count", OF_HEADER, anywhere, row_count },
  { "order", OF_HEADER, has_two, order },
  { "function-invented", OF_HEADER, anywhere, function_invented },
};

/* Find the place number WANTED (from 0) of FAULT, or count them all.  */
static size_t
find_place (const struct fault *fault, struct model *model, size_t wanted,
            struct place *place)
{
  size_t n = 0;
  for (size_t i = 0; i < model->n_functions; i++)
    {
      struct model_function *function = &model->functions[i];
      size_t n_rows
          = fault->scope == OF_ROW ? function->n_rows : function->n_rows > 0;
      for (size_t j = 0; j < n_rows; j++)
        {
          *place = (struct place){ model,
                                   i,
                                   function,
                                   j,
                                   &function->rows[j].row,
                                   j ? &function->rows[j - 1].row : NULL };
          if (fault->fits (place) && n++ == wanted)
            return n;
        }
      if (fault->scope == OF_HEADER)
        break;
    }
  return n;
}

struct bench
{
  struct referee referee;
  struct stubs stubs;
  struct oracle_section section;
  struct model model;
  unsigned n_tests;
  bool failed;
};

/* Whether the oracle finds MODEL wrong.  */
static bool
is_caught (const struct bench *bench, const struct model *model)
{
  struct compare_options options = { NULL, 0, false };
  struct oracle_section section = bench->section;
  struct comparison result;
  struct buffer made;
  bool caught = false;
  bool written = model_write (model, &made);
  section.bytes = made.bytes;
  section.size = made.size;
  if (written
      && compare_run (&bench->referee, &bench->stubs, &section, &options,
                      &result))
    caught = comparison_failed (&result);
  else
    fprintf (stderr, "seed_fault: out of memory\n");
  buffer_free (&made);
  return caught;
}

static void
tap (struct bench *bench, bool ok, const char *path, const char *name,
     const char *comment)
{
  bench->n_tests++;
  bench->failed |= !ok;
  printf ("%s - %s: %s%s%s\n", ok ? "ok" : "not ok", path, name,
          *comment ? ": " : "", comment);
}

/* Try FAULT at its first, middle and last place.  */
static void
try_fault (struct bench *bench, const struct fault *fault, const char *path)
{
  struct place place;
  size_t n = find_place (fault, &bench->model, SIZE_MAX, &place);
  size_t wanted[] = { 0, n / 2, n - 1 };
  bool caught = true;
  char comment[80] = "";
  for (size_t i = 0; i < 3 && n > 0 && caught; i++)
    {
      struct model faulty;
      if (!model_copy (&faulty, &bench->model))
        return;
      find_place (fault, &faulty, wanted[i], &place);
      uint64_t pc = place.function->head.address + place.row->start;
      fault->apply (&place);
      caught = is_caught (bench, &faulty);
      if (!caught)
        snprintf (comment, sizeof comment, "not caught at %#lx", pc);
      model_free (&faulty);
    }
  if (n == 0)
    snprintf (comment, sizeof comment, "no place for it in this file");
  tap (bench, n > 0 && caught, path, fault->name, comment);
}

static const struct fault *
find_fault (const char *name)
{
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (strcmp (faults[i].name, name) == 0)
      return &faults[i];
  return NULL;
}

static bool
open_bench (struct bench *bench, Elf *elf, const char **why)
{
  struct oracle_section *section = &bench->section;
  struct sframe_decoder decoder;
  bool segment_differs;
  struct error err;
  error_clear (&err);
  *why = "no readable .sframe";
  if (!oracle_find_sframe (elf, section, &segment_differs)
      || !sframe_decoder_open (&decoder, section->bytes, section->size,
                               section->address, &err)
      || !model_read (&bench->model, &decoder))
    return false;
  return referee_open (&bench->referee, elf, NULL, why)
         && stubs_find (&bench->stubs, elf, bench->referee.abi);
}

/* Copy FILE to OUT, with SECTION's bytes replaced by REPLACEMENT of the same
   size.  */
static bool
write_file (const char *out, const struct oracle_file *file,
            const struct oracle_section *section,
            const struct buffer *replacement)
{
  size_t size;
  const char *bytes = elf_rawfile (file->elf, &size);
  if (!bytes || replacement->size != section->size)
    return false;
  size_t before = (size_t)(section->bytes - (const uint8_t *)bytes);
  size_t behind = before + section->size;
  FILE *to = fopen (out, "we");
  if (!to)
    return false;
  bool ok = fwrite (bytes, 1, before, to) == before
            && fwrite (replacement->bytes, 1, replacement->size, to)
                   == replacement->size
            && fwrite (bytes + behind, 1, size - behind, to) == size - behind;
  return fclose (to) == 0 && ok;
}

/* Put FAULT everywhere.  */
static int
seed_everywhere (struct bench *bench, const struct oracle_file *file,
                 const char *name, const char *out)
{
  const struct fault *fault = find_fault (name);
  struct place place;
  struct buffer faulty;
  size_t n = fault ? find_place (fault, &bench->model, SIZE_MAX, &place) : 0;
  /* Faults may make a place unfit, so go backwards.  */
  for (size_t i = n; i-- > 0;)
    {
      find_place (fault, &bench->model, i, &place);
      fault->apply (&place);
    }
  bool ok = n > 0 && model_write (&bench->model, &faulty)
            && write_file (out, file, &bench->section, &faulty);
  if (n > 0)
    buffer_free (&faulty);
  if (!ok)
    fprintf (stderr, "seed_fault: %s: cannot be made\n", out);
  return !ok;
}

static void
run_tests (struct bench *bench, char **names, const char *base)
{
  tap (bench, !is_caught (bench, &bench->model), base,
       "correct as long as nothing is done to it", "");
  for (; *names; names++)
    {
      const struct fault *fault = find_fault (*names);
      if (fault)
        try_fault (bench, fault, base);
      else
        tap (bench, false, base, *names, "unknown fault");
    }
}

int
main (int argc, char **argv)
{
  static const char write_option[] = "--write=";
  const char *out = NULL, *why = "cannot be read";
  if (argc == 4
      && strncmp (argv[1], write_option, sizeof write_option - 1) == 0)
    out = *++argv + sizeof write_option - 1;
  else if (argc < 2)
    {
      for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        printf ("%s\n", faults[i].name);
      return 0;
    }
  struct oracle_file file;
  struct bench bench = { 0 };
  const char *path = argv[1];
  const char *slash = strrchr (path, '/'), *base = slash ? slash + 1 : path;
  if (!oracle_file_open (&file, path) || !open_bench (&bench, file.elf, &why))
    {
      printf ("not ok - %s: %s\n", base, why);
      return 1;
    }
  if (out)
    bench.failed = seed_everywhere (&bench, &file, argv[2], out) != 0;
  else
    run_tests (&bench, argv + 2, base);
  model_free (&bench.model);
  stubs_free (&bench.stubs);
  referee_close (&bench.referee);
  oracle_file_close (&file);
  return bench.failed;
}
