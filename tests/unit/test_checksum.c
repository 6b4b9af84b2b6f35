/* Files whose checksum is kept in another file.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "elf/checksum.h"
#include "tests/unit/elf_builder.h"
#include "tests/unit_test.h"

#define SONAME "libs.so.1"
#define NT_FDO_INTEGRITY UINT32_C (0xcafe2a8e)

enum
{
  STRINGS = 0x2b8, /* of the builder's program: offset of .dynstr, */
  DYNAMIC = 0x2000,
  NOTE = 0x220 /* of its only note */
};

static void
add_soname (struct elf_builder *elf)
{
  memcpy (elf->bytes + STRINGS + 11, SONAME, sizeof SONAME);
  store_u64 (elf->bytes + DYNAMIC + 80, DT_SONAME, false);
  store_u64 (elf->bytes + DYNAMIC + 88, 11, false);
}

/* Make the folders that the file PATH is in.  */
static void
make_folders (const char *path)
{
  char folder[PATH_MAX + NAME_MAX + 64];
  assert_true (strlen (path) < sizeof folder);
  strcpy (folder, path);
  for (char *slash = folder; (slash = strchr (slash + 1, '/')) != NULL;)
    {
      *slash = '\0';
      assert_true (mkdir (folder, 0777) == 0 || errno == EEXIST);
      *slash = '/';
    }
}

static void
write_file (const char *path, const void *bytes, size_t size)
{
  make_folders (path);
  FILE *out = fopen (path, "wb");
  assert_non_null (out);
  assert_int_equal (fwrite (bytes, 1, size, out), size);
  assert_int_equal (fclose (out), 0);
}

/* A file tree in `top', an absolute path; the library is in top/lib/x.  */
static struct
{
  char top[PATH_MAX + 32];
  char path[PATH_MAX + NAME_MAX + 64]; /* of the library */
} tree;

static int
remove_tree (void **state)
{
  (void)state;
  char command[sizeof tree.top + 16];
  snprintf (command, sizeof command, "rm -rf '%s'", tree.top);
  if (tree.top[0] != '\0')
    assert_int_equal (system (command), 0);
  tree.top[0] = '\0';
  return 0;
}

/* Begin with an empty one.  */
static void
make_tree (void)
{
  char here[PATH_MAX];
  remove_tree (NULL);
  assert_non_null (getcwd (here, sizeof here));
  snprintf (tree.top, sizeof tree.top, "%s/checksum-XXXXXX", here);
  assert_non_null (mkdtemp (tree.top));
}

static int
set_up (void **state)
{
  (void)state;
  make_tree ();
  return 0;
}

#define TREE_TEST(name) TEST_BETWEEN (set_up, remove_tree, name)

/* The path of NAME, seen from the library's folder.  */
static const char *
beside (const char *name)
{
  static char path[PATH_MAX + NAME_MAX + 64];
  snprintf (path, sizeof path, "%s/lib/x/%s", tree.top, name);
  return path;
}

/* Write the file NAME, seen from the library's folder.  */
static void
put (const char *name, const char *contents)
{
  write_file (beside (name), contents, strlen (contents));
}

/* The library NAME of TREE is ELF.  */
static void
write_library (const char *name, struct elf_builder *elf)
{
  elf_builder_finish (elf);
  snprintf (tree.path, sizeof tree.path, "%s", beside (name));
  write_file (tree.path, elf->bytes, elf->size);
}

static void
add_library (const char *name, bool with_soname)
{
  static struct elf_builder elf;
  elf_builder_program (&elf, EM_X86_64, false);
  if (with_soname)
    add_soname (&elf);
  write_library (name, &elf);
}

static void
add_library_that_needs (const char *name, const char *needed)
{
  static struct elf_builder elf;
  elf_builder_program (&elf, EM_X86_64, false);
  strcpy ((char *)elf.bytes + STRINGS + 1, needed);
  write_library (name, &elf);
}

/* What directories have in front of what is in them: a number of other names,
   then these, as the linker sends calls here.  */
static struct
{
  size_t others;
  const char *const *names; /* NULL: none; NULL also ends them */
  int fail;                 /* none can be read, with this errno; or 0 */
} directories;

DIR *__real_fdopendir (int fd);
DIR *__wrap_fdopendir (int fd);
struct dirent *__real_readdir (DIR *directory);
struct dirent *__wrap_readdir (DIR *directory);
struct dirent *__real_readdir64 (DIR *directory);
struct dirent *__wrap_readdir64 (DIR *directory);

DIR *
__wrap_fdopendir (int fd)
{
  errno = directories.fail;
  return directories.fail ? NULL : __real_fdopendir (fd);
}

