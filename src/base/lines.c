/* Reading text files line by line.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "base/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/prefix.h"

bool
lines_take (FILE *file, char end, bool (*take) (void *context, char *line),
            void *context)
{
  char *line = NULL;
  size_t capacity = 0;
  bool more = true;
  while (more && getdelim (&line, &capacity, end, file) > 0)
    more = take (context, line);
  /* getdelim returns -1 at the end of the file, on errors, and when memory ran
     out.  Only at the end does feof return true.  */
  more = more && feof (file);
  int problem = errno;
  free (line);
  if (file != stdin)
    fclose (file);
  errno = problem;
  return more;
}

bool
lines_first (const char *path, char *line, size_t size)
{
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return false;
  bool there = fgets (line, (int)size, file) != NULL;
  fclose (file);
  if (there)
    line[strcspn (line, "\n")] = '\0';
  return there;
}

long
lines_status (const char *path, const char *key)
{
  char line[256];
  long number = 0;
  FILE *file = fopen (path, "re");
  if (file == NULL)
    return 0;
  while (fgets (line, sizeof line, file) != NULL)
    {
      const char *last = strrchr (line, '\t');
      if (has_prefix (line, key) && last != NULL)
        number = strtol (last, NULL, 10);
    }
  fclose (file);
  return number;
}
