/* Folded stacks: writing and reading them, and comparing a profile with them.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/profile_writers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/printable.h"

enum
{
  FOLDED_NAME_SIZE = 1024 /* bytes of a name, with the zero at its end */
};

/* Copy NAME to TEXT without the characters that separate names and counts.  */
static void
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
        size_t n = 0;
        for (uint32_t i = node; i != 0; i = tree->nodes[i].parent)
          path[n++] = i;
        for (size_t i = n; i-- > 0; separator = ";")
          {
            fputs (separator, out);
            print_name (profile->names.list[tree->nodes[path[i]].key], out);
          }
        fprintf (out, " %" PRIu64 "\n", tree->nodes[node].self);
      }
  while ((node = call_tree_next (tree, node)) != 0);
  free (path);
  return true;
}

/* ---- Reading */

struct reading
{
  struct named_profile *profile;
  uint64_t samples;         /* of all lines: the largest sum */
  bool no_memory, no_stack; /* why a line was refused */
};

/* Cut LINE off behind its stack, and set *SAMPLES to the number at its end.
   False if there is none.  */
static bool
cut_samples (char *line, uint64_t *samples)
{
  char *end, *count = strrchr (line, ' ');
  if (count == NULL)
    return false;
  *count = '\0';
  errno = 0;
  *samples = strtoull (count + 1, &end, 10);
  /* strtoull would accept a sign, and read "-1" as the greatest number.  */
  return count[1] >= '0' && count[1] <= '9' && errno == 0
         && (*end == '\n' || *end == '\0');
}

/* Count LINE in the profile of CONTEXT, a reading.  False if LINE is not a
   stack or memory ran out.  */
static bool
take_line (void *context, char *line)
{
  struct reading *reading = context;
  struct named_profile *profile = reading->profile;
  uint64_t samples;
  reading->no_stack = !cut_samples (line, &samples)
                      || __builtin_add_overflow (reading->samples, samples,
                                                 &reading->samples);
  if (reading->no_stack)
    return false;
  uint32_t node = 0;
  for (char *rest = line, *name; (name = strsep (&rest, ";")) != NULL;)
    {
      uint32_t number
          = name_list_number (&profile->names, name, strlen (name));
      if (number != UINT32_MAX)
        node = call_tree_child (&profile->calls, node, number);
      reading->no_memory = number == UINT32_MAX || node == 0;
      if (reading->no_memory)
        return false;
    }
  profile->calls.nodes[node].self += samples;
  return true;
}

bool
folded_read (struct named_profile *profile, const char *path,
             struct error *err)
{
  struct reading reading = { .profile = profile };
  *profile = (struct named_profile){ .levels = 1 };
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
  if (!call_tree_init (&profile->calls))
    {
      fclose (file);
      return error_set_no_memory (err);
    }
  bool whole = lines_take (file, '\n', take_line, &reading);
  if (reading.no_stack)
    return error_set (err, CFI2SFRAME_MALFORMED,
                      "no folded stacks (-o FILE of sframe-profile)");
  if (!whole && !reading.no_memory)
    return error_set (err, CFI2SFRAME_IO, "%s", strerror (errno));
  return (whole && named_profile_finish (profile))
         || error_set_no_memory (err);
}

/* ---- Comparing */

static int
by_text (const void *text, const void *name)
{
  return strcmp (text, *(char *const *)name);
}

uint64_t
folded_name_in (const struct named_profile *now, uint64_t number,
                const struct named_profile *old)
{
  char text[FOLDED_NAME_SIZE];
  folded_name (now->names.list[number], text);
  char **found = bsearch (text, old->names.list, old->names.n,
                          sizeof *old->names.list, by_text);
  return found != NULL ? (uint64_t)(found - old->names.list) : old->names.n;
}

/* Make *MERGED, the call tree of OLD without the level of processes, and
   *TOTALS, the weights of its nodes.  Both have to be freed.  False when
   memory ran out.  */
static bool
merge_processes (const struct named_profile *old, struct call_tree *merged,
                 uint64_t **totals)
{
  const struct call_tree *all = &old->calls;
  uint32_t *copies = calloc (all->n, sizeof *copies);
  *totals = calloc (all->n, sizeof **totals);
  bool done = call_tree_init (merged) && copies != NULL && *totals != NULL;
  for (uint32_t i = 1; done && i < all->n; i++)
    {
      const struct call_node *node = &all->nodes[i];
      if (node->parent != 0)
        copies[i] = call_tree_child (merged, copies[node->parent], node->key);
      done = node->parent == 0 || copies[i] != 0;
      (*totals)[copies[i]] += old->totals[i];
    }
  free (copies);
  return done;
}

bool
folded_weights_before (const struct named_profile *now,
                       const struct named_profile *old, uint64_t **before)
{
  struct call_tree merged = { 0 };
  uint64_t *totals = NULL;
  uint32_t n = now->calls.n;
  /* For each node of NOW, its node in OLD; 0: none.  */
  uint32_t *nodes = calloc (n, sizeof *nodes);
  uint64_t *names = calloc (now->names.n + 1, sizeof *names);
  *before = calloc (n, sizeof **before);
  bool same = old->levels == now->levels;
  bool done = nodes != NULL && names != NULL && *before != NULL
              && (same || merge_processes (old, &merged, &totals));
  for (uint64_t i = 0; done && i < now->names.n; i++)
    names[i] = folded_name_in (now, i, old);
  const struct call_tree *calls = same ? &old->calls : &merged;
  const uint64_t *weights = same ? old->totals : totals;
  for (uint32_t i = 0; done && i < n; i++)
    {
      const struct call_node *node = &now->calls.nodes[i];
      if (i > 0 && (node->parent == 0 || nodes[node->parent] != 0))
        nodes[i]
            = call_tree_find (calls, nodes[node->parent], names[node->key]);
      (*before)[i] = i == 0 || nodes[i] != 0 ? weights[nodes[i]] : 0;
    }
  call_tree_free (&merged);
  free (totals);
  free (nodes);
  free (names);
  return done;
}
