/* Rows of a state, and the rows of others compared with it
   (analysis/state_row.c).
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "state_fixture.h"
#include "tests/frame_rules.h"

static void
expect_rule (const struct frame_rule *found, struct frame_rule expected)
{
  assert_int_equal (found->kind, expected.kind);
  if (expected.kind == RULE_REG || expected.kind == RULE_DEREF_REG)
    assert_int_equal (found->reg, expected.reg);
  if (expected.kind != RULE_SAME)
    assert_int_equal (found->offset, expected.offset);
}

static void
expect_row (struct frame_rule cfa, struct frame_rule ra, struct frame_rule fp)
{
  struct frame_row row;
  assert_true (state_row (&now, true, &row));
  expect_rule (&row.cfa, cfa);
  expect_rule (&row.ra, ra);
  expect_rule (&row.fp, fp);
}

static void
expect_no_row (void)
{
  struct frame_row row;
  assert_false (state_row (&now, true, &row));
}

FIXTURE_TEST (rows_of_x86_64)
{
  const struct frame_rule ra = at_cfa (-8);
  const struct frame_rule fp = at_cfa (-16);
  enter (&arch_amd64);
  expect_row (reg (RSP, 8), ra, same);
  push (RBP);
  expect_row (reg (RSP, 16), ra, fp);
  move (RBP, RSP, 8);
  add (RSP, RSP, -64);
  expect_row (reg (RBP, 16), ra, fp);
  struct state framed = now;
  change (RBP);
  expect_row (reg (RSP, 80), ra, fp);
  change (RSP);
  expect_no_row ();
  now = framed;
  apply (insn_of (OP_LEAVE, REG_NONE, REG_NONE));
  expect_row (reg (RSP, 8), ra, same);
  /* The saved FP is below SP, and FP itself has another value.  */
  change (RBP);
  expect_no_row ();
  /* The return address is overwritten.  */
  enter_again ();
  store (RAX, RSP, 0);
  expect_no_row ();
  enter_again ();
  store (RBX, RSP, 0);
  expect_no_row ();
}

/* A realigned frame has the CFA and the caller's FP in words of its own.  */
FIXTURE_TEST (rows_of_a_realigned_frame)
{
  const struct frame_rule ra = at_cfa (-8);
  enter (&arch_amd64);
  add (R10, RSP, 8);
  align (RSP, RSP, -32);
  expect_no_row (); /* R10 is nobody's base */
  push (RAX);
  push (RBP);
  expect_no_row ();
  move (RBP, RSP, 8);
  push (R10);
  expect_row (deref_reg (RBP, -8), ra, deref_reg (RBP, 0));
  add (RSP, RSP, -40);
  expect_row (deref_reg (RBP, -8), ra, deref_reg (RBP, 0));
  add (RBP, RBP, -16);
  expect_row (deref_reg (RBP, 8), ra, deref_reg (RBP, 16));
  /* A rule may find the CFA through SP, but not FP.  */
  enter_again ();
  add (R10, RSP, 8);
  align (RSP, RSP, -32);
  push (R10);
  expect_row (deref_reg (RSP, 0), ra, same);
  push (RBP);
  expect_row (deref_reg (RSP, 8), ra, same);
  change (RBP);
  expect_no_row ();
  /* A word below SP may be overwritten, so it is no rule.  */
  add (RSP, RSP, 16);
  expect_no_row ();
  /* FP has the base, and its old value is saved nowhere.  */
  enter_again ();
  add (R10, RSP, 8);
  align (RSP, RSP, -32);
  push (R10);
  move (RBP, RSP, 8);
  expect_no_row ();
  /* The base is at most CFA - 16: below it, SP is below what was pushed. Above
     it, SP may be above that.  */
  enter_again ();
  push (RBP);
  move (RBP, RSP, 8);
  align (RSP, RSP, -32);
  expect_row (reg (RBP, 16), ra, at_cfa (-16));
  add (RSP, RSP, -16);
  expect_row (reg (RBP, 16), ra, at_cfa (-16));
  add (RSP, RSP, 24);
  expect_no_row ();
}

