/* Unit tests of src/write/output_file.c: a file is replaced whole or not at
   all.  That it keeps its metadata is shown by test_file_metadata.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mapped_file.h"
#include "cfi2sframe.h"
#include "convert/location.h"
#include "write/file_metadata.h"
#include "write/flush.h"
#include "write/output_file.h"
#include "write/temporary.h"
#include "tests/unit_test.h"

/* The system calls that put a file in place, in their order: the linker sends
   ours here.  */
static char calls[16];
static int failing;             /* the call that fails, or 0 */
static void (*in_fsync) (void); /* what others do while a file is flushed */

int __real_fsync (int fd);
int __real_syncfs (int fd);
int __real_renameat (int from, const char *old, int to, const char *new);
int __wrap_fsync (int fd);
int __wrap_syncfs (int fd);
int __wrap_renameat (int from, const char *old, int to, const char *new);

static bool
note_call (int call)
{
  size_t n = strlen (calls);
  if (n + 1 < sizeof calls)
    calls[n] = (char)call;
  errno = EIO;
  return call != failing;
}

int
__wrap_fsync (int fd)
{
  struct stat status;
  bool is_directory = fstat (fd, &status) == 0 && S_ISDIR (status.st_mode);
  if (!is_directory && in_fsync != NULL)
    in_fsync ();
  return note_call (is_directory ? 'd' : 'f') ? __real_fsync (fd) : -1;
}

int
__wrap_syncfs (int fd)
{
  return note_call ('s') ? __real_syncfs (fd) : -1;
}

int
__wrap_renameat (int from, const char *old, int to, const char *new)
{
  return note_call ('r') ? __real_renameat (from, old, to, new) : -1;
}

/* Where names come from.  */
static bool no_random;

