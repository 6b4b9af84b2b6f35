/* backtrace () by SFrame alone.
   SPDX-License-Identifier: LGPL-2.1-or-later

   One table for the process, and a walker for each thread, which is freed when
   the thread ends.  A signal may come to the thread after that, while it is in
   malloc: such a thread, and one whose walker found no memory, goes on with a
   walker that all threads share.  */

#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "walk/walker.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sfw_modules *modules;
static int prepare_error; /* why there are no modules */
static pthread_key_t key;
static struct sfw_walker *shared;
/* The walker of this thread.  The first use of a variable of another TLS model
   may allocate memory, which a signal handler must not do.  */
static __thread struct sfw_walker *own
    __attribute__ ((tls_model ("initial-exec")));

static void
thread_ends (void *walker)
{
  own = shared;
  atomic_signal_fence (memory_order_seq_cst);
  free (walker);
}

static void
prepare (void)
{
  struct sfw_modules *made = sfw_modules_new ();
  void *memory = malloc (sfw_walker_size ());
  shared = sfw_walker_init (memory, sfw_walker_size (), made);
  prepare_error
      = shared == NULL ? ENOMEM : pthread_key_create (&key, thread_ends);
  if (prepare_error == 0 && !sfw_modules_update (made))
    prepare_error = errno;
  if (prepare_error == 0)
    {
      walk_walker_share (shared);
      modules = made;
      return;
    }
  sfw_modules_free (made);
  free (memory);
}

static struct sfw_walker *
make_walker (void)
{
  pthread_once (&once, prepare);
  if (modules == NULL)
    return NULL;
  struct sfw_walker *walker = sfw_walker_new (modules);
  if (walker != NULL && pthread_setspecific (key, walker) == 0)
    return walker;
  free (walker);
  return shared;
}

__attribute__ ((noinline)) int
sfw_backtrace (void **addresses, int max)
{
  struct sfw_frame caller = walk_caller ();
  /* One array, two types; SFrame has no ABI of 32 bits.  */
  if (sizeof *addresses != sizeof (uint64_t))
    return 0;
  if (own == NULL)
    own = make_walker ();
  if (own == NULL || max <= 0)
    return 0;
  return (int)walk_from_caller (own, &caller, (uint64_t *)addresses, NULL,
                                (size_t)max, NULL);
}

bool
sfw_backtrace_update (void)
{
  pthread_once (&once, prepare);
  if (modules != NULL)
    return sfw_modules_update (modules);
  errno = prepare_error;
  return false;
}
