/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The life of a file, whatever is written (a conversion or its undoing):

     begin     where it goes, behind links and descriptors, and a temporary
               file there (temporary.h)
     fd        who makes the contents writes them, and reads them back
     finish    owner, mode and attributes (file_metadata.h), fsync, rename,
               fsync of the directory (flush.h)
     discard   unlink, at any time before the rename

   What a request asks of flushing may spare the two flushes, and with them the
   promise for a power failure (doc/formats/injection, "What a power failure
   leaves").  A stream is written at the end, and has no file to be renamed. */

#ifndef WRITE_OUTPUT_FILE_H
#define WRITE_OUTPUT_FILE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/file_location.h"

/* Where an output goes: a name in a directory, or a stream.  */
struct output_target
{
  int directory; /* held open, so that moving or replacing a directory on the
                    way has no effect; or -1 */
  char *name;    /* owned; in DIRECTORY, or the path of a stream */
  bool stream;   /* a pipe, a device or a descriptor, which cannot be
                    replaced */
  int stream_fd; /* a copy of the descriptor that a stream names, or -1 */
};

struct output_file
{
  int fd; /* open for reading and writing; empty at first */
  struct output_target target;
  /* Owned; NULL once finished or discarded, and always for a target that is
     written through.  */
  struct temporary *temporary;
  int target_fd; /* an existing target that may be written over, or -1 */
  enum cfi2sframe_sync sync; /* when it is flushed */
  struct file_identity made; /* identity of the target, once finished */
};

/* Whether TARGET is another file than INPUT, or none yet, or NULL;
   CFI2SFRAME_INVALID if not.  To be asked before anything is made:
   output_file_finish finds out when all is done, and not for a descriptor.  */
bool output_file_check_other (const char *target, const char *input,
                              struct error *err);

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
  bool rewrite;               /* OUTPUT keeps what it is, as far as a file can:
                                 see output_file_finish */
};

/* Create the file that is to become REQUEST's output, or its input's
   replacement.  The target need not exist, but its directory must.  If the
   target is a path, symbolic links are followed, dangling ones refused (but
   with REWRITE).  A pipe or character device cannot be replaced: it gets the
   bytes at the end.  So does a descriptor (/dev/stdout, /dev/fd/N), from its
   position on, whatever its file is: the bytes in front of that are not this
   program's.  Directories and block devices are refused.  A failure names the
   output, here and below; FILE needs no discard then.  */
bool output_file_begin (struct output_file *file,
                        const struct output_request *request,
                        struct error *err);

/* Whether A and B, which were begun with REWRITE, have one target, which may
   not be there yet.  Devices and descriptors are never one.  */
bool output_file_same_target (const struct output_file *a,
                              const struct output_file *b);

/* Put FILE, which was begun for REQUEST and filled, in place, if SO_FAR all
   went well; otherwise discard it.

   A replacement of the input gets its owner, mode, extended attributes and, if
   asked for, time stamps.  Nothing is lost silently: when owner, set-id bits,
   file capabilities, ACLs or user attributes cannot be kept, this fails and
   the target stays as it was.  Not required are security labels the caller may
   not set (the policy's default then applies, as with cp -p); not copied are
   security.ima and security.evm, which vouch for the old contents.

   An output that is another file belongs to the caller, as after cp, and has
   the input's permission bits less the umask, but no set-id bits, capabilities
   or other attributes.  One that is the input itself is refused.

   With REWRITE, a regular file that is there must be one that the caller may
   write to, and keeps owner, mode and attributes.  Where it cannot be replaced
   by such a file (another one's, mounted, in a folder that may not be
   changed), its contents are written over.  A full disk is noticed before,
   where the filesystem can set space aside (fallocate(2)); any other failure
   may leave a part of the new contents and of the old ones.

   What was made of a mapped file that has lost bytes or was changed since is
   not put in place (base/mapped_file.h), here and below.

   After failure the target is the old file, with one exception that the
   reason names: when flushing the directory fails, it is the new one.  */
bool output_file_finish (struct output_file *file,
                         const struct output_request *request, bool so_far,
                         struct error *err);

/* Remove FILE, which was begun, unless it is finished.  */
void output_file_discard (struct output_file *file);

/* Begin a file for REQUEST, have WRITE fill it, and finish it.  */
bool output_file_make (const struct output_request *request,
                       bool (*write) (void *context, int fd,
                                      struct error *err),
                       void *context, struct error *err);

/* Make BYTES the file TARGET, flushed as SYNC says, with the mode of an output
   that is made from LIKE_FD.  LIKE_FD -1 means no source: then the mode is
   what the umask leaves of 0666.  A failure names TARGET.  */
bool output_file_write (const char *target, const struct buffer *bytes,
                        int like_fd, enum cfi2sframe_sync sync,
                        struct error *err);

/* Make the name TARGET, which exists, one of the file SOURCE: another hard
   link.  At no time is there no TARGET.  Fails if what has SOURCE's name is
   not source->identity.  */
bool output_file_link (const struct file_location *target,
                       const struct file_location *source, struct error *err);

#endif /* WRITE_OUTPUT_FILE_H */