static struct dirent *
next_of_ours (void)
{
  static struct dirent entry;
  const char *name = NULL;
  if (directories.others > 0)
    {
      directories.others--;
      name = "x";
    }
  else if (directories.names != NULL && *directories.names != NULL)
    name = *directories.names++;
  if (name == NULL)
    return NULL;
  snprintf (entry.d_name, sizeof entry.d_name, "%s", name);
  return &entry;
}

struct dirent *
__wrap_readdir (DIR *directory)
{
  struct dirent *ours = next_of_ours ();
  return ours != NULL ? ours : __real_readdir (directory);
}

struct dirent *
__wrap_readdir64 (DIR *directory)
{
  struct dirent *ours = next_of_ours ();
  return ours != NULL ? ours : __real_readdir64 (directory);
}

static struct image
open_library (void)
{
  struct image image;
  struct error err = { 0 };
  assert_true (image_open (&image, tree.path, &err));
  return image;
}

/* What is said of IMAGE as LOCATION's file.  */
static enum cfi2sframe_status
check (struct image *image, const struct file_location *location)
{
  struct error err = { 0 };
  bool fine = checksum_check_none (image, location, &err);
  enum cfi2sframe_status status = err.status;
  error_clear (&err);
  assert_int_equal (fine, status == CFI2SFRAME_OK);
  return status;
}

/* The library, found in the open FOLDER by whoever walks over a tree, as PATH
   of it.  */
static struct file_location
found_in (int folder, const char *path)
{
  return (struct file_location){
    .path = path, .directory = folder, .name = "libx.so", .fixed = true
  };
}

/* LOCATION's file has the checksum that FOUND names, or, NULL, none.  */
static void
expect_at (const struct file_location *location, const char *found)
{
  struct image image;
  struct error err = { 0 };
  assert_true (image_open_at (&image, location, &err));
  bool none = checksum_check_none (&image, location, &err);
  image_close (&image);
  if (found == NULL && !none)
    fail_msg ("%s: %s", location->path, err.reason);
  assert_int_equal (none, found == NULL);
  if (found == NULL)
    return;
  char wanted[NAME_MAX + 128];
  snprintf (wanted, sizeof wanted, "%s has a checksum of it", found);
  assert_int_equal (err.status, CFI2SFRAME_CHECKSUMMED);
  err.reason[strlen (wanted)] = '\0';
  assert_string_equal (err.reason, wanted);
}

/* Collect the names in the library's folder that may be of checksums, as who
   walks over a tree does.  */
static void
collect_names (char *names, size_t room)
{
  char folder[sizeof tree.path];
  snprintf (folder, sizeof folder, "%s", tree.path);
  *strrchr (folder, '/') = '\0';
  DIR *directory = opendir (folder);
  const struct dirent *entry;
  assert_non_null (directory);
  while ((entry = readdir (directory)) != NULL)
    if (checksum_may_be (entry->d_name))
      {
        size_t size = strlen (entry->d_name) + 1;
        assert_true (size < room);
        memcpy (names, entry->d_name, size);
        names += size;
        room -= size;
      }
  *names = '\0';
  closedir (directory);
}

static bool
has_folders (void)
{
  int directory = open (beside ("."), O_PATH | O_DIRECTORY);
  bool has = checksum_has_folders (directory);
  assert_int_equal (close (directory), 0);
  return has;
}

/* The same for TREE's library, whether names and folders are known or not.  */
static void
expect (const char *found)
{
  char names[4096];
  struct file_location location = file_location_of_path (tree.path);
  expect_at (&location, found);
  collect_names (names, sizeof names);
  location.checksums = names;
  expect_at (&location, found);
  location.no_checksum_folders = !has_folders ();
  expect_at (&location, found);
}

/* ---- A file beside a library.  */

#define LIST ".libq.so.hmac"

/* Whether a file counts as the checksum of a library beside it.  Names are
   seen from the library's folder.  */
struct neighbours
{
  const char *checksum; /* the file */
  const char *library;
  bool counts;
  const char *contents; /* of the file; NULL: it is empty */
  bool without_soname;  /* the library */
  bool absent;          /* the file is not there */
  /* A link to the library or, unless TO is NULL, to TO.  */
  const char *symbolic, *hard, *to;
};

