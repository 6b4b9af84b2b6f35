/* Unit tests of walk: tables are held and freed rightly in whatever order the
   steps of walks and of changes come.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The code is module_table.c itself: its atomic operations, which are in one
   order for all threads, are where another thread may go on.  Threads are
   contexts here, and all orders are gone through, depth first, each as a run
   from the beginning.  A run ends where it comes to a state that an earlier
   one has seen: what the table is, and for each thread how far it is and what
   its last loads gave.  */

#include <config.h>

#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#include "tests/unit_test.h"

static unsigned long take_turn (const void *at, unsigned long value);
static void free_watched (void *memory);

#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_fetch_sub
#define TURN(at, operation) \
  (take_turn (NULL, 0),     \
   (__typeof__ (operation))take_turn (at, (unsigned long)(operation)))
#define atomic_load(at) \
  TURN (at, atomic_load_explicit (at, memory_order_seq_cst))
#define atomic_exchange(at, value) \
  TURN (at, atomic_exchange_explicit (at, value, memory_order_seq_cst))
#define atomic_fetch_add(at, n) \
  TURN (at, atomic_fetch_add_explicit (at, n, memory_order_seq_cst))
#define atomic_fetch_sub(at, n) \
  TURN (at, atomic_fetch_sub_explicit (at, n, memory_order_seq_cst))
#define atomic_store(at, value) \
  (take_turn (NULL, 0),         \
   atomic_store_explicit (at, value, memory_order_seq_cst))
#define free(memory) free_watched (memory)
#include "walk/module_table.c"
#undef free

enum
{
  THREADS_MAX = 4, /* the last one changes the table, the others walk */
  STACK_SIZE = 1 << 16,
  LOADS = 3,
  STEPS_MAX = 400,
  STATES_MAX = 1 << 22
};

static struct thread
{
  ucontext_t context;
  void (*run) (unsigned times);
  unsigned times, steps, n_loads;
  unsigned long loads[LOADS]; /* since the walk or the change began */
  const struct walk_table *held;
  bool ended;
} threads[THREADS_MAX];

static struct sfw_modules *modules;
static unsigned n_threads, running;
static ucontext_t scheduler;
static bool inside; /* a thread runs */
static unsigned freed;
static char stacks[THREADS_MAX][STACK_SIZE];

/* Let another thread go on, before an operation; or note what it gave.  Tables
   are told apart by their generations, because addresses come again.  */
static unsigned long
take_turn (const void *at, unsigned long value)
{
  struct thread *thread = &threads[running];
  if (!inside)
    return value;
  if (at == NULL)
    {
      thread->steps++;
      swapcontext (&thread->context, &scheduler);
      return 0;
    }
  unsigned long note = value;
  if (at == &modules->current)
    {
      const struct walk_table *table = (const void *)value;
      note = table->generation;
      if (running + 1 < n_threads)
        thread->held = table;
    }
  thread->loads[thread->n_loads++ % LOADS] = note;
  return value;
}

static void
free_watched (void *memory)
{
  for (unsigned i = 0; i < n_threads; i++)
    assert_true (memory == NULL || threads[i].held != memory);
  freed++;
  free (memory);
}

/* What a thread remembers ends with its walk or change.  */
static void
forget (struct thread *thread)
{
  thread->n_loads = 0;
  memset (thread->loads, 0, sizeof thread->loads);
}

static void
walk (unsigned times)
{
  for (unsigned i = 0; i < times; i++)
    {
      struct walk_hold hold = walk_modules_hold (modules);
      assert_ptr_equal (hold.table, threads[running].held);
      take_turn (NULL, 0);
      threads[running].held = NULL;
      walk_modules_release (modules, hold);
      forget (&threads[running]);
    }
}

static void
change (unsigned times)
{
  for (unsigned i = 0; i < times; i++)
    {
      assert_true (sfw_modules_add (modules, 2 * i, 2 * i + 1, NULL));
      forget (&threads[running]);
    }
}

static void
begin (void)
{
  struct thread *thread = &threads[running];
  thread->run (thread->times);
  thread->ended = true;
  setcontext (&scheduler);
}

static void
step (unsigned number)
{
  running = number;
  inside = true;
  swapcontext (&scheduler, &threads[number].context);
  inside = false;
}

