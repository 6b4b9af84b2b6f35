/* Unit tests of src/cfi/walk.c: whose rows hold where FDEs, PLT stubs and
   functions overlap.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>

#include "cfi/finished_rows.h"
#include "cfi/cfi_section.h"
#include "cfi/walk.h"
#include "tests/unit/cfi_builder.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit/failing_allocations.h"
#include "tests/unit_test.h"

#define CODE UINT64_C (0x123400010000)

enum
{
  CODE_SIZE = 0x10000,
  STUBS_MAX = 4,
  FOUND_MAX = 8,
  FP_UNKNOWN_SIZE = 0x1234, /* an FDE of this size has that problem */
  RELOCATED_SIZE = 0x1235,  /* its instructions are relocated */
  FILLED_IN_SIZE = 0x1236   /* its address is relocated */
};

struct fixture
{
  struct cfi_source source;
  struct frame_function stubs[STUBS_MAX], found[FOUND_MAX];
  struct frame_row row;
  struct buffer bytes;
  size_t cie;
};

static enum frame_reason
problem (const void *context, const struct cfi_fde *fde)
{
  (void)context;
  if (fde->size == 0)
    return REASON_EMPTY_RANGE;
  if (fde->size == FP_UNKNOWN_SIZE)
    return REASON_FP_UNKNOWN;
  if (fde->size == RELOCATED_SIZE)
    return REASON_BAD_INSTRUCTION;
  if (fde->size == FILLED_IN_SIZE)
    return REASON_RELOCATED;
  return fde->address < CODE || fde->address - CODE >= CODE_SIZE
             ? REASON_NOT_EXECUTABLE
             : REASON_NONE;
}

static void
begin (struct fixture *f)
{
  *f = (struct fixture){ .source.problem = problem };
  f->row = (struct frame_row){ .cfa = { RULE_REG, 0, arch_amd64.sp, 8 },
                               .ra = { RULE_DEREF_CFA, 0, 0, -8 },
                               .fp = { .kind = RULE_SAME } };
  buffer_init (&f->bytes, false);
  f->cie = put_amd64_cie (&f->bytes);
}

static void
add_fde (struct fixture *f, uint64_t offset, uint32_t size)
{
  put_fde (&f->bytes, f->cie, CODE + offset, size, "", 0);
}

/* Return a function with one row, that of F.  */
static struct frame_function
function_at (struct fixture *f, uint64_t offset, uint32_t size)
{
  return (struct frame_function){
    .address = CODE + offset, .size = size, .rows = &f->row, .n_rows = 1
  };
}

static void
add_stub (struct fixture *f, uint64_t offset, uint32_t size)
{
  struct frame_function *stub = &f->stubs[f->source.stubs.n_functions++];
  f->source.stubs.functions = f->stubs;
  *stub = function_at (f, offset, size);
  stub->from_plt = true;
}

static void
add_found (struct fixture *f, uint64_t offset, uint32_t size)
{
  f->source.found.functions = f->found;
  f->found[f->source.found.n_functions++] = function_at (f, offset, size);
}

static void
end (struct fixture *f)
{
  cfi_section_free (&f->source.cfi);
  buffer_free (&f->bytes);
}

#define FIXTURE_TEST(name) TEST_WITH (struct fixture, f, begin, end, name)

/* Begin a walk over the code of F.  */
static struct cfi_walk
begin_walk (struct fixture *f)
{
  struct error err = { 0 };
  struct cfi_walk walk;
  assert_true (eh_frame_read (&f->source.cfi, &arch_amd64, f->bytes.bytes,
                              f->bytes.size, SECTION_ADDRESS, &err));
  assert_true (cfi_walk_begin (&walk, &f->source, &err));
  return walk;
}

/* CODE is, as text, this: "start CFA offset" of each row, and the size; or why
   there are no rows.  In front of it stands what is no FDE's.  */
