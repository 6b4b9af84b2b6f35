/* Unit tests of stacks/top.c: shares of functions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <string.h>
#include <unistd.h>

#include "tests/unit/failing_allocations.h"
#include "stacks/profile_writers.h"
#include "tests/unit_test.h"

enum
{
  ENDED,
  UNNAMED,
  A,
  B,
  MAIN,
  PROCESS,
  NAMES
};

static char *names[NAMES]
    = { "[memory]", "[unknown]", "a", "b", "main", "process" };

/* Count WEIGHT for the stack of N functions, from the outermost one on.  */
static void
count (struct call_tree *calls, const unsigned *stack, unsigned n,
       uint64_t weight)
{
  uint32_t node = 0;
  for (unsigned i = 0; i < n; i++)
    node = call_tree_child (calls, node, stack[i]);
  calls->nodes[node].self += weight;
}

static void
make_profile (struct named_profile *profile)
{
  static const unsigned direct[] = { PROCESS, MAIN, A },
                        recursive[] = { PROCESS, MAIN, A, B, A, A },
                        cut[] = { PROCESS, ENDED, UNNAMED, B },
                        unnamed[] = { PROCESS, ENDED, UNNAMED };
  *profile = (struct named_profile){ .names = { .list = names, .n = NAMES },
                                     .levels = 1 };
  assert_true (call_tree_init (&profile->calls));
  count (&profile->calls, direct, 3, 3);
  count (&profile->calls, recursive, 6, 2);
  count (&profile->calls, cut, 4, 4);
  count (&profile->calls, unnamed, 3, 1);
  profile->totals = calloc (profile->calls.n, sizeof *profile->totals);
  assert_non_null (profile->totals);
  call_tree_sum (&profile->calls, profile->totals);
}

static void
free_profile (struct named_profile *profile)
{
  call_tree_free (&profile->calls);
  free (profile->totals);
}

/* Expect the functions of PROFILE, compared with OLD, to have the N shares of
   EXPECTED.  */
static void
expect_shares (const struct named_profile *profile,
               const struct named_profile *old,
               const struct function_share *expected, size_t n)
{
  size_t found;
  struct function_share *shares = top_list (profile, old, &found);
  assert_non_null (shares);
  assert_int_equal (found, n);
  for (size_t i = 0; i < n; i++)
    {
      assert_string_equal (shares[i].name, expected[i].name);
      assert_float_equal (shares[i].self, expected[i].self, 1e-9);
      assert_float_equal (shares[i].total, expected[i].total, 1e-9);
      assert_float_equal (shares[i].change, expected[i].change, 1e-9);
    }
  free (shares);
}

TEST (a_function_that_calls_itself_counts_once)
{
  static const struct function_share expected[] = { { "a", 50, 50, 0 },
                                                    { "b", 40, 60, 0 },
                                                    { "[unknown]", 10, 50, 0 },
                                                    { "main", 0, 50, 0 } };
  struct named_profile profile;
  make_profile (&profile);
  expect_shares (&profile, NULL, expected, 4);
  free_profile (&profile);
}

/* The process was taken for a caller of the function, which seemed to call
   itself: it had no share but its own.  */
TEST (a_function_is_called_as_its_process)
{
  static const unsigned own[] = { MAIN, MAIN, A };
  static const unsigned other[] = { B, MAIN };
  static const struct function_share expected[]
      = { { "a", 75, 75, 0 }, { "main", 25, 100, 0 } };
  uint64_t totals[6];
  struct named_profile profile = { .names = { .list = names, .n = NAMES },
                                   .levels = 1,
                                   .totals = totals };
  assert_true (call_tree_init (&profile.calls));
  count (&profile.calls, other, 2, 1);
  count (&profile.calls, own, 3, 3);
  call_tree_sum (&profile.calls, totals);
  expect_shares (&profile, NULL, expected, 2);
  call_tree_free (&profile.calls);
}

/* What folded_read says of TEXT.  */
static bool
read_text (const char *text, struct named_profile *old, struct error *err)
{
  char path[] = "/tmp/test_top.XXXXXX";
  int fd = mkstemp (path);
  assert_true (fd >= 0);
  assert_int_equal (write (fd, text, strlen (text)), strlen (text));
  close (fd);
  bool read = folded_read (old, path, err);
  unlink (path);
  return read;
}

/* All callers of each function were gone through, and a file may have a stack
   of any depth.  */
TEST (of_a_deep_stack_shares_are_added_up_at_once)
{
  enum
  {
    MANY = 500000
  };
  char path[] = "folded-XXXXXX";
  struct named_profile profile;
  struct error err;
  size_t n;
  int fd = mkstemp (path);
  FILE *file = fdopen (fd, "w");
  assert_non_null (file);
  fputs ("process;", file);
  for (unsigned i = 0; i < MANY; i++)
    fprintf (file, "f%u%s", i, i + 1 < MANY ? ";" : " 1\n");
  assert_int_equal (fclose (file), 0);
  assert_true (folded_read (&profile, path, &err));
  limit_processor (60);
  struct function_share *shares = top_list (&profile, NULL, &n);
  limit_processor (0);
  assert_int_equal (n, MANY);
  assert_float_equal (shares[0].self, 100, 1e-9);
  free (shares);
  named_profile_free (&profile);
  unlink (path);
}

