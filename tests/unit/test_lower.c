/* Unit tests of src/sframe/lower.c: frame rows in, SFrame rows out, and back.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The result is written as text.  A part is `[address+size: rows]`, and a
   range that is left out `(address+size reason)`.  Behind the size of a part,
   `m16` stands for a PCMASK function, `!` for a signal frame and `b` for the B
   key.  A row is its start, `s` or `f` for the base register or `x` for a
   flexible row, its words, and `*` for a signed RA.  `-` is a row without
   words.  */

#include <stdio.h>
#include <string.h>

#include "sframe/decode.h"
#include "sframe/format.h"
#include "frame/numbers.h"
#include "tests/encoded.h"
#include "tests/frame_rules.h"
#include "tests/sframe_lookup.h"
#include "tests/unit/lowering.h"

enum
{
  RAX = 0,
  RBP = 6,
  RSP = 7,
  R10 = 10,
  R12 = 12
};

static struct frame_rule
cfa_plus (int32_t offset)
{
  return (struct frame_rule){ .kind = RULE_CFA, .offset = offset };
}

static struct frame_rule
plt (int32_t threshold)
{
  return (struct frame_rule){ .kind = RULE_PLT, .offset = threshold };
}

static const struct frame_rule undefined = { .kind = RULE_UNDEFINED };

static struct frame_row
at (uint32_t start, struct frame_rule cfa, struct frame_rule ra,
    struct frame_rule fp)
{
  return (struct frame_row){ .start = start, .cfa = cfa, .ra = ra, .fp = fp };
}

/* The same with a signed RA.  */
static struct frame_row
signed_at (uint32_t start, struct frame_rule cfa, struct frame_rule ra,
           struct frame_rule fp)
{
  struct frame_row row = at (start, cfa, ra, fp);
  row.ra_signed = true;
  return row;
}

/* The usual amd64 row.  */
static struct frame_row
usual (uint32_t start, struct frame_rule cfa, struct frame_rule fp)
{
  return at (start, cfa, at_cfa (-8), fp);
}

struct text
{
  char chars[1 << 14];
  size_t size;
};

static void __attribute__ ((format (printf, 2, 3)))
text_add (struct text *text, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  int added = vsnprintf (text->chars + text->size,
                         sizeof text->chars - text->size, fmt, args);
  va_end (args);
  assert_true (added >= 0 && (size_t)added < sizeof text->chars - text->size);
  text->size += (size_t)added;
}

static bool
add_part (void *context, const struct sframe_fde *part, struct error *err)
{
  (void)err;
  struct text *text = context;
  text_add (text, "[%llx+%u", (unsigned long long)part->address, part->size);
  if (part->repeat != 0)
    text_add (text, "m%u", part->repeat);
  text_add (text, "%s%s:", part->signal ? "!" : "", part->b_key ? "b" : "");
  for (size_t i = 0; i < part->n_rows; i++)
    {
      const struct sframe_row *row = &part->rows[i];
      /* Only flexible rows have control words, and the first is one.  */
      assert_int_equal (row->control & 1, part->flexible && row->n_words > 0);
      text_add (text, " %u", row->start);
      text_add (text, "%s",
                part->flexible      ? "x"
                : row->n_words == 0 ? ""
                : row->base_sp      ? "s"
                                    : "f");
      if (row->n_words == 0)
        text_add (text, "-");
      for (unsigned w = 0; w < row->n_words; w++)
        text_add (text, "%s%d", w > 0 ? "," : "", row->words[w]);
      text_add (text, "%s", row->ra_signed ? "*" : "");
    }
  text_add (text, "]");
  return true;
}

static void
add_left_out (void *context, uint64_t address, uint32_t size,
              enum frame_reason reason)
{
  text_add (context, "(%llx+%u %s)", (unsigned long long)address, size,
            frame_reason_name (reason));
}

static struct encode_options
options_for (const struct arch *arch, struct sframe_variant variant)
{
  return (struct encode_options){ .arch = arch, .variant = variant };
}

static void
check (const struct arch *arch, struct sframe_variant variant,
       struct frame_function function, const char *expected)
{
  struct text text = { .size = 0 };
  struct error err = { 0 };
  const struct encode_options options = options_for (arch, variant);
  const struct full_sink sink = { &text, add_part, add_left_out };
  text_add (&text, "%s", "");
  assert_true (lower_in_full (&options, &function, &sink, &err));
  assert_string_equal (text.chars, expected);
}

#define FUNCTION(its_address, its_size, its_rows)               \
  {                                                             \
    .address = its_address, .size = its_size, .rows = its_rows, \
    .n_rows = N_OF (its_rows)                                   \
  }

/* A function at 0x1000 of SIZE bytes.  */
#define CHECK(arch, variant, expected, size_, ...)                       \
  do                                                                     \
    {                                                                    \
      struct frame_row rows_[] = { __VA_ARGS__ };                        \
      struct frame_function function_ = FUNCTION (0x1000, size_, rows_); \
      check (&arch, variant, function_, expected);                       \
    }                                                                    \
  while (0)

TEST (ordinary_amd64_function)
{
  const char *expected = "[1000+16: 0s8 1s16,-16 4f16,-16 15s8]";
  const struct sframe_variant variants[] = { v1, v2, v3 };
  for (int i = 0; i < 3; i++)
    CHECK (arch_amd64, variants[i], expected, 16,
           usual (0, reg (RSP, 8), same),
           usual (1, reg (RSP, 16), at_cfa (-16)),
           usual (4, reg (RBP, 16), at_cfa (-16)),
           usual (15, reg (RSP, 8), same));
}

TEST (rows_vanish)
{
  /* Rows equal to the row in front, and rows at or behind the end.  */
  CHECK (arch_amd64, v3, "[1000+4: 0s8]", 4, usual (0, reg (RSP, 8), same),
         usual (1, reg (RSP, 8), same), usual (4, reg (RSP, 16), same),
         usual (9, reg (RSP, 24), same));
  /* Rows that become equal by lowering: without RA, CFA and FP do not matter.
   */
  CHECK (arch_amd64, v3, "[1000+4: 0-]", 4,
         at (0, reg (RSP, 8), undefined, same),
         at (1, undefined, undefined, undefined));
}

TEST (no_rules_at_the_start)
{
  CHECK (arch_amd64, v3, "(1000+4 cfa-undefined)[1004+4: 0s8 1s16]", 8,
         usual (4, reg (RSP, 8), same), usual (5, reg (RSP, 16), same));
  struct frame_function function = { .address = 0x1000, .size = 8 };
  check (&arch_amd64, v3, function, "(1000+8 cfa-undefined)");
  function.size = 0;
  check (&arch_amd64, v3, function, "");
}

