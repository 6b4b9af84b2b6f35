/* Mode and extended attributes of a file, where the file system has them all,
   and where it refuses some.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Attributes are kept here and not by the file system: few let everybody set
   all of them.  */

#include <config.h>

#include <errno.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "write/file_metadata.h"
#include "tests/unit_test.h"

enum
{
  ATTRIBUTES_MAX = 8,
  VALUE_MAX = 100
};

struct attribute
{
  char name[40]; /* "": none */
  char value[VALUE_MAX];
  size_t size;
};

/* A file, with what its file system says.  */
struct file
{
  FILE *stream;
  int fd;
  struct attribute attributes[ATTRIBUTES_MAX];
  int flags; /* of chattr(1) */
};

static struct file from, to;

/* What goes wrong: the call, the attribute it is about (NULL: any), and how
   often.  */
static struct
{
  char call;
  const char *name;
  int error;
  int times;
} fault;

static bool acl_changes_mode;
static mode_t mode_lost; /* bits that fchmod does not set */
static unsigned n_changes;

static bool
is_faulty (char call, const char *name)
{
  if (fault.call != call || fault.times == 0
      || (fault.name != NULL && name != NULL
          && strcmp (fault.name, name) != 0))
    return false;
  fault.times--;
  errno = fault.error;
  return true;
}

static struct attribute *
find (int fd, const char *name)
{
  struct file *file = fd == from.fd ? &from : &to;
  for (size_t i = 0; i < ATTRIBUTES_MAX; i++)
    if (file->attributes[i].name[0] != '\0'
        && strcmp (file->attributes[i].name, name) == 0)
      return &file->attributes[i];
  return NULL;
}

static void
put (int fd, const char *name, const void *value, size_t size)
{
  struct file *file = fd == from.fd ? &from : &to;
  struct attribute *attribute = find (fd, name);
  for (size_t i = 0; attribute == NULL; i++)
    if (file->attributes[i].name[0] == '\0')
      attribute = &file->attributes[i];
  snprintf (attribute->name, sizeof attribute->name, "%s", name);
  attribute->size = size;
  memcpy (attribute->value, value, size);
}

static bool no_files; /* can be opened by name */

FILE *__real_fopen (const char *path, const char *mode);
FILE *__wrap_fopen (const char *path, const char *mode);
FILE *__real_fopen64 (const char *path, const char *mode);
FILE *__wrap_fopen64 (const char *path, const char *mode);

FILE *
__wrap_fopen (const char *path, const char *mode)
{
  errno = ENOENT;
  return no_files ? NULL : __real_fopen (path, mode);
}

FILE *
__wrap_fopen64 (const char *path, const char *mode)
{
  errno = ENOENT;
  return no_files ? NULL : __real_fopen64 (path, mode);
}

ssize_t __wrap_flistxattr (int fd, char *list, size_t size);
ssize_t __wrap_fgetxattr (int fd, const char *name, void *value, size_t size);
int __wrap_fsetxattr (int fd, const char *name, const void *value, size_t size,
                      int flags);
int __wrap_fremovexattr (int fd, const char *name);
int __wrap_ioctl (int fd, unsigned long request, ...);
int __real_fchmod (int fd, mode_t mode);
int __wrap_fchmod (int fd, mode_t mode);
int __real_fchown (int fd, uid_t owner, gid_t group);
int __wrap_fchown (int fd, uid_t owner, gid_t group);

ssize_t
__wrap_flistxattr (int fd, char *list, size_t size)
{
  const struct file *file = fd == from.fd ? &from : &to;
  size_t n = 0;
  if (is_faulty ('L', NULL))
    return -1;
  for (size_t i = 0; i < ATTRIBUTES_MAX; i++)
    if (file->attributes[i].name[0] != '\0')
      {
        size_t length = strlen (file->attributes[i].name) + 1;
        if (n + length <= size)
          memcpy (list + n, file->attributes[i].name, length);
        n += length;
      }
  return (ssize_t)n;
}