/* If several slots have the return address, the rule is the one in the frame
   record.  Without a record it is not known which of them callees overwrite.
 */
FIXTURE_TEST (copies_of_the_return_address)
{
  for (int first = 0; first < 2; first++)
    {
      enter (&arch_aarch64);
      add (SP, SP, -64);
      if (first)
        store (LR, SP, 32);
      apply (pair (OP_STORE, FP, LR, 0));
      if (!first)
        store (LR, SP, 32);
      change (LR);
      expect_row (reg (SP, 64), at_cfa (-56), at_cfa (-64));
    }
  enter (&arch_aarch64);
  add (SP, SP, -64);
  store (LR, SP, 8);
  store (LR, SP, 32);
  change (LR);
  expect_no_row ();
  /* The return address of the record has another base.  */
  enter (&arch_aarch64);
  add (SP, SP, -16);
  store (LR, SP, 0);
  store (FP, SP, 8);
  add (9, SP, 0);
  align (SP, SP, -32);
  add (SP, SP, -32);
  apply (pair (OP_STORE, FP, LR, 0));
  add (FP, 9, 0);
  change (LR);
  expect_no_row ();
}

FIXTURE_TEST (rows_of_aarch64)
{
  const struct frame_rule ra = at_cfa (-24);
  const struct frame_rule fp = at_cfa (-32);
  struct frame_row row;
  enter (&arch_aarch64);
  expect_row (reg (SP, 0), same, same);
  with_immediate (OP_SIGN, LR, LR, 0);
  assert_true (state_row (&now, true, &row));
  assert_true (row.ra_signed);
  add (SP, SP, -32);
  apply (pair (OP_STORE, FP, LR, 0));
  expect_row (reg (SP, 32), ra, fp);
  assert_true (state_row (&now, true, &row));
  assert_true (row.ra_signed);
  /* SP is the better base, as it moves once.  */
  add (FP, SP, 0);
  expect_row (reg (SP, 32), ra, fp);
  change (LR);
  expect_row (reg (SP, 32), ra, fp);
  change (SP);
  expect_row (reg (FP, 32), ra, fp);
  /* Rows cannot express key B.  */
  enter_again ();
  with_immediate (OP_SIGN, LR, LR, 1);
  assert_false (state_row (&now, true, &row));
  enter_again ();
  change (LR);
  expect_no_row ();
  /* The slot of FP is no rule as long as FP is also in its register.  */
  enter_again ();
  add (SP, SP, -32);
  store (FP, SP, 0);
  expect_row (reg (SP, 32), same, same);
  change (FP);
  expect_row (reg (SP, 32), same, fp);
  assert_true (state_row (&now, true, &row));
  assert_false (row.ra_signed);
}

/* Words below SP may be overwritten at any time.  */
FIXTURE_TEST (words_below_the_stack_pointer_are_not_kept)
{
  const struct value saved = value_of (VALUE_SAVED, RBX);
  enter (&arch_amd64);
  assert_false (state_can_restore (&now, saved));
  store (RBX, RSP, -8);
  assert_false (state_can_restore (&now, saved));
  add (RSP, RSP, -8);
  assert_true (state_can_restore (&now, saved));
  add (RSP, RSP, 8);
  assert_false (state_can_restore (&now, saved));
  /* With another base that cannot be checked, and the compiler is trusted.  */
  enter_again ();
  push (RBX);
  align (RSP, RSP, -32);
  assert_true (state_can_restore (&now, saved));
  enter_again ();
  align (RSP, RSP, -32);
  push (RBX);
  assert_true (state_can_restore (&now, saved));
  add (RSP, RSP, 8);
  assert_false (state_can_restore (&now, saved));
}

