/* Comparing the CFI of a file with its code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/location.h"

#include "analysis/code.h"
#include "analysis/decoder.h"
#include "convert/code_evidence.h"
#include "convert/finding_steps.h"
#include "elf/function_symbols.h"

struct lint_run
{
  const struct image *image;
  unsigned threads;
  void (*found) (void *context, const struct cfi2sframe_finding *finding);
  void *context;
  struct cfi2sframe_lint_result *result;
};

/* What findings are described with.  */
struct vocabulary
{
  struct symbol_names names;
  struct insn_decoder *decoder;
};

enum
{
  INSN_SIZE_MAX = 16
};

/* The instruction at FINDING->since, in words if TEXT, which has room for
   them, gets any.  */
static void
show_instruction (const struct lint_run *lint,
                  const struct insn_decoder *decoder,
                  struct cfi2sframe_finding *finding, char text[INSN_TEXT_MAX])
{
  struct insn_step step;
  uint64_t size = INSN_SIZE_MAX, at = finding->since;
  const uint8_t *bytes = image_bytes_at (lint->image, at, size);
  while (!bytes && --size > 0)
    bytes = image_bytes_at (lint->image, at, size);
  if (!bytes || !insn_decode_step (decoder, bytes, size, at, &step))
    return;
  finding->instruction = bytes;
  finding->instruction_size = step.size;
  if (insn_show (decoder, bytes, size, at, text))
    finding->instruction_text = text;
}

static void
report (const struct lint_run *lint, const struct code_findings *findings,
        const struct code_request *request, const struct vocabulary *words)
{
  struct finding_steps steps = { findings, request, words->decoder, .n = 0 };
  for (size_t i = 0; i < findings->disproofs.n; i++)
    {
      const struct disproof *from = &findings->disproofs.list[i];
      char says[DISPROOF_TEXT_MAX], does[DISPROOF_TEXT_MAX];
      code_describe (from, lint->image->arch, says, does);
      finding_steps_find (&steps, from);
      struct cfi2sframe_finding finding = {
        .function = from->entry,
        .name = symbol_names_at (&words->names, from->entry),
        .address = from->start,
        .size = from->end - from->start,
        .bytes = from->bytes,
        .since = from->since,
        .frame_pointer = from->kind == ROW_FP,
        .says = says,
        .does = does,
        .return_address = from->kind == ROW_RA,
        .steps = steps.list,
        .n_steps = steps.n,
      };
      char text[INSN_TEXT_MAX];
      show_instruction (lint, words->decoder, &finding, text);
      lint->result->findings++;
      lint->result->bytes += finding.bytes;
      if (lint->found)
        lint->found (lint->context, &finding);
    }
}

/* Names are not read where nothing was found.  */
static bool
report_in_words (const struct lint_run *lint,
                 const struct code_findings *findings,
                 const struct code_request *request, struct error *err)
{
  if (findings->disproofs.n == 0)
    return true;
  struct vocabulary words
      = { .decoder = insn_decoder_new (lint->image->arch) };
  bool ok = (symbol_names_read (&words.names, lint->image) && words.decoder)
            || error_set_no_memory (err);
  if (ok)
    report (lint, findings, request, &words);
  symbol_names_free (&words.names);
  insn_decoder_free (words.decoder);
  return ok;
}

static bool
lint_source (const struct lint_run *lint, const struct cfi_source *source,
             struct error *err)
{
  struct code_facts facts;
  struct code_request request;
  struct code_findings findings;
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  request.compares = request.only_compares = true;
  request.threads = lint->threads;
  bool ok = code_analyse (&request, &findings, err);
  if (ok)
    {
      lint->result->functions = findings.functions;
      lint->result->functions_trusted = findings.functions_trusted;
      lint->result->functions_left = findings.functions_left;
      ok = report_in_words (lint, &findings, &request, err);
    }
  code_findings_free (&findings);
  code_facts_free (&facts);
  return ok;
}

static bool
lint_image (const struct lint_run *lint, struct error *err)
{
  const struct image *image = lint->image;
  struct cfi_source source = { 0 };
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN, .without_fp = true };
  if (!code_analysis_expect (image->arch, err))
    return false;
  if (image->header.e_type == ET_REL)
    return error_set_word (err, CFI2SFRAME_UNSUPPORTED, WORD_OBJECT,
                           "objects are not analysed: link them first");
  bool ok = cfi_source_open (&source, image, &cfi_options, err)
            && lint_source (lint, &source, err);
  cfi_source_close (&source);
  return ok;
}

bool
location_lint (const struct file_location *input, unsigned threads,
               void (*found) (void *context,
                              const struct cfi2sframe_finding *finding),
               void *context, struct cfi2sframe_lint_result *result,
               struct error *err)
{
  struct image image;
  const struct lint_run lint = { .image = &image,
                                 .threads = threads,
                                 .found = found,
                                 .context = context,
                                 .result = result };
  *result = (struct cfi2sframe_lint_result){ 0 };
  bool ok = image_open_at (&image, input, err) && lint_image (&lint, err);
  image_close (&image);
  if (ok && result->findings > 0)
    return error_set (err, CFI2SFRAME_MISMATCH,
                      "the code contradicts its CFI");
  return ok;
}
