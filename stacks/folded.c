/* Profiles as text: folded stacks.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/lines.h"
#include "base/printable.h"

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
            print_name (profile->names.list[tree->nodes[path[i]].key], out);
          }
        fprintf (out, " %" PRIu64 "\n", tree->nodes[node].self);
      }
  while ((node = call_tree_next (tree, node)) != 0);
  free (path);
  return true;
}

/* Reading.  */

struct reading
{
  struct named_profile *profile;
  uint64_t samples;         /* of all lines: no sum below the root is larger */
  bool no_memory, no_stack; /* why a line was not taken */
};

/* Cut LINE behind its stack, and set *SAMPLES to the number that it ends with.
   False where there is none.  */
static bool
cut_samples (char *line, uint64_t *samples)
{
  char *end, *count = strrchr (line, ' ');
  if (count == NULL)
    return false;
  *count = '\0';
  errno = 0;
  *samples = strtoull (count + 1, &end, 10);
  /* strtoull takes a sign, too, and "-1" for the greatest number.  */
  return count[1] >= '0' && count[1] <= '9' && errno == 0
         && (*end == '\n' || *end == '\0');
}

/* Count LINE in the profile of CONTEXT, a reading; false at one that is not a
   stack.  */
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
    if ((node = named_profile_add (profile, node, name, strlen (name))) == 0)
      {
        reading->no_memory = true;
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
