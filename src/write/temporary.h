/* Temporary files: their names, the list of those there are, and what earlier
   runs have left.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A program that is killed cannot remove its temporary file.  A later run does
   so, if the file is one of this program and not in use:

     the name   A prefix and six letters.  The last two are computed from the
                others: hardly any name that a person chooses is one.
     the lock   Who makes a temporary file has a shared lock on it (flock)
                until it is renamed or removed; the kernel ends the lock with
                the process.  Who removes one takes an exclusive lock first. */

#ifndef WRITE_TEMPORARY_H
#define WRITE_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "elf/file_location.h"

enum
{
  TEMPORARY_KNOWN_MAX = 256 /* temporary_discard_all knows so many */
};

struct temporary
{
  int directory; /* borrowed */
  char name[24]; /* in DIRECTORY */
  int slot;      /* in the table of temporary_discard_all, or -1 */
};

/* Make a new, empty file in DIRECTORY, which must stay open until it is
   released; *FD is open for reading and writing.  If SOURCE is not NULL, make
   another name of that file instead; *FD is -1 where it cannot be read.  NULL
   with ERR.  */
struct temporary *temporary_new (int directory,
                                 const struct file_location *source, int *fd,
                                 struct error *err);

/* Free TEMPORARY, after its file was renamed or removed; or NULL.  False when
   a signal handler has taken it: then its directory must stay open.  */
bool temporary_release (struct temporary *temporary);

/* Remove the temporary files of all threads and let no new one come into
   being, after waiting for threads in steps that nothing may interrupt
   (below).  Async-signal-safe: for a handler that ends the process.  */
void temporary_discard_all (void);

/* Whether NAME looks like that of a temporary file.  */
bool temporary_is_name (const char *name);

/* Remove the regular file NAME in the open DIRECTORY if an earlier run has
   left it there.  Where the file system has no locks, or has them apart on
   each machine that uses it, nothing says whether it is in use: in the first
   case it stays, in the second another machine's conversion fails and leaves
   its file as it was.  */
void temporary_remove_left (int directory, const char *name);

/* ---- Steps that a signal must not end half-way

   A temporary file is made before the list of them knows it, and a hard link
   that is to replace a file has a temporary name for a moment.  In this time
   the thread takes no signals, and a handler that is about to end the process
   from another thread waits.  */

/* Begin steps of this kind; OLD keeps the thread's signal mask.  Within them
   others may begin.  False, with errno EINTR, when the process is about to
   end: nothing has begun then.  */
bool uninterrupted_begin (sigset_t *old);

/* End what has begun, with errno as it was.  */
void uninterrupted_end (const sigset_t *old);

#endif /* WRITE_TEMPORARY_H */