/* WALKS and CHANGES: how often a thread does it.  */
static void
start_run (unsigned walkers, unsigned walks, unsigned changes)
{
  modules = sfw_modules_new ();
  assert_non_null (modules);
  n_threads = walkers + 1;
  freed = 0;
  for (unsigned i = 0; i < n_threads; i++)
    {
      bool walks_here = i < walkers;
      threads[i] = (struct thread){ .run = walks_here ? walk : change,
                                    .times = walks_here ? walks : changes };
      getcontext (&threads[i].context);
      threads[i].context.uc_stack.ss_sp = stacks[i];
      threads[i].context.uc_stack.ss_size = STACK_SIZE;
      makecontext (&threads[i].context, begin, 0);
    }
}

static uint64_t
mix (uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C (0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t
mix_list (uint64_t hash, const struct walk_table *table)
{
  for (; table != NULL; table = table->retired)
    hash = mix (hash, table->generation);
  return mix (hash, 0);
}

/* A number for the state: two states have the same one by an accident that is
   not to be expected among a million.  */
static uint64_t
state_number (void)
{
  uint64_t hash = mix (1, modules->current->generation);
  hash = mix (hash, modules->generation);
  hash = mix (hash, modules->epoch);
  hash = mix (mix (hash, modules->readers[0]), modules->readers[1]);
  hash = mix_list (mix_list (hash, modules->retired), modules->waiting);
  for (unsigned i = 0; i < n_threads; i++)
    {
      hash = mix (hash, threads[i].steps * 2 + threads[i].ended);
      for (unsigned load = 0; load < LOADS; load++)
        hash = mix (hash, threads[i].loads[load]);
    }
  return hash;
}

static uint64_t *states;
static size_t n_states;

/* Whether STATE is a new one.  */
static bool
enter (uint64_t state)
{
  size_t at = state % STATES_MAX;
  for (; states[at] != 0; at = (at + 1) % STATES_MAX)
    if (states[at] == state)
      return false;
  states[at] = state;
  assert_true (++n_states < STATES_MAX / 2);
  return true;
}

/* The choices of a run, and which thread is to be chosen next at each.  */
static unsigned chosen[STEPS_MAX], later[STEPS_MAX];

/* The first thread from number FROM on that has not ended; n_threads if there
   is none.  */
static unsigned
thread_from (unsigned from)
{
  while (from < n_threads && threads[from].ended)
    from++;
  return from;
}

/* Run by the first KEPT choices, and on to a state that was seen.  Returns the
   number of choices.  */
static unsigned
run_once (unsigned kept)
{
  unsigned n = 0;
  bool is_new = true;
  while (is_new && thread_from (0) < n_threads)
    {
      assert_true (n < STEPS_MAX);
      if (n >= kept)
        chosen[n] = thread_from (0);
      later[n] = thread_from (chosen[n] + 1);
      step (chosen[n++]);
      is_new = n < kept || enter (state_number ());
    }
  return n;
}

/* When all walks have ended, one more change frees all tables but the one that
   is current.  */
static void
end_run (unsigned changes)
{
  while (thread_from (0) < n_threads)
    step (thread_from (0));
  assert_true (sfw_modules_add (modules, 1000, 1001, NULL));
  assert_int_equal (freed, changes + 1);
  sfw_modules_free (modules);
}

/* So many threads walk so often while another changes the table.  */
struct cast
{
  const char *name;
  unsigned walkers, walks, changes;
};

static const struct cast casts[] = {
  { "one_walk_and_five_changes", 1, 1, 5 },
  { "a_thread_that_walks_three_times", 1, 3, 4 },
  { "two_threads_that_walk", 2, 1, 2 },
  { "three_threads_that_walk", 3, 1, 1 },
};

TEST_ROWS (casts, const struct cast *cast, NULL, NULL,
           no_table_is_freed_under_a_walk_and_all_are_in_the_end)
{
  unsigned n = 0;
  states = calloc (STATES_MAX, sizeof *states);
  assert_non_null (states);
  n_states = 0;
  do
    {
      start_run (cast->walkers, cast->walks, cast->changes);
      n = run_once (n);
      end_run (cast->changes);
      while (n > 0 && later[n - 1] == n_threads)
        n--;
      if (n > 0)
        chosen[n - 1] = later[n - 1];
    }
  while (n > 0);
  print_message ("# %zu states\n", n_states);
  free (states);
}
