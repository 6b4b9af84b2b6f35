/* Results of files in formats that other programs display: --stats=junit,
   sarif and github.
   SPDX-License-Identifier: LGPL-2.1-or-later

   junit is the XML that Jenkins and GitLab read, with a test case for each
   file.  sarif is SARIF 2.1.0 (OASIS), which code hosts display; failures and
   findings are results.  github is the format of workflow commands of GitHub
   Actions, one line for each.  The first two are single documents, so events
   are collected before the document is printed.  */

#ifndef CLI_EVENTS_H
#define CLI_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options.h"

struct event
{
  const char *path;
  bool skipped;     /* otherwise passed or failed */
  const char *code; /* a stable word for the reason; NULL if it passed */
  const char *text; /* the reason; NULL if it passed */
  uint64_t address; /* of the code in question; 0: the whole file */
  double seconds;
};

/* Whether STATS is one of these formats.  */
bool events_wanted (enum tool_stats stats);

/* Append EVENT to the events at OUT.  */
void event_print (enum tool_stats stats, const struct event *event, FILE *out);

/* A collection of events.  */
struct events
{
  enum tool_stats stats;
  FILE *body; /* the stream for events */
  char *text;
  size_t size;
};

/* Begin EVENTS, to be printed to OUT: as one document at the end, or each at
   once, as the format requires.  False when memory ran out.  */
bool events_begin (struct events *events, enum tool_stats stats, FILE *out);

/* Print the document of EVENTS, with the given numbers of each kind, to OUT.
   When memory ran out, return false and print nothing, because a part would
   look like the whole.  */
bool events_end (struct events *events, uint64_t passed, uint64_t skipped,
                 uint64_t failed, double seconds, FILE *out);

#endif /* CLI_EVENTS_H */
