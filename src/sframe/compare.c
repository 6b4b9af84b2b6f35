/* Comparing two SFrame sections.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "sframe/compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/rule_text.h"
#include "sframe/compare_spans.h"

_Static_assert((int)COMPARE_DEFECTS <= CFI2SFRAME_DEFECTS_MAX,
               "defects do not fit the public result");

static const struct
{
  const char *name, *text;
} defects[COMPARE_DEFECTS] = {
  [COMPARE_NO_DEFECT] = { "none", "no known defect" },
  [COMPARE_PLT_GOT]
  = { "plt-got", "GNU ld: CFA of .plt.got entries is sp+16 instead of sp+8" },
  [COMPARE_STICKY_RA]
  = { "sticky-ra-undefined", "GNU as: RA stays undefined after restore" },
  [COMPARE_RA_IGNORED]
  = { "ra-ignored", "GNU as: RA in an unusual place is not noticed" },
  [COMPARE_WRONG_STATE]
  = { "wrong-state",
      "GNU as: restore_state after nested or late remember_state" },
  [COMPARE_STALE_OFFSET]
  = { "stale-cfa-offset",
      "GNU as: def_cfa_register ignores a def_cfa_offset before it" },
  [COMPARE_BAD_REGISTER]
  = { "bad-register", "GNU as: expression with an invalid register" },
  [COMPARE_NO_ROWS] = { "no-rows", "GNU as: function without any row" },
  [COMPARE_FP_AS_RA]
  = { "fp-as-ra", "GNU as 2.40: slot of FP stated as that of RA" },
  [COMPARE_CFA_AS_SP]
  = { "cfa-as-sp", "GNU as 2.40: CFA register taken for SP" },
  [COMPARE_SEGMENT_SIZE]
  = { "segment-size", "GNU ld: PT_GNU_SFRAME is larger than .sframe" },
  [COMPARE_RETURN_ADDRESS]
  = { "return-address", "GNU as: another row behind a call" },
  [COMPARE_STALE_FP]
  = { "stale-fp", "GCC: FP by FP where the frame may have ended" },
};

const char *
compare_defect_name (enum compare_defect defect)
{
  return defect < COMPARE_DEFECTS ? defects[defect].name : NULL;
}

const char *
compare_defect_text (enum compare_defect defect)
{
  return defect < COMPARE_DEFECTS ? defects[defect].text : NULL;
}

/* What the comparison found out about one function.  */
struct function_findings
{
  const struct span_function *function;
  bool covered, differs, uncovered;
  enum compare_defect left_out; /* that the other side does not have, having
                                   no row there; the first one, if any */
  uint64_t left_out_at;
  struct compare_difference first;
};

/* One of the two sections.  */
struct compared_side
{
  struct span_list spans;
  struct function_findings *findings; /* owned; as spans.functions */
};

struct span_comparison
{
  struct compared_side a, b;
  const struct arch *arch;
  const struct padding_finder *padding; /* or NULL */
  struct compare_result *result;
  compare_sink *sink;
  void *context;
};

/* --- Texts.  */

/* Appends to a fixed buffer; what does not fit is cut.  */
static void __attribute__ ((format (printf, 3, 4)))
add_text (char *text, size_t size, const char *format, ...)
{
  size_t length = strlen (text);
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (text + length, size - length, format, arguments);
  va_end (arguments);
}

static void
describe_pair (const struct arch *arch, const char *what, unsigned own,
               struct frame_rule a, struct frame_rule b, char *text,
               size_t size)
{
  char texts[2][RULE_TEXT];
  if (frame_rule_equal (a, b))
    return;
  add_text (text, size, "%s%s %s / %s", *text ? ", " : "", what,
            rule_text (arch, a, own, texts[0]),
            rule_text (arch, b, own, texts[1]));
}

