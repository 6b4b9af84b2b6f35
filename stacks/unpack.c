/* Compressed core files, by the programs that compressed them.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A core is read at many places in no order, so that it has to be
   decompressed as a whole.  Another process does it: nothing that a damaged
   file does to a decompressor happens to this one.  */

#include <config.h>

#include "stacks/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum
{
  MAGIC_MAX = 6,
  NOT_THERE = 127 /* exit status: no such program, as shells have it */
};

struct packer
{
  uint8_t magic[MAGIC_MAX];
  uint8_t size;
  const char *program;
};

/* RFC 8878, the .xz file format 1.2.1, the LZ4 frame format 1.6.4, RFC 1952.
 */
static const struct packer packers[] = {
  { { 0x28, 0xb5, 0x2f, 0xfd }, 4, "zstd" },
  { { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, "xz" },
  { { 0x04, 0x22, 0x4d, 0x18 }, 4, "lz4" },
  { { 0x1f, 0x8b }, 2, "gzip" },
};

static const char *
packer_of (int fd)
{
  uint8_t magic[MAGIC_MAX];
  if (pread (fd, magic, sizeof magic, 0) != (ssize_t)sizeof magic)
    return NULL;
  for (size_t i = 0; i < sizeof packers / sizeof *packers; i++)
    if (memcmp (magic, packers[i].magic, packers[i].size) == 0)
      return packers[i].program;
  return NULL;
}

/* A file without a name, and how large it may get: a limit of the user's,
   which only root could exceed, may be lower.  */
static int
open_nameless (struct rlimit *limit)
{
  const char *folder = getenv ("TMPDIR");
  struct statvfs space;
  if (folder == NULL || folder[0] != '/')
    folder = "/var/tmp";
  int fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0)
    return -1;
  if (fstatvfs (fd, &space) != 0 || getrlimit (RLIMIT_FSIZE, limit) != 0)
    {
      close (fd);
      return -1;
    }
  rlim_t half = (rlim_t)space.f_bavail / 2 * space.f_frsize;
  if (half < limit->rlim_max)
    limit->rlim_max = half;
  limit->rlim_cur = limit->rlim_max;
  return fd;
}

/* The child.  */
_Noreturn static void
run_packer (const char *program, int from, int to, const struct rlimit *limit)
{
  /* What it writes is of no use when the parent has ended.  */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  /* A write beyond the limit fails, and the program says so.  */
  signal (SIGXFSZ, SIG_IGN);
  if (lseek (from, 0, SEEK_SET) == 0 && setrlimit (RLIMIT_FSIZE, limit) == 0
      && dup2 (from, STDIN_FILENO) >= 0 && dup2 (to, STDOUT_FILENO) >= 0)
    execlp (program, program, "-dcq", (char *)NULL);
  _exit (errno == ENOENT ? NOT_THERE : 1);
}

bool
unpack_file (int *fd, struct error *err)
{
  const char *program = packer_of (*fd);
  struct rlimit limit;
  int status = 1;
  if (program == NULL)
    return true;
  int to = open_nameless (&limit);
  if (to < 0)
    return error_set_errno (err, "a temporary file");
  pid_t child = fork ();
  if (child == 0)
    run_packer (program, *fd, to, &limit);
  pid_t ended;
  do
    ended = child > 0 ? waitpid (child, &status, 0) : child;
  while (ended < 0 && child > 0 && errno == EINTR);
  if (child > 0 && status == 0)
    {
      close (*fd);
      *fd = to;
      return true;
    }
  close (to);
  if (child > 0 && WIFEXITED (status) && WEXITSTATUS (status) == NOT_THERE)
    return error_set (err, CFI2SFRAME_UNSUPPORTED,
                      "it is compressed, and %s is not installed", program);
  return error_set (err, CFI2SFRAME_MALFORMED,
                    "%s cannot decompress it, or there is no space", program);
}
