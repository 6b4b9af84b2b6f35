/* Where a file is: a path, a name in an open directory, or a descriptor.
   SPDX-License-Identifier: LGPL-2.1-or-later

   While this program works on a directory tree, another user may replace a
   directory or a file in it by a symbolic link.  So a file in a tree is opened
   by its name in an open directory, which was reached without following links,
   and must have the identity of the file that was found.

   A path like /dev/stdout names a descriptor of this process.  Opening such a
   path of a regular file makes a new open file, with position 0 and without
   O_APPEND (proc_pid_fd(5)), and writing to that would overwrite what others
   wrote.  So the descriptor itself is duplicated.  */

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

/* The lock that is taken on an open file (flock).  Locks are advisory, and
   this program respects them.  */
enum file_lock
{
  LOCK_NONE,
  LOCK_SHARED /* the file will be replaced, so no other process must hold an
                 exclusive lock, under which it changes the file */
};

struct file_location
{
  const char *path; /* as messages show it */
  int directory;    /* an open directory, or AT_FDCWD */
  const char *name; /* relative to DIRECTORY */
  bool fixed;       /* NAME must be no symbolic link, and the file IDENTITY */
  bool same;        /* links are followed, but the file must be IDENTITY */
  struct file_identity identity;
  const char *checksums;    /* the names in DIRECTORY for which checksum_may_be
                               is true, each with a zero byte, and an empty
                               name at the end; NULL: not known */
  bool no_checksum_folders; /* checksum_has_folders has returned false */
  enum file_lock lock;      /* for image_open_at */
};

/* Return the location of the file that PATH names when it is opened.  PATH
   must outlive the result.  */
struct file_location file_location_of_path (const char *path);

/* Open the file with FLAGS of open(2).  Returns -1 with ERR on failure.  */
int file_location_open (const struct file_location *location, int flags,
                        struct error *err);

struct file_identity file_identity_of (const struct stat *status);
bool file_identity_equal (const struct file_identity *a,
                          const struct file_identity *b);

/* Return whether the file with STATUS has IDENTITY.  */
bool file_identity_is (const struct file_identity *identity,
                       const struct stat *status);

/* Return whether A and B describe the same file.  */
bool file_status_same (const struct stat *a, const struct stat *b);

/* Return whether PATH leads to a descriptor in /proc, through any number of
   symbolic links.  *NUMBER is its number, or -1 for another process's.  */
bool descriptor_path_parse (const char *path, int *number);

/* Duplicate descriptor NUMBER, which must be open for writing.  Returns -1
   with ERR on failure.  */
int descriptor_duplicate_writable (int number, struct error *err);

#endif /* ELF_FILE_LOCATION_H */
