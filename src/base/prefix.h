/* Comparing the beginnings and ends of texts.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef BASE_PREFIX_H
#define BASE_PREFIX_H

#include <stdbool.h>
#include <string.h>

static inline bool
has_prefix (const char *text, const char *prefix)
{
  return strncmp (text, prefix, strlen (prefix)) == 0;
}

static inline bool
has_suffix (const char *text, const char *suffix)
{
  size_t length = strlen (text), ending = strlen (suffix);
  return length >= ending && strcmp (text + length - ending, suffix) == 0;
}

#endif /* BASE_PREFIX_H */
