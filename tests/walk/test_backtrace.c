/* Unit tests of walk: backtrace () in threads that begin and end.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <pthread.h>

#include "sframewalk.h"
#include "tests/unit_test.h"

enum
{
  FRAMES = 8
};

/* How often this thread has asked for memory, and whether there is any.  */
static _Thread_local unsigned asked;
static _Thread_local bool no_memory;

void *__wrap_malloc (size_t size);
void *__real_malloc (size_t size);

void *
__wrap_malloc (size_t size)
{
  asked++;
  return no_memory ? NULL : __real_malloc (size);
}

static int
frames (void)
{
  void *addresses[FRAMES];
  return sfw_backtrace (addresses, FRAMES);
}

/* What backtraces did in a thread that ends.  */
static struct
{
  pthread_key_t key;
  unsigned rounds, asked;
  int frames;
} end;

/* All keys' data have gone by the second time.  */
static void
thread_ends (void *data)
{
  if (++end.rounds < 2)
    pthread_setspecific (end.key, data);
  unsigned before = asked;
  end.frames = frames ();
  end.asked = asked - before;
}

static void *
begin_and_end (void *data)
{
  frames ();
  pthread_setspecific (end.key, data);
  return NULL;
}

/* A profiler's signal may come then, while the thread is in free ().  */
TEST (a_backtrace_in_a_thread_that_ends_allocates_nothing)
{
  pthread_t thread;
  assert_int_equal (pthread_key_create (&end.key, thread_ends), 0);
  assert_int_equal (pthread_create (&thread, NULL, begin_and_end, &end), 0);
  assert_int_equal (pthread_join (thread, NULL), 0);
  assert_int_equal (end.rounds, 2);
  assert_true (end.frames > 0);
  assert_int_equal (end.asked, 0);
}

static void *
begin_without_memory (void *asked_again)
{
  no_memory = true;
  int n = frames ();
  unsigned before = asked;
  n = frames () == n ? n : 0;
  *(unsigned *)asked_again = asked - before;
  no_memory = false;
  return n > 0 ? asked_again : NULL;
}

/* sfw_backtrace was called once before a handler calls it, as its manual page
   asks for.  */
TEST (a_thread_without_memory_for_a_walker_does_not_ask_again)
{
  pthread_t thread;
  void *walked;
  unsigned asked_again = 1;
  assert_true (frames () > 0);
  assert_int_equal (
      pthread_create (&thread, NULL, begin_without_memory, &asked_again), 0);
  assert_int_equal (pthread_join (thread, &walked), 0);
  assert_non_null (walked);
  assert_int_equal (asked_again, 0);
}
