/* Temporary files: their names, a list for the handlers of signals, and
   removing those of earlier runs.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include "write/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* The name of a temporary file does not contain the target's, because that
   with a suffix may be longer than NAME_MAX.  The leading dot hides it from
   ldconfig and from shell patterns.  */
#define PREFIX ".cfi2sframe-"

static const char letters[]
    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

enum
{
  N_LETTERS = sizeof letters - 1,
  RANDOM_LETTERS = 4,
  CHECK_LETTERS = 2,
  NAME_SIZE = sizeof PREFIX + RANDOM_LETTERS + CHECK_LETTERS,
  NAME_TRIES = 100
};
_Static_assert(NAME_SIZE <= sizeof ((struct temporary *)0)->name, "room");

/* ---- Steps that a signal must not end half-way */

static atomic_int inside;   /* number of threads in such steps */
static atomic_bool closing; /* no thread may begin such steps any more */
static _Thread_local unsigned depth; /* of nested calls */

bool
uninterrupted_begin (sigset_t *old)
{
  sigset_t all;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, old);
  if (depth++ > 0)
    return true;
  /* The thread first counts itself and then looks whether the process ends.
     The handler does both in the other order.  So at least one of the two sees
     the other.  */
  atomic_fetch_add (&inside, 1);
  if (!atomic_load (&closing))
    return true;
  uninterrupted_end (old);
  errno = EINTR;
  return false;
}

void
uninterrupted_end (const sigset_t *old)
{
  if (--depth == 0)
    atomic_fetch_sub (&inside, 1);
  pthread_sigmask (SIG_SETMASK, old, NULL);
}

/* Let no thread begin such steps, and wait until no thread is in them, but no
   longer than a second: a hanging file system must not make the handler hang.
   Async-signal-safe.  */
static void
uninterrupted_wait (void)
{
  const struct timespec millisecond = { 0, 1000000 };
  atomic_store (&closing, true);
  for (int i = 0; i < 1000 && atomic_load (&inside) > 0; i++)
    nanosleep (&millisecond, NULL);
}

/* ---- The list of temporary files */

/* The existing temporary files, for temporary_discard_all.  A thread or
   handler that takes one out of the table, by an atomic exchange, owns it from
   then on, so that a handler never reads what a thread frees.  Files beyond
   the table's size are written, but no handler removes them.  */
static _Atomic (struct temporary *) active[TEMPORARY_KNOWN_MAX];

static int
active_add (struct temporary *temporary)
{
  for (int i = 0; i < TEMPORARY_KNOWN_MAX; i++)
    {
      struct temporary *expected = NULL;
      if (atomic_compare_exchange_strong (&active[i], &expected, temporary))
        return i;
    }
  return -1;
}

bool
temporary_release (struct temporary *temporary)
{
  if (temporary == NULL)
    return true;
  if (temporary->index >= 0
      && atomic_exchange (&active[temporary->index], NULL) == NULL)
    return false;
  free (temporary);
  return true;
}

void
temporary_discard_all (void)
{
  int saved = errno;
  uninterrupted_wait ();
  for (int i = 0; i < TEMPORARY_KNOWN_MAX; i++)
    {
      struct temporary *temporary = atomic_exchange (&active[i], NULL);
      if (temporary != NULL)
        unlinkat (temporary->directory, temporary->name, 0);
    }
  errno = saved;
}

/* ---- Names and files */

/* Store at TO the CHECK_LETTERS for the RANDOM_LETTERS at FROM.  */
static void
add_check_letters (const char *from, char *to)
{
  unsigned sum = 0;
  for (int i = 0; i < RANDOM_LETTERS; i++)
    sum = sum * 131 + (unsigned char)from[i];
  for (int i = 0; i < CHECK_LETTERS; i++, sum /= N_LETTERS)
    to[i] = letters[sum % N_LETTERS];
}

/* Give TEMPORARY another name, which cannot be guessed.  */
static bool
choose_name (struct temporary *temporary)
{
  unsigned char random[RANDOM_LETTERS];
  char *begin = stpcpy (temporary->name, PREFIX), *at = begin;
  if (getrandom (random, sizeof random, 0) != (ssize_t)sizeof random)
    return false;
  for (size_t i = 0; i < sizeof random; i++)
    *at++ = letters[random[i] % N_LETTERS];
  add_check_letters (begin, at);
  at[CHECK_LETTERS] = '\0';
  return true;
}

