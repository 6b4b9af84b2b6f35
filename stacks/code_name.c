/* What code is called.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include "stacks/code_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks/demangle.h"
#include "stacks/shortage.h"

void
code_name_set (struct code_name *symbol, const char *name, unsigned wanted)
{
  /* Without its version: memcpy@@GLIBC_2.14.  */
  char *plain = strndup (name, strcspn (name, "@"));
  if (plain != NULL
      && ((wanted & SYMBOL_MANGLED) != 0
          || !demangle (plain, symbol->name, sizeof symbol->name)))
    snprintf (symbol->name, sizeof symbol->name, "%s", plain);
  else if (plain == NULL)
    shortage_note ();
  free (plain);
}
