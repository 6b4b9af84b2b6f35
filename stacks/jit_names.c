/* The names that a just-in-time compiler gives its code.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/jit_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/io.h"
#include "base/search.h"
#include "stacks/lines.h"

enum
{
  NAMES_MAX = 1 << 22 /* functions of one process */
};

/* Whether FD is a file of the user of process PID, or of root: anyone may
   write to /tmp.  */
static bool
is_trusted (int fd, pid_t pid)
{
  char name[40];
  struct stat process, file;
  snprintf (name, sizeof name, "/proc/%d", (int)pid);
  return stat (name, &process) == 0 && fstat (fd, &file) == 0
         && (file.st_uid == process.st_uid || file.st_uid == 0);
}

/* The descriptor of the file of process PID, whose /tmp may be another one
   than ours; -1 if there is none.  */
static int
open_names (pid_t pid)
{
  char name[80];
  snprintf (name, sizeof name, "/proc/%d/root/tmp/perf-%d.map", (int)pid,
            (int)pid);
  int fd = io_open_regular (name);
  if (fd >= 0 && is_trusted (fd, pid))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Add what LINE says to CONTEXT, names.  False when memory ran out.  */
static bool
add_line (void *context, char *line)
{
  struct jit_names *names = context;
  char *at;
  line[strcspn (line, "\n")] = '\0';
  uint64_t start = strtoull (line, &at, 16), size = strtoull (at, &at, 16);
  at += strspn (at, " ");
  if (size == 0 || *at == '\0' || names->n == NAMES_MAX)
    return true;
  if (!ARRAY_ROOM (names->names, names->n + 1, &names->capacity))
    return false;
  struct jit_name *last = &names->names[names->n];
  *last = (struct jit_name){ start, size, strdup (at), names->n };
  names->n += last->name != NULL;
  return last->name != NULL;
}

/* Code may be made where there was other code: of equal starts the last line
   comes last, and counts.  */
static int
by_start (const void *a, const void *b)
{
  const struct jit_name *x = a, *y = b;
  return x->start != y->start ? (x->start > y->start ? 1 : -1)
                              : (x->line > y->line) - (x->line < y->line);
}

void
jit_names_read (struct jit_names *names, pid_t pid)
{
  int fd = open_names (pid);
  FILE *file = fd >= 0 ? fdopen (fd, "r") : NULL;
  if (file == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  (void)lines_take (file, add_line, names);
  if (names->n > 0)
    qsort (names->names, names->n, sizeof *names->names, by_start);
}

const struct jit_name *
jit_names_at (const struct jit_names *names, uint64_t address)
{
  size_t behind = SEARCH_FIRST (names->n, i, names->names[i].start > address);
  const struct jit_name *last = names->names + behind - 1;
  return behind > 0 && address - last->start < last->size ? last : NULL;
}

void
jit_names_free (struct jit_names *names)
{
  for (size_t i = 0; i < names->n; i++)
    free (names->names[i].name);
  free (names->names);
  *names = (struct jit_names){ 0 };
}
