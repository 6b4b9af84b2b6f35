/* Threads that walk while libraries come and go.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: reload ROUNDS FORKS LIBRARY...
   Each thread loads zlib, has it call back, walks from there, and unloads it,
   ROUNDS times; the main thread loads and unloads the libraries meanwhile, so
   that there is other code where code was.  Every walk through zlib has to
   lead to the outermost frame, through as many frames as the first one.  FORKS
   times a child walks, too.  */

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sframewalk.h"

enum
{
  THREADS = 3,
  FRAMES = 100
};

/* z_stream of zlib.h.  */
struct stream
{
  const void *next_in;
  unsigned avail_in;
  unsigned long total_in;
  void *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *(*allocate) (void *, unsigned, unsigned);
  void (*release) (void *, void *);
  void *opaque;
  int data_type;
  unsigned long adler, reserved;
};
typedef int init_function (struct stream *, int, const char *, int);
typedef int end_function (struct stream *);

static struct sfw_modules *modules;
static atomic_uint walks, wrong, running;
static unsigned long rounds;

struct worker
{
  pthread_t thread;
  struct sfw_walker *walker;
  size_t n; /* frames of the first walk */
};

static void
check_walk (struct worker *worker)
{
  uint64_t addresses[FRAMES];
  enum sfw_end end;
  size_t n = sfw_here (worker->walker, addresses, NULL, FRAMES, &end);
  worker->n = worker->n == 0 ? n : worker->n;
  walks++;
  if (end == SFW_OUTERMOST && n == worker->n)
    return;
  if (wrong++ == 0)
    fprintf (stderr, "reload: %zu frames, not %zu: %s at 0x%lx\n", n,
             worker->n, sfw_end_text (end), (unsigned long)addresses[n - 1]);
}

static void *
allocate_and_walk (void *worker, unsigned n, unsigned size)
{
  check_walk (worker);
  return calloc (n, size);
}

static void
release (void *worker, void *memory)
{
  (void)worker;
  free (memory);
}

/* Have zlib call back.  */
static void
use_library (struct worker *worker)
{
  void *library = dlopen ("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL || !sfw_modules_update (modules))
    {
      fprintf (stderr, "reload: %s\n", dlerror ());
      exit (1);
    }
  init_function *init = (init_function *)dlsym (library, "deflateInit_");
  end_function *end = (end_function *)dlsym (library, "deflateEnd");
  struct stream stream = { .allocate = allocate_and_walk,
                           .release = release,
                           .opaque = worker };
  if (init (&stream, 1, "1", (int)sizeof stream) != 0 || end (&stream) != 0)
    exit (1);
  dlclose (library);
  sfw_modules_update (modules);
}

static struct sfw_walker *
make_walker (void)
{
  struct sfw_walker *walker = sfw_walker_init (malloc (sfw_walker_size ()),
                                               sfw_walker_size (), modules);
  if (walker == NULL || !sfw_walker_set_thread (walker))
    exit (1);
  return walker;
}

static void *
work (void *argument)
{
  struct worker *worker = argument;
  worker->walker = make_walker ();
  for (unsigned long i = 0; i < rounds; i++)
    use_library (worker);
  free (worker->walker);
  running--;
  return NULL;
}

/* A child has the walker of its parent, which no other thread uses.  */
static void
walk_in_child (struct worker *worker)
{
  pid_t child = fork ();
  int status = 0;
  if (child == 0)
    {
      wrong = 0;
      for (unsigned i = 0; i < 100; i++)
        check_walk (worker);
      _exit (wrong > 0);
    }
  if (child < 0 || waitpid (child, &status, 0) != child || status != 0)
    wrong++;
}

int
main (int argc, char **argv)
{
  struct worker workers[THREADS] = { 0 }, own = { 0 };
  if (argc < 4)
    return 2;
  rounds = strtoul (argv[1], NULL, 10);
  unsigned long forks = strtoul (argv[2], NULL, 10), changes = 0;
  modules = sfw_modules_new ();
  if (modules == NULL || !sfw_modules_update (modules))
    return 1;
  own.walker = make_walker ();
  running = THREADS;
  for (unsigned i = 0; i < THREADS; i++)
    if (pthread_create (&workers[i].thread, NULL, work, &workers[i]) != 0)
      return 1;
  while (running > 0)
    {
      void *library = dlopen (argv[3 + changes % (unsigned)(argc - 3)],
                              RTLD_NOW | RTLD_LOCAL);
      sfw_modules_update (modules);
      if (changes++ < forks)
        walk_in_child (&own);
      if (library != NULL)
        dlclose (library);
      sfw_modules_update (modules);
    }
  for (unsigned i = 0; i < THREADS; i++)
    pthread_join (workers[i].thread, NULL);
  /* Nothing has come or gone: the table stays.  */
  sfw_modules_update (modules);
  unsigned long generation = sfw_modules_generation (modules);
  sfw_modules_update (modules);
  wrong += sfw_modules_generation (modules) != generation;
  free (own.walker);
  sfw_modules_free (modules);
  printf ("%u walks, %u wrong, %lu changes\n", walks, wrong, changes);
  return wrong > 0;
}