static const struct neighbours neighbours[] = {
  /* Checksums have the name of the library or its soname.  */
  { ".libx.so.1.2.hmac", "libx.so.1.2", .counts = true },
  { "libx.so.1.2.hmac", "libx.so.1.2", .counts = true },
  { "libx.so.1.2.chk", "libx.so.1.2", .counts = true },
  { ".libs.so.1.hmac", "libx.so.1.2", .counts = true },
  { "libs.so.1.hmac", "libx.so.1.2", .counts = true },
  { "libs.so.1.chk", "libx.so.1.2", .counts = true },
  { "x.chk", "x", .counts = true },
  { "libx.chk", "libx.so", .counts = true },
  { "libx.so.chk", "libx.so", .counts = true },
  { "libx.chk", "libx.so.1", .counts = false },
  { "libx.so.chk", "libx", .counts = false },
  { "libx.hmac", "libx.so", .counts = false },
  { "..libx.so.hmac", "libx.so", .counts = false },
  { ".libx.so.chk", "libx.so", .counts = false },
  { "liby.so.hmac", "libx.so", .counts = false },
  { "libx.so.hmac2", "libx.so", .counts = false },
  { "libx.so.chk2", "libx.so", .counts = false },
  { "libx.sohmac", "libx.so", .counts = false },
  { ".hmac", "libx.so", .counts = false },
  { "..hmac", "libx.so", .counts = false },
  { ".chk", "libx.so", .counts = false },
  { ".chk", ".so", .counts = false },
  { ".libx.chk", ".libx.so", .counts = true },
  { "..libx.so.hmac", ".libx.so", .counts = true },
  { ".libx.so.hmac", ".libx.so", .counts = false },
  { "hmac", "so", .counts = false },

  /* They may be in folders of checksums.  */
  { "fipscheck/libx.so.hmac", "libx.so", .counts = true },
  { "fipshmac/libx.so.hmac", "libx.so", .counts = true },
  { "hmaccalc/libx.so.hmac", "libx.so", .counts = true },
  { "../lib/fipscheck/libx.so.hmac", "libx.so", .counts = true },
  { "../lib/fipshmac/libx.so.hmac", "libx.so", .counts = true },
  { "../lib/hmaccalc/libx.so.hmac", "libx.so", .counts = true },
  { "../lib64/fipscheck/libx.so.hmac", "libx.so", .counts = true },
  { "../lib64/fipshmac/.libx.so.hmac", "libx.so", .counts = true },
  { "../lib64/hmaccalc/.libs.so.1.hmac", "libx.so", .counts = true },
  { "../libx.so.hmac", "libx.so", .counts = false },
  { "../fipscheck/libx.so.hmac", "libx.so", .counts = false },
  { "other/libx.so.hmac", "libx.so", .counts = false },

  /* A link to the library in its own folder is a name of it, wherever its
     checksum is.  */
  { ".libz.so.0.hmac", "libx.so", .counts = true, .symbolic = "libz.so.0" },
  { ".libz.so.0.hmac", "libx.so", .counts = true, .hard = "libz.so.0" },
  { "fipscheck/libz.so.0.hmac", "libx.so", .counts = true,
    .symbolic = "libz.so.0" },
  { "libz.chk", "libx.so", .counts = true, .symbolic = "libz.so" },
  { "z.hmac", "libx.so", .counts = true, .symbolic = "z" },
  { ".libz.so.0.hmac", "libx.so", .counts = false, .symbolic = "libz.so.0",
    .to = "../liby.so" },
  { ".libz.so.0.hmac", "libx.so", .counts = false, .symbolic = "libz.so.0",
    .to = "nothing" },
  { ".libz.so.0.hmac", "libx.so", .counts = false,
    .symbolic = "../libz.so.0" },

  /* A list has parts for several libraries.  */
  { LIST, "libx.so.1", .counts = true,
    .contents = "[global]\n[libx.so.1]\nhmac = 00\n" },
  { LIST, "libx.so.1", .counts = true,
    .contents = "[global]\n[libx.so.1]\nhmac = 00\n", .without_soname = true },
  { LIST, "libx.so.1", .counts = true,
    .contents = "[global]\n[" SONAME "]\nhmac = 00\n" },
  { LIST, "libx.so.1", .counts = false,
    .contents = "[global]\n[" SONAME "]\nhmac = 00\n",
    .without_soname = true },
  { LIST, "libx.so.1", .counts = false, .contents = "[libx.so.12]\n" },
  { LIST, "libx.so.1", .counts = false, .contents = "[libx.so.1\n" },
  { LIST, "libx.so.1", .counts = false, .contents = "libx.so.1]\n" },
  { LIST, "libx.so.1", .counts = false, .contents = "[(null)]\n",
    .without_soname = true },
  { LIST, "libx.so.1", .counts = false },
  { "libq.so.chk", "libx.so.1", .counts = false, .contents = "[libx.so.1]\n" },
  { "libq.so.list", "libx.so.1", .counts = false,
    .contents = "[libx.so.1]\n" },
  { "fipshmac/libq.so.hmac", "libx.so.1", .counts = true,
    .contents = "[libx.so.1]\n" },

  /* OpenSSL's module has its checksum in its configuration.  */
  { "fipsmodule.cnf", "fips.so", .counts = true },
  { "fipsmodule.cnf", "fips.so", .counts = false, .absent = true },
  { "fipsmodule.cnf", "fipsprovider.so", .counts = true },
  { "fipsmodule.cnf", "legacy.so", .counts = false },
  { "fipsmodule.cnf", "xfips.so", .counts = false },
  { "fipsmodule.cnf", "ossl-modules/fips.so", .counts = true, .absent = true },
  { "fipsmodule.cnf", "ossl-modules/fipsprovider.so", .counts = false,
    .absent = true },
  { "fipsmodule.cnf", "ossl-modules/legacy.so", .counts = false,
    .absent = true },
  { "fipsmodule.cnf", "my-ossl-modules/fips.so", .counts = false,
    .absent = true },

  /* IBM's ICC signs its neighbours.  */
  { "SIG.txt", "libicclib085.so", .counts = false },
  { "ICCSIG.txt", "libicclib085.so", .counts = true },
};

