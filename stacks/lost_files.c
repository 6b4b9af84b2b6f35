/* Files that are cut off while they are read.
   SPDX-License-Identifier: LGPL-2.1-or-later

   What the handler calls is async-signal-safe, but for strtoull of the C
   library, which neither allocates nor locks.  */

#include <config.h>

#include "stacks/lost_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "base/printable.h"
#include "cfi2sframe.h"
#include "walk/maps.h"

enum
{
  LINE_SIZE = 4352 /* PATH_MAX, and what is in front of the path */
};

static const char *program_name;

/* Read a line of FD into LINE, without its end.  False if there is none.  */
static bool
read_line (int fd, char line[LINE_SIZE])
{
  size_t n = 0;
  while (n < LINE_SIZE - 1 && read (fd, &line[n], 1) == 1 && line[n] != '\n')
    n++;
  line[n] = '\0';
  return n > 0;
}

/* The file that is mapped at ADDRESS: its name is in LINE.  NULL if there is
   none.  */
static const char *
file_at (uintptr_t address, char line[LINE_SIZE])
{
  struct walk_mapping mapping;
  int fd = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  while (read_line (fd, line))
    if (walk_maps_line (line, &mapping) && mapping.inode != 0
        && address - mapping.start < mapping.end - mapping.start)
      return mapping.path;
  return NULL;
}

static void
say (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

static void
patch_or_end (int number, siginfo_t *info, void *unused)
{
  char line[LINE_SIZE], shown[LINE_SIZE];
  int saved = errno;
  (void)unused;
  if (mapped_file_patch (info->si_addr))
    {
      errno = saved;
      return;
    }
  cfi2sframe_discard_temporaries ();
  const char *file = file_at ((uintptr_t)info->si_addr, line);
  if (file == NULL)
    {
      signal (number, SIG_DFL);
      raise (number);
      return;
    }
  printable_copy (shown, sizeof shown, file);
  say (program_name);
  say (": ");
  say (shown);
  say (" shrank while it was read\n");
  _exit (EXIT_FAILURE);
}

void
lost_files_watch (const char *program)
{
  const struct sigaction action
      = { .sa_sigaction = patch_or_end, .sa_flags = SA_SIGINFO };
  program_name = program;
  sigaction (SIGBUS, &action, NULL);
}