TEST (ranges_are_left_out)
{
  /* Adjacent ranges with the same reason are one range.  */
  CHECK (arch_amd64, v2,
         "[1000+2: 0s8](1002+3 cfa-register)(1005+1 ra-undefined)"
         "[1006+4: 0s8 1s16]",
         10, usual (0, reg (RSP, 8), same), usual (2, reg (R10, 8), same),
         usual (3, reg (R12, 8), same), at (5, reg (RSP, 8), undefined, same),
         usual (6, reg (RSP, 8), same), usual (7, reg (RSP, 16), same));
  CHECK (arch_amd64, v2,
         "(1000+2 ra-register)[1002+6: 0s8]"
         "(1008+2 fp-value)",
         10, at (0, reg (RSP, 8), reg (R12, 0), same),
         usual (2, reg (RSP, 8), same),
         usual (8, reg (RSP, 8), cfa_plus (-16)));
}

/* Every rule without a form, with its reason, in V2 and V3.  */
TEST (reasons)
{
  const struct
  {
    struct frame_row row;
    const char *v2, *v3; /* NULL: expressible */
  } cases[] = {
    { usual (0, reg (R10, 0), same), "cfa-register", NULL },
    { usual (0, deref_reg (RBP, -8), same), "cfa-expression", NULL },
    { usual (0, undefined, same), "cfa-undefined", "cfa-undefined" },
    { usual (0, same, same), "cfa-undefined", "cfa-undefined" },
    { usual (0, at_cfa (0), same), "cfa-expression", "cfa-expression" },
    { usual (0, frame_rule_unsupported (REASON_SP_RULE), same), "sp-rule",
      "sp-rule" },
    { usual (0, reg (RSP, 8), reg (R12, 0)), "fp-register", NULL },
    { usual (0, reg (RSP, 8), reg (R12, 4)), "fp-expression", NULL },
    { usual (0, reg (RSP, 8), deref_reg (R12, 0)), "fp-expression", NULL },
    { usual (0, reg (RSP, 8), deref_reg (RBP, 0)), "fp-expression",
      "fp-stale" },
    { usual (0, reg (RSP, 8), cfa_plus (-16)), "fp-value", "fp-value" },
    { usual (0, reg (RSP, 8), undefined), "fp-undefined", "fp-undefined" },
    { usual (0, reg (RSP, 8), frame_rule_unsupported (REASON_FP_EXPRESSION)),
      "fp-expression", "fp-expression" },
    { at (0, reg (RSP, 8), reg (R12, 0), same), "ra-register", NULL },
    { at (0, reg (RSP, 8), reg (R12, 8), same), "ra-expression", NULL },
    { at (0, reg (RSP, 8), deref_reg (RSP, 0), same), "ra-expression", NULL },
    { at (0, reg (RSP, 8), at_cfa (-16), same), "ra-offset", NULL },
    { at (0, reg (RSP, 8), cfa_plus (-8), same), "ra-value", "ra-value" },
    { at (0, reg (RSP, 8), same, same), "ra-same", "ra-same" },
    { at (0, reg (RSP, 8), undefined, same), "ra-undefined", NULL },
    { at (0, reg (RSP, 8), frame_rule_unsupported (REASON_RA_SIGNING), same),
      "ra-signing", "ra-signing" },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct frame_row row[] = { given->row };
      struct frame_function function = FUNCTION (0x1000, 4, row);
      char expected[64];
      snprintf (expected, sizeof expected, "(1000+4 %s)", given->v2);
      check (&arch_amd64, v2, function, expected);
      check (&arch_amd64, v1, function, expected);
      struct arch arch = arch_amd64;
      /* For an architecture without flexible FDEs the reason is that of
         V2.  */
      arch.flexible_fdes = given->v3 != NULL;
      snprintf (expected, sizeof expected, "(1000+4 %s)",
                given->v3 != NULL ? given->v3 : given->v2);
      if (row->ra.kind != RULE_UNDEFINED || given->v3 != NULL)
        check (&arch, v3, function, expected);
    }
}

/* Control words and offsets as the specification of V3 lays them out
   ("Flexible FDE"), for the rules that GNU as writes so and some more.  */
TEST (flexible_words)
{
  const struct
  {
    struct frame_row row;
    const char *words;
  } cases[] = {
    { usual (0, reg (R10, 0), same), "81,0" },
    { usual (0, deref_reg (RBP, -8), same), "51,-8" },
    { usual (0, deref_reg (RBP, -8), deref_reg (RBP, 0)), "51,-8,0,51,0" },
    { at (0, reg (RSP, 16), at_cfa (-24), at_cfa (-16)), "57,16,2,-24,2,-16" },
    { at (0, reg (RSP, 8), reg (R12, 0), same), "57,8,97,0" },
    { usual (0, reg (RSP, 8), reg (R12, 0)), "57,8,0,97,0" },
    /* In a default row the kernel would take FP for unchanged.  */
    { usual (0, reg (RSP, 8), at_cfa (0)), "57,8,0,2,0" },
    { usual (0, reg (130, 8), same), "1041,8" },
    { usual (0, reg (RAX, 0), reg (RAX, 0)), "1,0,0,1,0" },
    { at (0, deref_reg (RSP, 160), deref_reg (RSP, 168), deref_reg (RSP, 120)),
      "59,160,59,168,59,120" },
    { usual (0, deref_reg (RBP, INT32_MIN), same), "51,-2147483648" },
  };
  FOR_EACH_ROW (given, cases)
    {
      char expected[64];
      snprintf (expected, sizeof expected, "[1000+4: 0x%s]", given->words);
      CHECK (arch_amd64, v3, expected, 4, given->row);
    }
}

/* If one row needs the flexible form, all rows of the FDE have it.  These are
   the rows of GCC's functions with a realigned stack.  */
TEST (flexible_function)
{
  CHECK (arch_amd64, v3,
         "[1000+80: 0x57,8 5x81,0 32x81,0,0,51,0 34x51,-8,0,51,0"
         " 70x57,8,0,2,-16 71x-]",
         80, usual (0, reg (RSP, 8), same), usual (5, reg (R10, 0), same),
         usual (32, reg (R10, 0), deref_reg (RBP, 0)),
         usual (34, deref_reg (RBP, -8), deref_reg (RBP, 0)),
         usual (70, reg (RSP, 8), at_cfa (-16)),
         at (71, undefined, undefined, same));
}

/* Where FP is found by FP but the CFA is not, FP may be the caller's already:
   not where the rule begins and the frame is there behind it, nor where the
   frame was there up to now.  */