AMD64_TEST (nothing_is_left_of_a_frame_without_pointers_to_it)
{
  assert_false (state_has_lost_frame (&now));
  move (RBX, RSP, 8);
  move (R12, RSP, 8);
  change (RSP);
  assert_false (state_has_lost_frame (&now));
  change (RBX);
  assert_false (state_has_lost_frame (&now));
  change (R12);
  assert_true (state_has_lost_frame (&now));
}

FIXTURE_TEST (every_preserved_register_is_restored)
{
  static const unsigned preserved[] = { RBX, RBP, R12, 13, 14, 15 };
  FOR_EACH_ROW (given, preserved)
    {
      enter (&arch_amd64);
      change (*given);
      assert_false (state_is_restored (&now));
    }
  enter (&arch_amd64);
  change (RAX);
  change (R10);
  assert_true (state_is_restored (&now));
  store (RAX, RSP, 0);
  assert_false (state_is_restored (&now));
  enter (&arch_aarch64);
  change (LR);
  assert_false (state_is_restored (&now));
}

static void
expect_cfa (struct frame_rule cfa, enum verdict verdict)
{
  const struct frame_row row = { .cfa = cfa, .ra = same, .fp = same };
  assert_int_equal (state_check (&now, ROW_CFA, &row), verdict);
}

static void
expect_fp (struct frame_rule fp, enum verdict verdict)
{
  const struct frame_row row = { .cfa = same, .ra = same, .fp = fp };
  assert_int_equal (state_check (&now, ROW_FP, &row), verdict);
}

static void
expect_ra (struct frame_rule ra, bool is_signed, enum verdict verdict)
{
  const struct frame_row row
      = { .cfa = same, .ra = ra, .fp = same, .ra_signed = is_signed };
  assert_int_equal (state_check (&now, ROW_RA, &row), verdict);
}

/* Where the word is that the rule WHICH restores; VALUE_UNKNOWN: nowhere.  */
static void
expect_saved_at (enum row_rule which, enum value_kind kind, int64_t number)
{
  struct value place = state_saved_at (&now, which);
  assert_int_equal (place.kind, kind);
  if (kind != VALUE_UNKNOWN)
    assert_true (place.number == number);
}

AMD64_TEST (the_cfa_of_others)
{
  push (RBP);
  expect_cfa (reg (RSP, 16), VERDICT_AGREES);
  expect_cfa (reg (RSP, 8), VERDICT_CONTRADICTS);
  expect_cfa (reg (RBP, 0), VERDICT_CONTRADICTS);
  expect_cfa (reg (RBP, 16), VERDICT_CONTRADICTS);
  expect_cfa (reg (RAX, 16), VERDICT_UNKNOWN);
  expect_cfa (reg (40, 0), VERDICT_UNKNOWN);
  store (RSP, RSP, -8);
  expect_cfa (deref_reg (RSP, -8), VERDICT_CONTRADICTS);
  add (RAX, RSP, 16);
  store (RAX, RSP, -8);
  expect_cfa (deref_reg (RSP, -8), VERDICT_AGREES);
}

/* The base has an upper limit.  A CFA that is below the right one for every
   such base is wrong.  */
FIXTURE_TEST (a_cfa_too_low_is_wrong_whatever_the_base_is)
{
  state_with_base (-32, false);
  expect_cfa (reg (RSP, 31), VERDICT_CONTRADICTS);
  expect_cfa (reg (RSP, 32), VERDICT_UNKNOWN);
  expect_cfa (reg (RSP, 33), VERDICT_UNKNOWN);
  state_with_base (-32, true);
  expect_cfa (reg (RSP, 31), VERDICT_CONTRADICTS);
  expect_cfa (reg (RSP, 32), VERDICT_CONTRADICTS);
  expect_cfa (reg (RSP, 33), VERDICT_UNKNOWN);
}