static void
describe (const struct span_comparison *c, const struct span *a,
          const struct span *b, char *text, size_t size)
{
  const struct arch *arch = c->arch;
  *text = '\0';
  if (a->no_rows || b->no_rows)
    {
      add_text (text, size, "%s / %s", a->no_rows ? "no rows" : "rows",
                b->no_rows ? "no rows" : "rows");
      return;
    }
  describe_pair (arch, "CFA", arch->sp, a->row.cfa, b->row.cfa, text, size);
  describe_pair (arch, "RA", arch->ra, a->row.ra, b->row.ra, text, size);
  describe_pair (arch, "FP", arch->fp, a->row.fp, b->row.fp, text, size);
  if (a->row.ra_signed != b->row.ra_signed)
    add_text (text, size, "%sRA %s / %s", *text ? ", " : "",
              a->row.ra_signed ? "signed" : "plain",
              b->row.ra_signed ? "signed" : "plain");
  const struct span_function *f = &c->a.spans.functions[a->function];
  const struct span_function *g = &c->b.spans.functions[b->function];
  if (*text == '\0')
    add_text (text, size, "%s",
              f->signal != g->signal ? "signal flag" : "key of RA signing");
}

/* --- Recognising defects.  */

/* The span in front of SPAN in the same function, or NULL.  */
static const struct span *
previous_span (const struct span_list *list, const struct span *span)
{
  if (span == list->spans || span[-1].function != span->function
      || span[-1].end != span->begin)
    return NULL;
  return span - 1;
}

static bool
is_sp_plus (const struct arch *arch, const struct span *span, int32_t offset)
{
  return span->row.cfa.kind == RULE_REG && span->row.cfa.reg == arch->sp
         && span->row.cfa.offset == offset;
}

/* RA where it is by default.  */
static bool
has_usual_ra (const struct arch *arch, const struct frame_row *row)
{
  return row->ra.kind == RULE_DEREF_CFA
         && row->ra.offset == arch->fixed_ra_offset;
}

/* RA undefined or in a register since before PC, while OTHER has restored
   it.  */
static bool
is_sticky_ra (const struct arch *arch, const struct span_list *list,
              const struct span *span, const struct span *other, uint64_t pc)
{
  bool odd
      = span->row.ra.kind == RULE_UNDEFINED || span->row.ra.kind == RULE_REG;
  if (!odd || !has_usual_ra (arch, &other->row))
    return false;
  const struct span *before = previous_span (list, span);
  return span->begin < pc
         || (before && frame_rule_equal (before->row.ra, span->row.ra));
}

/* Whether a span of the same function before SPAN has its rules.  */
static bool
was_there_before (const struct span_list *list, const struct span *span)
{
  for (const struct span *s = span; (s = previous_span (list, s)) != NULL;)
    if (frame_row_same_rules (&s->row, &span->row))
      return true;
  return false;
}

/* At PC one side returns to an earlier state and so does the other, but to
   another one, or it stays as it was.  */
static bool
is_wrong_state (const struct span_comparison *c, const struct span_list *list,
                const struct span *span, const struct span *other, uint64_t pc)
{
  const struct span_list *others
      = list == &c->a.spans ? &c->b.spans : &c->a.spans;
  return other->begin == pc && was_there_before (others, other)
         && (span->begin < pc || was_there_before (list, span));
}

/* CFA from FP with the offset the CFA had from SP.  */
static bool
is_stale_offset (const struct arch *arch, const struct span_list *list,
                 const struct span *span, const struct span *other)
{
  const struct frame_rule cfa = span->row.cfa, right = other->row.cfa;
  const struct span *before = previous_span (list, span);
  return before && cfa.kind == RULE_REG && right.kind == RULE_REG
         && cfa.reg == arch->fp && right.reg == arch->fp
         && cfa.offset != right.offset && before->row.cfa.kind == RULE_REG
         && before->row.cfa.reg == arch->sp
         && before->row.cfa.offset == cfa.offset;
}

static bool
has_invalid (const struct frame_row *row)
{
  return row->cfa.kind == RULE_UNSUPPORTED || row->ra.kind == RULE_UNSUPPORTED
         || row->fp.kind == RULE_UNSUPPORTED;
}

