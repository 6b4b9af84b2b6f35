/* A file that replaces another one completely or not at all.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The life of a file, whatever is written (a conversion or its undoing):

     begin     find the target, behind links and descriptors, and make a
               temporary file in its directory (temporary.h)
     fd        the caller writes the contents, and reads them back
     finish    set owner, mode and attributes (file_metadata.h), fsync, rename,
               fsync of the directory (flush.h)
     discard   unlink, at any time before the rename

   A request can leave the two flushes out.  Then nothing is promised about a
   power failure (doc/formats/injection, "What a power failure leaves").  A
   stream, such as a pipe, cannot be renamed to: finish copies the bytes.  */

#ifndef WRITE_OUTPUT_FILE_H
#define WRITE_OUTPUT_FILE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "elf/file_location.h"

/* The target of an output: a name in a directory, or a stream.  */
struct output_target
{
  int directory; /* open descriptor, so that it does not matter if a directory
                    of the path is moved or replaced meanwhile; or -1 */
  char *name;    /* owned; in DIRECTORY, or the path of a stream */
  bool stream;   /* the target is a pipe, a device or a descriptor, which
                    cannot be replaced */
  int stream_fd; /* a copy of the descriptor that a stream names, or -1 */
};

struct output_file
{
  int fd; /* open for reading and writing; empty at first */
  struct output_target target;
  /* Owned; NULL once finished or discarded, for a stream, and where no file
     can be made in the target's directory.  */
  struct temporary *temporary;
  int target_fd; /* an existing target, open to be written over, or -1 */
  enum cfi2sframe_sync sync; /* when it is flushed */
  struct file_identity made; /* identity of the target, once finished */
};

/* Whether TARGET is not the file INPUT; true also if TARGET is NULL, or does
   not exist.  False with CFI2SFRAME_INVALID.  For an early refusal:
   output_file_finish finds out at the end, and not for a descriptor.  */
bool output_file_check_other (const char *target, const char *input,
                              struct error *err);

/* A request for an output file.  */
struct output_request
{
  const struct file_location *input; /* the file to replace, if OUTPUT is
                                        NULL */
  const char *output;                /* path of another file, or NULL */
  int input_fd;                      /* the input, open */
  bool preserve_times;
  enum cfi2sframe_sync sync;
  struct file_identity *made; /* result, for an input that was replaced; or
                                 NULL */
  bool dry_run;               /* output_file_make makes it in memory alone */
  bool rewrite;               /* only the contents of OUTPUT may change: see
                                 output_file_finish */
};

/* Create the file that is to become REQUEST's output, or to replace its input.
   The directory of the target must exist, but the target need not.  If the
   target is a path, symbolic links are followed; dangling ones are refused,
   unless request->rewrite.  A pipe or character device cannot be replaced:
   output_file_finish copies the bytes to it.  It also copies them to a
   descriptor (/dev/stdout, /dev/fd/N), at its position, even if that is open
   on a regular file, because the bytes in front of the position belong to
   another program.  Directories and block devices are refused.

   Errors here and below name the output.  A failed FILE needs no discard.  */
bool output_file_begin (struct output_file *file,
                        const struct output_request *request,
                        struct error *err);

/* Whether A and B, which were begun with request->rewrite, have the same
   target, whether or not it exists.  Devices and descriptors count as
   different.  */
bool output_file_same_target (const struct output_file *a,
                              const struct output_file *b);

/* Put FILE, which was begun for REQUEST and has its contents, in place.  If
   not SO_FAR, that is after a failure of the caller, discard it.

   A file that replaces the input gets its owner, mode, extended attributes
   and, if asked for, time stamps.  When owner, set-id bits, file capabilities,
   ACLs or user attributes cannot be kept, this fails and the target stays as
   it was.  Security labels that the caller may not set are no failure: the
   policy's default applies, as with cp -p.  security.ima and security.evm are
   not copied, because they vouch for the old contents.

   An output that is another file belongs to the caller, as after cp, and has
   the input's permission bits less the umask, but no set-id bits, capabilities
   or other attributes.  An output that is the input itself is refused.

   With request->rewrite, an existing regular file keeps owner, mode and
   attributes; the caller must have permission to write to it.  Where no such
   file can replace it (it belongs to another user, is a mount point, or its
   directory may not be changed), its contents are written over.  Where the
   filesystem can set space aside (fallocate(2)), a full disk is noticed before
   that.  Any other failure may leave a mixture of new and old contents.

   Here and below, the output is not put in place if a mapped file was cut off
   or changed meanwhile (base/mapped_file.h).

   After failure the target is the old file, with one exception that the error
   names: when flushing the directory fails, it is the new file.  */
bool output_file_finish (struct output_file *file,
                         const struct output_request *request, bool so_far,
                         struct error *err);

/* Remove FILE, which was begun, unless it is finished.  */
void output_file_discard (struct output_file *file);

/* Begin a file for REQUEST, let WRITE write its contents, and finish it.  */
bool output_file_make (const struct output_request *request,
                       bool (*write) (void *context, int fd,
                                      struct error *err),
                       void *context, struct error *err);

/* Write BYTES to the file TARGET, flushed as SYNC says.  The file gets the
   permission bits of LIKE_FD or, if that is -1, 0666, less the umask.  */
bool output_file_write (const char *target, const struct buffer *bytes,
                        int like_fd, enum cfi2sframe_sync sync,
                        struct error *err);

/* Replace the existing file TARGET by a hard link to SOURCE, by a rename, so
   that TARGET exists all the time.  False if SOURCE is not
   source->identity.  */
bool output_file_link (const struct file_location *target,
                       const struct file_location *source, struct error *err);

#endif /* WRITE_OUTPUT_FILE_H */
