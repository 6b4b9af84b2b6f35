/* Numbers on command lines and in configurations.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Set *NUMBER to the value of TEXT, decimal digits only.  False unless it is
   from LEAST to MOST.  */
static inline bool
number_parse (const char *text, size_t least, size_t most, size_t *number)
{
  char *end;
  if (*text < '0' || *text > '9')
    return false;
  errno = 0;
  unsigned long long value = strtoull (text, &end, 10);
  *number = (size_t)value;
  return errno == 0 && *end == '\0' && value >= least && value <= most;
}

/* Set *PERCENTAGE to the value of TEXT: decimal digits, and at most one point
   that is not the first character.  False if it is above 100.  */
static inline bool
number_percentage (const char *text, double *percentage)
{
  char *end;
  if (*text < '0' || *text > '9' || text[strspn (text, "0123456789.")] != '\0')
    return false;
  *percentage = strtod (text, &end);
  return *end == '\0' && *percentage <= 100;
}

#endif /* CLI_NUMBER_H */