/* Which mistake SPAN of SIDE shows at PC where OTHER says something else.  */
static enum compare_defect
find_defect (const struct span_comparison *c, const struct compared_side *side,
             const struct span *span, const struct span *other, uint64_t pc)
{
  const struct span_list *list = &side->spans;
  unsigned version = list->decoder->variant.version;
  const struct frame_row *row = &span->row, *right = &other->row;
  if (span->no_rows)
    return COMPARE_NO_ROWS;
  if (other->no_rows)
    return COMPARE_NO_DEFECT;
  if (has_invalid (row) && side->findings[span->function].covered)
    return COMPARE_BAD_REGISTER;
  if (c->arch->plt_got_defect && span->single_mask
      && is_sp_plus (c->arch, span, 16) && is_sp_plus (c->arch, other, 8))
    return COMPARE_PLT_GOT;
  if (!arch_tracks_ra (c->arch)
      && is_sticky_ra (c->arch, list, span, other, pc))
    return COMPARE_STICKY_RA;
  if (!arch_tracks_ra (c->arch) && has_usual_ra (c->arch, row)
      && frame_rule_equal (row->cfa, right->cfa)
      && (right->ra.kind == RULE_REG || right->ra.kind == RULE_DEREF_REG
          || right->ra.kind == RULE_DEREF_CFA)
      && !frame_rule_equal (row->ra, right->ra))
    return COMPARE_RA_IGNORED;
  if (is_stale_offset (c->arch, list, span, other))
    return COMPARE_STALE_OFFSET;
  if (version == 1 && c->arch->ra_signing && row->ra.kind == RULE_DEREF_CFA
      && row->fp.kind == RULE_SAME && frame_rule_equal (row->ra, right->fp))
    return COMPARE_FP_AS_RA;
  if (version == 1 && row->cfa.kind == RULE_REG && row->cfa.reg == c->arch->sp
      && right->cfa.kind == RULE_REG && right->cfa.reg != c->arch->sp
      && right->cfa.reg != c->arch->fp)
    return COMPARE_CFA_AS_SP;
  if (is_wrong_state (c, list, span, other, pc))
    return COMPARE_WRONG_STATE;
  return COMPARE_NO_DEFECT;
}

/* --- Sweeping over both sides.  */

/* Versions before V3 have no signal flag to compare.  */
static bool
same_flags (const struct span_comparison *c, const struct span *a,
            const struct span *b)
{
  const struct span_function *f = &c->a.spans.functions[a->function];
  const struct span_function *g = &c->b.spans.functions[b->function];
  bool flags = c->a.spans.decoder->variant.version >= 3
               && c->b.spans.decoder->variant.version >= 3;
  return f->b_key == g->b_key && (!flags || f->signal == g->signal);
}

static bool
same_rules_and_flags (const struct span_comparison *c, const struct span *a,
                      const struct span *b)
{
  if (a->no_rows || b->no_rows)
    return a->no_rows && b->no_rows;
  return frame_row_same_rules (&a->row, &b->row) && same_flags (c, a, b);
}

static void
note_uncovered (struct function_findings *findings, uint64_t pc)
{
  if (!findings->uncovered && !findings->differs)
    {
      findings->first.pc = pc;
      snprintf (findings->first.text, sizeof findings->first.text,
                "part of it is not described on the other side");
    }
  findings->uncovered = true;
}

static void
note_different (struct span_comparison *c, const struct span *a,
                const struct span *b, uint64_t pc)
{
  struct function_findings *f = &c->a.findings[a->function];
  c->b.findings[b->function].differs = true;
  if (f->differs)
    return;
  f->differs = true;
  f->first.pc = pc;
  describe (c, a, b, f->first.text, sizeof f->first.text);
  f->first.defective = 'A';
  f->first.defect = find_defect (c, &c->a, a, b, pc);
  if (f->first.defect != COMPARE_NO_DEFECT)
    return;
  f->first.defect = find_defect (c, &c->b, b, a, pc);
  f->first.defective = f->first.defect ? 'B' : '\0';
}

/* Whether [PC, END), where SPAN has rules and the other side none, was left
   out as a return address: it is the smallest instruction, and the other side
   goes on behind it, with NEXT.  */
static bool
is_return_address (const struct span_comparison *c, const struct span *span,
                   const struct span *next, uint64_t pc, uint64_t end)
{
  return pc == span->begin && end - pc == c->arch->smallest_instruction
         && next != NULL && next->begin == end;
}

