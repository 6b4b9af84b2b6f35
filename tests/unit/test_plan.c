/* Unit tests of src/place/plan.c: what a plan copies, clears and patches, and
   the pieces that it is cut into.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "place/plan.h"
#include "tests/unit_test.h"

enum
{
  MODEL_SIZE = 64
};

/* MODEL has one number for each byte of the new file: the offset of the byte
   of the old file that it is a copy of, plus 1, or 0 for none.  */
static void
check_extents (const struct plan *plan, const uint64_t *model)
{
  uint64_t at = 0;
  for (size_t i = 0; i < plan->n_extents; i++)
    {
      const struct plan_extent *extent = &plan->extents[i];
      assert_true (extent->size > 0 && extent->new_offset >= at);
      for (; at < extent->new_offset; at++)
        assert_int_equal (model[at], 0);
      for (uint64_t k = 0; k < extent->size; k++)
        assert_int_equal (model[at++], extent->old_offset + k + 1);
    }
  for (; at < MODEL_SIZE; at++)
    assert_int_equal (model[at], 0);
}

/* Check that plan_find finds the SIZE bytes at offset AT of the old file if,
   and only if, one extent has all of them.  */
static void
check_find (const struct plan *plan, uint64_t at, uint64_t size)
{
  uint64_t found = UINT64_MAX, expected = UINT64_MAX;
  for (size_t i = 0; i < plan->n_extents && expected == UINT64_MAX; i++)
    {
      const struct plan_extent *extent = &plan->extents[i];
      if (at >= extent->old_offset
          && at + size <= extent->old_offset + extent->size
          && at < extent->old_offset + extent->size)
        expected = extent->new_offset + (at - extent->old_offset);
    }
  assert_int_equal (plan_find (plan, at, size, &found),
                    expected != UINT64_MAX);
  assert_int_equal (found, expected);
}

TEST (copies_and_gaps_are_kept_apart)
{
  struct error err = { 0 };
  uint32_t seed = 1;
  for (int round = 0; round < 300; round++)
    {
      struct plan plan = { 0 };
      uint64_t model[MODEL_SIZE] = { 0 };
      for (int i = 0; i < 12; i++)
        {
          seed = seed * 1103515245 + 12345;
          uint64_t to = (seed >> 8) % (MODEL_SIZE - 16);
          uint64_t size = (seed >> 16) % 16, from = (seed >> 20) % 1000;
          bool copied = seed >> 31;
          assert_true (copied ? plan_copy (&plan, from, to, size, &err)
                              : plan_clear (&plan, to, size, &err));
          for (uint64_t k = 0; k < size; k++)
            model[to + k] = copied ? from + k + 1 : 0;
          check_extents (&plan, model);
          check_find (&plan, from, 1);
          check_find (&plan, from + 3, 5);
          check_find (&plan, from, size + 1);
        }
      plan_free (&plan);
      assert_int_equal (plan.n_extents + plan.n_patches, 0);
      assert_null (plan.strategy);
      assert_null (plan.extents);
    }
}

TEST (a_size_that_wraps_around_clears_up_to_the_end)
{
  static const uint64_t sizes[]
      = { -(uint64_t)40, -(uint64_t)39, UINT64_MAX - 40, UINT64_MAX };
  struct error err = { 0 };
  FOR_EACH_ROW (given, sizes)
    {
      struct plan plan = { 0 };
      for (uint64_t at = 0; at < 128; at += 32)
        assert_true (plan_copy (&plan, at, at, 16, &err));
      assert_true (plan_clear (&plan, 40, *given, &err));
      assert_int_equal (plan.n_extents, 2);
      assert_int_equal (plan.extents[0].size, 16);
      assert_int_equal (plan.extents[1].new_offset, 32);
      assert_int_equal (plan.extents[1].size, 8);
      plan_free (&plan);
    }
}

/* A later patch covers an earlier one, and .sframe covers everything.  */
TEST (plans_are_cut_where_anything_begins_or_ends)
{
  static const uint8_t old[64], sframe[8];
  struct plan plan
      = { .new_size = 50, .sframe_offset = 40, .sframe_size = sizeof sframe };
  struct error err = { 0 };
  assert_true (plan_copy (&plan, 0, 0, 16, &err));
  assert_true (plan_copy (&plan, 32, 24, 20, &err));
  uint8_t *first = plan_add_patch (&plan, 4, 4, &err);
  uint8_t *second = plan_add_patch (&plan, 6, 12, &err);
  assert_non_null (plan_add_patch (&plan, 30, 0, &err));
  const struct plan_piece wanted[] = {
    { 0, 4, old, old },
    { 4, 2, first, old + 4 },
    { 6, 2, second, old + 6 },
    { 8, 8, second + 2, old + 8 },
    { 16, 2, second + 10, NULL },
    { 18, 6, NULL, NULL },
    { 24, 6, old + 32, old + 32 },
    { 30, 10, old + 38, old + 38 },
    { 40, 4, sframe, old + 48 },
    { 44, 4, sframe + 4, NULL },
    { 48, 2, NULL, NULL },
  };
  size_t n;
  struct plan_piece *pieces = plan_cut (&plan, old, sframe, &n);
  assert_non_null (pieces);
  assert_int_equal (n, N_OF (wanted));
  assert_memory_equal (pieces, wanted, sizeof wanted);
  free (pieces);
  plan_free (&plan);
}