TEST (fp_by_fp_is_believed_as_long_as_the_frame_is_there)
{
  const struct frame_row entry = usual (0, reg (R10, 0), same),
                         body
                         = usual (4, deref_reg (RBP, -8), deref_reg (RBP, 0));
  CHECK (arch_amd64, v3,
         "[1000+21: 0x81,0 4x51,-8,0,51,0 20x81,0,0,51,0](1015+9 fp-stale)",
         30, entry, body, usual (20, reg (R10, 0), deref_reg (RBP, 0)),
         usual (25, reg (RSP, 8), deref_reg (RBP, 0)));
  /* The code behind the return is in the body of the function again.  */
  CHECK (arch_amd64, v3,
         "[1000+21: 0x81,0 4x51,-8,0,51,0 20x81,0,0,51,0](1015+4 fp-stale)"
         "[1019+5: 0x51,-8,0,51,0]",
         30, entry, body, usual (20, reg (R10, 0), deref_reg (RBP, 0)),
         usual (25, deref_reg (RBP, -8), deref_reg (RBP, 0)));
  /* The rule begins, but no row finds the CFA by FP.  */
  CHECK (arch_amd64, v3, "[1000+4: 0x81,0](1004+26 fp-stale)", 30, entry,
         usual (4, reg (R10, 0), deref_reg (RBP, 0)));
  /* The frame that was there is another one.  */
  CHECK (arch_amd64, v3, "[1000+20: 0x81,0 4x51,-8,0,51,0](1014+10 fp-stale)",
         30, entry, body, usual (20, reg (R10, 0), deref_reg (RBP, 16)));
}

TEST (signal_frames)
{
  struct frame_row rows[]
      = { at (0, deref_reg (RSP, 160), deref_reg (RSP, 168), same) };
  struct frame_function function = {
    .address = 0x1000, .size = 10, .signal = true, .rows = rows, .n_rows = 1
  };
  check (&arch_amd64, v3, function, "[1000+10!: 0x59,160,59,168]");
  check (&arch_amd64, v2, function, "(1000+10 signal-frame)");
  rows[0] = usual (0, reg (RSP, 8), same);
  check (&arch_amd64, v3, function, "[1000+10!: 0s8]");
  check (&arch_amd64, v1, function, "(1000+10 signal-frame)");
}

TEST (aarch64_rows)
{
  struct frame_row rows[] = {
    at (0, reg (31, 0), same, same),
    signed_at (4, reg (31, 0), same, same),
    signed_at (8, reg (31, 32), at_cfa (-24), at_cfa (-32)),
    signed_at (12, reg (29, 32), at_cfa (-24), at_cfa (-32)),
    at (16, reg (31, 16), at_cfa (-16), same),
  };
  struct frame_function function = {
    .address = 0x1000, .size = 20, .b_key = true, .rows = rows, .n_rows = 5
  };
  const char *expected = "[1000+20b: 0s0 4s0* 8s32,-24,-32* 12f32,-24,-32* "
                         "16s16,-16]";
  check (&arch_aarch64, v3, function, expected);
  check (&arch_aarch64, v2, function, expected);
  check (&arch_aarch64_be, v1, function, expected);

  rows[2].ra = same;
  rows[3].ra = same;
  check (&arch_aarch64, v3, function,
         "[1000+8b: 0s0 4s0*](1008+8 fp-without-ra)"
         "[1010+4b: 0s16,-16]");
  struct arch flexible = arch_aarch64;
  flexible.flexible_fdes = true;
  check (&flexible, v3, function,
         "[1000+20b: 0x249,0 4x249,0* 8x249,32,0,2,-32* 12x233,32,0,2,-32* "
         "16x249,16,2,-16]");
  rows[2].ra = at_cfa (0); /* readers may take a word 0 for padding */
  rows[3].ra = reg (9, 0);
  check (&arch_aarch64, v3, function,
         "[1000+8b: 0s0 4s0*](1008+4 ra-offset)(100c+4 ra-register)"
         "[1010+4b: 0s16,-16]");
}

/* What the specification says of s390x under "Default FDE Type
   Interpretation": CFA offsets without the adjustment of 160, in units of 8,
   and in V2 odd words that are registers.  */
TEST (s390x_rows)
{
  const struct
  {
    struct frame_row row;
    const char *v2, *v3;
  } cases[] = {
    { at (0, reg (15, 160), same, same), "0s0", "0s0" },
    { at (0, reg (15, 160), at_cfa (-48), at_cfa (-72)), "0s0,-48,-72",
      "0s0,-48,-72" },
    { at (0, reg (11, 320), at_cfa (-48), same), "0f20,-48", "0f20,-48" },
    { at (0, reg (15, 160), same, at_cfa (-72)), "0s0,0,-72", "0s0,0,-72" },
    { at (0, reg (15, 160), same, reg (17, 0)), "0s0,0,35",
      "0x121,0,0,137,0" },
    { at (0, reg (15, 160), reg (16, 0), same), "0s0,33", "0x121,0,129,0" },
    { at (0, reg (15, 160), reg (16, 0), reg (17, 0)), "0s0,33,35",
      "0x121,0,129,0,137,0" },
    { at (0, reg (15, 160), at_cfa (-48), reg (17, 0)), "0s0,-48,35",
      "0x121,0,2,-48,137,0" },
    { at (0, reg (1, 160), same, same), NULL, "0x9,0" },
    { at (0, reg (15, 1176), same, same), "0s127", "0s127" },
    { at (0, reg (15, 1184), same, same), "0s128", "0s128" },
    { at (0, reg (15, -864), same, same), "0s-128", "0s-128" },
  };
  FOR_EACH_ROW (given, cases)
    {
      char expected[64];
      if (given->v2 != NULL)
        snprintf (expected, sizeof expected, "[1000+4: %s]", given->v2);
      CHECK (arch_s390x, v2,
             given->v2 != NULL ? expected : "(1000+4 cfa-register)", 4,
             given->row);
      snprintf (expected, sizeof expected, "[1000+4: %s]", given->v3);
      CHECK (arch_s390x, v3, expected, 4, given->row);
    }
  /* GNU as truncates these offsets.  */
  CHECK (arch_s390x, v3, "(1000+8 offset-range)", 8,
         at (0, reg (15, 164), same, same), at (4, reg (15, 162), same, same));
}

