/* Output formats of profiles, and comparing with another profile.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Folded stacks: a line for each stack, with the functions from the outermost
   one on, separated by semicolons, a space, and the number of samples with
   that stack (nanoseconds, of time off the processor).  Flame graph tools read
   this format.  pprof: a message of profile.proto (github.com/google/pprof) in
   a gzip file.  Each sample has labels for its process and thread.  Firefox:
   the Gecko profile format, version 24.  profiler.firefox.com converts the
   output of perf script to this format before it reads it.  Each thread has
   its samples with their times.  Flame graphs are pictures.  A table lists the
   functions that take most.  */

#ifndef STACKS_PROFILE_WRITERS_H
#define STACKS_PROFILE_WRITERS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "stacks/profile.h"

/* Print PROFILE as folded stacks.  Each stack begins with the name of the
   process.  False when memory ran out.  */
bool folded_print (const struct named_profile *profile, FILE *out);

/* Read the folded stacks in the file PATH into PROFILE.  Its names are as in
   the file, and its processes are the children of the root.  PROFILE has to be
   freed even after a failure.  */
bool folded_read (struct named_profile *profile, const char *path,
                  struct error *err);

/* Set *BEFORE to the weights that the nodes of NOW have in OLD, which was read
   from folded stacks; to be freed.  Nodes correspond if their functions and
   all their callers have the same names.  If NOW is of one process, those of
   OLD are added up, whatever their names.  False when memory ran out.  */
bool folded_weights_before (const struct named_profile *now,
                            const struct named_profile *old,
                            uint64_t **before);

/* Return the index in OLD of the name that has index NUMBER in NOW;
   old->names.n if there is none.  */
uint64_t folded_name_in (const struct named_profile *now, uint64_t number,
                         const struct named_profile *old);

/* Print PROFILE, which has HZ samples per second of a running thread (0: not
   known), for pprof and for the Firefox profiler.  False when memory ran
   out.  */
bool pprof_print (const struct named_profile *profile, unsigned hz, FILE *out);
bool firefox_print (const struct named_profile *profile, unsigned hz,
                    FILE *out);

struct flame_graph_settings
{
  const char *root;     /* name of the process */
  const char *subtitle; /* what was measured */
  bool icicle;          /* callers are above callees */
  /* Another profile, read from folded stacks, to compare with, or NULL.
     A function is red if its share has grown, blue if it has shrunk.  */
  const struct named_profile *old;
};

/* Print a picture (SVG) or, if AS_PAGE, a page with it (HTML); neither needs
   other files.  The picture is as wide as the window.  A function is as wide
   as its share of the samples, and stands on its caller.  A click or a key
   enlarges a function, and names can be searched for.  A page also has the
   inverted picture, where functions have their callers above, and a table of
   functions.  False when memory ran out.  */
bool flame_graph_print (const struct named_profile *profile,
                        const struct flame_graph_settings *settings,
                        bool as_page, FILE *out);

/* The share of a function in all samples, in percent.  */
struct function_share
{
  const char *name;   /* owned by the profile, or by the other one */
  double self, total; /* in the function itself; with all callees, where a
                         recursive function counts once */
  double change;      /* of `self', since the other profile */
};

/* List the functions of PROFILE, sorted by their own share, and set *N to
   their number; to be freed.  Processes, threads and reasons why walks ended
   are left out.  If OLD, a profile read from folded stacks, is not NULL, list
   its functions, too, and sort by change.  NULL when memory ran out.  */
struct function_share *top_list (const struct named_profile *profile,
                                 const struct named_profile *old, size_t *n);

/* Print the first LINES functions of top_list.  False when memory ran out.  */
bool top_print (const struct named_profile *profile,
                const struct named_profile *old, size_t lines, FILE *out);

/* ---- Output files (printed_file.c).

   Each file is written to a temporary file and replaces the old one when it is
   complete, where the file system lets it (write/output_file.h, rewrite).  */

/* Whether the file NAME can be written, as far as creating a temporary file
   beside it tells.  INPUT, which may be NULL, is a file that is being read:
   NAME must not replace it.  */
bool printed_file_check (const char *name, const char *input,
                         struct error *err);

/* Whether the names A and B lead to the same file, if both can be written.  */
bool printed_file_is_one (const char *a, const char *b);

/* Write the file NAME: call PRINT with CONTEXT and a stream OUT.  PRINT may
   seek in OUT, even if NAME is a pipe, which gets the contents at the end.  */
bool printed_file_make (const char *name,
                        bool (*print) (void *context, FILE *out,
                                       struct error *err),
                        void *context, struct error *err);

#endif /* STACKS_PROFILE_WRITERS_H */