/* It took ten seconds: each of those was held against all functions.  */
TEST (of_many_processes_those_of_one_are_compared_at_once)
{
  enum
  {
    FUNCTIONS = 20000,
    PROCESSES = 100000
  };
  char path[] = "/tmp/test_top.XXXXXX";
  struct named_profile now, old;
  struct error err;
  uint64_t *before;
  FILE *file = fdopen (mkstemp (path), "w");
  assert_non_null (file);
  for (unsigned i = 0; i < FUNCTIONS; i++)
    fprintf (file, "main;f%u 1\n", i);
  assert_int_equal (fflush (file), 0);
  assert_true (folded_read (&now, path, &err));
  now.levels = 0;
  rewind (file);
  for (unsigned i = 0; i < PROCESSES; i++)
    fprintf (file, "p%06u;main 1\n", i);
  assert_int_equal (fclose (file), 0);
  assert_true (folded_read (&old, path, &err));
  unlink (path);
  limit_processor (4);
  assert_true (folded_weights_before (&now, &old, &before));
  limit_processor (0);
  assert_int_equal (before[0], PROCESSES);
  assert_int_equal (before[1], PROCESSES);
  assert_int_equal (before[2], 0);
  free (before);
  named_profile_free (&now);
  named_profile_free (&old);
}

TEST (what_changed_most_comes_first_whether_it_is_still_there)
{
  static const char text[] = "process;main;a 2\n"
                             "process;main;a;gone: 5\n"
                             "process;[memory];[unknown] 1";
  static const struct function_share expected[]
      = { { "gone:", 0, 0, -62.5 },
          { "b", 40, 60, 40 },
          { "a", 50, 50, 25 },
          { "[unknown]", 10, 50, -2.5 },
          { "main", 0, 50, 0 } };
  struct named_profile profile, old;
  struct error err;
  uint64_t *before;
  make_profile (&profile);
  assert_true (read_text (text, &old, &err));
  assert_int_equal (old.totals[0], 8);
  expect_shares (&profile, &old, expected, 5);
  /* The same stacks have what they had.  */
  assert_true (folded_weights_before (&profile, &old, &before));
  uint32_t process = call_tree_find (&profile.calls, 0, PROCESS);
  uint32_t outer = call_tree_find (&profile.calls, process, MAIN);
  uint32_t a = call_tree_find (&profile.calls, outer, A);
  uint32_t b = call_tree_find (&profile.calls, a, B);
  assert_true (a != 0 && b != 0);
  assert_int_equal (before[0], 8);
  assert_int_equal (before[outer], 7);
  assert_int_equal (before[a], 7);
  assert_int_equal (before[b], 0);
  free (before);
  /* Of one process: those of the other one are added up.  */
  named_profile_free (&old);
  assert_true (read_text ("b;process;main;a 2\nc;process;main;a;b 5\nc 1\n",
                          &old, &err));
  profile.levels = 0;
  assert_true (folded_weights_before (&profile, &old, &before));
  assert_int_equal (before[0], 8);
  assert_int_equal (before[a], 7);
  assert_int_equal (before[b], 5);
  free (before);
  named_profile_free (&old);
  free_profile (&profile);
}

TEST (what_is_no_folded_stack_is_refused)
{
  static const char *const texts[]
      = { "a;b\n", "a;b x\n", "a;b 3 \n", "a 1\nab\n",
          "a 18446744073709551615\nb 1\n" };
  FOR_EACH_ROW (given, texts)
    {
      struct named_profile old;
      struct error err;
      assert_false (read_text (*given, &old, &err));
      assert_int_equal (err.status, CFI2SFRAME_MALFORMED);
      named_profile_free (&old);
    }
}

TEST (a_stack_from_the_other_side_begins_with_the_innermost_function)
{
  struct named_profile profile, inverted;
  make_profile (&profile);
  assert_true (profile_invert (&profile, &inverted));
  const struct call_tree *tree = &inverted.calls;
  assert_int_equal (inverted.totals[0], 10);
  uint32_t a = call_tree_find (tree, 0, A), b = call_tree_find (tree, 0, B);
  assert_int_equal (inverted.totals[a], 5);
  assert_int_equal (inverted.totals[b], 4);
  assert_int_equal (inverted.totals[call_tree_find (tree, a, MAIN)], 3);
  assert_int_equal (inverted.totals[call_tree_find (tree, a, A)], 2);
  assert_int_equal (call_tree_find (tree, 0, MAIN), 0);
  profile_inverted_free (&inverted);
  free_profile (&profile);
}

TEST (the_first_functions_are_printed_in_percent)
{
  struct named_profile profile;
  char *text = NULL;
  size_t size;
  make_profile (&profile);
  FILE *out = open_memstream (&text, &size);
  assert_non_null (out);
  assert_true (top_print (&profile, NULL, 2, out));
  fclose (out);
  assert_string_equal (text, "   self    total  function\n"
                             " 50.0 %   50.0 %  a\n"
                             " 40.0 %   60.0 %  b\n");
  free (text);
  free_profile (&profile);
}

TEST (without_memory_there_is_no_table)
{
  struct named_profile profile, inverted;
  size_t n;
  make_profile (&profile);
  for (unsigned granted = 0; granted < 2; granted++)
    {
      allocations_granted = granted;
      assert_null (top_list (&profile, NULL, &n));
      assert_int_equal (n, 0);
      allocations_granted = granted;
      assert_false (profile_invert (&profile, &inverted));
      profile_inverted_free (&inverted);
    }
  allocations_granted = UINT_MAX;
  free_profile (&profile);
}