TEST_ROWS (neighbours, const struct neighbours *given, NULL, remove_tree,
           counts_or_does_not)
{
  const char *contents = given->contents != NULL ? given->contents : "";
  make_tree ();
  add_library ("../liby.so", true);
  add_library (given->library, !given->without_soname);
  if (given->hard != NULL)
    assert_int_equal (link (tree.path, beside (given->hard)), 0);
  if (given->symbolic != NULL)
    assert_int_equal (symlink (given->to != NULL ? given->to : tree.path,
                               beside (given->symbolic)),
                      0);
  if (!given->absent)
    put (given->checksum, contents);
  expect (given->counts ? given->checksum : NULL);
}

/* ext4's longest names.  */
TREE_TEST (by_names_of_any_length)
{
  static const char *const endings[] = { ".hmac", ".chk" };
  for (size_t i = 0; i < 2; i++)
    {
      char library[NAME_MAX + 1] = "", checksum[NAME_MAX + 1];
      memset (library, 'x', NAME_MAX - strlen (endings[i]));
      snprintf (checksum, sizeof checksum, "%s%s", library, endings[i]);
      make_tree ();
      add_library (library, false);
      expect (NULL);
      put (checksum, "");
      struct image image = open_library ();
      const struct file_location location = file_location_of_path (tree.path);
      assert_int_equal (check (&image, &location), CFI2SFRAME_CHECKSUMMED);
      image_close (&image);
    }
  char library[NAME_MAX + 1] = "", part[NAME_MAX + 3];
  memset (library, 'x', NAME_MAX);
  make_tree ();
  add_library (library, false);
  snprintf (part, sizeof part, "[%s]", library);
  put ("libq.so.hmac", part);
  expect ("libq.so.hmac");
}

/* ---- Lists.  */

/* A name in a library need not be one that a file can have.  */
TREE_TEST (by_a_soname_of_any_length)
{
  enum
  {
    DYNSTR_SIZE = 0x148, /* up to .rodata */
    SIZES = 72           /* DT_STRSZ's value, seen from DYNAMIC */
  };
  for (size_t length = NAME_MAX; length <= NAME_MAX + 1; length++)
    {
      static struct elf_builder elf;
      char list[NAME_MAX + 4] = "[";
      make_tree ();
      elf_builder_program (&elf, EM_X86_64, false);
      add_soname (&elf);
      store_u64 (elf.bytes + DYNAMIC + SIZES, DYNSTR_SIZE, false);
      memset (elf.bytes + STRINGS + 11, 'x', length);
      elf.bytes[STRINGS + 11 + length] = '\0';
      write_library ("libx.so", &elf);
      memset (list + 1, 'x', length);
      list[1 + length] = ']';
      write_file (beside (LIST), list, length + 2);
      expect (length == NAME_MAX ? LIST : NULL);
    }
}

/* Of long lists the first 16 KiB count, and nothing behind what is read.  */
TREE_TEST (in_a_long_list)
{
  static const char part[] = "[libx.so.1]";
  static char list[20000];
  static const struct
  {
    size_t at;
    bool counts;
  } cases[] = { { 16000, true }, { 16380, false }, { 17000, false } };
  FOR_EACH_ROW (given, cases)
    {
      make_tree ();
      add_library ("libx.so.1", true);
      memset (list, '#', sizeof list);
      memcpy (list + given->at, part, sizeof part - 1);
      write_file (beside (LIST), list, sizeof list);
      expect (given->counts ? LIST : NULL);
    }
}

/* A directory may have many lists, in any order.  */
TREE_TEST (in_one_of_many_lists)
{
  char name[64];
  add_library ("libx.so.1", true);
  for (unsigned i = 0; i < 64; i++)
    {
      snprintf (name, sizeof name, "lib%u.so.hmac", i);
      put (name, "[other]");
    }
  expect (NULL);
  for (unsigned i = 0; i < 64; i++)
    {
      snprintf (name, sizeof name, "lib%u.so.hmac", i);
      put (name, "[libx.so.1]");
      expect (name);
      put (name, "[other]");
    }
}

