/* Unit tests of stacks/flame_graph.c: which functions are drawn.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <stdio.h>
#include <string.h>

#include "tests/unit/failing_allocations.h"
#include "stacks/profile_writers.h"
#include "tests/unit_test.h"

enum
{
  DRAWN_MAX = 10000,
  NAMES = 100
};

static struct named_profile profile;
static char names[NAMES][8];
static char *name_list[NAMES];

/* Count N stacks of up to DEPTH_MAX functions, always the same ones, and ten
   times one of 100 functions.  */
static void
make_profile (unsigned n, unsigned depth_max)
{
  uint32_t seed = 1;
  for (unsigned i = 0; i < NAMES; i++)
    {
      snprintf (names[i], sizeof names[i], "f%u", i);
      name_list[i] = names[i];
    }
  profile
      = (struct named_profile){ .names = { .list = name_list, .n = NAMES } };
  assert_true (call_tree_init (&profile.calls));
  for (unsigned stack = 0; stack < n; stack++)
    {
      uint32_t node = 0;
      seed = seed * 1103515245 + 12345;
      for (unsigned depth = 1 + (seed >> 16) % depth_max; depth > 0; depth--)
        {
          seed = seed * 1103515245 + 12345;
          node = call_tree_child (&profile.calls, node, (seed >> 16) % NAMES);
        }
      profile.calls.nodes[node].self++;
    }
  uint32_t deep = 0;
  for (unsigned depth = 0; n > 0 && depth < 100; depth++)
    deep = call_tree_child (&profile.calls, deep, 0);
  profile.calls.nodes[deep].self += n > 0 ? 10 : 0;
  profile.totals = calloc (profile.calls.n, sizeof *profile.totals);
  assert_non_null (profile.totals);
  call_tree_sum (&profile.calls, profile.totals);
}

static void
free_profile (void)
{
  call_tree_free (&profile.calls);
  free (profile.totals);
}

/* The picture, to be freed; NULL when memory ran out for it.  */
static char *
print_picture (bool icicle)
{
  const struct flame_graph_settings settings
      = { "root", "subtitle; second line", icicle, NULL };
  char *text = NULL;
  size_t size;
  unsigned granted = allocations_granted;
  allocations_granted = UINT_MAX;
  FILE *out = open_memstream (&text, &size);
  assert_non_null (out);
  allocations_granted = granted;
  bool printed = flame_graph_print (&profile, &settings, false, out);
  allocations_granted = UINT_MAX;
  fclose (out);
  if (printed)
    return text;
  free (text);
  return NULL;
}

/* A function in the picture.  */
struct box
{
  double x, width;
  int y;
};

/* The next function in *TEXT, which goes on behind it; false: no more.  */
static bool
next_box (const char **text, struct box *box)
{
  const char *start = strstr (*text, "<svg x=\"");
  char *end;
  if (start == NULL)
    return false;
  box->x = strtod (start + strlen ("<svg x=\""), &end);
  assert_memory_equal (end, "%\" y=\"", 6);
  box->y = (int)strtol (end + 6, &end, 10);
  assert_memory_equal (end, "\" width=\"", 9);
  box->width = strtod (end + 9, &end);
  *text = end;
  return true;
}

/* Expect each function of TEXT to stand on one that was printed before, its
   caller, one ROW above or below, and beside others.  Returns how many there
   are.  */
static uint32_t
check_boxes (const char *text, int row)
{
  static struct box callers[4096]; /* the latest one of each depth */
  struct box box;
  memset (callers, 0, sizeof callers);
  uint32_t n = 0;
  for (int bottom = 0; next_box (&text, &box); n++)
    {
      if (n == 0)
        bottom = box.y;
      int depth = (box.y - bottom) / row;
      assert_in_range (depth, 0, 4095);
      if (depth > 0)
        {
          const struct box *caller = &callers[depth - 1];
          assert_true (box.x >= caller->x - 1e-4);
          assert_true (box.x + box.width <= caller->x + caller->width + 1e-4);
        }
      assert_true (box.x >= callers[depth].x + callers[depth].width - 1e-4);
      callers[depth] = box;
    }
  return n;
}

/* How many functions of TEXT have more than one sample.  */
static uint32_t
count_wide (const char *text)
{
  struct box box;
  uint32_t n = 0;
  while (next_box (&text, &box))
    n += box.width * (double)profile.totals[0] > 150;
  return n;
}

TEST (a_small_profile_is_drawn_whole)
{
  make_profile (300, 30);
  assert_in_range (profile.calls.n, 1000, DRAWN_MAX);
  char *text = print_picture (false);
  assert_non_null (text);
  assert_int_equal (check_boxes (text, -17), profile.calls.n);
  assert_null (strstr (text, "not drawn"));
  assert_non_null (strstr (text, ">subtitle</text>"));
  assert_non_null (strstr (text, ">second line</text>"));
  free (text);
  free_profile ();
}

/* Nearly all of these functions have one sample: the picture must not have all
   or none of them.  */
TEST (of_a_large_profile_the_widest_functions_are_drawn)
{
  make_profile (5000, 40);
  assert_true (profile.calls.n > 5 * DRAWN_MAX);
  char *text = print_picture (true), left_out[64];
  uint32_t wide = 0;
  assert_non_null (text);
  for (uint32_t i = 0; i < profile.calls.n; i++)
    wide += profile.totals[i] > 1;
  assert_in_range (wide, 1, DRAWN_MAX);
  assert_int_equal (count_wide (text), wide);
  uint32_t drawn = check_boxes (text, 17);
  assert_in_range (drawn, DRAWN_MAX / 2, DRAWN_MAX);
  snprintf (left_out, sizeof left_out, ">%u narrower functions are not drawn<",
            (unsigned)(profile.calls.n - drawn));
  assert_non_null (strstr (text, left_out));
  free (text);
  free_profile ();
}

/* Nanoseconds of a day on many processors: more than 52 bits.  */
TEST (of_very_long_times_the_longest_are_drawn)
{
  make_profile (5000, 40);
  for (uint32_t i = 0; i < profile.calls.n; i++)
    profile.totals[i] <<= 47;
  char *text = print_picture (true);
  struct box box;
  uint32_t wide = 0, drawn = 0;
  const char *at = text;
  assert_non_null (text);
  for (uint32_t i = 0; i < profile.calls.n; i++)
    wide += profile.totals[i] > UINT64_C (1) << 47;
  double all = (double)profile.totals[0] / (double)(UINT64_C (1) << 47);
  for (; next_box (&at, &box); wide -= box.width * all > 150)
    drawn++;
  assert_int_equal (wide, 0);
  assert_in_range (drawn, DRAWN_MAX / 2, DRAWN_MAX);
  free (text);
  free_profile ();
}

TEST (no_sample_at_all)
{
  make_profile (0, 1);
  char *text = print_picture (false);
  assert_non_null (text);
  assert_int_equal (check_boxes (text, -17), 1);
  free (text);
  free_profile ();
}

TEST (no_memory)
{
  make_profile (5000, 40);
  unsigned n = 0;
  char *text;
  do
    {
      allocation_failed = false;
      allocations_granted = n++;
      text = print_picture (false);
      assert_int_equal (text != NULL, !allocation_failed);
    }
  while (text == NULL);
  assert_true (n > 2);
  free (text);
  free_profile ();
}
