/* Comparing the rules of two SFrame sections.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The sweep passes each stretch of code to compare_stretch, which notes its
   findings with the stretch's function.  Afterwards each function is reported
   once, with its first difference.  */

#include "sframe/compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/rule_text.h"
#include "base/array.h"
#include "base/search.h"
#include "sframe/row_words.h"
#include "sframe/sweep.h"

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

/* The findings about one function.  */
struct function_findings
{
  bool covered;     /* in part at least, both sides have rules */
  bool differs;     /* the rules differ somewhere */
  bool uncovered;   /* in part at least, the other side has no rules */
  uint8_t left_out; /* enum compare_defect: why the other side leaves a row
                       out, at LEFT_OUT_AT, if that is known */
  uint64_t pc;      /* with UNCOVERED: the first address */
  uint64_t left_out_at;
  size_t difference; /* with DIFFERS, in a function of A: its index */
};

/* The first difference in a function that both sides describe.  */
struct first_difference
{
  enum compare_defect defect;
  char defective; /* the section with the defect: 'A', 'B', or '\0' */
  uint64_t pc;
  char text[200];
};

/* One of the two sections.  */
struct compared_side
{
  struct sweep_section section;
  struct function_findings *findings; /* owned; by the index of functions */
};

struct comparison
{
  struct compared_side a, b;
  const struct arch *arch;
  const struct padding_finder *padding; /* or NULL */
  struct cfi2sframe_compare_result *result;
  compare_sink *sink;
  void *context;
  struct first_difference *differences; /* owned */
  size_t n_differences, capacity;
};

/* ---- Texts */

/* Append to TEXT, a buffer of SIZE bytes.  Text that does not fit is cut.  */
static void __attribute__ ((format (printf, 3, 4)))
add_text (char *text, size_t size, const char *format, ...)
{
  size_t length = strlen (text);
  va_list arguments;
  va_start (arguments, format);
  vsnprintf (text + length, size - length, format, arguments);
  va_end (arguments);
}

/* Append the rules A and B for WHAT, whose register is OWN, if they differ. */
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

static bool
has_no_rows (const struct sweep_view *view)
{
  return view->function != NULL && view->function->n_rows == 0;
}

static void
describe (const struct comparison *c, const struct sweep_view *a,
          const struct sweep_view *b, char *text, size_t size)
{
  const struct arch *arch = c->arch;
  *text = '\0';
  if (has_no_rows (a) || has_no_rows (b))
    {
      add_text (text, size, "%s / %s", has_no_rows (a) ? "no rows" : "rows",
                has_no_rows (b) ? "no rows" : "rows");
      return;
    }
  describe_pair (arch, "CFA", arch->sp, a->rules.cfa, b->rules.cfa, text,
                 size);
  describe_pair (arch, "RA", arch->ra, a->rules.ra, b->rules.ra, text, size);
  describe_pair (arch, "FP", arch->fp, a->rules.fp, b->rules.fp, text, size);
  if (a->rules.ra_signed != b->rules.ra_signed)
    add_text (text, size, "%sRA %s / %s", *text ? ", " : "",
              a->rules.ra_signed ? "signed" : "plain",
              b->rules.ra_signed ? "signed" : "plain");
  if (*text == '\0')
    add_text (text, size, "%s",
              a->function->signal != b->function->signal
                  ? "signal flag"
                  : "key of RA signing");
}

/* ---- Recognising defects */

static bool
is_sp_plus (const struct arch *arch, const struct sweep_view *view,
            int32_t offset)
{
  return view->rules.cfa.kind == RULE_REG && view->rules.cfa.reg == arch->sp
         && view->rules.cfa.offset == offset;
}

/* Whether RA is undefined or in a register in VIEW, but restored in OTHER.  */
static bool
is_sticky_ra (const struct arch *arch, const struct sweep_view *view,
              const struct sweep_view *other, uint64_t pc)
{
  const struct frame_rule ra = view->rules.ra;
  bool odd = ra.kind == RULE_UNDEFINED || ra.kind == RULE_REG;
  if (!odd || !frame_rule_equal (other->rules.ra, row_words_default_ra (arch)))
    return false;
  return view->begin < pc
         || (view->previous != NULL
             && frame_rule_equal (view->previous->ra, ra));
}

/* Whether VIEW's CFA is FP plus the offset that it had from SP before.  */
static bool
is_stale_offset (const struct arch *arch, const struct sweep_view *view,
                 const struct sweep_view *other)
{
  const struct frame_rule cfa = view->rules.cfa, right = other->rules.cfa;
  const struct frame_row *before = view->previous;
  return before != NULL && cfa.kind == RULE_REG && right.kind == RULE_REG
         && cfa.reg == arch->fp && right.reg == arch->fp
         && cfa.offset != right.offset && before->cfa.kind == RULE_REG
         && before->cfa.reg == arch->sp && before->cfa.offset == cfa.offset;
}

