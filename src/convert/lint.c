/* Comparing the CFI of a file with its code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "code/code.h"

#include "convert/code_facts.h"
#include "convert/results.h"
#include "elf/function_symbols.h"

struct reader
{
  const struct image *image;
  void (*found) (void *context, const struct cfi2sframe_finding *finding);
  void *context;
  struct cfi2sframe_lint_result *result;
};

static void
report (const struct reader *reader, const struct disproofs *disproofs,
        const struct symbol_names *names)
{
  for (size_t i = 0; i < disproofs->n; i++)
    {
      const struct disproof *from = &disproofs->list[i];
      char says[DISPROOF_TEXT_MAX], does[DISPROOF_TEXT_MAX];
      code_describe (from, reader->image->arch, says, does);
      struct cfi2sframe_finding finding = {
        .function = from->entry,
        .name = symbol_names_at (names, from->entry),
        .address = from->start,
        .size = from->end - from->start,
        .bytes = from->bytes,
        .since = from->since,
        .frame_pointer = from->kind == DISPROOF_FP,
        .says = says,
        .does = does,
        .return_address = from->kind == DISPROOF_RA,
      };
      reader->result->findings++;
      reader->result->bytes += finding.bytes;
      if (reader->found)
        reader->found (reader->context, &finding);
    }
}

/* Names are not read where nothing was found.  */
static bool
report_named (const struct reader *reader, const struct disproofs *disproofs,
              struct error *err)
{
  struct symbol_names names = { 0 };
  bool ok = disproofs->n == 0 || symbol_names_read (&names, reader->image)
            || error_set_no_memory (err);
  if (ok)
    report (reader, disproofs, &names);
  symbol_names_free (&names);
  return ok;
}

static bool
lint_source (const struct reader *reader, const struct cfi_source *source,
             struct error *err)
{
  struct code_facts facts;
  struct code_request request;
  struct code_findings findings;
  if (!code_facts_read (&facts, source, &request, err))
    return false;
  request.only_compares = true;
  bool ok = code_analyse (&request, &findings, err);
  if (ok)
    {
      reader->result->functions = findings.functions;
      reader->result->functions_trusted = findings.functions_trusted;
      ok = report_named (reader, &findings.disproofs, err);
    }
  code_findings_free (&findings);
  code_facts_free (&facts);
  return ok;
}

static bool
lint_image (const struct reader *reader, struct error *err)
{
  const struct image *image = reader->image;
  struct cfi_source source = { 0 };
  const struct cfi_options cfi_options
      = { .debug_info = CFI2SFRAME_DEBUG_INFO_OWN };
  if (!code_analysis_exists (image->arch))
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "this build cannot analyse code of this machine");
  if (image->header.e_type == ET_REL)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "objects are not analysed: link them first");
  bool ok = cfi_source_open (&source, image, &cfi_options, err)
            && lint_source (reader, &source, err);
  cfi_source_close (&source);
  return ok;
}

bool
cfi2sframe_lint (const char *input,
                 void (*found) (void *context,
                                const struct cfi2sframe_finding *finding),
                 void *context, struct cfi2sframe_lint_result *result,
                 struct cfi2sframe_error *err)
{
  struct image image;
  struct cfi2sframe_lint_result own = { 0 };
  const struct reader reader = {
    .image = &image, .found = found, .context = context, .result = &own
  };
  size_t size;
  if (!results_size (result, &size, err))
    return false;
  bool opened = image_open (&image, input, err);
  bool ok = opened && lint_image (&reader, err);
  if (opened)
    image_close (&image);
  results_give (result, size, &own, sizeof own);
  if (ok && own.findings > 0)
    return error_set (err, CFI2SFRAME_MISMATCH,
                      "the code contradicts its CFI");
  return ok;
}