AMD64_TEST (the_frame_pointer_of_others)
{
  expect_fp (same, VERDICT_AGREES);
  push (RBP);
  expect_fp (at_cfa (-16), VERDICT_AGREES);
  expect_fp (at_cfa (-8), VERDICT_CONTRADICTS);
  /* The word is below SP, and no instruction has stored it.  */
  expect_fp (at_cfa (-24), VERDICT_CONTRADICTS);
  /* No instruction has stored it in a word of the frame either.  */
  add (RSP, RSP, -8);
  expect_fp (at_cfa (-24), VERDICT_CONTRADICTS);
  /* Words of the caller's frame are not known.  */
  expect_fp (at_cfa (8), VERDICT_UNKNOWN);
  add (RSP, RSP, 8);
  move (RBP, RSP, 8);
  expect_fp (at_cfa (-24), VERDICT_CONTRADICTS);
  expect_fp (same, VERDICT_CONTRADICTS);
  expect_fp (deref_reg (RBP, 0), VERDICT_AGREES);
  /* FP has a computed value, while the right one is saved.  */
  set (RBP, 1);
  expect_fp (same, VERDICT_CONTRADICTS);
  change (RBP);
  expect_fp (same, VERDICT_CONTRADICTS);
  now.registers[RBP] = value_of (VALUE_TABLE_ENTRY, 1);
  expect_fp (same, VERDICT_CONTRADICTS);
  now.registers[RBP] = value_of (VALUE_TABLE_TARGET, 1);
  expect_fp (same, VERDICT_CONTRADICTS);
  /* A value on which paths did not agree may be right.  */
  now.registers[RBP] = value_new (VALUE_UNKNOWN, address, RBP);
  expect_fp (same, VERDICT_UNKNOWN);
  /* Nobody knows where the right one is.  */
  enter_again ();
  change (RBP);
  expect_fp (same, VERDICT_UNKNOWN);
  /* The frame has been released.  */
  enter_again ();
  expect_fp (deref_reg (RBP, 0), VERDICT_CONTRADICTS);
  change (RAX);
  expect_fp (deref_reg (RAX, 0), VERDICT_UNKNOWN);
}

AARCH64_TEST (the_return_address_of_others)
{
  expect_ra (same, false, VERDICT_AGREES);
  expect_ra (same, true, VERDICT_CONTRADICTS);
  with_immediate (OP_SIGN, LR, LR, 1);
  expect_ra (same, true, VERDICT_AGREES);
  expect_ra (same, false, VERDICT_CONTRADICTS);
  add (SP, SP, -16);
  store (LR, SP, 8);
  expect_ra (at_cfa (-8), true, VERDICT_AGREES);
  expect_ra (at_cfa (-16), true, VERDICT_CONTRADICTS);
  expect_saved_at (ROW_RA, VALUE_CFA, -8);
  change (LR);
  expect_ra (same, true, VERDICT_CONTRADICTS);
  store (X0, SP, 8);
  expect_ra (same, true, VERDICT_UNKNOWN);
  expect_saved_at (ROW_RA, VALUE_UNKNOWN, 0);
  store (X19, SP, 8);
  expect_ra (at_cfa (-8), true, VERDICT_CONTRADICTS);
  /* This path has made no frame, so the word is not of it.  */
  enter_again ();
  expect_ra (at_cfa (-8), false, VERDICT_CONTRADICTS);
  add (SP, SP, -16);
  expect_ra (at_cfa (-8), false, VERDICT_CONTRADICTS);
  /* Nobody knows where the right one is.  */
  change (LR);
  expect_ra (at_cfa (-8), false, VERDICT_UNKNOWN);
  /* On x86-64 the call has pushed it.  */
  enter (&arch_amd64);
  expect_ra (at_cfa (-8), false, VERDICT_AGREES);
  expect_ra (at_cfa (-16), false, VERDICT_CONTRADICTS);
  expect_ra ((struct frame_rule){ .kind = RULE_UNDEFINED }, false,
             VERDICT_AGREES);
}