static void
expect_code (const struct cfi_code *code, const char *expected)
{
  static const char *const kinds[] = {
    [CODE_OF_FDE] = "", [CODE_OF_STUB] = "stub: ", [CODE_FOUND] = "found: "
  };
  char text[200];
  FILE *out = fmemopen (text, sizeof text, "w");
  assert_non_null (out);
  fprintf (out, "%s", kinds[code->kind]);
  for (size_t i = 0; code->function && i < code->function->n_rows; i++)
    {
      const struct frame_row *row = &code->function->rows[i];
      if (row->cfa.kind == RULE_UNSUPPORTED)
        fprintf (out, "%x %s; ", row->start,
                 frame_reason_name (row->cfa.reason));
      else
        fprintf (out, "%x %d; ", row->start, row->cfa.offset);
    }
  if (code->function == NULL)
    fprintf (out, "%s", frame_reason_name (code->reason));
  else
    fprintf (out, "%x", (unsigned)code->size);
  assert_int_equal (fclose (out), 0);
  assert_string_equal (text, expected);
}

/* The next code of WALK, with its rows.  */
static struct cfi_code
next_with_rows (struct cfi_walk *walk)
{
  struct error err = { 0 };
  struct cfi_code code;
  assert_true (cfi_walk_next (walk, &code));
  assert_true (cfi_walk_rows (walk, &code, &err));
  return code;
}

struct expected
{
  uint64_t offset;  /* of the code, from CODE */
  const char *text; /* for expect_code */
};

static void
expect (struct fixture *f, const struct expected *expected, size_t n)
{
  struct cfi_code code;
  struct cfi_walk walk = begin_walk (f);
  for (size_t i = 0; i < n; i++)
    {
      code = next_with_rows (&walk);
      enum frame_reason reason = code.reason;
      expect_code (&code, expected[i].text);
      assert_true (code.address == CODE + expected[i].offset);
      assert_int_equal (code.function != NULL, reason == REASON_NONE);
      assert_int_equal (code.is_code, reason != REASON_FP_UNKNOWN
                                          && reason != REASON_EMPTY_RANGE
                                          && reason != REASON_RELOCATED
                                          && reason != REASON_NOT_EXECUTABLE);
      if (code.function != NULL)
        assert_int_equal (code.function->from_plt, code.kind == CODE_OF_STUB);
    }
  assert_false (cfi_walk_next (&walk, &code));
  cfi_walk_end (&walk);
}

/* A part of a fixture.  OFFSET is from CODE on.  */
struct part
{
  enum
  {
    NO_PART,
    FDE,    /* CFA = SP + 8 */
    BROKEN, /* an FDE with an invalid instruction */
    SIGNAL, /* an FDE of a signal frame */
    STUB,
    FOUND,          /* a function that was found in the code */
    PUSHING = 0x100 /* and more: PUSHING_AT */
  } kind;
  uint64_t offset;
  uint32_t size;
};

/* CFA = SP + 8, from byte AT on SP + 16.  */
#define PUSHING_AT(at) (PUSHING + (at))

static void
add_pushing_fde (struct fixture *f, uint64_t offset, uint32_t size,
                 unsigned at)
{
  const char program[] = { (char)(0x40 + at), 0x0e, 16 };
  put_fde (&f->bytes, f->cie, CODE + offset, size, program, sizeof program);
}

static void
add_part (struct fixture *f, const struct part *part)
{
  if (part->kind == STUB)
    add_stub (f, part->offset, part->size);
  else if (part->kind == FOUND)
    add_found (f, part->offset, part->size);
  else if (part->kind >= PUSHING)
    add_pushing_fde (f, part->offset, part->size, part->kind - PUSHING);
  else if (part->kind == BROKEN)
    put_fde (&f->bytes, f->cie, CODE + part->offset, part->size, "\x3c", 1);
  else if (part->kind == SIGNAL)
    put_fde (&f->bytes,
             put_cie (&f->bytes, 1, "zRS", "\x1b", 1, 1, 0x78, 16,
                      "\x0c\x07\x08\x90\x01", 5),
             CODE + part->offset, part->size, "", 0);
  else
    add_fde (f, part->offset, part->size);
}

/* An offset in front of CODE.  */
#define BELOW (-UINT64_C (0x1000))

