/* Unit tests of stacks/top.c: shares of functions.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/failing_allocations.h"
#include "stacks/top.h"

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
  *profile = (struct named_profile){ .names = names,
                                     .n_names = NAMES,
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

static void
a_function_that_calls_itself_counts_once (void **state)
{
  (void)state;
  static const struct function_share expected[] = {
    { "a", 5, 5 }, { "b", 4, 6 }, { "[unknown]", 1, 5 }, { "main", 0, 5 }
  };
  struct named_profile profile;
  size_t n;
  make_profile (&profile);
  struct function_share *shares = top_list (&profile, &n);
  assert_non_null (shares);
  assert_int_equal (n, 4);
  for (size_t i = 0; i < n; i++)
    {
      assert_string_equal (shares[i].name, expected[i].name);
      assert_int_equal (shares[i].self, expected[i].self);
      assert_int_equal (shares[i].total, expected[i].total);
    }
  free (shares);
  free_profile (&profile);
}

static void
the_first_functions_are_printed_in_percent (void **state)
{
  (void)state;
  struct named_profile profile;
  char *text = NULL;
  size_t size;
  make_profile (&profile);
  FILE *out = open_memstream (&text, &size);
  assert_non_null (out);
  assert_true (top_print (&profile, 2, out));
  fclose (out);
  assert_string_equal (text, "   self    total  function\n"
                             " 50.0 %   50.0 %  a\n"
                             " 40.0 %   60.0 %  b\n");
  free (text);
  free_profile (&profile);
}

static void
without_memory_there_is_no_table (void **state)
{
  (void)state;
  struct named_profile profile;
  size_t n;
  make_profile (&profile);
  for (allocations_granted = 0; allocations_granted < 2;)
    {
      unsigned granted = allocations_granted;
      assert_null (top_list (&profile, &n));
      assert_int_equal (n, 0);
      allocations_granted = granted + 1;
    }
  allocations_granted = UINT_MAX;
  free_profile (&profile);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_function_that_calls_itself_counts_once),
    cmocka_unit_test (the_first_functions_are_printed_in_percent),
    cmocka_unit_test (without_memory_there_is_no_table),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests_name ("top", tests, NULL, NULL);
}