TEST (s390x_rows_without_form)
{
  CHECK (arch_s390x, v3, "(1000+4 offset-range)", 4,
         at (0, reg (1, 164), same, same));
  CHECK (arch_s390x, v3, "(1000+4 cfa-expression)", 4,
         at (0, deref_reg (15, 160), same, same));
  /* Odd words are registers in V2 and only there.  */
  CHECK (arch_s390x, v2, "(1000+4 ra-offset)(1004+4 offset-range)", 8,
         at (0, reg (15, 160), at_cfa (-47), same),
         at (4, reg (15, 160), at_cfa (-48), at_cfa (-71)));
  CHECK (arch_s390x, v3, "[1000+4: 0s0,-47]", 4,
         at (0, reg (15, 160), at_cfa (-47), same));
  CHECK (arch_s390x, v2, "(1000+4 ra-offset)", 4,
         at (0, reg (15, 160), at_cfa (0), same));
  CHECK (arch_s390x, v3, "[1000+4: 0x121,0,2,0]", 4,
         at (0, reg (15, 160), at_cfa (0), same));
  CHECK (arch_s390x, v1, "(1000+4 fp-register)", 4,
         at (0, reg (15, 160), same, reg (17, 0)));
  CHECK (arch_s390x, v2, "(1000+4 ra-undefined)", 4,
         at (0, reg (15, 160), undefined, same));
}

/* RA is not in the slot that plain rows imply, before the push and after it.
 */
TEST (lazy_plt_with_ra_elsewhere)
{
  CHECK (arch_amd64, v3, "[1000+16: 0x57,8,2,-16 11x57,16,2,-16]", 16,
         at (0, plt (11), at_cfa (-16), same));
}

/* The .plt of GNU ld, whose entry 0 has rows of its own.  */
TEST (lazy_plt)
{
  struct frame_row rows[] = {
    usual (0, reg (RSP, 16), same),
    usual (6, reg (RSP, 24), same),
    usual (16, plt (11), same),
  };
  struct frame_function function = FUNCTION (0x1020, 256, rows);
  const char *expected = "[1020+16: 0s16 6s24][1030+240m16: 0s8 11s16]";
  check (&arch_amd64, v3, function, expected);
  check (&arch_amd64, v2, function, expected);
  /* The last block need not be complete.  */
  function.size = 250;
  check (&arch_amd64, v2, function,
         "[1020+16: 0s16 6s24][1030+234m16: 0s8 11s16]");
  rows[2].cfa = plt (9); /* with -z ibtplt */
  check (&arch_amd64, v2, function,
         "[1020+16: 0s16 6s24][1030+234m16: 0s8 9s16]");
  /* RA is undefined, so one row is enough.  */
  function.rows = rows + 2;
  function.n_rows = 1;
  rows[2].start = 0;
  rows[2].ra = undefined;
  check (&arch_amd64, v3, function, "[1020+250: 0-]");
  function.rows = rows;
  function.n_rows = 3;
  rows[2] = usual (16, plt (9), same);
  /* A few PLT entries take fewer bytes as rows of the first FDE.  */
  function.size = 48;
  check (&arch_amd64, v2, function,
         "[1020+48: 0s16 6s24 16s8 25s16 32s8 41s16]");
}

/* Readers do not agree on PCMASK functions of V1, of V2 without PCREL, and of
   a start that is no multiple of the block size.  The rows of all blocks are
   written out instead, as the DWARF expression says.  */
TEST (plt_rows_written_out)
{
  struct frame_row rows[] = {
    usual (0, reg (RSP, 16), same),
    usual (16, plt (11), same),
  };
  struct frame_function function = FUNCTION (0x1020, 112, rows);
  check (&arch_amd64, v1, function,
         "[1020+112: 0s16 16s8 27s16 32s8 43s16 48s8 59s16 64s8 75s16 80s8 "
         "91s16 96s8 107s16]");
  check (&arch_amd64, v2_0, function,
         "[1020+112: 0s16 16s8 27s16 32s8 43s16 48s8 59s16 64s8 75s16 80s8 "
         "91s16 96s8 107s16]");
  function.address = 0x1024;
  check (&arch_amd64, v3, function,
         "[1024+112: 0s16 16s8 23s16 28s8 39s16 44s8 55s16 60s8 71s16 76s8 "
         "87s16 92s8 103s16 108s8]");
  function.address = 0x102d;
  function.size = 20;
  check (&arch_amd64, v3, function, "[102d+20: 0s16 19s8]");
  /* The threshold is outside the block.  */
  rows[1].cfa = plt (0);
  check (&arch_amd64, v3, function, "[102d+20: 0s16]");
  rows[1].cfa = plt (-1);
  check (&arch_amd64, v3, function, "[102d+20: 0s16]");
  rows[1].cfa = plt (16);
  check (&arch_amd64, v3, function, "[102d+20: 0s16 16s8]");
  /* A damaged file must not lead to millions of rows.  */
  rows[1].cfa = plt (11);
  function.size = UINT32_MAX;
  check (&arch_amd64, v3, function,
         "[102d+16: 0s16](103d+4294967279 cfa-expression)");
  function.size = 1024;
  rows[1].fp = cfa_plus (0);
  check (&arch_amd64, v3, function, "[102d+16: 0s16](103d+1008 fp-value)");
}

static bool
note_part (void *context, const struct sframe_fde *part, struct error *err)
{
  (void)err;
  *(uint32_t *)context += part->size;
  return true;
}

static void
note_left_out (void *context, uint64_t address, uint32_t size,
               enum frame_reason reason)
{
  (void)context;
  (void)address;
  (void)size;
  assert_int_equal (reason, REASON_CFA_EXPRESSION);
}

/* The rows of at most 256 KiB of stubs are written out.  A file with more is
   damaged.  */
TEST (plt_rows_written_out_at_most)
{
  enum
  {
    MOST = 1 << 18
  };
  struct frame_row rows[] = { usual (0, plt (11), same) };
  struct encode_options options = options_for (&arch_amd64, v1);
  for (uint32_t more = 0; more <= 16; more += 16)
    {
      struct frame_function function = FUNCTION (0x1000, MOST + more, rows);
      struct error err = { 0 };
      uint32_t described = 0;
      const struct full_sink sink = { &described, note_part, note_left_out };
      assert_true (lower_in_full (&options, &function, &sink, &err));
      assert_int_equal (described, more == 0 ? MOST : 0);
    }
}

