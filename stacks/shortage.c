/* What is shown lacks a part, because memory for it ran out.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/shortage.h"

#include <errno.h>
#include <stdio.h>

static bool noted;

bool
shortage_note (void)
{
  noted = true;
  errno = ENOMEM;
  return false;
}

void
shortage_note_error (const struct error *err)
{
  if (err->status == CFI2SFRAME_NO_MEMORY)
    shortage_note ();
}

bool
shortage_is_none (const char *program)
{
  if (noted)
    fprintf (stderr, "%s: memory ran out: a part of the output is missing\n",
             program);
  return !noted;
}