/* The known mistake of VIEW at PC, where OTHER has different rules.  */
static enum compare_defect
find_defect (const struct arch *arch, const struct compared_side *side,
             const struct compared_side *other_side,
             const struct sweep_view *view, const struct sweep_view *other,
             uint64_t pc)
{
  unsigned version = side->section.decoder->variant.version;
  const struct frame_row *row = &view->rules, *right = &other->rules;
  if (has_no_rows (view))
    return COMPARE_NO_ROWS;
  if (has_no_rows (other))
    return COMPARE_NO_DEFECT;
  if ((row->cfa.kind == RULE_UNSUPPORTED || row->ra.kind == RULE_UNSUPPORTED
       || row->fp.kind == RULE_UNSUPPORTED)
      && side->findings[view->index].covered)
    return COMPARE_BAD_REGISTER;
  if (arch->plt_got_defect && view->function->repeat != 0
      && view->function->n_rows == 1 && is_sp_plus (arch, view, 16)
      && is_sp_plus (arch, other, 8))
    return COMPARE_PLT_GOT;
  if (!arch_tracks_ra (arch) && is_sticky_ra (arch, view, other, pc))
    return COMPARE_STICKY_RA;
  if (!arch_tracks_ra (arch)
      && frame_rule_equal (row->ra, row_words_default_ra (arch))
      && frame_rule_equal (row->cfa, right->cfa)
      && (right->ra.kind == RULE_REG || right->ra.kind == RULE_DEREF_REG
          || right->ra.kind == RULE_DEREF_CFA)
      && !frame_rule_equal (row->ra, right->ra))
    return COMPARE_RA_IGNORED;
  if (is_stale_offset (arch, view, other))
    return COMPARE_STALE_OFFSET;
  if (version == 1 && arch->ra_signing && row->ra.kind == RULE_DEREF_CFA
      && row->fp.kind == RULE_SAME && frame_rule_equal (row->ra, right->fp))
    return COMPARE_FP_AS_RA;
  if (version == 1 && row->cfa.kind == RULE_REG && row->cfa.reg == arch->sp
      && right->cfa.kind == RULE_REG && right->cfa.reg != arch->sp
      && right->cfa.reg != arch->fp)
    return COMPARE_CFA_AS_SP;
  /* OTHER returns to earlier rules at PC.  VIEW returns to earlier rules, too,
     but to different ones, or does not change.  */
  return other->begin == pc && sweep_section_had_rules (&other_side->section)
                 && (view->begin < pc
                     || sweep_section_had_rules (&side->section))
             ? COMPARE_WRONG_STATE
             : COMPARE_NO_DEFECT;
}

/* ---- Sweeping over both sides */

static bool
same_rules_and_flags (const struct comparison *c, const struct sweep_view *a,
                      const struct sweep_view *b)
{
  if (has_no_rows (a) || has_no_rows (b))
    return has_no_rows (a) && has_no_rows (b);
  /* Versions before V3 have no signal flag to compare.  */
  bool signals = c->a.section.decoder->variant.version >= 3
                 && c->b.section.decoder->variant.version >= 3;
  return frame_row_same_rules (&a->rules, &b->rules)
         && a->function->b_key == b->function->b_key
         && (!signals || a->function->signal == b->function->signal);
}

/* Note that A and B differ at PC.  False when memory ran out.  */
static bool
note_different (struct comparison *c, const struct sweep_view *a,
                const struct sweep_view *b, uint64_t pc)
{
  struct function_findings *f = &c->a.findings[a->index];
  c->b.findings[b->index].differs = true;
  if (f->differs)
    return true;
  if (!ARRAY_ROOM (c->differences, c->n_differences + 1, &c->capacity))
    return false;
  f->differs = true;
  f->difference = c->n_differences++;
  struct first_difference *first = &c->differences[f->difference];
  *first = (struct first_difference){ .pc = pc, .defective = 'A' };
  describe (c, a, b, first->text, sizeof first->text);
  first->defect = find_defect (c->arch, &c->a, &c->b, a, b, pc);
  if (first->defect != COMPARE_NO_DEFECT)
    return true;
  first->defect = find_defect (c->arch, &c->b, &c->a, b, a, pc);
  first->defective = first->defect ? 'B' : '\0';
  return true;
}

