/* A library that comes later: the table of modules is brought up to date.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -shared -fPIC -DLIBRARY -o libcall.so walk_dlopen.c
   cc -o walk_dlopen walk_dlopen.c $(pkg-config --cflags --libs sframewalk)
   cfi2sframe libcall.so walk_dlopen && ./walk_dlopen  */

#include <dlfcn.h>
#include <sframewalk.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef LIBRARY
int
call (int (*function) (void))
{
  return function () + 1;
}
#else
static struct sfw_walker *walker;

static int
show_stack (void)
{
  uint64_t addresses[64];
  enum sfw_end end;
  size_t n = sfw_here (walker, addresses, NULL, 64, &end);
  printf ("%zu frame%s: %s\n", n, n == 1 ? "" : "s", sfw_end_text (end));
  return 0;
}

int
main (void)
{
  struct sfw_modules *modules = sfw_modules_new ();
  sfw_modules_update (modules);
  walker = sfw_walker_init (malloc (sfw_walker_size ()), sfw_walker_size (),
                            modules);
  void *library = dlopen ("./libcall.so", RTLD_NOW);
  int (*call) (int (*) (void));
  if (library == NULL)
    return 1;
  *(void **)&call = dlsym (library, "call");
  call (show_stack);            /* the library has no rows yet */
  sfw_modules_update (modules); /* after dlopen, and after dlclose */
  call (show_stack);
  return dlclose (library) != 0 || !sfw_modules_update (modules);
}
#endif