/* Stubs that were recognised by their instructions.  */
TEST (recognised_stubs)
{
  struct frame_row rows[] = {
    usual (0, reg (RSP, 8), same),
    usual (11, reg (RSP, 16), same),
  };
  struct frame_function function = {
    .address = 0x1020, .size = 160, .repeat = 16, .rows = rows, .n_rows = 2
  };
  check (&arch_amd64, v3, function, "[1020+160m16: 0s8 11s16]");
  function.size = 24;
  check (&arch_amd64, v3, function, "[1020+24: 0s8 11s16 16s8]");
  /* Readers of a PCMASK function count its blocks from address 0.  */
  function.address = 0x1024;
  function.size = 80;
  check (&arch_amd64, v3, function,
         "[1024+80: 0s8 11s16 16s8 27s16 32s8 43s16 48s8 59s16 64s8 75s16]");
  function.address = 0x1020;
  /* The rows of four blocks are written out, but not those of more.  */
  function.size = 64;
  check (&arch_amd64, v3, function,
         "[1020+64: 0s8 11s16 16s8 27s16 32s8 43s16 48s8 59s16]");
  function.size = 65;
  check (&arch_amd64, v3, function, "[1020+65m16: 0s8 11s16]");
  /* Rows behind the end of the block are ignored.  */
  function.size = 80;
  rows[1].start = 16;
  check (&arch_amd64, v3, function, "[1020+80: 0s8]");
  rows[1].start = 20;
  check (&arch_amd64, v3, function, "[1020+80: 0s8]");
  rows[1].start = 11;
  /* With a single row it is an ordinary function.  */
  function.n_rows = 1;
  function.size = 160;
  check (&arch_amd64, v3, function, "[1020+160: 0s8]");
  rows[0].start = 1;
  check (&arch_amd64, v3, function, "(1020+160 cfa-undefined)");
}

static bool
count_part (void *context, const struct sframe_fde *part, struct error *err)
{
  (void)err;
  uint64_t *counts = context; /* parts, rows, end of the previous one */
  counts[0]++;
  for (size_t i = 0; i < part->n_rows; i++, counts[1]++)
    {
      assert_int_equal (part->address + part->rows[i].start,
                        0x1000 + 2 * counts[1]);
      assert_int_equal (part->rows[i].words[0], counts[1] % 2 ? 8 : 16);
    }
  assert_int_equal (part->repeat, 0);
  assert_true (part->n_rows <= SFRAME_V3_FRES_MAX);
  assert_int_equal (part->rows[0].start, 0);
  assert_int_equal (part->address, counts[2]);
  counts[2] = part->address + part->size;
  return true;
}

TEST (too_many_rows_for_v3)
{
  enum
  {
    N = 2 * 65535 + 10
  };
  struct frame_function function = { .address = 0x1000, .size = 2 * N };
  for (uint32_t i = 0; i < N; i++)
    {
      struct frame_row row = usual (2 * i, reg (RSP, i % 2 ? 8 : 16), same);
      row.number = 1 + i % 2;
      assert_true (frame_function_append (&function, &row));
    }
  /* In the second pass the lowerer knows all rules.  */
  uint64_t counts[3];
  struct error err = { 0 };
  struct encode_options options = options_for (&arch_amd64, v3);
  const struct full_sink counting = { counts, count_part, add_left_out };
  struct full_lowering full = { .sink = &counting };
  const struct lower_sink sink = { &full, give_full_part, give_full_gap };
  full.lowerer = lowerer_new (&options, &sink);
  assert_non_null (full.lowerer);
  for (unsigned i = 0; i < 2; i++)
    {
      memcpy (counts, (uint64_t[]){ 0, 0, 0x1000 }, sizeof counts);
      assert_true (lower_function (full.lowerer, &function, NULL, &err));
      assert_int_equal (counts[0], 3);
      assert_int_equal (counts[1], N);
      assert_int_equal (counts[2], 0x1000 + 2 * N);
    }
  lowerer_free (full.lowerer);
  frame_function_free (&function);
}

static void
check_without (const struct arch *arch, struct frame_function function,
               uint32_t *places, size_t n, const char *expected)
{
  struct text text = { .size = 0 };
  struct error err = { 0 };
  const struct encode_options options = options_for (arch, v3);
  const struct full_sink sink = { &text, add_part, add_left_out };
  const struct return_places left_out = { .offsets = places, .n = n };
  assert_true (lower_without (&options, &function, &left_out, &sink, &err));
  assert_string_equal (text.chars, expected);
}

/* A row that begins at a place that is left out begins an instruction later.
   Each part has the properties of the whole function.  */
TEST (places_are_left_out)
{
  struct frame_row rows[]
      = { usual (0, reg (RSP, 8), same), usual (4, reg (RSP, 16), same),
          usual (5, reg (RSP, 24), same), usual (8, reg (RSP, 32), same) };
  struct frame_function function = FUNCTION (0x1000, 16, rows);
  uint32_t first[] = { 0 }, middle[] = { 5 }, last[] = { 8 }, two[] = { 4, 5 };
  check_without (&arch_amd64, function, NULL, 0,
                 "[1000+16: 0s8 4s16 5s24 8s32]");
  check_without (&arch_amd64, function, first, 1,
                 "(1000+1 return-address)[1001+15: 0s8 3s16 4s24 7s32]");
  check_without (
      &arch_amd64, function, middle, 1,
      "[1000+5: 0s8 4s16](1005+1 return-address)[1006+10: 0s24 2s32]");
  check_without (
      &arch_amd64, function, last, 1,
      "[1000+8: 0s8 4s16 5s24](1008+1 return-address)[1009+7: 0s32]");
  check_without (&arch_amd64, function, two, 2,
                 "[1000+4: 0s8](1004+2 return-address)[1006+10: 0s24 2s32]");
  function.signal = true;
  check_without (&arch_amd64, function, middle, 1,
                 "[1000+5!: 0s8 4s16](1005+1 return-address)[1006+10!: 0s24 "
                 "2s32]");
}

/* A place ends with its row if the row is shorter than an instruction, and
   nothing is left of a row that has only the place.  */
TEST (places_end_with_their_rows)
{
  struct frame_row rows[]
      = { at (0, reg (29, 0), same, same), at (2, reg (29, 16), same, same),
          at (12, reg (29, 32), same, same) };
  struct frame_function function = FUNCTION (0x1000, 14, rows);
  uint32_t places[] = { 0, 12 };
  check_without (&arch_aarch64, function, places, 2,
                 "(1000+2 return-address)[1002+10: 0f16](100c+2 "
                 "return-address)");
  uint32_t middle[] = { 2 };
  check_without (&arch_aarch64, function, middle, 1,
                 "[1000+2: 0f0](1002+4 return-address)[1006+8: 0f16 6f32]");
}

/* The place may be the only instruction for which the rule of FP holds.  */
TEST (places_take_what_is_sure_of_fp)
{
  struct frame_row rows[] = { usual (0, reg (RBP, 16), deref_reg (RBP, 0)),
                              usual (4, reg (10, 0), deref_reg (RBP, 0)) };
  struct frame_function function = FUNCTION (0x1000, 8, rows);
  uint32_t place[] = { 4 };
  check_without (&arch_amd64, function, NULL, 0,
                 "[1000+5: 0x49,16,0,51,0 4x81,0,0,51,0](1005+3 fp-stale)");
  check_without (&arch_amd64, function, place, 1,
                 "[1000+4: 0x49,16,0,51,0](1004+1 return-address)"
                 "(1005+3 fp-stale)");
}