static const struct meeting
{
  const char *name;
  struct part parts[13];
  struct expected expected[8];
} meetings[] = {
  /* Each byte of code is visited once, with the first FDE that has it.  */
  { "overlaps_that_agree_hold",
    .parts = { { PUSHING_AT (0x18), 0x00, 0x20 },
               { PUSHING_AT (0x08), 0x10, 0x30 }, /* the same from there on */
               { PUSHING_AT (0x08), 0x10, 0x10 }, /* inside both */
               { FDE, 0x40, 0x10 } /* begins where all end */ },
    .expected = { { 0x00, "0 8; 18 16; 20" },
                  { 0x20, "0 16; 20" },
                  { 0x20, "0" },
                  { 0x40, "0 8; 10" } } },
  /* The first FDE got all of the code, but readers that search a table used
     the other one.  */
  { "overlaps_that_contradict_do_not_hold",
    .parts = { { FDE, 0x00, 0x60 }, { PUSHING_AT (0x08), 0x20, 0x20 } },
    .expected = { { 0x00, "0 8; 28 overlap; 40 8; 60" }, { 0x40, "0" } } },
  /* An FDE inside the first one does not end it.  The third FDE is still in
     the first one and contradicts it.  */
  { "an_fde_inside_does_not_end_the_group",
    .parts = { { FDE, 0x00, 0x60 },
               { FDE, 0x10, 0x10 },
               { PUSHING_AT (0), 0x30, 0x10 } },
    .expected = { { 0x00, "0 8; 30 overlap; 40 8; 60" },
                  { 0x20, "0" },
                  { 0x40, "0" } } },
  /* An FDE that overlaps only a contradicted FDE counts, too.  The conversion
     left such code out although another FDE described it.  */
  { "overlaps_of_the_contradicted_are_heard",
    .parts = { { FDE, 0x00, 0x20 },
               { PUSHING_AT (0), 0x10, 0x28 },
               { FDE, 0x30, 0x20 } },
    .expected = { { 0x00, "0 8; 10 overlap; 20" },
                  { 0x20, "0 16; 10 overlap; 18" },
                  { 0x38, "0 8; 18" } } },
  /* The rules of an FDE with an invalid instruction are unknown.  */
  { "broken_fdes_contradict",
    .parts
    = { { BROKEN, 0x00, 0x20 }, { FDE, 0x10, 0x20 }, { STUB, 0x18, 16 } },
    .expected = { { 0x00, "bad-instruction" }, { 0x20, "0 8; 10" } } },
  /* All of its code is left out, although another FDE describes a part.  */
  { "broken_fdes_stay_where_they_are",
    .parts = { { FDE, 0x00, 0x20 }, { BROKEN, 0x10, 0x20 } },
    .expected
    = { { 0x00, "0 8; 10 overlap; 20" }, { 0x10, "bad-instruction" } } },
  /* A signal frame and an ordinary frame contradict each other.  */
  { "signal_frames_contradict",
    .parts = { { FDE, 0x00, 0x20 }, { SIGNAL, 0x10, 0x10 } },
    .expected = { { 0x00, "0 8; 10 overlap; 20" }, { 0x20, "0" } } },
  { "what_is_no_code_claims_nothing",
    .parts = { { FDE, BELOW, 0x2000 }, { FDE, 0x10, 0 }, { FDE, 0x10, 0x10 } },
    .expected = { { BELOW, "not-executable" },
                  { 0x10, "empty-range" },
                  { 0x10, "0 8; 10" } } },
  { "stubs_count_where_nobody_claims_the_code",
    .parts = { { FDE, 0x00, 0x40 },
               { FDE, 0x10, 0x10 }, /* ends long before the first one */
               { STUB, 0x30, 16 },
               { STUB, 0x40, 16 },
               { FDE, 0x48, 0x10 } /* in the stub */ },
    .expected = { { 0x00, "0 8; 40" },
                  { 0x20, "0" },
                  { 0x40, "stub: 0 8; 10" },
                  { 0x48, "overlap" } } },
  /* A stub has its code as an FDE does, and a stub inside another one is
     ignored.  */
  { "stubs_claim_their_code",
    .parts = { { STUB, 0x00, 16 },
               { STUB, 0x08, 4 },
               { STUB, 0x10, 16 },
               { FDE, 0x1f, 0x11 },
               { FDE, 0x30, 0x10 } },
    .expected = { { 0x00, "stub: 0 8; 10" },
                  { 0x10, "stub: 0 8; 10" },
                  { 0x1f, "overlap" },
                  { 0x30, "0 8; 10" } } },
  { "a_stub_with_an_fde_is_described_by_that",
    .parts = { { STUB, 0x10, 16 }, { FDE, 0x10, 0x10 } },
    .expected = { { 0x10, "0 8; 10" } } },
  { "an_fde_whose_place_is_unknown_claims_nothing",
    .parts
    = { { FDE, 0x00, FILLED_IN_SIZE }, { PUSHING_AT (0x08), 0x10, 0x20 } },
    .expected = { { 0x00, "relocated" }, { 0x10, "0 8; 8 16; 20" } } },
  /* The second FDE overlaps both others.  */
  { "what_claims_nothing_is_not_heard",
    .parts = { { FDE, 0x00, 0x40 },
               { FDE, 0x10, FP_UNKNOWN_SIZE },
               { FDE, 0x20, 0x40 } },
    .expected
    = { { 0x00, "0 8; 40" }, { 0x10, "fp-unknown" }, { 0x40, "0 8; 20" } } },
  { "an_fde_behind_an_empty_one_in_a_stub_is_in_the_stub",
    .parts = { { STUB, 0x10, 16 }, { FDE, 0x14, 0 }, { FDE, 0x18, 16 } },
    .expected = { { 0x10, "stub: 0 8; 10" },
                  { 0x14, "empty-range" },
                  { 0x18, "overlap" } } },
  /* The third FDE contradicts the first one behind the second, which agrees.
   */
  { "what_cannot_be_executed_says_nothing_of_its_code",
    .parts = { { FDE, 0x00, 0x2000 },
               { FDE, 0x10, 0x1000 },
               { FDE, 0x100, RELOCATED_SIZE } },
    .expected = { { 0x00, "0 8; 100 overlap; 1335 8; 2000" },
                  { 0x1010, "0" },
                  { 0x100, "bad-instruction" } } },
  /* Stubs and FDEs have precedence over functions that were found in the code.
   */
  { "what_was_found_is_where_nobody_claims_the_code",
    .parts = { { FOUND, 0x00, 16 },
               { STUB, 0x10, 16 },
               { FOUND, 0x10, 16 },
               { FOUND, 0x18, 16 },
               { FOUND, 0x20, 16 },
               { STUB, 0x28, 16 },
               { FDE, 0x30, 16 },
               { FOUND, 0x30, 16 },
               { FOUND, 0x3f, 16 },
               { FOUND, 0x40, 16 },
               { STUB, 0x50, 16 },
               { FOUND, 0x60, 16 } },
    .expected = { { 0x00, "found: 0 8; 10" },
                  { 0x10, "stub: 0 8; 10" },
                  { 0x20, "found: 0 8; 10" },
                  { 0x30, "0 8; 10" },
                  { 0x40, "found: 0 8; 10" },
                  { 0x50, "stub: 0 8; 10" },
                  { 0x60, "found: 0 8; 10" } } },
};

