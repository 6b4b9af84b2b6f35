/* The descriptors that a process may have.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "base/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

void
descriptors_occupy_standard (void)
{
  /* open returns the lowest number that is free.  O_PATH allows neither
     reading nor writing, and needs no device, which a chroot may lack.  */
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl (fd, F_GETFD) == -1
        && open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC) == -1)
      return;
}

void
descriptors_raise_limit (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
}