static bool
refuse_part (void *context, const struct sframe_fde *part, struct error *err)
{
  (void)context;
  (void)part;
  return error_set (err, CFI2SFRAME_IO, "refused");
}

TEST (the_sink_may_stop)
{
  struct frame_row rows[]
      = { usual (0, reg (RSP, 8), same), usual (1, deref_reg (RSP, 8), same) };
  struct frame_function function = { .size = 8, .rows = rows, .n_rows = 2 };
  struct text text = { .size = 0 };
  struct error err = { 0 };
  const struct full_sink sink = { &text, refuse_part, add_left_out };
  for (int version = 2; version <= 3; version++)
    {
      struct encode_options options
          = options_for (&arch_amd64, version == 2 ? v2 : v3);
      assert_false (lower_in_full (&options, &function, &sink, &err));
      assert_int_equal (err.status, CFI2SFRAME_IO);
    }
}

/* sframe_row_rules.  */

struct undoing
{
  struct encode_options options;
  const struct frame_row *row;
  unsigned n_undone;
};

static bool
undo_part (void *context, const struct sframe_fde *part, struct error *err)
{
  (void)err;
  struct undoing *undoing = context;
  struct frame_row back;
  sframe_row_rules (undoing->options.arch, undoing->options.variant, part,
                    &part->rows[0], &back);
  if (undoing->row->ra.kind == RULE_UNDEFINED)
    {
      assert_int_equal (back.ra.kind, RULE_UNDEFINED);
      assert_int_equal (back.cfa.kind, RULE_UNDEFINED);
    }
  else
    assert_true (frame_row_same_rules (&back, undoing->row));
  undoing->n_undone++;
  return true;
}

/* Either there is a reason why ROW has no form, or its form is read as rules
   of the same kinds.  */
static void
expect_form_or_reason (const struct arch *arch, struct sframe_variant variant,
                       bool flexible, const struct frame_row *row)
{
  const struct encode_options options = options_for (arch, variant);
  const struct sframe_fde function = { .flexible = flexible };
  struct sframe_row lowered;
  struct frame_row back;
  if (row_lower (&options, row, flexible, &lowered) != REASON_NONE)
    return;
  sframe_row_rules (arch, variant, &function, &lowered, &back);
  assert_int_equal (back.ra.kind, row->ra.kind);
  if (row->ra.kind == RULE_UNDEFINED)
    return; /* the other rules do not matter */
  assert_int_equal (back.cfa.kind, row->cfa.kind);
  assert_int_equal (back.fp.kind, row->fp.kind);
}

TEST (each_kind_of_rule_has_a_form_or_a_reason)
{
  const struct arch *arches[] = { &arch_amd64, &arch_aarch64, &arch_s390x };
  for (size_t a = 0; a < 3; a++)
    for (unsigned kind = 0; kind < RULE_UNSUPPORTED; kind++)
      for (int target = 0; target < 3; target++)
        for (int32_t offset = 0; offset <= 16; offset += 16)
          {
            struct frame_row row = usual (0, reg (arches[a]->sp, 160), same);
            struct frame_rule *rules[] = { &row.cfa, &row.ra, &row.fp };
            *rules[target] = reg (R10, offset);
            rules[target]->kind = (uint8_t)kind;
            expect_form_or_reason (arches[a], v2, false, &row);
            expect_form_or_reason (arches[a], v3, false, &row);
            expect_form_or_reason (arches[a], v3, true, &row);
          }
}

/* For every combination of rules, the rows that are written are read as the
   same rules.  */
TEST (undo_is_the_inverse)
{
  const struct arch *arches[]
      = { &arch_amd64, &arch_aarch64, &arch_aarch64_be, &arch_s390x };
  const struct sframe_variant variants[] = { v1, v2, v3, v3 };
  static const int32_t offsets[] = { 0,    1,         -1,       8,   -8,
                                     -16,  127,       128,      160, 164,
                                     1176, INT32_MAX, INT32_MIN };
  enum
  {
    N_OFFSETS = N_OF (offsets),
    N_RULES = 2 + 4 * N_OFFSETS + 2 * N_OFFSETS
  };
  unsigned n_undone = 0;
  for (int a = 0; a < 4; a++)
    {
      struct frame_rule rules[N_RULES] = { same, undefined };
      unsigned regs[] = { arches[a]->sp, arches[a]->fp };
      int n = 2;
      for (int o = 0; o < N_OFFSETS; o++)
        {
          for (int r = 0; r < 2; r++)
            rules[n++] = reg (regs[r], offsets[o]);
          rules[n++] = reg (10, offsets[o]);
          rules[n++] = deref_reg (300, offsets[o]);
          rules[n++] = at_cfa (offsets[o]);
          rules[n++] = cfa_plus (offsets[o]);
        }
      assert_int_equal (n, N_RULES);
      for (int v = 0; v < 4; v++)
        for (int c = 0; c < N_RULES; c++)
          for (int r = 0; r < N_RULES; r++)
            for (int f = 0; f < N_RULES; f++)
              {
                struct frame_row row = { .ra_signed = (c + r) % 2,
                                         .cfa = rules[c],
                                         .ra = rules[r],
                                         .fp = rules[f] };
                struct frame_function function
                    = { .size = 4, .rows = &row, .n_rows = 1 };
                struct arch arch = *arches[a];
                arch.flexible_fdes = v == 3;
                struct undoing undoing
                    = { options_for (&arch, variants[v]), &row, 0 };
                struct full_sink sink = { &undoing, undo_part, NULL };
                struct error err = { 0 };
                assert_true (
                    lower_in_full (&undoing.options, &function, &sink, &err));
                n_undone += undoing.n_undone;
              }
    }
  assert_true (n_undone > 100000);
}

/* Random functions are lowered, encoded and decoded, and each PC is looked up.
   A PC is either left out or has the rules from before.  */

struct journey
{
  struct sframe_encoder *encoder;
  uint64_t address;
  char fate[4096]; /* of each byte of the function: 'r' row, 'o' left out */
};

static void
journey_mark (struct journey *journey, uint64_t address, uint32_t size,
              char fate)
{
  for (uint64_t i = address - journey->address; size > 0; i++, size--)
    {
      assert_true (i < sizeof journey->fate && journey->fate[i] == 0);
      journey->fate[i] = fate;
    }
}

