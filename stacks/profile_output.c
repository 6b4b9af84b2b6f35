/* Files and text that are made of a profile.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plural.h"
#include "base/printable.h"
#include "stacks/profile_writers.h"
#include "stacks/folded.h"
#include "stacks/profile_names.h"
#include "stacks/profile_output.h"

/* A profile with its names, and what is printed with it.  */
struct output
{
  const struct profile_options *options;
  const struct profile_facts *facts;
  struct named_profile named;
  struct named_profile old; /* that it is compared with, if options->diff */
  char subtitle[128];       /* what the samples are */
};

bool
profile_fail (const char *what, const char *why)
{
  fputs ("sframe-profile: ", stderr);
  printable_put (what, stderr);
  fprintf (stderr, ": %s\n", why);
  return false;
}

/* Whether NAME can be written to.  */
static bool
check_output (const char *name)
{
  struct stat status;
  char folder[PATH_MAX];
  if (stat (name, &status) == 0)
    {
      if (S_ISDIR (status.st_mode))
        return profile_fail (name, strerror (EISDIR));
      return access (name, W_OK) == 0 || profile_fail (name, strerror (errno));
    }
  /* A name that is too long gives another error than ENOENT.  */
  if (errno != ENOENT || name[0] == '\0')
    return profile_fail (name, strerror (errno));
  snprintf (folder, sizeof folder, "%s", name);
  return access (dirname (folder), W_OK | X_OK) == 0
         || profile_fail (name, strerror (errno));
}

bool
profile_check_outputs (const struct profile_options *options)
{
  if (options->diff != NULL && access (options->diff, R_OK) != 0)
    return profile_fail (options->diff, strerror (errno));
  for (size_t i = 0; i < options->n_outputs; i++)
    if (!check_output (options->outputs[i]))
      return false;
  return true;
}

double
profile_percent_complete (const struct profile *profile)
{
  return profile->samples == 0 ? 100
                               : 100.0 * (double)profile_complete (profile)
                                     / (double)profile->samples;
}

/* Say in one line what the samples of PROFILE are.  */
static void
describe (struct output *output, const struct profile *profile)
{
  char rate[64] = "";
  if (profile->off_cpu)
    snprintf (rate, sizeof rate, ", %.3f s off the processor",
              (double)profile->weight * 1e-9);
  else if (output->facts->hz > 0)
    snprintf (rate, sizeof rate, ", %u per second", output->facts->hz);
  snprintf (output->subtitle, sizeof output->subtitle,
            "%" PRIu64 " sample%s in %.1f s%s; %.1f %% reached the outermost "
            "frame",
            profile->samples, plural_s (profile->samples),
            output->facts->seconds, rate, profile_percent_complete (profile));
}

static const struct named_profile *
old_profile (const struct output *output)
{
  return output->options->diff != NULL ? &output->old : NULL;
}

static bool
ends_in (const char *name, const char *suffix)
{
  size_t n = strlen (name), m = strlen (suffix);
  return n >= m && strcmp (name + n - m, suffix) == 0;
}

/* Print the profile to FILE, as what the end of its NAME asks for.  False when
   memory ran out.  */
static bool
print_as (const struct output *output, const char *name, FILE *file)
{
  const struct named_profile *named = &output->named;
  unsigned hz = output->facts->hz;
  if (ends_in (name, ".pb.gz"))
    return pprof_print (named, hz, file);
  if (ends_in (name, ".json"))
    return firefox_print (named, hz, file);
  bool page = ends_in (name, ".html");
  const struct flame_graph words = {
    named->process != NULL ? named->process : output->facts->name,
    output->subtitle,
    output->options->icicle,
    old_profile (output),
  };
  return page || ends_in (name, ".svg")
             ? flame_graph_print (named, &words, page, file)
             : folded_print (named, file);
}

static bool
write_output (const struct output *output, const char *name)
{
  FILE *file = fopen (name, "we");
  if (file == NULL)
    return profile_fail (name, strerror (errno));
  bool printed = print_as (output, name, file);
  bool failed = ferror (file) != 0;
  failed |= fclose (file) != 0;
  if (!printed)
    return profile_fail (name, "out of memory");
  return !failed || profile_fail (name, strerror (errno));
}

/* Print the table or the folded stacks.  */
static bool
print_output (const struct output *output)
{
  size_t top = output->options->top;
  bool printed
      = top > 0 ? top_print (&output->named, old_profile (output), top, stdout)
                : print_as (output, "", stdout);
  if (!printed)
    return profile_fail (output->facts->name, "out of memory");
  return (fflush (stdout) == 0 && !ferror (stdout))
         || profile_fail ("standard output", strerror (errno));
}

/* Read the profile to compare with, if that is wanted.  */
static bool
read_old (struct output *output)
{
  const char *path = output->options->diff;
  const struct named_profile *named = &output->named;
  struct error err;
  return path == NULL
         || folded_read (&output->old, path, named->process != NULL,
                         named->levels, &err)
         || profile_fail (path, err.reason);
}

static bool
name_functions (struct output *output, struct profile *profile)
{
  const struct profile_options *options = output->options;
  return profile_name (profile,
                       (options->mangled ? SYMBOL_MANGLED : 0)
                           | (options->inlines ? SYMBOL_INLINES : 0),
                       &output->named)
         || profile_fail (output->facts->name, "out of memory");
}

bool
profile_write_outputs (struct profile *profile,
                       const struct profile_options *options,
                       const struct profile_facts *facts)
{
  struct output output = { .options = options, .facts = facts };
  describe (&output, profile);
  bool done = name_functions (&output, profile) && read_old (&output);
  for (size_t i = 0; done && i < options->n_outputs; i++)
    done = write_output (&output, options->outputs[i]);
  if (done && (options->n_outputs == 0 || options->top > 0))
    done = print_output (&output);
  named_profile_free (&output.old);
  named_profile_free (&output.named);
  return done;
}