/* Who has more has them to keep somebody busy.  */
TREE_TEST (in_none_of_too_many_lists)
{
  char name[64], names[65 * sizeof name];
  size_t size = 0;
  add_library ("libx.so.1", true);
  struct file_location location = file_location_of_path (tree.path);
  location.checksums = names;
  for (unsigned i = 0; i < 65; i++)
    {
      size += (size_t)snprintf (name, sizeof name, "lib%u.so.hmac", i) + 1;
      strcpy (names + size - strlen (name) - 1, name);
      put (name, "[other]");
    }
  names[size] = '\0';
  put (name, "[libx.so.1]");
  expect_at (&location, NULL);
  put ("lib63.so.hmac", "[libx.so.1]");
  expect_at (&location, "lib63.so.hmac");
}

/* Neither what waits for a writer nor what a link leads to is read.  */
TREE_TEST (only_files_are_lists)
{
  add_library ("libx.so.1", true);
  alarm (60);
  assert_int_equal (mkfifo (beside (LIST), 0600), 0);
  expect (NULL);
  unlink (beside (LIST));
  assert_int_equal (mkdir (beside (LIST), 0700), 0);
  expect (NULL);
  rmdir (beside (LIST));
  put ("../elsewhere", "[libx.so.1]");
  assert_int_equal (symlink ("../elsewhere", beside (LIST)), 0);
  expect (NULL);
  alarm (0);
}

/* ---- strongSwan.  */

TREE_TEST (strongswan_has_a_library_of_them)
{
  static const struct
  {
    const char *file; /* seen from the folder x, as is the other */
    const char *needed, *list;
    const char *found; /* seen from the file */
  } cases[] = {
    { "libstrongswan.so.0", "libc.so.6", "libchecksum.so", "libchecksum.so" },
    { "plugins/libstrongswan-aes.so", "libc.so.6", "libchecksum.so",
      "../libchecksum.so" },
    { "libcharon.so.0", "libstrongswan.so.0", "libchecksum.so",
      "libchecksum.so" },
    { "bin/charon", "libstrongswan.so.0", "lib/ipsec/libchecksum.so",
      "../lib/ipsec/libchecksum.so" },
    { "libexec/ipsec/charon", "libstrongswan.so.0", "lib/ipsec/libchecksum.so",
      "../../lib/ipsec/libchecksum.so" },
    { "libexec/ipsec/charon", "libstrongswan.so.0",
      "lib64/strongswan/libchecksum.so",
      "../../lib64/strongswan/libchecksum.so" },
    { "libcharon.so.0", "libstrongswan.so.0", "libsums.so", NULL },
    { "libcharon.so.0", "libc.so.6", "libchecksum.so", NULL },
  };
  FOR_EACH_ROW (given, cases)
    {
      make_tree ();
      add_library_that_needs (given->file, given->needed);
      make_folders (beside (given->list));
      put (given->list, "");
      expect (given->found);
    }
}

/* ---- Ways to name a file.  */

/* The file is named by a link elsewhere, by its name alone, or found in an
   open directory.  */
TREE_TEST (whatever_way_leads_to_the_file)
{
  struct stat status;
  char link[PATH_MAX + 64];
  add_library ("libx.so", false);
  put ("libx.so.hmac", "");
  put ("../../liby.so.hmac", "");
  snprintf (link, sizeof link, "%s/liby.so", tree.top);
  assert_int_equal (symlink (tree.path, link), 0);
  struct file_location location = file_location_of_path (link);
  expect_at (&location, "libx.so.hmac");

  int top = open (".", O_RDONLY | O_DIRECTORY);
  assert_int_equal (chdir (beside (".")), 0);
  location = file_location_of_path ("libx.so");
  expect_at (&location, "libx.so.hmac");
  assert_int_equal (fchdir (top), 0);
  close (top);

  /* Found under a name that has changed since.  */
  assert_int_equal (stat (tree.path, &status), 0);
  location = found_in (open (beside ("."), O_RDONLY | O_DIRECTORY),
                       "somewhere/libx.so");
  location.identity = file_identity_of (&status);
  expect_at (&location, "libx.so.hmac");
  location.path = "libx.so";
  expect_at (&location, "libx.so.hmac");
  /* Or that nothing has any more.  */
  struct image image = open_library ();
  assert_int_equal (rename (tree.path, beside ("liby.so")), 0);
  assert_int_equal (check (&image, &location), CFI2SFRAME_CHECKSUMMED);
  assert_int_equal (rename (beside ("liby.so"), tree.path), 0);
  image_close (&image);
  /* The directory stays the caller's.  */
  assert_int_equal (close (location.directory), 0);
  unlink (beside ("libx.so.hmac"));
  expect (NULL);
}

