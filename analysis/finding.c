/* Findings: disproofs as the library's users get them, with the instructions
   around each.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "analysis/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/insn.h"
#include "analysis/machine.h"
#include "arch/rule_text.h"
#include "base/search.h"
#include "elf/symbols.h"

enum
{
  INSN_SIZE_MAX = 16,
  STEPS_BEFORE = 3, /* instructions in front of the wrong row */
  STEPS_WRONG = 4,  /* its first instructions; the last one is added */
  STEPS_BEHIND = 2,
  STEPS_MAX = STEPS_BEFORE + STEPS_WRONG + 1 + STEPS_BEHIND
};

/* What the description of findings needs.  */
struct reporter
{
  const struct code_findings *findings;
  const struct code_request *request; /* whose rows are wrong */
  struct symbol_names names;
  struct insn_decoder *decoder;
  /* Address of an instruction of the last function.  The next finding is
     behind it, so that a function is decoded once for all of its findings.  */
  uint64_t resume;
};

/* The rules of a row as text; NULL for an unknown rule.  */
struct row_words
{
  const char *rules[ROW_RULES];
  char texts[ROW_RULES][RULE_TEXT]; /* storage of these texts */
};

/* The instructions around a finding, as text.  */
struct steps
{
  struct cfi2sframe_step list[STEPS_MAX];
  size_t n;
  struct
  {
    struct row_words code, cfi;
    char text[INSN_TEXT_MAX];
  } words[STEPS_MAX]; /* storage of the list's texts */
};

/* ---- The choice of instructions to be shown */

/* The chosen addresses, and the progress of the walk over the function.  */
struct choice
{
  const struct disproof *disproof;
  uint64_t list[STEPS_MAX];
  size_t n;
  size_t n_wrong, n_behind; /* passed so far */
};

/* Choose the instruction at ADDRESS, if it is to be shown, and drop the one
   that it replaces.  False behind the last one.  */
static bool
choose (struct choice *choice, uint64_t address)
{
  const struct disproof *disproof = choice->disproof;
  if (address < disproof->start && choice->n == STEPS_BEFORE)
    {
      choice->n--;
      memmove (choice->list, choice->list + 1,
               choice->n * sizeof *choice->list);
    }
  else if (address >= disproof->end && choice->n_behind++ == STEPS_BEHIND)
    return false;
  else if (address >= disproof->start && address < disproof->end
           && choice->n_wrong++ > STEPS_WRONG)
    choice->n--;
  choice->list[choice->n++] = address;
  return true;
}

/* Return the size of the instruction at ADDRESS, of code up to END, or 0.  */
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

/* Choose instructions from AT to END, of a function.  If decoding gets out of
   step with the wrong row, because of data among the code, begin again at that
   row.  */
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

/* ---- The description of an instruction */

static void
describe_row (const struct frame_row *row, const struct arch *arch,
              struct row_words *words)
{
  const unsigned own[ROW_RULES] = { arch->sp, arch->ra, arch->fp };
  for (unsigned i = 0; i < ROW_RULES; i++)
    {
      struct frame_rule rule = row_rule (row, (enum row_rule)i);
      bool known = rule.kind >= RULE_SAME && rule.kind <= RULE_DEREF_CFA;
      words->rules[i]
          = known ? rule_text (arch, rule, own[i], words->texts[i]) : NULL;
    }
  const char *ra = row->ra_signed ? words->rules[ROW_RA] : NULL;
  size_t used = ra ? strlen (ra) : 0;
  if (used > 0)
    snprintf (words->texts[ROW_RA] + used, RULE_TEXT - used, ", signed");
}

/* Return the text of the rule that the CFI of FUNCTION has at ADDRESS, of the
   kind that DISPROOF is about.  */
static const char *
words_of_cfi (const struct frame_function *function,
              const struct disproof *disproof, const struct arch *arch,
              uint64_t address, struct row_words *words)
{
  uint64_t offset = address - function->address;
  size_t behind
      = SEARCH_FIRST (function->n_rows, i, function->rows[i].start > offset);
  if (behind == 0)
    return NULL;
  describe_row (&function->rows[behind - 1], arch, words);
  return words->rules[disproof->kind];
}

/* Set the texts of the rules that the code shows at the address of STEP.  */
static void
add_state (struct cfi2sframe_step *step, const struct disproof *disproof,
           const struct row_map *map, const struct arch *arch,
           struct row_words *words)
{
  const struct row_range *range = row_map_find (map, step->address);
  if (!range || range->row == ROW_UNKNOWN)
    return;
  describe_row (&map->numbers.rows[range->row], arch, words);
  step->cfa = words->rules[ROW_CFA];
  step->return_address = words->rules[ROW_RA];
  step->frame_pointer = disproof->without_fp ? NULL : words->rules[ROW_FP];
}

