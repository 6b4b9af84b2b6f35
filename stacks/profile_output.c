/* The output files, the table and the summary of a profile.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/amounts.h"
#include "base/mapped_file.h"
#include "base/prefix.h"
#include "base/printable.h"
#include "stacks/profile_writers.h"
#include "stacks/sframe_profile.h"
#include "walk/apply.h"

/* What the outputs are made from.  */
struct output
{
  const struct profile_options *options;
  const struct profile *profile;
  struct named_profile named;
  const struct named_profile *old; /* to compare with, or NULL */
  char subtitle[128];              /* what the samples are */
  const char *name; /* of the output file; "": standard output */
};

bool
profile_fail (const char *what, const char *why)
{
  fputs ("sframe-profile: ", stderr);
  printable_put (what, stderr);
  fprintf (stderr, ": %s\n", why);
  return false;
}

bool
profile_open_outputs (const struct profile_options *options,
                      struct named_profile *old)
{
  struct error err;
  error_clear (&err);
  for (size_t i = 0; i < options->n_outputs; i++)
    {
      const char *name = options->outputs[i];
      if (!printed_file_check (name, options->input, &err))
        return profile_fail (name, err.reason);
      if (options->perf_data != NULL
          && printed_file_is_one (name, options->perf_data))
        return profile_fail (name, "is the file of --perf-data");
    }
  if (options->perf_data != NULL
      && !printed_file_check (options->perf_data, options->input, &err))
    return profile_fail (options->perf_data, err.reason);
  return options->diff == NULL || folded_read (old, options->diff, &err)
         || profile_fail (options->diff, err.reason);
}

/* Return the percentage of the samples of PROFILE whose walks reached the
   outermost frame.  Without samples it is 100, because none is incomplete.  */
static double
percent_complete (const struct profile *profile)
{
  return profile->samples == 0 ? 100
                               : 100.0 * (double)profile->ends[SFW_OUTERMOST]
                                     / (double)profile->samples;
}

/* Set the subtitle of OUTPUT.  */
static void
set_subtitle (struct output *output)
{
  const struct profile *profile = output->profile;
  char rate[64] = "";
  if (profile->off_cpu)
    snprintf (rate, sizeof rate, ", %.3f s off the processor",
              (double)profile->weight * 1e-9);
  else if (profile->hz > 0)
    snprintf (rate, sizeof rate, ", %u per second", profile->hz);
  snprintf (output->subtitle, sizeof output->subtitle,
            "%" PRIu64 " sample%s in %.1f s%s; %.1f %% reached the outermost "
            "frame",
            profile->samples, plural_s (profile->samples), profile->seconds,
            rate, percent_complete (profile));
}

/* Print the profile to FILE, in the format that the end of the output's name
   asks for.  False when memory ran out.  */
static bool
print_as (const struct output *output, FILE *file)
{
  const struct named_profile *named = &output->named;
  const char *name = output->name;
  unsigned hz = output->profile->hz;
  if (has_suffix (name, ".pb.gz"))
    return pprof_print (named, hz, file);
  if (has_suffix (name, ".json"))
    return firefox_print (named, hz, file);
  bool page = has_suffix (name, ".html");
  const struct flame_graph_settings settings = {
    named->process != NULL ? named->process : output->profile->name,
    output->subtitle,
    output->options->icicle,
    output->old,
  };
  return page || has_suffix (name, ".svg")
             ? flame_graph_print (named, &settings, page, file)
             : folded_print (named, file);
}

static bool
print_named (void *context, FILE *file, struct error *err)
{
  return print_as (context, file) || error_set_no_memory (err);
}

static bool
write_output (struct output *output)
{
  struct error err;
  /* If a file with code was cut off meanwhile, only its names are missing.  */
  mapped_files_forget ();
  return printed_file_make (output->name, print_named, output, &err)
         || profile_fail (output->name, err.reason);
}

