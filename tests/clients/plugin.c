/* A library that looks at the stack in all it has, from its constructor on.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Compiled twice: the program is linked to the one, and opens the other.  */

#include "plugin.h"

/* Defined by the program.  */
void here_check (void) __attribute__ ((weak));

static void
look (void)
{
  if (here_check != 0)
    here_check ();
}

__attribute__ ((constructor)) static void
at_start (void)
{
  look ();
}

__attribute__ ((destructor)) static void
at_end (void)
{
  look ();
}

int
PLUGIN_CALL (plugin_callback *callback, int depth)
{
  if (depth > 0)
    return PLUGIN_CALL (callback, depth - 1) + 1;
  callback ();
  look ();
  return depth;
}
