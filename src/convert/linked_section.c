/* Making the SFrame section of a linked ELF file from its CFI.
   SPDX-License-Identifier: LGPL-2.1-or-later

   finished_rows reads the FDEs, executes them and returns the code of the file
   piece by piece, in the order of addresses, with its rows.  add_all passes
   each piece to an emitter, which translates the rows to SFrame.  With --gnu,
   gnu_functions gives the emitter the rows that GNU as would have made.  */

#include "convert/linked_section.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code.h"
#include "cfi/finished_rows.h"
#include "convert/code_evidence.h"
#include "sframe/emitter.h"
#include "sframe/formats.h"
#include "sframe/gnu_functions.h"

/* The state of making a section.  close_reading frees all but the emitter when
   all code is added.  */
struct linked_section
{
  const struct image *image;
  const struct cfi2sframe_options *options;
  struct cfi2sframe_report *report;
  struct cfi_source source;
  struct code_evidence code; /* with --verify-code and --analyze */
  struct finished_rows rows;
  struct gnu_functions *gnu; /* with --gnu */
  struct emitter *emitter;
};

/* Return the number of FDEs in the section DATA.  */
static uint64_t
count_fdes (const struct cfi_section *cfi, const struct section_data *data)
{
  uint64_t n = 0;
  for (size_t i = 0; data->bytes != NULL && i < cfi->n_fdes; i++)
    n += cfi->inputs[cfi->fdes[i].input].bytes == data->bytes;
  return n;
}

/* Report which CFI the file has, and why .debug_frame is used, or not.  */
static void
report_source (struct linked_section *linked)
{
  struct cfi2sframe_report *report = linked->report;
  const struct cfi_source *source = &linked->source;
  const struct cfi_section *cfi = &source->cfi;
  const struct debug_source *debug = &source->debug;
  report->eh_frame_bytes = source->eh_frame.size;
  report->eh_frame_hdr_bytes = source->eh_frame.header_size;
  report->debug_frame_functions = count_fdes (cfi, &debug->own);
  report->debug_file_functions = count_fdes (cfi, &debug->outside);
  report->debug_frame_bytes = debug->own.size + debug->outside.size;
  report->set_aside = cfi->n_set_aside;
  report->contradictions = cfi->n_contradictions;
  snprintf (report->debug_file, sizeof report->debug_file, "%.*s",
            (int)sizeof report->debug_file - 1, debug->file.path);
  memcpy (report->cfi_note, debug->note, sizeof report->cfi_note);
  cfi_report (cfi, report);
}

/* ---- Opening the CFI and the emitter */

/* Whether to make rows from code.  Machines whose code no build can analyse
   get rows from CFI only, as without --analyze.  */
static bool
adds_rows_of_code (const struct linked_section *linked)
{
  const struct arch *arch = linked->image->arch;
  return linked->options->analyze
         && (arch == NULL || code_analysis_is_known (arch));
}

static void
add_note (struct linked_section *linked, const char *text)
{
  char *note = linked->report->cfi_note;
  size_t length = strlen (note), size = sizeof linked->report->cfi_note;
  snprintf (note + length, size - length, "%s%s", length > 0 ? "; " : "",
            text);
}

static bool
analyse_code (struct linked_section *linked, struct error *err)
{
  const struct code_evidence_request wanted
      = { .add = adds_rows_of_code (linked),
          .verify = linked->options->verify_code,
          .threads = linked->options->threads };
  bool ok = code_evidence_make (&linked->code, &linked->source, &wanted, err);
  uint64_t left = linked->code.functions_left;
  linked->report->functions_from_code = linked->code.functions;
  if (left > 0)
    {
      char text[80];
      snprintf (text, sizeof text,
                "%" PRIu64 " function%s not followed: that takes too long",
                left, left == 1 ? " was" : "s were");
      add_note (linked, text);
    }
  return ok;
}

static bool
open_source (struct linked_section *linked, struct error *err)
{
  const struct image *image = linked->image;
  if (image->arch != NULL)
    linked->report->machine = image->arch->name;
  const struct cfi_options cfi_options = options_choose_cfi (linked->options);
  bool adds = adds_rows_of_code (linked);
  bool opened = (adds ? code_evidence_open_source : cfi_source_open) (
      &linked->source, image, &cfi_options, err);
  report_source (linked);
  if (linked->options->analyze && !adds)
    add_note (linked, "code of this machine is not analysed");
  if (opened && (adds || linked->options->verify_code))
    opened = analyse_code (linked, err);
  return opened;
}

/* Open the emitter with memory for N_EXPECTED functions and ROWS_EXPECTED
   bytes of rows, which is nearly always enough.  The kernel provides no pages
   for memory that is never touched.  */
static bool
open_emitter (struct linked_section *linked, size_t n_expected,
              size_t rows_expected, struct error *err)
{
  const struct cfi2sframe_options *options = linked->options;
  struct emitter_options emitter = {
    .image = linked->image,
    .variant = format_variant (options->format),
    .sorted = true,
    .share = !options->no_share && !options->gnu,
    .gnu_widths = options->gnu,
    .compact = options->compact && !options->gnu,
    .cut = !options->no_split,
    .n_expected = n_expected,
    .rows_expected = rows_expected,
    .report = linked->report,
  };
  linked->emitter = emitter_new (&emitter, err);
  return linked->emitter != NULL;
}

