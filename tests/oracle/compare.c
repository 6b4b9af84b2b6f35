/* Holding an SFrame section against the referee, over every PC.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Three things change along the code: the state of the referee, the state of
   the tracer, and whether the RA is signed.  Between two changes of any of
   them every PC is alike, so one comparison there stands for all.  Where a
   rule depends on the PC itself, every byte is compared.  */

#include <stdlib.h>

#include "compare.h"

#include "gaps.h"
#include "signing.h"
#include "tracer.h"

struct compare
{
  const struct referee *referee;
  const struct stubs *stubs;
  struct tracer tracer;
  const struct compare_options *options;
  struct comparison *result;
  struct signing signing;
  unsigned reported;
};

/* Find what ANSWER could be on MACHINE: values are hashes, which mean nothing
   to people.  */
static void
describe (const struct machine *machine, struct answer answer,
          struct answer cfa, char *text, size_t size)
{
  enum
  {
    REGISTERS = 40,
    REACH = 4096
  };
  if (answer.kind != ANSWER_VALUE)
    {
      snprintf (text, size, "%s",
                answer.kind == ANSWER_UNDEFINED ? "undefined" : "meaningless");
      return;
    }
  for (uint64_t reg = 0; reg < REGISTERS; reg++)
    {
      uint64_t base = machine_register (machine, reg);
      int64_t offset = (int64_t)(answer.value - base);
      if (offset >= -REACH * REACH && offset <= REACH * REACH)
        {
          snprintf (text, size, "r%lu%+ld", reg, offset);
          return;
        }
      for (offset = -REACH; offset <= REACH; offset++)
        if (machine_memory (machine, base + (uint64_t)offset) == answer.value)
          {
            snprintf (text, size, "*(r%lu%+ld)", reg, offset);
            return;
          }
    }
  for (int64_t offset = -REACH; offset <= REACH; offset++)
    if (machine_memory (machine, cfa.value + (uint64_t)offset) == answer.value)
      {
        snprintf (text, size, "*(cfa%+ld)", offset);
        return;
      }
  snprintf (text, size, "%#lx", answer.value);
}

static bool
same_answers (const struct answer *a, const struct answer *b)
{
  for (size_t i = 0; i < MACHINE_SEEDS; i++)
    if (a[i].kind != b[i].kind
        || (a[i].kind == ANSWER_VALUE && a[i].value != b[i].value))
      return false;
  return true;
}

/* What differs between the CFI's and SFrame's VERDICTS, or NULL.  */
static const char *
difference (const struct verdict *cfi, const struct verdict *sframe)
{
  if (cfi->signal != sframe->signal)
    return "signal flag";
  /* Behind an outermost frame there is nothing that could differ.  */
  bool outermost = cfi->ra[0].kind == ANSWER_UNDEFINED
                   && sframe->ra[0].kind == ANSWER_UNDEFINED;
  if (outermost)
    return NULL;
  if (cfi->cfa[0].kind == ANSWER_UNDEFINED)
    return "CFA";
  if (!same_answers (cfi->cfa, sframe->cfa))
    return "CFA";
  if (!same_answers (cfi->ra, sframe->ra))
    return "RA";
  if (!same_answers (cfi->fp, sframe->fp))
    return "FP";
  if (!same_answers (cfi->sp, sframe->sp))
    return "SP";
  if (cfi->ra_signed != sframe->ra_signed)
    return "RA signing";
  if (cfi->ra_signed && cfi->b_key != sframe->b_key)
    return "RA signing key";
  return NULL;
}

static void
print_verdicts (const struct compare *compare, uint64_t pc,
                const struct verdict *cfi, const struct verdict *sframe)
{
  FILE *out = compare->options->out;
  struct machine machine = { 0, pc, compare->referee->abi->pc_register };
  const struct
  {
    const char *name;
    struct answer cfi, sframe;
  } rows[] = { { "CFA", cfi->cfa[0], sframe->cfa[0] },
               { "RA", cfi->ra[0], sframe->ra[0] },
               { "FP", cfi->fp[0], sframe->fp[0] },
               { "SP", cfi->sp[0], sframe->sp[0] } };
  char a[40], b[40];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    {
      describe (&machine, rows[i].cfi, cfi->cfa[0], a, sizeof a);
      describe (&machine, rows[i].sframe, sframe->cfa[0], b, sizeof b);
      fprintf (out, "; %s %s / %s", rows[i].name, a, b);
    }
  fprintf (out, "; signed %d / %d, signal %d / %d", cfi->ra_signed,
           sframe->ra_signed, cfi->signal, sframe->signal);
}

