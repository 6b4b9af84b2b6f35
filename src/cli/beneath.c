/* Directories below another one, without links.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "cli/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path is entered part by part: O_NOFOLLOW is for the last part alone.  */
int
beneath_open (int root, const char *relative, size_t length)
{
  const char *end = relative + length;
  int fd = fcntl (root, F_DUPFD_CLOEXEC, 0);
  while (fd >= 0)
    {
      while (relative < end && *relative == '/')
        relative++;
      if (relative == end)
        break;
      const char *slash = memchr (relative, '/', (size_t)(end - relative));
      const char *part_end = slash != NULL ? slash : end;
      char *part = strndup (relative, (size_t)(part_end - relative));
      int next = part == NULL
                     ? -1
                     : openat (fd, part,
                               O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      int problem = part == NULL ? ENOMEM : errno;
      free (part);
      close (fd);
      errno = problem;
      fd = next;
      relative = part_end;
    }
  return fd;
}
