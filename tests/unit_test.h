/* Unit tests that enter themselves in their program's list.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program of tests includes this instead of cmocka.h, which it brings along
   with the headers that cmocka.h asks for, and has neither a list of tests nor
   a main function: no test can be forgotten.  Tests run in the order in which
   they stand in the file.

     TEST (name) { ... }
     TEST_BETWEEN (set_up, tear_down, name) { ... }
     TEST_ON (struct fixture *test, set_up, tear_down, name) { ... TEST ... }
     TEST_WITH (struct tree, tree, make, remove, name) { ... TREE ... }
     TEST_ROWS (table, const struct row *row, NULL, NULL, name) { ... }
     TEST_GROUP (set_up, tear_down)

   TEST_ON gives the function what SET_UP has put in its state.  TEST_WITH
   gives it a struct.  MAKE (struct) fills the struct in before the test, and
   REMOVE (struct) releases it after the test, even if that fails.  TEST_ROWS
   makes a test for each row of a table, a struct whose first member is the
   test's name.  The function is given the row, or what SET_UP, which finds
   the row in the state, puts there instead.  TEST_GROUP is done before and
   after all tests.

   Within a test, FOR_EACH_ROW (row, table) goes through a table whose rows
   have no names, and the number of the row at which the test fails is printed.
   The loop is not to be left in another way.  */

#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#include <cmocka.h>

#define N_OF(array) (sizeof (array) / sizeof *(array))

/* The row that FOR_EACH_ROW is at, counted from 1; 0: none.  */
static size_t test_row;

static inline bool
test_at_row (size_t index, size_t n)
{
  test_row = index < n ? index + 1 : 0;
  return index < n;
}

#define FOR_EACH_ROW(row, table)                   \
  for (const __typeof__ (*(table)) *row = (table); \
       test_at_row ((size_t)(row - (table)), N_OF (table)); row++)

/* End the program after so many seconds of the processor, unless this is
   called with 0 before: for searches that could be quadratic.  What alarm
   counts is what other programs take, too.  */
static inline void
limit_processor (unsigned seconds)
{
  const struct itimerval limit = { .it_value.tv_sec = seconds };
  setitimer (ITIMER_PROF, &limit, NULL);
}

/* A test, or one for each of the N rows of SIZE bytes.  */
struct test_entry
{
  int line;
  struct CMUnitTest test;
  const char *rows;
  size_t n, size;
  struct test_entry *next;
};

static struct test_entry *test_entries;
static CMFixtureFunction test_group_set_up, test_group_tear_down;

/* Constructors run in any order, so entries are sorted.  */
static inline void
test_enter (struct test_entry *entry)
{
  struct test_entry **place = &test_entries;
  while (*place != NULL && (*place)->line < entry->line)
    place = &(*place)->next;
  entry->next = *place;
  *place = entry;
}

/* What is done behind each test, whether it has failed or not.  */
static inline int
test_end (CMFixtureFunction tear_down, void **state)
{
  if (test_row > 0)
    print_message ("# at row %zu of its table\n", test_row);
  test_row = 0;
  return tear_down != NULL ? tear_down (state) : 0;
}

#define TEST_ENTER(function, its_name, set_up, tear_down, ...)              \
  static int leave_##function (void **state)                                \
  {                                                                         \
    return test_end (tear_down, state);                                     \
  }                                                                         \
  __attribute__ ((constructor)) static void enter_##function (void)         \
  {                                                                         \
    static struct test_entry entry                                          \
        = { .line = __LINE__,                                               \
            .test                                                           \
            = { its_name, run_##function, set_up, leave_##function, NULL }, \
            __VA_ARGS__ };                                                  \
    test_enter (&entry);                                                    \
  }

#define TEST_BETWEEN(set_up, tear_down, function)                    \
  static void function (void);                                       \
  static void run_##function (__attribute__ ((unused)) void **state) \
  {                                                                  \
    function ();                                                     \
  }                                                                  \
  TEST_ENTER (function, #function, set_up, tear_down, .rows = NULL)  \
  static void function (void)

#define TEST(function) TEST_BETWEEN (NULL, NULL, function)

#define TEST_FOR(parameter, function, ...)                         \
  static void function (parameter);                                \
  static void run_##function (void **state) { function (*state); } \
  TEST_ENTER (function, __VA_ARGS__)                               \
  static void function (parameter)

#define TEST_ON(parameter, set_up, tear_down, function) \
  TEST_FOR (parameter, function, #function, set_up, tear_down, .rows = NULL)

#define TEST_WITH(type, parameter, begin, end, function) \
  static int begin_##function (void **state)             \
  {                                                      \
    static type fixture;                                 \
    *state = &fixture;                                   \
    begin (&fixture);                                    \
    return 0;                                            \
  }                                                      \
  static int end_##function (void **state)               \
  {                                                      \
    type *fixture = *state;                              \
    end (fixture);                                       \
    return 0;                                            \
  }                                                      \
  TEST_ON (type *parameter, begin_##function, end_##function, function)

#define TEST_ROWS(table, parameter, set_up, tear_down, function) \
  TEST_FOR (parameter, function, NULL, set_up, tear_down,        \
            .rows = (const char *)(table), .n = N_OF (table),    \
            .size = sizeof *(table))

#define TEST_GROUP(set_up, tear_down)                          \
  __attribute__ ((constructor)) static void enter_group (void) \
  {                                                            \
    test_group_set_up = set_up;                                \
    test_group_tear_down = tear_down;                          \
  }

/* Write the tests of ENTRY to NEXT.  Returns the place behind them.  */
static inline struct CMUnitTest *
test_list (struct CMUnitTest *next, const struct test_entry *entry)
{
  if (entry->rows == NULL)
    {
      *next = entry->test;
      return next + 1;
    }
  for (size_t i = 0; i < entry->n; i++, next++)
    {
      const char *row = entry->rows + i * entry->size;
      *next = entry->test;
      next->name = *(const char *const *)(const void *)row;
      next->initial_state = (void *)row;
    }
  return next;
}

int
main (void)
{
  static struct CMUnitTest tests[1000];
  struct CMUnitTest *end = tests;
  for (const struct test_entry *entry = test_entries; entry != NULL;
       entry = entry->next)
    if (entry->n >= (size_t)(tests + N_OF (tests) - end))
      abort ();
    else
      end = test_list (end, entry);
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return _cmocka_run_group_tests ("tests", tests, (size_t)(end - tests),
                                  test_group_set_up, test_group_tear_down);
}

#endif /* UNIT_TEST_H */
