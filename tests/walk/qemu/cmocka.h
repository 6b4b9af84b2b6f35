/* As much of cmocka as tests/unit_test.h and test_sframewalk.c need, for
   machines that run under qemu and have no libraries.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CMOCKA_H
#define CMOCKA_H

#include <stdio.h>
#include <stdlib.h>

#define assert_true(c) ((c) ? (void)0 : fail_at (__FILE__, __LINE__, #c))
#define assert_false(c) assert_true (!(c))
#define assert_null(p) assert_true ((p) == NULL)
#define assert_non_null(p) assert_true ((p) != NULL)
#define assert_int_equal(a, b) assert_true ((uint64_t)(a) == (uint64_t)(b))
#define assert_ptr_equal(a, b) assert_true ((a) == (b))
#define assert_ptr_not_equal(a, b) \
  assert_true ((const void *)(a) != (const void *)(b))
#define assert_memory_equal(a, b, n) assert_true (memcmp (a, b, n) == 0)
#define fail_msg(...) \
  (fprintf (stderr, __VA_ARGS__), fail_at (__FILE__, __LINE__, "fail"))
#define print_message(...) printf (__VA_ARGS__)
#define cmocka_set_message_output(kind) ((void)0)

typedef void (*CMUnitTestFunction) (void **);
typedef int (*CMFixtureFunction) (void **);

struct CMUnitTest
{
  const char *name;
  CMUnitTestFunction run;
  CMFixtureFunction set_up, tear_down;
  void *initial_state;
};

static inline void
fail_at (const char *file, int line, const char *what)
{
  printf ("# %s:%d: %s\n", file, line, what);
  exit (1);
}

static inline int
_cmocka_run_group_tests (const char *group, const struct CMUnitTest *tests,
                         size_t n, CMFixtureFunction set_up,
                         CMFixtureFunction tear_down)
{
  (void)group;
  (void)set_up;
  (void)tear_down;
  for (size_t i = 0; i < n; i++)
    {
      void *state = tests[i].initial_state;
      if (tests[i].set_up != NULL)
        tests[i].set_up (&state);
      tests[i].run (&state);
      if (tests[i].tear_down != NULL)
        tests[i].tear_down (&state);
      printf ("# %s\n", tests[i].name);
      fflush (stdout);
    }
  printf ("# all %zu\n", n);
  return 0;
}

#endif