/* Why only VIEW has a row from PC to END, if that is known.  */
static enum compare_defect
find_left_out (const struct comparison *c, const struct sweep_view *view,
               const struct sweep_view *other, uint64_t pc, uint64_t end)
{
  /* A return address was left out if PC to END is the smallest instruction,
     and the other side has rows again behind it.  */
  if (view->covered && pc == view->begin
      && end - pc == c->arch->smallest_instruction && other->until == end)
    return COMPARE_RETURN_ADDRESS;
  return view->covered && frame_row_fp_may_be_stale (&view->rules, c->arch->fp)
             ? COMPARE_STALE_FP
             : COMPARE_NO_DEFECT;
}

/* Note that SIDE has VIEW from PC to END, and the other side no rules.  */
static void
note_one_sided (const struct comparison *c, struct compared_side *side,
                const struct sweep_view *view, const struct sweep_view *other,
                uint64_t pc, uint64_t end)
{
  struct function_findings *findings = &side->findings[view->index];
  enum compare_defect left_out = find_left_out (c, view, other, pc, end);
  if (left_out == COMPARE_NO_DEFECT)
    {
      if (!findings->uncovered && !findings->differs)
        findings->pc = pc;
      findings->uncovered = true;
    }
  else if (findings->left_out == COMPARE_NO_DEFECT)
    {
      findings->left_out = (uint8_t)left_out;
      findings->left_out_at = pc;
    }
}

static bool
compare_stretch (void *context, const struct sweep_view *a,
                 const struct sweep_view *b, uint64_t pc, uint64_t end,
                 struct error *err)
{
  struct comparison *c = context;
  bool in_a = a->covered || has_no_rows (a);
  bool in_b = b->covered || has_no_rows (b);
  if (in_a && in_b)
    {
      c->a.findings[a->index].covered = true;
      c->b.findings[b->index].covered = true;
      bool equal = same_rules_and_flags (c, a, b);
      *(equal ? &c->result->bytes_equal : &c->result->bytes_different)
          += end - pc;
      return equal || note_different (c, a, b, pc)
             || error_set_no_memory (err);
    }
  if ((!in_a && !in_b)
      || (c->padding != NULL
          && padding_finder_is_padding (c->padding, pc, end - pc)))
    return true;
  *(in_a ? &c->result->bytes_only_a : &c->result->bytes_only_b) += end - pc;
  if (in_a)
    note_one_sided (c, &c->a, a, b, pc, end);
  else
    note_one_sided (c, &c->b, b, a, pc, end);
  return true;
}

/* ---- Reporting */

/* Fill in DIFFERENCE for a function with FINDINGS, of A (OF_A) or of B.
   HIDDEN says that the function overlaps the one behind it, on this side
   alone.  False if there is no difference.  */
static bool
find_difference (const struct comparison *c,
                 const struct function_findings *findings, bool of_a,
                 bool hidden, struct cfi2sframe_difference *difference)
{
  if (findings->differs)
    {
      const struct first_difference *first
          = &c->differences[findings->difference];
      difference->defect = first->defect;
      difference->defective = first->defective;
      difference->pc = first->pc;
      difference->text = first->text;
      return true;
    }
  if (findings->uncovered || hidden)
    {
      if (!findings->covered)
        difference->kind = of_a ? CFI2SFRAME_ONLY_A : CFI2SFRAME_ONLY_B;
      if (findings->uncovered)
        difference->pc = findings->pc;
      difference->text = !findings->covered ? (of_a ? "described in A only"
                                                    : "described in B only")
                         : findings->uncovered
                             ? "part of it is not described on the other side"
                             : "it reaches into the function behind it";
      return true;
    }
  if (findings->left_out == COMPARE_NO_DEFECT)
    return false;
  /* The other side leaves rows out for a known reason.  */
  difference->defect = findings->left_out;
  difference->defective = of_a ? 'A' : 'B';
  difference->pc = findings->left_out_at;
  difference->text = findings->left_out == COMPARE_RETURN_ADDRESS
                         ? "return address left out on the other side"
                         : "FP found by FP is left out on the other side";
  return true;
}

/* Count function INDEX of SIDE, and report its difference, if any.  */
static void
report_function (const struct comparison *c, const struct compared_side *side,
                 uint32_t index, bool hidden)
{
  struct cfi2sframe_compare_result *result = c->result;
  const struct function_findings *findings = &side->findings[index];
  const bool of_a = side == &c->a;
  const uint64_t start = sframe_decoder_start (side->section.decoder, index);
  struct cfi2sframe_difference difference
      = { .kind = CFI2SFRAME_DIFFERENT,
          .function = start,
          .size = sframe_decoder_size (side->section.decoder, index),
          .pc = start };
  if (of_a)
    result->functions_a++;
  else
    result->functions_b++;
  /* The difference was reported for A's function, which has its index.  */
  if (findings->differs && !of_a)
    return;
  if (!find_difference (c, findings, of_a, hidden, &difference))
    {
      result->equal += of_a;
      return;
    }
  if (difference.kind == CFI2SFRAME_ONLY_A)
    result->only_a++;
  else if (difference.kind == CFI2SFRAME_ONLY_B)
    result->only_b++;
  else if (difference.defect != COMPARE_NO_DEFECT)
    result->defects[difference.defect]++;
  else
    result->different++;
  if (c->sink != NULL)
    c->sink (c->context, &difference);
}