/* Add the instruction at ADDRESS, in FUNCTION, with the rules there.  */
static void
add_step (const struct reporter *reporter, const struct disproof *disproof,
          const struct frame_function *function, uint64_t address,
          struct steps *steps)
{
  const struct image *image = reporter->request->image;
  uint64_t end = function->address + function->size;
  size_t i = steps->n++;
  struct cfi2sframe_step *step = &steps->list[i];
  *step = (struct cfi2sframe_step){
    .address = address,
    .instruction = image_bytes_at (image, address, end - address),
    .instruction_size = size_at (reporter->decoder, image, address, end),
    .says = words_of_cfi (function, disproof, image->arch, address,
                          &steps->words[i].cfi),
    .wrong = address >= disproof->start && address < disproof->end,
  };
  if (insn_show (reporter->decoder, step->instruction, end - address, address,
                 steps->words[i].text))
    step->instruction_text = steps->words[i].text;
  add_state (step, disproof, &reporter->findings->row_map, image->arch,
             &steps->words[i].code);
}

/* Collect the instructions around DISPROOF.  Disproofs come in order.  */
static void
find_steps (struct reporter *reporter, const struct disproof *disproof,
            struct steps *steps)
{
  const struct code_request *request = reporter->request;
  const struct frame_function *function = frame_functions_find (
      request->covered, request->n_covered, disproof->start);
  struct choice choice = { .disproof = disproof };
  steps->n = 0;
  if (!function)
    return;
  bool is_same = reporter->resume >= function->address
                 && reporter->resume <= disproof->start;
  choose_all (&choice, is_same ? reporter->resume : function->address,
              function->address + function->size, reporter->decoder,
              request->image);
  reporter->resume = choice.n > 0 ? choice.list[0] : disproof->start;
  for (size_t i = 0; i < choice.n; i++)
    add_step (reporter, disproof, function, choice.list[i], steps);
}

/* ---- The description of what is wrong */

enum
{
  DISPROOF_TEXT_MAX = 160
};

/* Return the name of REG.  All registers of these machines have one.  */
static const char *
register_name (const struct code_machine *machine, unsigned reg)
{
  const struct arch *arch = machine->arch;
  return reg < arch->n_register_names ? arch->register_names[reg] : "?";
}

static void
describe_cfa (const struct disproof *disproof,
              const struct code_machine *machine, char does[DISPROOF_TEXT_MAX])
{
  struct value value = disproof->value;
  const char *reg = register_name (machine, disproof->row.cfa.reg);
  int64_t offset = disproof->row.cfa.offset;
  if (value.kind == VALUE_CFA && disproof->row.cfa.kind == RULE_REG)
    snprintf (does, DISPROOF_TEXT_MAX, "%s%+" PRId64, reg,
              offset - (int64_t)value.number);
  else if (value.kind == VALUE_CFA)
    snprintf (does, DISPROOF_TEXT_MAX, "%" PRId64 " bytes away",
              -(int64_t)value.number);
  else if (value.kind == VALUE_BASE)
    snprintf (does, DISPROOF_TEXT_MAX, "%s %s%+" PRId64,
              disproof->base_is_below ? "more than" : "at least", reg,
              offset - (int64_t)value.number - disproof->base_limit);
  else
    snprintf (does, DISPROOF_TEXT_MAX, "elsewhere: %s is the caller's %s", reg,
              register_name (machine, (unsigned)value.number));
}