static bool
journey_part (void *context, const struct sframe_fde *part, struct error *err)
{
  struct journey *journey = context;
  journey_mark (journey, part->address, part->size, 'r');
  return sframe_encoder_add (journey->encoder, part, err);
}

static void
journey_left_out (void *context, uint64_t address, uint32_t size,
                  enum frame_reason reason)
{
  assert_true (reason != REASON_NONE && reason < REASON_COUNT);
  journey_mark (context, address, size, 'o');
}

static uint32_t
next_random (uint32_t limit)
{
  static uint64_t state = 1;
  state = state * UINT64_C (6364136223846793005) + 1442695040888963407;
  return (uint32_t)(state >> 33) % limit;
}

static struct frame_rule
random_rule (const struct arch *arch, bool is_cfa)
{
  const int32_t offsets[] = { 0, 8, -8, 16, -16, 160, 320, 1000, -40000 };
  int32_t offset = offsets[next_random (9)];
  unsigned regs[] = { arch->sp, arch->fp, arch->sp, 10 };
  unsigned number = regs[next_random (4)];
  switch (next_random (is_cfa ? 12 : 10))
    {
    case 0:
      return deref_reg (number, offset);
    case 1:
      return undefined;
    case 2:
      return frame_rule_unsupported (REASON_CFA_EXPRESSION);
    case 3:
      return is_cfa ? undefined : cfa_plus (offset);
    case 4:
    case 5:
      return is_cfa && arch == &arch_amd64 ? plt ((int32_t)next_random (18))
             : is_cfa                      ? reg (number, offset)
                                           : same;
    case 6:
      return is_cfa ? reg (number, offset) : same;
    case 7:
      return is_cfa ? reg (number, offset) : at_cfa (-8);
    default:
      return is_cfa ? reg (number, offset) : at_cfa (offset);
    }
}

static void
random_function (const struct arch *arch, struct frame_function *function)
{
  frame_function_reset (function);
  function->address = 0x10000 + next_random (4) * 8 + next_random (2) * 4;
  function->size = 1 + next_random (next_random (4) ? 200 : 4000);
  function->signal = next_random (8) == 0;
  function->b_key = arch->ra_signing && next_random (4) == 0;
  uint32_t n = next_random (12);
  uint32_t start = next_random (8) == 0;
  for (uint32_t i = 0; i < n; i++)
    {
      /* Mostly rows that can be expressed, so that functions stay whole.  */
      bool plain = next_random (3) != 0;
      struct frame_row row
          = { .start = start,
              .ra_signed = arch->ra_signing && next_random (3) == 0,
              .cfa = plain ? reg (arch->sp, 160) : random_rule (arch, true),
              .ra = plain && !arch_tracks_ra (arch)
                        ? at_cfa (-8)
                        : random_rule (arch, false),
              .fp = plain ? at_cfa (-16) : random_rule (arch, false) };
      assert_true (frame_function_append (function, &row));
      start += 1 + next_random (40);
    }
}

/* The rules of FUNCTION at OFFSET, with RULE_PLT resolved; NULL if none.  */
static const struct frame_row *
rules_at (const struct arch *arch, const struct frame_function *function,
          uint32_t offset, struct frame_row *resolved)
{
  const struct frame_row *found = NULL;
  for (size_t i = 0; i < function->n_rows; i++)
    if (function->rows[i].start <= offset)
      found = &function->rows[i];
  if (found == NULL || found->cfa.kind != RULE_PLT)
    return found;
  *resolved = *found;
  int32_t within = (int32_t)((function->address + offset) % 16);
  resolved->cfa = reg (arch->sp, within >= found->cfa.offset ? 16 : 8);
  return resolved;
}

static void
check_pc (const struct sframe_decoder *decoder,
          const struct frame_function *function, uint32_t offset, char fate)
{
  struct error err = { 0 };
  struct sframe_fde found;
  struct sframe_row row;
  struct frame_row back, resolved;
  int status = sframe_decoder_lookup (decoder, function->address + offset,
                                      &found, &row, &err);
  assert_int_equal (status, fate == 'r');
  if (fate != 'r')
    return;
  const struct frame_row *rules
      = rules_at (decoder->arch, function, offset, &resolved);
  assert_non_null (rules);
  sframe_row_rules (decoder->arch, decoder->variant, &found, &row, &back);
  if (rules->ra.kind == RULE_UNDEFINED)
    assert_int_equal (back.ra.kind, RULE_UNDEFINED);
  else
    assert_true (frame_row_same_rules (&back, rules));
  assert_int_equal (found.signal, function->signal);
  assert_int_equal (found.b_key, function->b_key);
}

static void
random_journey (const struct arch *arch, struct sframe_variant variant,
                struct frame_function *function)
{
  static struct journey journey;
  struct error err = { 0 };
  struct encode_options encode = {
    .arch = arch, .variant = variant, .sorted = true, .share = next_random (2)
  };
  struct arch own = *arch;
  own.flexible_fdes = next_random (4) != 0;
  const struct encode_options lower = { .arch = &own, .variant = variant };
  random_function (arch, function);
  journey = (struct journey){ .encoder = sframe_encoder_new (&encode),
                              .address = function->address };
  const struct full_sink sink = { &journey, journey_part, journey_left_out };
  assert_true (lower_in_full (&lower, function, &sink, &err));
  struct buffer section;
  buffer_init (&section, arch->big_endian);
  assert_true (
      sframe_encoder_write (journey.encoder, 0x20000, &section, &err));
  struct sframe_decoder decoder = decoder_on (&section, 0x20000);
  for (uint32_t i = 0; i < function->size; i++)
    {
      assert_true (journey.fate[i] != 0);
      check_pc (&decoder, function, i, journey.fate[i]);
    }
  assert_int_equal (journey.fate[function->size], 0);
  buffer_free (&section);
  sframe_encoder_free (journey.encoder);
}

TEST (every_pc_of_random_functions)
{
  const struct arch *arches[]
      = { &arch_amd64, &arch_aarch64, &arch_aarch64_be, &arch_s390x };
  const struct sframe_variant variants[] = { v1, v2, { 2, false }, v3, v3 };
  struct frame_function function = { 0 };
  for (int i = 0; i < 100; i++)
    for (int a = 0; a < 4; a++)
      for (int v = 0; v < 5; v++)
        random_journey (arches[a], variants[v], &function);
  frame_function_free (&function);
}