/* Count [START, END) as wrong.  With verdicts, the CFI's is printed left of
   the slash.  */
static void
report (struct compare *compare, uint64_t start, uint64_t end,
        const char *what, const struct verdict *cfi,
        const struct verdict *sframe)
{
  struct comparison *result = compare->result;
  if (result->bytes_wrong == 0)
    result->first_wrong = start;
  result->bytes_wrong += end - start;
  FILE *out = compare->options->out;
  if (!out || compare->reported >= compare->options->reports)
    return;
  compare->reported++;
  fprintf (out, "  wrong %#lx..%#lx: %s", start, end, what);
  if (cfi && sframe)
    print_verdicts (compare, start, cfi, sframe);
  fprintf (out, "\n");
}

/* What SFrame says at PC differently from CFI, or NULL.  On return *SFRAME is
   what it says.  */
static const char *
sframe_difference (const struct compare *compare,
                   const struct tracer_state *state, uint64_t pc,
                   const struct verdict *cfi, struct verdict *sframe)
{
  tracer_verdict (compare->referee->abi, state->rule, pc, sframe);
  return difference (cfi, sframe);
}

/* The bytes [PC, END) are alike on both sides.  */
static void
compare_range (struct compare *compare, const struct referee_fde *fde,
               const struct referee_state *referee,
               const struct tracer_state *tracer, uint64_t pc, uint64_t end,
               enum signing_state signing)
{
  struct comparison *result = compare->result;
  struct verdict cfi = { 0 }, sframe = { 0 };
  result->rows++;
  if (!tracer->rule
      && gap_is_return_address (compare->referee->elf, pc, end - pc))
    {
      result->bytes_return_address += end - pc;
      return;
    }
  if (!tracer->rule)
    {
      result->bytes_absent += end - pc;
      if (compare->options->list_absent && compare->options->out)
        fprintf (compare->options->out, "  absent %#lx..%#lx\n", pc, end);
      return;
    }
  if (!referee_verdict (compare->referee, referee, pc, &cfi)
      || compare->signing.failed)
    {
      result->bytes_silent += end - pc;
      return;
    }
  cfi.b_key = compare->referee->cies[fde->cie].b_key;
  cfi.ra_signed = signing == SIGNING_YES;
  const char *what = sframe_difference (compare, tracer, pc, &cfi, &sframe);
  if (!what && signing == SIGNING_OTHER && cfi.ra[0].kind != ANSWER_UNDEFINED)
    what = "RA signed with the PC";
  if (!what)
    result->bytes_covered += end - pc;
  else if (fde->overlaps)
    result->bytes_ambiguous += end - pc;
  else
    report (compare, pc, end, what, &cfi, &sframe);
}

static uint64_t
min_u64 (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Compare [PC, STATE->end) of FDE, where the referee does not change.  */
static void
compare_state (struct compare *compare, const struct referee_fde *fde,
               const struct referee_state *state, uint64_t pc)
{
  while (pc < state->end)
    {
      struct tracer_state tracer;
      tracer_state_at (&compare->tracer, pc, &tracer);
      uint64_t end = min_u64 (state->end, tracer.end);
      enum signing_state signing = signing_at (&compare->signing, pc, &end);
      if (end <= pc || (state->per_byte && tracer.rule))
        end = pc + 1;
      compare_range (compare, fde, state, &tracer, pc, end, signing);
      pc = end;
    }
}

static void
count_function (struct comparison *result, uint64_t absent, uint64_t silent,
                uint64_t size)
{
  result->functions++;
  result->bytes += size;
  if (silent == size)
    result->functions_silent++;
  else if (absent == size)
    result->functions_none++;
  else if (absent > 0)
    result->functions_partial++;
  else
    result->functions_full++;
}

static void
compare_function (struct compare *compare, const struct referee_fde *fde)
{
  struct comparison *result = compare->result;
  uint64_t absent_before = result->bytes_absent, silent = 0;
  signing_scan (&compare->signing, compare->referee, fde);
  for (uint64_t pc = fde->start; pc < fde->end;)
    {
      struct referee_state state;
      referee_state_at (compare->referee, fde, pc, &state);
      if (!state.frame)
        silent += state.end - pc;
      compare_state (compare, fde, &state, pc);
      pc = state.end;
      referee_state_free (&state);
    }
  count_function (result, result->bytes_absent - absent_before, silent,
                  fde->end - fde->start);
}

/* PC has SFrame data but no CFI: only PLT stubs may.  */
static void
compare_stub (struct compare *compare, const struct tracer_state *tracer,
              uint64_t pc)
{
  struct comparison *result = compare->result;
  struct verdict stub, sframe = { 0 };
  int cfa = stubs_cfa_at (compare->stubs, pc);
  if (cfa == STUB_UNREACHABLE)
    {
      result->bytes_padding++;
      return;
    }
  if (!stubs_verdict (compare->referee->abi, cfa, pc, &stub))
    {
      report (compare, pc, pc + 1, "no CFI here", NULL, NULL);
      return;
    }
  const char *what = sframe_difference (compare, tracer, pc, &stub, &sframe);
  if (what)
    report (compare, pc, pc + 1, what, &stub, &sframe);
  else
    result->bytes_stub++;
}

/* Whether [START, END) is alignment behind an FDE.  */
static bool
is_filled_gap (const struct compare *compare, uint64_t start, uint64_t end)
{
  const struct referee *referee = compare->referee;
  size_t low = 0, high = referee->n_fdes;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;
      if (referee->fdes[middle].start < end)
        low = middle + 1;
      else
        high = middle;
    }
  uint64_t next
      = low < referee->n_fdes ? referee->fdes[low].start : UINT64_MAX;
  return low > 0 && referee->fdes[low - 1].end == start
         && gap_is_filler (referee->elf, start, end, next);
}