AMD64_TEST (where_things_are_kept)
{
  expect_saved_at (ROW_FP, VALUE_UNKNOWN, 0);
  align (RSP, RSP, -32);
  push (RBP);
  expect_saved_at (ROW_FP, VALUE_BASE, -8);
  enter_again ();
  push (RBP);
  expect_saved_at (ROW_FP, VALUE_CFA, -16);
  enter (&arch_aarch64);
  align (SP, SP, -32);
  store (LR, SP, 8);
  expect_saved_at (ROW_RA, VALUE_BASE, 8);
}

/* Go saves FP in the word below SP, which callees do not overwrite.  */
FIXTURE_TEST (the_word_below_the_stack_pointer_is_kept_in_go)
{
  const struct value saved = value_of (VALUE_SAVED, FP);
  enter (&arch_aarch64);
  const struct code_machine *usual = machine;
  for (int turn = 0; turn < 2; turn++)
    {
      machine
          = turn ? code_machine_with (&arch_aarch64, CONVENTIONS_GO) : usual;
      enter_again ();
      const struct frame_row row = { .cfa = { RULE_REG, 0, SP, 0 },
                                     .ra = { .kind = RULE_SAME },
                                     .fp = { RULE_DEREF_CFA, 0, 0, -8 } };
      assert_int_equal (state_check (&now, ROW_FP, &row), VERDICT_CONTRADICTS);
      store (FP, SP, -8);
      store (X19, SP, -16);
      assert_int_equal (state_can_restore (&now, saved), turn);
      call ();
      expect_word (SP, -8, turn ? VALUE_SAVED : VALUE_UNKNOWN, turn ? FP : 0);
      expect_unknown_word (SP, -16);
    }
}

/* States whose rows would be wrong or cannot be expressed.  */
AMD64_TEST (states_without_rows)
{
  add (RSP, RSP, -INT64_C (0x7ffffff0));
  expect_row (reg (RSP, 0x7ffffff8), at_cfa (-8), same);
  add (RSP, RSP, -64); /* an offset of 32 bits cannot say it */
  expect_no_row ();
  /* The return address was popped, so the next call overwrites it.  */
  enter (&arch_amd64);
  pop (REG_NONE);
  expect_no_row ();
  /* Parent and child have different stacks.  */
  enter (&arch_aarch64);
  call_kernel (machine->clone, 0x5000, true);
  expect_no_row ();
  /* If a signed return address has two copies, that in the record counts.  */
  enter (&arch_aarch64);
  with_immediate (OP_SIGN, LR, LR, 0);
  add (SP, SP, -64);
  store (LR, SP, 32);
  apply (pair (OP_STORE, FP, LR, 0));
  change (LR);
  expect_row (reg (SP, 64), at_cfa (-56), at_cfa (-64));
}

/* A pointer into the frame counts in any register and with any base.  */
AMD64_TEST (any_pointer_keeps_the_frame)
{
  move (RAX, RSP, 8);
  change (RSP);
  assert_false (state_has_lost_frame (&now));
  enter_again ();
  align (RSP, RSP, -32);
  assert_false (state_has_lost_frame (&now));
}

/* A rule by a register is right if the register has the right value.  */
AMD64_TEST (registers_of_others)
{
  push (RBP);
  move (RBX, RBP, 8);
  expect_fp (reg (RBX, 0), VERDICT_AGREES);
  expect_fp (reg (RBX, 8), VERDICT_UNKNOWN);
  change (RAX);
  expect_fp (reg (RAX, 0), VERDICT_UNKNOWN);
  /* No register has that number, whatever is in memory behind the last one. */
  now.bounds[0].subject.base = value_of (VALUE_CFA, 0);
  expect_cfa (reg (REG_COUNT, 0), VERDICT_UNKNOWN);
}
