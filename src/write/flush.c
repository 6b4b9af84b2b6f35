/* Flushing new files to disk: each at once, or all at the end.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/flush.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

/* A file system with files to be flushed.  syncfs reports write errors since
   its descriptor was opened.  So fd is that of the first file, which was
   opened before any bytes were flushed.  */
struct file_system
{
  dev_t device;
  int fd, directory; /* of the first file; owned */
  uint64_t n_files;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file_system *noted;
static size_t n_noted, capacity;

bool
flush_directory (int directory, int fd, struct error *err)
{
  int result = fsync (directory);
  if (result != 0 && errno == EBADF)
    result = syncfs (fd);
  if (result == 0 || errno == EINVAL || errno == ENOSYS)
    return true;
  return error_set (err, CFI2SFRAME_IO,
                    "written, but flushing its directory failed: %s",
                    strerror (errno));
}

static bool
flush_all (int fd, struct error *err)
{
  return syncfs (fd) == 0
         || error_set (err, CFI2SFRAME_IO,
                       "written, but flushing the file system failed: %s",
                       strerror (errno));
}

static bool
flush_alone (const struct file_system *system, struct error *err)
{
  if (fsync (system->fd) != 0)
    return error_set (err, CFI2SFRAME_IO,
                      "written, but flushing the file failed: %s",
                      strerror (errno));
  return flush_directory (system->directory, system->fd, err);
}

/* Count a file more on DEVICE, with the lock held.  False if it is not
   listed.  */
static bool
count_if_noted (dev_t device)
{
  for (size_t i = 0; i < n_noted; i++)
    if (noted[i].device == device)
      {
        noted[i].n_files++;
        return true;
      }
  return false;
}

static void
close_both (const struct file_system *system)
{
  if (system->fd >= 0)
    close (system->fd);
  if (system->directory >= 0)
    close (system->directory);
}

/* Add DEVICE to the list, with its first file.  The caller holds the lock.  */
static bool
add_file_system (dev_t device, int directory, int fd)
{
  struct file_system added
      = { .device = device,
          .fd = fcntl (fd, F_DUPFD_CLOEXEC, 0),
          .directory = fcntl (directory, F_DUPFD_CLOEXEC, 0),
          .n_files = 1 };
  if (added.fd < 0 || added.directory < 0
      || !ARRAY_ROOM (noted, n_noted + 1, &capacity))
    {
      close_both (&added);
      return false;
    }
  noted[n_noted++] = added;
  return true;
}

bool
flush_later (int directory, int fd, struct error *err)
{
  struct stat status;
  if (fstat (fd, &status) != 0)
    return flush_all (fd, err);
  pthread_mutex_lock (&lock);
  bool done = count_if_noted (status.st_dev)
              || add_file_system (status.st_dev, directory, fd);
  pthread_mutex_unlock (&lock);
  return done || flush_all (fd, err);
}

void
flush_name_later (int directory)
{
  struct stat status;
  if (fstat (directory, &status) != 0)
    return;
  pthread_mutex_lock (&lock);
  count_if_noted (status.st_dev);
  pthread_mutex_unlock (&lock);
}

bool
flush_noted (struct error *err)
{
  bool done = true;
  pthread_mutex_lock (&lock);
  struct file_system *all = noted;
  size_t n = n_noted;
  noted = NULL;
  n_noted = capacity = 0;
  pthread_mutex_unlock (&lock);
  for (size_t i = 0; i < n; i++)
    {
      done = (all[i].n_files == 1 ? flush_alone (&all[i], err)
                                  : flush_all (all[i].fd, err))
             && done;
      close_both (&all[i]);
    }
  free (all);
  return done;
}