/* SFrame data of [PC, END), which no FDE covers.  */
static void
compare_extra (struct compare *compare, uint64_t pc, uint64_t end)
{
  if (is_filled_gap (compare, pc, end))
    {
      compare->result->bytes_padding += end - pc;
      return;
    }
  while (pc < end)
    {
      struct tracer_state tracer;
      tracer_state_at (&compare->tracer, pc, &tracer);
      uint64_t stop = tracer.end > pc ? min_u64 (tracer.end, end) : pc + 1;
      if (!tracer.rule)
        pc = stop;
      else if (stubs_cfa_at (compare->stubs, pc) != STUB_UNKNOWN)
        compare_stub (compare, &tracer, pc++);
      else
        {
          /* Not byte by byte: a damaged size may be 4 GiB.  */
          for (size_t i = 0; i < compare->stubs->n_sections; i++)
            if (compare->stubs->sections[i].start > pc)
              stop = min_u64 (stop, compare->stubs->sections[i].start);
          report (compare, pc, stop, "no CFI here", NULL, NULL);
          pc = stop;
        }
    }
}

/* Walk the gaps between the FDEs that rows reach into.  */
static void
compare_extras (struct compare *compare)
{
  const struct referee *referee = compare->referee;
  const struct tracer *tracer = &compare->tracer;
  size_t fde = 0;
  for (size_t i = 0; i < tracer->n_spans; i++)
    {
      uint64_t pc = tracer->spans[i].start, end = tracer->spans[i].end;
      while (fde < referee->n_fdes && referee->fdes[fde].end <= pc)
        fde++;
      for (size_t j = fde; pc < end; j++)
        {
          uint64_t gap_end = j < referee->n_fdes
                                 ? min_u64 (referee->fdes[j].start, end)
                                 : end;
          if (gap_end > pc)
            compare_extra (compare, pc, gap_end);
          if (j >= referee->n_fdes || referee->fdes[j].start >= end)
            break;
          pc = referee->fdes[j].end;
        }
    }
}

bool
compare_run (const struct referee *referee, const struct stubs *stubs,
             const struct oracle_section *section,
             const struct compare_options *options, struct comparison *result)
{
  struct compare compare = {
    .referee = referee, .stubs = stubs, .options = options, .result = result
  };
  *result = (struct comparison){ 0 };
  if (!tracer_open (&compare.tracer, section))
    return false;
  for (size_t i = 0; i < referee->n_fdes; i++)
    compare_function (&compare, &referee->fdes[i]);
  compare_extras (&compare);
  result->sframe_functions = compare.tracer.n_functions;
  result->sframe_rows = compare.tracer.n_rows;
  result->faults = compare.tracer.fault[0] != '\0';
  snprintf (result->fault, sizeof result->fault, "%s", compare.tracer.fault);
  signing_free (&compare.signing);
  tracer_close (&compare.tracer);
  return true;
}