/* Why the other side has no row there, if that is known.  */
static enum compare_defect
find_left_out (const struct span_comparison *c, const struct span *span,
               const struct span *next, uint64_t pc, uint64_t end)
{
  if (is_return_address (c, span, next, pc, end))
    return COMPARE_RETURN_ADDRESS;
  return !span->no_rows && frame_row_fp_may_be_stale (&span->row, c->arch->fp)
             ? COMPARE_STALE_FP
             : COMPARE_NO_DEFECT;
}

static void
note_one_sided (const struct span_comparison *c, struct function_findings *all,
                const struct span *span, const struct span *next, uint64_t pc,
                uint64_t end)
{
  struct function_findings *findings = &all[span->function];
  enum compare_defect left_out = find_left_out (c, span, next, pc, end);
  if (left_out == COMPARE_NO_DEFECT)
    note_uncovered (findings, pc);
  else if (findings->left_out == COMPARE_NO_DEFECT)
    {
      findings->left_out = left_out;
      findings->left_out_at = pc;
    }
}

/* [PC, END) has the spans A and B, which may begin behind it or be NULL.  */
static void
compare_range (struct span_comparison *c, const struct span *a,
               const struct span *b, uint64_t pc, uint64_t end)
{
  bool in_a = a && a->begin <= pc, in_b = b && b->begin <= pc;
  if (in_a && in_b)
    {
      c->a.findings[a->function].covered = true;
      c->b.findings[b->function].covered = true;
      bool equal = same_rules_and_flags (c, a, b);
      *(equal ? &c->result->bytes_equal : &c->result->bytes_different)
          += end - pc;
      if (!equal)
        note_different (c, a, b, pc);
    }
  else if (c->padding != NULL
           && padding_finder_is_padding (c->padding, pc, end - pc))
    return;
  else if (in_a)
    {
      c->result->bytes_only_a += end - pc;
      note_one_sided (c, c->a.findings, a, b, pc, end);
    }
  else if (in_b)
    {
      c->result->bytes_only_b += end - pc;
      note_one_sided (c, c->b.findings, b, a, pc, end);
    }
}

static uint64_t
nearer (uint64_t bound, const struct span *span, uint64_t pc)
{
  if (span == NULL)
    return bound;
  uint64_t edge = span->begin > pc ? span->begin : span->end;
  return edge < bound ? edge : bound;
}

/* Behind the last span.  A list without spans has no array to count in.  */
static const struct span *
end_of (const struct span_list *list)
{
  return list->n_spans > 0 ? list->spans + list->n_spans : list->spans;
}

static void
sweep (struct span_comparison *c)
{
  const struct span *a = c->a.spans.spans, *a_end = end_of (&c->a.spans);
  const struct span *b = c->b.spans.spans, *b_end = end_of (&c->b.spans);
  uint64_t pc = 0;
  while (a < a_end || b < b_end)
    {
      const struct span *x = a < a_end ? a : NULL;
      const struct span *y = b < b_end ? b : NULL;
      uint64_t end = nearer (nearer (UINT64_MAX, x, pc), y, pc);
      compare_range (c, x, y, pc, end);
      pc = end;
      if (x && x->end <= pc)
        a++;
      if (y && y->end <= pc)
        b++;
    }
}

/* --- Reporting.  */

static void
report_function (struct span_comparison *c, struct function_findings *findings,
                 enum cfi2sframe_difference_kind kind)
{
  findings->first.kind = kind;
  findings->first.function = findings->function->address;
  findings->first.size = findings->function->size;
  if (kind != CFI2SFRAME_DIFFERENT)
    snprintf (findings->first.text, sizeof findings->first.text,
              "described in %c only", kind == CFI2SFRAME_ONLY_A ? 'A' : 'B');
  if (c->sink)
    c->sink (c->context, &findings->first);
}

/* Whether nothing is wrong but rows in SIDE's function that the other side
   leaves out for a known reason.  */
static void
report_left_out (struct span_comparison *c, struct function_findings *findings,
                 char side)
{
  bool return_address = findings->left_out == COMPARE_RETURN_ADDRESS;
  findings->first.pc = findings->left_out_at;
  findings->first.defect = findings->left_out;
  findings->first.defective = side;
  snprintf (findings->first.text, sizeof findings->first.text,
            "%s left out on the other side",
            return_address ? "return address" : "FP found by FP is");
  c->result->defects[findings->left_out]++;
  report_function (c, findings, CFI2SFRAME_DIFFERENT);
}