static bool
has_function (const struct compared_side *side, uint64_t start, uint32_t size)
{
  const struct sframe_decoder *decoder = side->section.decoder;
  size_t first = SEARCH_FIRST (
      decoder->n_functions, i,
      sframe_decoder_start (decoder,
                            sweep_section_index (&side->section, (uint32_t)i))
          >= start);
  if (first == decoder->n_functions)
    return false;
  uint32_t index = sweep_section_index (&side->section, (uint32_t)first);
  return sframe_decoder_start (decoder, index) == start
         && sframe_decoder_size (decoder, index) == size;
}

/* Whether the function at POSITION of SIDE overlaps the one behind it, and
   OTHER_SIDE has no such function.  The sweep does not find that, because the
   function behind has the addresses, as in readers.  */
static bool
hides_bytes (const struct compared_side *side,
             const struct compared_side *other_side, uint32_t position)
{
  const struct sframe_decoder *decoder = side->section.decoder;
  if (position + 1 >= decoder->n_functions)
    return false;
  uint32_t index = sweep_section_index (&side->section, position);
  uint32_t behind = sweep_section_index (&side->section, position + 1);
  uint64_t start = sframe_decoder_start (decoder, index);
  uint32_t size = sframe_decoder_size (decoder, index);
  return sframe_decoder_start (decoder, behind) - start < size
         && !has_function (other_side, start, size);
}

/* Report the functions of SIDE that have bytes, by address.  */
static void
report_side (const struct comparison *c, const struct compared_side *side,
             const struct compared_side *other_side)
{
  const struct sframe_decoder *decoder = side->section.decoder;
  for (uint32_t i = 0; i < decoder->n_functions; i++)
    {
      uint32_t index = sweep_section_index (&side->section, i);
      if (sframe_decoder_size (decoder, index) != 0)
        report_function (c, side, index, hides_bytes (side, other_side, i));
    }
}

/* Open SIDE, which is to be freed in any case.  */
static bool
open_side (struct compared_side *side, const struct sframe_decoder *decoder,
           struct error *err)
{
  if (!sweep_section_open (&side->section, decoder, err))
    return false;
  /* The decoder has checked that so many fit the section.  */
  side->findings
      = calloc ((size_t)decoder->n_functions + 1, sizeof *side->findings);
  return side->findings != NULL || error_set_no_memory (err);
}

bool
sframe_compare (const struct sframe_decoder *a, const struct sframe_decoder *b,
                const struct padding_finder *padding, compare_sink *sink,
                void *context, struct cfi2sframe_compare_result *result,
                struct error *err)
{
  struct comparison c = { .arch = a->arch,
                          .padding = padding,
                          .result = result,
                          .sink = sink,
                          .context = context };
  *result = (struct cfi2sframe_compare_result){ .equal = 0 };
  if (a->arch != b->arch)
    return error_set (err, CFI2SFRAME_INVALID,
                      "sections of different machines");
  uint64_t steps = sframe_decoder_rows_max (a) + sframe_decoder_rows_max (b);
  bool done = open_side (&c.a, a, err) && open_side (&c.b, b, err)
              && sweep (&c.a.section.side, &c.b.section.side, true, steps,
                        compare_stretch, &c, err);
  if (done)
    {
      report_side (&c, &c.a, &c.b);
      report_side (&c, &c.b, &c.a);
      result->merged_rows_a = c.a.section.merged_rows;
      result->merged_rows_b = c.b.section.merged_rows;
      result->rows_at_end_a = c.a.section.rows_at_end;
      result->rows_at_end_b = c.b.section.rows_at_end;
    }
  sweep_section_close (&c.a.section);
  sweep_section_close (&c.b.section);
  free (c.a.findings);
  free (c.b.findings);
  free (c.differences);
  return done;
}

bool
compare_result_equal (const struct cfi2sframe_compare_result *result)
{
  uint64_t sum = result->different + result->only_a + result->only_b;
  for (size_t i = 0; i < COMPARE_DEFECTS; i++)
    sum += result->defects[i];
  return sum == 0;
}