ssize_t
__wrap_fgetxattr (int fd, const char *name, void *value, size_t size)
{
  const struct attribute *attribute = find (fd, name);
  if (is_faulty (size == 0 ? 'g' : 'G', name))
    return -1;
  errno = ENODATA;
  if (attribute == NULL)
    return -1;
  errno = ERANGE;
  if (size == 0)
    return (ssize_t)attribute->size;
  if (attribute->size > size)
    return -1;
  memcpy (value, attribute->value, attribute->size);
  return (ssize_t)attribute->size;
}

/* Who owns a file may change its user attributes if the mode lets him write,
   however the file was opened (xattr(7)).  */
static bool
is_read_only (int fd, const char *name)
{
  struct stat status;
  assert_int_equal (fstat (fd, &status), 0);
  errno = EACCES;
  return strncmp (name, "user.", 5) == 0 && !(status.st_mode & S_IWUSR);
}

int
__wrap_fsetxattr (int fd, const char *name, const void *value, size_t size,
                  int flags)
{
  if (is_faulty ('s', name) || is_read_only (fd, name))
    return -1;
  bool exists = find (fd, name) != NULL;
  errno = exists ? EEXIST : ENODATA;
  if (flags & (exists ? XATTR_CREATE : XATTR_REPLACE))
    return -1;
  if (acl_changes_mode && strcmp (name, "system.posix_acl_access") == 0)
    __real_fchmod (fd, 0601);
  put (fd, name, value, size);
  return 0;
}

int
__wrap_fremovexattr (int fd, const char *name)
{
  if (is_faulty ('r', name) || is_read_only (fd, name))
    return -1;
  find (fd, name)->name[0] = '\0';
  return 0;
}

int
__wrap_ioctl (int fd, unsigned long request, ...)
{
  struct file *file = fd == from.fd ? &from : &to;
  va_list arguments;
  va_start (arguments, request);
  int *flags = va_arg (arguments, int *);
  va_end (arguments);
  if (is_faulty (request == FS_IOC_SETFLAGS ? 'f'
                 : fd == from.fd            ? 'o'
                                            : 'n',
                 NULL))
    return -1;
  if (request == FS_IOC_SETFLAGS)
    file->flags = *flags;
  else
    *flags = file->flags;
  return 0;
}

int
__wrap_fchown (int fd, uid_t owner, gid_t group)
{
  struct attribute *capability = find (fd, "security.capability");
  if (is_faulty ('w', NULL))
    return -1;
  if (capability != NULL) /* the kernel takes it away */
    capability->name[0] = '\0';
  return __real_fchown (fd, owner, group);
}

int
__wrap_fchmod (int fd, mode_t mode)
{
  n_changes++;
  return __real_fchmod (fd, mode & ~mode_lost);
}

static int
set_up (void **state)
{
  (void)state;
  memset (&fault, 0, sizeof fault);
  acl_changes_mode = false;
  mode_lost = 0;
  n_changes = 0;
  from = (struct file){ .stream = tmpfile () };
  to = (struct file){ .stream = tmpfile () };
  from.fd = fileno (from.stream);
  to.fd = fileno (to.stream);
  return __real_fchmod (from.fd, 0640) | __real_fchmod (to.fd, 0600);
}

static int
tear_down (void **state)
{
  (void)state;
  fclose (from.stream);
  fclose (to.stream);
  return 0;
}

#define FIXTURE_TEST(name) TEST_BETWEEN (set_up, tear_down, name)

static void
expect_attribute (const char *name, const char *value)
{
  const struct attribute *attribute = find (to.fd, name);
  assert_int_equal (attribute != NULL, value != NULL);
  if (value == NULL)
    return;
  assert_int_equal (attribute->size, strlen (value));
  assert_memory_equal (attribute->value, value, attribute->size);
}

static void
expect_mode (mode_t mode)
{
  struct stat status;
  assert_int_equal (fstat (to.fd, &status), 0);
  assert_int_equal (status.st_mode & 07777, mode);
}

/* Copying fails with STATUS and a reason with WORDS, or not (NULL).  */
static void
expect_copy (enum cfi2sframe_status status, const char *words)
{
  struct error err = { 0 };
  bool done = file_copy_metadata (from.fd, to.fd, false, &err);
  assert_int_equal (done, words == NULL);
  if (words == NULL)
    return;
  assert_int_equal (err.status, status);
  assert_non_null (strstr (err.reason, words));
}