TEST_ROWS (meetings, const struct meeting *meeting, NULL, NULL, parts_meet)
{
  struct fixture f;
  size_t n = 0;
  begin (&f);
  for (const struct part *part = meeting->parts; part->kind != NO_PART; part++)
    add_part (&f, part);
  while (meeting->expected[n].text != NULL)
    n++;
  expect (&f, meeting->expected, n);
  end (&f);
}

/* If too many FDEs overlap, none is used.  An FDE with a reason of its own
   keeps that.  */
FIXTURE_TEST (among_too_many_overlaps_a_reason_stays)
{
  struct expected expected[18];
  for (unsigned i = 0; i < 17; i++)
    {
      add_fde (f, 0, 16);
      expected[i] = (struct expected){ 0, "overlap" };
    }
  add_fde (f, 0, RELOCATED_SIZE);
  expected[17] = (struct expected){ 0, "bad-instruction" };
  expect (f, expected, 18);
}

/* FP is unknown in all rows, the first one included.  */
FIXTURE_TEST (no_row_says_that_an_unknown_fp_is_kept)
{
  add_pushing_fde (f, 0, 0x20, 0x08);
  struct cfi_walk walk = begin_walk (f);
  /* FP is unknown in one input only.  */
  f->source.cfi.inputs[1] = f->source.cfi.inputs[0];
  f->source.cfi.inputs[1].fp_unknown = true;
  f->source.cfi.fdes[0].input = 1;
  struct cfi_code code = next_with_rows (&walk);
  assert_int_equal (code.function->n_rows, 2);
  for (size_t i = 0; i < 2; i++)
    {
      assert_int_equal (code.function->rows[i].fp.kind, RULE_UNSUPPORTED);
      assert_int_equal (code.function->rows[i].fp.reason, REASON_FP_UNKNOWN);
      assert_int_equal (code.function->rows[i].number, 0);
    }
  cfi_walk_end (&walk);
}

