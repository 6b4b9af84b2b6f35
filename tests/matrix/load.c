/* Loads a library of the matrix with dlopen and looks at its .sframe.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Usage: load LIBRARY none|sframe  */

#include <dlfcn.h>

#include "check_sframe.h"

int
main (int argc, char **argv)
{
  if (argc != 3)
    return 2;
  void *library = dlopen (argv[1], RTLD_NOW);
  if (library == NULL)
    {
      printf ("%s\n", dlerror ());
      return 1;
    }
  int (*check) (void)
      = (int (*) (void))dlsym (library, "matrix_library_check");
  const char *slash = strrchr (argv[1], '/');
  int bad = check == NULL || check () != 0;
  bad |= sframe_check (slash ? slash + 1 : argv[1],
                       strcmp (argv[2], "sframe") == 0);
  bad |= dlclose (library) != 0;
  printf ("program %s\n", bad ? "BAD" : "good");
  return bad;
}
