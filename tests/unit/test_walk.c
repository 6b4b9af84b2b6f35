/* The walk over FDEs and PLT stubs: whose rows hold where.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cfi/eh_frame.h"
#include "cfi/walk.h"
#include "tests/unit/cfi_builder.h"

#define CODE UINT64_C (0x123400010000)

enum
{
  CODE_SIZE = 0x10000,
  STUBS_MAX = 4
};

struct fixture
{
  struct cfi_source source;
  struct frame_function stubs[STUBS_MAX];
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

static void
add_stub (struct fixture *f, uint64_t offset, uint32_t size)
{
  struct plt_list *plt = &f->source.plt;
  plt->functions = f->stubs;
  f->stubs[plt->n_functions++] = (struct frame_function){
    .address = CODE + offset,
    .size = size,
    .from_plt = true,
    .rows = &f->row,
    .n_rows = 1,
  };
}

static void
end (struct fixture *f)
{
  cfi_section_free (&f->source.cfi);
  buffer_free (&f->bytes);
}

struct expected
{
  uint64_t offset; /* of the code, from CODE */
  bool stub;
  enum frame_reason reason; /* after execution */
};

static void
expect (struct fixture *f, const struct expected *expected, size_t n)
{
  struct error err = { 0 };
  struct cfi_walk walk;
  struct cfi_code code;
  assert_true (eh_frame_read (&f->source.cfi, &arch_amd64, f->bytes.bytes,
                              f->bytes.size, SECTION_ADDRESS, &err));
  assert_true (cfi_walk_begin (&walk, &f->source, &err));
  for (size_t i = 0; i < n; i++)
    {
      enum frame_reason reason = expected[i].reason;
      assert_true (cfi_walk_next (&walk, &code));
      assert_true (cfi_walk_rows (&walk, &code, &err));
      assert_true (code.address == CODE + expected[i].offset);
      assert_int_equal (code.fde == NULL, expected[i].stub);
      assert_string_equal (frame_reason_name (code.reason),
                           frame_reason_name (reason));
      assert_int_equal (code.function != NULL, reason == REASON_NONE);
      assert_int_equal (code.is_code, reason != REASON_EMPTY_RANGE
                                          && reason != REASON_NOT_EXECUTABLE);
    }
  assert_false (cfi_walk_next (&walk, &code));
  cfi_walk_end (&walk);
  end (f);
}

static void
in_address_order (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  add_fde (&f, 0x200, 16);
  add_fde (&f, 0x100, 16);
  add_stub (&f, 0x80, 16);
  add_stub (&f, 0x180, 16);
  add_stub (&f, 0x300, 16);
  static const struct expected expected[] = { { 0x80, true, 0 },
                                              { 0x100, false, 0 },
                                              { 0x180, true, 0 },
                                              { 0x200, false, 0 },
                                              { 0x300, true, 0 } };
  expect (&f, expected, 5);
}

/* What overlaps a rejected FDE only is no better than the rejected one: it
   was left out by the conversion and described elsewhere.  */
static void
overlaps_of_the_rejected_are_rejected (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  add_fde (&f, 0x00, 0x20);
  add_fde (&f, 0x10, 0x30); /* overlaps the first */
  add_fde (&f, 0x30, 0x20); /* overlaps the second only */
  add_fde (&f, 0x50, 0x10); /* begins where all end */
  static const struct expected expected[] = { { 0x00, false, REASON_NONE },
                                              { 0x10, false, REASON_OVERLAP },
                                              { 0x30, false, REASON_OVERLAP },
                                              { 0x50, false, REASON_NONE } };
  expect (&f, expected, 4);
}

/* An FDE whose instructions are broken still claims its code.  */
static void
broken_fdes_claim_their_code (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  put_fde (&f.bytes, f.cie, CODE, 0x20, "\x3c", 1);
  add_fde (&f, 0x10, 0x20);
  add_stub (&f, 0x18, 16);
  static const struct expected expected[]
      = { { 0x00, false, REASON_BAD_INSTRUCTION },
          { 0x10, false, REASON_OVERLAP } };
  expect (&f, expected, 2);
}

static void
what_is_no_code_claims_nothing (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  put_fde (&f.bytes, f.cie, CODE - 0x1000, 0x2000, "", 0);
  add_fde (&f, 0x10, 0);
  add_fde (&f, 0x10, 0x10);
  static const struct expected expected[]
      = { { -UINT64_C (0x1000), false, REASON_NOT_EXECUTABLE },
          { 0x10, false, REASON_EMPTY_RANGE },
          { 0x10, false, REASON_NONE } };
  expect (&f, expected, 3);
}

static void
stubs_count_where_nobody_claims_the_code (void **state)
{
  (void)state;
  struct fixture f;
  begin (&f);
  add_fde (&f, 0x00, 0x40);
  add_fde (&f, 0x10, 0x10); /* ends long before the first one */
  add_stub (&f, 0x30, 16);
  add_stub (&f, 0x40, 16);
  add_fde (&f, 0x48, 0x10); /* in the stub */
  static const struct expected expected[]
      = { { 0x00, false, REASON_NONE },
          { 0x10, false, REASON_OVERLAP },
          { 0x40, true, REASON_NONE },
          { 0x48, false, REASON_OVERLAP } };
  expect (&f, expected, 4);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (in_address_order),
    cmocka_unit_test (overlaps_of_the_rejected_are_rejected),
    cmocka_unit_test (broken_fdes_claim_their_code),
    cmocka_unit_test (what_is_no_code_claims_nothing),
    cmocka_unit_test (stubs_count_where_nobody_claims_the_code),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
