/* Copying owner, mode, extended attributes and time stamps of a file.
   SPDX-License-Identifier: LGPL-2.1-or-later

   The order of the steps matters.  chown clears set-id bits and capabilities,
   so the owner is first.  Setting an ACL may change the mode, so the mode
   follows the extended attributes.  */

#include <config.h>

#include "write/file_metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/prefix.h"

#define MODE_BITS 07777

/* Largest size of an attribute's value, and of the list of all names
   (XATTR_SIZE_MAX and XATTR_LIST_MAX of Linux).  */
#define ATTRIBUTE_MAX (64 << 10)

struct attribute_list
{
  char *names; /* owned; each name ends in a zero byte */
  size_t size;
};

/* A loop over all names in LIST.  The name that is declared cannot be in
   parentheses: NOLINTBEGIN(bugprone-macro-parentheses)  */
#define FOR_EACH_NAME(name, list)                                             \
  for (const char *name = (list)->names; name < (list)->names + (list)->size; \
       name += strlen (name) + 1)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Whether the behaviour of a program, or the access of users, depends on
   attribute NAME.  Then a new file must have it.  */
static bool
attribute_is_required (const char *name)
{
  return has_prefix (name, "user.")
         || strcmp (name, "security.capability") == 0
         || has_prefix (name, "system.posix_acl_");
}

/* Read the names of FD's attributes.  After success the caller frees the
   list.  */
static bool
attribute_list_read (struct attribute_list *list, int fd, struct error *err)
{
  *list = (struct attribute_list){ .names = malloc (ATTRIBUTE_MAX) };
  if (list->names == NULL)
    return error_set_no_memory (err);
  ssize_t size = flistxattr (fd, list->names, ATTRIBUTE_MAX);
  list->size = size > 0 ? (size_t)size : 0;
  if (size >= 0 || errno == ENOTSUP || errno == ENOSYS)
    return true;
  error_set_errno (err, "cannot list extended attributes");
  free (list->names);
  return false;
}

static bool
attribute_list_has (const struct attribute_list *list, const char *wanted)
{
  FOR_EACH_NAME (name, list)
    if (strcmp (name, wanted) == 0)
      return true;
  return false;
}

/* Whether attribute NAME may be missing in the new file, after the failure
   errno.  False with the error if not.  */
static bool
attribute_failed (const char *name, struct error *err)
{
  /* A full or broken disk is a failure whatever the attribute.  */
  bool permission = errno == EPERM || errno == EACCES || errno == ENOTSUP
                    || errno == EINVAL || errno == ENODATA;
  if (permission && !attribute_is_required (name))
    return true;
  if (strcmp (name, "security.capability") == 0)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_METADATA,
                           "the file would lose its capabilities: %s",
                           strerror (errno));
  return error_set_word (err, CFI2SFRAME_IO, WORD_METADATA,
                         "cannot keep attribute %s: %s", name,
                         strerror (errno));
}

static bool
attribute_copy (int from, int to, const char *name, struct error *err)
{
  char *value = malloc (ATTRIBUTE_MAX);
  if (value == NULL)
    return error_set_no_memory (err);
  ssize_t size = fgetxattr (from, name, value, ATTRIBUTE_MAX);
  bool done = size >= 0 && fsetxattr (to, name, value, (size_t)size, 0) == 0;
  int saved = errno;
  free (value);
  errno = saved;
  return done || attribute_failed (name, err);
}

/* Remove attributes of TO that are not WANTED.  A new file may have some,
   above all an ACL by the directory's default.  */
static bool
attributes_remove_others (const struct attribute_list *wanted, int to,
                          struct error *err)
{
  struct attribute_list present;
  if (!attribute_list_read (&present, to, err))
    return false;
  bool ok = true;
  FOR_EACH_NAME (name, &present)
    if (ok && attribute_is_required (name)
        && !attribute_list_has (wanted, name) && fremovexattr (to, name) != 0
        && errno != ENODATA)
      ok = attribute_failed (name, err);
  free (present.names);
  return ok;
}

static bool
attributes_copy (int from, int to, struct error *err)
{
  struct attribute_list list;
  if (!attribute_list_read (&list, from, err))
    return false;
  bool ok = attributes_remove_others (&list, to, err);
  FOR_EACH_NAME (name, &list)
    /* The signatures in these two attributes are of the old contents.  */
    if (ok && strcmp (name, "security.ima") != 0
        && strcmp (name, "security.evm") != 0)
      ok = attribute_copy (from, to, name, err);
  free (list.names);
  return ok;
}

