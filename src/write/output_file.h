/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Life: create (temporary file in the target's directory), write through
   `fd`, then commit (metadata, fsync, rename, fsync of the directory) or
   discard (unlink).  Discard after commit does nothing, so it may stand at
   the one exit of a function.  An owner that sets `sync' in between spares the
   two flushes, and with them the promise for a power failure
   (doc/formats/injection, "What a power failure leaves").  */

#ifndef WRITE_OUTPUT_FILE_H
#define WRITE_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/file_location.h"

struct output_file
{
  int fd;        /* open for reading and writing; empty at first */
  int directory; /* directory of the target, held open, so that moving or
                    replacing a directory on the way has no effect */
  char *name; /* owned; the target's name in DIRECTORY, or a stream's path */
  /* Owned; NULL once committed or discarded, and always for a target that is
     written through.  */
  struct temporary *temporary;
  bool stream;   /* TARGET is a pipe, a device or a descriptor: written at
                    commit */
  int stream_fd; /* a copy of the descriptor that TARGET names, or -1 */
  enum cfi2sframe_sync sync; /* when it is flushed; as each file, at first */
  struct file_identity made; /* identity of the target, once committed */
};

/* Prepare the replacement of TARGET, which need not exist; its directory must.
   If TARGET is a path, symbolic links are followed, dangling ones refused.  A
   pipe or character device cannot be replaced: it gets the bytes at commit.
   So does a descriptor (/dev/stdout, /dev/fd/N), from its position on,
   whatever its file is: the bytes in front of that are not this program's.
   Directories and block devices are refused.  On failure FILE needs no
   discard.  */
bool output_file_create (struct output_file *file,
                         const struct file_location *target,
                         struct error *err);

/* Give the file owner, mode, extended attributes (and, if PRESERVE_TIMES, the
   time stamps) of the open file SOURCE_FD and put it in place: for a target
   that is the source itself.

   Nothing is lost silently: when owner, set-id bits, file capabilities, ACLs
   or user attributes cannot be kept, this fails and the target stays as it
   was.  Not required are security labels the caller may not set (the policy's
   default then applies, as with cp -p); not copied are security.ima and
   security.evm, which vouch for the old contents.

   What was made of a mapped file that has lost bytes or was changed since is
   not put in place (base/mapped_file.h), here and below.

   After failure the target is the old file, with one exception that the
   reason names: when flushing the directory fails, it is the new one.  */
bool output_file_commit (struct output_file *file, int source_fd,
                         bool preserve_times, struct error *err);

/* Do as output_file_commit does, for a target other than the source (-o OUT):
   as after cp, the file belongs to the caller and has SOURCE_FD's permission
   bits less the umask, but no set-id bits, capabilities or other attributes.
   A target that is the source itself is refused.  */
bool output_file_commit_new (struct output_file *file, int source_fd,
                             bool preserve_times, struct error *err);

/* Whether TARGET is another file than INPUT, or none yet, or NULL;
   CFI2SFRAME_INVALID if not.  To be asked before anything is made: commit_new
   only finds out when all is done, and not for a descriptor.  */
bool output_file_check_other (const char *target, const char *input,
                              struct error *err);

void output_file_discard (struct output_file *file);

/* What a new file is for.  */
struct output_request
{
  const struct file_location *input; /* is replaced, if OUTPUT is NULL */
  const char *output;                /* or NULL */
  int input_fd;                      /* the input, open */
  bool preserve_times;
  enum cfi2sframe_sync sync;
  struct file_identity *made; /* set for an input that was replaced */
  bool dry_run;               /* output_file_make makes it in memory alone */
};

/* Create a file for REQUEST.  A failure names the output, here and below.  */
bool output_file_begin (struct output_file *file,
                        const struct output_request *request,
                        struct error *err);

/* Create a file for REQUEST, have WRITE fill it, and commit it.  */
bool output_file_make (const struct output_request *request,
                       bool (*write) (void *context, int fd,
                                      struct error *err),
                       void *context, struct error *err);

/* Commit FILE, which was created for REQUEST and filled, if SO_FAR says so;
   otherwise discard it.  */
bool output_file_finish (struct output_file *file,
                         const struct output_request *request, bool so_far,
                         struct error *err);

/* Create, write and commit: BYTES become the file TARGET, flushed as SYNC
   says, with the mode that output_file_commit_new gives a file made from
   LIKE_FD.  LIKE_FD -1 means no source: then the mode is what the umask leaves
   of 0666.  A failure names TARGET.  */
bool output_file_write (const char *target, const struct buffer *bytes,
                        int like_fd, enum cfi2sframe_sync sync,
                        struct error *err);

/* Make the name TARGET, which exists, one of the file SOURCE: another hard
   link.  At no time is there no TARGET.  Fails if what has SOURCE's name is
   not source->identity.  */
bool output_file_link (const struct file_location *target,
                       const struct file_location *source, struct error *err);

#endif /* WRITE_OUTPUT_FILE_H */