/* An FDE that has no code of its own does not connect others to a group,
   whatever its size.  */
FIXTURE_TEST (what_claims_nothing_makes_no_group)
{
  struct expected expected[42]
      = { { 0x00, "0 8; 40" }, { 0x10, "fp-unknown" } };
  add_fde (f, 0x00, 0x40);
  add_fde (f, 0x10, FP_UNKNOWN_SIZE);
  for (size_t i = 2; i < 42; i++)
    {
      add_fde (f, 0x100 * i, 16);
      expected[i] = (struct expected){ 0x100 * i, "0 8; 10" };
    }
  expect (f, expected, 42);
}

/* If an allocation fails, that is an error.  Where the memory serves only
   speed, the result is the same without it.  */
TEST (without_memory_no_dispute_is_forgotten)
{
  unsigned n_errors = 0;
  bool failed = true;
  for (unsigned n = 0; failed; n++)
    {
      struct fixture f;
      struct error err = { 0 };
      struct cfi_code code;
      begin (&f);
      add_fde (&f, 0, 0x60);
      add_pushing_fde (&f, 0x20, 0x20, 0x08);
      struct cfi_walk walk = begin_walk (&f);
      assert_true (cfi_walk_next (&walk, &code));
      allocation_failed = false;
      allocations_granted = n;
      bool done = cfi_walk_rows (&walk, &code, &err);
      allocations_granted = UINT_MAX;
      failed = allocation_failed;
      n_errors += !done;
      assert_true (done || failed);
      if (done)
        expect_code (&code, "0 8; 28 overlap; 40 8; 60");
      else
        assert_int_equal (err.status, CFI2SFRAME_NO_MEMORY);
      cfi_walk_end (&walk);
      end (&f);
    }
  assert_true (n_errors >= 2);
}

/* The size of the other FDE does not fit into 32 bits.  It contradicts all of
   the code, and not only as much as the lower 32 bits of its size.  */
FIXTURE_TEST (rivals_can_be_larger_than_4_gib)
{
  add_fde (f, 0x00, 0x60);
  size_t cie = put_cie (&f->bytes, 1, "zR", "\x1c", 1, 1, 0x78, 16,
                        "\x0c\x07\x10\x90\x01", 5);
  size_t start = f->bytes.size;
  buffer_u32 (&f->bytes, 0);
  buffer_u32 (&f->bytes, (uint32_t)(start + 4 - cie));
  buffer_u64 (&f->bytes, CODE + 0x20 - (SECTION_ADDRESS + start + 8));
  buffer_u64 (&f->bytes, (UINT64_C (1) << 32) + 0x10);
  buffer_u8 (&f->bytes, 0);
  end_entry (&f->bytes, start);
  struct cfi_walk walk = begin_walk (f);
  struct cfi_code code = next_with_rows (&walk);
  expect_code (&code, "0 8; 20 overlap; 60");
  cfi_walk_end (&walk);
}

/* front_disputed is about the code that the FDE in front has, too.  */
FIXTURE_TEST (a_front_is_disputed_by_its_rows_alone)
{
  add_fde (f, 0x00, 0x20);
  add_fde (f, 0x10, 0x30);
  add_pushing_fde (f, 0x30, 0x20, 0x00);
  static const struct
  {
    bool front_disputed;
    const char *rows;
  } expected[] = { { false, "0 8; 20" },
                   { false, "0 8; 10 overlap; 20" },
                   { true, "0 16; 10" } };
  struct cfi_walk walk = begin_walk (f);
  for (size_t i = 0; i < 3; i++)
    {
      struct cfi_code code = next_with_rows (&walk);
      expect_code (&code, expected[i].rows);
      assert_int_equal (code.front_disputed, expected[i].front_disputed);
      assert_int_equal (code.group, 0);
      assert_int_equal (code.group_end, 3);
    }
  cfi_walk_end (&walk);
}

