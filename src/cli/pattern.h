/* Patterns for names and paths, on command lines and in configurations.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_PATTERN_H
#define CLI_PATTERN_H

#include <fnmatch.h>
#include <stdbool.h>

/* Whether all of TEXT is as PATTERN says.  A "*" stands for slashes, too, so
   that a line takes in a tree; a backslash is a character like others.  */
static inline bool
pattern_fits (const char *pattern, const char *text)
{
  return fnmatch (pattern, text, FNM_NOESCAPE) == 0;
}

#endif /* CLI_PATTERN_H */