FIXTURE_TEST (the_new_file_has_the_attributes_of_the_old)
{
  put (from.fd, "user.both", "new", 3);
  put (from.fd, "user.empty", "", 0);
  put (from.fd, "security.selinux", "label", 5);
  put (from.fd, "security.ima", "signature", 9);
  put (from.fd, "security.evm", "signature", 9);
  put (to.fd, "user.both", "old value", 9);
  put (to.fd, "user.others", "x", 1);
  put (to.fd, "system.posix_acl_access", "of the folder", 13);
  put (to.fd, "security.capability", "x", 1);
  put (to.fd, "security.apparmor", "stays", 5);
  expect_copy (CFI2SFRAME_OK, NULL);
  expect_attribute ("user.both", "new");
  expect_attribute ("user.empty", "");
  expect_attribute ("security.selinux", "label");
  expect_attribute ("security.ima", NULL);
  expect_attribute ("security.evm", NULL);
  expect_attribute ("user.others", NULL);
  expect_attribute ("system.posix_acl_access", NULL);
  expect_attribute ("security.capability", NULL);
  expect_attribute ("security.apparmor", "stays");
  expect_mode (0640);
}

/* An ACL has a mask, which the group's bits of the mode are.  */
FIXTURE_TEST (the_mode_is_right_after_the_acl_is_set)
{
  put (from.fd, "system.posix_acl_access", "list", 4);
  acl_changes_mode = true;
  expect_copy (CFI2SFRAME_OK, NULL);
  expect_mode (0640);
}

FIXTURE_TEST (a_read_only_file_has_attributes)
{
  __real_fchmod (from.fd, 0555);
  put (from.fd, "user.note", "new", 3);
  put (to.fd, "user.others", "x", 1);
  expect_copy (CFI2SFRAME_OK, NULL);
  expect_attribute ("user.note", "new");
  expect_attribute ("user.others", NULL);
  expect_mode (0555);
}

FIXTURE_TEST (a_mode_that_is_right_is_not_set)
{
  __real_fchmod (to.fd, 0640);
  expect_copy (CFI2SFRAME_OK, NULL);
  assert_int_equal (n_changes, 0);
}

/* As the kernel does where the caller may not set them.  */
FIXTURE_TEST (bits_dropped_in_silence_are_noticed)
{
  __real_fchmod (from.fd, 04755);
  mode_lost = 04000;
  expect_copy (CFI2SFRAME_REFUSED, "mode 4755 cannot be kept");
}

FIXTURE_TEST (what_matters_is_kept_or_refused)
{
  static const struct
  {
    char call;
    const char *name;
    int error;
    const char *words; /* NULL: goes on */
    enum cfi2sframe_status status;
  } cases[] = {
    { 's', "security.selinux", EPERM, NULL, CFI2SFRAME_OK },
    { 's', "security.selinux", EACCES, NULL, CFI2SFRAME_OK },
    { 's', "security.selinux", ENOTSUP, NULL, CFI2SFRAME_OK },
    { 's', "security.selinux", EINVAL, NULL, CFI2SFRAME_OK },
    { 's', "security.selinux", ENOSPC, "security.selinux", CFI2SFRAME_IO },
    { 'G', "security.selinux", ENODATA, NULL, CFI2SFRAME_OK },
    { 'G', "security.selinux", EIO, "security.selinux", CFI2SFRAME_IO },
    { 's', "user.note", EPERM, "cannot keep attribute user.note",
      CFI2SFRAME_IO },
    { 's', "system.posix_acl_access", ENOTSUP, "posix_acl", CFI2SFRAME_IO },
    { 's', "security.capability", EPERM, "would lose its capabilities",
      CFI2SFRAME_REFUSED },
    { 'r', "user.others", EPERM, "user.others", CFI2SFRAME_IO },
    { 'r', "user.others", ENODATA, NULL, CFI2SFRAME_OK },
    /* What is wanted is not removed first.  */
    { 'r', "user.both", EIO, NULL, CFI2SFRAME_OK },
    { 'L', NULL, EIO, "list extended attributes", CFI2SFRAME_IO },
    { 'L', NULL, ENOTSUP, NULL, CFI2SFRAME_OK },
    { 'L', NULL, ENOSYS, NULL, CFI2SFRAME_OK },
    { 'L', NULL, ERANGE, "list extended attributes", CFI2SFRAME_IO },
    { 'G', "user.note", ERANGE, "user.note", CFI2SFRAME_IO },
  };
  FOR_EACH_ROW (given, cases)
    {
      tear_down (NULL);
      assert_int_equal (set_up (NULL), 0);
      put (from.fd, "user.note", "n", 1);
      put (from.fd, "security.selinux", "label", 5);
      put (from.fd, "security.capability", "c", 1);
      put (from.fd, "system.posix_acl_access", "list", 4);
      put (to.fd, "user.others", "o", 1);
      put (from.fd, "user.both", "b", 1);
      put (to.fd, "user.both", "x", 1);
      fault.call = given->call;
      fault.name = given->name;
      fault.error = given->error;
      fault.times = 1000;
      expect_copy (given->status, given->words);
    }
}

