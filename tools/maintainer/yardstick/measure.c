/* Run a command several times: elapsed time, processor time, memory.
   SPDX-License-Identifier: LGPL-2.1-or-later

   measure RUNS PREPARE COMMAND [ARGUMENT]...: before each run PREPARE, a shell
   command, is run and not measured ("" for none).  The command's standard
   output goes to /dev/null.  Prints, in milliseconds and kilobytes:
   shortest and median elapsed time, shortest and median processor time
   (user + system), largest resident set.  */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "times.h"

static double
of_timeval (struct timeval time)
{
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec * 1e-3;
}

static void
run_command (char **argv)
{
  int null = open ("/dev/null", O_WRONLY);
  if (null >= 0)
    dup2 (null, STDOUT_FILENO);
  execvp (argv[0], argv);
  fprintf (stderr, "measure: %s: %s\n", argv[0], strerror (errno));
  _exit (127);
}

/* Run it once.  False when it failed.  */
static int
measure (char **argv, double *elapsed, double *processor, long *resident)
{
  int status;
  struct rusage usage;
  double start = milliseconds (CLOCK_MONOTONIC);
  pid_t child = fork ();
  if (child == 0)
    run_command (argv);
  if (child < 0 || wait4 (child, &status, 0, &usage) != child)
    return 0;
  *elapsed = milliseconds (CLOCK_MONOTONIC) - start;
  *processor = of_timeval (usage.ru_utime) + of_timeval (usage.ru_stime);
  if (usage.ru_maxrss > *resident)
    *resident = usage.ru_maxrss;
  return WIFEXITED (status) && WEXITSTATUS (status) == 0;
}

int
main (int argc, char **argv)
{
  int runs = argc > 3 ? (int)strtol (argv[1], NULL, 10) : 0;
  if (runs < 1)
    {
      fprintf (stderr, "usage: measure RUNS PREPARE COMMAND...\n");
      return 2;
    }
  double *elapsed = calloc ((size_t)runs, sizeof *elapsed);
  double *processor = calloc ((size_t)runs, sizeof *processor);
  long resident = 0;
  int i = 0;
  if (elapsed != NULL && processor != NULL)
    while (i < runs && (argv[2][0] == '\0' || system (argv[2]) == 0)
           && measure (argv + 3, &elapsed[i], &processor[i], &resident))
      i++;
  if (i < runs)
    {
      fprintf (stderr, "measure: this failed: %s\n", argv[3]);
      free (elapsed);
      free (processor);
      return 1;
    }
  sort_times (elapsed, runs);
  sort_times (processor, runs);
  printf ("%.1f %.1f %.1f %.1f %ld\n", elapsed[0], elapsed[runs / 2],
          processor[0], processor[runs / 2], resident);
  free (elapsed);
  free (processor);
  return 0;
}
