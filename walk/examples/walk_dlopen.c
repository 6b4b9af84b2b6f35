/* A library that comes later: the table of modules is brought up to date.
   SPDX-License-Identifier: LGPL-2.1-or-later

   cc -shared -fPIC -DLIBRARY -o libcall.so walk_dlopen.c
   cc -o walk_dlopen walk_dlopen.c $(pkg-config --cflags --libs sframewalk)
   cfi2sframe libcall.so walk_dlopen && ./walk_dlopen  */

#include <dlfcn.h>
#include <sframewalk.h>
#include <stdio.h>

int
call (int (*function) (void))
{
  return function () + 1;
}
#ifndef LIBRARY
static int
show_stack (void)
{
  void *addresses[64];
  int n = sfw_backtrace (addresses, 64);
  return printf ("%d frame%s\n", n, n == 1 ? "" : "s");
}

int
main (void)
{
  int (*of_library) (int (*) (void));
  call (show_stack); /* lists what is loaded now */
  void *library = dlopen ("./libcall.so", RTLD_NOW);
  *(void **)&of_library = dlsym (library, "call");
  of_library (show_stack); /* no rows are known of the library yet */
  sfw_backtrace_update (); /* after dlopen, and after dlclose */
  of_library (show_stack);
  return dlclose (library) != 0 || !sfw_backtrace_update ();
}
#endif