ssize_t __real_getrandom (void *bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom (void *bytes, size_t size, unsigned flags);

ssize_t
__wrap_getrandom (void *bytes, size_t size, unsigned flags)
{
  return no_random ? -1 : __real_getrandom (bytes, size, flags);
}

/* Pipes take one byte at a time, and signals come in between.  */
static bool interrupted;

ssize_t __real_write (int fd, const void *bytes, size_t size);
ssize_t __wrap_write (int fd, const void *bytes, size_t size);

ssize_t
__wrap_write (int fd, const void *bytes, size_t size)
{
  static unsigned turn;
  struct stat status;
  if (!interrupted || fstat (fd, &status) != 0 || !S_ISFIFO (status.st_mode))
    return __real_write (fd, bytes, size);
  errno = EINTR;
  return ++turn % 2 != 0 ? -1 : __real_write (fd, bytes, 1);
}

/* What is behind a pipe may say only at the end that it has failed.  */
static bool close_fails;

int __real_close (int fd);
int __wrap_close (int fd);

int
__wrap_close (int fd)
{
  struct stat status;
  bool fails
      = close_fails && fstat (fd, &status) == 0 && S_ISFIFO (status.st_mode);
  int result = __real_close (fd);
  if (!fails)
    return result;
  errno = EIO;
  return -1;
}

static char directory[] = "/tmp/test_output_file.XXXXXX";

static char *
path_of (const char *name)
{
  static char paths[4][128];
  static unsigned turn;
  char *path = paths[turn++ % 4];
  snprintf (path, sizeof paths[0], "%s/%s", directory, name);
  return path;
}

static void
write_file (const char *name, const char *text, mode_t mode)
{
  FILE *file = fopen (path_of (name), "w");
  assert_non_null (file);
  fputs (text, file);
  fclose (file);
  assert_int_equal (chmod (path_of (name), mode), 0);
}

static void
assert_contents (const char *name, const char *text)
{
  char got[64] = "";
  FILE *file = fopen (path_of (name), "r");
  assert_non_null (file);
  size_t size = fread (got, 1, sizeof got - 1, file);
  fclose (file);
  got[size] = '\0';
  assert_string_equal (got, text);
}

static unsigned
count_in (const char *path)
{
  unsigned count = 0;
  DIR *stream = opendir (path);
  assert_non_null (stream);
  for (struct dirent *entry; (entry = readdir (stream)) != NULL;)
    count += strcmp (entry->d_name, ".") != 0
             && strcmp (entry->d_name, "..") != 0;
  closedir (stream);
  return count;
}

static unsigned
count_entries (void)
{
  return count_in (directory);
}

static void
remove_a_temporary (void)
{
  DIR *stream = opendir (directory);
  struct dirent *entry;
  do
    entry = readdir (stream);
  while (entry != NULL
         && (strncmp (entry->d_name, ".cfi2sframe-", 12) != 0
             || unlinkat (dirfd (stream), entry->d_name, 0) != 0));
  closedir (stream);
}

/* No test leaves a descriptor open.  */
static unsigned descriptors;

/* Of the call that failed last.  */
static struct error err;

static int
set_up (void **state)
{
  (void)state;
  in_fsync = NULL;
  failing = 0;
  err = (struct error){ 0 };
  mapped_files_forget ();
  descriptors = count_in ("/proc/self/fd");
  strcpy (strrchr (directory, '.'), ".XXXXXX");
  return mkdtemp (directory) == NULL;
}

static int
tear_down (void **state)
{
  (void)state;
  char command[160];
  if (count_in ("/proc/self/fd") != descriptors)
    {
      fprintf (stderr, "%u descriptors, were %u\n", count_in ("/proc/self/fd"),
               descriptors);
      return 1;
    }
  snprintf (command, sizeof command, "rm -rf '%s'", directory);
  return system (command);
}

#define FIXTURE_TEST(name) TEST_BETWEEN (set_up, tear_down, name)

static bool
create (struct output_file *file, const char *name)
{
  struct file_location location
      = file_location_of_path (*name == '/' ? name : path_of (name));
  const struct output_request request = { .input = &location };
  error_clear (&err);
  return output_file_begin (file, &request, &err);
}

/* Put FILE in place of the open SOURCE, or, if it IS_NEW, next to it.  */
static bool
finish (struct output_file *file, int source, bool is_new)
{
  const struct output_request request
      = { .output = is_new ? "another name" : NULL, .input_fd = source };
  return output_file_finish (file, &request, true, &err);
}

/* Replace TARGET by "new", with SOURCE's metadata.  */
static bool
replace (const char *target, const char *source, bool is_new)
{
  struct output_file file;
  if (!create (&file, target))
    return false;
  assert_int_equal (write (file.fd, "new", 3), 3);
  int fd = open (path_of (source), O_RDONLY);
  assert_true (fd >= 0);
  const struct output_request request
      = { .output = is_new ? target : NULL, .input_fd = fd };
  bool ok = output_file_finish (&file, &request, true, &err);
  /* Nothing is closed twice: the number may be another file's by now.  */
  int others[4];
  for (int i = 0; i < 4; i++)
    others[i] = open ("/dev/null", O_RDONLY);
  output_file_discard (&file);
  for (int i = 0; i < 4; i++)
    assert_true (fcntl (others[i], F_GETFD) >= 0);
  for (int i = 0; i < 4; i++)
    close (others[i]);
  close (fd);
  return ok;
}

FIXTURE_TEST (commit_replaces_and_leaves_nothing_else)
{
  write_file ("f", "old", 0640);
  assert_true (replace ("f", "f", false));
  assert_contents ("f", "new");
  assert_int_equal (count_entries (), 1);
}

/* After a power cut the name must not stand for a file without contents.  */
FIXTURE_TEST (contents_are_flushed_before_the_name_changes)
{
  write_file ("f", "old", 0640);
  memset (calls, 0, sizeof calls);
  assert_true (replace ("f", "f", false));
  assert_string_equal (calls, "frd");
}

FIXTURE_TEST (what_is_written_over_is_flushed)
{
  struct output_file file;
  const struct output_request request
      = { .output = path_of ("f"), .input_fd = -1, .rewrite = true };
  write_file ("f", "old", 0640);
  memset (calls, 0, sizeof calls);
  failing = 'r';
  assert_true (output_file_begin (&file, &request, &err));
  assert_int_equal (write (file.fd, "new", 3), 3);
  assert_true (output_file_finish (&file, &request, true, &err));
  assert_contents ("f", "new");
  assert_string_equal (calls, "frf");
}

/* Make the file NAME, which is to be flushed as SYNC says.  */
static void
make_file (const char *name, enum cfi2sframe_sync sync)
{
  const struct buffer nothing = { 0 };
  error_clear (&err);
  assert_true (output_file_write (path_of (name), &nothing, -1, sync, &err));
}

FIXTURE_TEST (what_is_flushed_at_the_end)
{
  static const struct
  {
    enum cfi2sframe_sync sync;
    unsigned n_files;
    const char *calls, *calls_at_the_end;
  } cases[] = { { CFI2SFRAME_SYNC_FILE, 2, "frdfrd", "" },
                { CFI2SFRAME_SYNC_NONE, 2, "rr", "" },
                { CFI2SFRAME_SYNC_END, 0, "", "" },
                /* A file that is alone needs not wait for what others have
                   written.  */
                { CFI2SFRAME_SYNC_END, 1, "r", "fd" },
                { CFI2SFRAME_SYNC_END, 2, "rr", "s" } };
  FOR_EACH_ROW (given, cases)
    {
      memset (calls, 0, sizeof calls);
      for (unsigned n = 0; n < given->n_files; n++)
        make_file (n == 0 ? "f" : "g", given->sync);
      assert_string_equal (calls, given->calls);
      memset (calls, 0, sizeof calls);
      assert_true (flush_noted (&err));
      assert_string_equal (calls, given->calls_at_the_end);
      assert_true (flush_noted (&err));
      assert_string_equal (calls, given->calls_at_the_end);
    }
}

/* A name in another directory is not on disk when the first one is.  */
FIXTURE_TEST (a_file_with_two_names_is_not_flushed_alone)
{
  struct stat status;
  write_file ("g", "old", 0640);
  make_file ("f", CFI2SFRAME_SYNC_END);
  assert_int_equal (stat (path_of ("f"), &status), 0);
  struct file_location source = file_location_of_path (path_of ("f"));
  struct file_location name = file_location_of_path (path_of ("g"));
  source.identity = file_identity_of (&status);
  assert_true (output_file_link (&name, &source, &err));
  memset (calls, 0, sizeof calls);
  assert_true (flush_noted (&err));
  assert_string_equal (calls, "s");
}

FIXTURE_TEST (a_flush_that_fails_at_the_end_is_told)
{
  static const char failures[] = "fds";
  for (size_t i = 0; i < 3; i++)
    {
      make_file ("f", CFI2SFRAME_SYNC_END);
      if (failures[i] == 's')
        make_file ("g", CFI2SFRAME_SYNC_END);
      failing = failures[i];
      bool ok = flush_noted (&err);
      failing = 0;
      assert_false (ok);
      assert_int_equal (err.status, CFI2SFRAME_IO);
      assert_true (flush_noted (&err));
    }
}

FIXTURE_TEST (failed_flush_or_rename_leaves_the_old_file)
{
  static const struct
  {
    int call;
    const char *contents;
  } cases[] = { { 'f', "old" }, { 'r', "old" }, { 'd', "new" } };
  for (size_t i = 0; i < 3; i++)
    {
      write_file ("f", "old", 0640);
      failing = cases[i].call;
      bool ok = replace ("f", "f", false);
      failing = 0;
      assert_false (ok);
      assert_int_equal (err.status, CFI2SFRAME_IO);
      assert_contents ("f", cases[i].contents);
      assert_int_equal (count_entries (), 1);
    }
}

static struct file_location
location_of (const char *name, dev_t device, ino_t inode)
{
  struct file_location location = file_location_of_path (name);
  location.identity = (struct file_identity){ device, inode };
  return location;
}

/* Whether NAME is not made a name of REPLACEMENT, which is said.  */
static bool
is_left_alone (const struct file_location *name,
               const struct file_location *replacement)
{
  const struct cfi2sframe_options options = { .size = sizeof options };
  struct error err = { 0 };
  return !location_relink (name, replacement, &options, &err)
         && err.word == WORD_CHANGED_MEANWHILE;
}

/* A hard link is made again only where the old file still is.  */
FIXTURE_TEST (other_name_of_another_file_is_left_alone)
{
  const struct cfi2sframe_options options = { .size = sizeof options };
  struct stat old, new, other;
  char name[128];
  strcpy (name, path_of ("g"));
  write_file ("f", "new", 0644);
  write_file ("g", "old", 0644);
  assert_int_equal (stat (name, &old), 0);
  assert_int_equal (stat (path_of ("f"), &new), 0);
  char path[128];
  strcpy (path, path_of ("f"));
  struct file_location replacement
      = location_of (path, new.st_dev, new.st_ino);
  struct file_location wrong_inode
      = location_of (name, old.st_dev, new.st_ino);
  assert_true (is_left_alone (&wrong_inode, &replacement));
  assert_contents ("g", "old");
  struct file_location wrong_device
      = location_of (name, old.st_dev + 1, old.st_ino);
  assert_true (is_left_alone (&wrong_device, &replacement));
  assert_contents ("g", "old");
  struct file_location right = location_of (name, old.st_dev, old.st_ino);
  assert_true (location_relink (&right, &replacement, &options, &err));
  assert_int_equal (stat (name, &other), 0);
  assert_int_equal (other.st_ino, new.st_ino);
  /* It is one already.  */
  assert_true (location_relink (&right, &replacement, &options, &err));
  assert_int_equal (count_entries (), 2);
  /* A symbolic link in its place, and no name at all.  */
  unlink (name);
  assert_int_equal (symlink ("f", name), 0);
  assert_int_equal (lstat (name, &old), 0);
  struct file_location a_link = location_of (name, old.st_dev, old.st_ino);
  assert_true (location_relink (&a_link, &replacement, &options, &err));
  assert_int_equal (lstat (name, &other), 0);
  assert_true (S_ISLNK (other.st_mode));
  unlink (name);
  assert_true (is_left_alone (&a_link, &replacement));
  assert_int_equal (count_entries (), 1);
}

FIXTURE_TEST (discard_leaves_target_alone)
{
  struct output_file file;
  write_file ("f", "old", 0640);
  assert_true (create (&file, "f"));
  assert_int_equal (count_entries (), 2);
  assert_int_equal (write (file.fd, "new", 3), 3);
  output_file_discard (&file);
  output_file_discard (&file);
  assert_contents ("f", "old");
  assert_int_equal (count_entries (), 1);
}

/* Run the replacement as another user who owns file and directory.  */
static bool
replace_as (uid_t uid, const char *expected, enum cfi2sframe_status status)
{
  assert_int_equal (chown (directory, uid, uid), 0);
  pid_t child = fork ();
  if (child == 0)
    {
      if (setgroups (0, NULL) != 0 || setgid (uid) != 0 || setuid (uid) != 0)
        _exit (9);
      bool ok = replace ("f", "f", false);
      _exit (ok || err.status != status || !strstr (err.reason, expected));
    }
  int result;
  assert_int_equal (waitpid (child, &result, 0), child);
  return WIFEXITED (result) && WEXITSTATUS (result) == 0;
}

FIXTURE_TEST (foreign_owner_is_never_lost_silently)
{
  if (geteuid () != 0)
    skip ();
  write_file ("f", "old", 0755);
  assert_true (replace_as (1234, "owner", CFI2SFRAME_REFUSED));
  assert_contents ("f", "old");
  assert_int_equal (count_entries (), 1);
}

FIXTURE_TEST (symbolic_link_stays_a_link)
{
  struct stat status;
  write_file ("f", "old", 0644);
  assert_int_equal (symlink ("f", path_of ("l")), 0);
  assert_int_equal (symlink ("l", path_of ("m")), 0);
  assert_true (replace ("m", "f", false));
  assert_contents ("f", "new");
  assert_int_equal (lstat (path_of ("l"), &status), 0);
  assert_true (S_ISLNK (status.st_mode));
}

FIXTURE_TEST (new_target_is_like_a_copy)
{
  struct stat status;
  mode_t mask = umask (027);
  write_file ("f", "old", 04755);
  assert_true (replace ("out", "f", true));
  umask (mask);
  assert_contents ("out", "new");
  assert_contents ("f", "old");
  assert_int_equal (stat (path_of ("out"), &status), 0);
  assert_int_equal (status.st_mode & 07777, 0750);
}

/* Somebody moves the directory away and puts a link in its place while the
   file is written.  */
FIXTURE_TEST (directory_swapped_for_a_link_leads_nowhere)
{
  struct output_file file;
  assert_int_equal (mkdir (path_of ("d"), 0755), 0);
  assert_int_equal (mkdir (path_of ("other"), 0755), 0);
  write_file ("d/f", "old", 0644);
  write_file ("other/f", "others", 0644);
  assert_true (create (&file, "d/f"));
  int fd = open (path_of ("d/f"), O_RDONLY);
  assert_int_equal (write (file.fd, "new", 3), 3);
  assert_int_equal (rename (path_of ("d"), path_of ("away")), 0);
  assert_int_equal (symlink ("other", path_of ("d")), 0);
  assert_true (finish (&file, fd, false));
  close (fd);
  assert_contents ("other/f", "others");
  assert_contents ("away/f", "new");
}

FIXTURE_TEST (linked_only_to_the_very_file)
{
  struct stat status;
  write_file ("f", "old", 0644);
  write_file ("name", "old", 0644);
  assert_int_equal (stat (path_of ("f"), &status), 0);
  char paths[2][128];
  strcpy (paths[0], path_of ("name"));
  strcpy (paths[1], path_of ("f"));
  struct file_location name = file_location_of_path (paths[0]);
  struct file_location source = file_location_of_path (paths[1]);
  source.identity = file_identity_of (&status);
  write_file ("other", "others", 0644);
  assert_int_equal (rename (path_of ("other"), path_of ("f")), 0);
  assert_false (output_file_link (&name, &source, &err));
  assert_contents ("name", "old");
  assert_int_equal (count_entries (), 2);
  assert_int_equal (stat (path_of ("f"), &status), 0);
  source.identity = file_identity_of (&status);
  assert_true (output_file_link (&name, &source, &err));
  assert_contents ("name", "others");
  assert_int_equal (count_entries (), 2);
}

FIXTURE_TEST (new_target_that_is_the_source_is_refused)
{
  write_file ("f", "old", 04755);
  assert_false (output_file_check_other (path_of ("f"), path_of ("f"), &err));
  assert_int_equal (err.status, CFI2SFRAME_INVALID);
  assert_true (output_file_check_other (path_of ("g"), path_of ("f"), &err));
  /* It became the source meanwhile.  */
  assert_false (replace ("f", "f", true));
  assert_int_equal (err.status, CFI2SFRAME_INVALID);
  assert_contents ("f", "old");
  assert_int_equal (count_entries (), 1);
}

FIXTURE_TEST (file_replaced_meanwhile_is_not_overwritten)
{
  struct output_file file;
  write_file ("f", "old", 0644);
  write_file ("g", "newer", 0644);
  int fd = open (path_of ("f"), O_RDONLY);
  assert_true (create (&file, "f"));
  assert_int_equal (rename (path_of ("g"), path_of ("f")), 0);
  assert_false (finish (&file, fd, false));
  close (fd);
  assert_contents ("f", "newer");
  assert_int_equal (count_entries (), 1);
}

static void
rename_g_to_f (void)
{
  assert_int_equal (rename (path_of ("g"), path_of ("f")), 0);
}

static void
append_to_f (void)
{
  FILE *file = fopen (path_of ("f"), "a");
  assert_non_null (file);
  fputs (", newer", file);
  fclose (file);
}

/* Flushing takes seconds at times.  What others put there, or write there,
   meanwhile is not lost either.  */
FIXTURE_TEST (what_changes_while_flushing_is_not_overwritten)
{
  size_t size;
  write_file ("f", "old", 0644);
  write_file ("g", "newer", 0644);
  in_fsync = rename_g_to_f;
  assert_false (replace ("f", "f", false));
  assert_string_equal (err.reason, "the file was replaced meanwhile");
  assert_contents ("f", "newer");
  int fd = open (path_of ("f"), O_RDONLY);
  const void *bytes = mapped_file_open (fd, &size, &err);
  assert_non_null (bytes);
  in_fsync = append_to_f;
  assert_false (replace ("f", "f", false));
  assert_string_equal (err.reason, "the file changed meanwhile");
  assert_contents ("f", "newer, newer");
  assert_false (replace ("h", "f", true));
  in_fsync = NULL;
  mapped_file_close (bytes, size);
  close (fd);
  assert_int_equal (count_entries (), 1);
}

/* A file that is empty is never mapped, and copied to the output unchanged. */
FIXTURE_TEST (a_change_of_one_file_is_not_held_against_the_next)
{
  struct cfi2sframe_options options;
  struct cfi2sframe_report report;
  size_t size;
  char empty[128], output[128];
  cfi2sframe_options_init (&options);
  cfi2sframe_report_init (&report);
  write_file ("f", "old", 0644);
  write_file ("empty", "", 0644);
  int fd = open (path_of ("f"), O_RDONLY);
  const void *bytes = mapped_file_open (fd, &size, &err);
  assert_non_null (bytes);
  append_to_f ();
  mapped_file_close (bytes, size);
  close (fd);
  strcpy (empty, path_of ("empty"));
  strcpy (output, path_of ("output"));
  assert_false (cfi2sframe_convert (empty, output, &options, &report, &err));
  assert_int_equal (err.status, CFI2SFRAME_NOT_ELF);
  assert_contents ("output", "");
}

FIXTURE_TEST (unsuitable_targets_are_refused)
{
  struct output_file file;
  assert_int_equal (symlink ("nowhere", path_of ("dangling")), 0);
  assert_false (create (&file, directory));
  assert_string_equal (err.reason, "is a directory");
  assert_false (create (&file, "dangling"));
  assert_string_equal (err.reason, "is a dangling symbolic link");
  assert_false (create (&file, "no/where"));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_false (create (&file, "/proc/self/new"));
  assert_non_null (strstr (err.reason, "create a file in the same directory"));
  assert_false (create (&file, "/dev/fd/99"));
  no_random = true;
  assert_false (create (&file, "f"));
  no_random = false;
  assert_int_equal (count_entries (), 1);
}

FIXTURE_TEST (links_to_other_file_systems_are_refused)
{
  write_file ("f", "old", 0644);
  char path[128];
  strcpy (path, path_of ("f"));
  struct file_location name = file_location_of_path (path);
  struct file_location source = file_location_of_path ("/dev/null");
  assert_false (output_file_link (&name, &source, &err));
  assert_non_null (strstr (err.reason, "make a hard link"));
  assert_contents ("f", "old");
  assert_int_equal (count_entries (), 1);
}

FIXTURE_TEST (files_of_other_processes_are_refused)
{
  struct output_file file;
  char path[64];
  write_file ("f", "old", 0644);
  int fd = open (path_of ("f"), O_RDWR);
  pid_t child = fork ();
  if (child == 0)
    for (;;)
      pause ();
  snprintf (path, sizeof path, "/proc/%d/fd/%d", (int)child, fd);
  assert_false (create (&file, path));
  assert_non_null (strstr (err.reason, "another process's descriptor"));
  kill (child, SIGKILL);
  assert_int_equal (waitpid (child, NULL, 0), child);
  close (fd);
}

/* What goes to a pipe or device is kept in a nameless file until then.  */
FIXTURE_TEST (streams_need_no_folder_of_their_own)
{
  static const char *const folders[] = { NULL, "", "/proc", "/no/where" };
  const char *old = getenv ("TMPDIR");
  char *kept = old != NULL ? strdup (old) : NULL;
  write_file ("f", "old", 0644);
  FOR_EACH_ROW (given, folders)
    {
      if (*given != NULL)
        setenv ("TMPDIR", *given, 1);
      else
        unsetenv ("TMPDIR");
      assert_true (replace ("/dev/null", "f", true));
    }
  if (kept != NULL)
    setenv ("TMPDIR", kept, 1);
  else
    unsetenv ("TMPDIR");
  free (kept);
}

FIXTURE_TEST (descriptor_0_is_like_others)
{
  struct output_file file;
  write_file ("f", "old", 0644);
  int kept = dup (STDIN_FILENO);
  close (STDIN_FILENO);
  assert_true (create (&file, "/dev/null"));
  assert_int_equal (file.fd, 0);
  output_file_discard (&file);
  assert_int_equal (fcntl (STDIN_FILENO, F_GETFD), -1);
  assert_int_equal (open (path_of ("f"), O_RDWR), 0);
  assert_true (create (&file, "/dev/stdin"));
  output_file_discard (&file);
  bool made = create (&file, "/dev/stdin");
  bool written
      = made && write (file.fd, "new", 3) == 3 && finish (&file, kept, true);
  dup2 (kept, STDIN_FILENO);
  close (kept);
  assert_true (written);
  assert_contents ("f", "new");
}

/* Its place in the table, and its descriptors, may be another's.  */
FIXTURE_TEST (a_file_that_is_done_touches_no_other)
{
  struct output_file one, other;
  write_file ("f", "old", 0644);
  int fd = open (path_of ("f"), O_RDONLY);
  assert_true (create (&one, "g"));
  assert_true (finish (&one, fd, true));
  assert_true (create (&other, "h"));
  output_file_discard (&one);
  assert_true (finish (&other, fd, true));
  assert_int_equal (count_entries (), 3);
  /* Not even if the bytes could not be written.  */
  if (access ("/dev/full", W_OK) == 0)
    assert_false (replace ("/dev/full", "f", true));
  close (fd);
}

/* Of a folder that may be searched and written to.  */
FIXTURE_TEST (folders_need_not_be_readable)
{
  assert_int_equal (mkdir (path_of ("d"), 0700), 0);
  write_file ("d/f", "old", 0644);
  if (geteuid () == 0)
    {
      assert_int_equal (chmod (directory, 0755), 0);
      assert_int_equal (chown (path_of ("d"), 65534, 65534), 0);
      assert_int_equal (chown (path_of ("d/f"), 65534, 65534), 0);
    }
  assert_int_equal (chmod (path_of ("d"), 0300), 0);
  pid_t child = fork ();
  if (child == 0)
    {
      if (geteuid () == 0
          && (setgroups (0, NULL) != 0 || setgid (65534) != 0
              || setuid (65534) != 0))
        _exit (2);
      _exit (!replace ("d/f", "d/f", false));
    }
  int result;
  assert_int_equal (waitpid (child, &result, 0), child);
  assert_int_equal (chmod (path_of ("d"), 0700), 0);
  assert_true (WIFEXITED (result) && WEXITSTATUS (result) == 0);
  assert_contents ("d/f", "new");
}

FIXTURE_TEST (device_and_pipe_are_written_through)
{
  struct stat status;
  char got[8];
  int ends[2];
  write_file ("f", "old", 0644);
  assert_int_equal (mkfifo (path_of ("p"), 0600), 0);
  ends[0] = open (path_of ("p"), O_RDWR);
  for (int i = 0; i < 2; i++)
    {
      interrupted = i == 1;
      assert_true (replace ("p", "f", true));
      assert_int_equal (read (ends[0], got, sizeof got), 3);
      assert_memory_equal (got, "new", 3);
    }
  interrupted = false;
  close_fails = true;
  assert_false (replace ("p", "f", true));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  error_clear (&err);
  close_fails = false;
  close (ends[0]);

  struct output_file file;
  assert_true (create (&file, "/dev/null"));
  assert_int_equal (write (file.fd, "new", 3), 3);
  assert_true (finish (&file, STDIN_FILENO, true));
  assert_int_equal (stat ("/dev/null", &status), 0);
  assert_true (S_ISCHR (status.st_mode));
}

FIXTURE_TEST (signal_handler_leaves_no_temporary_file)
{
  write_file ("f", "old", 0644);
  pid_t child = fork ();
  if (child == 0)
    {
      struct output_file files[300], late;
      for (int i = 0; i < 300; i++)
        if (!create (&files[i], "f"))
          _exit (2);
      /* The table holds 256; the rest is the owner's.  */
      for (int i = 256; i < 300; i++)
        output_file_discard (&files[i]);
      /* One that could not be made takes nobody's place.  */
      if (create (&late, "no/where"))
        _exit (3);
      remove_a_temporary ();
      errno = ENOTTY;
      temporary_discard_all ();
      if (errno != ENOTTY || count_entries () != 1)
        _exit (4);
      bool refused = !create (&late, "f");
      bool failed = !finish (&files[0], files[0].fd, false);
      for (int i = 1; i < 256; i++)
        output_file_discard (&files[i]);
      _exit (!refused || !failed);
    }
  int result;
  assert_int_equal (waitpid (child, &result, 0), child);
  assert_true (WIFEXITED (result) && WEXITSTATUS (result) == 0);
  assert_int_equal (count_entries (), 1);
  assert_contents ("f", "old");
}
