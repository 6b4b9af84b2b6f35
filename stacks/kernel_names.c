/* The names of the kernel's functions, from /proc/kallsyms.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/lines.h"
#include "base/search.h"
#include "stacks/shortage.h"

struct kernel_name
{
  uint64_t address;
  char *name; /* owned */
};

/* Add the symbol in LINE if it is code.  False when memory ran out.  */
static bool
add_line (void *context, char *line)
{
  struct kernel_names *names = context;
  char *at;
  uint64_t address = strtoull (line, &at, 16);
  if (address == 0 || at[0] != ' ' || strchr ("tTwW", at[1]) == NULL
      || at[1] == '\0' || at[2] != ' ')
    return true;
  if (!ARRAY_ROOM (names->names, names->n + 1, &names->capacity))
    return shortage_note ();
  struct kernel_name *last = &names->names[names->n];
  last->address = address;
  last->name = strndup (at + 3, strcspn (at + 3, "\t\n"));
  names->n += last->name != NULL;
  return last->name != NULL || shortage_note ();
}

static int
by_address (const void *a, const void *b)
{
  const struct kernel_name *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return strcmp (y->name, x->name);
}

/* Read the names.  If the addresses are from a recording of another kernel
   than the running one, leave NAMES empty.  */
static void
read_names (struct kernel_names *names)
{
  FILE *file = fopen ("/proc/kallsyms", "re");
  bool same = !names->recorded;
  names->read = true;
  if (file == NULL)
    return;
  (void)lines_take (file, '\n', add_line, names);
  for (size_t i = 0; !same && i < names->n; i++)
    same = names->names[i].address == names->reference_address
           && strcmp (names->names[i].name, names->reference) == 0;
  if (!same)
    {
      kernel_names_free (names);
      names->read = true;
    }
  if (names->n > 0)
    qsort (names->names, names->n, sizeof *names->names, by_address);
}

const char *
kernel_names_at (struct kernel_names *names, uint64_t address)
{
  if (!names->read)
    read_names (names);
  size_t behind
      = SEARCH_FIRST (names->n, i, names->names[i].address > address);
  return behind > 0 ? names->names[behind - 1].name : NULL;
}

void
kernel_names_free (struct kernel_names *names)
{
  for (size_t i = 0; i < names->n; i++)
    free (names->names[i].name);
  free (names->names);
  *names = (struct kernel_names){ 0 };
}
