/* C program of the matrix: TLS, threads, zeroed BSS, its own .sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: prog none|sframe  */

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check_sframe.h"

enum
{
  THREADS = 4,
  BSS_SIZE = 300001
};

static unsigned char bss[BSS_SIZE];
static unsigned char bss_aligned[5000] __attribute__ ((aligned (64)));
static int initialised = 42;
static const int *relocated = &initialised;
static __thread int tls_zero;
static __thread int tls_set = 7;
static __thread char tls_block[3000];

static int
is_zero (const unsigned char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i] != 0)
      return 0;
  return 1;
}

static void *
run_thread (void *argument)
{
  int index = (int)(intptr_t)argument;
  if (tls_zero != 0 || tls_set != 7
      || !is_zero ((unsigned char *)tls_block, sizeof tls_block))
    return (void *)1;
  tls_zero = index;
  tls_set += index;
  memset (tls_block, index, sizeof tls_block);
  usleep (1000);
  if (tls_zero != index || tls_set != 7 + index
      || tls_block[sizeof tls_block - 1] != index)
    return (void *)1;
  return NULL;
}

static int
check_threads (void)
{
  pthread_t threads[THREADS];
  int bad = 0;
  for (int i = 0; i < THREADS; i++)
    if (pthread_create (&threads[i], NULL, run_thread,
                        (void *)(intptr_t)(i + 1))
        != 0)
      return 1;
  for (int i = 0; i < THREADS; i++)
    {
      void *result = NULL;
      bad |= pthread_join (threads[i], &result) != 0 || result != NULL;
    }
  return bad;
}

/* Memory from the break, which starts behind the highest segment.  */
static int
check_heap (void)
{
  int bad = 0;
  for (int i = 1; i < 200; i++)
    {
      unsigned char *block = calloc (i, 97);
      bad |= block == NULL || !is_zero (block, (size_t)i * 97);
      if (block != NULL)
        memset (block, 0xff, (size_t)i * 97);
      if (i % 3)
        free (block);
    }
  unsigned char *old = sbrk (70000);
  if (old != (void *)-1)
    bad |= !is_zero (old, 70000);
  return bad;
}

int
main (int argc, char **argv)
{
  int bad = 0;
  bad |= !is_zero (bss, sizeof bss) ? 1 : 0;
  bad |= !is_zero (bss_aligned, sizeof bss_aligned) ? 1 : 0;
  bad |= *relocated != 42 ? 2 : 0;
  bad |= check_threads () ? 4 : 0;
  bad |= check_heap () ? 8 : 0;
  bss[BSS_SIZE - 1] = 1;
  bss_aligned[4999] = 1;
  bad |= sframe_check ("", argc > 1 && strcmp (argv[1], "sframe") == 0) ? 16
                                                                        : 0;
  printf ("program %s\n", bad ? "BAD" : "good");
  return bad;
}