/* A rule that no row can express is not contradicted by the same rule.  */
FIXTURE_TEST (what_has_no_row_is_not_disputed)
{
  for (uint64_t offset = 0; offset <= 0x10; offset += 0x10)
    put_fde (&f->bytes, f->cie, CODE + offset, 0x20, "\x0f\x01\x96", 3);
  struct cfi_walk walk = begin_walk (f);
  for (size_t i = 0; i < 2; i++)
    {
      struct cfi_code code = next_with_rows (&walk);
      assert_int_equal (code.function->rows[0].cfa.kind, RULE_UNSUPPORTED);
      assert_false (code.front_disputed);
    }
  cfi_walk_end (&walk);
}

/* An image with nops at CODE.  */
struct nops
{
  uint8_t bytes[0x100];
  struct code_image code;
};

static struct padding_finder
nops_finder (struct nops *nops, size_t size)
{
  memset (nops->bytes, 0x90, sizeof nops->bytes);
  code_image_init (&nops->code, EM_X86_64, nops->bytes, size, CODE);
  return (struct padding_finder){ .image = &nops->code.image,
                                  .patterns = arch_patterns_of (EM_X86_64) };
}

/* The bytes behind an FDE inside another one are code of the other one.  */
FIXTURE_TEST (padding_is_behind_all_that_claim_the_code)
{
  struct error err = { 0 };
  struct cfi_code code;
  struct nops nops;
  struct padding_finder finder = nops_finder (&nops, 0x100);
  static const struct
  {
    uint32_t behind, once;
  } expected[] = { { 0, 0 }, { 0, 0 }, { 7, 7 }, { 0, 0 }, { 1, 16 } };
  add_fde (f, 0x00, 0x40);
  add_fde (f, 0x10, 0x18);
  add_fde (f, 0x40, 0x09);
  add_fde (f, 0x50, 0x10);
  add_fde (f, 0x60, 0x10);
  struct cfi_walk walk = begin_walk (f);
  for (size_t i = 0; i < 5; i++)
    {
      assert_true (cfi_walk_next (&walk, &code));
      struct cfi_code as_found = code;
      assert_int_equal (cfi_walk_padding (&walk, &as_found, &finder),
                        expected[i].behind);
      assert_int_equal (cfi_walk_padding_at_most (&walk, &as_found, &finder),
                        expected[i].once);
      assert_true (cfi_walk_rows (&walk, &code, &err));
    }
  cfi_walk_end (&walk);
}

/* Bytes that look like padding may be a function whose FDE cannot be read. The
   check accepts a section that was made without regard to that.  */
FIXTURE_TEST (no_padding_where_an_fde_may_be)
{
  struct cfi_code code;
  struct nops nops;
  struct padding_finder finder = nops_finder (&nops, 0x100);
  add_fde (f, 0x00, 0x09);
  put_fde (&f->bytes, f->cie + 4, CODE + 0x09, 7, "", 0);
  add_fde (f, 0x10, 0x10);
  struct cfi_walk walk = begin_walk (f);
  assert_true (cfi_walk_next (&walk, &code));
  assert_int_equal (cfi_walk_padding (&walk, &code, &finder), 0);
  assert_int_equal (cfi_walk_padding_at_most (&walk, &code, &finder), 7);
  cfi_walk_end (&walk);
}

/* Adjacent FDEs do not overlap, whatever their number.  */
FIXTURE_TEST (many_neighbours_are_no_group)
{
  struct expected expected[40];
  for (size_t i = 0; i < 40; i++)
    {
      add_fde (f, 16 * i, 16);
      expected[i] = (struct expected){ 16 * i, "0 8; 10" };
    }
  expect (f, expected, 40);
}

/* Sixteen FDEs that overlap are all compared.  */
FIXTURE_TEST (a_large_group_is_compared)
{
  struct expected expected[16];
  for (size_t i = 0; i < 16; i++)
    {
      add_fde (f, 0, 16);
      expected[i] = (struct expected){ 16, "0" };
    }
  expected[0] = (struct expected){ 0, "0 8; 10" };
  expect (f, expected, 16);
}