/* Describe a wrong rule of the RA or the FP, whose register is REG.  */
static void
describe_register (const struct disproof *disproof,
                   const struct code_machine *machine, unsigned reg,
                   char does[DISPROOF_TEXT_MAX])
{
  struct value value = disproof->value;
  char at[48] = "";
  if (disproof->saved_at.kind == VALUE_CFA)
    snprintf (at, sizeof at, "; the caller's is at CFA%+" PRId64,
              (int64_t)disproof->saved_at.number);
  else if (disproof->saved_at.kind == VALUE_BASE)
    snprintf (at, sizeof at, "; the caller's is in the stack");
  struct frame_rule rule = row_rule (&disproof->row, disproof->kind);
  if (rule.kind == RULE_DEREF_REG && value.kind == VALUE_COMPUTED)
    snprintf (does, DISPROOF_TEXT_MAX, "%s is the caller's again",
              register_name (machine, rule.reg));
  else if (rule.kind == RULE_DEREF_CFA && value.kind == VALUE_COMPUTED
           && disproof->saved_at.kind == VALUE_CFA)
    snprintf (does, DISPROOF_TEXT_MAX, "nothing was saved there%s", at);
  else if (rule.kind == RULE_DEREF_CFA && value.kind == VALUE_COMPUTED)
    snprintf (does, DISPROOF_TEXT_MAX,
              "nothing was saved there; %s is still the caller's",
              register_name (machine, reg));
  else if (value.kind == VALUE_SIGNED)
    snprintf (does, DISPROOF_TEXT_MAX, "the return address is there, signed");
  else if (value.kind == VALUE_SAVED && value.number == reg)
    snprintf (does, DISPROOF_TEXT_MAX, "it is there, not signed");
  else if (value.kind == VALUE_SAVED)
    snprintf (does, DISPROOF_TEXT_MAX, "the caller's %s is there%s",
              register_name (machine, (unsigned)value.number), at);
  else if (value.kind == VALUE_COMPUTED)
    snprintf (does, DISPROOF_TEXT_MAX, "%s was overwritten%s",
              register_name (machine, reg), at);
  else
    snprintf (does, DISPROOF_TEXT_MAX, "an address in the stack is there%s",
              at);
}

/* Describe what the row says, and what the code does.  */
static void
describe_disproof (const struct disproof *disproof,
                   const struct code_machine *machine,
                   char says[DISPROOF_TEXT_MAX], char does[DISPROOF_TEXT_MAX])
{
  const struct frame_row *row = &disproof->row;
  bool is_ra = disproof->kind == ROW_RA;
  unsigned reg = is_ra ? machine->arch->ra : machine->arch->fp;
  char text[RULE_TEXT];
  snprintf (
      says, DISPROOF_TEXT_MAX, "%s",
      rule_text (machine->arch, row_rule (row, disproof->kind), reg, text));
  if (disproof->kind == ROW_CFA)
    describe_cfa (disproof, machine, does);
  else
    describe_register (disproof, machine, reg, does);
}

/* Set the instruction at FINDING->since; TEXT has room for its text.  */
static void
show_instruction (const struct reporter *reporter,
                  struct cfi2sframe_finding *finding, char text[INSN_TEXT_MAX])
{
  const struct image *image = reporter->request->image;
  struct insn_step step;
  uint64_t size = INSN_SIZE_MAX, at = finding->since;
  const uint8_t *bytes = image_bytes_at (image, at, size);
  while (!bytes && --size > 0)
    bytes = image_bytes_at (image, at, size);
  if (!bytes || !insn_decode_step (reporter->decoder, bytes, size, at, &step))
    return;
  finding->instruction = bytes;
  finding->instruction_size = step.size;
  if (insn_show (reporter->decoder, bytes, size, at, text))
    finding->instruction_text = text;
}

static void
report (struct reporter *reporter, const struct disproof *disproof,
        void (*found) (void *context,
                       const struct cfi2sframe_finding *finding),
        void *context)
{
  char says[DISPROOF_TEXT_MAX], does[DISPROOF_TEXT_MAX], text[INSN_TEXT_MAX];
  struct steps steps;
  describe_disproof (
      disproof, code_machine_of (reporter->request->image->arch), says, does);
  find_steps (reporter, disproof, &steps);
  struct cfi2sframe_finding finding = {
    .function = disproof->entry,
    .name = symbol_names_at (&reporter->names, disproof->entry),
    .address = disproof->start,
    .size = disproof->end - disproof->start,
    .bytes = disproof->bytes,
    .since = disproof->since,
    .frame_pointer = disproof->kind == ROW_FP,
    .says = says,
    .does = does,
    .return_address = disproof->kind == ROW_RA,
    .steps = steps.list,
    .n_steps = steps.n,
  };
  show_instruction (reporter, &finding, text);
  found (context, &finding);
}

bool
code_report (const struct code_findings *findings,
             const struct code_request *request,
             void (*found) (void *context,
                            const struct cfi2sframe_finding *finding),
             void *context, struct error *err)
{
  struct reporter reporter = { .findings = findings, .request = request };
  /* Symbols are read only if there are findings.  */
  if (findings->disproofs.n == 0)
    return true;
  reporter.decoder = insn_decoder_new (request->image->arch);
  bool ok = (symbol_names_read (&reporter.names, request->image)
             && reporter.decoder != NULL)
            || error_set_no_memory (err);
  for (size_t i = 0; ok && i < findings->disproofs.n; i++)
    report (&reporter, &findings->disproofs.list[i], found, context);
  symbol_names_free (&reporter.names);
  insn_decoder_free (reporter.decoder);
  return ok;
}
