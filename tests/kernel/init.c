/* The first process of the kernel that tools/maintainer/old-kernel.sh boots:
   runs the programs that /plan names, prints TAP on the second serial line.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A line of /plan has fields that are separated by tabs:
     KIND NAME ROOT EXPECTED PROGRAM [ARGUMENT...]
   KIND old: an unconverted program.  If it fails, the reason is not ours, and
             the "new" lines up to the next "old" are skipped.
   KIND new: a converted one: must exit with 0 and print EXPECTED.
   KIND bad: known to fail, which shows that the program would notice.
   KIND bad-before-X.Y: known to fail on kernels before X.Y, which shows that
             this kernel would tell.
   KIND bad-on-large-pages: known to fail where pages are larger than 4 KiB.
   Lines that begin with "#" in what a program prints go to the TAP.  */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum
{
  SECONDS_MAX = 120, /* for one program; the machine is emulated */
  FIELDS_MAX = 1024  /* names of libraries are arguments */
};

struct result
{
  int status;
  char output[16384];
};

static FILE *tap;

/* A first argument with a "=" in it is for the environment.  */
static void
run_child (int out, const char *root, char **arguments)
{
  static char *environment[]
      = { "PATH=/bin:/usr/bin", "LC_ALL=C", "HOME=/", NULL, NULL };
  if (strchr (arguments[0], '=') != NULL)
    environment[3] = *arguments++;
  int null = open ("/dev/null", O_RDWR);
  dup2 (null, 0);
  dup2 (out, 1);
  dup2 (out, 2);
  if (chroot (root) == 0 && chdir ("/") == 0)
    execve (arguments[0], arguments, environment);
  dprintf (2, "%s: %s\n", arguments[0], strerror (errno));
  _exit (127);
}

/* Read what the child prints until it closes its output; kill it after
   SECONDS_MAX.  */
static void
read_output (int in, pid_t child, struct result *result)
{
  time_t end = time (NULL) + SECONDS_MAX;
  size_t used = 0;
  static char rest[512];
  for (;;)
    {
      struct pollfd poller = { in, POLLIN, 0 };
      int left = (int)(end - time (NULL));
      if (left <= 0 || poll (&poller, 1, left * 1000) <= 0)
        {
          kill (child, SIGKILL);
          break;
        }
      size_t room = sizeof result->output - 1 - used;
      ssize_t got = read (in, room ? result->output + used : rest,
                          room ? room : sizeof rest);
      if (got <= 0)
        break;
      used += room ? (size_t)got : 0;
    }
  result->output[used] = '\0';
}

static void
run (const char *root, char **arguments, struct result *result)
{
  int ends[2];
  result->status = -1;
  result->output[0] = '\0';
  if (pipe2 (ends, O_CLOEXEC) != 0)
    return;
  pid_t child = fork ();
  if (child == 0)
    run_child (ends[1], root, arguments);
  close (ends[1]);
  if (child > 0)
    {
      read_output (ends[0], child, result);
      waitpid (child, &result->status, 0);
    }
  close (ends[0]);
}

static void
print_reason (const struct result *result)
{
  if (WIFSIGNALED (result->status))
    fprintf (tap, "# %s\n", strsignal (WTERMSIG (result->status)));
  else
    fprintf (tap, "# exit status %d\n", WEXITSTATUS (result->status));
  const char *line = result->output;
  while (*line != '\0')
    {
      size_t length = strcspn (line, "\n");
      fprintf (tap, "# %.*s\n", (int)length, line);
      line += length + (line[length] == '\n');
    }
}

static void
print_remarks (const struct result *result)
{
  for (const char *line = result->output; *line != '\0';)
    {
      size_t length = strcspn (line, "\n");
      if (*line == '#')
        fprintf (tap, "%.*s\n", (int)length, line);
      line += length + (line[length] == '\n');
    }
}