/* Padding ends where a stub begins, too.  */
FIXTURE_TEST (padding_ends_at_a_stub)
{
  struct cfi_code code;
  struct nops nops;
  struct padding_finder finder = nops_finder (&nops, 0x20);
  add_fde (f, 0x00, 0x09);
  add_stub (f, 0x0c, 4);
  struct cfi_walk walk = begin_walk (f);
  assert_true (cfi_walk_next (&walk, &code));
  assert_int_equal (cfi_walk_padding (&walk, &code, &finder), 3);
  cfi_walk_end (&walk);
}

/* There may be padding behind stubs and found functions as well.  With its
   padding, a function must not be larger than 32 bits can express.  */
FIXTURE_TEST (padding_is_behind_whatever_has_rows)
{
  struct cfi_code code;
  struct nops nops;
  struct padding_finder finder = nops_finder (&nops, 0x40);
  struct frame_function found[] = { { .address = CODE + 0x10, .size = 9 },
                                    { .address = CODE + 0x1c, .size = 4 } };
  static const uint32_t padding[] = { 5, 3, 1 };
  f->source.found = (struct frame_functions){ found, 2, 2 };
  add_stub (f, 0x00, 11);
  struct cfi_walk walk = begin_walk (f);
  for (size_t i = 0; i < 3; i++)
    {
      assert_true (cfi_walk_next (&walk, &code));
      assert_int_equal (cfi_walk_padding (&walk, &code, &finder), padding[i]);
    }
  assert_false (cfi_walk_next (&walk, &code));
  code = (struct cfi_code){ .size = UINT32_MAX - PADDING_MAX };
  code.address = CODE + 0x21 - code.size;
  assert_int_equal (cfi_walk_padding (&walk, &code, &finder), 1);
  code.size++;
  code.address--;
  assert_int_equal (cfi_walk_padding (&walk, &code, &finder), 0);
  code = (struct cfi_code){ .address = CODE + 0x21 };
  assert_int_equal (cfi_walk_padding (&walk, &code, &finder), 0);
  cfi_walk_end (&walk);
}

/* Functions with equal programs share their rows, unless a function ends
   before its program does.  */
FIXTURE_TEST (equal_programs_share_rows_as_far_as_code_goes)
{
  static const uint32_t sizes[] = { 64, 64, 8, 65, 64 };
  struct error err = { 0 };
  struct frame_functions list;
  /* From byte 16 on CFA = SP + 16.  */
  for (size_t i = 0; i < N_OF (sizes); i++)
    put_fde (&f->bytes, f->cie, CODE + 128 * i, sizes[i], "\x50\x0e\x10", 3);
  assert_true (eh_frame_read (&f->source.cfi, &arch_amd64, f->bytes.bytes,
                              f->bytes.size, SECTION_ADDRESS, &err));
  assert_true (finished_rows_list (&list, &f->source, &err));
  assert_int_equal (list.n_functions, N_OF (sizes));
  for (size_t i = 0; i < list.n_functions; i++)
    {
      const struct frame_function *function = &list.functions[i];
      assert_int_equal (function->address, CODE + 128 * i);
      assert_int_equal (function->size, sizes[i]);
      assert_int_equal (function->n_rows, sizes[i] > 16 ? 2 : 1);
      assert_true ((function->rows == list.functions[0].rows)
                   == (sizes[i] > 16));
    }
  frame_functions_free (&list);
}

/* Rows that the code contradicts are left out, and only where it does.  */
TEST (disproved_rows_are_left_out)
{
  static struct disproof list[]
      = { { .start = CODE + 0x100, .end = CODE + 0x104 },
          { .start = CODE + 0x120, .end = CODE + 0x128 } };
  static const struct disproofs disproofs = { .list = list, .n = 2 };
  static const struct
  {
    uint64_t offset;
    uint32_t size;
    const char *rows;
  } cases[] = {
    { 0xf0, 0x10, "0 8; 10" },
    { 0xf0, 0x12, "0 8; 10 code-disagrees; 12" },
    { 0xf0, 0x30, "0 8; 10 code-disagrees; 14 8; 30" },
    { 0xf0, 0x31, "0 8; 10 code-disagrees; 14 8; 30 code-disagrees; 31" },
    { 0x100, 0x80, "0 code-disagrees; 4 8; 20 code-disagrees; 28 8; 80" },
    { 0x104, 0x1c, "0 8; 1c" },
    { 0x104, 0x80, "0 8; 1c code-disagrees; 24 8; 80" },
    { 0x127, 1, "0 code-disagrees; 1" },
    { 0x128, 0x80, "0 8; 80" },
  };
  FOR_EACH_ROW (given, cases)
    {
      struct fixture f;
      begin (&f);
      add_fde (&f, 0x10, 0x10);
      add_fde (&f, given->offset, given->size);
      add_fde (&f, 0x800, 0x10);
      f.source.disproofs = &disproofs;
      const struct expected expected[] = { { 0x10, "0 8; 10" },
                                           { given->offset, given->rows },
                                           { 0x800, "0 8; 10" } };
      expect (&f, expected, N_OF (expected));
      end (&f);
    }
}