bool
temporary_is_name (const char *name)
{
  const size_t prefix = sizeof PREFIX - 1, n = RANDOM_LETTERS + CHECK_LETTERS;
  return strncmp (name, PREFIX, prefix) == 0
         && strspn (name + prefix, letters) == n && name[prefix + n] == '\0';
}

/* Whether choose_name has made NAME.  */
static bool
is_ours (const char *name)
{
  char check[CHECK_LETTERS];
  if (!temporary_is_name (name))
    return false;
  const char *random = name + sizeof PREFIX - 1;
  add_check_letters (random, check);
  return memcmp (random + RANDOM_LETTERS, check, CHECK_LETTERS) == 0;
}

/* Make the file or, with SOURCE, the hard link.  False with errno.  */
static bool
make_named (const struct temporary *temporary,
            const struct file_location *source, int *fd)
{
  if (source == NULL)
    {
      *fd = openat (temporary->directory, temporary->name,
                    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
      return *fd >= 0;
    }
  if (linkat (source->directory, source->name, temporary->directory,
              temporary->name, source->fixed ? 0 : AT_SYMLINK_FOLLOW)
      != 0)
    return false;
  *fd = openat (temporary->directory, temporary->name,
                O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  return true;
}

/* Whether NAME in DIRECTORY is the file of FD; then *NAMED is its status.  */
static bool
is_named (int fd, int directory, const char *name, struct stat *named)
{
  struct stat opened;
  return fstat (fd, &opened) == 0
         && fstatat (directory, name, named, AT_SYMLINK_NOFOLLOW) == 0
         && file_status_same (&opened, named);
}

/* Lock TEMPORARY, the file of FD.  False when another process is about to
   remove it, or has done so, and the name is gone.  The file of a hard link
   has other names, so its link count does not show that.  On a file system
   without locks no process removes the file.  */
static bool
lock_file (const struct temporary *temporary, int fd)
{
  struct stat status;
  int directory = temporary->directory;
  if (fd < 0)
    return fstatat (directory, temporary->name, &status, AT_SYMLINK_NOFOLLOW)
           == 0;
  return (flock (fd, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
         && is_named (fd, directory, temporary->name, &status);
}

/* Make and lock the file or link, under a new name.  False with errno.  */
static bool
make_file (struct temporary *temporary, const struct file_location *source,
           int *fd)
{
  for (int i = 0; i < NAME_TRIES && choose_name (temporary); i++)
    {
      bool made = make_named (temporary, source, fd);
      if (made && lock_file (temporary, *fd))
        return true;
      if (made)
        {
          unlinkat (temporary->directory, temporary->name, 0);
          close (*fd);
          *fd = -1;
        }
      else if (errno != EEXIST)
        return false;
    }
  return false;
}

struct temporary *
temporary_new (int directory, const struct file_location *source, int *fd,
               struct error *err)
{
  struct temporary *temporary = malloc (sizeof *temporary);
  *fd = -1;
  if (temporary == NULL)
    {
      error_set_no_memory (err);
      return NULL;
    }
  temporary->directory = directory;
  sigset_t mask;
  bool made = false;
  if (uninterrupted_begin (&mask))
    {
      made = make_file (temporary, source, fd);
      if (made)
        temporary->index = active_add (temporary);
      uninterrupted_end (&mask);
    }
  if (made)
    return temporary;
  /* linkat fails with ENOENT if the file loses its name meanwhile.  */
  bool renamed = source != NULL && errno == ENOENT;
  error_set_errno (err, source != NULL
                            ? "make a hard link"
                            : "cannot create a file in the same directory");
  if (renamed)
    error_name (err, WORD_CHANGED_MEANWHILE);
  free (temporary);
  return NULL;
}

void
temporary_remove_left (int directory, const char *name)
{
  if (!is_ours (name))
    return;
  /* NFS grants exclusive locks only on descriptors open for writing.  */
  int fd = openat (directory, name,
                   O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;
  /* Remove it if no process has it locked, and NAME is still its name.  */
  struct stat status;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0
      && is_named (fd, directory, name, &status) && S_ISREG (status.st_mode))
    unlinkat (directory, name, 0);
  close (fd);
}
