/* What becomes of files, in the forms that other programs show people:
   --stats=junit, sarif and github.
   SPDX-License-Identifier: LGPL-2.1-or-later

   junit: the XML that Jenkins and GitLab read; a test case for each file.
   sarif: SARIF 2.1.0 (OASIS), which code hosts show; failures and findings
   are results.  github: workflow commands of GitHub Actions, a line each.
   The first two are one document, so events are collected before the whole is
   printed.  */

#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options.h"

struct event
{
  const char *path;
  bool skipped;     /* otherwise it passed, or it failed */
  const char *code; /* a stable word for the reason; NULL if it passed */
  const char *text; /* the reason; NULL if it passed */
  uint64_t address; /* in the file's memory, that it is about; 0: of all */
  double seconds;
};

/* Whether STATS is one of these forms.  */
bool events_wanted (enum tool_stats stats);

/* Append EVENT to the events at OUT.  */
void event_print (enum tool_stats stats, const struct event *event, FILE *out);

/* A collection of events.  */
struct events
{
  enum tool_stats stats;
  FILE *body; /* where events are to be appended */
  char *text;
  size_t size;
};

/* Begin a collection that is to be printed to OUT as a whole, or of events
   that go to OUT at once.  False when memory ran out.  */
bool events_begin (struct events *events, enum tool_stats stats, FILE *out);

/* Print the whole of EVENTS, which have so many of each kind, to OUT.  False
   when memory ran out: then nothing is printed, as a part would pass for the
   whole.  */
bool events_end (struct events *events, uint64_t passed, uint64_t skipped,
                 uint64_t failed, double seconds, FILE *out);

#endif /* CLI_EVENTS_H */