/* An error stays one though the next call would have done.  */
FIXTURE_TEST (attributes_that_cannot_be_read_are_an_error)
{
  for (int call = 0; call < 2; call++)
    {
      tear_down (NULL);
      assert_int_equal (set_up (NULL), 0);
      put (from.fd, "user.note", "value", 5);
      fault.call = call ? 'G' : 'L';
      fault.error = EIO;
      fault.times = 1;
      expect_copy (CFI2SFRAME_IO,
                   call == 0 ? "list extended attributes" : "user.note");
    }
}

FIXTURE_TEST (signatures_are_a_concern)
{
  assert_false (file_find_concerns (to.fd).signed_ima);
  put (to.fd, "security.ima", "", 0);
  assert_true (file_find_concerns (to.fd).signed_ima);
}

/* The group alone may be another one.  */
FIXTURE_TEST (owner_and_group_are_kept)
{
  struct stat status;
  if (geteuid () != 0)
    skip ();
  /* One of them changes, or both.  */
  static const struct
  {
    uid_t owner;
    gid_t group;
  } cases[] = { { 0, 34 }, { 12, 35 }, { 13, 35 }, { 13, 36 } };
  FOR_EACH_ROW (given, cases)
    {
      assert_int_equal (fchown (from.fd, given->owner, given->group), 0);
      expect_copy (CFI2SFRAME_OK, NULL);
      assert_int_equal (fstat (to.fd, &status), 0);
      assert_int_equal (status.st_uid, given->owner);
      assert_int_equal (status.st_gid, given->group);
    }
}

/* Who may not give files away leaves this one alone; everything else is an
   error.  */
FIXTURE_TEST (an_owner_that_cannot_be_kept_is_refused)
{
  static const struct
  {
    int error;
    enum cfi2sframe_status status;
    const char *words;
  } cases[] = { { EPERM, CFI2SFRAME_REFUSED, "owner 12:34 cannot be kept" },
                { EINVAL, CFI2SFRAME_REFUSED, "owner 12:34 cannot be kept" },
                { EIO, CFI2SFRAME_IO, "fchown" } };
  if (geteuid () != 0)
    skip ();
  assert_int_equal (__real_fchown (from.fd, 12, 34), 0);
  FOR_EACH_ROW (given, cases)
    {
      fault.call = 'w';
      fault.error = given->error;
      fault.times = 1;
      expect_copy (given->status, given->words);
    }
}