static bool
owner_copy (const struct stat *wanted, int to, struct error *err)
{
  struct stat status;
  if (fstat (to, &status) != 0)
    return error_set_errno (err, "fstat");
  if ((status.st_uid == wanted->st_uid && status.st_gid == wanted->st_gid)
      || fchown (to, wanted->st_uid, wanted->st_gid) == 0)
    return true;
  if (errno == EPERM || errno == EINVAL)
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_METADATA,
                           "the file's owner %ju:%ju cannot be kept: %s",
                           (uintmax_t)wanted->st_uid,
                           (uintmax_t)wanted->st_gid, strerror (errno));
  return error_set_errno (err, "fchown");
}

static bool
mode_copy (mode_t wanted, int to, struct error *err)
{
  struct stat status;
  if (fstat (to, &status) != 0)
    return error_set_errno (err, "fstat");
  if ((status.st_mode & MODE_BITS) == (wanted & MODE_BITS))
    return true;
  if (fchmod (to, wanted & MODE_BITS) != 0)
    return error_set_errno (err, "fchmod");
  /* The kernel drops set-id bits without an error where the caller lacks the
     right to set them (inode_change_ok, setattr_copy).  */
  if (fstat (to, &status) != 0)
    return error_set_errno (err, "fstat");
  if ((status.st_mode & MODE_BITS) != (wanted & MODE_BITS))
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_METADATA,
                           "the file's mode %04o cannot be kept",
                           (unsigned)(wanted & MODE_BITS));
  return true;
}

bool
file_set_times (int to, const struct stat *status, struct error *err)
{
  const struct timespec times[2] = { status->st_atim, status->st_mtim };
  if (futimens (to, times) != 0)
    return error_set_errno (err, "cannot set time stamps");
  return true;
}

/* The attributes of chattr(1) that a new file can have: no dump, no time of
   access, synchronous, (un)compressed.  */
#define FLAGS_COPIED \
  (FS_NODUMP_FL | FS_NOATIME_FL | FS_SYNC_FL | FS_COMPR_FL | FS_NOCOMP_FL)

/* Other attributes that a user may have set, and that a new file loses.  All
   further ones are set by the file system (extents, an index).  */
#define FLAGS_LOST \
  (FS_NOCOW_FL | FS_JOURNAL_DATA_FL | FS_SECRM_FL | FS_UNRM_FL | FS_DAX_FL)

static bool
flags_read (int fd, int *flags)
{
  *flags = 0;
  return ioctl (fd, FS_IOC_GETFLAGS, flags) == 0;
}

static bool
flags_copy (int from, int to, struct error *err)
{
  int old, new;
  /* Few file systems have these attributes.  */
  if (!flags_read (from, &old) || !flags_read (to, &new))
    return true;
  if (old & (FS_IMMUTABLE_FL | FS_APPEND_FL))
    return error_set_word (err, CFI2SFRAME_REFUSED, WORD_IMMUTABLE,
                           "is immutable or for appending only (chattr)");
  int wanted = (new & ~FLAGS_COPIED) | (old & FLAGS_COPIED);
  return wanted == new || ioctl (to, FS_IOC_SETFLAGS, &wanted) == 0
         || error_set_errno (err, "cannot keep the file attributes (chattr)");
}

bool
file_copy_metadata (int from, int to, bool times, struct error *err)
{
  struct stat status;
  if (fstat (from, &status) != 0)
    return error_set_errno (err, "fstat");
  return owner_copy (&status, to, err) && flags_copy (from, to, err)
         && attributes_copy (from, to, err)
         && mode_copy (status.st_mode, to, err)
         && (!times || file_set_times (to, &status, err));
}

/* Return the umask.  umask(2) reads it only by setting it, which may affect
   other threads, so this reads /proc, where Linux has it since 4.7.  */
static mode_t
current_umask (void)
{
  char line[256];
  unsigned long value = 0;
  bool found = false;
  FILE *status = fopen ("/proc/self/status", "re");
  while (status != NULL && !found && fgets (line, sizeof line, status))
    {
      found = has_prefix (line, "Umask:");
      if (found)
        value = strtoul (line + 6, NULL, 8);
    }
  if (status != NULL)
    fclose (status);
  if (found)
    return value & 0777;
  mode_t mask = umask (077);
  umask (mask);
  return mask;
}

bool
file_set_new_mode (int to, mode_t mode, struct error *err)
{
  if (fchmod (to, mode & 0777 & ~current_umask ()) != 0)
    return error_set_errno (err, "fchmod");
  return true;
}

struct file_concerns
file_find_concerns (int fd)
{
  struct file_concerns concerns = { 0 };
  int flags;
  if (flags_read (fd, &flags))
    {
      concerns.verity = flags & FS_VERITY_FL;
      concerns.flags_lost = flags & FLAGS_LOST;
    }
  concerns.signed_ima = fgetxattr (fd, "security.ima", NULL, 0) >= 0;
  return concerns;
}
