/* What profiles are written as, and compared with.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Folded stacks: a line for each stack: the functions from the outermost one
   on, separated by semicolons, a space, and the number of samples with that
   stack (nanoseconds, of time off the processor).  Flame graph tools read this
   format.  pprof: a message of profile.proto (github.com/google/pprof), in a
   gzip file; each sample has labels for its process and thread.  Firefox: the
   Gecko profile format, version 24, which profiler.firefox.com makes of the
   output of perf script before it reads it; each thread has its samples, with
   their times.  Flame graphs are pictures.  A table has the functions that
   take most.  */

#ifndef STACKS_PROFILE_WRITERS_H
#define STACKS_PROFILE_WRITERS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "stacks/profile.h"

/* Print PROFILE; the name of the process begins every stack.  False when
   memory ran out.  */
bool folded_print (const struct named_profile *profile, FILE *out);

/* Read the file PATH into PROFILE, whose names are as lines have them, and
   whose processes are the root's callees.  PROFILE is to be freed even after a
   failure.  */
bool folded_read (struct named_profile *profile, const char *path,
                  struct error *err);

/* Set *BEFORE to what the nodes of NOW weighed in another profile, OLD, that
   was read from folded stacks: the same functions below the same ones.  If NOW
   is of one process, those of OLD are added up, whatever they are called.  To
   be freed.  False when memory ran out.  */
bool folded_weights_before (const struct named_profile *now,
                            const struct named_profile *old,
                            uint64_t **before);

/* The number of the name in OLD that NOW's name NUMBER is; n_names if there is
   none.  */
uint64_t folded_name_in (const struct named_profile *now, uint64_t number,
                         const struct named_profile *old);

/* Print PROFILE, which has HZ samples per second of a running thread (0: not
   known).  False when memory ran out.  */
bool pprof_print (const struct named_profile *profile, unsigned hz, FILE *out);
bool firefox_print (const struct named_profile *profile, unsigned hz,
                    FILE *out);

struct flame_graph_settings
{
  const char *root;     /* the process */
  const char *subtitle; /* what was measured */
  bool icicle;          /* callers are above what they call */
  /* Another profile, read from folded stacks, that this one is compared with,
     or NULL: red takes a greater share than there, blue a smaller one.  */
  const struct named_profile *old;
};

/* Print a picture (SVG) that needs nothing else, in a page (HTML) if AS_PAGE.
   It is as wide as the window; each function is as wide as its share of the
   samples and stands on its caller.  A click or a key enlarges it, names can
   be searched for.  In a page there is also the picture from the other side,
   functions with their callers above, and a table of functions beside it.
   False when memory ran out.  */
bool flame_graph_print (const struct named_profile *profile,
                        const struct flame_graph_settings *settings,
                        bool as_page, FILE *out);

/* Shares in percent of all.  */
struct function_share
{
  const char *name;   /* the profile's, or the other one's */
  double self, total; /* in it, and in it and all that it calls: a function
                         that calls itself counts once */
  double change;      /* what self is more than in the other profile */
};

/* List the functions of PROFILE, those with most of their own first; *N is how
   many there are.  Processes, threads and why walks ended are not functions.
   Unless OLD is NULL, it is another profile, read from folded stacks: its
   functions are listed, too, and those first that have changed most.  To be
   freed; NULL when memory ran out.  */
struct function_share *top_list (const struct named_profile *profile,
                                 const struct named_profile *old, size_t *n);

/* Print the first LINES functions, as top_list has them.  False when memory
   ran out.  */
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

/* Whether the names A and B lead to the same file, as far as both can be
   written.  */
bool printed_file_is_one (const char *a, const char *b);

/* Write the file NAME: call PRINT with CONTEXT and a stream OUT.  PRINT may
   seek in OUT, even if NAME is a pipe, which gets the contents at the end.  */
bool printed_file_make (const char *name,
                        bool (*print) (void *context, FILE *out,
                                       struct error *err),
                        void *context, struct error *err);

#endif /* STACKS_PROFILE_WRITERS_H */