/* Who knows the names is believed.  */
TREE_TEST (known_names_are_not_asked_for_again)
{
  add_library ("libx.so", false);
  struct file_location location = file_location_of_path (tree.path);
  location.checksums = "libz.so.chk\0libx.so.hmac\0";
  expect_at (&location, "libx.so.hmac");
  location.checksums = ".libz.so.hmac\0.libx.so.hmac\0";
  expect_at (&location, ".libx.so.hmac");
  put ("libx.so.hmac", "");
  location.checksums = "";
  expect_at (&location, NULL);
  location.checksums = "\0libx.so.hmac\0";
  expect_at (&location, NULL);
  /* But not of other folders.  */
  put ("fipscheck/libx.so.hmac", "");
  expect_at (&location, "fipscheck/libx.so.hmac");
}

/* A tree's programs are many, and hardly any has such a folder beside it.  */
TREE_TEST (folders_that_are_not_there_are_not_asked_for_again)
{
  make_tree ();
  add_library ("libx.so", false);
  struct file_location location = file_location_of_path (tree.path);
  assert_false (has_folders ());
  location.no_checksum_folders = true;
  put ("fipscheck/libx.so.hmac", "");
  assert_true (has_folders ());
  expect_at (&location, NULL);
  put ("libx.so.hmac", "");
  expect_at (&location, "libx.so.hmac");
  /* What cannot be told may be.  */
  assert_true (checksum_has_folders (-1));
}

/* Names that somebody knows may be longer than those of files, and of many
   the first ones count.  So it is with those of a directory.  */
TREE_TEST (of_many_names_the_first_count)
{
  enum
  {
    ENTRIES = 1 << 15,
    LENGTH = 100000
  };
  static const char *const both[] = { "libx.so.chk", "libx.so.hmac", NULL };
  static char names[LENGTH + 20];
  add_library ("libx.so", false);
  struct file_location location = file_location_of_path (tree.path);
  memset (names, 'x', LENGTH);
  memcpy (names + LENGTH, ".hmac", sizeof ".hmac");
  location.checksums = names;
  expect_at (&location, NULL);
  location.checksums = "libx.so.chk\0libx.so.hmac\0";
  expect_at (&location, "libx.so.chk");
  location.checksums = names;
  for (size_t others = ENTRIES - 1; others <= ENTRIES; others++)
    {
      memset (names, 0, sizeof names);
      for (size_t i = 0; i < others; i++)
        names[2 * i] = 'x';
      memcpy (names + 2 * others, "libx.so.hmac", sizeof "libx.so.hmac");
      expect_at (&location, others < ENTRIES ? "libx.so.hmac" : NULL);
    }
  location.checksums = NULL;
  for (size_t others = ENTRIES - 1; others <= ENTRIES; others++)
    {
      directories.others = others;
      directories.names = both + 1;
      expect_at (&location, others < ENTRIES ? "libx.so.hmac" : NULL);
    }
  directories.names = both;
  expect_at (&location, "libx.so.chk");
  directories.names = NULL;
}

