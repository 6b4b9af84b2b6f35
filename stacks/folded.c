/* Profiles as text: folded stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/folded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/printable.h"

/* Print a name, without the characters that separate names and counts.  */
static void
print_name (const char *name, FILE *out)
{
  char text[1024];
  printable_copy (text, sizeof text, name);
  for (char *at = text; *at != '\0'; at++)
    fputc (*at == ';' ? ':' : *at, out);
}

/* Write the nodes from the root to NODE to PATH.  Returns their number.  */
static size_t
path_to (const struct call_tree *tree, uint32_t node, uint32_t *path)
{
  size_t n = 0;
  for (uint32_t i = node; i != 0; i = tree->nodes[i].parent)
    path[n++] = i;
  return n;
}

bool
folded_print (const struct named_profile *profile, FILE *out)
{
  const struct call_tree *tree = &profile->calls;
  uint32_t *path = calloc (tree->n, sizeof *path);
  if (path == NULL)
    return false;
  uint32_t node = 0;
  do
    if (tree->nodes[node].self > 0)
      {
        const char *separator = "";
        if (profile->process != NULL)
          {
            print_name (profile->process, out);
            separator = ";";
          }
        for (size_t i = path_to (tree, node, path); i-- > 0; separator = ";")
          {
            fputs (separator, out);
            print_name (profile->names[tree->nodes[path[i]].key], out);
          }
        fprintf (out, " %" PRIu64 "\n", tree->nodes[node].self);
      }
  while ((node = call_tree_next (tree, node)) != 0);
  free (path);
  return true;
}
