/* Output that is incomplete, because memory ran out or a file was cut off.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "walk/module_list.h"

static bool noted;

bool
shortage_note (void)
{
  noted = true;
  errno = ENOMEM;
  return false;
}

void
shortage_note_error (const struct error *err)
{
  if (err->status == CFI2SFRAME_NO_MEMORY)
    shortage_note ();
}

bool
shortage_is_none (const char *program)
{
  if (noted)
    fprintf (stderr, "%s: memory ran out: a part of the output is missing\n",
             program);
  return !noted;
}

/* Files that were cut off.  The functions that a handler calls here, also
   walk_maps_line and printable_copy, are async-signal-safe, except for
   strtoull of the C library, which neither allocates nor locks.  */

enum
{
  LINE_SIZE = 4352 /* PATH_MAX, and the fields before the path */
};

/* Read a line of FD into LINE, without the newline.  False at the end.  */
static bool
read_line (int fd, char line[LINE_SIZE])
{
  size_t n = 0;
  while (n < LINE_SIZE - 1 && read (fd, &line[n], 1) == 1 && line[n] != '\n')
    n++;
  line[n] = '\0';
  return n > 0;
}

static void
say (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

void
shortage_tell_lost_file (const void *address)
{
  char line[LINE_SIZE], shown[LINE_SIZE];
  struct walk_mapping mapping;
  bool found = false;
  int fd = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  while (!found && read_line (fd, line))
    found
        = walk_maps_line (line, &mapping) && mapping.inode != 0
          && (uintptr_t)address - mapping.start < mapping.end - mapping.start;
  if (!found)
    return;
  printable_copy (shown, sizeof shown, mapping.path);
  say (program_invocation_short_name);
  say (": ");
  say (shown);
  say (" shrank while it was read\n");
  _exit (EXIT_FAILURE);
}
