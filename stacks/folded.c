/* Profiles as text: folded stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "stacks/lines.h"

/* Without the characters that separate names and counts.  */
void
folded_name (const char *name, char text[FOLDED_NAME_SIZE])
{
  printable_copy (text, FOLDED_NAME_SIZE, name);
  for (char *at = text; *at != '\0'; at++)
    *at = *at == ';' ? ':' : *at;
}

static void
print_name (const char *name, FILE *out)
{
  char text[FOLDED_NAME_SIZE];
  folded_name (name, text);
  fputs (text, out);
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

/* Reading.  */

/* What is read: the names of all lines, one after the other, and of each line
   how many they are and its count.  */
struct reading
{
  char **names; /* owned, as each is */
  size_t n_names, names_capacity;
  struct stack_line
  {
    size_t n;
    uint64_t count;
  } * lines; /* owned */
  size_t n_lines, lines_capacity;
  bool without_process, no_memory;
};

static bool
add_name (struct reading *reading, const char *name)
{
  if (!ARRAY_ROOM (reading->names, reading->n_names + 1,
                   &reading->names_capacity))
    return false;
  char *copy = strdup (name);
  if (copy != NULL)
    reading->names[reading->n_names++] = copy;
  return copy != NULL;
}

/* Take LINE for CONTEXT, a reading; false at one that is no stack.  */
static bool
take_line (void *context, char *line)
{
  struct reading *reading = context;
  char *end, *count = strrchr (line, ' ');
  if (count == NULL)
    return false;
  *count = '\0';
  struct stack_line stack = { .count = strtoull (count + 1, &end, 10) };
  if (end == count + 1 || (*end != '\n' && *end != '\0'))
    return false;
  bool skip = reading->without_process;
  for (char *rest = line, *name; (name = strsep (&rest, ";")) != NULL;
       skip = false)
    {
      reading->no_memory |= !skip && !add_name (reading, name);
      stack.n += !skip;
    }
  reading->no_memory |= !ARRAY_ROOM (reading->lines, reading->n_lines + 1,
                                     &reading->lines_capacity);
  if (reading->no_memory)
    return false;
  reading->lines[reading->n_lines++] = stack;
  return true;
}

static int
by_text (const void *a, const void *b)
{
  return strcmp (*(char *const *)a, *(char *const *)b);
}

/* Give PROFILE the names of READING, sorted and each once.  */
static bool
take_names (struct named_profile *profile, const struct reading *reading)
{
  profile->names = calloc (reading->n_names + 1, sizeof *profile->names);
  char **sorted = calloc (reading->n_names + 1, sizeof *sorted);
  bool done = profile->names != NULL && sorted != NULL;
  if (done && reading->n_names > 0)
    {
      memcpy (sorted, reading->names, reading->n_names * sizeof *sorted);
      qsort (sorted, reading->n_names, sizeof *sorted, by_text);
    }
  for (size_t i = 0; done && i < reading->n_names; i++)
    if (i == 0 || strcmp (sorted[i], sorted[i - 1]) != 0)
      {
        char *name = strdup (sorted[i]);
        done = name != NULL;
        if (done)
          profile->names[profile->n_names++] = name;
      }
  free (sorted);
  return done;
}

/* Count the stacks of READING in PROFILE, which has its names.  */
static bool
take_stacks (struct named_profile *profile, const struct reading *reading)
{
  char *const *name = reading->names;
  if (!call_tree_init (&profile->calls))
    return false;
  for (size_t i = 0; i < reading->n_lines; i++)
    {
      uint32_t node = 0;
      for (size_t j = 0; j < reading->lines[i].n; j++, name++)
        {
          char **found = bsearch (name, profile->names, profile->n_names,
                                  sizeof *profile->names, by_text);
          node = call_tree_child (&profile->calls, node,
                                  (uint64_t)(found - profile->names));
          if (node == 0)
            return false;
        }
      profile->calls.nodes[node].self += reading->lines[i].count;
    }
  profile->totals = calloc (profile->calls.n, sizeof *profile->totals);
  if (profile->totals != NULL)
    call_tree_sum (&profile->calls, profile->totals);
  return profile->totals != NULL;
}

bool
folded_read (struct named_profile *profile, const char *path,
             bool without_process, unsigned levels, struct error *err)
{
  struct reading reading = { .without_process = without_process };
  *profile = (struct named_profile){ .levels = levels };
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
  bool whole = lines_take (file, take_line, &reading);
  bool done = whole && take_names (profile, &reading)
              && take_stacks (profile, &reading);
  for (size_t i = 0; i < reading.n_names; i++)
    free (reading.names[i]);
  free (reading.names);
  free (reading.lines);
  if (!whole && !reading.no_memory)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "no folded stacks (-o FILE of sframe-profile)");
  return done || error_set_no_memory (err);
}