/* Words that could be taken for others.  */
TEST (words_at_the_limits)
{
  static const struct
  {
    const struct arch *arch;
    struct sframe_row row;
    struct frame_rule ra, fp;
  } cases[] = {
    /* A register above 2^15, in the words of s390x.  */
    { &arch_s390x,
      { .n_words = 3, .words = { 0, 40000 << 1 | 1, 65535 << 1 | 1 } },
      .ra = { .kind = RULE_REG, .reg = 40000 },
      .fp = { .kind = RULE_REG, .reg = 65535 } },
    { &arch_s390x,
      { .n_words = 2, .words = { 0, 65536 << 1 | 1 } },
      .ra = { .kind = RULE_UNSUPPORTED } },
    /* A word of 0 says "no RA" on s390x, elsewhere CFA + 0.  */
    { &arch_aarch64,
      { .n_words = 2, .words = { 16, 0 } },
      .ra = { .kind = RULE_DEREF_CFA } },
    { &arch_s390x,
      { .n_words = 2, .words = { 16, 0 } },
      .ra = { .kind = RULE_SAME } },
  };
  FOR_EACH_ROW (given, cases)
    {
      const struct sframe_fde function = { .flexible = false };
      struct frame_row back;
      sframe_row_rules (given->arch, v2, &function, &given->row, &back);
      assert_int_equal (back.ra.kind, given->ra.kind);
      if (given->ra.kind == RULE_REG)
        {
          assert_int_equal (back.ra.reg, given->ra.reg);
          assert_int_equal (back.fp.kind, RULE_REG);
          assert_int_equal (back.fp.reg, given->fp.reg);
        }
    }
}

/* A third word without a fourth is half of a pair and is ignored.  */
TEST (half_pairs_say_nothing)
{
  const int32_t sp = RSP << SFRAME_CONTROL_REGNUM_SHIFT | SFRAME_CONTROL_REG;
  const struct sframe_fde function = { .flexible = true };
  const struct sframe_row row
      = { .n_words = 3, .words = { sp, 8, sp | SFRAME_CONTROL_DEREF, 16 } };
  struct frame_row back;
  sframe_row_rules (&arch_amd64, v3, &function, &row, &back);
  assert_int_equal (back.ra.kind, RULE_DEREF_CFA);
  assert_int_equal (back.fp.kind, RULE_SAME);
}

/* A row whose RA is undefined does not say whether RA is signed.  */
TEST (undefined_ra_is_not_signed)
{
  CHECK (arch_aarch64, v3, "[1000+8: 0s0* 4-]", 8,
         signed_at (0, reg (31, 0), same, same),
         signed_at (4, reg (31, 0), undefined, same));
}

/* Rows that no reader accepts, and rows that GNU as writes by mistake.  */
TEST (meaningless_rows_are_unsupported)
{
  enum
  {
    SP_S390X = 15 << SFRAME_CONTROL_REGNUM_SHIFT | SFRAME_CONTROL_REG
  };
  static const struct
  {
    uint8_t version;
    const struct arch *arch;
    bool flexible;
    struct sframe_row row;
  } cases[] = {
    { 1, &arch_amd64, false, { 0 } },
    { 3, &arch_amd64, false, { .n_words = 3 } },
    { 3, &arch_aarch64, false, { .n_words = 4 } },
    { 3, &arch_s390x, false, { .n_words = 1, .words = { INT32_MAX } } },
    { 3, &arch_amd64, true, { .n_words = 2, .words = { 0, 8 } } },
    { 3,
      &arch_s390x,
      true,
      { .n_words = 2, .words = { SP_S390X, INT32_MAX } } },
    { 3, &arch_amd64, true, { .n_words = 2, .words = { 2, 8 } } },
    { 3, &arch_amd64, true, { .n_words = 5, .words = { 57, 8, 0, -5, 8 } } },
    { 2, &arch_s390x, false, { .n_words = 2, .words = { 0, -47 } } },
  };
  FOR_EACH_ROW (given, cases)
    {
      const struct sframe_variant variant
          = { given->version, given->version > 1 };
      const struct sframe_fde function = { .flexible = given->flexible };
      struct frame_row back;
      sframe_row_rules (given->arch, variant, &function, &given->row, &back);
      assert_true (back.cfa.kind == RULE_UNSUPPORTED
                   || back.ra.kind == RULE_UNSUPPORTED
                   || back.fp.kind == RULE_UNSUPPORTED);
    }
}

/* Rows with and without numbers of rules are lowered to the same rows.  One
   lowerer and one set of numbers are used for many functions, and compared
   with a new lowerer without numbers for each function.  */
TEST (numbers_change_nothing)
{
  static const struct arch *const arches[]
      = { &arch_amd64, &arch_aarch64, &arch_s390x };
  static const struct sframe_variant variants[] = { { 2, true }, { 3, true } };
  static struct text with, without;
  const struct full_sink sinks[] = { { &with, add_part, add_left_out },
                                     { &without, add_part, add_left_out } };
  struct error err = { 0 };
  for (unsigned i = 0; i < 6; i++)
    {
      const struct encode_options options
          = options_for (arches[i / 2], variants[i % 2]);
      struct full_lowering full = { .sink = &sinks[0] };
      const struct lower_sink sink = { &full, give_full_part, give_full_gap };
      struct frame_numbers numbers;
      assert_true (frame_numbers_init (&numbers));
      full.lowerer = lowerer_new (&options, &sink);
      assert_non_null (full.lowerer);
      for (unsigned n = 0; n < 3000; n++)
        {
          struct frame_function function = { 0 };
          random_function (options.arch, &function);
          with.size = without.size = 0;
          with.chars[0] = without.chars[0] = '\0';
          assert_true (lower_in_full (&options, &function, &sinks[1], &err));
          for (size_t r = 0; r < function.n_rows; r++)
            if (next_random (16) != 0)
              frame_numbers_give (&numbers, &function.rows[r]);
          assert_true (lower_function (full.lowerer, &function, NULL, &err));
          assert_string_equal (with.chars, without.chars);
          frame_function_free (&function);
        }
      assert_true (numbers.n > 100);
      lowerer_free (full.lowerer);
      frame_numbers_free (&numbers);
    }
}

/* Rules beyond NUMBERS_MAX get no number.  */
TEST (more_rules_than_numbers)
{
  struct frame_numbers numbers;
  assert_true (frame_numbers_init (&numbers));
  for (uint32_t i = 0; i < NUMBERS_MAX + 10; i++)
    {
      struct frame_row row = usual (0, reg (RSP, 8 * (int32_t)i), same);
      frame_numbers_give (&numbers, &row);
      assert_int_equal (row.number, i < NUMBERS_MAX ? i + 1 : 0);
    }
  struct frame_row known = usual (7, reg (RSP, 16), same);
  frame_numbers_give (&numbers, &known);
  assert_int_equal (known.number, 3);
  frame_numbers_free (&numbers);
}