static unsigned
count_descriptors (void)
{
  unsigned n = 0;
  for (int fd = 0; fd < 256; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}

/* Every directory is closed again.  */
TREE_TEST (nothing_stays_open)
{
  add_library ("libx.so", false);
  put (LIST, "[other]");
  unsigned before = count_descriptors ();
  expect (NULL);
  put ("fipscheck/libx.so.hmac", "");
  expect ("fipscheck/libx.so.hmac");
  /* A folder's name that is a file.  */
  put ("hmaccalc", "");
  expect ("fipscheck/libx.so.hmac");
  assert_int_equal (count_descriptors (), before);
}

/* A file whose checksum may have been overlooked is not converted.  */
TREE_TEST (a_directory_that_cannot_be_opened_is_an_error)
{
  struct rlimit before, none;
  add_library ("libx.so", false);
  struct file_location location = file_location_of_path (tree.path);
  for (unsigned known = 0; known < 2; known++)
    {
      location.checksums = known ? "" : NULL;
      struct image image = open_library ();
      assert_int_equal (getrlimit (RLIMIT_NOFILE, &before), 0);
      none = before;
      none.rlim_cur = 0;
      assert_int_equal (setrlimit (RLIMIT_NOFILE, &none), 0);
      enum cfi2sframe_status status = check (&image, &location);
      assert_int_equal (setrlimit (RLIMIT_NOFILE, &before), 0);
      assert_int_equal (status, CFI2SFRAME_IO);
      image_close (&image);
    }
}

/* Without standard input its descriptor is given to a directory that is
   opened, or to what is read in one that the caller has opened.  It is closed
   again.  */
TREE_TEST (what_is_read_may_be_descriptor_0)
{
  static const struct
  {
    const char *name, *contents;
    bool known_folder;
    const char *known_names;
    int fail; /* of fdopendir */
    enum cfi2sframe_status status;
  } cases[] = {
    { "libq.so", "", false, NULL, 0, CFI2SFRAME_OK },
    { ".libx.so.hmac", "x", false, NULL, 0, CFI2SFRAME_CHECKSUMMED },
    { "fipscheck/libx.so.hmac", "", true, NULL, 0, CFI2SFRAME_CHECKSUMMED },
    { LIST, "[libx.so]", true, LIST "\0", 0, CFI2SFRAME_CHECKSUMMED },
    { LIST, "[other]", true, LIST "\0", 0, CFI2SFRAME_OK },
    { "libx.so.hmac", "", true, NULL, ENOMEM, CFI2SFRAME_IO },
    { "libx.so.hmac", "", true, NULL, EMFILE, CFI2SFRAME_IO },
    { "libx.so.hmac", "", true, NULL, ENFILE, CFI2SFRAME_IO },
    { "libx.so.hmac", "", true, NULL, ENOTDIR, CFI2SFRAME_OK },
  };
  int input = dup (STDIN_FILENO);
  assert_true (input >= 0);
  FOR_EACH_ROW (given, cases)
    {
      make_tree ();
      add_library ("libx.so", false);
      put (given->name, given->contents);
      struct file_location location = file_location_of_path (tree.path);
      int folder = open (beside ("."), O_RDONLY | O_DIRECTORY);
      if (given->known_folder)
        location = found_in (folder, tree.path);
      location.checksums = given->known_names;
      struct image image = open_library ();
      close (STDIN_FILENO);
      directories.fail = given->fail;
      enum cfi2sframe_status status = check (&image, &location);
      directories.fail = 0;
      int left = fcntl (STDIN_FILENO, F_GETFD);
      assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
      assert_int_equal (left, -1);
      assert_int_equal (status, given->status);
      image_close (&image);
      close (folder);
    }
  close (input);
}

/* So may be the directory that the caller has opened, which stays open.  */
TREE_TEST (a_known_directory_may_be_descriptor_0)
{
  add_library ("libx.so", false);
  put ("libx.so.hmac", "");
  int directory = open (beside ("."), O_RDONLY | O_DIRECTORY);
  int input = dup (STDIN_FILENO);
  assert_true (directory >= 0 && input >= 0);
  struct image image = open_library ();
  const struct file_location location
      = found_in (STDIN_FILENO, "somewhere/libx.so");
  assert_int_equal (dup2 (directory, STDIN_FILENO), STDIN_FILENO);
  enum cfi2sframe_status status = check (&image, &location);
  assert_true (fcntl (STDIN_FILENO, F_GETFD) >= 0);
  assert_int_equal (dup2 (input, STDIN_FILENO), STDIN_FILENO);
  assert_int_equal (status, CFI2SFRAME_CHECKSUMMED);
  image_close (&image);
  close (directory);
  close (input);
}

/* The program of an initial RAM file system is /init.  */
TREE_TEST (a_file_may_be_in_the_root_directory)
{
  struct error err = { 0 };
  add_library ("x", false);
  put ("x.hmac", "");
  const struct file_location location
      = { .path = "/x", .directory = AT_FDCWD, .name = "/x", .fixed = true };
  int here = open (".", O_RDONLY | O_DIRECTORY);
  struct image image = open_library ();
  assert_int_equal (chdir (beside (".")), 0);
  if (!checksum_check_none (&image, &location, &err))
    fail_msg ("%s", err.reason);
  assert_int_equal (fchdir (here), 0);
  close (here);
  image_close (&image);
}

TREE_TEST (a_file_that_is_gone_is_an_error)
{
  struct error err = { 0 };
  add_library ("libx.so", false);
  const struct file_location location = file_location_of_path (tree.path);
  struct image image = open_library ();
  unlink (tree.path);
  assert_false (checksum_check_none (&image, &location, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_memory_equal (err.reason, "realpath", 8);
  int fd = image.fd;
  image.fd = -1;
  err = (struct error){ 0 };
  assert_false (checksum_check_none (&image, &location, &err));
  assert_int_equal (err.status, CFI2SFRAME_IO);
  assert_memory_equal (err.reason, "fstat", 5);
  image.fd = fd;
  image_close (&image);
}

/* ---- Notes.  */

enum note_place
{
  IN_A_SEGMENT,
  IN_NO_SEGMENT, /* a program header of another type, */
  IN_NO_FILE,    /* whose bytes are nowhere */
  BEHIND_ANOTHER,
  ALIGNED_TO_8, /* behind another, which has a size that is not a multiple of 8
                 */
  OF_A_LONGER_NAME
};

static void
expect_note (const char *owner, uint32_t type, enum note_place place,
             bool counts)
{
  static struct elf_builder elf;
  make_tree ();
  elf_builder_program (&elf, EM_X86_64, false);
  uint64_t at = NOTE;
  Elf64_Phdr *segment = elf_builder_segment (&elf, PT_NOTE);
  if (place == BEHIND_ANOTHER || place == ALIGNED_TO_8)
    {
      elf_builder_note (&elf, 0x400, "GNU", NT_GNU_BUILD_ID, 20);
      at = place == ALIGNED_TO_8 ? 0x428 : 0x424;
      segment->p_offset = segment->p_vaddr = segment->p_paddr = 0x400;
      segment->p_filesz = segment->p_memsz = at + 16 + 32 - 0x400;
      segment->p_align = place == ALIGNED_TO_8 ? 8 : 4;
    }
  else if (place == IN_NO_SEGMENT || place == IN_NO_FILE)
    segment->p_type = PT_GNU_RELRO;
  if (place == IN_NO_FILE)
    segment->p_offset = UINT64_C (1) << 63;
  bool alone = at == NOTE;
  elf_builder_note (&elf, at, owner, type, alone ? 20 : 32);
  if (place == OF_A_LONGER_NAME)
    store_u32 (elf.bytes + at, 5, false);
  write_library ("libx.so", &elf);
  expect (counts ? "a note in it" : NULL);
}

TREE_TEST (in_a_note)
{
  expect_note ("FDO", NT_FDO_INTEGRITY, IN_A_SEGMENT, true);
  expect_note ("FDO", NT_FDO_INTEGRITY, BEHIND_ANOTHER, true);
  expect_note ("FDO", NT_FDO_INTEGRITY, ALIGNED_TO_8, true);
  expect_note ("FDO", NT_FDO_INTEGRITY, IN_NO_SEGMENT, false);
  expect_note ("FDO", NT_FDO_INTEGRITY, IN_NO_FILE, false);
  expect_note ("FDO", NT_FDO_INTEGRITY, OF_A_LONGER_NAME, false);
  expect_note ("FDO", NT_FDO_INTEGRITY + 1, IN_A_SEGMENT, false);
  expect_note ("FDP", NT_FDO_INTEGRITY, IN_A_SEGMENT, false);
  expect_note ("GNU", NT_FDO_INTEGRITY, BEHIND_ANOTHER, false);
  expect_note ("FDO", NT_GNU_BUILD_ID, BEHIND_ANOTHER, false);
}

/* A section of notes with such a name may have anything in it; .rodata1 has a
   checksum if it has the size of one.  */
TREE_TEST (in_a_section)
{
  static const struct
  {
    const char *name;
    uint32_t type;
    uint64_t size;
    const char *found;
  } cases[] = {
    { ".note.fdo.integrity", SHT_NOTE, 16, "a note in it" },
    { ".note.integrity", SHT_NOTE, 16, "a note in it" },
    { ".note.fdo.integrity", SHT_PROGBITS, 16, NULL },
    { ".note.other", SHT_NOTE, 16, NULL },
    { ".rodata1", SHT_PROGBITS, 32, "its section .rodata1" },
    { ".rodata1", SHT_PROGBITS, 16, NULL },
    { ".rodata", SHT_PROGBITS, 32, NULL },
  };
  FOR_EACH_ROW (given, cases)
    {
      static struct elf_builder elf;
      make_tree ();
      elf_builder_program (&elf, EM_X86_64, false);
      elf_builder_add_section (&elf, given->name, given->type, 0, 0x480,
                               given->size, 4);
      write_library ("libx.so", &elf);
      expect (given->found);
    }
}

/* What stands behind the tables of an image is not part of it.  */
TREE_TEST (in_no_note_behind_the_last)
{
  for (unsigned of_sections = 0; of_sections < 2; of_sections++)
    {
      static struct elf_builder elf;
      make_tree ();
      elf_builder_program (&elf, EM_X86_64, false);
      elf_builder_segment (&elf, PT_NOTE);
      if (of_sections)
        elf_builder_add_section (&elf, ".note.integrity", SHT_NOTE, 0, 0x480,
                                 16, 4);
      else
        elf_builder_note (&elf, NOTE, "FDO", NT_FDO_INTEGRITY, 20);
      write_library ("libx.so", &elf);
      const struct file_location location = file_location_of_path (tree.path);
      struct image image = open_library ();
      size_t n_segments = image.n_segments, n_sections = image.n_sections;
      assert_int_equal (check (&image, &location), CFI2SFRAME_CHECKSUMMED);
      if (of_sections)
        while (strcmp (image.sections[image.n_sections - 1].name,
                       ".note.integrity")
               != 0)
          image.n_sections--;
      else
        while (image.segments[image.n_segments - 1].p_type != PT_NOTE)
          image.n_segments--;
      image.n_sections -= of_sections;
      image.n_segments -= !of_sections;
      assert_int_equal (check (&image, &location), CFI2SFRAME_OK);
      image.n_segments = n_segments;
      image.n_sections = n_sections;
      image_close (&image);
    }
}