static bool
print_output (const struct output *output)
{
  size_t top = output->options->top;
  bool printed = top > 0 ? top_print (&output->named, output->old, top, stdout)
                         : print_as (output, stdout);
  if (!printed)
    return profile_fail (output->profile->name, "out of memory");
  return (fflush (stdout) == 0 && !ferror (stdout))
         || profile_fail ("standard output", strerror (errno));
}

bool
profile_write_outputs (struct profile *profile,
                       const struct profile_options *options,
                       const struct named_profile *old)
{
  struct output output = { .options = options,
                           .profile = profile,
                           .old = options->diff != NULL ? old : NULL };
  set_subtitle (&output);
  bool done = profile_name (profile,
                            (options->mangled ? SYMBOL_MANGLED : 0)
                                | (options->inlines ? SYMBOL_INLINES : 0),
                            &output.named)
              || profile_fail (profile->name, "out of memory");
  for (size_t i = 0; done && i < options->n_outputs; i++)
    {
      output.name = options->outputs[i];
      done = write_output (&output);
    }
  output.name = "";
  if (done && (options->n_outputs == 0 || options->top > 0))
    done = print_output (&output);
  named_profile_free (&output.named);
  return done;
}

static void
print_walks (const struct profile *profile)
{
  fprintf (stderr,
           "%" PRIu64 " sample%s in %.1f s, %" PRIu64
           " (%.1f %%) reached the outermost frame",
           profile->samples, plural_s (profile->samples), profile->seconds,
           profile->ends[SFW_OUTERMOST], percent_complete (profile));
  for (int i = 0; i <= SFW_INVALID; i++)
    if (profile->ends[i] > 0 && i != SFW_OUTERMOST)
      fprintf (stderr, ", %s %" PRIu64,
               i == SFW_MORE ? "too deep" : unwind_end_name ((enum sfw_end)i),
               profile->ends[i]);
  if (profile->off_cpu)
    fprintf (stderr, "; %.3f s off the processor",
             (double)profile->weight * 1e-9);
  if (profile->off_cpu && profile->unknown_waits > 0)
    fprintf (stderr, ", without %" PRIu64 " wait%s not seen whole",
             profile->unknown_waits, plural_s (profile->unknown_waits));
  if (profile->lost > 0)
    fprintf (stderr, "; %" PRIu64 " lost", profile->lost);
  if (profile->without_kernel)
    fputs ("; without time in the kernel (perf_event_paranoid)", stderr);
  fputc ('\n', stderr);
}

static void
print_count (uint64_t n, const char *thing, const char *property)
{
  if (n > 0)
    fprintf (stderr, "%" PRIu64 " %s%s%s%s\n", n, thing, plural_s (n),
             *property != '\0' ? " " : "", property);
}

static void
print_unused (const struct profile *profile)
{
  const struct code_files *files = &profile->family.files;
  print_count (profile->without_registers, "sample",
               "without registers of a 64-bit program");
  print_count (profile->damaged, "damaged record", "");
  print_count (profile->unmapped, "sample",
               "of processes whose files the recording does not name (perf "
               "record --overwrite loses those of commands; record with -p)");
  for (uint32_t i = 0; i < files->n; i++)
    if (files->files[i]->opened && files->files[i]->image.bytes == NULL
        && files->files[i]->path[0] == '/'
        && !code_file_is_memory (files->files[i]))
      profile_fail (files->files[i]->path,
                    "not the file that was recorded: stacks end in its code");
}

void
profile_print_summary (const struct profile *profile)
{
  bool recorded = profile->family.recorded;
  /* In a recording, these are among the samples without registers.  */
  if (!recorded)
    print_count (profile->of_32_bit, "sample",
                 "of 32-bit programs, which are not walked");
  if (profile->samples > 0)
    print_walks (profile);
  else
    fprintf (stderr, "no samples: it has ended after %.2f s\n",
             profile->seconds);
  if (recorded)
    print_unused (profile);
}
