/* Comparing the CFI of a file with its code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "convert/location.h"

#include <string.h>

#include "analysis/code.h"
#include "analysis/insn.h"
#include "base/search.h"
#include "convert/code_evidence.h"
#include "elf/function_symbols.h"

/* The instructions around a finding, with what holds at each.  */

enum
{
  STEPS_BEFORE = 3, /* instructions in front of the wrong row */
  STEPS_WRONG = 4,  /* the first ones that it is wrong for, and the last one */
  STEPS_BEHIND = 2,
  STEPS_MAX = STEPS_BEFORE + STEPS_WRONG + 1 + STEPS_BEHIND
};

struct finding_steps
{
  struct cfi2sframe_step list[STEPS_MAX];
  size_t n;
  struct
  {
    struct code_row_words code, cfi;
    char text[INSN_TEXT_MAX];
  } words[STEPS_MAX]; /* what the list points to */
  /* An instruction of the function looked at last: the next finding is behind
     it, so that a function is gone over once for all of its findings.  */
  uint64_t resume;
};

/* The addresses to be shown, and where the walk over the function is.  */
struct choice
{
  const struct disproof *disproof;
  uint64_t list[STEPS_MAX];
  size_t n;
  size_t n_wrong, n_behind; /* seen */
};

static void
drop (struct choice *choice, size_t index)
{
  choice->n--;
  memmove (&choice->list[index], &choice->list[index + 1],
           (choice->n - index) * sizeof *choice->list);
}

/* Choose the instruction at ADDRESS, if it is to be shown, and drop what it
   takes the place of.  False behind the last one.  */
static bool
choose (struct choice *choice, uint64_t address)
{
  const struct disproof *disproof = choice->disproof;
  if (address < disproof->start && choice->n == STEPS_BEFORE)
    drop (choice, 0);
  else if (address >= disproof->end && choice->n_behind++ == STEPS_BEHIND)
    return false;
  else if (address >= disproof->start && address < disproof->end
           && choice->n_wrong++ > STEPS_WRONG)
    drop (choice, choice->n - 1);
  choice->list[choice->n++] = address;
  return true;
}

/* The size of the instruction at ADDRESS, of code that ends at END, or 0.  */
static unsigned
size_at (const struct insn_decoder *decoder, const struct image *image,
         uint64_t address, uint64_t end)
{
  struct insn insn;
  const uint8_t *bytes = image_bytes_at (image, address, end - address);
  return bytes && insn_decode (decoder, bytes, end - address, address, &insn)
             ? insn.size
             : 0;
}

/* Go over the instructions from AT to END, of a function.  Where the walk
   misses the wrong row, because of data among the code, the walk begins anew
   there.  */
static void
choose_all (struct choice *choice, uint64_t at, uint64_t end,
            const struct insn_decoder *decoder, const struct image *image)
{
  uint64_t start = choice->disproof->start;
  while (at < end)
    {
      unsigned size = size_at (decoder, image, at, end);
      if (at < start && (size == 0 || at + size > start))
        {
          choice->n = 0;
          at = start;
          continue;
        }
      if (size == 0 || !choose (choice, at))
        return;
      at += size;
    }
}

/* What the CFI says in FUNCTION of what DISPROOF is about, at ADDRESS.  */
static const char *
words_of_cfi (const struct frame_function *function,
              const struct disproof *disproof, const struct arch *arch,
              uint64_t address, struct code_row_words *words)
{
  uint64_t offset = address - function->address;
  size_t behind
      = SEARCH_FIRST (function->n_rows, i, function->rows[i].start > offset);
  if (behind == 0)
    return NULL;
  code_describe_row (&function->rows[behind - 1], arch, words);
  return disproof->kind == DISPROOF_CFA  ? words->cfa
         : disproof->kind == DISPROOF_RA ? words->ra
                                         : words->fp;
}

/* What the code has made of the frame at the address of STEP.  */
static void
add_state (struct cfi2sframe_step *step, const struct disproof *disproof,
           const struct row_map *map, const struct arch *arch,
           struct code_row_words *words)
{
  const struct row_range *range = row_map_find (map, step->address);
  if (!range || range->row == ROW_UNKNOWN)
    return;
  code_describe_row (&map->numbers.rows[range->row], arch, words);
  step->cfa = words->cfa;
  step->return_address = words->ra;
  step->frame_pointer = disproof->without_fp ? NULL : words->fp;
}

/* Fill in STEPS, which is zero at first, for DISPROOF, of FINDINGS about what
   REQUEST has.  Disproofs come in ascending order.  They are valid while STEPS
   is, and the image.  */
static void
finding_steps_find (struct finding_steps *steps,
                    const struct disproof *disproof,
                    const struct code_findings *findings,
                    const struct code_request *request,
                    const struct insn_decoder *decoder)
{
  const struct image *image = request->image;
  const struct frame_function *known = request->known;
  size_t number = SEARCH_FIRST (
      request->n_known, i, known[i].address + known[i].size > disproof->start);
  struct choice choice = { .disproof = disproof };
  steps->n = 0;
  if (number == request->n_known || known[number].address > disproof->start)
    return;
  const struct frame_function *function = &known[number];
  uint64_t end = function->address + function->size;
  bool is_same
      = steps->resume >= function->address && steps->resume <= disproof->start;
  choose_all (&choice, is_same ? steps->resume : function->address, end,
              decoder, image);
  steps->resume = choice.n > 0 ? choice.list[0] : disproof->start;
  for (size_t i = 0; i < choice.n; i++)
    {
      uint64_t at = choice.list[i];
      struct cfi2sframe_step *step = &steps->list[steps->n];
      *step = (struct cfi2sframe_step){
        .address = at,
        .instruction = image_bytes_at (image, at, end - at),
        .instruction_size = size_at (decoder, image, at, end),
        .says = words_of_cfi (function, disproof, image->arch, at,
                              &steps->words[i].cfi),
        .wrong = at >= disproof->start && at < disproof->end,
      };
      if (insn_show (decoder, step->instruction, end - at, at,
                     steps->words[i].text))
        step->instruction_text = steps->words[i].text;
      add_state (step, disproof, &findings->row_map, image->arch,
                 &steps->words[i].code);
      steps->n++;
    }
}

/* Findings.  */

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
  struct finding_steps steps = { .n = 0 };
  for (size_t i = 0; i < findings->disproofs.n; i++)
    {
      const struct disproof *from = &findings->disproofs.list[i];
      char says[DISPROOF_TEXT_MAX], does[DISPROOF_TEXT_MAX];
      code_describe (from, lint->image->arch, says, does);
      finding_steps_find (&steps, from, findings, request, words->decoder);
      struct cfi2sframe_finding finding = {
        .function = from->entry,
        .name = symbol_names_at (&words->names, from->entry),
        .address = from->start,
        .size = from->end - from->start,
        .bytes = from->bytes,
        .since = from->since,
        .frame_pointer = from->kind == DISPROOF_FP,
        .says = says,
        .does = does,
        .return_address = from->kind == DISPROOF_RA,
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
