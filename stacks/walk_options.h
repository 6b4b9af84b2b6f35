/* The options that sframe-stack and sframe-profile have in common.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef STACKS_WALK_OPTIONS_H
#define STACKS_WALK_OPTIONS_H

#include <stdlib.h>

#include "stacks/process.h"
#include "stacks/rows.h"
#include "cli/standard_options.h"

enum
{
  OPTION_ONLY_SFRAME = 256,
  OPTION_DETACHED,
  OPTION_DEBUGINFOD,
  OPTION_ANALYZE,
  OPTION_NO_DEMANGLE,
  OPTION_OF_PROGRAM /* the first key of a program's own options */
};

/* Entries of these options for a table of argp.  */
#define WALK_OPTIONS                                                         \
  WALK_OPTION ("only-sframe", OPTION_ONLY_SFRAME,                            \
               "Stop where a module has no SFrame data of its own, instead " \
               "of converting it in memory"),                                \
      WALK_OPTION (                                                          \
          "analyze", OPTION_ANALYZE,                                         \
          "Modules that are converted get rows for code without CFI, too"),  \
      { "detached",                                                          \
        OPTION_DETACHED,                                                     \
        "DIR[:DIR...]",                                                      \
        0,                                                                   \
        "Where cfi2sframe --detached wrote sections "                        \
        "(default: " DETACHED_DEFAULT ")",                                   \
        1 },                                                                 \
      WALK_OPTION ("debuginfod", OPTION_DEBUGINFOD,                          \
                   "Ask the servers of DEBUGINFOD_URLS for such sections, "  \
                   "too"),                                                   \
      WALK_OPTION ("no-demangle", OPTION_NO_DEMANGLE,                        \
                   "Show names of C++ and Rust as symbol tables have them")
#define WALK_OPTION(name, key, text) \
  {                                  \
    name, key, NULL, 0, text, 1      \
  }

/* Which members of a structure of TYPE these options set.  */
#define WALK_MEMBERS(type)                                      \
  OPTION_SWITCH (type, OPTION_ONLY_SFRAME, policy.only_sframe), \
      OPTION_TEXT (type, OPTION_DETACHED, policy.detached),     \
      OPTION_SWITCH (type, OPTION_ANALYZE, policy.analyze),     \
      OPTION_SWITCH (type, OPTION_NO_DEMANGLE, mangled)

/* Parse one of these or the standard options.  Failure ends the program.  */
static inline error_t
walk_option_parse (int key, char *argument, struct argp_state *state,
                   const struct option_member *members, size_t n)
{
  struct error err;
  error_clear (&err);
  if (key != OPTION_DEBUGINFOD)
    return standard_option_take (key, argument, state, members, n);
  if (!debuginfod_open (&err))
    argp_failure (state, EXIT_FAILURE, 0, "%s", err.reason);
  return 0;
}

#endif /* STACKS_WALK_OPTIONS_H */
