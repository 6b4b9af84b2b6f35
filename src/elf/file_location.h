/* Where a file is: a path, a name in an open directory, or a descriptor.
   SPDX-License-Identifier: LGPL-2.1-or-later

   While this program works on a tree, another user may replace a directory or
   a file in it by a symbolic link that leads elsewhere.  So a file that was
   found in a tree is opened from a directory that was reached without
   following links, and must be the file that was found.

   A path like /dev/stdout names a descriptor of this process.  Opening the
   path of a regular file this way does not give the open file: it has a
   position of its own, 0, and no O_APPEND (proc_pid_fd(5)).  Writing there
   destroys what others wrote, so the descriptor itself is to be used.  */

#ifndef ELF_FILE_LOCATION_H
#define ELF_FILE_LOCATION_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

struct file_identity
{
  dev_t device;
  ino_t inode;
};

/* The lock on an open file (flock).  Locks are advisory.  This program
   respects them.  */
enum file_lock
{
  LOCK_NONE,
  LOCK_SHARED /* the file will be replaced: no process that locks what it
                 changes is at it */
};

struct file_location
{
  const char *path; /* as it is shown to users */
  int directory;    /* the directory that NAME is in, or AT_FDCWD */
  const char *name; /* relative to DIRECTORY */
  bool fixed; /* no symbolic link is followed; the file must be IDENTITY */
  bool same;  /* links are followed, but the file must be IDENTITY */
  struct file_identity identity;
  const char *checksums;    /* the names in DIRECTORY that may be of checksums
                               (checksum_may_be), an empty one behind the last;
                               NULL: not known */
  bool no_checksum_folders; /* that checksum_has_folders knows of */
  enum file_lock lock;      /* for image_open_at */
};

/* The file that PATH names at the time it is used.  Borrows PATH.  */
struct file_location file_location_of_path (const char *path);

/* Open the file with these FLAGS of open(2).  -1 with ERR.  */
int file_location_open (const struct file_location *location, int flags,
                        struct error *err);

struct file_identity file_identity_of (const struct stat *status);
bool file_identity_equal (const struct file_identity *a,
                          const struct file_identity *b);

/* Whether IDENTITY is that of the file with STATUS.  */
bool file_identity_is (const struct file_identity *identity,
                       const struct stat *status);

/* Whether A and B are of one file.  */
bool file_status_same (const struct stat *a, const struct stat *b);

/* Whether PATH, through any number of symbolic links, leads to a descriptor in
   /proc.  *NUMBER is set to it, or to -1 when it is another process's.  */
bool descriptor_path_parse (const char *path, int *number);

/* A copy of descriptor NUMBER, which must be open for writing.  -1 with
   ERR.  */
int descriptor_duplicate_writable (int number, struct error *err);

#endif /* ELF_FILE_LOCATION_H */
