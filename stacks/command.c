/* Starting and ending the command that is sampled.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "stacks/sframe_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals whose dispositions change here; the command gets the old ones.  */
static const int numbers[] = { SIGINT, SIGTERM, SIGXFSZ };
static struct sigaction found[sizeof numbers / sizeof *numbers];

void
command_remember_signals (void)
{
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction (numbers[i], NULL, &found[i]);
}

/* As read, but continue after a signal.  */
static ssize_t
read_on (int fd, void *to, size_t size)
{
  ssize_t n;
  while ((n = read (fd, to, size)) < 0 && errno == EINTR)
    ;
  return n;
}

/* In the child: wait for the parent, then execute the command.  */
static _Noreturn void
execute (int go, int result, char **arguments)
{
  char byte;
  /* Without a byte, the parent has ended.  */
  if (read_on (go, &byte, 1) != 1)
    _exit (127);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction (numbers[i], &found[i], NULL);
  execvp (arguments[0], arguments);
  int problem = errno;
  if (write (result, &problem, sizeof problem) < 0)
    _exit (126);
  _exit (127);
}

bool
command_prepare (struct command *command, char **arguments)
{
  int go[2], result[2];
  if (pipe2 (go, O_CLOEXEC) != 0)
    return false;
  if (pipe2 (result, O_CLOEXEC) != 0)
    {
      close (go[0]);
      close (go[1]);
      return false;
    }
  command->pid = fork ();
  if (command->pid == 0)
    {
      close (go[1]);
      execute (go[0], result[1], arguments);
    }
  close (go[0]);
  close (result[1]);
  command->go = go[1];
  command->result = result[0];
  return command->pid > 0;
}

bool
command_start (struct command *command)
{
  int problem = 0;
  if (write (command->go, "", 1) < 0)
    return false;
  close (command->go);
  command->go = -1;
  ssize_t n = read_on (command->result, &problem, sizeof problem);
  close (command->result);
  command->result = -1;
  errno = problem;
  return n == 0;
}

void
command_end (struct command *command)
{
  if (command->pid <= 0)
    return;
  /* A child that still waits has the signal handlers of this program.  */
  kill (command->pid, command->go >= 0 ? SIGKILL : SIGTERM);
  /* A stopped process does not act on the signal until it continues.  */
  kill (command->pid, SIGCONT);
  /* The command may ignore the signal, so this may wait long.  */
  while (waitpid (command->pid, NULL, 0) < 0 && errno == EINTR)
    ;
}
