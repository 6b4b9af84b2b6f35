/* What a file in a folder of a build is called when it is installed.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/installed_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* PATH without what is in front of its first name.  */
static const char *
skip_here (const char *path)
{
  while (*path == '/' || (path[0] == '.' && path[1] == '/'))
    path++;
  return path;
}

void
path_clean (char *path)
{
  char *to = path;
  for (const char *from = path; *from != '\0';)
    {
      const char *name = from + strspn (from, "/");
      size_t length = strcspn (name, "/");
      from = name + length;
      if (length == 2 && memcmp (name, "..", 2) == 0)
        while (to > path && *--to != '/')
          ;
      else if (length > 0 && (length != 1 || *name != '.'))
        {
          *to++ = '/';
          memmove (to, name, length);
          to += length;
        }
    }
  *to = '\0';
}

char *
path_absolute (const char *path)
{
  char *result;
  if (*path == '/')
    return asprintf (&result, "/%s", skip_here (path)) < 0 ? NULL : result;
  char *here = getcwd (NULL, 0);
  int size = here == NULL ? -1
                          : asprintf (&result, "/%s/%s", skip_here (here),
                                      skip_here (path));
  free (here);
  return size < 0 ? NULL : result;
}

const char *
path_installed (const char *root, const char *path)
{
  size_t length = strlen (root);
  while (length > 0 && root[length - 1] == '/')
    length--;
  if (strncmp (path, root, length) != 0 || path[length] != '/')
    return NULL;
  return skip_here (path + length) - 1; /* its "/" */
}