static void
report_function_of_a (struct span_comparison *c,
                      struct function_findings *findings)
{
  struct compare_result *result = c->result;
  if (findings->function->size == 0)
    return;
  result->functions_a++;
  if (!findings->differs && !findings->uncovered)
    {
      if (findings->left_out != COMPARE_NO_DEFECT)
        report_left_out (c, findings, 'A');
      else
        result->equal++;
      return;
    }
  if (!findings->covered)
    {
      result->only_a++;
      report_function (c, findings, CFI2SFRAME_ONLY_A);
      return;
    }
  if (findings->first.defect)
    result->defects[findings->first.defect]++;
  else
    result->different++;
  report_function (c, findings, CFI2SFRAME_DIFFERENT);
}

/* What differs has been reported for A's function already.  */
static void
report_function_of_b (struct span_comparison *c,
                      struct function_findings *findings)
{
  if (findings->function->size == 0)
    return;
  c->result->functions_b++;
  if (findings->differs)
    return;
  if (!findings->uncovered && findings->left_out != COMPARE_NO_DEFECT)
    report_left_out (c, findings, 'B');
  if (!findings->uncovered)
    return;
  *(findings->covered ? &c->result->different : &c->result->only_b) += 1;
  report_function (c, findings,
                   findings->covered ? CFI2SFRAME_DIFFERENT
                                     : CFI2SFRAME_ONLY_B);
}

static int
compare_function_starts (const void *a, const void *b)
{
  const struct function_findings *x = a, *y = b;
  uint64_t left = x->function->address, right = y->function->address;
  return (left > right) - (left < right);
}

static void
report_functions (struct span_comparison *c)
{
  struct compared_side *sides[2] = { &c->a, &c->b };
  for (int number = 0; number < 2; number++)
    {
      struct compared_side *side = sides[number];
      size_t n = side->spans.n_functions;
      qsort (side->findings, n, sizeof *side->findings,
             compare_function_starts);
      for (size_t i = 0; i < n; i++)
        (number ? report_function_of_b
                : report_function_of_a) (c, &side->findings[i]);
    }
  c->result->merged_rows_a = c->a.spans.merged_rows;
  c->result->merged_rows_b = c->b.spans.merged_rows;
  c->result->rows_at_end_a = c->a.spans.rows_at_end;
  c->result->rows_at_end_b = c->b.spans.rows_at_end;
}

/* Read the section behind DECODER.  SIDE is freed also after failure.  */
static bool
read_side (struct compared_side *side, const struct sframe_decoder *decoder,
           struct error *err)
{
  if (!span_list_read (&side->spans, decoder, err))
    return false;
  size_t n = side->spans.n_functions;
  side->findings = calloc (n + 1, sizeof *side->findings);
  if (side->findings == NULL)
    return error_set_no_memory (err);
  for (size_t i = 0; i < n; i++)
    side->findings[i].function = &side->spans.functions[i];
  return true;
}

static void
free_side (struct compared_side *side)
{
  span_list_free (&side->spans);
  free (side->findings);
}

bool
sframe_compare (const struct sframe_decoder *a, const struct sframe_decoder *b,
                const struct padding_finder *padding, compare_sink *sink,
                void *context, struct compare_result *result,
                struct error *err)
{
  struct span_comparison comparison = { .arch = a->arch,
                                        .padding = padding,
                                        .result = result,
                                        .sink = sink,
                                        .context = context };
  *result = (struct compare_result){ .equal = 0 };
  if (a->arch != b->arch)
    return error_set (err, CFI2SFRAME_INVALID,
                      "sections of different machines");
  bool read
      = read_side (&comparison.a, a, err) && read_side (&comparison.b, b, err);
  if (read)
    {
      sweep (&comparison);
      report_functions (&comparison);
    }
  free_side (&comparison.a);
  free_side (&comparison.b);
  return read;
}

bool
compare_result_equal (const struct compare_result *result)
{
  uint64_t sum = result->different + result->only_a + result->only_b;
  for (size_t i = 0; i < COMPARE_DEFECTS; i++)
    sum += result->defects[i];
  return sum == 0;
}