/* Overlaps are resolved first.  The code may contradict a part of the rows
   that are left.  */
FIXTURE_TEST (disproofs_count_behind_disputes)
{
  static struct disproof list[]
      = { { .start = CODE + 0x18, .end = CODE + 0x24 } };
  static const struct disproofs disproofs = { .list = list, .n = 1 };
  add_fde (f, 0x00, 0x20);
  add_pushing_fde (f, 0x10, 0x20, 4);
  f->source.disproofs = &disproofs;
  const struct expected expected[]
      = { { 0x00, "0 8; 14 overlap; 18 code-disagrees; 20" },
          { 0x20, "0 code-disagrees; 4 16; 10" } };
  expect (f, expected, N_OF (expected));
}

/* The rows are equal, but the return addresses are signed with different keys.
 */
TEST (functions_with_other_keys_contradict)
{
  const struct frame_row row
      = { .cfa = { RULE_REG, 0, 31, 16 }, .ra = { RULE_DEREF_CFA, 0, 0, -8 } };
  for (int key = 0; key <= 1; key++)
    {
      struct frame_function function = { .address = 0x100, .size = 0x20 };
      struct frame_function rival
          = { .address = 0x110, .size = 0x10, .b_key = key == 1 };
      assert_true (frame_function_append (&function, &row));
      assert_true (frame_function_append (&rival, &row));
      assert_true (frame_function_dispute (&function, &rival));
      const struct frame_row *last = &function.rows[function.n_rows - 1];
      assert_int_equal (last->cfa.kind,
                        key == 1 ? RULE_UNSUPPORTED : RULE_REG);
      frame_function_free (&function);
      frame_function_free (&rival);
    }
}

/* Where FP, register 6, is sure from the start of a row on: rows by FP (F),
   and others that say the same of FP (f) or not (-).  Behind the last row
   there may be an older one.  */
TEST (fp_is_sure_as_long_as_the_frame_is)
{
  static const struct
  {
    const char *rows; /* 4 bytes each */
    size_t n_rows, index;
    uint32_t smallest, sure;
  } cases[] = {
    { "Ff-", 3, 1, 1, 5 }, /* one instruction behind a row by FP */
    { "Ff-", 3, 1, 6, 8 }, /* but not behind the row */
    { "fF", 2, 0, 1, 4 },  /* in front of the first one by FP */
    { "-fF", 3, 1, 1, 8 },
    { "ffF", 3, 1, 1, 4 }, /* but not where FP was found so before */
    { "f-F", 3, 0, 1, 0 },
    { "fF", 1, 0, 1, 0 }, /* nothing is known of what comes behind */
  };
  FOR_EACH_ROW (given, cases)
    {
      struct frame_function function = { .size = 0x20 };
      for (size_t k = 0; given->rows[k] != '\0'; k++)
        {
          char kind = given->rows[k];
          const struct frame_row row = {
            .start = (uint32_t)(4 * k),
            .cfa = { RULE_REG, 0, kind == 'F' ? 6 : 7, 16 + 8 * (int)k },
            .fp = { kind == '-' ? RULE_SAME : RULE_DEREF_REG, 0, 6, 0 },
          };
          assert_true (frame_function_append (&function, &row));
        }
      function.n_rows = given->n_rows;
      uint32_t sure = frame_function_fp_sure_end (
          &function, given->index, 4 * (uint32_t)(given->index + 1), 6,
          given->smallest);
      if (sure != given->sure)
        fail_msg ("%u", sure);
      frame_function_free (&function);
    }
}