/* /proc and /dev below ROOT, once.  */
static void
prepare_root (const char *root)
{
  char path[64];
  snprintf (path, sizeof path, "%s/proc/self", root);
  if (access (path, F_OK) == 0)
    return;
  snprintf (path, sizeof path, "%s/proc", root);
  mkdir (path, 0755);
  mount ("proc", path, "proc", 0, "");
  snprintf (path, sizeof path, "%s/dev", root);
  mkdir (path, 0755);
  mount ("devtmpfs", path, "devtmpfs", 0, "");
}

/* Whether this kernel is older than the version, "6.7".  */
static int
is_kernel_before (const char *version)
{
  struct utsname name;
  int major = 0, minor = 0, their_major = 0, their_minor = 0;
  uname (&name);
  sscanf (name.release, "%d.%d", &major, &minor);
  sscanf (version, "%d.%d", &their_major, &their_minor);
  return major < their_major || (major == their_major && minor < their_minor);
}

/* Whether a program of this kind has to fail here.  */
static int
must_fail (const char *kind)
{
  static const char before[] = "bad-before-";
  if (strcmp (kind, "bad-on-large-pages") == 0)
    return sysconf (_SC_PAGESIZE) > 4096;
  if (strncmp (kind, before, sizeof before - 1) == 0)
    return is_kernel_before (kind + sizeof before - 1);
  return strcmp (kind, "bad") == 0;
}

static void
run_line (char *line, int number, int *old_runs)
{
  char *fields[FIELDS_MAX + 1] = { NULL };
  int count = 0;
  for (char *field; count < FIELDS_MAX && (field = strsep (&line, "\t"));)
    fields[count++] = field;
  if (count < 5)
    {
      fprintf (tap, "not ok %d - line %d of the plan\n", number, number);
      return;
    }
  const char *kind = fields[0], *name = fields[1];
  if (strcmp (kind, "new") == 0 && !*old_runs)
    {
      fprintf (tap, "ok %d - %s # SKIP the original fails\n", number, name);
      return;
    }
  struct result result;
  prepare_root (fields[2]);
  run (fields[2], fields + 4, &result);
  int good = result.status == 0 && strstr (result.output, fields[3]) != NULL;
  if (strcmp (kind, "old") == 0)
    *old_runs = good;
  if (must_fail (kind))
    fprintf (tap, "%s %d - %s fails, as it must (%s)\n",
             good ? "not ok" : "ok", number, name, kind);
  else if (!good && strcmp (kind, "old") == 0)
    fprintf (tap, "ok %d - %s # SKIP it fails unconverted\n", number, name);
  else
    fprintf (tap, "%s %d - %s\n", good ? "ok" : "not ok", number, name);
  if (good)
    print_remarks (&result);
  else
    print_reason (&result);
}

static void
prepare (void)
{
  struct termios state;
  mkdir ("/dev", 0755);
  mount ("devtmpfs", "/dev", "devtmpfs", 0, "");
  /* The kernel hands parameters that it does not know on to init.  */
  const char *name = getenv ("tap");
  tap = fopen (name != NULL ? name : "/dev/ttyS1", "w");
  if (tap == NULL)
    tap = stdout;
  else if (tcgetattr (fileno (tap), &state) == 0)
    {
      cfmakeraw (&state);
      tcsetattr (fileno (tap), TCSANOW, &state);
    }
  setvbuf (tap, NULL, _IOLBF, 0);
}

int
main (void)
{
  static char line[65536];
  struct utsname name;
  int number = 0, old_runs = 0;
  prepare ();
  uname (&name);
  fprintf (tap, "TAP version 13\n# Linux %s\n", name.release);
  FILE *plan = fopen ("/plan", "r");
  while (plan != NULL && fgets (line, sizeof line, plan) != NULL)
    {
      line[strcspn (line, "\n")] = '\0';
      run_line (line, ++number, &old_runs);
    }
  fprintf (tap, "1..%d\n", number);
  fflush (tap);
  tcdrain (fileno (tap));
  /* Together with qemu's -no-reboot this ends it, without ACPI.  */
  reboot (RB_AUTOBOOT);
  return 1;
}