FIXTURE_TEST (times_are_kept_where_that_is_asked)
{
  struct error err = { 0 };
  struct stat status;
  const struct timespec old[2] = { { 1000, 1 }, { 2000, 2 } };
  const struct timespec new[2] = { { 3000, 3 }, { 4000, 4 } };
  for (int times = 0; times < 2; times++)
    {
      assert_int_equal (futimens (from.fd, old), 0);
      assert_int_equal (futimens (to.fd, new), 0);
      assert_true (file_copy_metadata (from.fd, to.fd, times, &err));
      assert_int_equal (fstat (to.fd, &status), 0);
      assert_int_equal (status.st_mtim.tv_sec, times ? 2000 : 4000);
      assert_int_equal (status.st_atim.tv_sec, times ? 1000 : 3000);
    }
  assert_false (file_set_times (-1, &status, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_non_null (strstr (err.reason, "set time stamps"));
}

/* What chattr(1) sets, where both file systems know it.  */
FIXTURE_TEST (flags_of_chattr_are_kept)
{
  static const struct
  {
    int old, new, expected;
    char fault;
    const char *words;
  } cases[] = {
    { FS_NODUMP_FL, 0, FS_NODUMP_FL, 0, NULL },
    { FS_NOATIME_FL | FS_SYNC_FL, FS_NODUMP_FL, FS_NOATIME_FL | FS_SYNC_FL, 0,
      NULL },
    { FS_COMPR_FL, FS_EXTENT_FL, FS_COMPR_FL | FS_EXTENT_FL, 0, NULL },
    { FS_NOCOMP_FL | FS_INDEX_FL, 0, FS_NOCOMP_FL, 0, NULL },
    { FS_IMMUTABLE_FL, 0, 0, 0, "immutable" },
    { FS_APPEND_FL, 0, 0, 0, "appending" },
    { FS_NODUMP_FL, 0, 0, 'o', NULL },
    { FS_NODUMP_FL, 0, 0, 'n', NULL },
    { FS_NODUMP_FL, 0, 0, 'f', "keep the file attributes" },
    { FS_NODUMP_FL, FS_NODUMP_FL, FS_NODUMP_FL, 'f', NULL },
  };
  FOR_EACH_ROW (given, cases)
    {
      tear_down (NULL);
      assert_int_equal (set_up (NULL), 0);
      from.flags = given->old;
      to.flags = given->new;
      fault.call = given->fault;
      fault.error = EPERM;
      fault.times = 1;
      expect_copy (given->words != NULL && given->fault != 0
                       ? CFI2SFRAME_IO
                       : CFI2SFRAME_REFUSED,
                   given->words);
      assert_int_equal (to.flags, given->expected);
    }
}

static unsigned mask_changes;

mode_t __real_umask (mode_t mask);
mode_t __wrap_umask (mode_t mask);

mode_t
__wrap_umask (mode_t mask)
{
  mask_changes++;
  return __real_umask (mask);
}

/* Where the kernel does not tell the mask it is asked for by setting it, which
   other threads would notice.  */
FIXTURE_TEST (a_new_file_has_the_mode_of_the_mask)
{
  struct error err = { 0 };
  mode_t before = umask (027);
  mask_changes = 0;
  assert_true (file_set_new_mode (to.fd, 0777, &err));
  assert_int_equal (mask_changes, 0);
  expect_mode (0750);
  no_files = true;
  assert_true (file_set_new_mode (to.fd, 0666, &err));
  no_files = false;
  expect_mode (0640);
  assert_int_equal (umask (before), 027);
}

FIXTURE_TEST (what_a_new_file_cannot_have_is_known)
{
  static const struct
  {
    int flags;
    bool verity, lost;
  } cases[] = {
    { 0, false, false },
    { FS_VERITY_FL, true, false },
    { FS_VERITY_FL | FS_EXTENT_FL, true, false },
    { FS_NOCOW_FL, false, true },
    { FS_JOURNAL_DATA_FL | FS_EXTENT_FL, false, true },
    { FS_SECRM_FL, false, true },
    { FS_UNRM_FL, false, true },
    { FS_DAX_FL, false, true },
    { FS_NODUMP_FL | FS_EXTENT_FL, false, false },
  };
  FOR_EACH_ROW (given, cases)
    {
      to.flags = given->flags;
      struct file_concerns concerns = file_find_concerns (to.fd);
      assert_int_equal (concerns.verity, given->verity);
      assert_int_equal (concerns.flags_lost, given->lost);
      fault.call = 'n';
      fault.times = 1;
      concerns = file_find_concerns (to.fd);
      assert_false (concerns.verity || concerns.flags_lost);
      fault.call = 0;
    }
}

/* A new owner costs the capabilities, so these come behind.  */
FIXTURE_TEST (capabilities_come_behind_the_owner)
{
  struct error err = { 0 };
  if (geteuid () != 0)
    skip ();
  assert_int_equal (__real_fchown (from.fd, 1, 1), 0);
  put (from.fd, "security.capability", "cap", 3);
  assert_true (file_copy_metadata (from.fd, to.fd, false, &err));
  assert_non_null (find (to.fd, "security.capability"));
}