static bool
open_rows (struct linked_section *linked, bool by_program, struct error *err)
{
  const struct cfi2sframe_options *options = linked->options;
  const struct rows_options rows
      = { .by_program = by_program,
          .at_sites = !options->gnu,
          .keep_all_rows = options->keep_return_addresses,
          .only_behind_calls = !options->compact };
  linked->source.disproofs = &linked->code.disproofs;
  return finished_rows_open (&linked->rows, &linked->source, &rows, err);
}

/* Free all but the emitter, so that choosing pieces has more memory.  */
static void
close_reading (struct linked_section *linked)
{
  gnu_functions_free (linked->gnu);
  linked->gnu = NULL;
  finished_rows_close (&linked->rows);
  code_evidence_free (&linked->code);
  cfi_source_close (&linked->source);
}

/* Return LINKED if GOOD; otherwise free it and return NULL.  */
static struct linked_section *
free_unless (struct linked_section *linked, bool good)
{
  if (good)
    return linked;
  linked_section_free (linked);
  return NULL;
}

/* Open the CFI of INPUT, and with --analyze its code.  NULL with ERR.  */
static struct linked_section *
new_section (const struct input *input, struct error *err)
{
  struct linked_section *linked = calloc (1, sizeof *linked);
  if (linked == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  linked->image = input->image;
  linked->options = input->options;
  linked->report = input->report;
  return free_unless (linked, open_source (linked, err));
}

void
linked_section_free (struct linked_section *linked)
{
  if (linked == NULL)
    return;
  close_reading (linked);
  emitter_free (linked->emitter);
  free (linked);
}

struct linked_section *
linked_section_open (const struct input *input, struct error *err)
{
  struct linked_section *linked = new_section (input, err);
  return free_unless (linked,
                      linked != NULL && open_rows (linked, false, err));
}

const struct cfi_source *
linked_section_source (const struct linked_section *linked)
{
  return &linked->source;
}

/* Open INPUT for linked_section_build: read its CFI, and prepare the emitter.
   NULL as linked_section_build.  */
static struct linked_section *
open_whole (const struct input *input, struct error *err)
{
  const struct cfi2sframe_options *options = input->options;
  struct linked_section *linked = new_section (input, err);
  if (linked == NULL)
    return NULL;
  const struct cfi_source *source = &linked->source;
  bool opened
      = open_emitter (linked,
                      source->cfi.n_fdes + source->stubs.n_functions
                          + source->found.n_functions,
                      cfi_section_size (&source->cfi) / 2, err)
        && open_rows (linked, emitter_repeats_rows (linked->emitter), err);
  if (opened && options->gnu)
    {
      linked->gnu = gnu_functions_new (linked->image, &source->cfi,
                                       format_variant (options->format),
                                       options->gnu_bugs);
      opened = linked->gnu != NULL || error_set_no_memory (err);
    }
  return free_unless (linked, opened);
}

/* ---- Making the rows */

static bool
add_all (struct linked_section *linked, struct error *err)
{
  struct cfi2sframe_report *report = linked->report;
  struct cfi_code code;
  int more;
  while ((more = finished_rows_next (&linked->rows, &code, err)) > 0)
    {
      uint64_t covered = report->bytes_covered;
      bool added
          = linked->gnu != NULL
                ? gnu_functions_add (linked->gnu, &linked->rows, &code,
                                     linked->emitter, err)
                : emitter_add (linked->emitter, &linked->rows, &code, err);
      if (!added)
        return false;
      if (code.kind == CODE_FOUND)
        report->bytes_from_code += report->bytes_covered - covered;
    }
  return more == 0;
}

static void
report_encoder (struct linked_section *linked)
{
  struct cfi2sframe_report *report = linked->report;
  const struct sframe_encoder *encoder = emitter_encoder (linked->emitter);
  report->sframe_fdes = sframe_encoder_n_functions (encoder);
  report->sframe_fres = sframe_encoder_n_rows (encoder);
  report->sframe_bytes = sframe_encoder_size (encoder);
}

/* Choose the pieces of code that become FDEs.  Returns as
   linked_section_build.  */
static struct sframe_encoder *
choose_pieces (struct linked_section *linked, struct error *err)
{
  struct cfi2sframe_report *report = linked->report;
  bool chosen = emitter_finish (linked->emitter, err);
  report_encoder (linked);
  /* The kernel refuses a section without functions or rows.  */
  if (chosen && (report->sframe_fdes == 0 || report->sframe_fres == 0))
    chosen = error_set_word (err, CFI2SFRAME_NOTHING, WORD_NO_CFI,
                             "no function that SFrame can describe%s%s",
                             report->cfi_note[0] != '\0' ? "; " : "",
                             report->cfi_note);
  return chosen ? emitter_release (linked->emitter) : NULL;
}

struct sframe_encoder *
linked_section_build_portion (struct linked_section *linked, size_t fde,
                              size_t end, struct error *err)
{
  struct sframe_encoder *encoder = NULL;
  if (!open_emitter (linked, 0, 0, err))
    return NULL;
  cfi_walk_restrict (&linked->rows.walk, fde, end);
  if (add_all (linked, err))
    encoder = choose_pieces (linked, err);
  emitter_free (linked->emitter);
  linked->emitter = NULL;
  return encoder;
}

struct sframe_encoder *
linked_section_build (const struct input *input, struct error *err)
{
  struct sframe_encoder *encoder = NULL;
  struct linked_section *linked = open_whole (input, err);
  if (linked == NULL)
    return NULL;
  bool added = add_all (linked, err);
  close_reading (linked);
  report_encoder (linked);
  if (added)
    encoder = choose_pieces (linked, err);
  linked_section_free (linked);
  return encoder;
}
