/* Temporary files: their names, a list for the handlers of signals, and
   removing those of earlier runs.
   SPDX-License-Identifier: LGPL-2.1-or-later

   A process that is killed cannot remove its temporary file.  A later run does
   so, if name and lock say that the file is one of this program and not in
   use:

     the name   A prefix and six letters.  The last two are computed from the
                others, so that hardly any other file has such a name.
     the lock   A process has a shared lock (flock) on its temporary file until
                it has renamed or removed it; the kernel ends the lock with the
                process.  A later run needs an exclusive lock to remove it.  */

#ifndef WRITE_TEMPORARY_H
#define WRITE_TEMPORARY_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "elf/file_location.h"

enum
{
  TEMPORARY_KNOWN_MAX = 256 /* files that temporary_discard_all removes */
};

struct temporary
{
  int directory; /* borrowed */
  char name[24]; /* in DIRECTORY */
  int index;     /* in the table of temporary_discard_all, or -1 */
};

/* Make a new, empty file in DIRECTORY, which must stay open until
   temporary_release; *FD is open for reading and writing.  If SOURCE is not
   NULL, make a hard link to that file instead; *FD is -1 where it cannot be
   read.  NULL with ERR after failure.  */
struct temporary *temporary_new (int directory,
                                 const struct file_location *source, int *fd,
                                 struct error *err);

/* Free TEMPORARY, which may be NULL, after its file was renamed or removed.
   False when a signal handler uses it: then its directory must stay open.  */
bool temporary_release (struct temporary *temporary);

/* Remove the temporary files of all threads, and let no thread make a new one.
   First wait for threads that are in steps that no signal may end half-way
   (below).  Async-signal-safe: for a handler that ends the process.  */
void temporary_discard_all (void);

/* Whether NAME looks like that of a temporary file.  */
bool temporary_is_name (const char *name);

/* Remove the regular file NAME in the open DIRECTORY if an earlier run has
   left it there.  Where the file system has no locks, it stays.  Where each
   machine that uses the file system has its own locks, this may remove the
   temporary file of another machine: then the conversion there fails, and
   leaves its input as it was.  */
void temporary_remove_left (int directory, const char *name);

/* ---- Steps that a signal must not end half-way

   Between the making of a temporary file and its entry in the table, and while
   a hard link has a temporary name, a signal must not end the process.  In
   this time the thread blocks all signals, and a handler in another thread
   that is about to end the process waits.  */

/* Begin such steps, and store the thread's signal mask in *OLD.  Calls may be
   nested.  False with errno EINTR when the process is about to end: then the
   steps must not be taken, and uninterrupted_end is not called.  */
bool uninterrupted_begin (sigset_t *old);

/* End such steps, and restore the signal mask OLD.  errno does not change.  */
void uninterrupted_end (const sigset_t *old);

#endif /* WRITE_TEMPORARY_H */
